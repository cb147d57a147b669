//! Which names a body binds, and which of them inner functions borrow.
//!
//! A first walk over the syntax tree, per scope: a variable that an inner function or generator uses must live in a cell,
//! and that has to be known before the first instruction that touches it is made.

use crate::syntax::ast::*;
use indexmap::IndexSet;
use std::collections::HashSet;

/// The names of one scope: a module's statements, a function body, or a comprehension.
#[derive(Default)]
pub struct Survey {
    /// Names that are assigned here, in order.
    pub bound: IndexSet<Name>,
    /// Names declared `global`.
    pub globals: HashSet<Name>,
    /// Names declared `nonlocal`.
    pub nonlocals: HashSet<Name>,
    /// Names that inner functions look for outside themselves.
    pub borrowed: IndexSet<Name>,
    /// True where the function stops at a `yield`.
    pub yields: bool,
    uses: IndexSet<Name>,
    walruses: IndexSet<Name>,
    is_comprehension: bool,
}

impl Survey {
    /// Surveys a function; its parameters count as bound.
    pub fn function(function: &Function) -> Survey {
        let mut survey = Survey::default();
        let params = &function.params;
        let named = params.names.iter().map(|p| &p.ident);
        survey.bound.extend(named.chain(&params.star).chain(&params.double_star).map(|i| i.name.clone()));
        survey.block(&function.body);
        survey
    }

    /// Surveys the body of a class: of its names only [`CLASS`] is seen by the functions inside.
    pub fn class(class: &ClassBody) -> Survey {
        let mut survey = Survey::statements(&class.body);
        for stmt in &class.body {
            if let StmtKind::AnnAssign { annotation, .. } = &stmt.kind {
                survey.expr(annotation);
            }
        }
        if survey.borrowed.contains(CLASS) {
            survey.bound.insert(CLASS.into());
        }
        survey
    }

    /// Of what functions inside look for, only the class itself is there.
    pub fn of_class(mut self) -> Survey {
        self.borrowed.retain(|name| &**name == CLASS);
        self
    }

    /// Surveys a sequence of statements.
    pub fn statements(block: &[Stmt]) -> Survey {
        let mut survey = Survey::default();
        survey.block(block);
        survey
    }

    /// Surveys a comprehension's own scope: all but the outermost iterable, which belongs to the scope around it.
    pub fn comprehension(it: &Comprehension) -> Survey {
        let mut survey = Survey { is_comprehension: true, ..Survey::default() };
        for (i, clause) in it.clauses.iter().enumerate() {
            if i > 0 {
                survey.expr(&clause.iter);
            }
            survey.target(&clause.target);
            survey.exprs(&clause.tests);
        }
        survey.expr(&it.element);
        survey.exprs(&it.value);
        survey
    }

    /// True when the variable must live in a cell.
    pub fn is_captured(&self, name: &Name) -> bool {
        self.borrowed.contains(name)
    }

    /// The names that this scope looks for outside itself.
    fn outer_names(&self) -> impl Iterator<Item = &Name> {
        let own = |name: &&Name| {
            let bound_here = self.bound.contains(*name) && !self.nonlocals.contains(*name);
            !bound_here && !self.globals.contains(*name)
        };
        self.uses.iter().chain(&self.borrowed).chain(&self.nonlocals).filter(own)
    }

    /// Without local variables: what is bound are variables of the module.
    pub fn at_module(mut self) -> Survey {
        self.bound.clear();
        self
    }

    fn bind(&mut self, name: &Name) {
        self.bound.insert(name.clone());
    }

    /// A walrus in a comprehension binds in the scope around it.
    fn bind_walrus(&mut self, name: &Name) {
        if self.is_comprehension {
            self.uses.insert(name.clone());
            self.walruses.insert(name.clone());
        } else {
            self.bind(name);
        }
    }

    fn inner_function(&mut self, function: &Function) {
        function.params.names.iter().for_each(|p| self.exprs(p.default.iter().chain(&p.annotation)));
        self.exprs(&function.params.returns);
        let inner = Survey::function(function);
        self.borrowed.extend(inner.outer_names().cloned());
    }

