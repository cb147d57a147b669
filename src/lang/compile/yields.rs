//! A `yield` inside a larger expression: what is evaluated before it is put aside, so that each `yield` is all that a statement assigns.
//!
//! `f(a, (yield b))` becomes `x = f; y = a; z = yield b; x(y, z)`, with names that no program can write.

use super::survey::each_part;
use crate::diag::Span;
use crate::syntax::ast::*;

/// A function whose every `yield` is a statement of its own or all that is assigned; none where each is so already.
pub fn spread(function: &Function) -> Option<Function> {
    if !block_hides(&function.body) {
        return None;
    }
    let mut spreader = Spreader { names: 0 };
    Some(Function { body: spreader.block(&function.body), ..function.clone() })
}

/// True for an expression with a `yield` that stops the function around.
fn has(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Yield(_) | ExprKind::YieldFrom(_) => true,
        ExprKind::Comprehension(it) => it.clauses.first().is_some_and(|first| has(&first.iter)),
        ExprKind::Walrus(_, value) => has(value),
        _ => {
            let mut found = false;
            each_part(expr, &mut |part| found |= has(part));
            found
        }
    }
}

fn any<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> bool {
    exprs.into_iter().any(has)
}

/// True for a `yield` of a value without another one.
fn is_plain_yield(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Yield(value) => !value.as_deref().is_some_and(has),
        ExprKind::YieldFrom(value) => !has(value),
        _ => false,
    }
}

/// True for a block with a statement that has to be taken apart.
fn block_hides(block: &[Stmt]) -> bool {
    block.iter().any(hides)
}

fn hides(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Expr(value) => has(value) && !is_plain_yield(value),
        StmtKind::Assign { targets, value } => any(targets) || has(value) && !is_plain_yield(value),
        StmtKind::AnnAssign { target, value, .. } => has(target) || any(value),
        StmtKind::AugAssign { target, value, .. } => has(target) || has(value),
        StmtKind::Return(value) => any(value),
        StmtKind::Raise { exc, cause } => any(exc) || any(cause),
        StmtKind::Assert { test, message } => has(test) || any(message),
        StmtKind::Del(targets) => any(targets),
        StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => {
            has(test) || block_hides(body) || block_hides(orelse)
        }
        StmtKind::For { iter, body, orelse, .. } => has(iter) || block_hides(body) || block_hides(orelse),
        StmtKind::With { items, body } => items.iter().any(|(item, _)| has(item)) || block_hides(body),
        StmtKind::Try { body, handlers, orelse, finally } => {
            [body, orelse, finally].into_iter().any(|block| block_hides(block)) || handlers.iter().any(|h| block_hides(&h.body))
        }
        StmtKind::Match { subject, cases } => has(subject) || cases.iter().any(|case| block_hides(&case.body)),
        _ => false,
    }
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

fn name_of(name: &Name, span: Span) -> Expr {
    Expr { kind: ExprKind::Name(name.clone()), span }
}

fn negated(test: Expr) -> Expr {
    let span = test.span;
    Expr { kind: ExprKind::Unary(UnaryOp::Not, boxed(test)), span }
}

/// True for what gives the same whenever it is evaluated.
fn is_constant(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Ellipsis
            | ExprKind::Int(_)
            | ExprKind::BigInt(_)
            | ExprKind::Float(_)
            | ExprKind::Imaginary(_)
            | ExprKind::Str(_)
            | ExprKind::Bytes(_)
    )
}

struct Spreader {
    /// How many names were made.
    names: usize,
}

impl Spreader {
    fn name(&mut self) -> Name {
        self.names += 1;
        format!(".y{}", self.names).into()
    }

    fn block(&mut self, block: &[Stmt]) -> Block {
        let mut out = vec![];
        block.iter().for_each(|stmt| self.stmt(stmt, &mut out));
        out
    }

