//! Which scope each name belongs to, as far as a wrong `global`, `nonlocal` or `:=` must be refused.

use super::{future, parts};
use crate::diag::Span;
use crate::syntax::ast::{
    Alias, Arg, Block, Comprehension, Expr, ExprKind, ForClause, Function, Handler, Ident, Name, Params, Pattern, PatternKind,
    Stmt, StmtKind,
};
use crate::syntax::lower;
use crate::syntax::refusal::{Parsed, Refusal};
use std::collections::HashMap;

/// How a scope has met a name.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    read: bool,
    assigned: bool,
    imported: bool,
    parameter: bool,
    annotated: bool,
    global: bool,
    nonlocal: bool,
    /// Runs through the items of a comprehension.
    iterates: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    Module,
    Function,
    Class,
    Comprehension,
}

#[derive(Debug)]
struct Scope {
    kind: ScopeKind,
    parent: Option<usize>,
    names: HashMap<Name, Uses>,
}

/// The scopes of a text as they are walked.
struct Walk {
    /// The first is the module; there is always that one.
    scopes: Vec<Scope>,
    current: usize,
    /// Names declared nonlocal, to be found once all scopes are known: scope, name, place.
    sought: Vec<(usize, Name, Span)>,
    /// What the innermost comprehension is called.
    around: &'static str,
    /// How many iterables of comprehensions are around.
    iterables: usize,
    /// Where imports from the future must have stood.
    prologue_end: u32,
}

/// Checks the statements of a whole text.
pub(super) fn check_block(block: &Block) -> Parsed<()> {
    let mut walk = Walk::new(future::prologue_end(block));
    walk.block(block)?;
    walk.find_nonlocals()
}

/// Checks an expression on its own.
pub(super) fn check_expression(expr: &Expr) -> Parsed<()> {
    Walk::new(0).expr(expr)
}

impl Walk {
    fn new(prologue_end: u32) -> Walk {
        let module = Scope { kind: ScopeKind::Module, parent: None, names: HashMap::new() };
        Walk { scopes: vec![module], current: 0, sought: vec![], around: "", iterables: 0, prologue_end }
    }

    /// A scope by its index; the module for one there is not.
    fn scope(&mut self, index: usize) -> &mut Scope {
        let known = if index < self.scopes.len() { index } else { 0 };
        &mut self.scopes[known]
    }

    /// What is known of a name in the current scope.
    fn uses(&mut self, name: &Name) -> &mut Uses {
        self.scope(self.current).names.entry(name.clone()).or_default()
    }

    fn enter<T>(&mut self, kind: ScopeKind, work: impl FnOnce(&mut Walk) -> Parsed<T>) -> Parsed<T> {
        let outer = self.current;
        self.scopes.push(Scope { kind, parent: Some(outer), names: HashMap::new() });
        self.current = self.scopes.len() - 1;
        let result = work(self);
        self.current = outer;
        result
    }

    fn kind(&self) -> ScopeKind {
        self.scopes.get(self.current).map_or(ScopeKind::Module, |s| s.kind)
    }

    // ---- Statements ------------------------------------------------------------------------------------------------

