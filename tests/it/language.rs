//! Programs whose output was recorded from CPython 3.11 (`scripts/dev/record_language.py` writes the files), and what CPython
//! has no words for: places of errors, the call chain, help, and programs that would hang or exhaust the machine.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use tsr::diag::{Diagnostic, ErrorClass, Source};
use tsr::lang::{Answer, run_text, transcript};

struct Case {
    title: String,
    program: String,
    expected: String,
}

fn cases(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let parts = text.split("=== ").skip(1).map(|part| {
        let (title, rest) = part.split_once('\n').unwrap();
        let (program, expected) = rest.split_once("---\n").unwrap();
        Case { title: title.into(), program: program.into(), expected: expected.into() }
    });
    parts.collect()
}

/// What the program prints, with an error as the last line.
fn output(case: &Case) -> String {
    let mut text = String::new();
    if case.title.starts_with("[prompt]") {
        for step in transcript(&Source::new("<stdin>", case.program.as_str())) {
            text.push_str(&step.output);
            step.error.iter().for_each(|e| writeln!(text, "{}", e.headline()).unwrap());
        }
    } else {
        let answer = run_text("program", &case.program);
        text.push_str(&answer.output);
        answer.error.iter().for_each(|e| writeln!(text, "{}", e.headline()).unwrap());
    }
    text
}

fn check(file: &str) {
    let mut report = String::new();
    for case in cases(file) {
        let got = output(&case);
        if got != case.expected {
            let Case { title, program, expected } = case;
            writeln!(report, "--- {title}\n{program}expected:\n{expected}got:\n{got}").unwrap();
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

macro_rules! recorded {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(concat!(stringify!($name), ".txt"));
        })*
    };
}

recorded!(functions scopes exceptions statements patterns expressions shortcuts prompt numbers);

#[test]
fn there_are_many_programs() {
    let files = ["functions", "scopes", "exceptions", "statements", "expressions", "prompt"];
    let count: usize = files.iter().map(|f| cases(&format!("{f}.txt")).len()).sum();
    assert!(count >= 150, "{count}");
}

fn error_of(program: &str) -> Diagnostic {
    run_text("program", program).error.unwrap()
}

/// The text under the primary label.
fn place(error: &Diagnostic) -> &str {
    let label = error.labels.iter().find(|l| l.primary).unwrap();
    &error.source.as_ref().unwrap().text[label.span.range()]
}

#[test]
fn errors_point_at_the_failing_part() {
    let places = [
        ("x = 1 + (2 / 0)", "2 / 0"),
        ("a = [1]\nprint(a[0], a[7])", "a[7]"),
        ("print(1, misspelt)", "misspelt"),
        ("x = 'a'.uppper()", "uppper"),
        ("x = 5\ny = x.real.foo", "x.real.foo"),
        ("def f(a): return a\nf(1, 2)", "f(1, 2)"),
        ("x, y = 1, 2, 3", "x, y"),
        ("for i in 5: pass", "5"),
        ("print([i for i in range(3) if i / 0])", "i / 0"),
        ("d = {}\nd['k'] += 1", "d['k']"),
        ("raise ValueError('x')", "raise ValueError('x')"),
        ("assert 1 == 2, 'no'", "1 == 2"),
        ("import nothing_like_it", "nothing_like_it"),
        ("f'{1:zz}'", "1"),
        ("del missing", "del missing"),
        ("(lambda: 1)(2)", "(lambda: 1)(2)"),
        ("{[1]: 2}", "[1]"),
        ("with 5: pass", "5"),
        ("int('x')", "int('x')"),
        ("1 < 'a' < 3", "1 < 'a' < 3"),
    ];
    for (program, expected) in places {
        assert_eq!(place(&error_of(program)), expected, "{program}");
    }
}

#[test]
fn errors_name_the_calls_that_led_there() {
    let error = error_of("def f(x): return 1 / x\ndef g(x):\n    return f(x - 1)\nprint(g(1))");
    let frames: Vec<(&str, &str)> = error.frames.iter().map(|f| (f.function.as_str(), &f.source.text[f.span.range()])).collect();
    assert_eq!(place(&error), "1 / x");
    assert_eq!(frames, [("g", "g(1)"), ("f", "f(x - 1)")]);
}

#[test]
fn calls_by_built_in_code_are_named_too() {
    let error = error_of("def bad(x): return x / 0\nsorted([1], key=bad)");
    let frames: Vec<(&str, &str)> = error.frames.iter().map(|f| (f.function.as_str(), &f.source.text[f.span.range()])).collect();
    assert_eq!(place(&error), "x / 0");
    assert_eq!(frames, [("bad", "sorted([1], key=bad)")]);
}