    /// A statement, with what has to be done before it.
    fn stmt(&mut self, stmt: &Stmt, out: &mut Block) {
        if !hides(stmt) {
            out.push(stmt.clone());
            return;
        }
        let span = stmt.span;
        let kind = match &stmt.kind {
            StmtKind::Expr(value) => match self.hoist(value, out) {
                Expr { kind: ExprKind::Name(name), .. } if name.starts_with('.') => return,
                value => StmtKind::Expr(value),
            },
            StmtKind::Assign { targets, value } => return self.assign(targets, value, span, out),
            StmtKind::AnnAssign { target, value: Some(value), .. } => {
                return self.assign(std::slice::from_ref(target), value, span, out);
            }
            StmtKind::AugAssign { target, op, value } => return self.augment(target, *op, value, span, out),
            StmtKind::Return(value) => StmtKind::Return(self.optional(value.as_ref(), out)),
            StmtKind::Raise { exc, cause } => {
                let exc = self.optional(exc.as_ref(), out);
                StmtKind::Raise { exc, cause: self.optional(cause.as_ref(), out) }
            }
            StmtKind::Assert { test, message } => self.assert(test, message.as_ref(), span, out),
            StmtKind::Del(targets) => StmtKind::Del(targets.iter().map(|target| self.target(target, out)).collect()),
            StmtKind::If { test, body, orelse } => {
                let test = self.hoist(test, out);
                StmtKind::If { test, body: self.block(body), orelse: self.block(orelse) }
            }
            StmtKind::While { test, body, orelse } => self.while_loop(test, body, orelse, span, out),
            StmtKind::For { target, iter, body, orelse } => {
                let iter = self.hoist(iter, out);
                StmtKind::For { target: target.clone(), iter, body: self.block(body), orelse: self.block(orelse) }
            }
            StmtKind::With { items, body } => match items.split_first() {
                Some(((item, target), rest)) => {
                    let item = self.hoist(item, out);
                    let body = match rest {
                        [] => self.block(body),
                        rest => {
                            let kind = StmtKind::With { items: rest.to_vec(), body: body.clone() };
                            self.block(&[Stmt { kind, span }])
                        }
                    };
                    StmtKind::With { items: vec![(item, target.clone())], body }
                }
                None => StmtKind::Pass,
            },
            StmtKind::Try { body, handlers, orelse, finally } => StmtKind::Try {
                body: self.block(body),
                handlers: handlers.iter().map(|h| Handler { body: self.block(&h.body), ..h.clone() }).collect(),
                orelse: self.block(orelse),
                finally: self.block(finally),
            },
            StmtKind::Match { subject, cases } => {
                let subject = self.hoist(subject, out);
                let cases = cases.iter().map(|case| Case { body: self.block(&case.body), ..case.clone() }).collect();
                StmtKind::Match { subject, cases }
            }
            other => other.clone(),
        };
        out.push(Stmt { kind, span });
    }

    /// Gives a new name a value.
    fn put(&mut self, value: Expr, out: &mut Block) -> Expr {
        let (name, span) = (self.name(), value.span);
        self.store(&name, value, out);
        name_of(&name, span)
    }

    fn store(&mut self, name: &Name, value: Expr, out: &mut Block) {
        let span = value.span;
        out.push(Stmt { kind: StmtKind::Assign { targets: vec![name_of(name, span)], value }, span });
    }

    fn optional(&mut self, expr: Option<&Expr>, out: &mut Block) -> Option<Expr> {
        expr.map(|expr| self.hoist(expr, out))
    }

    fn assign(&mut self, targets: &[Expr], value: &Expr, span: Span, out: &mut Block) {
        let value = match &value.kind {
            ExprKind::Yield(inner) if !any(targets) => {
                let inner = inner.as_deref().map(|inner| boxed(self.hoist(inner, out)));
                Expr { kind: ExprKind::Yield(inner), span: value.span }
            }
            ExprKind::YieldFrom(inner) if !any(targets) => {
                let inner = boxed(self.hoist(inner, out));
                Expr { kind: ExprKind::YieldFrom(inner), span: value.span }
            }
            _ => self.hoist(value, out),
        };
        if !any(targets) {
            out.push(Stmt { kind: StmtKind::Assign { targets: targets.to_vec(), value }, span });
            return;
        }
        let value = self.put(value, out);
        for target in targets {
            let target = self.target(target, out);
            out.push(Stmt { kind: StmtKind::Assign { targets: vec![target], value: value.clone() }, span });
        }
    }

