//! The doors: recovering, completeness, colouring, shell lines, single expressions, and the places in the tree.

use super::{describe, sexpr, source};
use tsr::diag::Span;
use tsr::syntax::ast::{Expr, ExprKind, StmtKind};
use tsr::syntax::{Completeness, Options, TokenKind, is_incomplete, parse, parse_expression, parse_recovering, tokens};

const COMMANDS: Options = Options { commands: &["explain", "layout", "time"] };

/// Each entry's text with its tree or its error.
fn entries(text: &str) -> Vec<(String, String)> {
    let source = source(text);
    let one = |entry: tsr::syntax::Entry| {
        let said = match &entry.block {
            Ok(block) => sexpr::block_lines(block),
            Err(refusal) => describe(text, refusal),
        };
        (text[entry.span.range()].to_string(), said)
    };
    parse_recovering(&source, &COMMANDS).into_iter().map(one).collect()
}

/// The texts of the entries that are refused.
fn refused(text: &str) -> Vec<String> {
    entries(text).into_iter().filter(|(_, said)| said.contains("Error ")).map(|(t, _)| t.trim_end().to_string()).collect()
}

#[test]
fn entries_cover_their_lines() {
    let texts = |text: &str| entries(text).into_iter().map(|(t, _)| t).collect::<Vec<_>>();
    assert_eq!(texts("x = 1\n\n# c\ny\n"), ["x = 1\n", "y\n"]);
    assert_eq!(texts("x; y\nz"), ["x; y\n", "z"]);
    assert_eq!(texts("if x:\n  y\n\n  z\nelse:\n  w\n\nv"), ["if x:\n  y\n\n  z\nelse:\n  w\n", "v"]);
    assert_eq!(texts("try:\n  x\nexcept A:\n  y\nfinally:\n  z\nw"), ["try:\n  x\nexcept A:\n  y\nfinally:\n  z\n", "w"]);
    assert_eq!(texts("@a\n@b\ndef f():\n  x\ny"), ["@a\n@b\ndef f():\n  x\n", "y"]);
    assert_eq!(texts("x = (1,\n  2)\ny"), ["x = (1,\n  2)\n", "y"]);
    assert_eq!(texts("for x in y: z\nw"), ["for x in y: z\n", "w"]);
    assert_eq!(texts("%who\nx?\n"), ["%who\n", "x?\n"]);
}

#[test]
fn a_bad_entry_does_not_swallow_the_next() {
    assert_eq!(refused("x = 5 5\ny"), ["x = 5 5"]);
    assert_eq!(refused("x = (1,\ny = 2\nz"), ["x = (1,"]);
    assert_eq!(refused("x = (1,\n  2,\n\n  3\ny = 2"), ["x = (1,\n  2,\n\n  3"]);
    assert_eq!(refused("x = [1, 2\n]]\ny"), ["x = [1, 2\n]]"]);
    assert_eq!(refused("x = (1]\ny"), ["x = (1]"]);
    assert_eq!(refused("x = 'abc\ny = 2"), ["x = 'abc"]);
    assert_eq!(refused("x = '''abc\ny = 2"), ["x = '''abc"]);
    assert_eq!(refused("if x = 3:\n    y\nelse:\n    z\nw"), ["if x = 3:\n    y\nelse:\n    z"]);
    assert_eq!(refused("for i in x\n    y\nz"), ["for i in x\n    y"]);
    assert_eq!(refused("x = 1\n  y\nz"), ["  y"]);
    assert_eq!(refused("async def f(x):\n  if x:\n    pass\nx"), ["async def f(x):\n  if x:\n    pass"]);
    assert_eq!(refused("return\nbreak\nx"), ["return", "break"]);
    assert_eq!(refused("if x:\ny"), ["if x:"]);
    assert_eq!(refused("if x:\n    y\n  z\nw"), ["if x:\n    y\n  z"]);
    assert_eq!(refused("x = 1 $ 2\ny = \u{201C}a\nz"), ["x = 1 $ 2", "y = \u{201C}a"]);
    assert_eq!(refused("else:\n  x\ny"), ["else:\n  x"]);
}

