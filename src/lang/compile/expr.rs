//! Expressions.

use super::survey::{self, is_parent_call};
use super::tree::*;
use super::{Compiler, MAX_DEPTH, Result, constant, fuse, quick};
use crate::diag::{Diagnostic, ErrorClass, Span};
use crate::lang::eval::site::{AttrSite, CallSite};
use crate::syntax::ast::{self, BinaryOp, CompareOp, Expr, ExprKind, FPart, Name, UnaryOp};
use crate::value::Value;
use num_complex::Complex64;
use std::rc::Rc;

/// Built-in functions that look at the variables around the call.
const LOOKERS: &[&str] = &["locals", "vars", "dir", "eval", "exec"];

impl Compiler<'_> {
    /// An expression. Fails with a `RecursionError` when it is nested too deep.
    pub fn expr(&mut self, expr: &Expr) -> Result<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let text = "maximum recursion depth exceeded during compilation";
            return Err(Diagnostic::new(ErrorClass::RecursionError, text).at(&self.source, expr.span, ""));
        }
        let op = self.op(expr);
        self.depth -= 1;
        Ok(fuse::wrap(quick::wrap(Node { op: op?, span: expr.span })))
    }

    fn op(&mut self, expr: &Expr) -> Result<Op> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => self.load(name),
            ExprKind::FString(parts) => Op::Format(self.pieces(parts)?),
            ExprKind::Tuple(items) => tuple(self.exprs(items)?),
            ExprKind::List(items) => Op::List(self.exprs(items)?),
            ExprKind::Set(items) => Op::Set(self.exprs(items)?),
            ExprKind::Dict(items) => {
                let entries = items.iter().map(|(k, v)| Ok((self.optional(k.as_ref())?, self.expr(v)?)));
                Op::Dict(entries.collect::<Result<_>>()?)
            }
            ExprKind::Starred(inner) => Op::Starred(self.boxed(inner)?),
            ExprKind::Unary(op, operand) => unary(*op, self.boxed(operand)?),
            ExprKind::Binary(op, left, right) => binary(*op, self.expr(left)?, self.expr(right)?),
            ExprKind::And(left, right) => Op::And(Box::new((self.expr(left)?, self.expr(right)?))),
            ExprKind::Or(left, right) => Op::Or(Box::new((self.expr(left)?, self.expr(right)?))),
            ExprKind::Compare(first, links) => self.compare(first, links)?,
            ExprKind::IfElse { test, body, orelse } => {
                let (test, body, orelse) = (self.expr(test)?, self.expr(body)?, self.expr(orelse)?);
                Op::IfElse(Box::new(IfElse { test, body, orelse }))
            }
            ExprKind::Lambda(function) => Op::Lambda(Box::new(self.function(&"<lambda>".into(), function)?)),
            ExprKind::Attr(object, name) => Op::Attr(Box::new(Attr {
                object: self.expr(object)?,
                name: self.member(&name.name),
                name_span: name.span,
                site: AttrSite::default(),
            })),
            ExprKind::Subscript(object, index) => Op::Subscript(Box::new((self.expr(object)?, self.expr(index)?))),
            ExprKind::Slice { lower, upper, step } => Op::Slice(Box::new([
                self.optional(lower.as_deref())?,
                self.optional(upper.as_deref())?,
                self.optional(step.as_deref())?,
            ])),
            ExprKind::Call { callee, args } => self.call(callee, args)?,
            ExprKind::Comprehension(it) => self.comprehension(it)?,
            ExprKind::Walrus(name, value) => {
                let value = self.expr(value)?;
                Op::Walrus(Box::new((self.walrus_target(name)?, value)))
            }
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) => {
                let text = "tsr takes 'yield' as a statement of its own, or as all that is assigned";
                return Err(Diagnostic::new(ErrorClass::SyntaxError, text)
                    .at(&self.source, expr.span, "")
                    .help("give it a line: got = yield value"));
            }
            literal => Op::Const(literal_value(literal)),
        })
    }

    fn boxed(&mut self, expr: &Expr) -> Result<Box<Node>> {
        Ok(Box::new(self.expr(expr)?))
    }

    /// An expression that may be left out.
    pub fn optional(&mut self, expr: Option<&Expr>) -> Result<Option<Node>> {
        expr.map(|e| self.expr(e)).transpose()
    }

    /// Several expressions.
    pub fn exprs(&mut self, exprs: &[Expr]) -> Result<Box<[Node]>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    /// Reading a name.
    pub fn load(&mut self, name: &Name) -> Op {
        match self.scopes.resolve(name) {
            Place::Local(slot) if self.scopes.in_class() => Op::Member(slot, self.scopes.global(name)),
            Place::Local(slot) => Op::Local(slot),
            place => Op::Load(place),
        }
    }

    fn compare(&mut self, first: &Expr, links: &[(ast::CompareOp, Expr)]) -> Result<Op> {
        let left = self.expr(first)?;
        if let [(op, right)] = links {
            return Ok(comparison(*op, left, self.expr(right)?));
        }
        let links = links.iter().map(|(op, e)| Ok((*op, self.expr(e)?))).collect::<Result<_>>()?;
        Ok(Op::Chain(Box::new(Chain { first: left, links })))
    }

    fn call(&mut self, callee: &Expr, args: &[ast::Arg]) -> Result<Op> {
        if let ExprKind::Attr(object, name) = &callee.kind {
            return Ok(Op::Method(Box::new(Method {
                object: self.expr(object)?,
                name: self.member(&name.name),
                name_span: name.span,
                args: self.args(args)?,
                site: AttrSite::default(),
            })));
        }
        let args = if is_parent_call(callee, args) { self.parent_args() } else { self.args(args)? };
        let sees_locals = !self.scopes.at_module() && matches!(&callee.kind, ExprKind::Name(n) if LOOKERS.contains(&&**n));
        Ok(Op::Call(Box::new(Call { callee: self.expr(callee)?, args, site: CallSite::default(), sees_locals })))
    }

    /// What `super()` means: the class around, and the first argument of the function. Nothing outside a class.
    fn parent_args(&mut self) -> Args {
        let class = self.load(&survey::CLASS.into());
        let first = self.scopes.frame().first_parameter();
        match (class, first) {
            (Op::Load(Place::Global(_)), _) | (_, None) => Args::Plain(Box::default()),
            (class, Some(first)) => {
                let this = self.load(&first);
                Args::Plain([class, this].into_iter().map(|op| Node { op, span: Span::default() }).collect())
            }
        }
    }

    /// The arguments of a call.
    pub fn args(&mut self, args: &[ast::Arg]) -> Result<Args> {
        if args.iter().all(|a| matches!(a, ast::Arg::Positional(_))) {
            let plain = args.iter().filter_map(|a| if let ast::Arg::Positional(e) = a { Some(self.expr(e)) } else { None });
            return Ok(Args::Plain(plain.collect::<Result<_>>()?));
        }
        let mixed = args.iter().map(|a| {
            Ok(match a {
                ast::Arg::Positional(e) => Arg::Positional(self.expr(e)?),
                ast::Arg::Keyword(name, e) => Arg::Keyword(name.name.clone(), self.expr(e)?),
                ast::Arg::Star(e) => Arg::Star(self.expr(e)?),
                ast::Arg::DoubleStar(e) => Arg::DoubleStar(self.expr(e)?),
            })
        });
        Ok(Args::Mixed(mixed.collect::<Result<_>>()?))
    }

    fn pieces(&mut self, parts: &[FPart]) -> Result<Box<[Piece]>> {
        let mut pieces = vec![];
        for part in parts {
            match part {
                FPart::Text(text) => pieces.push(Piece::Text(text.clone())),
                FPart::Value { value, debug, conversion, spec } => {
                    pieces.extend(debug.iter().map(|text| Piece::Text(text.clone())));
                    let plain_debug = debug.is_some() && spec.is_none();
                    pieces.push(Piece::Value {
                        value: self.expr(value)?,
                        conversion: conversion.or(plain_debug.then_some('r')),
                        spec: spec.as_ref().map(|s| self.pieces(s)).transpose()?,
                    });
                }
            }
        }
        Ok(pieces.into())
    }
}

