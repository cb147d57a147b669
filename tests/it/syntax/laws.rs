//! What is printed parses to what was printed.

use super::{parsed, sexpr};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::rc::Rc;
use tsr::diag::Span;
use tsr::syntax::ast::*;
use tsr::syntax::print;

fn ex(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

fn st(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

fn ident() -> BoxedStrategy<Ident> {
    prop_oneof![Just("x"), Just("y"), Just("match"), Just("é"), Just("_a1"), Just("f"), Just("rb"), Just("print")]
        .prop_map(|n| Ident { name: n.into(), span: Span::default() })
        .boxed()
}

fn text() -> BoxedStrategy<Rc<str>> {
    let piece = prop_oneof![
        Just("a"),
        Just("'"),
        Just("\""),
        Just("'''"),
        Just("\\"),
        Just("\n"),
        Just("{"),
        Just("}"),
        Just("\0"),
        Just("é"),
        Just("\r"),
        Just("\t"),
        Just("#"),
        Just("😀"),
        Just("\u{7f}"),
        Just("%"),
    ];
    vec(piece, 0..5).prop_map(|p| p.concat().into()).boxed()
}

/// A text that can stand inside an f-string's value.
fn plain_text() -> BoxedStrategy<Rc<str>> {
    vec(prop_oneof![Just("a"), Just("é"), Just(" "), Just("{"), Just(":"), Just("#"), Just("!")], 0..4)
        .prop_map(|p| p.concat().into())
        .boxed()
}

fn constant() -> BoxedStrategy<ExprKind> {
    prop_oneof![
        Just(ExprKind::None),
        any::<bool>().prop_map(ExprKind::Bool),
        Just(ExprKind::Ellipsis),
        (0..=i64::MAX).prop_map(ExprKind::Int),
        (0..20i64).prop_map(ExprKind::Int),
        (1u32..200).prop_map(|n| ExprKind::BigInt(Rc::new(num_bigint::BigInt::from(u64::MAX).pow(n)))),
        any::<f64>().prop_filter("a literal", |x| !x.is_nan()).prop_map(|x| ExprKind::Float(x.abs())),
        any::<f64>().prop_filter("a literal", |x| !x.is_nan()).prop_map(|x| ExprKind::Imaginary(x.abs())),
        text().prop_map(ExprKind::Str),
        vec(any::<u8>(), 0..6).prop_map(|b| ExprKind::Bytes(b.into())),
        ident().prop_map(|n| ExprKind::Name(n.name)),
    ]
    .boxed()
}

/// What an f-string of the test holds: names, numbers, calls, and strings that need no escapes.
fn fvalue() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        ident().prop_map(|n| ex(ExprKind::Name(n.name))),
        (0..9i64).prop_map(|n| ex(ExprKind::Int(n))),
        plain_text().prop_map(|t| ex(ExprKind::Str(t))),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| ex(ExprKind::Subscript(boxed(a), boxed(b)))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| ex(ExprKind::Compare(boxed(a), vec![(CompareOp::Ne, b)]))),
            vec(inner.clone(), 1..3).prop_map(|v| ex(ExprKind::Set(v))),
            (inner.clone(), inner).prop_map(|(a, b)| ex(ExprKind::Dict(vec![(Some(a), b)]))),
        ]
    })
    .boxed()
}

fn fparts() -> BoxedStrategy<Vec<FPart>> {
    let spec = vec(
        prop_oneof![
            Just(FPart::Text(">10".into())),
            ident().prop_map(|n| FPart::Value { value: ex(ExprKind::Name(n.name)), debug: None, conversion: None, spec: None }),
        ],
        0..2,
    );
    let value = (fvalue(), option::of(prop_oneof![Just('r'), Just('s'), Just('a')]), option::of(spec))
        .prop_map(|(value, conversion, spec)| FPart::Value { value, debug: None, conversion, spec });
    let debug = Just(FPart::Value {
        value: ex(ExprKind::Name("x".into())),
        debug: Some(" x = ".into()),
        conversion: Some('r'),
        spec: None,
    });
    vec(prop_oneof![text().prop_map(FPart::Text), value, debug], 0..4)
        .prop_map(|parts| {
            // As the parser leaves them: no empty text, and no two texts side by side.
            let mut kept: Vec<FPart> = vec![];
            for part in parts {
                match (kept.last(), &part) {
                    (_, FPart::Text(t)) if t.is_empty() => {}
                    (Some(FPart::Text(_)), FPart::Text(_)) => {}
                    _ => kept.push(part),
                }
            }
            kept
        })
        .boxed()
}