    /// What functions of a class look for outside themselves is outside the class.
    fn inner_class(&mut self, class: &ClassBody) {
        let inner = Survey::class(class);
        let own = |name: &&Name| inner.bound.contains(*name) && !inner.nonlocals.contains(*name);
        let read = inner.uses.iter().chain(&inner.nonlocals).filter(|name| !own(name));
        self.borrowed.extend(read.chain(&inner.borrowed).filter(|name| &***name != CLASS).cloned());
    }

    fn inner_comprehension(&mut self, it: &Comprehension) {
        if let Some(first) = it.clauses.first() {
            self.expr(&first.iter);
        }
        let inner = Survey::comprehension(it);
        inner.walruses.iter().for_each(|name| self.bind_walrus(name));
        if it.kind == ComprehensionKind::Generator {
            self.borrowed.extend(inner.outer_names().cloned());
        } else {
            let outside = |names: &IndexSet<Name>| names.difference(&inner.bound).cloned().collect::<Vec<_>>();
            self.uses.extend(outside(&inner.uses));
            self.borrowed.extend(outside(&inner.borrowed));
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Assign { targets, value } => {
                self.expr(value);
                targets.iter().for_each(|t| self.target(t));
            }
            StmtKind::AnnAssign { target, value, .. } => {
                self.exprs(value);
                self.target(target);
            }
            StmtKind::AugAssign { target, value, .. } => {
                self.expr(value);
                self.target(target);
            }
            StmtKind::Def { name, function, decorators } => {
                self.exprs(decorators);
                self.bind(&name.name);
                self.inner_function(function);
            }
            StmtKind::Class { name, class, decorators } => {
                self.exprs(decorators);
                class.bases.iter().for_each(|base| self.expr(base.value()));
                self.bind(&name.name);
                self.inner_class(class);
            }
            StmtKind::Return(value) => self.exprs(value),
            StmtKind::Raise { exc, cause } => {
                self.exprs(exc);
                self.exprs(cause);
            }
            StmtKind::Assert { test, message } => {
                self.expr(test);
                self.exprs(message);
            }
            StmtKind::Del(targets) => targets.iter().for_each(|t| self.target(t)),
            StmtKind::Global(names) => self.globals.extend(names.iter().map(|i| i.name.clone())),
            StmtKind::Nonlocal(names) => self.nonlocals.extend(names.iter().map(|i| i.name.clone())),
            StmtKind::Import(_) | StmtKind::FromImport { .. } => self.imports(&stmt.kind),
            StmtKind::Break | StmtKind::Continue | StmtKind::Pass | StmtKind::Shell(_) => {}
            _ => self.compound(stmt),
        }
    }

