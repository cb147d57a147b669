//! Why a text was refused, before it is tied to a source: the inner error type of this folder.

use crate::diag::{Diagnostic, ErrorClass, Source, Span};
use std::sync::Arc;

/// Everything in this folder that may refuse a text returns this.
pub(super) type Parsed<T> = Result<T, Box<Refusal>>;

/// A syntax error: class, sentence, place and ways out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    /// `SyntaxError` or one of its children.
    pub class: ErrorClass,
    /// The sentence.
    pub message: String,
    /// The part to point at.
    pub span: Span,
    /// Words for that part; may be empty.
    pub label: String,
    /// Ways out.
    pub help: Vec<String>,
    /// Set when the text only ends too early.
    pub missing: Option<Missing>,
}

/// What a text that ends too early lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// The rest of a bracket, a string or a joined line.
    Text,
    /// The block of a header, or a clause.
    Block,
}

impl Refusal {
    /// A `SyntaxError` at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Box<Refusal> {
        Refusal::of(ErrorClass::SyntaxError, span, message)
    }

    /// An `IndentationError` at a place.
    pub fn indentation(span: Span, message: impl Into<String>) -> Box<Refusal> {
        Refusal::of(ErrorClass::IndentationError, span, message)
    }

    /// A refusal of the given class.
    pub fn of(class: ErrorClass, span: Span, message: impl Into<String>) -> Box<Refusal> {
        Box::new(Refusal { class, message: message.into(), span, label: String::new(), help: vec![], missing: None })
    }

    /// Adds words for the place.
    pub fn label(mut self: Box<Self>, text: impl Into<String>) -> Box<Self> {
        self.label = text.into();
        self
    }

    /// Marks a text that ends too early.
    pub fn missing(mut self: Box<Self>, what: Option<Missing>) -> Box<Self> {
        self.missing = what;
        self
    }

    /// Adds a way out.
    pub fn help(mut self: Box<Self>, text: impl Into<String>) -> Box<Self> {
        self.help.push(text.into());
        self
    }

    /// The message for the user.
    pub fn into_diagnostic(self, source: &Arc<Source>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.class, self.message).at(source, self.span, self.label);
        diagnostic.help = self.help;
        diagnostic
    }
}
