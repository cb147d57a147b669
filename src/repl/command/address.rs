//! `%addr x[1, 2]`: the cell of an element; `%cell #1[7]`: the elements of a cell.

use super::reader::Reader;
use super::{Call, usage};
use crate::device::DeviceId;
use crate::diag::Label;
use crate::lang::Interp;
use crate::layout::wrap_dim;
use crate::ops::exec;
use crate::show::object::tuple;
use crate::show::picture::{self, Named};
use crate::syntax::ast::{Expr, ExprKind};
use crate::tensor::Tensor;
use crate::value::{Machine, Outcome, Raise, Value};

pub(super) fn addr(call: &mut Call) -> Outcome<()> {
    let wrong = || usage("addr", "%addr needs an element, with an int for each dim");
    if call.rest.is_empty() {
        return Err(wrong());
    }
    let reader = Reader::new("addr", call.rest);
    let whole = reader.expression()?;
    let ExprKind::Subscript(object, index) = &whole.kind else { return only(call, &reader, &whole) };
    let base = reader.tensor(call, object)?;
    let given = reader.index(call, index)?;
    let items = given.items().unwrap_or_else(|| vec![given.clone()]);
    // The element is read as the user would, so that an index out of range raises what it always raises.
    let element = match call.interp.get_item(&Value::Tensor(base.tensor.clone()), &given) {
        Ok(Value::Tensor(element)) => element,
        Ok(_) => return Err(wrong()),
        Err(raise) => return Err(blamed(raise, &reader, [&whole, object], &base.tensor, &items)),
    };
    let sizes = base.tensor.sizes();
    let mut place = vec![];
    for (item, size) in items.iter().zip(&sizes) {
        let Value::Int(i) = item else { return Err(wrong()) };
        place.push(wrap_dim(*i, *size as usize)? as i64);
    }
    if place.len() != sizes.len() || element.ndim() != 0 {
        return Err(wrong());
    }
    draw(call, &reader, &base, &place, &element)
}

/// The only element of a tensor without dimensions.
fn only(call: &mut Call, reader: &Reader, whole: &Expr) -> Outcome<()> {
    let base = reader.tensor(call, whole)?;
    match base.tensor.ndim() {
        0 => draw(call, reader, &base, &[], &base.tensor),
        _ => Err(usage("addr", "%addr needs an element, with an int for each dim")),
    }
}

fn draw(call: &mut Call, reader: &Reader, base: &Named, place: &[i64], element: &Tensor) -> Outcome<()> {
    let text = match element.device() {
        DeviceId::Meta => "?".to_string(),
        _ => call.interp.repr(&Value::from(exec::item(element)?))?,
    };
    let doc = picture::address(base, &reader.source.text, place, &text, call.width())?;
    call.print(&doc);
    Ok(())
}

/// The exception with its place in the command's text, the tensor's size, and the indices that there are.
fn blamed(raise: Raise, reader: &Reader, [whole, object]: [&Expr; 2], tensor: &Tensor, items: &[Value]) -> Raise {
    let mut diagnostic = raise.0.diagnostic.clone().at(&reader.source, whole.span, "");
    let sizes = tensor.sizes();
    let text = format!("{} {}", tensor.dtype().name(), tuple(&sizes));
    diagnostic.labels.push(Label { span: object.span, text, primary: false });
    let outside = |(item, size): (&Value, &i64)| matches!(item, Value::Int(i) if wrap_dim(*i, *size as usize).is_err());
    match items.iter().zip(&sizes).position(outside) {
        Some(dim) if sizes[dim] > 0 => {
            let size = sizes[dim];
            let help = format!("dim {dim} has the indices 0 to {}, or counted from the last -1 to -{size}", size - 1);
            diagnostic.help(help).into()
        }
        _ => diagnostic.into(),
    }
}

pub(super) fn cell(call: &mut Call) -> Outcome<()> {
    let wrong = || usage("cell", "%cell needs the number of a storage and of a cell");
    let parsed = call.rest.trim().strip_prefix('#').and_then(|rest| rest.strip_suffix(']')).and_then(|rest| {
        let (label, cell) = rest.split_once('[')?;
        Some((label.trim().parse::<u32>().ok()?, cell.trim().parse::<i64>().ok()?))
    });
    let Some((label, cell)) = parsed else { return Err(wrong()) };
    let parts = variables(call.interp).into_iter().flat_map(|named| named.parts());
    let over = parts.filter(|named| named.tensor.storage().is_ok_and(|s| s.label() == label));
    let tensors: Vec<Named> = over.collect();
    if tensors.is_empty() {
        fault!(ValueError, "no variable is a view of storage #{label}");
    }
    let doc = picture::cell(label, cell, &tensors, call.width())?;
    call.print(&doc);
    Ok(())
}

/// The variables that are tensors.
pub(super) fn variables(interp: &Interp) -> Vec<Named> {
    let tensor = |(name, value): (&std::rc::Rc<str>, &Value)| match value {
        Value::Tensor(tensor) => Some(Named { name: name.to_string(), tensor: tensor.clone() }),
        _ => None,
    };
    interp.globals.variables().filter_map(tensor).collect()
}