fn params(default: BoxedStrategy<Expr>) -> BoxedStrategy<Params> {
    let names: Vec<Ident> = ["a", "b", "c", "d"].map(|n| Ident { name: n.into(), span: Span::default() }).to_vec();
    (0..=4usize, 0..=4usize, 0..=4usize, 0..=4usize, any::<(bool, bool)>(), vec(default, 4))
        .prop_map(move |(count, positional, from, defaults, (star, double), values)| {
            let keyword_only_from = from.min(count);
            let first_default = defaults.min(keyword_only_from);
            let given = |i: usize| i >= first_default && (i < keyword_only_from || i.is_multiple_of(2));
            let named = |n: &str| Some(Ident { name: n.into(), span: Span::default() });
            Params {
                names: (0..count)
                    .map(|i| Param { ident: names[i].clone(), annotation: None, default: given(i).then(|| values[i].clone()) })
                    .collect(),
                positional_only: positional.min(keyword_only_from),
                keyword_only_from,
                star: if star { named("args") } else { None },
                double_star: if double { named("kwargs") } else { None },
                returns: None,
            }
        })
        .boxed()
}

fn target() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        ident().prop_map(|n| ex(ExprKind::Name(n.name))),
        (ident(), ident()).prop_map(|(a, b)| ex(ExprKind::Attr(boxed(ex(ExprKind::Name(a.name))), b))),
        ident().prop_map(|a| ex(ExprKind::Subscript(boxed(ex(ExprKind::Name(a.name))), boxed(ex(ExprKind::Int(0)))))),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let starred = inner.clone().prop_filter("no star in a star", |e| !matches!(e.kind, ExprKind::Starred(_)));
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(|v| ex(ExprKind::Tuple(v))),
            vec(inner.clone(), 0..3).prop_map(|v| ex(ExprKind::List(v))),
            (vec(inner, 0..2), starred).prop_map(|(mut v, s)| {
                v.push(ex(ExprKind::Starred(boxed(s))));
                ex(ExprKind::Tuple(v))
            }),
        ]
    })
    .boxed()
}

fn operator() -> BoxedStrategy<BinaryOp> {
    let all = ["+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"];
    (0..all.len()).prop_map(move |i| BinaryOp::from_symbol(all[i]).unwrap()).boxed()
}

fn comparison() -> BoxedStrategy<CompareOp> {
    let all = ["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"];
    (0..all.len()).prop_map(move |i| CompareOp::from_symbol(all[i]).unwrap()).boxed()
}

fn expr() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![4 => constant(), 1 => fparts().prop_map(ExprKind::FString)].prop_map(ex);
    leaf.prop_recursive(5, 40, 4, |e| prop_oneof![operators(e.clone()), displays(e.clone()), trailers(e)]).boxed()
}

fn operators(e: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let unary = prop_oneof![Just(UnaryOp::Neg), Just(UnaryOp::Pos), Just(UnaryOp::Invert), Just(UnaryOp::Not)];
    prop_oneof![
        (unary, e.clone()).prop_map(|(op, a)| ExprKind::Unary(op, boxed(a))),
        (operator(), e.clone(), e.clone()).prop_map(|(op, a, b)| ExprKind::Binary(op, boxed(a), boxed(b))),
        (e.clone(), e.clone()).prop_map(|(a, b)| ExprKind::And(boxed(a), boxed(b))),
        (e.clone(), e.clone()).prop_map(|(a, b)| ExprKind::Or(boxed(a), boxed(b))),
        (e.clone(), vec((comparison(), e.clone()), 1..3)).prop_map(|(a, rest)| ExprKind::Compare(boxed(a), rest)),
        (e.clone(), e.clone(), e.clone()).prop_map(|(a, b, c)| ExprKind::IfElse {
            test: boxed(a),
            body: boxed(b),
            orelse: boxed(c)
        }),
        (params(e.clone()), e.clone()).prop_map(|(params, value)| {
            let body = vec![st(StmtKind::Return(Some(value)))];
            ExprKind::Lambda(Rc::new(Function { params, body, doc: None, span: Span::default() }))
        }),
        (ident(), e).prop_map(|(n, a)| ExprKind::Walrus(n, boxed(a))),
    ]
    .prop_map(ex)
    .boxed()
}

