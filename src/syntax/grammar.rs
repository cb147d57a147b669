//! The grammar at work: text to pairs, and the precedence of operators. Only this file and the lowering know pest.

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};
use pest_derive::Parser;
use std::sync::LazyLock;

#[derive(Parser)]
#[grammar = "../grammar/tsr.pest"]
struct Grammar;

/// A node of the concrete syntax.
pub(super) type Node<'i> = Pair<'i, Rule>;

/// Why the grammar gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// No token that may stand there begins at this byte.
    At(usize),
    /// The stack is nearly used up.
    TooDeep,
}

/// Parses one logical line.
pub(super) fn line(text: &str) -> Result<Node<'_>, Stop> {
    run(Rule::line, text)
}

/// Parses the logical line of a `case`.
pub(super) fn case(text: &str) -> Result<Node<'_>, Stop> {
    run(Rule::case, text)
}

/// Parses one list of expressions.
pub(super) fn expression(text: &str) -> Result<Node<'_>, Stop> {
    run(Rule::expression, text)
}

fn run(rule: Rule, text: &str) -> Result<Node<'_>, Stop> {
    match Grammar::parse(rule, text) {
        Ok(mut nodes) => nodes.next().ok_or(Stop::At(0)),
        Err(error) => match (error.variant, error.location) {
            (ErrorVariant::CustomError { .. }, _) => Err(Stop::TooDeep),
            (_, InputLocation::Pos(at) | InputLocation::Span((at, _))) => Err(Stop::At(at)),
        },
    }
}

/// Precedence of arithmetic, loosest first.
pub(super) static ARITHMETIC: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::bit_or))
        .op(left(Rule::bit_xor))
        .op(left(Rule::bit_and))
        .op(left(Rule::shift))
        .op(left(Rule::sum))
        .op(left(Rule::product))
        .op(Op::prefix(Rule::sign))
        .op(Op::infix(Rule::power, Assoc::Right))
});

/// Precedence of `or`, `and`, `not`, loosest first.
pub(super) static LOGIC: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::kw_or, Assoc::Left))
        .op(Op::infix(Rule::kw_and, Assoc::Left))
        .op(Op::prefix(Rule::kw_not))
});

/// Words that a rule carries along without meaning for the tree.
const SILENT: &[Rule] = &[
    Rule::EOI,
    Rule::colon,
    Rule::comma,
    Rule::kw_as,
    Rule::kw_assert,
    Rule::kw_case,
    Rule::kw_class,
    Rule::kw_def,
    Rule::kw_del,
    Rule::kw_elif,
    Rule::kw_else,
    Rule::kw_except,
    Rule::kw_finally,
    Rule::kw_for,
    Rule::kw_from,
    Rule::kw_global,
    Rule::kw_if,
    Rule::kw_import,
    Rule::kw_in,
    Rule::kw_lambda,
    Rule::kw_match,
    Rule::kw_nonlocal,
    Rule::kw_raise,
    Rule::kw_return,
    Rule::kw_try,
    Rule::kw_while,
    Rule::kw_with,
    Rule::kw_yield,
];

/// True when a comma stands directly inside a node.
pub(super) fn has_comma(node: &Node) -> bool {
    node.clone().into_inner().any(|n| n.as_rule() == Rule::comma)
}

/// The nodes inside one, keywords and commas left out.
pub(super) fn inside<'i>(node: &Node<'i>) -> impl Iterator<Item = Node<'i>> + use<'i> {
    node.clone().into_inner().filter(|n| !SILENT.contains(&n.as_rule()))
}
