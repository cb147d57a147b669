//! The resolved tree: what the evaluator walks.
//!
//! Names are places (a slot, a cell, a global slot), constants are values, and the shapes that loops are made of (a local
//! and a constant, a comparison of two leaves) have nodes of their own. Nothing here is text but what messages need.

mod pattern;

use crate::diag::{Source, Span};
use crate::lang::eval::site::{AttrSite, CallSite};
use crate::syntax::ast::{BinaryOp, CompareOp, ComprehensionKind, Name, ShellCommand, UnaryOp};
use crate::value::Value;
use std::rc::Rc;
use std::sync::Arc;

pub use pattern::*;

/// An expression and where it stands.
pub struct Node {
    /// What to do.
    pub op: Op,
    /// Where.
    pub span: Span,
}

/// The slot of a variable that lives outside functions, and of the built-in it hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalRef {
    /// Place in the table of globals.
    pub slot: u32,
    /// Place in the table of built-ins, or [`GlobalRef::NO_BUILTIN`].
    pub builtin: u32,
}

impl GlobalRef {
    /// No built-in has this name.
    pub const NO_BUILTIN: u32 = u32::MAX;
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A slot of the running frame.
    Local(u32),
    /// A cell that the running frame owns, because an inner function borrows it.
    Cell(u32),
    /// A cell borrowed from an outer function.
    Free(u32),
    /// The module.
    Global(GlobalRef),
}

/// What an expression does.
pub enum Op {
    /// A constant.
    Const(Value),
    /// A variable in a slot.
    Local(u32),
    /// A variable elsewhere.
    Load(Place),
    /// A name in the body of a class: its own member, or, before that has a value, the module's variable.
    Member(u32, GlobalRef),
    /// An expression of local variables and constants only: tried on plain numbers first. None is inside another.
    Quick(Box<Node>),
    /// An expression whose operations on large tensors may run as one. None is inside another.
    Fused(Box<Node>),
    /// `local op 3`, the operand being an int.
    LocalInt(Box<LocalInt>),
    /// `3 op local`.
    IntLocal(Box<LocalInt>),
    /// `left op right`.
    Binary(Box<Binary>),
    /// `local < 3`.
    CompareInt(Box<CompareInt>),
    /// `left < right`.
    Compare(Box<Compare>),
    /// `a < b < c`.
    Chain(Box<Chain>),
    /// `-a`.
    Unary(UnaryOp, Box<Node>),
    /// `not a`.
    Not(Box<Node>),
    /// `a and b`.
    And(Box<(Node, Node)>),
    /// `a or b`.
    Or(Box<(Node, Node)>),
    /// `body if test else orelse`.
    IfElse(Box<IfElse>),
    /// `value.name`.
    Attr(Box<Attr>),
    /// `value[index]`.
    Subscript(Box<(Node, Node)>),
    /// `a:b:c`.
    Slice(Box<[Option<Node>; 3]>),
    /// `callee(…)`.
    Call(Box<Call>),
    /// `value.name(…)`.
    Method(Box<Method>),
    /// `(a, b)`.
    Tuple(Box<[Node]>),
    /// `[a, b]`.
    List(Box<[Node]>),
    /// `{a, b}`.
    Set(Box<[Node]>),
    /// `*a` inside a display.
    Starred(Box<Node>),
    /// `{k: v, **d}`.
    Dict(Box<[(Option<Node>, Node)]>),
    /// `lambda`.
    Lambda(Box<MakeFunction>),
    /// A list, set or dict comprehension.
    Comprehension(Box<Comprehension>),
    /// A generator expression.
    Generator(Box<MakeGenerator>),
    /// An f-string.
    Format(Box<[Piece]>),
    /// `target := value`.
    Walrus(Box<(Target, Node)>),
}

impl Op {
    /// What makes an object anew, and slices: never a plain number.
    pub fn is_display(&self) -> bool {
        use Op::{Comprehension, Dict, Format, Generator, Lambda, List, Set, Slice, Starred, Tuple, Walrus};
        matches!(
            self,
            Tuple(_)
                | List(_)
                | Set(_)
                | Dict(_)
                | Slice(_)
                | Lambda(_)
                | Comprehension(_)
                | Generator(_)
                | Format(_)
                | Starred(_)
                | Walrus(_)
        )
    }
}

