//! The prompt as a person meets it, on a terminal of a given size.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longest wait for something to appear. Tests run beside each other on slow machines.
const PATIENCE: Duration = Duration::from_secs(20);

/// A terminal with tsr running in it.
struct Terminal {
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    child: Box<dyn Child + Send + Sync>,
    history: std::path::PathBuf,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// A terminal of 80 columns with a history file of its own, once the first prompt stands.
    fn open() -> Terminal {
        Terminal::with(24, 80, &[])
    }

    fn with(rows: u16, columns: u16, env: &[(&str, &str)]) -> Terminal {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let history = std::env::temp_dir().join(format!("tsr-history-{}-{number}", std::process::id()));
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tsr"));
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        for (name, value) in [("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8"), ("NO_COLOR", "")] {
            command.env(name, value);
        }
        command.env("TSR_HISTORY", &history);
        env.iter().for_each(|(name, value)| command.env(name, value));
        let child = pair.slave.spawn_command(command).expect("tsr starts");
        let mut reader = pair.master.try_clone_reader().expect("its output");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(count) = reader.read(&mut block) {
                if count == 0 || sender.send(block[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().expect("its keyboard");
        let counted = |n: u16| n.try_into().expect("a terminal has lines and columns");
        let screen = vt100::Parser::new(counted(rows), counted(columns), 0);
        let mut terminal = Terminal { keys, output, screen, child, history, _master: pair.master };
        terminal.wait(|screen| screen.ends_with(">>>"));
        terminal
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal is open");
    }

    /// Everything on the screen, the margin's blanks as blanks, those at line ends left out.
    fn text(&self) -> String {
        let text = self.screen.screen().contents().replace(['\u{a0}', '\u{2007}'], " ");
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_string()
    }

    /// Waits until the screen is as asked.
    fn wait(&mut self, holds: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !holds(&self.text()) {
            assert!(start.elapsed() < PATIENCE, "the screen stayed\n{}", self.text());
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.screen.process(&bytes);
            }
        }
    }

    /// Presses keys and waits until the screen ends with some lines.
    fn expect(&mut self, keys: &str, end: &str) {
        self.press(keys);
        let end = end.to_string();
        self.wait(move |screen| screen.ends_with(&end));
    }

    /// Draws what has come.
    fn drain(&mut self) {
        while let Ok(bytes) = self.output.try_recv() {
            self.screen.process(&bytes);
        }
    }

    /// Presses keys and waits until tsr has ended; gives the exit code.
    fn leave(&mut self, keys: &str) -> u32 {
        self.press(keys);
        let start = Instant::now();
        loop {
            self.drain();
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.exit_code();
            }
            assert!(start.elapsed() < PATIENCE, "tsr still runs\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = std::fs::remove_file(&self.history);
    }
}

#[test]
fn a_block_is_edited_and_run() {
    let mut t = Terminal::open();
    t.expect("def f(x):\r", ">>> def f(x):\n...");
    t.expect("return x + 1\r\r", "...     return x + 1\n...\n>>>");
    t.expect("f(41)\r", ">>> f(41)\n42\n>>>");
    t.expect("_ + 1\r", ">>> _ + 1\n43\n>>>");
    assert_eq!(t.leave("\x04"), 0);
}

#[test]
fn backspace_takes_back_a_level() {
    let mut t = Terminal::open();
    t.expect("if True:\r", ">>> if True:\n...");
    t.expect("if True:\r", "...     if True:\n...");
    t.expect("\x7fprint(1)", "...     if True:\n...     print(1)");
}

#[test]
fn enter_inside_brackets_and_strings_goes_on() {
    let mut t = Terminal::open();
    t.expect("x = [1,\r", ">>> x = [1,\n...");
    t.expect("2]\rx\r", "2]\n>>> x\n[1, 2]\n>>>");
    t.expect("'''a\rb'''\r", ">>> '''a\n... b'''\n'a\\nb'\n>>>");
}

#[test]
fn an_error_shows_in_place_and_the_session_goes_on() {
    let mut t = Terminal::open();
    t.press("1 / 0\r");
    t.wait(|s| s.contains("ZeroDivisionError: division by zero") && s.ends_with(">>>"));
    assert!(t.text().contains("<stdin>:1:"), "{}", t.text());
    t.press("1 +\r");
    t.wait(|s| s.contains("SyntaxError: invalid syntax") && s.contains("<stdin>:2:4") && s.ends_with(">>>"));
    t.expect("1 + 1\r", "2\n>>>");
}

#[test]
fn control_c_clears_the_line() {
    let mut t = Terminal::open();
    t.expect("1 + 1", ">>> 1 + 1");
    t.expect("\x03", "KeyboardInterrupt\n>>>");
    t.expect("2\r", "2\n>>>");
}

#[test]
fn control_c_stops_a_computation_and_keeps_the_session() {
    let mut t = Terminal::open();
    t.expect("x = 7\r", ">>> x = 7\n>>>");
    t.expect("while True: pass\r\r", "while True: pass\n...");
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    t.press("\x03");
    t.wait(|s| s.contains("KeyboardInterrupt") && s.ends_with(">>>"));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    t.expect("x\r", ">>> x\n7\n>>>");
}

#[test]
fn leaving() {
    for (keys, code) in [("\x04", 0), ("exit\r", 0), ("quit\r", 0), ("%quit\r", 0), ("raise SystemExit(3)\r", 3)] {
        assert_eq!(Terminal::open().leave(keys), code, "{keys:?}");
    }
}

#[test]
fn a_pasted_block_is_one_entry() {
    let mut t = Terminal::open();
    t.press("\x1b[200~def g(n):\r\n    a = n\r\n\r\n    return a * 2\r\n\r\ng(4)\x1b[201~");
    t.wait(|s| s.ends_with("g(4)"));
    t.expect("\r", "g(4)\n8\n>>>");
}

#[test]
fn a_pasted_session_runs_without_its_output() {
    let mut t = Terminal::open();
    t.press("\x1b[200~>>> y = 3\r\n>>> y * 2\r\n6\r\n>>> for i in range(2):\r\n...     print(i)\r\n...\r\n0\r\n1\x1b[201~");
    t.expect("\r", "\n0\n1\n>>>");
    t.expect("y\r", ">>> y\n3\n>>>");
}

#[test]
fn a_mistake_in_a_pasted_session_keeps_nothing_else_from_running() {
    let mut t = Terminal::open();
    t.press("\x1b[200~Words.\r\n>>> y = 3\r\n>>> 1 / 0\r\nZeroDivisionError: division by zero\r\n>>> y * 2\r\n6\x1b[201~");
    t.wait(|s| s.ends_with("\n6"));
    t.press("\r");
    t.wait(|s| s.contains("\n>>> 1 / 0\nZeroDivisionError: division by zero\n  ") && s.ends_with("\n>>> y * 2\n6\n>>>"));
}

#[test]
fn variables_are_forgotten_when_it_was_meant() {
    let mut t = Terminal::open();
    t.expect("a = 1; b = 2\r", ">>> a = 1; b = 2\n>>>");
    t.expect("%reset\r", " Forget 2 variables? (y/n)");
    t.expect("n\r", " Forget 2 variables? (y/n) n\n>>>");
    t.expect("a\r", ">>> a\n1\n>>>");
    t.expect("%reset\r", " Forget 2 variables? (y/n)");
    t.expect("y\r", " Forget 2 variables? (y/n) y\n 2 variables forgotten\n>>>");
    t.expect("%who\r", ">>> %who\n no variables yet\n>>>");
}

#[test]
fn a_lesson_begins_at_the_prompt() {
    let home = std::env::temp_dir().join(format!("tsr-home-{}", std::process::id()));
    let mut t = Terminal::with(24, 80, &[("XDG_DATA_HOME", &home.display().to_string())]);
    t.expect("x = 7\r", ">>> x = 7\n>>>");
    t.press("%lesson stride\r");
    t.wait(|s| s.contains("Lesson 3. The stride") && s.ends_with("]"));
    t.expect("quit\r", "quit\n>>>");
    t.expect("x\r", ">>> x\n7\n>>>");
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn what_was_typed_comes_back() {
    let mut t = Terminal::open();
    t.expect("a = 1\r", ">>> a = 1\n>>>");
    t.expect("for i in range(2):\ri\r\r", "\n0\n1\n>>>");
    t.expect("\x1b[A", "\n1\n>>> for i in range(2):\n...     i");
    t.expect("\r\r", "\n0\n1\n>>>");
    t.expect("a\x1b[5~", "\n>>> a = 1");
    t.expect("\x03", "KeyboardInterrupt\n>>>");
    let remembered = std::fs::read_to_string(&t.history).expect("a history file");
    assert!(remembered.contains("a = 1\n") && remembered.contains("for i in range(2):"), "{remembered}");
}

#[test]
fn a_narrow_terminal() {
    let mut t = Terminal::with(24, 40, &[]);
    t.expect("z = 'a rather long text that must wrap around'\r", "around'\n>>>");
    t.expect("len(z)\r", ">>> len(z)\n40\n>>>");
    t.press("unknown_name + another_unknown_name * a_third_one\r");
    t.wait(|s| s.contains("NameError: name 'unknown_name'") && s.ends_with(">>>"));
    let text = t.text();
    let report: Vec<&str> = text.lines().skip_while(|line| !line.contains("<stdin>")).collect();
    assert!(report.len() > 3 && report.iter().all(|line| line.chars().count() <= 40), "{text}");
}

#[test]
fn views_are_named_and_tensors_fit() {
    let mut t = Terminal::with(24, 40, &[]);
    t.expect("x = torch.arange(30)\r", "arange(30)\n>>>");
    t.press("x[15:]\r");
    t.wait(|s| s.contains("view of x") && s.ends_with(">>>"));
    let text = t.text();
    assert!(
        text.contains("tensor([15, 16, 17, 18, 19, 20, 21, 22,\n        23, 24, 25, 26, 27, 28, 29])\n  view of x"),
        "{text}"
    );
    t.press("footer off\r");
    t.wait(|s| s.contains("without") && s.ends_with(">>>"));
    t.expect("x[20:]\r", "28, 29])\n>>>");
    assert_eq!(t.text().matches("view of x").count(), 1, "{}", t.text());
}

#[test]
fn tab_completes() {
    let mut t = Terminal::open();
    t.expect("long_name = 5\r", "long_name = 5\n>>>");
    t.expect("long_\t", ">>> long_name");
    t.expect("\r", ">>> long_name\n5\n>>>");
}

#[test]
fn colors_follow_the_wish() {
    let mut t = Terminal::open();
    t.press("if 1:");
    t.wait(|s| s.ends_with("if 1:"));
    let cell = |t: &Terminal| t.screen.screen().cell(t.screen.screen().cursor_position().0, 4).map(vt100::Cell::fgcolor);
    assert_eq!(cell(&t), Some(vt100::Color::Idx(5)));
    let mut plain = Terminal::with(24, 80, &[("NO_COLOR", "1")]);
    plain.press("if 1:");
    plain.wait(|s| s.ends_with("if 1:"));
    assert_eq!(cell(&plain), Some(vt100::Color::Default));
}

#[test]
fn a_terminal_that_can_do_nothing() {
    let mut t = Terminal::with(24, 80, &[("TERM", "dumb")]);
    t.expect("for i in range(2):\n", "range(2):\n...");
    t.expect("    i\n", "i\n...");
    t.expect("\n", "...\n0\n1\n>>>");
    assert_eq!(t.leave("\x04"), 0);
}

#[test]
fn typing_ahead_is_not_lost() {
    let mut t = Terminal::open();
    t.expect("w = 1\rw + 1\rfor i in range(2):\ri\r\rw\r", "\n0\n1\n>>> w\n1\n>>>");
}

#[test]
fn long_output_is_shown_page_by_page() {
    // The pager is a program of the test's own, whatever the machine has.
    let mut t = Terminal::with(10, 80, &[("PAGER", "head -n 2; echo paged")]);
    t.expect("torch.arange(18).view(18, 1)\r", "[17]])\n>>>");
    t.expect("torch.arange(30).view(30, 1)\r", "tensor([[ 0],\n        [ 1],\npaged\n>>>");
    // What a program prints is not held up.
    t.expect("for i in range(30): print(i)\r\r", "28\n29\n>>>");
    t.expect("pager off\r", "written at once.\n>>>");
    t.expect("torch.arange(30).view(30, 1)\r", "[29]])\n>>>");
    let mut t = Terminal::with(10, 80, &[("PAGER", "no-such-pager")]);
    t.expect("torch.arange(30).view(30, 1)\r", "[28],\n        [29]])\n>>>");
}

#[test]
fn a_pager_has_the_keyboard_and_control_c() {
    if !std::process::Command::new("less").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return;
    }
    let mut t = Terminal::with(10, 80, &[("PAGER", "less"), ("LESS", "")]);
    t.press("torch.arange(90).view(90, 1)\r");
    t.wait(|s| s.starts_with("tensor([[ 0],") && s.ends_with("\n:"));
    t.press("\x03\x03\x03\x03");
    // What is typed until it has taken the interrupts is dropped.
    let start = Instant::now();
    while t.text().ends_with("\n:") && start.elapsed() < PATIENCE {
        t.press("q");
        std::thread::sleep(Duration::from_millis(300));
        t.drain();
    }
    t.wait(|s| s.contains(">>>"));
    t.expect("\x156 * 7\r", "42\n>>>");
}

#[test]
fn what_is_often_misunderstood_is_said_once() {
    let mut t = Terminal::open();
    t.expect("x = torch.arange(6).view(2, 3)\r", "view(2, 3)\n>>>");
    t.expect("y = x\r", "note: = copied nothing: both names mean one tensor. clone copies.\n (%notes off ends notes)\n>>>");
    t.expect("z = x\r", ">>> z = x\n>>>");
    t.expect("w = x.t().reshape(-1)\r", "one\n does, reshape gives a view.\n>>>");
    t.expect(
        "w = x.t().reshape(-1)\r",
        ">>> w = x.t().reshape(-1)\n note: t moved no element: sizes and strides are in another order. %layout shows\n it.\n>>>",
    );
    t.expect("w = x.t().reshape(-1)\r", ">>> w = x.t().reshape(-1)\n>>>");
    t.expect("x += 1\r", "makes\n a new tensor.\n>>>");
    // What a note must not cost: an error is reported as ever, loops are not looked at.
    t.expect("x.expand(7)\r", "\n>>>");
    assert!(!t.text().contains("takes no memory"), "{}", t.text());
    t.expect("for i in range(2): v = x[0]\r\r", "x[0]\n...\n>>>");
    t.expect("%notes off\r", "misunderstood.\n>>>");
    t.expect("v = x[0]\r", ">>> v = x[0]\n>>>");
}

#[test]
fn predictions_are_asked_for() {
    let mut t = Terminal::open();
    t.expect("x = torch.arange(12).view(3, 4)\r", "view(3, 4)\n>>>");
    t.expect("%predict x.t()\r", "%predict x.t()\n size?");
    t.expect("4 3\r", " size? 4 3\n stride?");
    t.expect("(4, 1)\r", " stride? (4, 1)\n shares memory with x (y/n)?");
    t.press("y\r");
    t.wait(|s| s.contains(" (4, 1) is the stride of x itself\n 2 of 3 right\ntensor([[ 0,  4,  8],") && s.ends_with(">>>"));
    // Giving up is no error, and the session goes on.
    t.expect("%predict x.stride()\r", " result?");
    t.expect("\x03", "(4, 1)\n>>>");
    t.expect("1 + 1\r", "2\n>>>");
}
