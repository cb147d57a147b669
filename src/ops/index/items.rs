//! What stands between the brackets, item by item: views are worked out on the layout, the rest is collected.

use super::sequence;
use crate::dtype::{DType, Number};
use crate::layout::Layout;
use crate::ops::exec;
use crate::tensor::Tensor;
use crate::value::{Class, Value};
use anyhow::Result;
use num_traits::Signed;
use std::rc::Rc;

/// A dimension, or several for a mask, that a tensor of indices walks.
#[derive(Debug)]
pub(super) struct Pick {
    /// The first dimension.
    pub dim: usize,
    /// Indices or a mask.
    pub index: Tensor,
}

/// An index worked out as far as views go.
pub(super) struct Found {
    /// The view.
    pub layout: Layout,
    /// What picks from the view, in the order of dimensions; none for a plain view.
    pub picks: Vec<Pick>,
    /// The name of the view's gradient node.
    pub node: &'static str,
    /// True when a slice took part of a dimension.
    pub cut: bool,
    /// Which item of the index is worked out.
    place: usize,
    /// True when the index is one item, which is recorded even where it leaves everything.
    alone: bool,
}

/// More nested items than this are numbers, not indices.
const MOST_ITEMS: usize = 32;

/// The items of a tuple, of a list or text that stands for one, or of a tensor or list of numbers as the only item; none for a single
/// item that is worked out without counting dimensions.
pub(super) fn as_items(index: &Value) -> Result<Option<Rc<Vec<Value>>>> {
    Ok(match index {
        Value::Tuple(items) if items.iter().any(is_array) => Some(Rc::new(items.iter().map(of_array).collect::<Result<_>>()?)),
        Value::Tuple(items) => Some(items.clone()),
        Value::Str(text) if (1..MOST_ITEMS).contains(&text.chars().count()) => {
            Some(Rc::new(text.chars().map(|c| Value::from(c.to_string())).collect()))
        }
        Value::List(_) | Value::Range(_) if stands_for_tuple(index) => {
            Some(Rc::new(sequence::items(index).unwrap_or_default().iter().map(of_array).collect::<Result<_>>()?))
        }
        Value::None | Value::Ellipsis | Value::Int(_) | Value::BigInt(_) | Value::Slice(_) => None,
        Value::Size(_) | Value::Named(_) => index.sequence().map(Rc::new),
        other => match of_array(other)? {
            Value::Int(_) => None,
            array => Some(Rc::new(vec![array])),
        },
    })
}

fn is_array(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.as_array().is_some())
}

/// An array of numpy as its tensor, of whole numbers or truth values, and one of its whole numbers as such; anything else as it is,
/// its other numbers, too: they are no indices.
fn of_array(value: &Value) -> Result<Value> {
    let Value::Object(object) = value else { return Ok(value.clone()) };
    let Some(array) = object.as_array() else { return Ok(value.clone()) };
    let is_number = value.class() != Some(Class::NdArray);
    Ok(match crate::ops::number_of_numpy(value) {
        Some(Value::Int(i)) => Value::Int(i),
        Some(_) if is_number => value.clone(),
        _ if array.dtype().is_integral(true) => Value::Tensor(array),
        _ => Value::Tensor(exec::cast(&array, DType::I64)?),
    })
}

/// True for a list that holds more than numbers: `x[[0, slice(1)]]` is `x[0, slice(1)]`.
pub fn stands_for_tuple(list: &Value) -> bool {
    let holds_more = |v: &Value| match v {
        Value::Tensor(_) | Value::Slice(_) | Value::Ellipsis | Value::None => true,
        other => sequence::is_sequence(other),
    };
    sequence::items(list).is_some_and(|items| items.len() < MOST_ITEMS && items.iter().any(holds_more))
}

/// How many dimensions of the tensor an item stands for.
fn dims_of(item: &Value) -> usize {
    match item {
        Value::None | Value::Ellipsis | Value::Bool(_) => 0,
        Value::Tensor(t) if sequence::is_mask(t) => t.ndim(),
        _ => 1,
    }
}

impl Found {
    /// All of a tensor.
    #[inline(always)]
    pub(super) fn all(x: &Tensor) -> Found {
        let layout = Layout::clone(&x.layout());
        Found { layout, picks: vec![], node: "AliasBackward0", cut: false, place: 0, alone: false }
    }

    /// Works out an index of all of the tensor.
    pub(super) fn apply(&mut self, index: &Value) -> Result<()> {
        let Some(items) = as_items(index)? else {
            self.alone = true;
            return self.item(&mut 0, &of_array(index)?, 0);
        };
        let ndim = self.layout.ndim();
        let specified: usize = items.iter().map(dims_of).sum();
        if specified > ndim {
            fault!(IndexError, "too many indices for tensor of dimension {ndim}");
        }
        let mut dim = 0;
        for (place, item) in items.iter().enumerate() {
            self.place = place;
            self.item(&mut dim, item, ndim - specified)?;
        }
        Ok(())
    }

