//! Expressions from conditional down to primary.

use super::{Lower, Placed, is};
use crate::diag::Span;
use crate::syntax::ast::{BinaryOp, CompareOp, Expr, ExprKind, Function, Params, Stmt, StmtKind, UnaryOp};
use crate::syntax::grammar::{ARITHMETIC, LOGIC, Node, Rule, has_comma, inside};
use crate::syntax::refusal::{Parsed, Refusal};
use std::rc::Rc;

/// Levels of the grammar that are only there for precedence.
const LEVELS: &[Rule] = &[Rule::expr, Rule::logic, Rule::comparison, Rule::arith, Rule::primary];

/// The sentence for a `*a` that stands alone.
pub(super) const LONE_STAR: &str = "can't use starred expression here";

impl Lower {
    /// Any single expression.
    pub(super) fn expr(&self, node: &Node) -> Parsed<Expr> {
        let node = &narrowest(node.clone());
        match node.as_rule() {
            Rule::expr => self.conditional(node),
            Rule::logic => self.logic(node),
            Rule::comparison => self.comparison(node),
            Rule::arith => self.arithmetic(node),
            Rule::primary => self.primary(node),
            Rule::starred => self.starred(node),
            Rule::walrus => self.walrus(node),
            _ => self.atom(node),
        }
    }

    fn placed(&self, node: &Node) -> Parsed<Placed> {
        Ok(Placed { expr: self.expr(node)?, outer: self.span(node) })
    }

    /// A list of expressions: one, or a tuple when there is a comma. A lone `*a` is refused.
    pub(super) fn exprs(&self, node: &Node) -> Parsed<Expr> {
        let expr = self.stars(node)?;
        match expr.kind {
            ExprKind::Starred(_) => Err(Refusal::new(expr.span, LONE_STAR)),
            _ => Ok(expr),
        }
    }

    /// A list of expressions where a lone `*a` may stand.
    pub(super) fn stars(&self, node: &Node) -> Parsed<Expr> {
        let mut items = inside(node).map(|item| self.expr(&item)).collect::<Parsed<Vec<_>>>()?;
        if items.len() == 1 && !has_comma(node) {
            return items.pop().ok_or_else(|| Refusal::new(self.span(node), "invalid syntax"));
        }
        Ok(Expr { kind: ExprKind::Tuple(items), span: self.span(node) })
    }

    pub(super) fn starred(&self, node: &Node) -> Parsed<Expr> {
        let value = self.child(&mut inside(node), self.span(node))?;
        Ok(Expr { kind: ExprKind::Starred(Box::new(self.expr(&value)?)), span: self.span(node) })
    }

    fn walrus(&self, node: &Node) -> Parsed<Expr> {
        let span = self.span(node);
        let mut inner = inside(node);
        let name = self.ident(&self.child(&mut inner, span)?);
        let value = self.expr(&self.child(&mut inner, span)?)?;
        Ok(Expr { kind: ExprKind::Walrus(name, Box::new(value)), span })
    }

    /// `body if test else …`, and lambdas: right-nested, but written flat in the grammar, so built from the end.
    fn conditional(&self, node: &Node) -> Parsed<Expr> {
        let parts: Vec<Node> = inside(node).collect();
        let end = self.span(node);
        self.deeper(parts.len(), end, || {
            let mut built = Vec::with_capacity(parts.len());
            for part in &parts {
                built.push(if part.as_rule() == Rule::lambda_head {
                    Piece::Lambda(self.span(part), self.lambda_params(part)?)
                } else {
                    Piece::Value(self.placed(part)?)
                });
            }
            self.assemble(built, end)
        })
    }

