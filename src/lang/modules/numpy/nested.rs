//! Lists that hold arrays and tensors beside numbers, of which numpy makes one array.

use super::array::check_plain;
use super::promotion::promote;
use crate::dtype::DType;
use crate::ops::exec;
use crate::tensor::Tensor;
use crate::value::{Outcome, Value};

/// Lists are looked into as deep as arrays have dimensions.
const DEEPEST: usize = 64;

/// What is known of the lists while they are gone through.
#[derive(Default)]
struct Seen {
    /// The dtype that arrays and numbers so far have in common.
    dtype: Option<DType>,
    /// Some item is an array.
    arrays: bool,
}

impl Seen {
    fn add(&mut self, dtype: DType) {
        self.dtype = Some(self.dtype.map_or(dtype, |so_far| promote(so_far, dtype)));
    }
}

/// The lists with numbers where arrays and tensors were, and the dtype that all have in common; none for lists without arrays.
/// Fails for a tensor that numpy cannot read.
pub(super) fn spread(data: &Value) -> Outcome<Option<(Value, DType)>> {
    if !matches!(data, Value::List(_) | Value::Tuple(_)) {
        return Ok(None);
    }
    let mut seen = Seen::default();
    let plain = item(data, 0, &mut seen)?;
    Ok(seen.dtype.filter(|_| seen.arrays).map(|dtype| (plain, dtype)))
}

fn item(value: &Value, depth: usize, seen: &mut Seen) -> Outcome {
    match value {
        Value::List(_) | Value::Tuple(_) if depth < DEEPEST => {
            let items = value.items().unwrap_or_default();
            return Ok(Value::list(items.iter().map(|inner| item(inner, depth + 1, seen)).collect::<Outcome<_>>()?));
        }
        Value::Tensor(tensor) => {
            check_plain(tensor, false)?;
            return array(tensor, seen);
        }
        Value::Object(object) => {
            if let Some(tensor) = object.as_array() {
                return array(&tensor, seen);
            }
        }
        Value::Bool(_) => seen.add(DType::Bool),
        Value::Int(_) => seen.add(DType::I64),
        Value::Float(_) => seen.add(DType::F64),
        Value::Complex(_) => seen.add(DType::C128),
        _ => {}
    }
    Ok(value.clone())
}

/// The elements of an array as nested lists; without dimensions, its number.
fn array(tensor: &Tensor, seen: &mut Seen) -> Outcome {
    seen.add(tensor.dtype());
    seen.arrays = true;
    rows(tensor)
}

fn rows(tensor: &Tensor) -> Outcome {
    let layout = tensor.layout();
    let Some((&size, &stride)) = layout.sizes.first().zip(layout.strides.first()) else {
        return Ok(Value::from(exec::item(tensor)?));
    };
    let row = |place: i64| -> Outcome {
        let mut layout = (*layout).clone();
        layout.sizes.remove(0);
        layout.strides.remove(0);
        layout.offset += place * stride;
        rows(&tensor.alias(layout)?)
    };
    Ok(Value::list((0..size).map(row).collect::<Outcome<_>>()?))
}
