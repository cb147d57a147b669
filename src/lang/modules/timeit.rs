//! `timeit`: how long a function takes.

use super::time;
use crate::interrupt;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::convert;
use crate::value::{CallArgs, Outcome, Value};
use std::time::Instant;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "timeit",
    rows: Table::sorted(&[
        row("default_timer", Takes::Nothing, |_| Ok(Value::Float(time::steady().as_secs_f64()))),
        row("repeat", def(&["stmt", "setup", "timer", "repeat", "number", "globals"], 1, 6), |c| {
            let (repeat, number) = (count(c, 3, 5)?, count(c, 4, MANY)?);
            Ok(Value::list((0..repeat).map(|_| seconds(c, number)).collect::<Outcome<_>>()?))
        }),
        row("timeit", def(&["stmt", "setup", "timer", "number", "globals"], 1, 5), |c| {
            let number = count(c, 3, MANY)?;
            seconds(c, number)
        }),
    ]),
};

/// How often a statement runs unless it is said.
const MANY: i64 = 1_000_000;

fn count(c: &Call<'_>, place: usize, usual: i64) -> Outcome<i64> {
    c.some(place).map_or(Ok(usual), convert::to_i64)
}

/// The seconds that `number` calls take, after one of the function that prepares them.
fn seconds(c: &mut Call<'_>, number: i64) -> Outcome {
    let (statement, setup) = (c.arg(0).clone(), c.some(1).cloned());
    for text in [Some(&statement), setup.as_ref()].into_iter().flatten() {
        if matches!(text, Value::Str(_)) {
            fault!(NotImplementedError, "timeit takes functions here, not texts: timeit.timeit(lambda: ..., number=1000)");
        }
    }
    if let Some(setup) = setup {
        c.machine.call(&setup, CallArgs::default())?;
    }
    let start = Instant::now();
    for _ in 0..number {
        interrupt::check()?;
        c.machine.call(&statement, CallArgs::default())?;
    }
    Ok(Value::Float(start.elapsed().as_secs_f64()))
}
