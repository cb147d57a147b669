//! Every command in the session, with its pictures at two widths, in Unicode and in ASCII; and laws that commands keep.

use crate::support::Random;
use std::collections::BTreeMap;

use tsr::diag::Source;
use tsr::lang::Pad;
use tsr::layout::Layout;
use tsr::ops::exec;
use tsr::repl::command::COMMANDS as COMMANDS_OF_THE_SHELL;
use tsr::repl::{Ended, Session};
use tsr::show::doc::{Render, to_ascii};
use tsr::show::report::Look;
use tsr::value::Value;

/// A session and what it printed.
struct Bench {
    session: Session,
    pad: Pad,
}

impl Bench {
    fn new(width: usize, render: Render) -> Bench {
        let pad = Pad::default();
        let look = Look { render, width, ..Look::default() };
        Bench { session: Session::new(Box::new(pad.clone()), Box::new(pad.clone()), look), pad }
    }

    /// Runs a line and gives what it printed, errors too.
    fn run(&mut self, line: &str) -> String {
        if let Ended::Failed(diagnostic) = self.session.entry(&Source::new("<stdin>", line)) {
            self.session.show(&diagnostic);
        }
        self.session.interp.flush();
        self.pad.take()
    }

    fn number(&mut self, line: &str) -> i64 {
        self.run(line).trim().parse().expect("a number")
    }
}

const PLAIN: Render = Render { color: false, ascii: false, narrate: false, truecolor: false };
const ASCII: Render = Render { ascii: true, ..PLAIN };
const TOLD: Render = Render { narrate: true, ..PLAIN };

/// What `each` gives for every line of the gallery. Storages are numbered per thread, so each gallery has a thread of its own.
fn outputs<T: Send + 'static>(
    width: usize,
    render: Render,
    each: impl Fn(&mut Bench, &'static str) -> T + Send + 'static,
) -> Vec<(&'static str, T)> {
    let run = move || {
        let mut bench = Bench::new(width, render);
        GALLERY.lines().map(|line| (line, each(&mut bench, line))).collect()
    };
    std::thread::spawn(run).join().expect("the gallery is drawn")
}

fn transcript(width: usize, render: Render) -> String {
    outputs(width, render, Bench::run).iter().map(|(line, output)| format!(">>> {line}\n{output}")).collect()
}

/// Every command that draws, over tensors that show what it can.
const GALLERY: &str = include_str!("../pictures/gallery.tsr");
const WIDTHS: [usize; 2] = [60, 80];

#[test]
fn every_command_that_draws_is_in_the_gallery() {
    // What only changes how things are drawn, and what asks or measures, draws no picture that could be recorded.
    const OTHERS: &[&str] = &["time", "timeit", "predict", "rewind"];
    for command in COMMANDS_OF_THE_SHELL.iter().filter(|command| command.draws() && !OTHERS.contains(&command.name)) {
        let is_there = |line: &str| line.split(' ').next() == Some(&format!("%{}", command.name));
        assert!(GALLERY.lines().any(is_there), "%{} has no line in tests/pictures/gallery.tsr", command.name);
    }
}

/// Compares with a golden file; with `TSR_GOLDEN=write` writes it.
fn golden(name: &str, found: &str) {
    let path = format!("{}/tests/pictures/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("TSR_GOLDEN").is_ok_and(|wish| wish == "write") {
        return std::fs::write(path, found).expect("the golden file can be written");
    }
    crate::support::same_steps(found, &std::fs::read_to_string(path).expect("a golden file"));
}

#[test]
fn pictures_are_drawn() {
    for width in WIDTHS {
        golden(&format!("gallery.{width}.out"), &transcript(width, PLAIN));
    }
}

#[test]
fn pictures_are_told() {
    for width in WIDTHS {
        let told = transcript(width, TOLD);
        golden(&format!("gallery.{width}.told"), &told);
        let drawn = |c: char| "│─┌┐└┘├┤┬┴┼╭╰▸━·→←×≠…".contains(c);
        assert_eq!(told.lines().find(|line| !line.starts_with(">>>") && line.contains(drawn)), None);
    }
}