/// A local variable and an int constant.
pub struct LocalInt {
    /// The variable's slot.
    pub slot: u32,
    /// The operator.
    pub op: BinaryOp,
    /// The constant.
    pub int: i64,
    /// The operands as nodes, for values that are not ints: left, right.
    pub nodes: (Node, Node),
}

/// A comparison of a local variable with an int constant.
pub struct CompareInt {
    /// The variable's slot.
    pub slot: u32,
    /// The constant.
    pub int: i64,
    /// The whole, for values that are not ints.
    pub whole: Compare,
}

/// An infix operation.
pub struct Binary {
    /// The operator.
    pub op: BinaryOp,
    /// Left operand.
    pub left: Node,
    /// Right operand.
    pub right: Node,
}

/// A single comparison.
pub struct Compare {
    /// The operator.
    pub op: CompareOp,
    /// Left operand.
    pub left: Node,
    /// Right operand.
    pub right: Node,
}

/// A chain of comparisons.
pub struct Chain {
    /// The first operand.
    pub first: Node,
    /// Operators with the operand after each.
    pub links: Box<[(CompareOp, Node)]>,
}

/// A conditional expression.
pub struct IfElse {
    /// What decides.
    pub test: Node,
    /// The value when true.
    pub body: Node,
    /// The value when false.
    pub orelse: Node,
}

/// An attribute access.
pub struct Attr {
    /// The object.
    pub object: Node,
    /// The attribute.
    pub name: Name,
    /// Where the name stands.
    pub name_span: Span,
    /// What was found here before.
    pub site: AttrSite,
}

/// A call.
pub struct Call {
    /// What is called.
    pub callee: Node,
    /// With what.
    pub args: Args,
    /// What was found here before.
    pub site: CallSite,
    /// True for `locals`, `eval` and the like inside a function: they look at the variables around the call.
    pub sees_locals: bool,
}

/// A call of an attribute.
pub struct Method {
    /// The object.
    pub object: Node,
    /// The attribute.
    pub name: Name,
    /// Where the name stands.
    pub name_span: Span,
    /// With what.
    pub args: Args,
    /// What was found here before.
    pub site: AttrSite,
}

/// The arguments of a call.
pub enum Args {
    /// Only positional ones.
    Plain(Box<[Node]>),
    /// Any.
    Mixed(Box<[Arg]>),
}

/// One argument of a mixed call.
pub enum Arg {
    /// `value`.
    Positional(Node),
    /// `name=value`.
    Keyword(Name, Node),
    /// `*value`.
    Star(Node),
    /// `**value`.
    DoubleStar(Node),
}

/// A function to be made when the definition runs.
pub struct MakeFunction {
    /// The compiled body.
    pub code: Rc<Code>,
    /// Defaults by parameter, evaluated at the definition.
    pub defaults: Box<[(u32, Node)]>,
    /// The types that parameters and the result are written with.
    pub annotations: Box<[(Name, Node)]>,
}

/// A generator to be made; the outermost iterable is evaluated at once.
pub struct MakeGenerator {
    /// The frame it runs in.
    pub code: Rc<Code>,
    /// The outermost iterable.
    pub first: Node,
}

/// A comprehension that runs in the frame it stands in.
pub struct Comprehension {
    /// What it builds.
    pub kind: ComprehensionKind,
    /// Element, or key of a dict.
    pub element: Node,
    /// Value of a dict.
    pub value: Option<Node>,
    /// Clauses, outermost first.
    pub clauses: Box<[Clause]>,
    /// Cells to make anew, so that each run has its own.
    pub fresh_cells: Box<[u32]>,
    /// Slots to empty afterwards.
    pub slots: std::ops::Range<u32>,
}

/// `for target in iter if …`.
pub struct Clause {
    /// What is assigned.
    pub target: Target,
    /// What is iterated.
    pub iter: Node,
    /// Conditions.
    pub tests: Box<[Node]>,
}

