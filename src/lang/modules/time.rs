//! `time`: clocks and dates.

mod date;

use crate::interrupt;
use crate::lang::types::call::{Call, Table, Takes, row};
use crate::lang::types::{convert, int};
use crate::value::{Outcome, Value};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "time",
    rows: Table::sorted(&[
        row("asctime", Takes::Between(0, 1), date::as_text),
        row("ctime", Takes::Between(0, 1), date::as_text_of_seconds),
        row("gmtime", Takes::Between(0, 1), |c| date::parts(c, false)),
        row("localtime", Takes::Between(0, 1), |c| date::parts(c, true)),
        row("mktime", Takes::One, date::seconds),
        row("monotonic", Takes::Nothing, |_| Ok(Value::Float(steady().as_secs_f64()))),
        row("monotonic_ns", Takes::Nothing, |_| Ok(Value::Int(steady().as_nanos() as i64))),
        row("perf_counter", Takes::Nothing, |_| Ok(Value::Float(steady().as_secs_f64()))),
        row("perf_counter_ns", Takes::Nothing, |_| Ok(Value::Int(steady().as_nanos() as i64))),
        row("process_time", Takes::Nothing, |_| Ok(Value::Float(processor()?.as_secs_f64()))),
        row("process_time_ns", Takes::Nothing, |_| Ok(Value::Int(processor()?.as_nanos() as i64))),
        row("sleep", Takes::One, sleep),
        row("strftime", Takes::Between(1, 2), date::format),
        row("time", Takes::Nothing, |_| Ok(Value::Float(now().as_secs_f64()))),
        row("time_ns", Takes::Nothing, |_| Ok(Value::Int(now().as_nanos() as i64))),
    ]),
};

/// Time since 1970.
fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Time since the first look at this clock, which never goes back.
pub(super) fn steady() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Processor time of the program, user and system, in ticks of a hundredth of a second.
fn processor() -> Outcome<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may hold blanks: fields count from behind it.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|f| f.parse::<u64>().ok());
    match (ticks(11), ticks(12)) {
        (Some(user), Some(system)) => Ok(Duration::from_millis((user + system) * 10)),
        _ => fault!(OSError, "the operating system does not say how much processor time was used"),
    }
}

/// `sleep(seconds)`. Ctrl-C ends it.
fn sleep(c: &mut Call<'_>) -> Outcome {
    let seconds = match c.arg(0) {
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => int::to_float(&convert::to_big(c.arg(0))?)?,
        other => match convert::as_float(other)? {
            Some(seconds) => seconds,
            None => fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name()),
        },
    };
    if seconds.is_nan() {
        fault!(ValueError, "Invalid value NaN (not a number)");
    }
    if seconds < 0.0 {
        fault!(ValueError, "sleep length must be non-negative");
    }
    let Ok(length) = Duration::try_from_secs_f64(seconds) else {
        fault!(OverflowError, "timestamp out of range for platform time_t");
    };
    c.machine.flush();
    let start = Instant::now();
    loop {
        interrupt::check()?;
        let Some(left) = length.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else { return Ok(Value::None) };
        std::thread::sleep(left.min(Duration::from_millis(20)));
    }
}
