//! What went wrong, and where: one type for every message to the user.
//!
//! A leaf module: it knows no other. Operation code bails with a [`Fault`] (a Python exception class and a sentence);
//! the evaluator turns it into a [`Diagnostic`] by adding the span, the operands' shapes and a way out.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// A half-open range of bytes in one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub const fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range of `usize`, to slice the text with.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One text that was read: a file, a prompt entry, a `-c` argument.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// What reports call it: a path, `<stdin>`, `<string>`.
    pub name: String,
    /// The whole text, as it was read.
    pub text: String,
    /// The number of its first line (prompt entries go on counting).
    pub first_line: usize,
}

impl Source {
    /// A text whose first line is line 1.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: text.into(), first_line: 1 })
    }

    /// Line (from `first_line`) and column (from 1, in characters) of a byte.
    pub fn line_column(&self, byte: usize) -> (usize, usize) {
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        let line = before.iter().filter(|b| **b == b'\n').count();
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        (self.first_line + line, 1 + String::from_utf8_lossy(&before[start..]).chars().count())
    }
}

macro_rules! error_classes {
    ($($name:ident < $parent:ident $(= $text:literal)?),* $(,)?) => {
        /// The exception classes of Python and PyTorch that tsr raises or catches, with their inheritance.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, clippy::enum_variant_names)]
        pub enum ErrorClass {
            BaseException,
            $($name,)*
            /// A class that the program defined.
            Own(OwnError),
        }

        impl ErrorClass {
            /// Every class, parents before children.
            pub const ALL: &[ErrorClass] = &[ErrorClass::BaseException, $(ErrorClass::$name),*];

            /// The class it inherits from; `BaseException` is its own parent.
            pub fn parent(self) -> ErrorClass {
                match self {
                    ErrorClass::BaseException => ErrorClass::BaseException,
                    $(ErrorClass::$name => ErrorClass::$parent,)*
                    ErrorClass::Own(own) => own.entry().parent,
                }
            }

            /// The name as a user catches it (`ValueError`).
            pub fn name(self) -> &'static str {
                match self {
                    ErrorClass::BaseException => "BaseException",
                    $(ErrorClass::$name => stringify!($name),)*
                    ErrorClass::Own(own) => own.entry().name,
                }
            }

            /// The name without its module, as `__name__` and `repr` show it.
            pub fn short_name(self) -> &'static str {
                match self {
                    // numpy shows it as what it builds on.
                    ErrorClass::OutputCastingError => "UFuncTypeError",
                    other => other.title().rsplit('.').next().unwrap_or_default(),
                }
            }

            /// The name as a report shows it (`torch._C._LinAlgError`, else the plain name).
            pub fn title(self) -> &'static str {
                match self { $($(ErrorClass::$name => $text,)?)* other => other.name() }
            }
        }
    };
}

error_classes! {
    Exception < BaseException, SystemExit < BaseException, KeyboardInterrupt < BaseException, GeneratorExit < BaseException,
    ArithmeticError < Exception, OverflowError < ArithmeticError, ZeroDivisionError < ArithmeticError,
    FloatingPointError < ArithmeticError,
    AssertionError < Exception, AttributeError < Exception,
    FrozenInstanceError < AttributeError = "dataclasses.FrozenInstanceError", BufferError < Exception, EOFError < Exception,
    ImportError < Exception, ModuleNotFoundError < ImportError,
    LookupError < Exception, IndexError < LookupError, KeyError < LookupError,
    MemoryError < Exception, NameError < Exception, UnboundLocalError < NameError,
    OSError < Exception, FileNotFoundError < OSError, FileExistsError < OSError, PermissionError < OSError,
    IsADirectoryError < OSError, NotADirectoryError < OSError, TimeoutError < OSError, InterruptedError < OSError,
    BlockingIOError < OSError, ChildProcessError < OSError, ProcessLookupError < OSError, ConnectionError < OSError,
    BrokenPipeError < ConnectionError, ConnectionAbortedError < ConnectionError, ConnectionRefusedError < ConnectionError,
    ConnectionResetError < ConnectionError, UnsupportedOperation < OSError = "io.UnsupportedOperation",
    RuntimeError < Exception, NotImplementedError < RuntimeError, RecursionError < RuntimeError,
    OutOfMemoryError < RuntimeError = "torch.OutOfMemoryError", LinAlgError < RuntimeError = "torch._C._LinAlgError",
    GradcheckError < RuntimeError = "torch.autograd.gradcheck.GradcheckError",
    ReferenceError < Exception, SystemError < Exception, StopAsyncIteration < Exception,
    StopIteration < Exception, SyntaxError < Exception, IndentationError < SyntaxError, TabError < IndentationError,
    TypeError < Exception, OutputCastingError < TypeError = "numpy._core._exceptions._UFuncOutputCastingError",
    ValueError < Exception, UnicodeError < ValueError,
    ArrayLinAlgError < ValueError = "numpy.linalg.LinAlgError", AxisError < ValueError = "numpy.exceptions.AxisError",
    UnicodeDecodeError < UnicodeError, UnicodeEncodeError < UnicodeError, UnicodeTranslateError < UnicodeError,
    PatternError < Exception = "re.error", StatisticsError < ValueError = "statistics.StatisticsError",
    PickleError < Exception = "_pickle.PickleError", PicklingError < PickleError = "_pickle.PicklingError",
    StructError < Exception = "struct.error", UnpicklingError < PickleError = "_pickle.UnpicklingError",
    JSONDecodeError < ValueError = "json.decoder.JSONDecodeError",
    Warning < Exception, UserWarning < Warning, DeprecationWarning < Warning, RuntimeWarning < Warning,
    FutureWarning < Warning, PendingDeprecationWarning < Warning, SyntaxWarning < Warning, ImportWarning < Warning,
    UnicodeWarning < Warning, BytesWarning < Warning, ResourceWarning < Warning, EncodingWarning < Warning,
}