#[test]
fn ascii_pictures_are_the_others_with_characters_exchanged() {
    for width in WIDTHS {
        for ((line, plain), (_, ascii)) in outputs(width, PLAIN, Bench::run).into_iter().zip(outputs(width, ASCII, Bench::run)) {
            assert!(ascii.is_ascii(), "{ascii}");
            // Reports of errors have ASCII frames of their own.
            if !plain.contains(" --> ") {
                assert_eq!(to_ascii(&plain), ascii, "{line}");
                assert!(!ascii.contains('?') || plain.contains('?'), "{line}\n{ascii}");
            }
        }
    }
}

/// What a command draws as SVG; none for what is no command.
fn svg(bench: &mut Bench, line: &'static str) -> Option<String> {
    let width = bench.session.look().width;
    if !line.starts_with('%') {
        bench.run(line);
        return None;
    }
    let file = std::env::temp_dir().join(format!("tsr-gallery-{}-{width}.svg", std::process::id()));
    bench.run(&format!("{line} --columns {width} --svg {}", file.display()));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{line} draws nothing"));
    std::fs::remove_file(file).expect("it is there");
    Some(text)
}

#[test]
fn pictures_are_written_as_svg() {
    for width in WIDTHS {
        let plain = outputs(width, PLAIN, Bench::run);
        let told = outputs(width, TOLD, Bench::run);
        let mut page = String::new();
        for (((line, drawn), (_, words)), (_, svg)) in plain.iter().zip(&told).zip(outputs(width, PLAIN, svg)) {
            let Some(text) = svg else { continue };
            let picture = crate::svg::read(&text).unwrap_or_else(|problem| panic!("{line}: {problem}\n{text}"));
            assert_eq!(picture.title, *line);
            // What a statement gives is printed before its picture.
            assert!(drawn.trim_end().ends_with(picture.text.trim_end()), "{line}\n{drawn}\n{}", picture.text);
            let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat(words).ends_with(&flat(&picture.description)), "{line}\n{words}\n{}", picture.description);
            page.push_str(&format!(">>> {line}\n{}", picture.body));
        }
        golden(&format!("gallery.{width}.svg.out"), &page);
    }
}

/// True for output that is all pictures: reports and values are not cut to the terminal.
fn is_picture(line: &str, output: &str) -> bool {
    line.starts_with('%') && !output.contains("Error") && !output.contains("tensor(")
}

#[test]
fn no_picture_is_wider_than_the_terminal() {
    for width in [40, 60, 80, 120] {
        for (line, output) in outputs(width, PLAIN, Bench::run) {
            if is_picture(line, &output) {
                let widest = output.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap_or(0);
                assert!(widest <= width, "{widest} > {width}: {line}\n{output}");
            }
        }
    }
}

/// Tensors that are out of the ordinary.
const ODD: &[&str] = &[
    "torch.tensor(5)",
    "torch.empty(0)",
    "torch.empty(2, 0, 3)",
    "torch.arange(32).view(2, 2, 2, 2, 2)",
    "torch.randn(2, 2, dtype=torch.complex64)",
    "torch.randn(2, 2, dtype=torch.complex64).conj()",
    "torch.randn(2, 2, dtype=torch.complex64).conj().imag",
    "torch.tensor([True, False])",
    "torch.zeros(1).expand(1000000000)",
    "torch.empty(1000, 1000, 1000, device='meta')",
    "torch.arange(10).as_strided((4, 3), (2, 1))",
    "torch.arange(9).as_strided((3, 3), (2, 2), 1)",
    "torch.tensor([[0, 1], [2, 0]]).to_sparse()",
    "torch.tensor([float('nan'), float('inf'), -1e30])",
    "torch.arange(24, dtype=torch.uint8).view(2, 3, 4)[:, ::2, 1:].permute(2, 0, 1)",
    "torch.zeros(3, requires_grad=True)",
    "torch.arange(100000).view(10, 100, 100)[:, 1:, ::7]",
    "torch.ones(2, 2, dtype=torch.bfloat16)",
];