    /// Several `...` each stand for all that is left, so that others may come behind the last dimension. (PyTorch reads the size of an
    /// integer's dimension beyond the sizes, and names what it finds.)
    fn refuse_beyond(&self, dim: usize, item: &Value) -> Result<()> {
        let ndim = self.layout.ndim();
        if dim < ndim.max(1) {
            return Ok(());
        }
        match item {
            Value::None | Value::Ellipsis | Value::Bool(_) | Value::Slice(_) => Ok(()),
            Value::Tensor(t) if sequence::is_mask(t) && t.ndim() == 0 => Ok(()),
            _ => fault!(IndexError, "too many indices for tensor of dimension {ndim} (got {})", dim + 1),
        }
    }

    /// Works out one item at dimension `dim`; `rest` is how many dimensions `...` stands for.
    fn item(&mut self, dim: &mut usize, item: &Value, rest: usize) -> Result<()> {
        self.refuse_beyond(*dim, item)?;
        match item {
            Value::Int(i) => self.select(*dim, *i)?,
            Value::BigInt(_) => fault!(ValueError, "Overflow when unpacking long long"),
            Value::Slice(bounds) => {
                self.slice(*dim, bounds)?;
                *dim += 1;
            }
            Value::Ellipsis => *dim += rest,
            Value::None => {
                self.layout = self.layout.unsqueeze(*dim as i64)?;
                self.node = "UnsqueezeBackward0";
                *dim += 1;
            }
            Value::Bool(truth) => self.truth(dim, *truth)?,
            Value::Tensor(t) => self.tensor(dim, t)?,
            other if sequence::is_sequence(other) => self.tensor(dim, &sequence::tensor(other)?)?,
            other => return refuse(other),
        }
        Ok(())
    }

    fn select(&mut self, dim: usize, index: i64) -> Result<()> {
        let Some(&size) = self.layout.sizes.get(dim) else {
            if index != 0 {
                fault!(IndexError, "index {index} is out of bounds for dimension 0 with size 0");
            }
            fault!(
                IndexError,
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
            )
        };
        if index < -size || index >= size {
            fault!(IndexError, "index {index} is out of bounds for dimension {} with size {size}", self.place);
        }
        self.layout = self.layout.select(dim as i64, index)?;
        self.node = "SelectBackward0";
        Ok(())
    }

    fn slice(&mut self, dim: usize, bounds: &[Value; 3]) -> Result<()> {
        let step = bound(&bounds[2])?.unwrap_or(1);
        if step == 0 {
            fault!(ValueError, "slice step cannot be zero");
        }
        let (start, stop) = (bound(&bounds[0])?, bound(&bounds[1])?);
        let reaches = |size: &i64| stop.is_none_or(|stop| stop >= *size);
        // All of a dimension that is not there, behind a second `...`, is not looked for.
        let whole = step == 1 && start.is_none_or(|s| s == 0) && self.layout.sizes.get(dim).map_or(stop.is_none(), reaches);
        if self.alone || !whole {
            self.layout = self.layout.slice(dim as i64, start, stop, step)?;
            self.node = "SliceBackward0";
            self.cut = true;
        }
        Ok(())
    }

    /// `True` adds a dimension of one index, `False` one of none.
    fn truth(&mut self, dim: &mut usize, truth: bool) -> Result<()> {
        self.layout = self.layout.unsqueeze(*dim as i64)?;
        let index: &[i64] = if truth { &[0] } else { &[] };
        self.picks.push(Pick { dim: *dim, index: exec::from_vec(index, &[index.len() as i64])? });
        self.node = "UnsqueezeBackward0";
        *dim += 1;
        Ok(())
    }

    fn tensor(&mut self, dim: &mut usize, index: &Tensor) -> Result<()> {
        if index.ndim() == 0 && index.dtype().is_integral(true) {
            return match (exec::item(index)?, index.dtype()) {
                (n, DType::Bool | DType::U8) => self.truth(dim, n.to_bool()),
                (n, _) => self.select(*dim, n.to_i64()),
            };
        }
        self.picks.push(Pick { dim: *dim, index: index.clone() });
        *dim += if sequence::is_mask(index) { index.ndim() } else { 1 };
        Ok(())
    }
}

/// A bound of a slice, clamped to 64 bits; none for None.
fn bound(value: &Value) -> Result<Option<i64>> {
    match value {
        Value::None => Ok(None),
        Value::Int(i) => Ok(Some(*i)),
        Value::Bool(b) => Ok(Some(*b as i64)),
        Value::BigInt(b) => Ok(Some(if b.is_negative() { i64::MIN } else { i64::MAX })),
        Value::Tensor(t) if t.numel() == 1 && t.dtype().is_integral(true) => Ok(Some(Number::to_i64(exec::item(t)?))),
        Value::Tensor(_) => fault!(TypeError, "only integer tensors of a single element can be converted to an index"),
        Value::Object(_) if is_array(value) => match of_array(value)? {
            Value::Object(_) => fault!(TypeError, "slice indices must be integers or None or have an __index__ method"),
            found => bound(&found),
        },
        _ => fault!(TypeError, "slice indices must be integers or None or have an __index__ method"),
    }
}

fn refuse(value: &Value) -> Result<()> {
    match value.class() {
        Some(Class::Str | Class::Bytes) => fault!(TypeError, "new(): invalid data type '{}'", value.type_name()),
        _ => fault!(
            IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})",
            value.type_name()
        ),
    }
}