    /// What is assigned to, its parts put aside.
    fn target(&mut self, target: &Expr, out: &mut Block) -> Expr {
        let span = target.span;
        match &target.kind {
            _ if !has(target) => target.clone(),
            ExprKind::Tuple(items) => {
                let items = items.iter().map(|item| self.target(item, out)).collect();
                Expr { kind: ExprKind::Tuple(items), span }
            }
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.target(item, out)).collect();
                Expr { kind: ExprKind::List(items), span }
            }
            ExprKind::Starred(inner) => Expr { kind: ExprKind::Starred(boxed(self.target(inner, out))), span },
            _ => self.hoist(target, out),
        }
    }

    fn augment(&mut self, target: &Expr, op: BinaryOp, value: &Expr, span: Span, out: &mut Block) {
        // The parts of the target, its value, the operand, and then the assignment.
        let target = match &target.kind {
            ExprKind::Attr(object, name) => {
                let object = self.hoist(object, out);
                let object = self.put(object, out);
                Expr { kind: ExprKind::Attr(boxed(object), name.clone()), span: target.span }
            }
            ExprKind::Subscript(object, index) => {
                let parts = self.operands(&[object, index], out);
                let [object, index] = <[Expr; 2]>::try_from(parts).unwrap_or_else(|_| [(**object).clone(), (**index).clone()]);
                let (object, index) = (self.put(object, out), self.put(index, out));
                Expr { kind: ExprKind::Subscript(boxed(object), boxed(index)), span: target.span }
            }
            _ => target.clone(),
        };
        let before = self.put(target.clone(), out);
        let value = self.hoist(value, out);
        out.push(Stmt { kind: StmtKind::AugAssign { target: before.clone(), op, value }, span });
        out.push(Stmt { kind: StmtKind::Assign { targets: vec![target], value: before }, span });
    }

    fn assert(&mut self, test: &Expr, message: Option<&Expr>, span: Span, out: &mut Block) -> StmtKind {
        let test = self.hoist(test, out);
        let Some(message) = message.filter(|message| has(message)) else {
            return StmtKind::Assert { test, message: message.cloned() };
        };
        let mut body = vec![];
        let message = self.hoist(message, &mut body);
        let never = Expr { kind: ExprKind::Bool(false), span: test.span };
        body.push(Stmt { kind: StmtKind::Assert { test: never, message: Some(message) }, span });
        StmtKind::If { test: negated(test), body, orelse: vec![] }
    }

    /// `while test` with a `yield` in the test: the test is asked in the loop, which ends when its answer is no.
    fn while_loop(&mut self, test: &Expr, body: &[Stmt], orelse: &[Stmt], span: Span, out: &mut Block) -> StmtKind {
        if !has(test) {
            return StmtKind::While { test: test.clone(), body: self.block(body), orelse: self.block(orelse) };
        }
        let holds = self.name();
        self.store(&holds, Expr { kind: ExprKind::Bool(true), span: test.span }, out);
        let mut within = vec![];
        let answer = self.hoist(test, &mut within);
        self.store(&holds, negated(negated(answer)), &mut within);
        let kind = StmtKind::If { test: name_of(&holds, test.span), body: self.block(body), orelse: vec![] };
        within.push(Stmt { kind, span });
        StmtKind::While { test: name_of(&holds, test.span), body: within, orelse: self.block(orelse) }
    }

    /// Expressions that are evaluated one after the other: those before the last `yield` are put aside.
    fn operands(&mut self, exprs: &[&Expr], out: &mut Block) -> Vec<Expr> {
        let last = exprs.iter().rposition(|expr| has(expr));
        let Some(last) = last else { return exprs.iter().map(|expr| (*expr).clone()).collect() };
        exprs.iter().enumerate().map(|(place, expr)| self.operand(expr, place, last, out)).collect()
    }

    fn operand(&mut self, expr: &Expr, place: usize, last: usize, out: &mut Block) -> Expr {
        if place > last || is_constant(expr) {
            return expr.clone();
        }
        if let ExprKind::Starred(inner) = &expr.kind {
            let inner = self.operand(inner, place, last, out);
            return Expr { kind: ExprKind::Starred(boxed(inner)), span: expr.span };
        }
        if let (ExprKind::Slice { .. }, false) = (&expr.kind, has(expr)) {
            return expr.clone();
        }
        let value = self.hoist(expr, out);
        match &value.kind {
            ExprKind::Name(name) if name.starts_with('.') => value,
            _ if place == last => value,
            _ => self.put(value, out),
        }
    }

    /// An expression without a `yield` that gives the same, after what is put in front of it.
    fn hoist(&mut self, expr: &Expr, out: &mut Block) -> Expr {
        if !has(expr) {
            return expr.clone();
        }
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Yield(inner) => {
                let inner = inner.as_deref().map(|inner| boxed(self.hoist(inner, out)));
                return self.put(Expr { kind: ExprKind::Yield(inner), span }, out);
            }
            ExprKind::YieldFrom(inner) => {
                let inner = boxed(self.hoist(inner, out));
                return self.put(Expr { kind: ExprKind::YieldFrom(inner), span }, out);
            }
            ExprKind::And(left, right) if has(right) => return self.either(left, right, false, out),
            ExprKind::Or(left, right) if has(right) => return self.either(left, right, true, out),
            ExprKind::And(left, right) => ExprKind::And(boxed(self.hoist(left, out)), right.clone()),
            ExprKind::Or(left, right) => ExprKind::Or(boxed(self.hoist(left, out)), right.clone()),
            ExprKind::IfElse { test, body, orelse } => return self.choice(test, body, orelse, span, out),
            ExprKind::Compare(first, links) if links.len() > 1 => return self.chain(first, links, span, out),
            ExprKind::Walrus(name, value) => ExprKind::Walrus(name.clone(), boxed(self.hoist(value, out))),
            ExprKind::FString(parts) => ExprKind::FString(self.pieces(parts, out)),
            ExprKind::Comprehension(it) => {
                let mut it = it.clone();
                if let Some(first) = it.clauses.first_mut() {
                    first.iter = self.hoist(&first.iter, out);
                }
                ExprKind::Comprehension(it)
            }
            _ => return self.with_operands(expr, out),
        };
        Expr { kind, span }
    }

    /// An expression whose parts are evaluated one after the other.
    fn with_operands(&mut self, expr: &Expr, out: &mut Block) -> Expr {
        let mut parts: Vec<&Expr> = vec![];
        collect(expr, &mut parts);
        let parts = self.operands(&parts, out);
        let mut whole = expr.clone();
        replace(&mut whole, &mut parts.into_iter());
        whole
    }

    /// `left and right`, `left or right`.
    fn either(&mut self, left: &Expr, right: &Expr, decides: bool, out: &mut Block) -> Expr {
        let name = self.name();
        let left = self.hoist(left, out);
        let span = left.span;
        self.store(&name, left, out);
        let mut body = vec![];
        let right = self.hoist(right, &mut body);
        self.store(&name, right, &mut body);
        let test = name_of(&name, span);
        let test = if decides { negated(test) } else { test };
        out.push(Stmt { kind: StmtKind::If { test, body, orelse: vec![] }, span });
        name_of(&name, span)
    }

    /// `body if test else orelse`.
    fn choice(&mut self, test: &Expr, body: &Expr, orelse: &Expr, span: Span, out: &mut Block) -> Expr {
        let test = self.hoist(test, out);
        let name = self.name();
        let [body, orelse] = [body, orelse].map(|branch| {
            let mut block = vec![];
            let value = self.hoist(branch, &mut block);
            self.store(&name, value, &mut block);
            block
        });
        out.push(Stmt { kind: StmtKind::If { test, body, orelse }, span });
        name_of(&name, span)
    }

    /// `a < b < c`: no operand is evaluated behind the first comparison that fails.
    fn chain(&mut self, first: &Expr, links: &[(CompareOp, Expr)], span: Span, out: &mut Block) -> Expr {
        let left = self.hoist(first, out);
        let left = self.put(left, out);
        let name = self.name();
        self.links(&name, left, links, span, out);
        name_of(&name, span)
    }

    fn links(&mut self, name: &Name, left: Expr, links: &[(CompareOp, Expr)], span: Span, out: &mut Block) {
        let Some(((op, right), rest)) = links.split_first() else { return };
        let right = self.hoist(right, out);
        let right = self.put(right, out);
        let compared = ExprKind::Compare(boxed(left), vec![(*op, right.clone())]);
        self.store(name, Expr { kind: compared, span }, out);
        if !rest.is_empty() {
            let mut body = vec![];
            self.links(name, right, rest, span, &mut body);
            out.push(Stmt { kind: StmtKind::If { test: name_of(name, span), body, orelse: vec![] }, span });
        }
    }

    /// The parts of an f-string, all values put aside.
    fn pieces(&mut self, parts: &[FPart], out: &mut Block) -> Vec<FPart> {
        let piece = |part: &FPart| match part {
            FPart::Value { value, debug, conversion, spec } => {
                let value = self.hoist(value, out);
                let value = self.put(value, out);
                let spec = spec.as_ref().map(|spec| self.pieces(spec, out));
                FPart::Value { value, debug: debug.clone(), conversion: *conversion, spec }
            }
            text => text.clone(),
        };
        parts.iter().map(piece).collect()
    }
}

