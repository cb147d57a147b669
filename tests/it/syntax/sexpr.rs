//! The tree in the compact form that `scripts/dev/syntax_oracle.py` prints for CPython's.

use std::fmt::Write;
use tsr::syntax::ast::*;

/// A block, one statement a line.
pub fn block_lines(block: &Block) -> String {
    block.iter().map(stmt).collect::<Vec<_>>().join("\n")
}

fn node(name: &str, parts: impl IntoIterator<Item = String>) -> String {
    let mut out = format!("({name}");
    for part in parts {
        let _ = write!(out, " {part}");
    }
    out + ")"
}

fn group(parts: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", parts.into_iter().collect::<Vec<_>>().join(" "))
}

fn text(s: &str) -> String {
    let mut out = String::from("'");
    for c in s.chars() {
        if c > ' ' && c <= '~' && !"'\\()".contains(c) {
            out.push(c);
        } else {
            let _ = write!(out, "\\{:x};", c as u32);
        }
    }
    out + "'"
}

fn bits(x: f64) -> String {
    format!("{:016x}", x.to_bits())
}

fn optional(e: Option<&Expr>) -> String {
    e.map_or("-".into(), expr)
}

fn name_or_none(name: Option<&Ident>) -> String {
    name.map_or("-".into(), |n| text(&n.name))
}

fn fparts(parts: &[FPart]) -> String {
    let mut out = Vec::new();
    let mut pending = String::new();
    for part in parts {
        match part {
            FPart::Text(t) => pending.push_str(t),
            FPart::Value { value, debug, conversion, spec } => {
                pending.push_str(debug.as_deref().unwrap_or(""));
                if !pending.is_empty() {
                    out.push(text(&std::mem::take(&mut pending)));
                }
                let conversion = conversion.map_or("-".into(), String::from);
                let spec = spec.as_ref().map_or("-".into(), |s| fparts(s));
                out.push(node("Value", [expr(value), conversion, spec]));
            }
        }
    }
    if !pending.is_empty() {
        out.push(text(&pending));
    }
    group(out)
}

fn params(p: &Params) -> String {
    let names = group(p.names.iter().map(|n| node("Param", [text(&n.ident.name), optional(n.default.as_ref())])));
    let counts = [p.positional_only.to_string(), p.keyword_only_from.to_string()];
    let stars = [name_or_none(p.star.as_ref()), name_or_none(p.double_star.as_ref())];
    node("Params", [names].into_iter().chain(counts).chain(stars))
}

fn arg(a: &Arg) -> String {
    match a {
        Arg::Positional(e) => expr(e),
        Arg::Star(e) => node("Star", [expr(e)]),
        Arg::DoubleStar(e) => node("DoubleStar", [expr(e)]),
        Arg::Keyword(n, e) => node("Keyword", [text(&n.name), expr(e)]),
    }
}

fn comprehension(c: &Comprehension) -> String {
    let name = match c.kind {
        ComprehensionKind::List => "ListComp",
        ComprehensionKind::Set => "SetComp",
        ComprehensionKind::Dict => "DictComp",
        ComprehensionKind::Generator => "GeneratorComp",
    };
    let clauses = c.clauses.iter().map(|f| node("For", [expr(&f.target), expr(&f.iter), group(f.tests.iter().map(expr))]));
    node(name, [expr(&c.element), optional(c.value.as_ref()), group(clauses)])
}

/// One expression.
pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::None => "None".into(),
        ExprKind::Bool(true) => "True".into(),
        ExprKind::Bool(false) => "False".into(),
        ExprKind::Ellipsis => "...".into(),
        ExprKind::Int(i) => i.to_string(),
        ExprKind::BigInt(i) => format!("{:x}", **i),
        ExprKind::Float(x) => node("Float", [bits(*x)]),
        ExprKind::Imaginary(x) => node("Imaginary", [bits(*x)]),
        ExprKind::Str(s) => node("Str", [text(s)]),
        ExprKind::Bytes(b) if b.is_empty() => "(Bytes -)".into(),
        ExprKind::Bytes(b) => node("Bytes", [b.iter().map(|x| format!("{x:02x}")).collect()]),
        ExprKind::FString(parts) => node("FString", [fparts(parts)]),
        ExprKind::Name(n) => text(n),
        ExprKind::Tuple(items) => node("Tuple", items.iter().map(expr)),
        ExprKind::List(items) => node("List", items.iter().map(expr)),
        ExprKind::Set(items) => node("Set", items.iter().map(expr)),
        ExprKind::Dict(items) => node("Dict", items.iter().map(|(k, v)| node("Pair", [optional(k.as_ref()), expr(v)]))),
        ExprKind::Starred(e) => node("Starred", [expr(e)]),
        ExprKind::Unary(op, e) => {
            let op = match op {
                UnaryOp::Neg => "-",
                UnaryOp::Pos => "+",
                UnaryOp::Invert => "~",
                UnaryOp::Not => "not",
            };
            node("Unary", [op.into(), expr(e)])
        }
        ExprKind::Binary(op, l, r) => node("Binary", [op.symbol().into(), expr(l), expr(r)]),
        ExprKind::And(l, r) => node("And", [expr(l), expr(r)]),
        ExprKind::Or(l, r) => node("Or", [expr(l), expr(r)]),
        ExprKind::Compare(first, rest) => {
            let rest = rest.iter().map(|(op, e)| format!("{} {}", op.symbol().replace(' ', "_"), expr(e)));
            node("Compare", [expr(first)].into_iter().chain(rest))
        }
        ExprKind::IfElse { test, body, orelse } => node("IfElse", [expr(test), expr(body), expr(orelse)]),
        ExprKind::Lambda(f) => {
            let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = f.body.as_slice() else {
                panic!("a lambda's body is one return");
            };
            node("Lambda", [params(&f.params), expr(value)])
        }
        ExprKind::Attr(e, name) => node("Attr", [expr(e), text(&name.name)]),
        ExprKind::Subscript(e, index) => node("Subscript", [expr(e), expr(index)]),
        ExprKind::Slice { lower, upper, step } => node("Slice", [lower, upper, step].map(|b| optional(b.as_deref()))),
        ExprKind::Call { callee, args } => node("Call", [expr(callee)].into_iter().chain(args.iter().map(arg))),
        ExprKind::Comprehension(c) => comprehension(c),
        ExprKind::Walrus(name, value) => node("Walrus", [text(&name.name), expr(value)]),
        ExprKind::Yield(value) => node("Yield", [optional(value.as_deref())]),
        ExprKind::YieldFrom(value) => node("YieldFrom", [expr(value)]),
    }
}