const COMMANDS: &[&str] = &[
    "%layout o",
    "%layout --bytes o",
    "%layout --cells 1:3 o",
    "%layout o, o",
    "%who",
    "%who --storage",
    "%origin o",
    "%origin o[...]",
    "%explain o.view(-1)",
    "%explain o.reshape(-1)",
    "%explain o.flatten()",
    "%explain o[..., None]",
    "%explain o[0]",
    "%explain o[[0]]",
    "%explain o + o",
    "%explain o + 1.5",
    "%explain o @ o",
    "%explain o.sum()",
    "%explain o.sum(-1, keepdim=True)",
    "%explain torch.cat([o, o])",
    "%explain torch.stack([o, o], -1)",
    "%explain o.t()",
    "%explain o.contiguous()",
    "%explain o.add_(1)",
    "%explain o[...] = 1",
    "%explain -o",
    "%shapes o[...].t()",
    "%trace o[...]",
    "%meter o[...]",
    "%addr o[0]",
    "%addr o[()]",
    "%cell #1[0]",
    "%type o",
    "%tree [o, o[...], {'a': o}]",
    "%info o",
    "%show o",
    "%heat o",
    "%views o",
    "%why",
];

#[test]
fn commands_bear_every_tensor() {
    for (n, odd) in ODD.iter().enumerate() {
        let width = [60, 80][n % 2];
        let mut bench = Bench::new(width, PLAIN);
        bench.run(&format!("o = {odd}"));
        for command in COMMANDS {
            let output = bench.run(command);
            assert!(!output.contains("internal error"), "{odd}: {command}\n{output}");
            if is_picture(command, &output) {
                let widest = output.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap_or(0);
                assert!(widest <= width, "{widest} > {width}: {odd}: {command}\n{output}");
            }
        }
    }
}

#[test]
fn every_example_can_be_explained_and_nobody_hears_of_stand_ins() {
    let (mut bench, mut heard) = (Bench::new(80, PLAIN), String::new());
    for row in tsr::ops::rows() {
        let code: Vec<&str> = row.example.lines().filter(|line| !line.starts_with('#')).collect();
        let Some((last, before)) = code.split_last() else { continue };
        let last = last.split("  #").next().unwrap_or(last);
        bench.run(&before.join("\n"));
        let output = bench.run(&format!("%explain {last}"));
        let leaks = ["internal error", "meta", "a twin"].iter().any(|word| output.contains(word));
        if leaks && !row.example.contains("meta") {
            heard += &format!("{last}\n{output}\n");
        }
    }
    assert!(heard.is_empty(), "{heard}");
}

/// What `%predict` says to answers, one for each question.
fn predicted(bench: &mut Bench, expression: &str, answers: &str) -> String {
    let mut answers = answers.split('|').map(String::from).collect::<Vec<_>>().into_iter();
    bench.session.set_asker(Some(Box::new(move |_| answers.next())));
    let output = bench.run(&format!("%predict {expression}"));
    bench.session.set_asker(None);
    output
}

