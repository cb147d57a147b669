//! Times of the engine's parts, for those who change them: `cargo bench [-- FILTER]`.
//!
//! Nothing here gates anything. What users see is measured beside PyTorch by `scripts/dev/speed`.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::io;
use tsr::diag::Source;
use tsr::kernel::plan::{Operand, Plan};
use tsr::kernel::rng::Generator;
use tsr::layout::Layout;
use tsr::repl::Session;
use tsr::show::report::Look;

fn main() {
    divan::main();
}

/// A float32 operand of a walk.
fn operand(strides: &[i64]) -> Operand {
    Operand { strides: strides.into(), offset: 0, size: 4 }
}

/// How long it takes to decide on a walk, and to walk it with nothing done: `(sizes, strides of the output, of the input)`.
#[divan::bench(args = ["contiguous", "transposed", "broadcast row", "channels last"])]
fn plan(bencher: Bencher, case: &str) {
    let (sizes, to, from): (&[i64], &[i64], &[i64]) = match case {
        "contiguous" => (&[64, 32, 32], &[1024, 32, 1], &[1024, 32, 1]),
        "transposed" => (&[512, 512], &[512, 1], &[1, 512]),
        "broadcast row" => (&[512, 512], &[512, 1], &[0, 1]),
        _ => (&[8, 16, 32, 32], &[16384, 1024, 32, 1], &[16384, 1, 512, 16]),
    };
    bencher.bench(|| {
        let plan = Plan::new(black_box(sizes), &[operand(to), operand(from)]);
        plan.visit(0..plan.tiles(), |tile| {
            black_box(tile);
        });
    });
}

/// Random bits in bulk.
#[divan::bench(args = [1_000, 100_000])]
fn random_words(bencher: Bencher, n: usize) {
    let (mut generator, mut words) = (Generator::new(0), vec![0; n]);
    bencher.counter(BytesCount::of_slice(&words)).bench_local(|| generator.fill(black_box(&mut words)));
}

/// The cells that a layout can reach.
#[divan::bench(args = [1, 4, 16])]
fn layout_extent(bencher: Bencher, ndim: usize) {
    let layout = Layout::contiguous(&vec![2; ndim]);
    bencher.bench(|| black_box(&layout).extent());
}

/// Whole statements in a session that has run `SETUP`: text, tree, call, kernel and the end of the statement.
const SETUP: &str = "
a, b, s = torch.rand(1000000), torch.rand(1000000), torch.rand(3)
m, n = torch.rand(256, 256), torch.rand(16, 16)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
";

#[divan::bench(args = [
    "s + s",
    "n @ n",
    "m @ m",
    "a * b + a",
    "((a - b) ** 2).sum()",
    "m.t() + m",
    "a.exp()",
    "a.sort()",
    "fib(15)",
    "sum(i * i for i in range(1000))",
    "f'{s}'",
])]
fn statement(bencher: Bencher, text: &str) {
    let mut session = Session::new(Box::new(io::sink()), Box::new(io::sink()), Look::default());
    session.program(&Source::new("<setup>", SETUP));
    let line = Source::new("<bench>", format!("_ = {text}"));
    bencher.bench_local(|| session.program(&line));
}
