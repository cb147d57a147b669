//! Statements.

use super::survey::first_part;
use super::tree::*;
use super::{Compiler, Mode, Result};
use crate::diag::Span;
use crate::syntax::ast::{self, Alias, Expr, ExprKind, Ident, StmtKind};

impl Compiler<'_> {
    /// A sequence of statements.
    pub fn block(&mut self, block: &[ast::Stmt]) -> Result<Block> {
        let mut stmts = Vec::with_capacity(block.len());
        for stmt in block {
            let before = self.yields;
            if let Some(kind) = self.stmt(stmt)? {
                stmts.push(Stmt { kind, sleeps: self.yields > before, span: stmt.span });
            }
        }
        Ok(stmts.into())
    }

    /// A statement; none when it only declares.
    fn stmt(&mut self, stmt: &ast::Stmt) -> Result<Option<Kind>> {
        Ok(Some(match &stmt.kind {
            StmtKind::Expr(Expr { kind: ExprKind::Yield(_) | ExprKind::YieldFrom(_), .. }) => self.yielded(&[], &stmt.kind)?,
            StmtKind::Assign { targets, value: Expr { kind: ExprKind::Yield(_) | ExprKind::YieldFrom(_), .. } } => {
                self.yielded(targets, &stmt.kind)?
            }
            StmtKind::Expr(e) if self.mode == Mode::Prompt && self.scopes.at_module() => Kind::Echo(self.expr(e)?),
            StmtKind::Expr(e) => Kind::Expr(self.expr(e)?),
            StmtKind::Assign { targets, value } => self.assign(targets, value)?,
            StmtKind::AnnAssign { target, value: Some(value), .. } => self.assign(std::slice::from_ref(target), value)?,
            StmtKind::AnnAssign { value: None, .. } => return Ok(None),
            StmtKind::AugAssign { target, op, value } => self.augment(target, *op, value)?,
            StmtKind::Def { name, function, decorators } => {
                let decorators = self.exprs(decorators)?;
                let function = self.function(&name.name, function)?;
                Kind::Def(Box::new(Def { function, target: self.name_target(&name.name), decorators }))
            }
            StmtKind::Class { name, class, decorators } => self.class(name, class, decorators)?,
            StmtKind::Return(value) => self.returns(value.as_ref(), stmt.span)?,
            StmtKind::Raise { exc, cause } => {
                Kind::Raise(Box::new((self.optional(exc.as_ref())?, self.optional(cause.as_ref())?)))
            }
            StmtKind::Assert { test, message } => Kind::Assert(Box::new((self.expr(test)?, self.optional(message.as_ref())?))),
            StmtKind::Del(targets) => Kind::Del(self.targets(targets)?),
            StmtKind::Global(_) => return Ok(None),
            StmtKind::Nonlocal(_) if self.scopes.at_module() => {
                return self.syntax_error(stmt.span, "nonlocal declaration not allowed at module level");
            }
            StmtKind::Nonlocal(_) => return Ok(None),
            StmtKind::Import(names) => Kind::Import(names.iter().map(|a| self.import(a)).collect()),
            StmtKind::FromImport { module, names } => self.import_from(module, names, stmt.span)?,
            StmtKind::Break if self.loops == 0 => return self.syntax_error(stmt.span, "'break' outside loop"),
            StmtKind::Continue if self.loops == 0 => return self.syntax_error(stmt.span, "'continue' not properly in loop"),
            StmtKind::Break => Kind::Break,
            StmtKind::Continue => Kind::Continue,
            StmtKind::Pass => Kind::Pass,
            StmtKind::Shell(command) => Kind::Shell(Box::new(command.clone())),
            compound => self.compound(compound)?,
        }))
    }

    /// A `yield` and what gets its value.
    fn yielded(&mut self, targets: &[Expr], stmt: &StmtKind) -> Result<Kind> {
        let (StmtKind::Expr(value) | StmtKind::Assign { value, .. }) = stmt else { return Ok(Kind::Pass) };
        let (value, from) = match &value.kind {
            ExprKind::Yield(Some(inner)) => (self.expr(inner)?, false),
            ExprKind::YieldFrom(inner) => (self.expr(inner)?, true),
            _ => (Node::none(value.span), false),
        };
        self.yields += 1;
        Ok(Kind::Yield(Box::new(Yield { value, from, targets: self.targets(targets)? })))
    }

    /// Statements with blocks of their own.
    fn compound(&mut self, kind: &StmtKind) -> Result<Kind> {
        Ok(match kind {
            StmtKind::If { test, body, orelse } => Kind::If(Box::new((self.expr(test)?, self.block(body)?, self.block(orelse)?))),
            StmtKind::While { test, body, orelse } => {
                Kind::While(Box::new((self.expr(test)?, self.loop_body(body)?, self.block(orelse)?)))
            }
            StmtKind::For { target, iter, body, orelse } => {
                let (iter, target) = (self.expr(iter)?, self.target(target)?);
                Kind::For(Box::new(For { target, iter, body: self.loop_body(body)?, orelse: self.block(orelse)? }))
            }
            StmtKind::With { items, body } => self.with(items, body)?,
            StmtKind::Try { body, handlers, orelse, finally } => {
                let body = self.block(body)?;
                let handlers = handlers.iter().map(|h| self.handler(h)).collect::<Result<_>>()?;
                let orelse = self.block(orelse)?;
                let finally = if finally.is_empty() { None } else { Some(self.block(finally)?) };
                Kind::Try(Box::new(Try { body, handlers, orelse, finally }))
            }
            StmtKind::Match { subject, cases } => {
                let subject = self.expr(subject)?;
                let cases = cases.iter().map(|case| self.case(case)).collect::<Result<_>>()?;
                Kind::Match(Box::new(Match { subject, cases }))
            }
            _ => Kind::Pass,
        })
    }

    fn case(&mut self, case: &ast::Case) -> Result<Case> {
        Ok(Case {
            pattern: self.pattern(&case.pattern)?,
            guard: self.optional(case.guard.as_ref())?,
            body: self.block(&case.body)?,
        })
    }

    fn loop_body(&mut self, body: &[ast::Stmt]) -> Result<Block> {
        self.loops += 1;
        let block = self.block(body);
        self.loops -= 1;
        block
    }

    fn assign(&mut self, targets: &[Expr], value: &Expr) -> Result<Kind> {
        let value = self.expr(value)?;
        let mut targets = self.targets(targets)?.into_vec();
        Ok(match (targets.pop(), targets.is_empty()) {
            (Some(Target::Local(slot)), true) => Kind::SetLocal(slot, value),
            (Some(target), true) => assign_one(target, value),
            (last, _) => {
                targets.extend(last);
                Kind::Assign(Box::new((value, targets.into())))
            }
        })
    }

    fn augment(&mut self, target: &Expr, op: ast::BinaryOp, value: &Expr) -> Result<Kind> {
        let (resolved, value) = (self.target(target)?, self.expr(value)?);
        let load = match &target.kind {
            ExprKind::Name(name) => Some(Node { op: self.load(name), span: target.span }),
            _ => None,
        };
        Ok(match resolved {
            Target::Local(slot) => Kind::AugmentLocal(Box::new((slot, op, value))),
            resolved => Kind::Augment(Box::new(Augment { target: resolved, load, op, value, target_span: target.span })),
        })
    }

    fn returns(&mut self, value: Option<&Expr>, span: Span) -> Result<Kind> {
        if self.scopes.at_module() {
            return self.syntax_error(span, "'return' outside function");
        }
        Ok(Kind::Return(match value {
            Some(value) => self.expr(value)?,
            None => Node::none(span),
        }))
    }

    /// `with a, b:` is `with a: with b:`.
    fn with(&mut self, items: &[(Expr, Option<Expr>)], body: &[ast::Stmt]) -> Result<Kind> {
        let Some(((item, target), rest)) = items.split_first() else {
            return Ok(Kind::Pass);
        };
        let item = self.expr(item)?;
        let target = target.as_ref().map(|t| self.target(t)).transpose()?;
        let body = if rest.is_empty() {
            self.block(body)?
        } else {
            let (span, before) = (rest[0].0.span, self.yields);
            let kind = self.with(rest, body)?;
            Box::new([Stmt { kind, sleeps: self.yields > before, span }])
        };
        Ok(Kind::With(Box::new(With { item, target, body })))
    }

    fn handler(&mut self, handler: &ast::Handler) -> Result<Handler> {
        Ok(Handler {
            class: self.optional(handler.class.as_ref())?,
            name: handler.name.as_ref().map(|n| self.name_target(&n.name)),
            body: self.block(&handler.body)?,
        })
    }

    fn import(&mut self, alias: &Alias) -> Import {
        let name = &alias.name;
        let target = match &alias.alias {
            Some(bound) => self.name_target(&bound.name),
            None => self.name_target(&first_part(&name.name)),
        };
        Import { module: name.name.clone(), span: name.span, innermost: alias.alias.is_some(), target }
    }

    fn import_from(&mut self, module: &Ident, names: &[Alias], span: Span) -> Result<Kind> {
        if names.is_empty() && !self.scopes.at_module() {
            return self.syntax_error(span, "import * only allowed at module level");
        }
        let taken = names.iter().map(|a| {
            let bound = a.alias.as_ref().unwrap_or(&a.name);
            (a.name.name.clone(), a.name.span, self.name_target(&bound.name))
        });
        let taken: Box<[_]> = taken.collect();
        let names = (!names.is_empty()).then_some(taken);
        Ok(Kind::FromImport(Box::new(FromImport { module: module.name.clone(), span: module.span, names })))
    }
}

/// `target = value`; for `a, b = x, y`, as many plain targets as values, no tuple need be made.
fn assign_one(target: Target, value: Node) -> Kind {
    match (target, value) {
        (Target::Unpack(it), Node { op: Op::Tuple(items), .. }) if pairs_up(&it, &items) => {
            Kind::AssignEach(Box::new((it.before, items)))
        }
        (target, value) => Kind::Assign(Box::new((value, [target].into()))),
    }
}

fn pairs_up(targets: &Unpack, items: &[Node]) -> bool {
    targets.star.is_none() && targets.before.len() == items.len() && !items.iter().any(|item| matches!(item.op, Op::Starred(_)))
}
