//! The syntax tree: what a tsr text says, with the place of each part.
//!
//! A small Python. Nothing here knows tensors; the evaluator gives it meaning.

use crate::diag::Span;
use num_bigint::BigInt;
use std::rc::Rc;

/// An identifier.
pub type Name = Rc<str>;

/// An identifier and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The identifier.
    pub name: Name,
    /// Where.
    pub span: Span,
}

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement with its place (for a compound one: from its keyword to the end of its last block).
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it says.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// The statements of the language.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// An expression on its own; the prompt echoes its value.
    Expr(Expr),
    /// `a = b = value`: every target gets the value, left to right.
    Assign { targets: Vec<Expr>, value: Expr },
    /// `name: annotation = value`; the annotation counts in the body of a class only.
    AnnAssign { target: Expr, annotation: Expr, value: Option<Expr> },
    /// `target op= value`.
    AugAssign { target: Expr, op: BinaryOp, value: Expr },
    /// `if test: … elif …: … else: …`, an `elif` being an `If` in `orelse`.
    If { test: Expr, body: Block, orelse: Block },
    /// `while test: … else: …`.
    While { test: Expr, body: Block, orelse: Block },
    /// `for target in iter: … else: …`.
    For { target: Expr, iter: Expr, body: Block, orelse: Block },
    /// `with item as target, …: …`.
    With { items: Vec<(Expr, Option<Expr>)>, body: Block },
    /// `try: … except …: … else: … finally: …`.
    Try { body: Block, handlers: Vec<Handler>, orelse: Block, finally: Block },
    /// `match subject: case …: …`.
    Match { subject: Expr, cases: Vec<Case> },
    /// `def name(params): …`, with decorators outermost first.
    Def { name: Ident, function: Rc<Function>, decorators: Vec<Expr> },
    /// `class name(bases): …`, with decorators outermost first.
    Class { name: Ident, class: Rc<ClassBody>, decorators: Vec<Expr> },
    /// `return value`.
    Return(Option<Expr>),
    /// `raise exc from cause`.
    Raise { exc: Option<Expr>, cause: Option<Expr> },
    /// `assert test, message`.
    Assert { test: Expr, message: Option<Expr> },
    /// `del targets`.
    Del(Vec<Expr>),
    /// `global names`.
    Global(Vec<Ident>),
    /// `nonlocal names`.
    Nonlocal(Vec<Ident>),
    /// `import a.b as c, d`.
    Import(Vec<Alias>),
    /// `from module import a as b`; no names means `*`.
    FromImport { module: Ident, names: Vec<Alias> },
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `pass`.
    Pass,
    /// A shell command: `%layout x`, `?name`, `!ls`, or a bare command word that cannot be Python.
    Shell(ShellCommand),
}

/// One `except` clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// The class or tuple of classes; none catches everything.
    pub class: Option<Expr>,
    /// `as name`.
    pub name: Option<Ident>,
    /// What runs.
    pub body: Block,
    /// Where the clause stands.
    pub span: Span,
}

/// One `case` of a `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What the subject must look like.
    pub pattern: Pattern,
    /// `if guard`.
    pub guard: Option<Expr>,
    /// What runs.
    pub body: Block,
}

/// A pattern and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// What it asks for.
    pub kind: PatternKind,
    /// Where.
    pub span: Span,
}

/// The patterns of a `case`.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// `1`, `'a'`, `a.b`: what is equal.
    Value(Expr),
    /// `None`, `True`, `False`: what is the same.
    Singleton(Expr),
    /// `name`, or `_` (none): anything.
    Capture(Option<Ident>),
    /// `pattern as name`.
    As(Box<Pattern>, Ident),
    /// `a | b`.
    Or(Vec<Pattern>),
    /// `[a, *b]`, `(a, b)` or `a, b`.
    Sequence(Vec<Pattern>),
    /// `*name`, or `*_` (none), inside a sequence.
    Star(Option<Ident>),
    /// `{key: pattern, **rest}`.
    Mapping { items: Vec<(Expr, Pattern)>, rest: Option<Ident> },
    /// `Class(pattern, name=pattern)`.
    Class { class: Expr, positional: Vec<Pattern>, keywords: Vec<(Ident, Pattern)> },
}

/// `a.b as c` in an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// The dotted name.
    pub name: Ident,
    /// The name after `as`.
    pub alias: Option<Ident>,
}

/// A line for the shell rather than the language. `%time f(x)` has the word `time` and the rest `f(x)`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShellCommand {
    /// The command's name: `layout`, `trace`, `help` (for `?name` and `name?`), `shell` (for `!cmd`).
    pub word: Ident,
    /// Everything after the name, trimmed.
    pub rest: String,
    /// Where the rest stands.
    pub rest_span: Span,
}

/// A function body with its parameters, shared by `def` and `lambda`.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Parameters in order.
    pub params: Params,
    /// The body; a lambda's is one `Return`.
    pub body: Block,
    /// A string that opens the body.
    pub doc: Option<Rc<str>>,
    /// The whole definition.
    pub span: Span,
}

/// What a `class` statement says behind the name.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassBody {
    /// The classes it builds on, and what else stands in the parentheses.
    pub bases: Vec<Arg>,
    /// The body.
    pub body: Block,
    /// A string that opens the body.
    pub doc: Option<Rc<str>>,
}

