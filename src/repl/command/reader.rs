//! The values of the parts of an expression. Each part is evaluated once, or not at all when its value was kept from a failure.

use super::{Call, source};
use crate::diag::{Diagnostic, Source, Span};
use crate::show::picture::Named;
use crate::syntax;
use crate::syntax::ast::{Expr, ExprKind};
use crate::value::{Exception, Outcome, Value};
use std::rc::Rc;
use std::sync::Arc;

/// What is known of a failed operation.
#[derive(Clone)]
pub(in crate::repl) struct Kept {
    /// The failed expression or statement.
    pub text: String,
    /// Its parts, by their texts.
    parts: Vec<(String, Value)>,
    /// What was to be written into an element.
    pub written: Option<Value>,
    /// True when it stood in no function, so that its names are the session's.
    at_top: bool,
}

impl Kept {
    /// What an exception knows; none when it does not say where it was raised.
    pub fn of(exception: &Exception) -> Option<Kept> {
        let trace = exception.trace.borrow();
        let source = trace.source.as_ref()?;
        let text = |span: Span| source.text.get(span.range()).unwrap_or_default();
        let named = |(span, value): &(Span, Value)| (text(*span).to_string(), value.clone());
        let place = |(span, _): &&(Span, Value)| *span != Span::default();
        Some(Kept {
            text: text(trace.span).to_string(),
            parts: trace.operands.iter().filter(place).map(named).collect(),
            written: trace.operands.iter().find(|o| !place(o)).map(|(_, value)| value.clone()),
            at_top: trace.frames.is_empty(),
        })
    }

    /// The parts with their texts, and what was to be written.
    pub fn parts(&self) -> Vec<(String, Value)> {
        self.parts.iter().cloned().chain(self.written.iter().map(|v| ("the value".to_string(), v.clone()))).collect()
    }

    /// The value of a part, when it was kept.
    fn find(&self, text: &str) -> Option<Value> {
        self.parts.iter().find(|(part, _)| part == text).map(|(_, value)| value.clone())
    }
}

/// Reads the parts of one text.
pub(super) struct Reader<'a> {
    pub source: Arc<Source>,
    pub kept: Option<&'a Kept>,
}

impl<'a> Reader<'a> {
    /// For a text that stands behind a command.
    pub fn new(command: &str, text: &str) -> Reader<'a> {
        Reader { source: source(command, text), kept: None }
    }

    /// The whole text as an expression.
    pub fn expression(&self) -> Outcome<Expr> {
        let parsed = syntax::parse_expression(&self.source, Span::new(0, self.source.text.len()));
        Ok(parsed.map_err(|refusal| with_what_is_missing(&self.source.text, refusal))?)
    }

    /// A part's text.
    pub fn text(&self, expr: &Expr) -> &str {
        self.source.text.get(expr.span.range()).unwrap_or_default()
    }

    /// A part's value: kept, or evaluated by itself. Of a failed expression nothing is evaluated that could do anything.
    pub fn value(&self, call: &mut Call, expr: &Expr) -> Outcome {
        let text = self.text(expr);
        if let Some(kept) = self.kept {
            if let Some(value) = kept.find(text) {
                return Ok(value);
            }
            if !self.is_inert(call, expr) {
                fault!(ValueError, "{text} was not kept");
            }
        }
        call.interp.evaluate(&Source::new(self.source.name.as_str(), text.trim()))
    }

    /// The value of what stands between `[` and `]`, where slices may be written.
    pub fn index(&self, call: &mut Call, expr: &Expr) -> Outcome {
        let kept = self.kept.and_then(|kept| kept.find(self.text(expr)));
        match (&expr.kind, kept) {
            (_, Some(value)) => Ok(value),
            (ExprKind::Slice { lower, upper, step }, _) => {
                let mut bound = |part: &Option<Box<Expr>>| part.as_ref().map_or(Ok(Value::None), |expr| self.value(call, expr));
                Ok(Value::Slice(Rc::new([bound(lower)?, bound(upper)?, bound(step)?])))
            }
            (ExprKind::Tuple(parts), _) => {
                Ok(Value::tuple(parts.iter().map(|part| self.index(call, part)).collect::<Outcome<_>>()?))
            }
            _ => self.value(call, expr),
        }
    }

    /// A part that has to be a tensor.
    pub fn tensor(&self, call: &mut Call, expr: &Expr) -> Outcome<Named> {
        let name = self.text(expr).to_string();
        match self.value(call, expr)? {
            Value::Tensor(tensor) => Ok(Named { name, tensor }),
            other => {
                let message = format!("a tensor is needed here, and {name} is of type {}", other.type_name());
                let diagnostic = crate::diag::Diagnostic::new(crate::diag::ErrorClass::TypeError, message);
                Err(diagnostic.at(&self.source, expr.span, "").into())
            }
        }
    }

    /// True when evaluating it again changes nothing and gives what it gave: literals, modules and what is in them, and names
    /// where they are the session's.
    fn is_inert(&self, call: &Call, expr: &Expr) -> bool {
        let all = |parts: &[Expr]| parts.iter().all(|p| self.is_inert(call, p));
        match &expr.kind {
            ExprKind::None | ExprKind::Bool(_) | ExprKind::Ellipsis | ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Imaginary(_) | ExprKind::Str(_) => true,
            ExprKind::Name(name) => {
                let value = call.interp.globals.get(name);
                self.kept.is_some_and(|k| k.at_top) || matches!(value, Some(Value::Module(_) | Value::Class(_) | Value::DType(_)))
            }
            ExprKind::Tuple(parts) | ExprKind::List(parts) => all(parts),
            ExprKind::Unary(_, operand) => self.is_inert(call, operand),
            ExprKind::Attr(base, _) => {
                let ExprKind::Name(name) = &base.kind else { return self.is_inert(call, base) };
                matches!(call.interp.globals.get(name), Some(Value::Module(_)))
            }
            ExprKind::Slice { lower, upper, step } => {
                [lower, upper, step].into_iter().flatten().all(|part| self.is_inert(call, part))
            }
            _ => false,
        }
    }
}

/// A refusal of a text, with what is missing where it is two expressions that stand beside each other: `x y`.
pub(super) fn with_what_is_missing(text: &str, refusal: Diagnostic) -> Diagnostic {
    let is_expression = |part: &str| syntax::parse_expression(&Source::new("<part>", part), Span::new(0, part.len())).is_ok();
    let blanks = text.match_indices(' ').map(|(at, _)| (text[..at].trim(), text[at..].trim()));
    let mut pairs = blanks.filter(|(left, right)| is_expression(left) && is_expression(right));
    match pairs.next() {
        Some((left, right)) => refusal
            .help(format!("between {left} and {right} a comma is missing, or an operator: {left}, {right} or {left} + {right}")),
        None => refusal,
    }
}