#[test]
fn misspelt_names_get_a_suggestion() {
    let suggestions = [
        ("total = 1\nprint(totl)", "did you mean total?"),
        ("prnt(1)", "did you mean print?"),
        ("[].apend(1)", "did you mean append?"),
        ("import torch\ntorch.zerosss", "did you mean"),
        ("math.pi", "it is a module: import math"),
        ("import maht", "did you mean math?"),
        ("def f():\n    x += 1\nf()", "use `global x`"),
    ];
    for (program, expected) in suggestions {
        let error = error_of(program);
        assert!(error.help.iter().any(|h| h.contains(expected)), "{program}: {:?}", error.help);
    }
}

#[test]
fn a_cause_and_a_context_are_noted() {
    let error = error_of("try: 1 / 0\nexcept ZeroDivisionError as e: raise ValueError('v') from e");
    assert_eq!(error.notes, ["the direct cause was ZeroDivisionError: division by zero"]);
    let error = error_of("try: 1 / 0\nexcept ZeroDivisionError: missing");
    assert_eq!(error.notes, ["raised while handling ZeroDivisionError: division by zero"]);
}

#[test]
fn what_python_refuses_before_running_is_refused() {
    let programs = [
        ("return 1", "'return' outside function"),
        ("break", "'break' outside loop"),
        ("for i in []: pass\ncontinue", "'continue' not properly in loop"),
        ("def f():\n    nonlocal q", "no binding for nonlocal 'q' found"),
        ("nonlocal q", "nonlocal declaration not allowed at module level"),
        ("def f():\n    from math import *", "import * only allowed at module level"),
        ("*a, *b = [1]", "multiple starred expressions in assignment"),
        ("[x := 1 for x in [2]]", "assignment expression cannot rebind comprehension iteration variable 'x'"),
    ];
    for (program, sentence) in programs {
        let answer = run_text("program", &format!("print('ran')\n{program}"));
        let error = answer.error.unwrap();
        assert_eq!((error.class, error.message.as_str()), (ErrorClass::SyntaxError, sentence), "{program}");
        assert_eq!(answer.output, "", "{program}");
    }
}

#[test]
fn what_would_exhaust_the_machine_is_refused_at_once() {
    let programs = [
        "[0] * 10 ** 12",
        "'x' * 10 ** 15",
        "10 ** 10 ** 10",
        "2 ** 10 ** 9",
        "1 << 10 ** 12",
        "list(range(10 ** 12))",
        "(1,) * 10 ** 13",
        "bytes(10 ** 15)",
    ];
    for program in programs {
        let start = Instant::now();
        let class = error_of(program).class;
        assert!(matches!(class, ErrorClass::MemoryError | ErrorClass::OverflowError), "{program}: {class:?}");
        assert!(start.elapsed() < Duration::from_secs(5), "{program}");
    }
}

#[test]
fn deep_nesting_and_deep_recursion_are_errors() {
    let deep = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(run_text("program", &deep).error.is_some());
    let long = format!("x = {}", vec!["1"; 20000].join(" + "));
    assert_eq!(error_of(&long).class, ErrorClass::RecursionError);
    assert_eq!(error_of("def f(): return f()\nf()").class, ErrorClass::RecursionError);
    assert_eq!(error_of("def f(x): return sorted([1, 2], key=f)\nf(1)").class, ErrorClass::RecursionError);
    let Answer { output, error, .. } = run_text("program", "x = []\nfor i in range(100000): x = [x]\nprint(len(x))");
    assert_eq!((output.as_str(), error.is_none()), ("1\n", true));
}

/// Runs in a process of its own, because the flag that Ctrl-C raises belongs to the process.
#[test]
fn ctrl_c_stops_a_loop_and_the_session_lives() {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let status = child.args(["--exact", "language::interrupted_child", "--ignored", "--quiet"]).status().unwrap();
    assert!(status.success());
}

#[test]
#[ignore = "run by ctrl_c_stops_a_loop_and_the_session_lives"]
fn interrupted_child() {
    let source =
        Source::new("<stdin>", "n = 0\nwhile True: n += 1\nprint('still here')\n[x for x in iter(int, 1)]\nprint(n > 0)");
    let timer = std::thread::spawn(|| {
        for _ in 0..2 {
            std::thread::sleep(Duration::from_millis(200));
            tsr::interrupt::raise(tsr::interrupt::Reason::Wish);
        }
    });
    let steps = transcript(&source);
    timer.join().unwrap();
    assert_eq!(steps[1].error.as_ref().unwrap().class, ErrorClass::KeyboardInterrupt);
    assert_eq!(steps[2].output, "still here\n");
    assert_eq!(steps[3].error.as_ref().unwrap().class, ErrorClass::KeyboardInterrupt);
    assert_eq!(steps[4].output, "True\n");
}

#[test]
fn the_prompt_stops_at_system_exit() {
    let steps = transcript(&Source::new("<stdin>", "1\nraise SystemExit(2)\n3"));
    assert_eq!(steps.len(), 2);
}

#[test]
fn a_shell_command_without_a_prompt_is_a_clear_error() {
    let error = error_of("%who");
    assert!(error.message.contains("command of the prompt"), "{}", error.message);
}