    /// Pieces are `λ* body (test λ* body)*`.
    fn assemble(&self, mut pieces: Vec<Piece>, end: Span) -> Parsed<Expr> {
        let broken = || Refusal::new(end, "invalid syntax");
        let Some(Piece::Value(last)) = pieces.pop() else { return Err(broken()) };
        let mut result = last.expr;
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Lambda(head, params) => result = lambda(head.to(end), params, result),
                Piece::Value(test) => {
                    let Some(Piece::Value(body)) = pieces.pop() else { return Err(broken()) };
                    let span = body.outer.to(end);
                    let (test, body, orelse) = (Box::new(test.expr), Box::new(body.expr), Box::new(result));
                    result = Expr { kind: ExprKind::IfElse { test, body, orelse }, span };
                }
            }
        }
        Ok(result)
    }

    fn logic(&self, node: &Node) -> Parsed<Expr> {
        let parts: Vec<Node> = inside(node).collect();
        self.deeper(chain_depth(&parts, LOGIC_RANKS), self.span(node), || {
            LOGIC
                .map_primary(|part| self.placed(&part))
                .map_prefix(|op, operand| Ok(prefix(self.span(&op), UnaryOp::Not, operand?)))
                .map_infix(|left, op, right| {
                    let make = if op.as_rule() == Rule::kw_and { ExprKind::And } else { ExprKind::Or };
                    Ok(infix(left?, right?, make))
                })
                .parse(parts.into_iter())
        })
        .map(|placed| placed.expr)
    }

    fn comparison(&self, node: &Node) -> Parsed<Expr> {
        let span = self.span(node);
        let mut inner = inside(node);
        let first = self.expr(&self.child(&mut inner, span)?)?;
        let mut rest = Vec::new();
        while let (Some(op), Some(right)) = (inner.next(), inner.next()) {
            rest.push((self.compare_op(&op)?, self.expr(&right)?));
        }
        Ok(Expr { kind: ExprKind::Compare(Box::new(first), rest), span })
    }

    fn compare_op(&self, op: &Node) -> Parsed<CompareOp> {
        let words: Vec<&str> = op.as_str().split_whitespace().collect();
        CompareOp::from_symbol(&words.join(" ")).ok_or_else(|| Refusal::new(self.span(op), "invalid syntax"))
    }

    fn arithmetic(&self, node: &Node) -> Parsed<Expr> {
        let parts: Vec<Node> = inside(node).collect();
        self.deeper(chain_depth(&parts, ARITHMETIC_RANKS), self.span(node), || {
            ARITHMETIC
                .map_primary(|part| self.placed(&part))
                .map_prefix(|op, operand| {
                    let sign = match op.as_str() {
                        "-" => UnaryOp::Neg,
                        "+" => UnaryOp::Pos,
                        _ => UnaryOp::Invert,
                    };
                    Ok(prefix(self.span(&op), sign, operand?))
                })
                .map_infix(|left, op, right| {
                    let symbol = BinaryOp::from_symbol(op.as_str());
                    let symbol = symbol.ok_or_else(|| Refusal::new(self.span(&op), "invalid syntax"))?;
                    Ok(infix(left?, right?, |l, r| ExprKind::Binary(symbol, l, r)))
                })
                .parse(parts.into_iter())
        })
        .map(|placed| placed.expr)
    }

    /// An atom with calls, subscripts and attributes behind it.
    fn primary(&self, node: &Node) -> Parsed<Expr> {
        let parts: Vec<Node> = inside(node).collect();
        let whole = self.span(node);
        self.deeper(parts.len().saturating_sub(1), whole, || {
            let mut parts = parts.iter();
            let first = parts.next().ok_or_else(|| Refusal::new(whole, "invalid syntax"))?;
            let mut value = self.expr(first)?;
            for part in parts {
                let span = whole_until(whole, self.span(part));
                let kind = match part.as_rule() {
                    Rule::call => ExprKind::Call { callee: Box::new(value), args: self.arguments(part)? },
                    Rule::subscript => ExprKind::Subscript(Box::new(value), Box::new(self.index(part)?)),
                    _ => {
                        let name = self.child(&mut inside(part), span)?;
                        ExprKind::Attr(Box::new(value), self.ident(&name))
                    }
                };
                value = Expr { kind, span };
            }
            Ok(value)
        })
    }

    /// What stands between the brackets of a subscript.
    fn index(&self, node: &Node) -> Parsed<Expr> {
        let parts: Vec<Node> = inside(node).collect();
        let mut items = Vec::with_capacity(parts.len());
        for part in &parts {
            items.push(if part.as_rule() == Rule::slice { self.slice(part)? } else { self.expr(part)? });
        }
        if parts.len() == 1 && !has_comma(node) && !parts.iter().any(|p| is(p, &[Rule::starred])) {
            return items.pop().ok_or_else(|| Refusal::new(self.span(node), "invalid syntax"));
        }
        let span = parts.iter().map(|p| self.span(p)).reduce(Span::to).unwrap_or(self.span(node));
        Ok(Expr { kind: ExprKind::Tuple(items), span })
    }

    /// A slice, or a plain index when there is no colon.
    fn slice(&self, node: &Node) -> Parsed<Expr> {
        let mut lower = None;
        let (mut upper, mut step) = (None, None);
        for part in inside(node) {
            if part.as_rule() != Rule::slice_tail {
                lower = Some(part);
                continue;
            }
            if let Some(walrus) = lower.as_ref().filter(|l| is(l, &[Rule::walrus])) {
                return Err(Refusal::new(self.span(&part), "invalid syntax")
                    .help(format!("Put parentheses around the assignment: ({}).", walrus.as_str().trim_end())));
            }
            for bound in inside(&part) {
                let value = self.expr(&self.child(&mut inside(&bound), self.span(&bound))?)?;
                *(if bound.as_rule() == Rule::upper { &mut upper } else { &mut step }) = Some(Box::new(value));
            }
            let lower = lower.map(|l| self.expr(&l).map(Box::new)).transpose()?;
            return Ok(Expr { kind: ExprKind::Slice { lower, upper, step }, span: self.span(node) });
        }
        let only = lower.ok_or_else(|| Refusal::new(self.span(node), "invalid syntax"))?;
        self.expr(&only)
    }
}