    /// Statements with blocks of their own.
    fn compound(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => {
                self.expr(test);
                self.block(body);
                self.block(orelse);
            }
            StmtKind::For { target, iter, body, orelse } => {
                self.expr(iter);
                self.target(target);
                self.block(body);
                self.block(orelse);
            }
            StmtKind::With { items, body } => {
                for (item, target) in items {
                    self.expr(item);
                    target.iter().for_each(|t| self.target(t));
                }
                self.block(body);
            }
            StmtKind::Try { body, handlers, orelse, finally } => {
                self.block(body);
                for handler in handlers {
                    self.exprs(&handler.class);
                    handler.name.iter().for_each(|n| self.bind(&n.name));
                    self.block(&handler.body);
                }
                self.block(orelse);
                self.block(finally);
            }
            StmtKind::Match { subject, cases } => {
                self.expr(subject);
                for case in cases {
                    self.pattern(&case.pattern);
                    self.exprs(&case.guard);
                    self.block(&case.body);
                }
            }
            _ => {}
        }
    }

    /// A pattern binds its names and reads what it compares with.
    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Value(value) | PatternKind::Singleton(value) => self.expr(value),
            PatternKind::Capture(name) | PatternKind::Star(name) => name.iter().for_each(|n| self.bind(&n.name)),
            PatternKind::As(inner, name) => {
                self.pattern(inner);
                self.bind(&name.name);
            }
            PatternKind::Or(parts) | PatternKind::Sequence(parts) => parts.iter().for_each(|p| self.pattern(p)),
            PatternKind::Mapping { items, rest } => {
                for (key, value) in items {
                    self.expr(key);
                    self.pattern(value);
                }
                rest.iter().for_each(|n| self.bind(&n.name));
            }
            PatternKind::Class { class, positional, keywords } => {
                self.expr(class);
                positional.iter().chain(keywords.iter().map(|(_, p)| p)).for_each(|p| self.pattern(p));
            }
        }
    }

    fn imports(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Import(names) => {
                for Alias { name, alias } in names {
                    let bound = alias.as_ref().map_or_else(|| first_part(&name.name), |a| a.name.clone());
                    self.bind(&bound);
                }
            }
            StmtKind::FromImport { names, .. } => {
                names.iter().for_each(|a| self.bind(&a.alias.as_ref().unwrap_or(&a.name).name));
            }
            _ => {}
        }
    }

    /// A target binds its names and reads what it is an attribute or element of.
    fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => self.bind(name),
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|t| self.target(t)),
            ExprKind::Starred(inner) => self.target(inner),
            _ => self.expr(target),
        }
    }

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        exprs.into_iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.uses.insert(name.clone());
            }
            ExprKind::Walrus(name, value) => {
                self.expr(value);
                self.bind_walrus(&name.name);
            }
            ExprKind::Call { callee, args } if is_parent_call(callee, args) => {
                self.expr(callee);
                self.uses.insert(CLASS.into());
            }
            ExprKind::Yield(_) | ExprKind::YieldFrom(_) => {
                self.yields = true;
                each_part(expr, &mut |e| self.expr(e));
            }
            ExprKind::Lambda(function) => self.inner_function(function),
            ExprKind::Comprehension(it) => self.inner_comprehension(it),
            _ => each_part(expr, &mut |e| self.expr(e)),
        }
    }
}

/// The name by which the functions of a class know it.
pub const CLASS: &str = "__class__";

/// `super()`: it means the class around and the first argument.
pub fn is_parent_call(callee: &Expr, args: &[Arg]) -> bool {
    matches!(&callee.kind, ExprKind::Name(name) if &**name == "super") && args.is_empty()
}

/// The name that `import a.b` binds.
pub fn first_part(dotted: &Name) -> Name {
    dotted.split('.').next().unwrap_or(dotted).into()
}

/// Calls `f` on the expressions directly inside an expression; those inside lambdas and comprehensions are left out.
pub fn each_part(expr: &Expr, f: &mut dyn FnMut(&Expr)) {
    match &expr.kind {
        ExprKind::FString(parts) => each_hole(parts, f),
        ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => items.iter().for_each(f),
        ExprKind::Dict(items) => items.iter().for_each(|(k, v)| {
            k.iter().for_each(&mut *f);
            f(v);
        }),
        ExprKind::Starred(a) | ExprKind::Unary(_, a) | ExprKind::Attr(a, _) | ExprKind::YieldFrom(a) => f(a),
        ExprKind::Yield(a) => a.iter().for_each(|a| f(a)),
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Subscript(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Compare(first, links) => {
            f(first);
            links.iter().for_each(|(_, e)| f(e));
        }
        ExprKind::IfElse { test, body, orelse } => {
            f(test);
            f(body);
            f(orelse);
        }
        ExprKind::Slice { lower, upper, step } => [lower, upper, step].into_iter().flatten().for_each(|e| f(e)),
        ExprKind::Call { callee, args } => {
            f(callee);
            args.iter().for_each(|arg| f(arg.value()));
        }
        _ => {}
    }
}

fn each_hole(parts: &[FPart], f: &mut dyn FnMut(&Expr)) {
    for part in parts {
        if let FPart::Value { value, spec, .. } = part {
            f(value);
            spec.iter().for_each(|s| each_hole(s, f));
        }
    }
}