fn displays(e: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let item = prop_oneof![4 => e.clone(), 1 => e.clone().prop_map(|a| ex(ExprKind::Starred(boxed(a))))];
    let clause = (target(), e.clone(), vec(e.clone(), 0..2)).prop_map(|(target, iter, tests)| ForClause { target, iter, tests });
    let kind = prop_oneof![
        Just(ComprehensionKind::List),
        Just(ComprehensionKind::Set),
        Just(ComprehensionKind::Dict),
        Just(ComprehensionKind::Generator)
    ];
    prop_oneof![
        vec(item.clone(), 0..4).prop_map(ExprKind::Tuple),
        vec(item.clone(), 0..4).prop_map(ExprKind::List),
        vec(item, 1..4).prop_map(ExprKind::Set),
        vec((option::of(e.clone()), e.clone()), 0..3).prop_map(ExprKind::Dict),
        (kind, e.clone(), e, vec(clause, 1..3)).prop_map(|(kind, element, value, clauses)| {
            let value = (kind == ComprehensionKind::Dict).then_some(value);
            ExprKind::Comprehension(Box::new(Comprehension { kind, element, value, clauses }))
        }),
    ]
    .prop_map(ex)
    .boxed()
}

fn trailers(e: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let bound = || option::of(e.clone().prop_map(boxed));
    let slice = (bound(), bound(), bound()).prop_map(|(lower, upper, step)| ex(ExprKind::Slice { lower, upper, step }));
    let index =
        prop_oneof![e.clone(), slice.clone(), vec(prop_oneof![e.clone(), slice], 1..3).prop_map(|v| ex(ExprKind::Tuple(v)))];
    let args = (vec(e.clone(), 0..3), option::of(e.clone()), option::of(e.clone()), option::of(e.clone())).prop_map(
        |(plain, star, keyword, double)| {
            let name = Ident { name: "key".into(), span: Span::default() };
            let plain = plain.into_iter().map(Arg::Positional);
            let rest = [star.map(Arg::Star), keyword.map(|k| Arg::Keyword(name, k)), double.map(Arg::DoubleStar)];
            plain.chain(rest.into_iter().flatten()).collect::<Vec<_>>()
        },
    );
    prop_oneof![
        (e.clone(), ident()).prop_map(|(a, n)| ExprKind::Attr(boxed(a), n)),
        (e.clone(), index).prop_map(|(a, i)| ExprKind::Subscript(boxed(a), boxed(i))),
        (e.clone(), args).prop_map(|(callee, args)| ExprKind::Call { callee: boxed(callee), args }),
    ]
    .prop_map(ex)
    .boxed()
}

fn simple() -> BoxedStrategy<Stmt> {
    let alias = (ident(), option::of(ident())).prop_map(|(name, alias)| Alias { name, alias }).boxed();
    let single = target().prop_filter("no list", |t| !matches!(t.kind, ExprKind::Tuple(_) | ExprKind::List(_))).boxed();
    let command = prop_oneof![Just(("layout", "x, y")), Just(("who", "")), Just(("help", "x.t")), Just(("shell", "ls 'a"))];
    prop_oneof![
        expr().prop_map(StmtKind::Expr),
        (vec(target(), 1..3), expr()).prop_map(|(targets, value)| StmtKind::Assign { targets, value }),
        (single.clone(), expr(), option::of(expr())).prop_map(|(target, annotation, value)| StmtKind::AnnAssign {
            target,
            annotation,
            value
        }),
        (single, operator(), expr()).prop_map(|(target, op, value)| StmtKind::AugAssign { target, op, value }),
        (expr(), option::of(expr())).prop_map(|(e, c)| StmtKind::Raise { exc: Some(e), cause: c }),
        (expr(), option::of(expr())).prop_map(|(test, message)| StmtKind::Assert { test, message }),
        vec(alias.clone(), 1..3).prop_map(StmtKind::Import),
        (ident(), vec(alias, 0..3)).prop_map(|(module, names)| StmtKind::FromImport { module, names }),
        Just(StmtKind::Pass),
        command.prop_map(|(word, rest)| {
            let word = Ident { name: word.into(), span: Span::default() };
            StmtKind::Shell(ShellCommand { word, rest: rest.into(), rest_span: Span::default() })
        }),
    ]
    .prop_map(st)
    .boxed()
}

