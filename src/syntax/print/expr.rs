//! Expressions, with no more parentheses than they need.

use super::Printer;
use crate::syntax::ast::{Arg, BinaryOp, Comprehension, ComprehensionKind, Expr, ExprKind, Function, Params, StmtKind, UnaryOp};

/// How tightly an expression holds together, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Test,
    Or,
    And,
    Not,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Sign,
    Power,
    Atom,
}

/// For each infix operator: its own level, and the least its left and its right side may have.
fn binary_levels(op: BinaryOp) -> (Level, Level, Level) {
    use Level::*;
    match op {
        BinaryOp::BitOr => (BitOr, BitOr, BitXor),
        BinaryOp::BitXor => (BitXor, BitXor, BitAnd),
        BinaryOp::BitAnd => (BitAnd, BitAnd, Shift),
        BinaryOp::LShift | BinaryOp::RShift => (Shift, Shift, Sum),
        BinaryOp::Add | BinaryOp::Sub => (Sum, Sum, Product),
        BinaryOp::Mul | BinaryOp::MatMul | BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod => (Product, Product, Sign),
        BinaryOp::Pow => (Power, Atom, Sign),
    }
}

fn level(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::IfElse { .. } | ExprKind::Lambda(_) => Level::Test,
        ExprKind::Or(..) => Level::Or,
        ExprKind::And(..) => Level::And,
        ExprKind::Unary(UnaryOp::Not, _) => Level::Not,
        ExprKind::Compare(..) => Level::Compare,
        ExprKind::Binary(op, ..) => binary_levels(*op).0,
        ExprKind::Unary(..) => Level::Sign,
        _ => Level::Atom,
    }
}

impl Printer {
    /// An expression, in parentheses when it holds together less than `least`.
    pub(super) fn expr(&mut self, expr: &Expr, least: Level) {
        if level(&expr.kind) < least {
            self.text("(");
            self.bare(expr);
            self.text(")");
        } else {
            self.bare(expr);
        }
    }

    fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::None => self.text("None"),
            ExprKind::Bool(true) => self.text("True"),
            ExprKind::Bool(false) => self.text("False"),
            ExprKind::Ellipsis => self.text("..."),
            ExprKind::Int(value) => self.text(&value.to_string()),
            ExprKind::BigInt(value) => self.big_int(value),
            ExprKind::Float(value) => self.float(*value),
            ExprKind::Imaginary(value) => {
                self.float(*value);
                self.text("j");
            }
            ExprKind::Str(value) => self.str(value),
            ExprKind::Bytes(value) => self.bytes(value),
            ExprKind::FString(parts) => self.fstring(parts),
            ExprKind::Name(name) => self.text(name),
            ExprKind::Tuple(items) => {
                self.text("(");
                self.items(items, true);
                self.text(")");
            }
            ExprKind::List(items) => {
                self.text("[");
                self.items(items, false);
                self.text("]");
            }
            ExprKind::Set(items) => {
                self.text("{");
                self.items(items, false);
                self.text("}");
            }
            ExprKind::Dict(items) => self.dict(items),
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension),
            ExprKind::Walrus(name, value) => {
                self.text(&format!("({} := ", name.name));
                self.expr(value, Level::Test);
                self.text(")");
            }
            _ => self.compound(expr),
        }
    }

    /// Expressions made of operators and trailers.
    fn compound(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Starred(value) => {
                self.text("*");
                self.expr(value, Level::BitOr);
            }
            ExprKind::Unary(op, value) => self.unary(*op, value),
            ExprKind::Binary(op, left, right) => {
                let (_, least_left, least_right) = binary_levels(*op);
                self.infix(left, least_left, op.symbol(), right, least_right);
            }
            ExprKind::And(left, right) => self.infix(left, Level::And, "and", right, Level::Not),
            ExprKind::Or(left, right) => self.infix(left, Level::Or, "or", right, Level::And),
            ExprKind::Compare(first, rest) => {
                self.expr(first, Level::BitOr);
                for (op, value) in rest {
                    self.text(&format!(" {} ", op.symbol()));
                    self.expr(value, Level::BitOr);
                }
            }
            ExprKind::IfElse { test, body, orelse } => {
                self.infix(body, Level::Or, "if", test, Level::Or);
                self.text(" else ");
                self.expr(orelse, Level::Test);
            }
            ExprKind::Lambda(function) => self.lambda(function),
            ExprKind::Attr(value, name) => {
                self.object(value);
                self.text(&format!(".{}", name.name));
            }
            ExprKind::Subscript(value, index) => {
                self.object(value);
                self.text("[");
                match &index.kind {
                    ExprKind::Tuple(items) if !items.is_empty() => self.items(items, true),
                    _ => self.expr(index, Level::Test),
                }
                self.text("]");
            }
            ExprKind::Slice { lower, upper, step } => self.slice([lower, upper, step].map(|b| b.as_deref())),
            ExprKind::Call { callee, args } => {
                self.object(callee);
                self.text("(");
                self.list(args, Printer::arg);
                self.text(")");
            }
            ExprKind::Yield(None) => self.text("(yield)"),
            ExprKind::Yield(Some(value)) => self.yielded("(yield ", value),
            ExprKind::YieldFrom(value) => self.yielded("(yield from ", value),
            _ => {}
        }
    }

    fn yielded(&mut self, word: &str, value: &Expr) {
        self.text(word);
        self.expr(value, Level::Test);
        self.text(")");
    }

    fn infix(&mut self, left: &Expr, least_left: Level, symbol: &str, right: &Expr, least_right: Level) {
        self.expr(left, least_left);
        self.text(&format!(" {symbol} "));
        self.expr(right, least_right);
    }

    fn unary(&mut self, op: UnaryOp, value: &Expr) {
        let (symbol, least) = match op {
            UnaryOp::Neg => ("-", Level::Sign),
            UnaryOp::Pos => ("+", Level::Sign),
            UnaryOp::Invert => ("~", Level::Sign),
            UnaryOp::Not => ("not ", Level::Not),
        };
        self.text(symbol);
        self.expr(value, least);
    }

    /// What stands before a dot or a bracket; a bare integer would run into the dot.
    fn object(&mut self, value: &Expr) {
        if matches!(value.kind, ExprKind::Int(_) | ExprKind::BigInt(_)) {
            self.text("(");
            self.bare(value);
            self.text(")");
        } else {
            self.expr(value, Level::Atom);
        }
    }

    fn items(&mut self, items: &[Expr], tuple: bool) {
        self.list(items, |p, e| p.expr(e, Level::Test));
        if tuple && items.len() == 1 {
            self.text(",");
        }
    }

    fn dict(&mut self, items: &[(Option<Expr>, Expr)]) {
        self.text("{");
        self.list(items, |p, (key, value)| match key {
            Some(key) => {
                p.expr(key, Level::Test);
                p.text(": ");
                p.expr(value, Level::Test);
            }
            None => {
                p.text("**");
                p.expr(value, Level::BitOr);
            }
        });
        self.text("}");
    }

    fn slice(&mut self, [lower, upper, step]: [Option<&Expr>; 3]) {
        if let Some(lower) = lower {
            self.expr(lower, Level::Test);
        }
        self.text(":");
        if let Some(upper) = upper {
            self.expr(upper, Level::Test);
        }
        if let Some(step) = step {
            self.text(":");
            self.expr(step, Level::Test);
        }
    }

    pub(super) fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Positional(value) => self.expr(value, Level::Test),
            Arg::Keyword(name, value) => {
                self.text(&format!("{}=", name.name));
                self.expr(value, Level::Test);
            }
            Arg::Star(value) => {
                self.text("*");
                self.expr(value, Level::Test);
            }
            Arg::DoubleStar(value) => {
                self.text("**");
                self.expr(value, Level::Test);
            }
        }
    }

    fn comprehension(&mut self, comprehension: &Comprehension) {
        let (open, close) = match comprehension.kind {
            ComprehensionKind::List => ("[", "]"),
            ComprehensionKind::Generator => ("(", ")"),
            ComprehensionKind::Set | ComprehensionKind::Dict => ("{", "}"),
        };
        self.text(open);
        self.expr(&comprehension.element, Level::Test);
        if let Some(value) = &comprehension.value {
            self.text(": ");
            self.expr(value, Level::Test);
        }
        for clause in &comprehension.clauses {
            self.text(" for ");
            self.expr(&clause.target, Level::BitOr);
            self.text(" in ");
            self.expr(&clause.iter, Level::Or);
            for test in &clause.tests {
                self.text(" if ");
                self.expr(test, Level::Or);
            }
        }
        self.text(close);
    }

    fn lambda(&mut self, function: &Function) {
        self.text("lambda");
        let before = self.out.len();
        self.text(" ");
        self.params(&function.params);
        if self.out.len() == before + 1 {
            self.out.truncate(before);
        }
        self.text(": ");
        if let Some(StmtKind::Return(Some(value))) = function.body.first().map(|s| &s.kind) {
            self.expr(value, Level::Test);
        }
    }

    /// Parameters as between the parentheses of a `def`.
    pub(super) fn params(&mut self, params: &Params) {
        let mut pieces: Vec<String> = Vec::new();
        for (i, param) in params.names.iter().enumerate() {
            if i == params.keyword_only_from {
                pieces.push(format!("*{}", params.star.as_ref().map_or("", |s| &s.name)));
            }
            let start = std::mem::take(&mut self.out);
            self.text(&param.ident.name);
            if let Some(annotation) = &param.annotation {
                self.text(": ");
                self.expr(annotation, Level::Test);
            }
            if let Some(default) = &param.default {
                self.text("=");
                self.expr(default, Level::Test);
            }
            pieces.push(std::mem::replace(&mut self.out, start));
            if i + 1 == params.positional_only {
                pieces.push("/".into());
            }
        }
        if let Some(star) = params.star.as_ref().filter(|_| params.keyword_only_from >= params.names.len()) {
            pieces.push(format!("*{}", star.name));
        }
        if let Some(star) = &params.double_star {
            pieces.push(format!("**{}", star.name));
        }
        self.text(&pieces.join(", "));
    }
}