#[test]
fn the_good_entries_between_bad_ones_are_read() {
    let found = entries("x = (\ny = 1\nz = 2 3\nw = 2");
    let said: Vec<&str> = found.iter().map(|(_, said)| said.as_str()).collect();
    assert_eq!(
        said,
        ["SyntaxError 1 5 '(' was never closed", "(Assign ['y'] 1)", "SyntaxError 3 7 invalid syntax", "(Assign ['w'] 2)"]
    );
}

#[test]
fn an_entry_goes_on_as_in_pythons_prompt() {
    let go_on = |text: &str| match is_incomplete(text, &COMMANDS) {
        Completeness::Complete => None,
        Completeness::Incomplete { indent } => Some(indent),
    };
    let complete = [
        "",
        "   ",
        "# x",
        "x",
        "x = 1",
        "x; y",
        "f(x)",
        "x = 5 5",
        "x = )",
        "(]",
        "'abc",
        "if x = 3:",
        "for x in y",
        "%time f(",
        "!ls (",
        "x?",
        "if x: y\n",
        "if x:\n    y\n",
        "if x:\n    y\n    ",
        "if x:\n",
        "def f(): return 1\n",
        "match = 3",
        "match(x)",
        "return",
        "x = 5 5\nif y:",
        "else:",
        "explain x.t()",
        "@a\ndef f(): pass\n",
        "'''a'''",
        "x \\\n+ 1",
        "if x:\n    y\nelse:\n    z\n",
    ];
    for text in complete {
        assert_eq!(go_on(text), None, "{text:?}");
    }
    let incomplete = [
        ("f(", 4),
        ("x = [1,", 4),
        ("x = [\n  1,", 2),
        ("if x:\n    f(", 8),
        ("'''abc", 0),
        ("x = '''abc\n  d", 0),
        ("x = 1 + \\", 4),
        ("if x:", 4),
        ("if x:\n    y", 4),
        ("match x:", 4),
        ("match x:\n    case 1:", 8),
        ("if x:\n  y", 2),
        ("if x: y", 0),
        ("if x:\n    if y:", 8),
        ("if x:\n    if y:\n        pass", 4),
        ("def f():\n    return 1", 0),
        ("for x in y:\n    %layout x", 4),
        ("for x in y:\n    layout x", 4),
        ("@a", 0),
        ("class A:", 4),
        ("class A:\n    def f(self):", 8),
        ("class A:\n    x = 1", 4),
        ("try:\n    x\nexcept A:", 4),
        ("try:\n    x", 4),
        ("while (x and\n  y", 2),
        ("else_ = {", 4),
    ];
    for (text, indent) in incomplete {
        assert_eq!(go_on(text), Some(indent), "{text:?}");
    }
}

/// Word, rest, and where the two stand.
fn shell(text: &str) -> (String, String, String, String) {
    let block = parse(&source(text), &COMMANDS).unwrap_or_else(|e| panic!("{text:?}: {}", e.headline()));
    match &block[0].kind {
        StmtKind::Shell(c) => {
            let at = |span: Span| text[span.range()].to_string();
            (c.word.name.to_string(), c.rest.clone(), at(c.word.span), at(c.rest_span))
        }
        other => panic!("{text:?} is {other:?}"),
    }
}

