//! `pprint`: containers over several lines where one is too narrow.

use crate::lang::types::call::{Call, Table, def, row};
use crate::lang::types::{convert, limits, sort};
use crate::value::{Machine, Outcome, Value};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "pprint",
    rows: Table::sorted(&[
        row("pformat", def(&["object", "indent", "width", "depth", "compact", "sort_dicts"], 1, 4), |c| {
            Ok(Value::from(formatted(c)?))
        }),
        row("pp", def(&["object"], 1, 1), |c| {
            let object = c.arg(0).clone();
            let mut out = String::new();
            Style { width: 80, sorted: false }.write(c.machine, &mut out, &object, 0, 0)?;
            out.push('\n');
            c.machine.write(&out);
            Ok(Value::None)
        }),
        row("pprint", def(&["object", "stream", "indent", "width", "depth", "compact", "sort_dicts"], 1, 5), |c| {
            let (object, width) = (c.arg(0).clone(), c.some(3).map_or(Ok(80), convert::to_count)?);
            let sorted = !matches!(c.arg(6), Value::Bool(false));
            let mut out = String::new();
            Style { width, sorted }.write(c.machine, &mut out, &object, 0, 0)?;
            out.push('\n');
            c.machine.write(&out);
            Ok(Value::None)
        }),
    ]),
};

/// How wide lines may be, and whether keys are put in order.
struct Style {
    width: usize,
    sorted: bool,
}

fn formatted(c: &mut Call<'_>) -> Outcome<String> {
    let (object, width) = (c.arg(0).clone(), c.some(2).map_or(Ok(80), convert::to_count)?);
    let sorted = !matches!(c.arg(5), Value::Bool(false));
    let mut out = String::new();
    Style { width, sorted }.write(c.machine, &mut out, &object, 0, 0)?;
    Ok(out)
}

impl Style {
    /// Writes a value from a column on; so many characters follow it on its last line.
    fn write(&self, machine: &mut dyn Machine, out: &mut String, value: &Value, column: usize, after: usize) -> Outcome<()> {
        let text = self.flat(machine, value)?;
        if text.chars().count() + column + after <= self.width {
            out.push_str(&text);
            return Ok(());
        }
        limits::deeper("", || match value {
            Value::List(items) => self.write_items(machine, out, &items.borrow().clone(), ("[", "]"), column, after),
            Value::Tuple(items) => {
                let close = if items.len() == 1 { ",)" } else { ")" };
                self.write_items(machine, out, items, ("(", close), column, after)
            }
            Value::Dict(entries) => {
                let keys = self.keys(machine, entries.borrow().keys().map(|key| key.value().clone()).collect())?;
                out.push('{');
                for (i, key) in keys.iter().enumerate() {
                    let last = i + 1 == keys.len();
                    let shown = self.flat(machine, key)?;
                    let item = machine.get_item(value, key)?;
                    out.push_str(&shown);
                    out.push_str(": ");
                    let start = column + 1 + shown.chars().count() + 2;
                    self.write(machine, out, &item, start, if last { after + 1 } else { 1 })?;
                    if !last {
                        out.push_str(",\n");
                        out.push_str(&" ".repeat(column + 1));
                    }
                }
                out.push('}');
                Ok(())
            }
            _ => {
                out.push_str(&text);
                Ok(())
            }
        })
    }

    fn write_items(
        &self,
        machine: &mut dyn Machine,
        out: &mut String,
        items: &[Value],
        (open, close): (&str, &str),
        column: usize,
        after: usize,
    ) -> Outcome<()> {
        out.push_str(open);
        for (i, item) in items.iter().enumerate() {
            let last = i + 1 == items.len();
            self.write(machine, out, item, column + 1, if last { after + close.len() } else { 1 })?;
            if !last {
                out.push_str(",\n");
                out.push_str(&" ".repeat(column + 1));
            }
        }
        out.push_str(close);
        Ok(())
    }

    fn keys(&self, machine: &mut dyn Machine, mut keys: Vec<Value>) -> Outcome<Vec<Value>> {
        if self.sorted {
            let mut sorted = keys.clone();
            // Keys that have no order stay as they are.
            if sort::sort(machine, &mut sorted, None, false).is_ok() {
                keys = sorted;
            }
        }
        Ok(keys)
    }

    /// A value in one line, with dicts in order.
    fn flat(&self, machine: &mut dyn Machine, value: &Value) -> Outcome<String> {
        let joined = |machine: &mut dyn Machine, items: &[Value]| {
            items.iter().map(|item| self.flat(machine, item)).collect::<Outcome<Vec<_>>>().map(|all| all.join(", "))
        };
        limits::deeper("", || match value {
            Value::List(items) => Ok(format!("[{}]", joined(machine, &items.borrow().clone())?)),
            Value::Tuple(items) if items.len() > 1 => Ok(format!("({})", joined(machine, items)?)),
            Value::Dict(entries) => {
                let keys = self.keys(machine, entries.borrow().keys().map(|key| key.value().clone()).collect())?;
                let mut texts = vec![];
                for key in keys {
                    let item = machine.get_item(value, &key)?;
                    texts.push(format!("{}: {}", self.flat(machine, &key)?, self.flat(machine, &item)?));
                }
                Ok(format!("{{{}}}", texts.join(", ")))
            }
            other => machine.repr(other),
        })
    }
}
