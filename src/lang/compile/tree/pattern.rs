//! `match` statements and their patterns, resolved.

use super::{Block, Name, Node, Target};
use crate::diag::Span;
use crate::value::Value;

/// A `match` statement.
pub struct Match {
    /// What is looked at.
    pub subject: Node,
    /// The cases, in order.
    pub cases: Box<[Case]>,
}

/// A `case`.
pub struct Case {
    /// What the subject must look like.
    pub pattern: Pattern,
    /// What must hold besides.
    pub guard: Option<Node>,
    /// What runs.
    pub body: Block,
}

/// A pattern.
pub enum Pattern {
    /// Anything.
    Any,
    /// What is equal.
    Value(Node),
    /// What is the same.
    Singleton(Value),
    /// What the pattern takes, to be bound.
    Bind(Box<Pattern>, Target),
    /// What any of several take.
    Or(Box<[Pattern]>),
    /// Items.
    Sequence(Box<SequencePattern>),
    /// Entries.
    Mapping(Box<MappingPattern>),
    /// An instance.
    Class(Box<ClassPattern>),
}

/// `[a, *b, c]`.
pub struct SequencePattern {
    /// Before the star, or all.
    pub before: Box<[Pattern]>,
    /// The star, and where the items it takes are put.
    pub star: Option<Option<Target>>,
    /// After it.
    pub after: Box<[Pattern]>,
}

/// `{key: pattern, **rest}`.
pub struct MappingPattern {
    /// Keys, with what their values must look like.
    pub items: Box<[(Node, Pattern)]>,
    /// Where the other entries are put.
    pub rest: Option<Target>,
}

/// `Class(pattern, name=pattern)`.
pub struct ClassPattern {
    /// The class.
    pub class: Node,
    /// By place.
    pub positional: Box<[Pattern]>,
    /// By name.
    pub keywords: Box<[(Name, Pattern)]>,
    /// Where the whole stands.
    pub span: Span,
}