fn literal_value(kind: &ExprKind) -> Value {
    match kind {
        ExprKind::Bool(b) => Value::Bool(*b),
        ExprKind::Ellipsis => Value::Ellipsis,
        ExprKind::Int(i) => Value::Int(*i),
        ExprKind::BigInt(b) => Value::BigInt(b.clone()),
        ExprKind::Float(f) => Value::Float(*f),
        ExprKind::Imaginary(im) => Value::from(Complex64::new(0.0, *im)),
        ExprKind::Str(s) => Value::from(&**s),
        ExprKind::Bytes(b) => Value::Bytes(Rc::new(b.to_vec())),
        _ => Value::None,
    }
}

/// A tuple of constants is a constant.
fn tuple(items: Box<[Node]>) -> Op {
    let constants: Option<Vec<Value>> =
        items.iter().map(|n| if let Op::Const(value) = &n.op { Some(value.clone()) } else { None }).collect();
    match constants {
        Some(values) => Op::Const(Value::tuple(values)),
        None => Op::Tuple(items),
    }
}

fn unary(op: UnaryOp, operand: Box<Node>) -> Op {
    match (op, &operand.op) {
        (UnaryOp::Not, _) => Op::Not(operand),
        (UnaryOp::Neg, Op::Const(Value::Int(i))) if *i != i64::MIN => Op::Const(Value::Int(-i)),
        (UnaryOp::Neg, Op::Const(Value::Float(f))) => Op::Const(Value::Float(-f)),
        _ => Op::Unary(op, operand),
    }
}

/// An infix operation; one of a local variable and an int has a node of its own.
fn binary(op: BinaryOp, left: Node, right: Node) -> Op {
    match (&left.op, &right.op) {
        (Op::Local(slot), Op::Const(Value::Int(int))) => {
            Op::LocalInt(Box::new(LocalInt { slot: *slot, op, int: *int, nodes: (left, right) }))
        }
        (Op::Const(Value::Int(int)), Op::Local(slot)) => {
            Op::IntLocal(Box::new(LocalInt { slot: *slot, op, int: *int, nodes: (left, right) }))
        }
        _ => Op::Binary(Box::new(Binary { op, left, right })),
    }
}

/// A comparison; one of a local variable with an int has a node of its own.
fn comparison(op: CompareOp, left: Node, right: Node) -> Op {
    let leaves = match (&left.op, &right.op) {
        (Op::Local(slot), Op::Const(Value::Int(int))) => Some((*slot, *int)),
        _ => None,
    };
    let whole = Compare { op, left, right };
    match leaves {
        Some((slot, int)) => Op::CompareInt(Box::new(CompareInt { slot, int, whole })),
        None => Op::Compare(Box::new(whole)),
    }
}

impl Node {
    /// `None`, where nothing was written.
    pub fn none(span: Span) -> Node {
        constant(Value::None, span)
    }
}
