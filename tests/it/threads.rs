//! Results have the same bits on one thread, on two and on sixteen.

use std::process::Command;

/// Sizes above the grain at which work is shared, in several proportions of rows to columns.
const SIZES: [&str; 6] = ["300007", "3, 100003", "100003, 3", "700, 431", "17, 129, 140", "20000, 17"];

/// Kinds of work: pointwise, folded over all and over each end, running, products.
const WORK: [&str; 21] = [
    "x * 2.5 + y",
    "torch.exp(x).tanh() - y.sin()",
    "torch.where(x > y, x, y.clamp(-1, 1))",
    "(x * y).half() + x.half()",
    "((x - y) ** 2).sum().view(1)",
    "x.sum(0)",
    "x.sum(-1)",
    "x.mean()",
    "x.prod(-1)",
    "x.max(-1)[1]",
    "x.argmin().view(1)",
    "x.amax(0)",
    "x.var(0)",
    "x.std(-1)",
    "x.double().var().view(1)",
    "x.norm().view(1)",
    "x.softmax(-1)",
    "x.logsumexp(0)",
    "x.cumsum(0)",
    "x.cumsum(-1)",
    "x.reshape(-1)[:90000].view(300, 300) @ y.reshape(-1)[:90000].view(300, 300)",
];

fn program() -> String {
    let mut text = "import torch
torch.manual_seed(5)
def bits(t):
    t = t.contiguous().view(-1)
    t = t.view({8: torch.int64, 4: torch.int32, 2: torch.int16}[t.element_size()]).long()
    print(t.numel(), (t * (torch.arange(t.numel()) % 1009 + 1)).sum().item())
"
    .to_string();
    for sizes in SIZES {
        text += &format!("x = torch.randn({sizes})\ny = torch.randn({sizes})\n");
        WORK.iter().for_each(|work| text += &format!("bits({work})\n"));
    }
    text
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let file = std::env::temp_dir().join(format!("tsr-threads-{}.tsr", std::process::id()));
    std::fs::write(&file, program()).unwrap();
    let on = |threads: &str| {
        let run = Command::new(env!("CARGO_BIN_EXE_tsr")).arg(&file).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    };
    let one = on("1");
    assert_eq!(one.lines().count(), SIZES.len() * WORK.len());
    for threads in ["2", "16"] {
        for (i, (other, one)) in on(threads).lines().zip(one.lines()).enumerate() {
            assert_eq!(other, one, "{} of ({}) on {threads} threads", WORK[i % WORK.len()], SIZES[i / WORK.len()]);
        }
    }
    std::fs::remove_file(&file).unwrap();
}
