//! Statements.

use super::Printer;
use super::expr::Level;
use crate::syntax::ast::{Alias, Block, Case, ClassBody, Expr, ExprKind, Function, Handler, Ident, ShellCommand, Stmt, StmtKind};

impl Printer {
    /// Statements at the current indentation.
    pub(super) fn statements(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.statement(stmt);
        }
    }

    fn line(&mut self, write: impl FnOnce(&mut Printer)) {
        let blanks = "    ".repeat(self.indent);
        self.text(&blanks);
        write(self);
        self.text("\n");
    }

    /// A header and its block.
    fn clause(&mut self, body: &[Stmt], header: impl FnOnce(&mut Printer)) {
        self.line(|p| {
            header(p);
            p.text(":");
        });
        self.indent += 1;
        self.statements(body);
        if body.is_empty() {
            self.line(|p| p.text("pass"));
        }
        self.indent -= 1;
    }

    fn optional_clause(&mut self, word: &str, body: &[Stmt]) {
        if !body.is_empty() {
            self.clause(body, |p| p.text(word));
        }
    }

    fn word(&mut self, word: &str, value: &Expr) {
        self.text(word);
        self.text(" ");
        self.expr(value, Level::Test);
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If { test, body, orelse } => self.conditional(test, body, orelse),
            StmtKind::While { test, body, orelse } => {
                self.clause(body, |p| p.word("while", test));
                self.optional_clause("else", orelse);
            }
            StmtKind::For { target, iter, body, orelse } => {
                self.clause(body, |p| {
                    p.word("for", target);
                    p.word(" in", iter);
                });
                self.optional_clause("else", orelse);
            }
            StmtKind::With { items, body } => self.clause(body, |p| p.with(items)),
            StmtKind::Try { body, handlers, orelse, finally } => self.try_clauses(body, handlers, orelse, finally),
            StmtKind::Match { subject, cases } => self.match_cases(subject, cases),
            StmtKind::Def { name, function, decorators } => self.def(name, function, decorators),
            StmtKind::Class { name, class, decorators } => self.class(name, class, decorators),
            _ => self.line(|p| p.simple(&stmt.kind)),
        }
    }

    fn conditional(&mut self, test: &Expr, body: &Block, orelse: &Block) {
        self.clause(body, |p| p.word("if", test));
        let mut rest = orelse;
        while let [Stmt { kind: StmtKind::If { test, body, orelse }, .. }] = rest.as_slice() {
            self.clause(body, |p| p.word("elif", test));
            rest = orelse;
        }
        self.optional_clause("else", rest);
    }

    /// A lone tuple needs a second pair of parentheses, or it would read as several items.
    fn with(&mut self, items: &[(Expr, Option<Expr>)]) {
        if let [(Expr { kind: ExprKind::Tuple(_), .. }, None)] = items {
            self.text("with (");
            self.list(items, |p, (value, _)| p.expr(value, Level::Test));
            self.text(")");
            return;
        }
        self.text("with ");
        self.list(items, |p, (value, target)| {
            p.expr(value, Level::Test);
            if let Some(target) = target {
                p.word(" as", target);
            }
        });
    }

    fn try_clauses(&mut self, body: &Block, handlers: &[Handler], orelse: &Block, finally: &Block) {
        self.clause(body, |p| p.text("try"));
        for handler in handlers {
            self.clause(&handler.body, |p| {
                p.text("except");
                if let Some(class) = &handler.class {
                    p.word("", class);
                }
                if let Some(name) = &handler.name {
                    p.text(&format!(" as {}", name.name));
                }
            });
        }
        self.optional_clause("else", orelse);
        self.optional_clause("finally", finally);
    }

    fn match_cases(&mut self, subject: &Expr, cases: &[Case]) {
        self.line(|p| {
            p.word("match", subject);
            p.text(":");
        });
        self.indent += 1;
        for case in cases {
            self.clause(&case.body, |p| {
                p.text("case ");
                p.pattern(&case.pattern);
                if let Some(guard) = &case.guard {
                    p.word(" if", guard);
                }
            });
        }
        self.indent -= 1;
    }

    fn decorators(&mut self, decorators: &[Expr]) {
        for decorator in decorators {
            self.line(|p| {
                p.text("@");
                p.expr(decorator, Level::Test);
            });
        }
    }

    fn class(&mut self, name: &Ident, class: &ClassBody, decorators: &[Expr]) {
        self.decorators(decorators);
        self.clause(&class.body, |p| {
            p.text(&format!("class {}(", name.name));
            p.list(&class.bases, Printer::arg);
            p.text(")");
        });
    }

    fn def(&mut self, name: &Ident, function: &Function, decorators: &[Expr]) {
        self.decorators(decorators);
        self.clause(&function.body, |p| {
            p.text(&format!("def {}(", name.name));
            p.params(&function.params);
            p.text(")");
            if let Some(returns) = &function.params.returns {
                p.word(" ->", returns);
            }
        });
    }

    fn simple(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Expr(value) => self.expr(value, Level::Test),
            StmtKind::Assign { targets, value } => {
                for target in targets {
                    self.expr(target, Level::Test);
                    self.text(" = ");
                }
                self.expr(value, Level::Test);
            }
            StmtKind::AnnAssign { target, annotation, value } => self.annotated(target, annotation, value.as_ref()),
            StmtKind::AugAssign { target, op, value } => {
                self.expr(target, Level::Test);
                self.word(&format!(" {}=", op.symbol()), value);
            }
            StmtKind::Return(Some(value)) => self.word("return", value),
            StmtKind::Return(None) => self.text("return"),
            StmtKind::Raise { exc, cause } => {
                self.text("raise");
                if let Some(exc) = exc {
                    self.word("", exc);
                }
                if let Some(cause) = cause {
                    self.word(" from", cause);
                }
            }
            StmtKind::Assert { test, message } => {
                self.word("assert", test);
                if let Some(message) = message {
                    self.word(",", message);
                }
            }
            StmtKind::Del(targets) => {
                self.text("del ");
                self.list(targets, |p, t| p.expr(t, Level::Test));
            }
            StmtKind::Global(names) => self.names("global ", names),
            StmtKind::Nonlocal(names) => self.names("nonlocal ", names),
            StmtKind::Import(names) => {
                self.text("import ");
                self.list(names, Printer::alias);
            }
            StmtKind::FromImport { module, names } => self.import_from(module, names),
            StmtKind::Break => self.text("break"),
            StmtKind::Continue => self.text("continue"),
            StmtKind::Shell(command) => self.shell(command),
            _ => self.text("pass"),
        }
    }

    fn annotated(&mut self, target: &Expr, annotation: &Expr, value: Option<&Expr>) {
        self.expr(target, Level::Test);
        self.text(": ");
        self.expr(annotation, Level::Test);
        if let Some(value) = value {
            self.word(" =", value);
        }
    }

    fn names(&mut self, word: &str, names: &[Ident]) {
        self.text(word);
        self.list(names, |p, n| p.text(&n.name));
    }

    fn alias(&mut self, alias: &Alias) {
        self.text(&alias.name.name);
        if let Some(name) = &alias.alias {
            self.text(&format!(" as {}", name.name));
        }
    }

    fn import_from(&mut self, module: &Ident, names: &[Alias]) {
        self.text(&format!("from {} import ", module.name));
        if names.is_empty() {
            self.text("*");
        }
        self.list(names, Printer::alias);
    }

    fn shell(&mut self, command: &ShellCommand) {
        let rest = command.rest.replace(['\n', '\r'], " ");
        match &*command.word.name {
            "help" => self.text(&format!("?{rest}")),
            "shell" => self.text(&format!("!{rest}")),
            word if rest.is_empty() => self.text(&format!("%{word}")),
            word => self.text(&format!("%{word} {rest}")),
        }
    }
}