/// The operators of a level of the grammar, loosest first; a prefix operator last but for what binds tighter.
const LOGIC_RANKS: &[Rule] = &[Rule::kw_or, Rule::kw_and, Rule::kw_not];
const ARITHMETIC_RANKS: &[Rule] =
    &[Rule::bit_or, Rule::bit_xor, Rule::bit_and, Rule::shift, Rule::sum, Rule::product, Rule::sign, Rule::power];

/// No less than the depth of the tree that a flat run of operands and operators will become: a path down the tree passes
/// each rank at most as often as its operators follow one another without a looser one between.
fn chain_depth(parts: &[Node], ranks: &[Rule]) -> usize {
    let mut run = vec![0; ranks.len()];
    let mut longest = run.clone();
    for part in parts {
        let Some(rank) = ranks.iter().position(|r| *r == part.as_rule()) else { continue };
        run[rank] += 1;
        longest[rank] = longest[rank].max(run[rank]);
        // A sign may follow a power and belong to it, so it ends no run.
        if part.as_rule() != Rule::sign {
            run.iter_mut().skip(rank + 1).for_each(|r| *r = 0);
        }
    }
    longest.iter().sum()
}

/// A part of a conditional expression.
enum Piece {
    Lambda(Span, Params),
    Value(Placed),
}

/// Follows the levels that hold nothing but the next one.
fn narrowest(mut node: Node) -> Node {
    while is(&node, LEVELS) {
        let mut inner = inside(&node);
        let (Some(only), None) = (inner.next(), inner.next()) else { return node };
        node = only;
    }
    node
}

fn lambda(span: Span, params: Params, value: Expr) -> Expr {
    let body = vec![Stmt { span: value.span, kind: StmtKind::Return(Some(value)) }];
    Expr { kind: ExprKind::Lambda(Rc::new(Function { params, body, doc: None, span })), span }
}

fn prefix(sign: Span, op: UnaryOp, operand: Placed) -> Placed {
    let outer = sign.to(operand.outer);
    Placed { expr: Expr { kind: ExprKind::Unary(op, Box::new(operand.expr)), span: outer }, outer }
}

fn infix(left: Placed, right: Placed, make: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind) -> Placed {
    let outer = left.outer.to(right.outer);
    Placed { expr: Expr { kind: make(Box::new(left.expr), Box::new(right.expr)), span: outer }, outer }
}

/// From the start of one span to the end of another.
fn whole_until(whole: Span, part: Span) -> Span {
    Span { start: whole.start, end: part.end }
}