impl ErrorClass {
    /// True when an `except` clause for `other` catches this class.
    pub fn is_a(self, other: ErrorClass) -> bool {
        let mut class = self;
        loop {
            if class == other {
                return true;
            }
            // numpy's for an axis that is not there has two parents.
            if class == ErrorClass::AxisError && ErrorClass::IndexError.is_a(other) {
                return true;
            }
            if class == ErrorClass::BaseException {
                return false;
            }
            class = class.parent();
        }
    }

    /// A number of its own.
    pub fn number(self) -> u64 {
        match self {
            ErrorClass::Own(own) => (ErrorClass::ALL.len() + own.number()) as u64,
            known => ErrorClass::ALL.iter().position(|class| *class == known).unwrap_or(0) as u64,
        }
    }

    /// The class with this name, of those that programs defined the last one.
    pub fn from_name(name: &str) -> Option<ErrorClass> {
        ErrorClass::ALL.iter().copied().find(|c| c.name() == name).or_else(|| OwnError::from_name(name).map(ErrorClass::Own))
    }
}

/// An exception class that the program defined, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OwnError(u32);

/// What is known of such a class.
#[derive(Clone, Copy)]
struct OwnEntry {
    name: &'static str,
    parent: ErrorClass,
}

/// The classes that programs defined in this process. They are never taken back: an exception may outlive what raised it.
static OWN: RwLock<Vec<OwnEntry>> = RwLock::new(vec![]);

impl OwnError {
    /// A new class that inherits from another.
    pub fn define(name: &str, parent: ErrorClass) -> OwnError {
        let mut known = OWN.write().unwrap_or_else(PoisonError::into_inner);
        known.push(OwnEntry { name: Box::leak(name.into()), parent });
        OwnError(known.len() as u32 - 1)
    }

    fn from_name(name: &str) -> Option<OwnError> {
        let known = OWN.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().rposition(|entry| entry.name == name).map(|place| OwnError(place as u32))
    }

    /// Its number: 0 for the first that was defined.
    pub fn number(self) -> usize {
        self.0 as usize
    }

    fn entry(self) -> OwnEntry {
        let known = OWN.read().unwrap_or_else(PoisonError::into_inner);
        known.get(self.number()).copied().unwrap_or(OwnEntry { name: "Exception", parent: ErrorClass::Exception })
    }
}

/// What operation code raises: an exception class, a sentence, and help lines. Travels inside [`anyhow::Error`].
#[derive(Clone, Debug)]
pub struct Fault {
    /// The Python exception class.
    pub class: ErrorClass,
    /// What is wrong, with the numbers in it.
    pub message: String,
    /// Ways out, each a full sentence or a corrected expression.
    pub help: Vec<String>,
    /// Which argument is to blame, when it is one of them.
    pub argument: Option<usize>,
}