fn pat(kind: PatternKind) -> Pattern {
    Pattern { kind, span: Span::default() }
}

/// A name that no other part of a pattern binds: each is numbered where it stands.
fn renamed(pattern: &mut Pattern, next: &mut usize) {
    let mut fresh = || {
        *next += 1;
        Ident { name: format!("n{next}").into(), span: Span::default() }
    };
    match &mut pattern.kind {
        PatternKind::Capture(Some(name)) | PatternKind::Star(Some(name)) => *name = fresh(),
        PatternKind::As(inner, name) => {
            *name = fresh();
            renamed(inner, next);
        }
        PatternKind::Sequence(parts) => parts.iter_mut().for_each(|p| renamed(p, next)),
        PatternKind::Mapping { items, rest } => {
            rest.iter_mut().for_each(|name| *name = fresh());
            items.iter_mut().for_each(|(_, p)| renamed(p, next));
        }
        PatternKind::Class { positional, keywords, .. } => {
            positional.iter_mut().for_each(|p| renamed(p, next));
            for (name, p) in keywords {
                *next += 1;
                name.name = format!("k{next}").into();
                renamed(p, next);
            }
        }
        _ => {}
    }
}

/// A pattern that binds no name twice; alternatives bind none, so that all bind the same.
fn pattern() -> BoxedStrategy<Pattern> {
    let value = prop_oneof![
        (0..9i64).prop_map(|n| ex(ExprKind::Int(n))),
        text().prop_map(|t| ex(ExprKind::Str(t))),
        (ident(), ident()).prop_map(|(a, b)| ex(ExprKind::Attr(boxed(ex(ExprKind::Name(a.name))), b))),
    ];
    let value = value.prop_map(|v| pat(PatternKind::Value(v)));
    let constant = any::<bool>().prop_map(|b| pat(PatternKind::Singleton(ex(ExprKind::Bool(b)))));
    let capture = ident().prop_map(|n| pat(PatternKind::Capture(Some(n))));
    let leaf = prop_oneof![value.clone(), constant, capture];
    let options = vec(value, 2..4).prop_map(|options| pat(PatternKind::Or(options)));
    let tree = prop_oneof![leaf, options].prop_recursive(3, 12, 3, |p| {
        let items = vec(p.clone(), 0..3);
        let star = option::of(option::of(ident()));
        let keys = (vec(p.clone(), 0..3), option::of(ident()));
        prop_oneof![
            (items.clone(), star).prop_map(|(mut items, star)| {
                items.extend(star.map(|name| pat(PatternKind::Star(name))));
                pat(PatternKind::Sequence(items))
            }),
            (p.clone(), ident()).prop_map(|(p, name)| pat(PatternKind::As(Box::new(p), name))),
            keys.prop_map(|(values, rest)| {
                let items = values.into_iter().enumerate().map(|(i, p)| (ex(ExprKind::Int(i as i64)), p)).collect();
                pat(PatternKind::Mapping { items, rest })
            }),
            (ident(), items, vec((ident(), p), 0..2)).prop_map(|(class, positional, keywords)| {
                pat(PatternKind::Class { class: ex(ExprKind::Name(class.name)), positional, keywords })
            }),
        ]
    });
    let numbered = tree.prop_map(|mut pattern| {
        renamed(&mut pattern, &mut 0);
        pattern
    });
    numbered.boxed()
}

