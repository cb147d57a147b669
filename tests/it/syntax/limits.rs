//! Depth and length: nothing overflows the stack, nothing takes more than linear time.

use super::{parsed, refusal, tree};
use std::time::{Duration, Instant};
use tsr::syntax::{Completeness, Options, is_incomplete, tokens};

/// Runs on a stack as the product has it.
fn on_large_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Something nested `n` deep.
fn nested(open: &str, core: &str, close: &str, n: usize) -> String {
    format!("{}{core}{}", open.repeat(n), close.repeat(n))
}

const NESTS: &[(&str, &str, &str)] = &[
    ("(", "1", ")"),
    ("(", "1", ",)"),
    ("[", "", "]"),
    ("{", "1", "}"),
    ("{1: ", "1", "}"),
    ("f(", "", ")"),
    ("f(*", "x", ")"),
    ("f(a=", "x", ")"),
    ("x[", "1", "]"),
    ("x[1:", "1", "]"),
    ("(x := ", "1", ")"),
    ("(lambda: ", "1", ")"),
    ("(1 if 1 else ", "1", ")"),
    ("[x for x in ", "y", "]"),
    ("f(x for x in ", "y", ")"),
    ("-(", "1", ")"),
    ("lambda x=", "1", ": 1"),
];

#[test]
fn brackets_nest_as_deep_as_in_cpython_in_little_time() {
    on_large_stack(|| {
        for (open, core, close) in NESTS {
            let started = Instant::now();
            assert!(parsed(&nested(open, core, close, 150)).is_ok(), "{open}");
            let taken = started.elapsed();
            assert!(taken < Duration::from_secs(2), "{open} took {taken:?}: not linear in the depth");
        }
        assert!(parsed(&nested("(", "1", ")", 200)).is_ok());
    });
}

#[test]
fn deeper_brackets_are_refused_without_recursion() {
    for open in ["(", "[", "{", "f(", "x[", "lambda x="] {
        let found = refusal(&open.repeat(100_000));
        assert!(found.starts_with("SyntaxError 1 ") && found.ends_with("too many nested parentheses"), "{open}: {found}");
    }
    assert_eq!(refusal(&nested("(", "1", ")", 201)), "SyntaxError 1 201 too many nested parentheses");
}

#[test]
fn a_file_of_data_is_refused_at_once() {
    for piece in ["a", "1,", "'", "# a", "\\\n"] {
        let found = refusal(&format!("x = [{}\ny = 1", piece.repeat((5 << 20) / piece.len())));
        assert!(found.starts_with("SyntaxError 1 "), "{piece}: {found}");
    }
    assert!(refusal(&format!("x = {}", "a".repeat(5 << 20))).ends_with("a line of more than 4 MiB is not read"));
}

#[test]
fn long_chains_are_refused_clearly_or_parsed() {
    on_large_stack(|| {
        let n = 20_000;
        let long = |piece: &str| piece.repeat(n);
        let too_deep = [
            long("-") + "x",
            long("not ") + "x",
            long("a if b else ") + "c",
            "x".to_string() + &long(".a"),
            "f".to_string() + &long("()"),
            "x".to_string() + &long("[0]"),
            "1".to_string() + &long("+1"),
            "2".to_string() + &long("**2"),
            "2".to_string() + &long("**-2"),
            "x".to_string() + &long(" and x"),
            long("lambda: ") + "x",
            "if x: y\n".to_string() + &long("elif x: y\n"),
        ];
        for text in too_deep {
            let found = refusal(&text);
            assert!(found.contains("maximum recursion depth exceeded during compilation"), "{}: {found}", &text[..20]);
        }
        for text in [long("x = ") + "1", "1".to_string() + &long(" < 1"), format!("[{}]", long("x, ")), long("'a' ")] {
            assert!(parsed(&text).is_ok(), "{}", &text[..20]);
        }
        for text in ["1".to_string() + &"+1".repeat(2900), "-".repeat(2900) + "1"] {
            assert!(parsed(&text).is_ok(), "as deep as CPython goes");
        }
    });
}

#[test]
fn blocks_nest_a_hundred_levels() {
    let stairs = |n: usize| (0..n).map(|i| format!("{}if x:\n", " ".repeat(i))).collect::<String>() + &" ".repeat(n) + "x";
    on_large_stack(move || {
        assert!(parsed(&stairs(99)).is_ok());
        assert_eq!(refusal(&stairs(100)), "IndentationError 101 101 too many levels of indentation");
    });
}

#[test]
fn integers_have_cpythons_limit() {
    assert!(parsed(&"1".repeat(4300)).is_ok());
    assert!(refusal(&"1".repeat(4301)).contains("Exceeds the limit (4300 digits) for integer string conversion"));
    assert_eq!(tree(&format!("0x{}", "f".repeat(5000))), format!("(Expr {})", "f".repeat(5000)));
}

/// Seconds this thread has run, where the system counts them (other work on the machine then does not disturb); else a clock.
fn clock() -> f64 {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = counted.and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| n / 1e9)
}

/// Seconds for one run, from as many as the coarse clock needs.
fn time(work: impl Fn()) -> f64 {
    let started = clock();
    let mut runs = 0.0;
    while runs == 0.0 || clock() - started < 0.05 {
        work();
        runs += 1.0;
    }
    (clock() - started) / runs
}

#[test]
fn time_grows_with_the_text_and_no_faster() {
    let pieces = [
        "x = f(a, b[1:2], c=3) + 5\n",
        "x = [\n1,\n2]\n",
        "if x:\n    y = '''a\n'''\n",
        "(\n",
        "'\n",
        "x = \\\n",
        "f'{x}' ",
        "x,",
    ];
    on_large_stack(move || {
        for piece in pieces {
            let (short, long) = (piece.repeat(150), piece.repeat(1200));
            let grown = time(|| drop(parsed(&long))) / time(|| drop(parsed(&short))).max(1e-4);
            assert!(grown < 40.0, "{piece:?}: 8 times the text took {grown:.0} times as long");
            let grown = time(|| drop(tokens(&long))) / time(|| drop(tokens(&short))).max(1e-4);
            assert!(grown < 40.0, "{piece:?}: 8 times the text took {grown:.0} times as long to colour");
            let judge = |text: &str| assert!(is_incomplete(text, &Options::default()) != Completeness::Incomplete { indent: 99 });
            let grown = time(|| judge(&long)) / time(|| judge(&short)).max(1e-4);
            assert!(grown < 40.0, "{piece:?}: 8 times the text took {grown:.0} times as long to judge");
        }
    });
}