#[test]
fn shell_lines() {
    let cases = [
        ("%layout x", "layout", "x", "layout"),
        ("%who", "who", "", "who"),
        ("  %who".trim_start(), "who", "", "who"),
        ("%time  f(x)  # how long", "time", "f(x)", "time"),
        ("%time f('#')", "time", "f('#')", "time"),
        ("%cd a#b", "cd", "a#b", "cd"),
        ("%time (", "time", "(", "time"),
        ("!ls -l 'a  # b", "shell", "ls -l 'a  # b", "!"),
        ("! echo it's", "shell", "echo it's", "!"),
        ("?x.view", "help", "x.view", "?"),
        ("?? x", "help", "x", "??"),
        ("?", "help", "", "?"),
        ("x.view?", "help", "x.view", "?"),
        ("torch.add ??", "help", "torch.add", " ??"),
        ("x?  # c", "help", "x", "?"),
        ("explain x.t().view(-1)", "explain", "x.t().view(-1)", "explain"),
        ("layout x, y", "layout", "x, y", "layout"),
        ("explain f(x,\n  y)", "explain", "f(x,\n  y)", "explain"),
        ("time x = f(y)", "time", "x = f(y)", "time"),
        ("layout x  # c", "layout", "x", "layout"),
    ];
    for (text, word, rest, word_text) in cases {
        let found = shell(text);
        assert_eq!((found.0.as_str(), found.1.as_str(), found.3.as_str()), (word, rest, rest), "{text:?}");
        assert_eq!(found.2, word_text, "{text:?}");
    }
}

#[test]
fn python_goes_before_bare_words() {
    for text in ["explain", "explain(x)", "layout = 1", "layout, x = 1, 2", "explain -x", "time.time()", "layout [1]"] {
        let block = parse(&source(text), &COMMANDS).expect(text);
        assert!(!matches!(block[0].kind, StmtKind::Shell(_)), "{text}");
    }
    assert!(parse(&source("explain x"), &Options::default()).is_err(), "unknown words are no commands");
    assert!(parse(&source("layoutx y"), &COMMANDS).is_err());
}

#[test]
fn shell_lines_stand_in_blocks() {
    let block = parse(&source("for x in y:\n    %layout x\n    layout x\n    x?\nelse:\n    !ls"), &COMMANDS).expect("a loop");
    assert_eq!(
        sexpr::block_lines(&block),
        "(For 'x' 'y' [(Shell 'layout' 'x') (Shell 'layout' 'x') (Shell 'help' 'x')] [(Shell 'shell' 'ls')])"
    );
}

#[test]
fn one_expression() {
    let text = "%explain  x + 1, y  ";
    let source = source(text);
    let parse_at = |from: usize, to: usize| parse_expression(&source, Span::new(from, to));
    let found = parse_at(10, text.len()).expect("an expression");
    assert_eq!(sexpr::expr(&found), "(Tuple (Binary + 'x' 1) 'y')");
    assert_eq!(&text[found.span.range()], "x + 1, y");
    for (from, to) in [(0, 8), (10, 13), (9, 10), (10, 200), (12, 11)] {
        let refusal = parse_at(from, to).expect_err("no expression");
        assert_eq!(refusal.class.name(), "SyntaxError");
        assert!(refusal.source.is_some() && !refusal.labels.is_empty());
    }
}

#[test]
fn colours() {
    use TokenKind::{Bracket, Command, Comment, Keyword, Name, Number, Operator};
    let kinds = |text: &str| tokens(text).into_iter().map(|(s, k)| (text[s.range()].to_string(), k)).collect::<Vec<_>>();
    let expect = |text: &str, wanted: &[(&str, TokenKind)]| {
        let wanted: Vec<(String, TokenKind)> = wanted.iter().map(|(t, k)| (t.to_string(), *k)).collect();
        assert_eq!(kinds(text), wanted, "{text:?}");
    };
    expect(
        "if x1 == 1.5: # c",
        &[("if", Keyword), ("x1", Name), ("==", Operator), ("1.5", Number), (":", Operator), ("# c", Comment)],
    );
    expect(
        "f('a', r\"b\")",
        &[
            ("f", Name),
            ("(", Bracket),
            ("'a'", TokenKind::String),
            (",", Operator),
            ("r\"b\"", TokenKind::String),
            (")", Bracket),
        ],
    );
    expect("'open\nx", &[("'open", TokenKind::String), ("x", Name)]);
    expect("'''open\nx", &[("'''open\nx", TokenKind::String)]);
    expect("%layout x", &[("%layout", Command), ("x", Name)]);
    expect("!ls -l\nx", &[("!ls -l", Command), ("x", Name)]);
    expect("?x", &[("?", Command), ("x", Name)]);
    expect("x?", &[("x", Name), ("?", Command)]);
    expect("(\n%x)", &[("(", Bracket), ("%", Operator), ("x", Name), (")", Bracket)]);
    expect("1_ é €", &[("1_", Number), ("é", Name), ("€", Operator)]);
}

