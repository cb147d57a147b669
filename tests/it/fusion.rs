//! Expressions computed as one program give the bits, dtypes, strides and errors of their operations run one by one.

use tsr::lang::run_text;
use tsr::ops::exec::fuse_from;

/// A small generator of numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Variables of many dtypes, sizes and strides.
const VARIABLES: &str = "import torch
torch.manual_seed(3)
a = torch.randn(6, 5)
b = torch.randn(6, 5).double()
c = torch.randn(5)
d = torch.randn(5, 6).t()
e = torch.randn(12, 10)[::2, ::2]
h = torch.randn(6, 5).half()
g = torch.randn(6, 5).bfloat16()
i = torch.randint(-9, 9, (6, 5), dtype=torch.int32)
j = torch.randint(1, 9, (6, 5))
k = torch.randint(0, 255, (6, 5), dtype=torch.uint8)
m = torch.randn(6, 5) > 0
s = torch.tensor(1.5)
w = torch.randn(6, 1)
z = torch.randn(6, 5, dtype=torch.complex64)
y = torch.randn(6, 5, dtype=torch.complex128)
bad = torch.randn(4)
";

const NAMES: [&str; 18] = ["a", "b", "c", "d", "e", "h", "g", "i", "j", "k", "m", "s", "w", "z", "y", "z", "a", "d"];

fn expression(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 {
        return match dice.below(12) {
            0 => dice.pick(&["2", "0.5", "-3", "True", "1.25"]).to_string(),
            1 if dice.below(8) == 0 => "bad".to_string(),
            _ => dice.pick(&NAMES).to_string(),
        };
    }
    let one = expression(dice, depth - 1);
    match dice.below(14) {
        0..=6 => {
            let op = dice.pick(&["+", "-", "*", "*", "+", "/", "<", ">=", "==", "//", "%"]);
            format!("({one} {op} {})", expression(dice, depth - 1))
        }
        7 => format!("(-{one})"),
        8 => format!("({one} ** {})", dice.pick(&["2", "3", "0.5", "1.5"])),
        9 => {
            let (op, bound) = (dice.pick(&["<", "<=", ">", ">=", "==", "!="]), dice.pick(&["0", "1.5", "a", "c", "j"]));
            format!("torch.where({one} {op} {bound}, {}, {})", expression(dice, depth - 1), dice.pick(&NAMES))
        }
        10 => format!("torch.{}({one})", dice.pick(&["tanh", "exp", "relu", "abs", "sqrt", "sign", "square", "sigmoid"])),
        11 => format!("({one}).{}", dice.pick(&["clamp(-1, 1)", "float()", "double()", "abs()", "sigmoid()", "neg()", "int()"])),
        12 => format!("({one}).{}", dice.pick(&["sum(0)", "t()", "mean()", "sum()", "max()", "add(1, alpha=2)"])),
        _ => format!("torch.maximum({one}, {})", dice.pick(&NAMES)),
    }
}

fn show(expression: &str) -> String {
    format!(
        "try:
    r = {expression}
    print(r.dtype, r.shape, r.stride(), r.tolist()) if isinstance(r, torch.Tensor) else print(r)
except Exception as error:
    print(type(error).__name__, error)
"
    )
}

/// What a program prints with fusion from the first element on, and without.
fn both(text: &str) -> (String, String) {
    let run = |from| {
        fuse_from(from);
        let answer = run_text("program", text);
        assert!(answer.error.is_none(), "{:?}", answer.error.map(|e| e.message));
        answer.output
    };
    (run(0), run(i64::MAX))
}

#[test]
fn fused_expressions_are_their_operations_run_one_by_one() {
    let mut dice = Dice(7);
    let expressions: Vec<String> = (0..600).map(|i| expression(&mut dice, 2 + i % 3)).collect();
    let text = VARIABLES.to_string() + &expressions.iter().map(|e| show(e)).collect::<String>();
    let (fused, plain) = both(&text);
    for (i, (fused, plain)) in fused.lines().zip(plain.lines()).enumerate() {
        assert_eq!(fused, plain, "{}", expressions[i]);
    }
    assert_eq!(fused.lines().count(), plain.lines().count());

    // What else runs while an expression is open.
    let effects = "
def spoil(x):
    x.zero_()
    y = x + 1
    return y * 2

x = a.clone()
print(((x * 2 + 1) * spoil(x) + x).tolist())
x = a.clone()
print((x * 2 + x.mul_(3) * 2 + x).tolist())
kept = []
print((x * 2 + (kept.append(x + 1) or 1) * x.t_().t()).tolist(), kept[0].tolist())
x = a.clone()
print(x.sub_(x * 2).tolist(), torch.sub(x, a * x, out=x).tolist())
y = torch.zeros(6, 5)
y[1:] = y[:-1] + x[1:] * 2
print(y.tolist(), torch.add(y[:-1] * 2, 1, out=y[1:]).tolist())
q = (t := x * 2) * t + t
t.zero_()
print(q.tolist(), [(x * n + 1).sum().item() for n in range(3)])
p = a.clone().requires_grad_()
print((p * 2 + 1).sigmoid().sum())
";
    let (fused, plain) = both(&(VARIABLES.to_string() + effects));
    assert_eq!(fused, plain);
}