/// A piece of an f-string.
pub enum Piece {
    /// Plain text.
    Text(Rc<str>),
    /// A value.
    Value {
        /// The value.
        value: Node,
        /// `r`, `s` or `a`.
        conversion: Option<char>,
        /// The format spec, itself formatted first.
        spec: Option<Box<[Piece]>>,
    },
}

/// What can be assigned to.
pub enum Target {
    /// A variable in a slot.
    Local(u32),
    /// A variable elsewhere.
    Place(Place),
    /// `object.name`.
    Attr(Box<AttrTarget>),
    /// `object[index]`, with the place of the whole.
    Subscript(Box<(Node, Node, Span)>),
    /// `a, *b, c`.
    Unpack(Box<Unpack>),
}

/// An attribute as a target.
pub struct AttrTarget {
    /// The object.
    pub object: Node,
    /// The attribute.
    pub name: Name,
    /// Where the whole stands.
    pub span: Span,
    /// What was found here before.
    pub site: AttrSite,
}

/// A tuple or list as a target.
pub struct Unpack {
    /// Targets before the starred one, or all.
    pub before: Box<[Target]>,
    /// The starred one.
    pub star: Option<Target>,
    /// Targets after it.
    pub after: Box<[Target]>,
    /// Where the whole stands.
    pub span: Span,
}

/// A statement and where it stands.
pub struct Stmt {
    /// What to do.
    pub kind: Kind,
    /// True where a `yield` is in it: it is walked so that it can be left and entered again.
    pub sleeps: bool,
    /// Where.
    pub span: Span,
}

/// A sequence of statements.
pub type Block = Box<[Stmt]>;

/// Targets and as many values.
pub type Each = (Box<[Target]>, Box<[Node]>);

