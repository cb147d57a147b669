//! Every row with a gradient, called as examples call it: the laws of `tests/gradients.tsr`.

use super::rows::{calls, dict, silent};
use std::panic::AssertUnwindSafe;
use tsr::diag::Source;
use tsr::lang::{self, Interp};
use tsr::ops;
use tsr::syntax::Options;
use tsr::value::{CallArgs, Machine, Value};

/// The laws, and what calls them with a row and a call.
fn laws(interp: &mut Interp) -> Value {
    for (name, text) in [("rows.tsr", include_str!("../rows.tsr")), ("gradients.tsr", include_str!("../gradients.tsr"))] {
        interp.run(&Source::new(name, text), &Options::default()).ok().expect("the laws");
    }
    interp.globals.get("gradients").cloned().expect("the check")
}

/// The counts that a check gives: of slopes, of slopes of slopes, of layouts.
fn counts(found: &Value) -> Vec<i64> {
    found.sequence().unwrap_or_default().iter().map(|count| count.as_number().map_or(0, |n| n.to_i64())).collect()
}

/// What came of calls: cases of slopes, of slopes of slopes and of layouts; rows with a case; and what went wrong.
#[derive(Default)]
struct Found {
    sums: [i64; 3],
    rows: usize,
    broken: Vec<String>,
    untried: Vec<&'static str>,
}

impl Found {
    fn join(mut self, other: Self) -> Self {
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum += more;
        }
        self.rows += other.rows;
        self.broken.extend(other.broken);
        self.untried.extend(other.untried);
        self
    }
}

/// Rows are shared out among as many sessions: they take minutes without optimisation.
const PARTS: usize = 4;

/// What comes of every row whose turn it is, counted from `first`.
fn part(first: usize) -> Found {
    let mut interp = silent();
    let check = laws(&mut interp);
    let mut found = Found::default();
    for (op, calls) in calls().into_values().skip(first).step_by(PARTS) {
        let (mut tried, mut is_apart) = (false, false);
        for call in calls {
            let function = call.callee(&mut interp);
            let writes = Value::Bool(call.writes(op));
            let told = dict([("name".to_string(), Value::from(op.name())), ("writes".to_string(), writes)]);
            let args = vec![told, function, Value::list(call.places), dict(call.names)];
            let checked = AssertUnwindSafe(|| interp.call(&check, CallArgs::positional(args)));
            match std::panic::catch_unwind(checked) {
                Ok(Ok(Value::None)) => is_apart = true,
                Ok(Ok(cases)) => {
                    for (sum, count) in found.sums.iter_mut().zip(counts(&cases)) {
                        *sum += count;
                        tried |= count > 0;
                    }
                }
                Ok(Err(raise)) => found.broken.push(format!("{}: {}", op.schema, lang::report(&raise.0).headline())),
                Err(_) => found.broken.push(format!("{}: a panic", op.schema)),
            }
        }
        found.rows += usize::from(tried);
        if !tried && !is_apart && ops::has_gradient_rules(op) {
            found.untried.push(op.schema);
        }
    }
    found
}

#[test]
fn gradients_are_slopes() {
    let found = std::thread::scope(|scope| {
        let parts: Vec<_> =
            (0..PARTS).map(|first| scope.spawn(move || lang::stack::with_large(|| part(first)).expect("a thread"))).collect();
        parts.into_iter().map(|part| part.join().expect("a part")).fold(Found::default(), Found::join)
    });
    let Found { sums, rows, broken, untried } = found;
    println!("{rows} rows; {sums:?} cases of slopes, slopes of slopes and layouts; {} broken", broken.len());
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
    assert!(untried.is_empty(), "no call of these has a gradient to try:\n{}", untried.join("\n"));
    assert!(rows > 550 && sums.iter().all(|sum| *sum > 1000), "{rows} rows, {sums:?}");
}
