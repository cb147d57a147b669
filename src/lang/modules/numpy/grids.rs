//! `numpy.r_`, `mgrid` and their kin: what stands between their brackets becomes arrays.

use crate::value::{Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// An object that is only indexed: its name and the text for what `key` asks.
struct Grid {
    name: &'static str,
    text: &'static str,
}

/// The lines that slices stand for; a step that is imaginary counts the elements.
macro_rules! lines {
    ($text:literal) => {
        concat!(
            "import numpy
parts = key if isinstance(key, tuple) else (key,)
def line(part):
    low = part.start or 0
    counted = isinstance(part.step, complex)
    return numpy.linspace(low, part.stop, int(abs(part.step))) if counted else numpy.arange(low, part.stop, part.step or 1)
",
            $text
        )
    };
}

const GRIDS: &[Grid] = &[
    Grid {
        name: "c_",
        text: lines!(
            "arrays = [numpy.atleast_1d(line(part) if isinstance(part, slice) else part) for part in parts]
numpy.concatenate([each.reshape(-1, 1) if each.ndim == 1 else each for each in arrays], -1)"
        ),
    },
    Grid { name: "index_exp", text: "key if isinstance(key, tuple) else (key,)" },
    Grid {
        name: "mgrid",
        text: lines!(
            "lines = [line(part) for part in parts]
numpy.stack(numpy.meshgrid(*lines, indexing='ij')) if isinstance(key, tuple) else lines[0]"
        ),
    },
    Grid {
        name: "ogrid",
        text: lines!("lines = [line(part) for part in parts]\nnumpy.ix_(*lines) if isinstance(key, tuple) else lines[0]"),
    },
    Grid {
        name: "r_",
        text: lines!("numpy.concatenate([line(part) if isinstance(part, slice) else numpy.atleast_1d(part) for part in parts])"),
    },
    Grid { name: "s_", text: "key" },
];

/// All of them by their names.
pub fn values() -> Vec<(&'static str, Value)> {
    GRIDS.iter().map(|Grid { name, text }| (*name, Value::object(Grid { name, text }))).collect()
}

impl Object for Grid {
    fn type_name(&self) -> String {
        format!("numpy.lib._index_tricks_impl.{}", self.name)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        Some(machine.eval_code(self.text, &[("key", key.clone())]))
    }
}
