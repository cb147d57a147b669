//! From a bare exception to one that says where it happened and who called.

use crate::diag::{self, Label, Span};
use crate::lang::advice;
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::value::{Raise, Trace, Value};
use std::rc::Rc;

impl Interp {
    /// Says where an exception was raised, unless that is known already.
    #[cold]
    pub(in crate::lang) fn locate(&self, f: &Frame, span: Span, raise: Raise) -> Raise {
        self.blame(f, span, raise, &[])
    }

    /// The same, with the operands of the failed operation: tensors among them are labelled with dtype and shape. What to do about
    /// it is looked for when somebody reads the report: most exceptions are caught before.
    #[cold]
    pub(in crate::lang) fn blame(&self, f: &Frame, span: Span, raise: Raise, operands: &[(Span, &Value)]) -> Raise {
        let exception = &raise.0;
        let mut trace = exception.trace.borrow_mut();
        if trace.source.is_none() && exception.diagnostic.source.is_none() {
            trace.source = Some(f.code.source.clone());
            trace.labels = labels(span, operands, exception.diagnostic.argument);
            trace.operands = operands.iter().map(|(span, value)| (*span, (*value).clone())).collect();
            trace.span = span;
            if trace.context.is_none() {
                trace.context = self.handling.last().filter(|h| !Rc::ptr_eq(h, exception)).cloned();
            }
        }
        if let Some(function) = trace.pending.take() {
            trace.frames.push(frame(f, span, function));
        }
        drop(trace);
        raise
    }

    /// Notes the call that an exception came through.
    #[cold]
    pub(in crate::lang) fn came_through(&self, f: &Frame, span: Span, function: &str, raise: &Raise) {
        raise.0.trace.borrow_mut().frames.push(frame(f, span, function.to_string()));
    }
}

/// Forgets where an exception was raised, because it is raised anew.
pub(in crate::lang) fn forget_place(raise: &Raise) {
    let mut trace = raise.0.trace.borrow_mut();
    let Trace { cause, context, suppress_context, message, own, .. } = std::mem::take(&mut *trace);
    *trace = Trace { cause, context, suppress_context, message, own, ..Trace::default() };
}

fn frame(f: &Frame, span: Span, function: String) -> diag::Frame {
    diag::Frame { source: f.code.source.clone(), span, function }
}

fn labels(span: Span, operands: &[(Span, &Value)], guilty: Option<u32>) -> Vec<Label> {
    let guilty = guilty.and_then(|place| operands.get(place as usize)).map(|(span, _)| *span);
    let mut labels = vec![Label { span: guilty.unwrap_or(span), text: String::new(), primary: true }];
    for (span, value) in operands {
        if let Value::Tensor(tensor) = value {
            let text = format!("{} {}", tensor.dtype().name(), advice::shape(&tensor.sizes()));
            match labels.first_mut().filter(|first| first.span == *span) {
                Some(first) => first.text = text,
                None => labels.push(Label { span: *span, text, primary: false }),
            }
        }
    }
    labels
}