/// Every expression of a text with the part of the text it stands for, outermost first.
fn places(text: &str) -> Vec<String> {
    fn visit(expr: &Expr, text: &str, found: &mut Vec<String>) {
        found.push(text[expr.span.range()].to_string());
        match &expr.kind {
            ExprKind::Binary(_, l, r) | ExprKind::And(l, r) | ExprKind::Subscript(l, r) => {
                visit(l, text, found);
                visit(r, text, found);
            }
            ExprKind::Unary(_, e) | ExprKind::Attr(e, _) => visit(e, text, found),
            ExprKind::Tuple(items) => items.iter().for_each(|e| visit(e, text, found)),
            ExprKind::Call { callee, .. } => visit(callee, text, found),
            ExprKind::IfElse { test, body, orelse } => [body, test, orelse].iter().for_each(|e| visit(e, text, found)),
            ExprKind::FString(parts) => {
                for part in parts {
                    if let tsr::syntax::ast::FPart::Value { value, .. } = part {
                        visit(value, text, found);
                    }
                }
            }
            _ => {}
        }
    }
    let block = super::parsed(text).expect(text);
    let mut found = vec![];
    if let StmtKind::Expr(expr) = &block[0].kind {
        visit(expr, text, &mut found);
    }
    found
}

#[test]
fn spans_leave_out_parentheses_but_not_those_of_their_parts() {
    assert_eq!(places("(a) + (b)"), ["(a) + (b)", "a", "b"]);
    assert_eq!(places("( a + b )  * c  # d"), ["( a + b )  * c", "a + b", "a", "b", "c"]);
    assert_eq!(places("-(a)"), ["-(a)", "a"]);
    assert_eq!(places("(a).b (c)[d]  "), ["(a).b (c)[d]", "(a).b (c)", "(a).b", "a", "d"]);
    assert_eq!(places("(a) if (b) else (c)"), ["(a) if (b) else (c)", "a", "b", "c"]);
    assert_eq!(places("(a, b)"), ["(a, b)", "a", "b"]);
    assert_eq!(places("x[(a), b ]"), ["x[(a), b ]", "x", "(a), b", "a", "b"]);
    assert_eq!(places("é + f'ü{ x }{y}'"), ["é + f'ü{ x }{y}'", "é", "f'ü{ x }{y}'", "x", "y"]);
}

#[test]
fn errors_inside_f_strings_point_into_them() {
    let text = "x = f'ab{ c d }'";
    let refusal = super::parsed(text).expect_err("two names");
    assert_eq!(&text[refusal.labels[0].span.range()], "c d");
    assert_eq!(refusal.message, "f-string: invalid syntax. Perhaps you forgot a comma?");
}

#[test]
fn ways_out() {
    let help = |text: &str| super::parsed(text).expect_err(text).help.join(" ");
    for (text, part) in [
        ("print x", "print(x)"),
        ("x && y", "and"),
        ("x++", "+= 1"),
        ("else if x: y", ""),
        ("if a: b\nelse if x: y", "elif"),
        ("lambda = 1", "lambda_"),
        ("x = \u{201C}a\u{201D}", "Write \" in its place"),
        ("f'{x['a']}'", "other kind of quotes"),
        ("try: pass\nexcept A, B: pass", "(A, B)"),
        ("for x in y print(x)", "':'"),
    ] {
        assert!(help(text).contains(part), "{text:?}: {:?}", help(text));
    }
}
