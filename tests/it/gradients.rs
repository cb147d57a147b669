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

#[test]
fn gradients_are_slopes() {
    lang::stack::with_large(|| {
        let mut interp = silent();
        let check = laws(&mut interp);
        let (mut sums, mut rows, mut broken, mut untried) = ([0; 3], 0, vec![], vec![]);
        for (op, calls) in calls().into_values() {
            let (mut tried, mut is_apart) = (false, false);
            for call in calls {
                let function = call.callee(&mut interp);
                let writes = Value::Bool(call.writes(op));
                let told = dict([("name".to_string(), Value::from(op.name())), ("writes".to_string(), writes)]);
                let args = vec![told, function, Value::list(call.places), dict(call.names)];
                let checked = AssertUnwindSafe(|| interp.call(&check, CallArgs::positional(args)));
                match std::panic::catch_unwind(checked) {
                    Ok(Ok(Value::None)) => is_apart = true,
                    Ok(Ok(found)) => {
                        for (sum, count) in sums.iter_mut().zip(counts(&found)) {
                            *sum += count;
                            tried |= count > 0;
                        }
                    }
                    Ok(Err(raise)) => broken.push(format!("{}: {}", op.schema, lang::report(&raise.0).headline())),
                    Err(_) => broken.push(format!("{}: a panic", op.schema)),
                }
            }
            rows += usize::from(tried);
            if !tried && !is_apart && ops::has_gradient_rules(op) {
                untried.push(op.schema);
            }
        }
        println!("{rows} rows; {sums:?} cases of slopes, slopes of slopes and layouts; {} broken", broken.len());
        assert!(broken.is_empty(), "\n{}", broken.join("\n"));
        assert!(untried.is_empty(), "no call of these has a gradient to try:\n{}", untried.join("\n"));
        assert!(rows > 550 && sums.iter().all(|sum| *sum > 1000), "{rows} rows, {sums:?}");
    })
    .expect("a thread");
}