fn statement() -> BoxedStrategy<Stmt> {
    simple()
        .prop_recursive(3, 12, 3, |s| {
            let block = vec(s, 1..3);
            let orelse = prop_oneof![Just(vec![]), block.clone()];
            let handler = (expr(), option::of(ident()), block.clone()).prop_map(|(class, name, body)| Handler {
                class: Some(class),
                name,
                body,
                span: Span::default(),
            });
            let finally = (vec(handler, 0..3), orelse.clone(), block.clone(), any::<bool>());
            prop_oneof![
                (expr(), block.clone(), orelse.clone()).prop_map(|(test, body, orelse)| StmtKind::If { test, body, orelse }),
                (expr(), block.clone(), orelse.clone()).prop_map(|(test, body, orelse)| StmtKind::While { test, body, orelse }),
                (target(), expr(), block.clone(), orelse).prop_map(|(target, iter, body, orelse)| StmtKind::For {
                    target,
                    iter,
                    body,
                    orelse
                }),
                (vec((expr(), option::of(target())), 1..3), block.clone())
                    .prop_map(|(items, body)| StmtKind::With { items, body }),
                (block.clone(), finally).prop_map(|(body, (handlers, orelse, finally, keep))| {
                    let finally = if keep || handlers.is_empty() { finally } else { vec![] };
                    let orelse = if handlers.is_empty() { vec![] } else { orelse };
                    StmtKind::Try { body, handlers, orelse, finally }
                }),
                (expr(), pattern(), option::of(expr()), block.clone()).prop_map(|(subject, pattern, guard, body)| {
                    StmtKind::Match { subject, cases: vec![Case { pattern, guard, body }] }
                }),
                (ident(), vec(expr(), 0..2), block.clone(), vec(expr(), 0..2)).prop_map(|(name, bases, body, decorators)| {
                    let bases = bases.into_iter().map(Arg::Positional).collect();
                    StmtKind::Class { name, class: Rc::new(ClassBody { bases, body, doc: None }), decorators }
                }),
                (ident(), params(expr()), block, vec(expr(), 0..2)).prop_map(|(name, params, body, decorators)| {
                    let function = Function { params, body, doc: None, span: Span::default() };
                    StmtKind::Def { name, function: Rc::new(function), decorators }
                }),
            ]
            .prop_map(st)
        })
        .boxed()
}

/// True for refusals that concern scopes, which the trees of this test do not respect.
fn about_scopes(message: &str) -> bool {
    ["assignment expression", "comprehension inner loop", "annotated name", "import *"].iter().any(|m| message.starts_with(m))
}

/// Prints, parses, compares the trees, and prints again.
fn check(block: &Block) -> Result<(), TestCaseError> {
    let printed = print(block);
    let again = match parsed(&printed) {
        Ok(again) => again,
        Err(refusal) if about_scopes(&refusal.message) => return Err(TestCaseError::reject("scopes")),
        Err(refusal) => return Err(TestCaseError::fail(format!("{}\n{printed}", refusal.headline()))),
    };
    prop_assert_eq!(sexpr::block_lines(&again), sexpr::block_lines(block), "\n{}", printed);
    prop_assert_eq!(print(&again), printed);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions_survive_printing(e in expr()) {
        check(&vec![st(StmtKind::Expr(e))])?;
    }

    #[test]
    fn statements_survive_printing(block in vec(statement(), 1..3)) {
        check(&block)?;
    }
}

#[test]
fn what_is_printed_reads_well() {
    let print_of = |text: &str| print(&parsed(text).expect(text));
    for text in [
        "x = (a + b) * c - -d ** 2\n",
        "y = [i for i, j in z if i]\n",
        "f(a, *b, c=1, **d)[1:, ::2, None].t()\n",
        "if a:\n    pass\nelif b:\n    x = lambda a, /, b=1, *, c: a\nelse:\n    raise X('it') from e\n",
        "print(f'{x!r:>{w}} {y=}')\n",
    ] {
        let expected = text.replace("i, j in", "(i, j) in").replace("{y=}", "{y=!r}");
        assert_eq!(print_of(text), expected);
    }
    assert_eq!(print_of("%layout x # c\nx?\n!ls"), "%layout x\n?x\n!ls\n");
}