/// Parameters: `a, b=1, /, c, *args, d, e=2, **kwargs`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params {
    /// All named parameters in order: positional-only, ordinary, then keyword-only.
    pub names: Vec<Param>,
    /// How many of `names` are positional-only.
    pub positional_only: usize,
    /// Where in `names` the keyword-only ones begin (`names.len()` when there are none).
    pub keyword_only_from: usize,
    /// `*args`.
    pub star: Option<Ident>,
    /// `**kwargs`.
    pub double_star: Option<Ident>,
    /// `-> type`.
    pub returns: Option<Expr>,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub ident: Ident,
    /// The type that it is written with.
    pub annotation: Option<Expr>,
    /// Its default, evaluated when the function is defined.
    pub default: Option<Expr>,
}

/// An expression with its place (without enclosing parentheses).
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it says.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The expressions of the language.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `None`.
    None,
    /// `True`, `False`.
    Bool(bool),
    /// `...`.
    Ellipsis,
    /// An integer that fits 64 bits.
    Int(i64),
    /// A larger integer.
    BigInt(Rc<BigInt>),
    /// A float.
    Float(f64),
    /// `2j`: the imaginary part.
    Imaginary(f64),
    /// A string, adjacent literals joined, escapes done.
    Str(Rc<str>),
    /// `b'…'`.
    Bytes(Rc<[u8]>),
    /// An f-string.
    FString(Vec<FPart>),
    /// A name.
    Name(Name),
    /// `(a, *b)` or `a, b`.
    Tuple(Vec<Expr>),
    /// `[a, *b]`.
    List(Vec<Expr>),
    /// `{a, b}`.
    Set(Vec<Expr>),
    /// `{k: v, **d}`; no key means `**`.
    Dict(Vec<(Option<Expr>, Expr)>),
    /// `*a` in a call, a list, a tuple or an assignment target.
    Starred(Box<Expr>),
    /// `-a`, `+a`, `~a`, `not a`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b` and the like.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a and b`, short-circuiting.
    And(Box<Expr>, Box<Expr>),
    /// `a or b`, short-circuiting.
    Or(Box<Expr>, Box<Expr>),
    /// `a < b <= c`.
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    /// `body if test else orelse`.
    IfElse { test: Box<Expr>, body: Box<Expr>, orelse: Box<Expr> },
    /// `lambda params: body`.
    Lambda(Rc<Function>),
    /// `value.name`.
    Attr(Box<Expr>, Ident),
    /// `value[index]`; several indices are a `Tuple`, slices appear as `Slice`.
    Subscript(Box<Expr>, Box<Expr>),
    /// `a:b:c`, only inside a subscript.
    Slice { lower: Option<Box<Expr>>, upper: Option<Box<Expr>>, step: Option<Box<Expr>> },
    /// `callee(args)`.
    Call { callee: Box<Expr>, args: Vec<Arg> },
    /// A comprehension or generator expression.
    Comprehension(Box<Comprehension>),
    /// `name := value`.
    Walrus(Ident, Box<Expr>),
    /// `yield value`.
    Yield(Option<Box<Expr>>),
    /// `yield from iterable`.
    YieldFrom(Box<Expr>),
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// `value`.
    Positional(Expr),
    /// `name=value`.
    Keyword(Ident, Expr),
    /// `*value`.
    Star(Expr),
    /// `**value`.
    DoubleStar(Expr),
}

impl Arg {
    /// The expression whose value is handed over.
    pub fn value(&self) -> &Expr {
        match self {
            Arg::Positional(value) | Arg::Keyword(_, value) | Arg::Star(value) | Arg::DoubleStar(value) => value,
        }
    }
}

/// What a comprehension builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComprehensionKind {
    /// `[…]`.
    List,
    /// `{…}`.
    Set,
    /// `{k: v …}`.
    Dict,
    /// `(…)`.
    Generator,
}

/// `[element for target in iter if test …]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// What it builds.
    pub kind: ComprehensionKind,
    /// The element, or the key of a dict.
    pub element: Expr,
    /// The value of a dict.
    pub value: Option<Expr>,
    /// The clauses, outermost first.
    pub clauses: Vec<ForClause>,
}

/// `for target in iter if test if test`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForClause {
    /// What is assigned.
    pub target: Expr,
    /// What is iterated.
    pub iter: Expr,
    /// Conditions, in order.
    pub tests: Vec<Expr>,
}

/// A piece of an f-string.
#[derive(Clone, Debug, PartialEq)]
pub enum FPart {
    /// Plain text, braces undoubled.
    Text(Rc<str>),
    /// `{value!r:spec}`. With `=`, `debug` holds the text before the value, `=` included.
    Value { value: Expr, debug: Option<Rc<str>>, conversion: Option<char>, spec: Option<Vec<FPart>> },
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `+a`
    Pos,
    /// `~a`
    Invert,
    /// `not a`
    Not,
}

macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum $name { $($variant),* }

        impl $name {
            /// As written.
            pub fn symbol(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The operator written so.
            pub fn from_symbol(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

operators! {
    /// Infix operators with a value of their own.
    BinaryOp {
        Add "+", Sub "-", Mul "*", MatMul "@", Div "/", FloorDiv "//", Mod "%", Pow "**",
        LShift "<<", RShift ">>", BitAnd "&", BitOr "|", BitXor "^",
    }
}

operators! {
    /// Comparisons; `not in` and `is not` are written with one blank.
    CompareOp { Eq "==", Ne "!=", Lt "<", Le "<=", Gt ">", Ge ">=", In "in", NotIn "not in", Is "is", IsNot "is not" }
}

impl CompareOp {
    /// True for comparisons of values, such as `<`; false for `in`, `is` and their opposites.
    pub fn is_of_values(self) -> bool {
        !matches!(self, CompareOp::In | CompareOp::NotIn | CompareOp::Is | CompareOp::IsNot)
    }
}