/// What a statement does.
pub enum Kind {
    /// Evaluates and drops.
    Expr(Node),
    /// Evaluates and shows, as the prompt does.
    Echo(Node),
    /// `local = value`.
    SetLocal(u32, Node),
    /// `a = b = value`.
    Assign(Box<(Node, Box<[Target]>)>),
    /// `a, b = x, y`: as many targets as values, none starred.
    AssignEach(Box<Each>),
    /// `local op= value`.
    AugmentLocal(Box<(u32, BinaryOp, Node)>),
    /// `target op= value`.
    Augment(Box<Augment>),
    /// `if`, with the `elif`s nested.
    If(Box<(Node, Block, Block)>),
    /// `while`: test, body, else.
    While(Box<(Node, Block, Block)>),
    /// `for`.
    For(Box<For>),
    /// `with item as target: body`; several items are nested.
    With(Box<With>),
    /// `try`.
    Try(Box<Try>),
    /// `match`.
    Match(Box<Match>),
    /// `def`, with decorators, outermost first.
    Def(Box<Def>),
    /// `class`, with decorators, outermost first.
    Class(Box<MakeClass>),
    /// `return value`.
    Return(Node),
    /// `yield value`.
    Yield(Box<Yield>),
    /// `raise exc from cause`.
    Raise(Box<(Option<Node>, Option<Node>)>),
    /// `assert test, message`.
    Assert(Box<(Node, Option<Node>)>),
    /// `del target`.
    Del(Box<[Target]>),
    /// `import`.
    Import(Box<[Import]>),
    /// `from module import names`.
    FromImport(Box<FromImport>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `pass`.
    Pass,
    /// A shell command.
    Shell(Box<ShellCommand>),
}

/// A `yield`, which is a statement of its own or all that is assigned.
pub struct Yield {
    /// What is given.
    pub value: Node,
    /// `yield from`: all that the value gives.
    pub from: bool,
    /// What gets the value that is sent.
    pub targets: Box<[Target]>,
}

/// An augmented assignment.
pub struct Augment {
    /// The variable, attribute or element.
    pub target: Target,
    /// The target as an expression, when it is a variable.
    pub load: Option<Node>,
    /// The operator.
    pub op: BinaryOp,
    /// The operand.
    pub value: Node,
    /// Where the target stands.
    pub target_span: Span,
}

/// A `for` loop.
pub struct For {
    /// What is assigned.
    pub target: Target,
    /// What is iterated.
    pub iter: Node,
    /// The body.
    pub body: Block,
    /// Runs when the loop was not left by `break`.
    pub orelse: Block,
}

/// A `with` statement of one item.
pub struct With {
    /// The context manager.
    pub item: Node,
    /// `as target`.
    pub target: Option<Target>,
    /// The body.
    pub body: Block,
}

/// A `try` statement.
pub struct Try {
    /// What may raise.
    pub body: Block,
    /// The `except` clauses.
    pub handlers: Box<[Handler]>,
    /// Runs when nothing was raised.
    pub orelse: Block,
    /// Runs always.
    pub finally: Option<Block>,
}

/// An `except` clause.
pub struct Handler {
    /// The class or classes; none catches everything.
    pub class: Option<Node>,
    /// `as name`; unbound again afterwards.
    pub name: Option<Target>,
    /// What runs.
    pub body: Block,
}

/// A function definition.
pub struct Def {
    /// The function.
    pub function: MakeFunction,
    /// Where it is put.
    pub target: Target,
    /// Decorators, outermost first.
    pub decorators: Box<[Node]>,
}

/// A class definition.
pub struct MakeClass {
    /// The body, which has the class's name. What is in its slots at its end are the class's members.
    pub code: Rc<Code>,
    /// The classes it builds on.
    pub bases: Args,
    /// The names in the body that are written with a type.
    pub annotated: Box<[(Name, Node)]>,
    /// Where it is put.
    pub target: Target,
    /// Decorators, outermost first.
    pub decorators: Box<[Node]>,
}

/// One `a.b as c`.
pub struct Import {
    /// The dotted name.
    pub module: Name,
    /// Where it stands.
    pub span: Span,
    /// True when there is `as`: the innermost module is bound, else the outermost.
    pub innermost: bool,
    /// Where it is put.
    pub target: Target,
}

/// `from module import …`.
pub struct FromImport {
    /// The dotted name.
    pub module: Name,
    /// Where it stands.
    pub span: Span,
    /// What is taken, with its place; none: everything.
    pub names: Option<Box<[(Name, Span, Target)]>>,
}

/// A compiled body: a function, a lambda, a generator, or a module's statement.
pub struct Code {
    /// The function's name, `<lambda>`, `<genexpr>`, `<module>`.
    pub name: Name,
    /// The name with those of the functions around it: `outer.<locals>.inner`.
    pub qualname: Name,
    /// The text it came from.
    pub source: Arc<Source>,
    /// The parameters.
    pub params: Params,
    /// How many slots a frame needs, parameters first.
    pub slots: u32,
    /// The variables in the slots.
    pub slot_names: Box<[Name]>,
    /// The variables in the cells it owns.
    pub cell_names: Box<[Name]>,
    /// Parameters that live in cells: slot, cell.
    pub cell_params: Box<[(u32, u32)]>,
    /// The cells it borrows: where its maker has them.
    pub captures: Box<[Place]>,
    /// The variables in the borrowed cells.
    pub free_names: Box<[Name]>,
    /// What runs.
    pub body: Body,
    /// A string that opens the body.
    pub doc: Option<Rc<str>>,
}

/// What a frame runs.
pub enum Body {
    /// Statements.
    Block(Block),
    /// Statements with a `yield` among them: a call makes a generator.
    Steps(Block),
    /// An expression: a lambda, or a function that only returns one.
    Value(Node),
    /// The clauses of a generator expression; the first one's iterable is in slot 0.
    Generator(Node, Box<[Clause]>),
}

/// Parameters, resolved: parameter `i` lives in slot `i`, then `*args`, then `**kwargs`.
#[derive(Default)]
pub struct Params {
    /// Positional-only, ordinary, keyword-only.
    pub names: Box<[Name]>,
    /// How many are positional-only.
    pub positional_only: usize,
    /// Where the keyword-only ones begin.
    pub keyword_only_from: usize,
    /// There is `*args`.
    pub star: bool,
    /// There is `**kwargs`.
    pub double_star: bool,
    /// With this many positional arguments nothing is left to bind; none when there are stars or keyword-only parameters.
    pub exact: Option<u32>,
}