    fn block(&mut self, block: &Block) -> Parsed<()> {
        let mut block = block;
        loop {
            // A chain of elif nests deeply in the last statement's else, so that one is followed without recursion.
            let Some((last, rest)) = block.split_last() else { return Ok(()) };
            rest.iter().try_for_each(|s| self.statement(s))?;
            match &last.kind {
                StmtKind::If { test, body, orelse } => {
                    self.expr(test)?;
                    self.block(body)?;
                    block = orelse;
                }
                _ => return self.statement(last),
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt) -> Parsed<()> {
        match &stmt.kind {
            StmtKind::Expr(value) => self.expr(value),
            StmtKind::Assign { targets, value } => {
                targets.iter().try_for_each(|t| self.target(t))?;
                self.expr(value)
            }
            StmtKind::AnnAssign { target, value, .. } => {
                self.annotated(target, stmt.span)?;
                value.iter().try_for_each(|v| self.expr(v))
            }
            StmtKind::AugAssign { target, value, .. } => {
                self.target(target)?;
                self.expr(value)
            }
            StmtKind::Return(value) => value.iter().try_for_each(|v| self.expr(v)),
            StmtKind::Raise { exc, cause } => exc.iter().chain(cause).try_for_each(|v| self.expr(v)),
            StmtKind::Assert { test, message } => {
                self.expr(test)?;
                message.iter().try_for_each(|m| self.expr(m))
            }
            StmtKind::Del(targets) => targets.iter().try_for_each(|t| self.deleted(t)),
            StmtKind::Global(names) => names.iter().try_for_each(|n| self.global(n, stmt.span)),
            StmtKind::Nonlocal(names) => names.iter().try_for_each(|n| self.nonlocal(n, stmt.span)),
            StmtKind::Import(names) => names.iter().try_for_each(|n| self.import(n)),
            StmtKind::FromImport { names, module } if &*module.name == "__future__" => {
                names.iter().try_for_each(|n| self.import(n))?;
                future::check(names, stmt.span, self.prologue_end)
            }
            StmtKind::FromImport { names, .. } if names.is_empty() && self.kind() != ScopeKind::Module => {
                Err(Refusal::new(stmt.span, "import * only allowed at module level"))
            }
            StmtKind::FromImport { names, .. } => names.iter().try_for_each(|n| self.import(n)),
            StmtKind::Break | StmtKind::Continue | StmtKind::Pass | StmtKind::Shell(_) => Ok(()),
            _ => self.compound(stmt),
        }
    }

    fn compound(&mut self, stmt: &Stmt) -> Parsed<()> {
        match &stmt.kind {
            StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => {
                self.expr(test)?;
                self.block(body)?;
                self.block(orelse)
            }
            StmtKind::For { target, iter, body, orelse } => {
                self.target(target)?;
                self.expr(iter)?;
                self.block(body)?;
                self.block(orelse)
            }
            StmtKind::With { items, body } => {
                for (value, target) in items {
                    self.expr(value)?;
                    target.iter().try_for_each(|t| self.target(t))?;
                }
                self.block(body)
            }
            StmtKind::Try { body, handlers, orelse, finally } => {
                self.block(body)?;
                handlers.iter().try_for_each(|h| self.handler(h))?;
                self.block(orelse)?;
                self.block(finally)
            }
            StmtKind::Match { subject, cases } => {
                self.expr(subject)?;
                cases.iter().try_for_each(|case| {
                    self.pattern(&case.pattern)?;
                    case.guard.iter().try_for_each(|g| self.expr(g))?;
                    self.block(&case.body)
                })
            }
            StmtKind::Def { name, function, decorators } => {
                self.assign(name)?;
                decorators.iter().try_for_each(|d| self.expr(d))?;
                self.function(function)
            }
            StmtKind::Class { name, class, decorators } => {
                self.assign(name)?;
                decorators.iter().try_for_each(|d| self.expr(d))?;
                class.bases.iter().try_for_each(|base| self.expr(base.value()))?;
                self.enter(ScopeKind::Class, |walk| walk.block(&class.body))
            }
            _ => Ok(()),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) -> Parsed<()> {
        match &pattern.kind {
            PatternKind::Value(value) | PatternKind::Singleton(value) => self.expr(value),
            PatternKind::Capture(name) | PatternKind::Star(name) => name.iter().try_for_each(|n| self.assign(n)),
            PatternKind::As(inner, name) => {
                self.pattern(inner)?;
                self.assign(name)
            }
            PatternKind::Or(parts) | PatternKind::Sequence(parts) => parts.iter().try_for_each(|p| self.pattern(p)),
            PatternKind::Mapping { items, rest } => {
                for (key, value) in items {
                    self.expr(key)?;
                    self.pattern(value)?;
                }
                rest.iter().try_for_each(|n| self.assign(n))
            }
            PatternKind::Class { class, positional, keywords } => {
                self.expr(class)?;
                positional.iter().chain(keywords.iter().map(|(_, p)| p)).try_for_each(|p| self.pattern(p))
            }
        }
    }

    fn handler(&mut self, handler: &Handler) -> Parsed<()> {
        handler.class.iter().try_for_each(|c| self.expr(c))?;
        handler.name.iter().try_for_each(|n| self.assign(n))?;
        self.block(&handler.body)
    }

    fn import(&mut self, alias: &Alias) -> Parsed<()> {
        let bound = alias.alias.as_ref().unwrap_or(&alias.name);
        not_debug(&bound.name, bound.span)?;
        let first: Name = bound.name.split('.').next().unwrap_or_default().into();
        self.uses(&first).imported = true;
        Ok(())
    }

    fn function(&mut self, function: &Function) -> Parsed<()> {
        for param in &function.params.names {
            param.default.iter().try_for_each(|d| self.expr(d))?;
        }
        self.enter(ScopeKind::Function, |walk| {
            walk.params(&function.params)?;
            walk.block(&function.body)
        })
    }

    fn params(&mut self, params: &Params) -> Parsed<()> {
        let named = params.names.iter().map(|p| &p.ident);
        for ident in named.chain(&params.star).chain(&params.double_star) {
            not_debug(&ident.name, ident.span)?;
            self.uses(&ident.name).parameter = true;
        }
        Ok(())
    }

    // ---- Declarations ----------------------------------------------------------------------------------------------

    /// Refuses a declaration that comes too late.
    fn declare(&mut self, name: &Ident, span: Span, word: &str) -> Parsed<()> {
        let name = &name.name;
        let uses = *self.uses(name);
        let message = if uses.parameter {
            format!("name '{name}' is parameter and {word}")
        } else if uses.annotated {
            format!("annotated name '{name}' can't be {word}")
        } else if uses.assigned {
            format!("name '{name}' is assigned to before {word} declaration")
        } else if uses.read {
            format!("name '{name}' is used prior to {word} declaration")
        } else {
            return Ok(());
        };
        Err(Refusal::new(span, message))
    }

    fn global(&mut self, name: &Ident, span: Span) -> Parsed<()> {
        self.declare(name, span, "global")?;
        self.uses(&name.name).global = true;
        self.not_both(name, span)
    }

    fn nonlocal(&mut self, name: &Ident, span: Span) -> Parsed<()> {
        if self.kind() == ScopeKind::Module {
            return Err(Refusal::new(span, "nonlocal declaration not allowed at module level"));
        }
        self.declare(name, span, "nonlocal")?;
        self.uses(&name.name).nonlocal = true;
        self.sought.push((self.current, name.name.clone(), span));
        self.not_both(name, span)
    }

    fn not_both(&mut self, name: &Ident, span: Span) -> Parsed<()> {
        let uses = *self.uses(&name.name);
        if uses.global && uses.nonlocal {
            return Err(Refusal::new(span, format!("name '{}' is nonlocal and global", name.name)));
        }
        Ok(())
    }

    /// Every nonlocal name must belong to a function around.
    fn find_nonlocals(&self) -> Parsed<()> {
        for (scope, name, span) in &self.sought {
            if !self.bound_outside(*scope, name) {
                return Err(Refusal::new(*span, format!("no binding for nonlocal '{name}' found")));
            }
        }
        Ok(())
    }

    fn bound_outside(&self, scope: usize, name: &Name) -> bool {
        let mut next = self.scopes.get(scope).and_then(|s| s.parent);
        while let Some(scope) = next.and_then(|i| self.scopes.get(i)) {
            if let (ScopeKind::Function, Some(uses)) = (scope.kind, scope.names.get(name)) {
                if uses.global {
                    return false;
                }
                if (uses.assigned || uses.imported || uses.parameter) && !uses.nonlocal {
                    return true;
                }
            }
            next = scope.parent;
        }
        false
    }

    // ---- Targets ---------------------------------------------------------------------------------------------------

    fn assign(&mut self, ident: &Ident) -> Parsed<()> {
        not_debug(&ident.name, ident.span)?;
        self.uses(&ident.name).assigned = true;
        Ok(())
    }

    fn target(&mut self, target: &Expr) -> Parsed<()> {
        match &target.kind {
            ExprKind::Name(name) => self.assign(&Ident { name: name.clone(), span: target.span }),
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().try_for_each(|i| self.target(i)),
            ExprKind::Starred(inner) => self.target(inner),
            ExprKind::Attr(value, name) => {
                not_debug(&name.name, target.span)?;
                self.expr(value)
            }
            _ => self.expr(target),
        }
    }

    fn deleted(&mut self, target: &Expr) -> Parsed<()> {
        match &target.kind {
            ExprKind::Attr(value, _) => self.expr(value),
            ExprKind::Name(name) if &**name == "__debug__" => Err(Refusal::new(target.span, "cannot delete __debug__")),
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().try_for_each(|i| self.deleted(i)),
            _ => self.target(target),
        }
    }

    fn annotated(&mut self, target: &Expr, span: Span) -> Parsed<()> {
        let ExprKind::Name(name) = &target.kind else { return self.target(target) };
        self.target(target)?;
        let outside = self.kind() != ScopeKind::Module;
        let uses = self.uses(name);
        uses.annotated = true;
        let word = if uses.global { "global" } else { "nonlocal" };
        if outside && (uses.global || uses.nonlocal) {
            return Err(Refusal::new(span, format!("annotated name '{name}' can't be {word}")));
        }
        Ok(())
    }

    // ---- Expressions -----------------------------------------------------------------------------------------------

    fn expr(&mut self, expr: &Expr) -> Parsed<()> {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.uses(name).read = true;
                Ok(())
            }
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) if self.kind() == ScopeKind::Comprehension => {
                Err(Refusal::new(expr.span, format!("'yield' inside {}", self.around)))
            }
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) if self.kind() != ScopeKind::Function => {
                Err(Refusal::new(expr.span, "'yield' outside function"))
            }
            ExprKind::Lambda(function) => self.function(function),
            ExprKind::Comprehension(comprehension) => {
                let outer = std::mem::replace(&mut self.around, lower::noun(expr));
                let checked = self.comprehension(comprehension);
                self.around = outer;
                checked
            }
            ExprKind::Walrus(name, _) => {
                self.walrus(name, expr.span)?;
                parts::each(expr, &mut |part| self.expr(part))
            }
            ExprKind::Call { args, .. } => {
                for arg in args {
                    if let Arg::Keyword(name, _) = arg {
                        not_debug(&name.name, name.span)?;
                    }
                }
                parts::each(expr, &mut |part| self.expr(part))
            }
            _ => parts::each(expr, &mut |part| self.expr(part)),
        }
    }

    /// The first iterable belongs to the scope around; all the rest to the comprehension's own.
    fn comprehension(&mut self, comprehension: &Comprehension) -> Parsed<()> {
        let Some((first, rest)) = comprehension.clauses.split_first() else { return Ok(()) };
        self.iterable(first)?;
        self.enter(ScopeKind::Comprehension, |walk| {
            walk.clause(first)?;
            for clause in rest {
                walk.iterable(clause)?;
                walk.clause(clause)?;
            }
            comprehension.value.iter().try_for_each(|v| walk.expr(v))?;
            walk.expr(&comprehension.element)
        })
    }

    fn iterable(&mut self, clause: &ForClause) -> Parsed<()> {
        self.iterables += 1;
        let result = self.expr(&clause.iter);
        self.iterables -= 1;
        result
    }

    fn clause(&mut self, clause: &ForClause) -> Parsed<()> {
        self.loop_target(&clause.target)?;
        clause.tests.iter().try_for_each(|t| self.expr(t))
    }

    fn loop_target(&mut self, target: &Expr) -> Parsed<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                not_debug(name, target.span)?;
                let uses = self.uses(name);
                if uses.global {
                    let message = format!("comprehension inner loop cannot rebind assignment expression target '{name}'");
                    return Err(Refusal::new(target.span, message));
                }
                uses.iterates = true;
                Ok(())
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().try_for_each(|i| self.loop_target(i)),
            ExprKind::Starred(inner) => self.loop_target(inner),
            _ => self.target(target),
        }
    }

    /// A `:=` in a comprehension assigns in the function around.
    fn walrus(&mut self, name: &Ident, span: Span) -> Parsed<()> {
        if self.iterables > 0 {
            let message = "assignment expression cannot be used in a comprehension iterable expression";
            return Err(Refusal::new(span, message));
        }
        not_debug(&name.name, name.span)?;
        let mut index = self.current;
        loop {
            let scope = self.scope(index);
            let comprehension = scope.kind == ScopeKind::Comprehension;
            let parent = scope.parent;
            let uses = scope.names.entry(name.name.clone()).or_default();
            if !comprehension {
                uses.assigned = true;
                return Ok(());
            }
            if uses.iterates {
                let message = format!("assignment expression cannot rebind comprehension iteration variable '{}'", name.name);
                return Err(Refusal::new(name.span, message));
            }
            uses.global = true;
            index = parent.unwrap_or(0);
        }
    }
}

/// `__debug__` is a constant that no scope may rebind.
fn not_debug(name: &Name, span: Span) -> Parsed<()> {
    if &**name == "__debug__" { Err(Refusal::new(span, "cannot assign to __debug__")) } else { Ok(()) }
}