fn alias(a: &Alias) -> String {
    node("Alias", [text(&a.name.name), name_or_none(a.alias.as_ref())])
}

fn block(b: &Block) -> String {
    group(b.iter().map(stmt))
}

fn handler(h: &Handler) -> String {
    node("Handler", [optional(h.class.as_ref()), name_or_none(h.name.as_ref()), block(&h.body)])
}

fn pattern(p: &Pattern) -> String {
    match &p.kind {
        PatternKind::Value(value) => node("Value", [expr(value)]),
        PatternKind::Singleton(value) => node("Singleton", [expr(value)]),
        PatternKind::Capture(name) => node("Capture", [name_or_none(name.as_ref())]),
        PatternKind::Star(name) => node("Star", [name_or_none(name.as_ref())]),
        PatternKind::As(inner, name) => node("As", [pattern(inner), text(&name.name)]),
        PatternKind::Or(parts) => node("Or", parts.iter().map(pattern)),
        PatternKind::Sequence(parts) => node("Sequence", parts.iter().map(pattern)),
        PatternKind::Mapping { items, rest } => {
            let items = items.iter().map(|(key, value)| group([expr(key), pattern(value)]));
            node("Mapping", [group(items), name_or_none(rest.as_ref())])
        }
        PatternKind::Class { class, positional, keywords } => {
            let keywords = keywords.iter().map(|(name, value)| group([text(&name.name), pattern(value)]));
            node("Class", [expr(class), group(positional.iter().map(pattern)), group(keywords)])
        }
    }
}

/// One statement.
pub fn stmt(s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Expr(e) => node("Expr", [expr(e)]),
        StmtKind::Assign { targets, value } => node("Assign", [group(targets.iter().map(expr)), expr(value)]),
        StmtKind::AnnAssign { target, value, .. } => node("AnnAssign", [expr(target), optional(value.as_ref())]),
        StmtKind::AugAssign { target, op, value } => node("AugAssign", [op.symbol().into(), expr(target), expr(value)]),
        StmtKind::If { test, body, orelse } => node("If", [expr(test), block(body), block(orelse)]),
        StmtKind::While { test, body, orelse } => node("While", [expr(test), block(body), block(orelse)]),
        StmtKind::For { target, iter, body, orelse } => node("For", [expr(target), expr(iter), block(body), block(orelse)]),
        StmtKind::With { items, body } => {
            let items = items.iter().map(|(e, t)| node("Item", [expr(e), optional(t.as_ref())]));
            node("With", [group(items), block(body)])
        }
        StmtKind::Try { body, handlers, orelse, finally } => {
            node("Try", [block(body), group(handlers.iter().map(handler)), block(orelse), block(finally)])
        }
        StmtKind::Match { subject, cases } => {
            let cases = cases.iter().map(|c| node("Case", [pattern(&c.pattern), optional(c.guard.as_ref()), block(&c.body)]));
            node("Match", [expr(subject), group(cases)])
        }
        StmtKind::Def { name, function, decorators } => {
            let decorators = group(decorators.iter().map(expr));
            node("Def", [text(&name.name), params(&function.params), block(&function.body), decorators])
        }
        StmtKind::Class { name, class, decorators } => {
            let decorators = group(decorators.iter().map(expr));
            node("Class", [text(&name.name), group(class.bases.iter().map(arg)), block(&class.body), decorators])
        }
        StmtKind::Return(e) => node("Return", [optional(e.as_ref())]),
        StmtKind::Raise { exc, cause } => node("Raise", [optional(exc.as_ref()), optional(cause.as_ref())]),
        StmtKind::Assert { test, message } => node("Assert", [expr(test), optional(message.as_ref())]),
        StmtKind::Del(targets) => node("Del", targets.iter().map(expr)),
        StmtKind::Global(names) => node("Global", names.iter().map(|n| text(&n.name))),
        StmtKind::Nonlocal(names) => node("Nonlocal", names.iter().map(|n| text(&n.name))),
        StmtKind::Import(names) => node("Import", names.iter().map(alias)),
        StmtKind::FromImport { module, names } => node("From", [text(&module.name)].into_iter().chain(names.iter().map(alias))),
        StmtKind::Break => "(Break)".into(),
        StmtKind::Continue => "(Continue)".into(),
        StmtKind::Pass => "(Pass)".into(),
        StmtKind::Shell(c) => node("Shell", [text(&c.word.name), text(&c.rest)]),
    }
}
