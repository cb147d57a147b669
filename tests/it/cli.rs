//! The command line: what is printed where, and the exit codes.

use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn tsr() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsr"));
    command.env("LC_ALL", "C.UTF-8").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("TERM");
    command
}

fn run(args: &[&str], stdin: &[u8]) -> Output {
    let mut child =
        tsr().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("tsr starts");
    // A program that does not read its standard input may be gone already.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    child.wait_with_output().expect("tsr ends")
}

fn stdout(args: &[&str], stdin: &[u8]) -> String {
    let output = run(args, stdin);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn cases() {
    trycmd::TestCases::new()
        .register_bin("tsr", std::path::Path::new(env!("CARGO_BIN_EXE_tsr")))
        .env("LC_ALL", "C.UTF-8")
        .case("tests/cmd/*.trycmd");
}

#[test]
fn standard_input_is_a_program() {
    assert_eq!(stdout(&[], b"x = 20\nx\nprint(x + 1)\n"), "21\n");
    // A block that the end of the input leaves open is run all the same.
    assert_eq!(stdout(&[], b"for i in range(2):\n    print(i)"), "0\n1\n");
    assert_eq!(stdout(&[], b"\xef\xbb\xbfprint(1)\r\nprint(2)\r\n"), "1\n2\n");
    assert_eq!(stdout(&[], b""), "");
}

#[test]
fn standard_input_can_feed_the_prompt() {
    assert_eq!(stdout(&["-i", "-c", "x = 1"], b"x + 1\nfor i in range(2):\n    i\n\n_ + 10\n"), "2\n0\n1\n11\n");
    assert_eq!(stdout(&["-i", "-c", ""], b"for i in range(2):\n    i"), "0\n1\n");
}

#[test]
fn output_and_diagnostics_go_their_own_ways() {
    let output = run(&["-c", "print('before')\n1 / 0\nprint('after')"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"before\n");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.starts_with("ZeroDivisionError: division by zero\n --> <string>:2:1\n"), "{errors}");
}

#[test]
fn colors_are_for_terminals_unless_asked_for() {
    let colored = |args: &[&str], env: &[(&str, &str)]| {
        let output = tsr().args(args).envs(env.iter().copied()).args(["-c", "1 / 0"]).output().expect("tsr runs");
        output.stderr.contains(&0x1b)
    };
    assert!(!colored(&[], &[]));
    assert!(colored(&["--color", "always"], &[]));
    assert!(colored(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn a_locale_without_unicode_gets_seven_bits() {
    let output = tsr().env("LC_ALL", "C").args(["-c", "%layout torch.arange(3.)\nundefinéd"]).output().expect("tsr runs");
    let plain = tsr().args(["--ascii", "-c", "%layout torch.arange(3.)\nundefinéd"]).output().expect("tsr runs");
    assert_eq!(output, plain);
    assert!(output.stdout.is_ascii() && output.stderr.is_ascii(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("+----+----+----+"), "{output:?}");
}

#[test]
fn a_reader_that_leaves_ends_the_program_quietly() {
    let mut child = tsr()
        .args(["-c", "for i in range(10 ** 9): print(i)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tsr starts");
    let mut first = [0; 2];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("output");
    assert_eq!(&first, b"0\n");
    let output = child.wait_with_output().expect("tsr ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_does_not_arrive_is_told() {
    for code in ["print(1)", "for i in range(10 ** 9): print(i)"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that takes nothing");
        let output = tsr().args(["-c", code]).stdout(full).output().expect("tsr runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.starts_with("OSError: [Errno 28] No space left on device\n"), "{errors}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn lessons_come_with_the_command() {
    let listed = stdout(&["lesson"], b"");
    assert!(listed.starts_with("  1  storage            A tensor is a view of a storage.\n"), "{listed}");
    let output = run(&["lesson", "no_such"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("help: tsr lesson lists those"), "{output:?}");
    let home = std::env::temp_dir().join(format!("tsr-lessons-{}", std::process::id()));
    let output = tsr().args(["lesson", "linear"]).env("XDG_DATA_HOME", &home).stdin(Stdio::null()).output().expect("tsr runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Lesson 8. Linear regression"), "{output:?}");
    assert!(!cfg!(target_os = "linux") || home.join("tsr/lessons/systolic-blood-pressure-vs-age.dat").is_file());
    // A test that fails leaves it for who looks.
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn what_was_typed_is_saved_and_run() {
    let folder = std::env::temp_dir().join(format!("tsr-save-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (saved, again) = (folder.join("a session.tsr"), folder.join("again.tsr"));
    let typed = format!("x = 3\n1 / 0\n%help\nfor i in range(2):\n    x += i\n\n%save '{}'\n", saved.display());
    run(&["-i", "-c", ""], typed.as_bytes());
    let text = std::fs::read_to_string(&saved).expect("it was written");
    assert_eq!(text, "import torch\n\nx = 3\nfor i in range(2):\n    x += i\n");
    std::fs::write(&again, format!("import sys\n%run '{}' a 'b c'\nprint(x, sys.argv, __file__)\n", saved.display()))
        .expect("room");
    let name = again.display().to_string();
    assert_eq!(stdout(&[&name, "1"], b""), format!("4 ['{name}', '1'] {name}\n"));
    std::fs::write(&again, format!("%run {name}\n")).expect("room");
    let output = run(&[&name], b"");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("RecursionError: programs run each other more than 20 deep"),
        "{output:?}"
    );
    let _ = std::fs::remove_dir_all(folder);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_program_with_130() {
    for code in
        ["while True: pass", "x = 10 ** (10 ** 7); y = x * x * x", "import math; math.gcd(3 ** 4_000_000, 7 ** 2_000_000)"]
    {
        interrupted(code);
    }
}

#[cfg(unix)]
fn interrupted(code: &str) {
    let mut child = tsr().args(["-c", code]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("tsr starts");
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let status = child.wait().expect("tsr ends");
    assert_eq!(status.code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn bad_texts_are_refused_with_their_place() {
    let errors = |stdin: &[u8]| {
        let output = run(&["-"], stdin);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(
        errors(b"ok = 1\nx = '\xff'")
            .starts_with("SyntaxError: Non-UTF-8 code starting with '\\xff' in file <stdin> on line 2, at byte 12")
    );
    assert!(errors(b"x = (1,\n").contains("<stdin>:1:5"), "{}", errors(b"x = (1,\n"));
}