#[test]
fn predictions_are_compared_and_mistakes_named() {
    let mut bench = Bench::new(80, PLAIN);
    bench.run("x = torch.arange(12).view(3, 4)");
    let right = predicted(&mut bench, "x.t()", "(4, 3)|1 4|y");
    let expected = "                       predicted  is
 size                  (4, 3)     (4, 3)  right
 stride                (1, 4)     (1, 4)  right
 shares memory with x  yes        yes     right
 3 of 3 right
tensor([[ 0,  4,  8],
        [ 1,  5,  9],
        [ 2,  6, 10],
        [ 3,  7, 11]])
";
    assert_eq!(right, expected);
    // The expression, the answers, and what is said of a mistake.
    let cases = [
        ("x.t()", "|4 1", "(4, 1) is the stride of x itself"),
        ("x.t()", "|3 1", "a copy in the order of its indices would have that stride; this is a view"),
        ("x.t()", "|4 3", "that is its size"),
        ("x.t()", "3 4", "(3, 4) is the size of x itself"),
        ("x.t()", "|8, 32", "strides count elements here; numpy counts bytes"),
        ("x[1:].t()", "2 4", "size: the right numbers, in the other order"),
        ("x.sum(1)", "3 1", "the dim that an int or a reduction takes is gone; keepdim=True keeps it as 1"),
        ("x[1:2]", "4", "a dim of size 1 stays until squeeze or an index takes it"),
        ("x[None]", "2 3 4 5", "size: it has 3 dims, and a number for each"),
        ("x.t()", "||n", "shares memory with x: it is a view, no element was copied"),
        ("x + 1", "||y", "shares memory with x: it has a storage of its own, with 96 bytes"),
        ("x.t()", "error", "it is possible: no error is raised"),
        ("x.t().stride()", "(4, 1)", "(4, 1) is the stride of x itself"),
        ("x.t().view(-1)", "12", "0 of 1 right"),
        ("x.t().view(-1)", "error", "1 of 1 right"),
        ("x.t().view(-1)", "RuntimeError", "1 of 1 right"),
        ("x[0, 1:3]", "2|1|y|1 2", "4 of 4 right"),
        ("x[0, 1:3]", "|||[1, 2]", "1 of 1 right"),
        ("x.t().stride()", "1 4", "1 of 1 right"),
        ("x.numel()", "3 * 4", "1 of 1 right"),
        ("x.is_contiguous()", "False", "0 of 1 right"),
        ("x.is_contiguous()", "undefined", "0 of 1 right"),
    ];
    for (expression, answers, said) in cases {
        let output = predicted(&mut bench, expression, answers);
        assert!(output.contains(&format!(" {said}\n")), "{expression}: {answers}\n{output}");
    }
    bench.run("y = torch.ones(3, 1)");
    let left = predicted(&mut bench, "x[0] + x[:, 0][:, None]", "4 4");
    assert!(left.contains("0 of 1 right"), "{left}");
    bench.run("row, column = torch.ones(3), torch.ones(3, 4)");
    assert!(predicted(&mut bench, "torch.ones(2).expand(3, 2)", "||").ends_with("[1., 1.]])\n"));
    bench.run("a, b = torch.ones(4, 3), torch.ones(4, 1, 1)");
    assert!(predicted(&mut bench, "a + b", "4 3 1").contains("lined up at the last dim"));
    let narrow = std::thread::spawn(|| {
        let mut bench = Bench::new(44, PLAIN);
        bench.run("x = torch.arange(12).view(3, 4)");
        predicted(&mut bench, "x.t()", "(4, 3, 2, 1)|3 1|no") + &bench.run("%pager") + &bench.run("%notes")
    });
    let narrow = narrow.join().expect("it is drawn");
    assert!(narrow.lines().all(|line| line.chars().count() <= 44), "{narrow}");
    // Who gives up is told the result, and it is the last value.
    assert_eq!(predicted(&mut bench, "x.numel()", ""), "12\n");
    assert_eq!(bench.run("_"), "12\n");
    assert_eq!(bench.run("%predict x.numel()"), " nobody is asked here: predictions are for the prompt\n12\n");
}

