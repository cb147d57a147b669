//! `numpy.set_printoptions` and its kin.

use super::array::unwrap;
use crate::lang::operators;
use crate::lang::types::call::{Call, Table, named, row};
use crate::lang::types::convert;
use crate::settings::{self, ArrayPrintOptions};
use crate::value::{Key, Object, Outcome, Value};
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

const NAMES: &[&str] = &["precision", "threshold", "edgeitems", "linewidth", "suppress"];

/// The functions, which [`super::FUNCTIONS`] lists too.
pub static FUNCTIONS: Table = Table {
    owner: "numpy",
    rows: Table::sorted(&[
        row("get_printoptions", named(&[], 0), |_| Ok(told(settings::with(|s| s.arrays)))),
        row("printoptions", named(NAMES, 0), |c| {
            let inside = asked(c)?;
            Ok(Value::object(Held { inside, before: Cell::new(inside) }))
        }),
        row("set_printoptions", named(NAMES, 0), |c| {
            let options = asked(c)?;
            settings::change(|s| s.arrays = options);
            Ok(Value::None)
        }),
    ]),
};

/// The options that are set, but for those that a call gives.
fn asked(c: &Call<'_>) -> Outcome<ArrayPrintOptions> {
    let mut options = settings::with(|s| s.arrays);
    let count = |value: &Value, name: &str| -> Outcome<usize> {
        match unwrap(value) {
            Value::Int(n) if n >= 0 => Ok(n as usize),
            other => fault!(TypeError, "{name} must be a whole number of at least 0, not {}", other.type_name()),
        }
    };
    if let Some(value) = c.some(0) {
        options.precision = count(value, "precision")?;
    }
    if let Some(value) = c.some(1) {
        options.threshold = match convert::as_float(value)? {
            Some(n) if !n.is_nan() => n,
            Some(_) => fault!(ValueError, "threshold must be non-NAN, try sys.maxsize for untruncated representation"),
            None => fault!(TypeError, "threshold must be numeric"),
        };
    }
    if let Some(value) = c.some(2) {
        options.edgeitems = count(value, "edgeitems")? as i64;
    }
    if let Some(value) = c.some(3) {
        options.linewidth = count(value, "linewidth")?;
    }
    if let Some(value) = c.some(4) {
        options.suppress = operators::truth(value)?;
    }
    Ok(options)
}

/// The options as a dict.
fn told(options: ArrayPrintOptions) -> Value {
    let values = [
        Value::Int(options.precision as i64),
        if options.threshold.fract() == 0.0 { Value::Int(options.threshold as i64) } else { Value::Float(options.threshold) },
        Value::Int(options.edgeitems),
        Value::Int(options.linewidth as i64),
        Value::Bool(options.suppress),
    ];
    Value::dict(NAMES.iter().zip(values).map(|(name, value)| (Key::from(*name), value)).collect())
}

/// `numpy.printoptions(…)`: options that hold inside of a `with`.
struct Held {
    inside: ArrayPrintOptions,
    before: Cell<ArrayPrintOptions>,
}

impl Object for Held {
    fn type_name(&self) -> String {
        "contextlib._GeneratorContextManager".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let exchange = |options: ArrayPrintOptions| settings::change(|s| std::mem::replace(&mut s.arrays, options));
        Ok(match name {
            "__enter__" => Some(Value::method(move |_| {
                self.before.set(exchange(self.inside));
                Ok(told(self.inside))
            })),
            "__exit__" => Some(Value::method(move |_| {
                exchange(self.before.get());
                Ok(Value::None)
            })),
            _ => None,
        })
    }
}