impl Fault {
    /// A fault of the given class.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Fault {
        Fault { class, message: message.into(), help: Vec::new(), argument: None }
    }

    /// Adds a way out.
    pub fn help(mut self, text: impl Into<String>) -> Fault {
        self.help.push(text.into());
        self
    }

    /// Marks the argument (counted from 0, `self` included) that the report should point at.
    pub fn argument(mut self, index: usize) -> Fault {
        self.argument = Some(index);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Returns early with a [`Fault`]: `fault!(ValueError, "n is {n}")`.
#[macro_export]
macro_rules! fault {
    ($class:ident, $($text:tt)+) => {
        return Err(::anyhow::Error::new($crate::diag::Fault::new($crate::diag::ErrorClass::$class, format!($($text)+))).into())
    };
}

/// A [`Fault`] as an [`anyhow::Error`], without returning: `err!(ValueError, "n is {n}")`.
#[macro_export]
macro_rules! err {
    ($class:ident, $($text:tt)+) => {
        ::anyhow::Error::new($crate::diag::Fault::new($crate::diag::ErrorClass::$class, format!($($text)+)))
    };
}

/// A part of a source with words for it: `float32 (2, 3)`.
#[derive(Clone, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
    /// The one the report is about; others give context.
    pub primary: bool,
}

/// A frame of the call chain: the call site of a function that was running.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The text that holds the call.
    pub source: Arc<Source>,
    /// The call.
    pub span: Span,
    /// Name of the function that was called.
    pub function: String,
}

/// A word of the failed expression, and what to write in its place: a way out that is certain to be a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The word as it stands.
    pub from: String,
    /// What it becomes.
    pub to: String,
}

impl Change {
    /// The place of the word in a part of a text; none unless it stands there just once.
    pub fn place(&self, source: &Source, within: Span) -> Option<Span> {
        let part = source.text.get(within.range())?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut places = part.match_indices(&self.from).map(|(at, _)| at).filter(|at| {
            let after = part.get(at + self.from.len()..).unwrap_or_default();
            !part.get(..*at).unwrap_or_default().ends_with(is_word) && !after.starts_with(is_word)
        });
        let start = within.start as usize + places.next()?;
        places.next().is_none().then(|| Span::new(start, start + self.from.len()))
    }
}

/// One message to the user: the exception, where it happened, why, and what to do.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The Python exception class.
    pub class: ErrorClass,
    /// The sentence after `ErrorClass: `. May span lines.
    pub message: String,
    /// The text the labels point into.
    pub source: Option<Arc<Source>>,
    /// Places, the primary one first.
    pub labels: Vec<Label>,
    /// Facts worth knowing.
    pub notes: Vec<String>,
    /// Ways out.
    pub help: Vec<String>,
    /// A way out that can be shown as a change of the text.
    pub change: Option<Box<Change>>,
    /// Calls that led here, outermost first.
    pub frames: Vec<Frame>,
    /// Which argument of the failing operation is to blame, when it is one of them.
    pub argument: Option<u32>,
}

impl Diagnostic {
    /// A diagnostic with nothing but class and sentence.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            class,
            message: message.into(),
            source: None,
            labels: vec![],
            notes: vec![],
            help: vec![],
            change: None,
            frames: vec![],
            argument: None,
        }
    }

    /// Points at a place in a source.
    pub fn at(mut self, source: &Arc<Source>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.source = Some(source.clone());
        self.labels.push(Label { span, text: text.into(), primary: true });
        self
    }

    /// Adds a way out.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Says what to write in place of a word of the failed expression.
    pub fn change(mut self, from: &str, to: impl Into<String>) -> Diagnostic {
        self.change = Some(Box::new(Change { from: from.to_string(), to: to.into() }));
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// The first line of the report: `ErrorClass: sentence`, or the class alone when there is no sentence.
    pub fn headline(&self) -> String {
        if self.message.is_empty() {
            self.class.title().to_string()
        } else {
            format!("{}: {}", self.class.title(), self.message.trim_end_matches('\n'))
        }
    }
}

impl From<anyhow::Error> for Diagnostic {
    /// Keeps a [`Fault`]'s class and help; any other error is a `RuntimeError`.
    fn from(error: anyhow::Error) -> Diagnostic {
        match error.downcast::<Fault>() {
            Ok(fault) => Diagnostic {
                help: fault.help,
                argument: fault.argument.map(|place| place as u32),
                ..Diagnostic::new(fault.class, fault.message)
            },
            Err(other) => Diagnostic::new(ErrorClass::RuntimeError, format!("{other:#}")),
        }
    }
}

/// The longest name that is looked up as misspelt: comparing costs the square of the length.
const LONGEST_NAME: usize = 64;

/// True when a name differs from another one by a letter too many, too few, another, or two exchanged.
pub fn is_a_slip(name: &str, meant: &str) -> bool {
    name.len() <= LONGEST_NAME && strsim::osa_distance(name, meant) == 1
}

/// The known name nearest to a misspelt one, if one is near enough to be meant.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    known
        .into_iter()
        .map(|k| (strsim::jaro_winkler(&name.to_lowercase(), &k.to_lowercase()), k))
        .filter(|(score, _)| *score > 0.84)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k)
}