#[test]
fn commands_evaluate_what_they_are_given_once() {
    let commands: &[(&str, i64)] = &[
        ("%trace f(x) + 1", 1),
        ("%trace --cells f(x) + 1", 1),
        ("%meter f(x) + 1", 1),
        ("%time f(x) + 1", 1),
        ("%watch f(x).add_(1)", 1),
        ("%layout f(x), f(x)", 2),
        ("%layout --bytes f(x)", 1),
        ("%layout --arrows f(x)", 1),
        ("%origin f(x).t()", 1),
        ("%type (f(x), f(x).t())", 2),
        ("%tree [f(x)]", 1),
        ("%info f(x)", 1),
        ("%show f(x)", 1),
        ("%heat f(x)", 1),
        ("%views f(x)", 1),
        ("%shapes f(x).t()[1:] @ f(x)", 2),
        ("%shapes torch.relu(f(x), **{})", 1),
        ("%addr f(x)[g(1), 0]", 2),
        ("%explain f(x).view(-1)", 1),
        ("%explain f(x).t().reshape(g(12))", 2),
        ("%explain f(x)[g(1):, None]", 2),
        ("%explain f(x) + f(x)", 2),
        ("%explain f(x) @ f(x)", 2),
        ("%explain f(x).sum(g(0))", 2),
        ("%explain torch.cat([f(x), f(x)], dim=g(0))", 3),
        ("%explain f(x).add_(g(1))", 2),
        ("%explain f(x)[g(0)] = g(1)", 3),
        ("%explain f(x) > g(1)", 2),
        ("%explain f(x).T", 1),
        ("f(x) @ f(x)", 2),
        ("%why", 0),
        ("f(x).view(g(5))", 2),
        ("%why", 0),
        ("%watch on", 0),
        ("f(x).add_(g(0))", 2),
        ("%watch off", 0),
    ];
    let mut bench = Bench::new(80, PLAIN);
    for line in ["n = [0]", "x = torch.arange(12).view(3, 4)", "def f(a):\n    n[0] += 1\n    return a", "g = f"] {
        bench.run(line);
    }
    for (command, times) in commands {
        let before = bench.number("n[0]");
        let output = bench.run(command);
        assert_eq!(bench.number("n[0]") - before, *times, "{command}\n{output}");
    }
    // An explanation does nothing, however much it says.
    assert_eq!(bench.run("x.tolist()"), "[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]\n");
}

#[test]
fn explaining_changes_no_random_numbers_and_no_tensors() {
    let mut bench = Bench::new(80, PLAIN);
    bench.run("x = torch.zeros(3); y = torch.ones(3, requires_grad=True)");
    bench.run("torch.manual_seed(1)");
    let expected = bench.run("torch.rand(2)");
    bench.run("torch.manual_seed(1)");
    const LINES: &[&str] = &[
        "x.normal_()",
        "torch.rand_like(x)",
        "torch.rand(3)",
        "torch.randperm(9)",
        "torch.bernoulli(y)",
        "torch.dropout(y, 0.5, True)",
        "torch.manual_seed(7)",
        "torch.seed()",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_printoptions(precision=1)",
        "torch.save(x, 'never.pt')",
        "(y * y).sum().backward()",
        "y.requires_grad_(False)",
        "x.resize_(1)",
        "x.set_(torch.ones(3))",
        "x.set_(torch.ones(3).storage())",
        "x += y",
        "x.copy_(y)",
        "x[1:] = 7",
        "torch.add(x, y, out=x)",
    ];
    for line in LINES {
        bench.run(&format!("%explain {line}"));
    }
    assert_eq!(bench.run("x"), "tensor([0., 0., 0.])\n");
    assert_eq!(bench.run("y, y.grad"), "(tensor([1., 1., 1.], requires_grad=True), None)\n");
    assert!(!std::path::Path::new("never.pt").exists());
    assert_eq!(bench.run("torch.rand(2)"), expected);
}

/// The elements of each variable.
fn snapshot(bench: &Bench, names: &[&str]) -> Vec<Vec<u8>> {
    let bytes = |name: &&str| match bench.session.interp.globals.get(name) {
        Some(Value::Tensor(tensor)) => exec::bytes(tensor).expect("readable"),
        _ => vec![],
    };
    names.iter().map(bytes).collect()
}