/// The parts of an expression in the order in which they are evaluated.
fn collect<'a>(expr: &'a Expr, parts: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => parts.extend(items),
        ExprKind::Dict(items) => items.iter().for_each(|(key, value)| {
            parts.extend(key);
            parts.push(value);
        }),
        ExprKind::Starred(a) | ExprKind::Unary(_, a) | ExprKind::Attr(a, _) => parts.push(a),
        ExprKind::Binary(_, a, b) | ExprKind::Subscript(a, b) => parts.extend([&**a, &**b]),
        ExprKind::Compare(first, links) => {
            parts.push(first);
            parts.extend(links.iter().map(|(_, right)| right));
        }
        ExprKind::Slice { lower, upper, step } => parts.extend([lower, upper, step].into_iter().flatten().map(|part| &**part)),
        ExprKind::Call { callee, args } => {
            parts.push(callee);
            parts.extend(args.iter().map(Arg::value));
        }
        _ => {}
    }
}

/// Puts other parts in the place of those that [`collect`] gives.
fn replace(expr: &mut Expr, parts: &mut dyn Iterator<Item = Expr>) {
    let mut put = |place: &mut Expr| {
        if let Some(part) = parts.next() {
            *place = part;
        }
    };
    match &mut expr.kind {
        ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => items.iter_mut().for_each(put),
        ExprKind::Dict(items) => items.iter_mut().for_each(|(key, value)| {
            key.iter_mut().for_each(&mut put);
            put(value);
        }),
        ExprKind::Starred(a) | ExprKind::Unary(_, a) | ExprKind::Attr(a, _) => put(a),
        ExprKind::Binary(_, a, b) | ExprKind::Subscript(a, b) => {
            put(a);
            put(b);
        }
        ExprKind::Compare(first, links) => {
            put(first);
            links.iter_mut().for_each(|(_, right)| put(right));
        }
        ExprKind::Slice { lower, upper, step } => {
            [lower, upper, step].into_iter().flatten().for_each(|part| put(part));
        }
        ExprKind::Call { callee, args } => {
            put(callee);
            args.iter_mut().for_each(|arg| match arg {
                Arg::Positional(value) | Arg::Keyword(_, value) | Arg::Star(value) | Arg::DoubleStar(value) => put(value),
            });
        }
        _ => {}
    }
}
