//! How long a computation goes on after Ctrl-C: `cargo bench --bench stop [-- WORD…]`, for the rows that hold one of the words.
//!
//! Nothing here gates anything: it is to be below 100 milliseconds on a quiet machine, but for what the system takes to free memory.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// Each takes seconds when nobody stops it.
const WORK: &[&str] = &[
    "torch.randn(6000, 6000) @ torch.randn(6000, 6000)",
    "torch.randn(4000, 4000).double() @ torch.randn(4000, 4000).double()",
    "torch.ones(3000, 3000, dtype=torch.int64) @ torch.ones(3000, 3000, dtype=torch.int64)",
    "torch.randn(3000, 3000, dtype=torch.complex64) @ torch.randn(3000, 3000, dtype=torch.complex64)",
    "torch.einsum('ij,jk,kl->il', torch.randn(4000, 4000), torch.randn(4000, 4000), torch.randn(4000, 4000))",
    "torch.linalg.matrix_power(torch.randn(3000, 3000), 9)",
    "torch.linalg.svd(torch.randn(3000, 3000))",
    "torch.linalg.eigh(torch.randn(3000, 3000))",
    "torch.linalg.eig(torch.randn(1500, 1500))",
    "torch.linalg.qr(torch.randn(5000, 5000))",
    "torch.linalg.inv(torch.randn(6000, 6000))",
    "torch.linalg.cholesky(torch.eye(8000))",
    "torch.linalg.lstsq(torch.randn(4000, 3000), torch.randn(4000, 10))",
    "torch.linalg.matrix_exp(torch.randn(2000, 2000))",
    "torch.pca_lowrank(torch.randn(20000, 2000), q=500)",
    "torch.randn(100_000_000).sort()",
    "torch.randn(100_000_000).median()",
    "torch.mode(torch.randint(0, 1000, (100_000_000,)))",
    "torch.unique(torch.randint(0, 10 ** 9, (50_000_000,)))",
    "torch.randn(300_000_000).cumsum(0)",
    "torch.randperm(200_000_000)",
    "torch.histc(torch.randn(300_000_000))",
    "torch.nn.functional.conv2d(torch.randn(64, 64, 128, 128), torch.randn(128, 64, 5, 5))",
    "torch.nn.LSTM(512, 512, 4)(torch.randn(1000, 64, 512))",
    "sorted(range(10 ** 8), key=lambda number: -number)",
    "[number * number for number in range(10 ** 9)]",
    "list(range(5 * 10 ** 8))",
    "'a' * 5 * 10 ** 9",
    "print(torch.randn(10 ** 7).tolist())",
    "while True: pass",
];

/// Time until Ctrl-C, and the longest that a computation may go on then.
const BEFORE: Duration = Duration::from_millis(1500);
const MOST: Duration = Duration::from_secs(30);

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for work in WORK.iter().filter(|work| words.is_empty() || words.iter().any(|word| work.contains(word.as_str()))) {
        println!("{:>12}  {work}", verdict(work)?);
    }
    Ok(())
}

/// Milliseconds after Ctrl-C, or why there are none.
fn verdict(work: &str) -> std::io::Result<String> {
    let mut tsr = Command::new(env!("CARGO_BIN_EXE_tsr"));
    let mut child = tsr.args(["-c", work]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    sleep(BEFORE);
    if child.try_wait()?.is_some() {
        return Ok("was over".into());
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    let start = Instant::now();
    if child.wait_timeout(MOST)?.is_none() {
        child.kill()?;
        return Ok("went on".into());
    }
    let took = start.elapsed();
    let mut told = String::new();
    child.stderr.take().map(|mut errors| errors.read_to_string(&mut told)).transpose()?;
    Ok(if told.contains("KeyboardInterrupt") { format!("{} ms", took.as_millis()) } else { "was over".into() })
}