#[test]
fn names_from_elsewhere_are_known() {
    let mut bench = Bench::new(80, PLAIN);
    bench.run("x = torch.ones(2, 3)");
    let cases = [
        ("torch.expand_dims(x, 0)", "here that is x.unsqueeze(dim)"),
        ("x.astype(float)", "here that is x.to(dtype)"),
        ("size(x)", "here that is x.shape"),
        ("?repmat", "here that is x.repeat(...)"),
        ("torch.shape(x)", "tensors have it: x.shape"),
        ("torch.tolist(x)", "tensors have it: x.tolist(...)"),
        ("x.cat(x)", "it is a function: torch.cat(...)"),
        ("x.is_contigous()", "did you mean is_contiguous?"),
        ("len(x.t)", "it is a method: call it first, with ()"),
    ];
    for (line, help) in cases {
        let output = bench.run(line);
        assert!(output.contains(&format!("help: {help}\n")), "{line}\n{output}");
    }
    assert!(bench.run("?torch.linalg.solve").starts_with("linalg.solve(Tensor A, Tensor B"));
    let layout = bench.run("%help layout");
    assert!(layout.starts_with("%layout [--cells") && layout.contains("layout(Tensor self)"), "{layout}");
}

#[test]
fn origins_of_a_long_loop_are_not_kept_and_that_is_said() {
    let mut bench = Bench::new(80, PLAIN);
    bench.run("x = torch.arange(6).view(2, 3)");
    bench.run("views = [x.t() for n in range(1200)]");
    assert!(bench.run("%origin views[0]").contains(".t()"));
    assert!(bench.run("%origin views[1100]").contains("its steps were not kept"));
    assert!(bench.run("%origin views[1100][1:]").contains("earlier steps were not kept"));
    bench.run("y = views[0]\nfor n in range(60):\n    y = y.t()");
    assert!(bench.run("%origin y").contains("earlier steps were not kept"));
}

#[test]
fn watch_finds_what_a_comparison_of_all_tensors_finds() {
    const NAMES: &[&str] = &["a", "b", "c", "d", "e"];
    const INDICES: &[&str] = &["0", "-1", "1:", "::2", "..., 0", ":1", "[0, 1]", "..."];
    const WRITES: &[&str] = &[" = 7", " += 1", " *= 2", " = 0", " -= 3"];
    let mut random = Random(20_260_801);
    let mut bench = Bench::new(80, PLAIN);
    let start = "a = torch.arange(12).view(3, 4); b = a.t(); c = a[1:, ::2]; d = a.view(-1)[3:9]; e = torch.arange(6).view(2, 3)";
    for round in 0..300 {
        if round % 20 == 0 {
            bench.run(start);
        }
        let name = NAMES[random.below(NAMES.len())];
        let statement = format!("{name}[{}]{}", random.pick(INDICES), random.pick(WRITES));
        let before = snapshot(&bench, NAMES);
        let output = bench.run(&format!("%watch {statement}"));
        let after = snapshot(&bench, NAMES);
        let changed = |(b, a): (&Vec<u8>, &Vec<u8>)| b.chunks(8).zip(a.chunks(8)).filter(|(b, a)| b != a).count();
        let counts: Vec<usize> = before.iter().zip(&after).map(changed).collect();
        let (elements, names) = (counts.iter().sum::<usize>(), counts.iter().filter(|n| **n > 0).count());
        let plural = |n: usize, thing: &str| if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") };
        let expected = match elements {
            0 => " no tensor changed".to_string(),
            _ => format!(" {} changed under {}", plural(elements, "element"), plural(names, "name")),
        };
        assert!(output.lines().any(|line| line == expected), "{statement}: {expected}\n{output}");
    }
}

/// Everything that can be told of some variables: values, who shares a storage, strides, what is in lists and dicts.
fn state(bench: &mut Bench) -> String {
    const QUESTIONS: &[&str] = &[
        "[n for n in 'abcd' if n in globals()]",
        "[(globals()[n].tolist(), globals()[n].stride(), globals()[n].requires_grad) for n in 'abcd' if n in globals()]",
        "[[id(globals()[m].storage()) == id(globals()[n].storage()) for m in 'abcd' if m in globals()] \
         for n in 'abcd' if n in globals()]",
        "items, table, 'a' in globals() and [item is a for item in items]",
        "torch.get_rng_state().sum(), torch.get_default_dtype()",
    ];
    QUESTIONS.iter().map(|question| bench.run(question)).collect()
}

#[test]
fn rewinding_brings_everything_back() {
    const STATEMENTS: &[&str] = &[
        "a = torch.arange(6.).view(2, 3)",
        "b = a.t()",
        "c = a[0]",
        "d = torch.rand(2)",
        "a[0] = 9",
        "b += 1",
        "c.zero_()",
        "a.t_()",
        "a.unsqueeze_(0)",
        "items.append(a)",
        "items.clear()",
        "table['x'] = b",
        "table.pop('x', None)",
        "del c",
        "d.resize_(5)",
        "d.set_(a)",
        "a = a + 1",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_default_dtype(torch.float32)",
        "a.requires_grad_()",
        "undefined",
    ];
    let mut random = Random(3);
    let mut bench = Bench::new(80, PLAIN);
    bench.run("items = []; table = {}");
    bench.run("%rewind on");
    // The states by the number of statements that lead to them; what only looks is no statement.
    let mut known = vec![state(&mut bench)];
    let (mut at, mut longest) = (0, 0);
    for round in 0..200 {
        if random.below(3) > 0 {
            let statement = random.pick(STATEMENTS);
            bench.run(statement);
            let now = state(&mut bench);
            let listed = bench.run("%rewind");
            let count = listed
                .lines()
                .find(|line| line.contains("← here"))
                .map_or(0, |line| line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number"));
            assert!(count == at || count == at + 1, "{round}: {statement}\n{listed}");
            if count == at {
                assert_eq!(now, known[at], "{round}: {statement}");
            } else {
                known.truncate(count);
                known.push(now);
            }
            at = count;
            longest = longest.max(count);
        } else {
            at = random.below(known.len());
            let said = bench.run(&format!("%goto {at}"));
            assert!(!said.contains("Error"), "{said}");
            assert_eq!(state(&mut bench), known[at], "round {round}");
        }
    }
    assert!(longest > 5, "{longest}");
}

/// Tensors of all kinds of layouts, and what makes them.
fn some_tensor(random: &mut Random) -> String {
    let made = ["arange(24)", "arange(24.)", "linspace(-3, 5, 24)"][random.below(3)];
    let sizes = ["24", "2, 12", "4, 6", "2, 3, 4", "2, 2, 1, 6"][random.below(5)];
    let more = ["", ".transpose(0, -1)", "[..., ::2]", "[1:]", ".unsqueeze(1)", ".flip(0)", "[:, None]"][random.below(7)];
    format!("torch.{made}.view({sizes}){more}")
}

#[test]
fn ways_to_other_sizes_are_what_they_are_said_to_be() {
    let mut random = Random(5);
    let mut bench = Bench::new(80, PLAIN);
    for _ in 0..60 {
        let made = some_tensor(&mut random);
        bench.run(&format!("x = {made}"));
        let Some(Value::Tensor(x)) = bench.session.interp.globals.get("x").cloned() else { panic!("{made}") };
        for way in tsr::show::picture::ways(&x.layout()) {
            let text = &way.text;
            assert_eq!(bench.run(&format!("y = x{text}")), "", "{made}: {text}");
            let free = bench.run("y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()") == "True\n";
            assert_eq!(free, way.layout.is_some(), "{made}: {text}");
            let Some(Value::Tensor(y)) = bench.session.interp.globals.get("y").cloned() else { panic!("{made}: {text}") };
            assert_eq!(y.sizes().to_vec(), way.sizes, "{made}: {text}");
            if let Some(layout) = &way.layout {
                assert_eq!(*y.layout(), *layout, "{made}: {text}");
            }
        }
    }
}

#[test]
fn summaries_agree_with_the_operations() {
    let mut random = Random(9);
    let mut bench = Bench::new(80, PLAIN);
    for _ in 0..60 {
        let made = some_tensor(&mut random);
        bench.run(&format!("x = ({made}).double()"));
        let output = bench.run(&format!("%info {made}"));
        let said = |name: &str| -> Option<f64> {
            let line = output.lines().find(|line| line.split_whitespace().next() == Some(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        for name in ["min", "max", "mean", "std"] {
            let expected: f64 = bench.run(&format!("x.{name}().item()")).trim().parse().expect("a number");
            let found = said(name).unwrap_or(f64::NAN);
            assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{made}: {name} {expected}\n{output}");
        }
        let elements: f64 = bench.run("x.numel()").trim().parse().expect("a number");
        let bins = output
            .lines()
            .filter(|line| line.contains('█'))
            .filter_map(|line| line.split_whitespace().rev().nth(1)?.parse::<f64>().ok());
        assert_eq!(bins.sum::<f64>(), elements, "{made}\n{output}");
    }
}

/// The cases of `tests/goldens/views.txt`: sizes, strides and wanted sizes, made in the same way by the script that asked PyTorch.
fn view_case(random: &mut Random) -> (Layout, Vec<i64>) {
    let ndim = random.below(4) + 1;
    let sizes: Vec<i64> = (0..ndim).map(|_| [1, 2, 3, 4, 6][random.below(5)]).collect();
    let mut strides = Layout::contiguous(&sizes).strides.to_vec();
    match random.below(3) {
        0 => strides.swap(random.below(ndim), ndim - 1),
        1 => {
            let (from, gap) = (random.below(ndim), random.below(3) as i64 + 1);
            strides[..=from].iter_mut().for_each(|s| *s *= gap);
        }
        _ => strides.iter_mut().for_each(|s| *s = random.below(13) as i64),
    }
    let mut wanted: Vec<i64> = vec![];
    for size in &sizes {
        for factor in match size {
            4 => vec![2, 2],
            6 => vec![2, 3],
            other => vec![*other],
        } {
            match wanted.last_mut() {
                Some(last) if random.below(2) == 0 => *last *= factor,
                _ => wanted.push(factor),
            }
        }
    }
    if random.below(4) == 0 {
        wanted.reverse();
    }
    (Layout::new(&sizes, &strides, 0), wanted)
}

#[test]
fn the_verdict_on_views_is_that_of_pytorch() {
    let recorded = include_str!("../goldens/views.txt");
    let verdicts = recorded.bytes().filter(u8::is_ascii_hexdigit).flat_map(|digit| {
        let nibble = (digit as char).to_digit(16).expect("a hexadecimal digit");
        (0..4).map(move |bit| nibble >> bit & 1 == 1)
    });
    let mut random = Random(7);
    let mut count = 0;
    for verdict in verdicts {
        let (layout, wanted) = view_case(&mut random);
        assert_eq!(layout.view_obstacle(&wanted).is_none(), verdict, "{layout:?} as {wanted:?}");
        assert_eq!(layout.try_view(&wanted).is_some(), verdict, "{layout:?} as {wanted:?}");
        count += 1;
    }
    assert_eq!(count, 100_000);
}

#[test]
fn the_index_map_is_that_of_a_walk_over_all_elements() {
    let mut random = Random(11);
    for _ in 0..10_000 {
        let ndim = random.below(4);
        let sizes: Vec<i64> = (0..ndim).map(|_| random.below(5) as i64).collect();
        let strides: Vec<i64> = (0..ndim).map(|_| random.below(9) as i64).collect();
        let layout = Layout::new(&sizes, &strides, random.below(4) as i64);
        let mut walked: BTreeMap<i64, (Vec<i64>, i64)> = BTreeMap::new();
        for n in 0..layout.numel() {
            let index = layout.nth_index(n).to_vec();
            let cell = layout.offset + index.iter().zip(&strides).map(|(i, s)| i * s).sum::<i64>();
            walked.entry(cell).and_modify(|(_, count)| *count += 1).or_insert((index, 1));
        }
        for cell in 0..40 {
            let found = layout.visitors(cell, 1000).map(|v| (v.first.to_vec(), v.count));
            assert_eq!(found, walked.get(&cell).cloned(), "cell {cell} of {layout:?}");
        }
    }
}
