//! `%origin x`: the views that led to a tensor.

use super::reader::Reader;
use super::step::{Names, text};
use super::{Call, usage};
use crate::diag::{Diagnostic, ErrorClass};
use crate::ops::trace::{Point, origin};
use crate::show::object::tuple;
use crate::show::picture::{self, Ancestor};
use crate::tensor::Tensor;
use crate::value::{Outcome, Value};

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage("origin", "%origin needs a tensor"));
    }
    let reader = Reader::new("origin", call.rest);
    let named = reader.tensor(call, &reader.expression()?)?;
    if named.tensor.is_sparse() {
        let message = format!("{} is sparse: no view of another tensor, but indices and values of its own", named.name);
        let help = format!("%layout {} draws them", named.name);
        return Err(Diagnostic::new(ErrorClass::ValueError, message).help(help).into());
    }
    let label = named.tensor.storage()?.label();
    let mut ancestors = vec![];
    let mut oldest = (Point::of(&named.tensor), named.name.clone());
    let mut next = origin(&named.tensor);
    while let Some(origin) = next {
        let dtype = if origin.before.dtype == origin.after.dtype { String::new() } else { origin.after.dtype.to_string() };
        let place = if let Value::Int(place) = origin.step.result { format!("[{place}]") } else { String::new() };
        let text = text(&origin.step, 1, &Names::default()) + &place;
        ancestors.push(Ancestor { text, layout: origin.after.layout.clone(), remark: dtype });
        oldest = (origin.before.clone(), variable(call, &origin.before));
        next = origin.parent.clone();
    }
    let is_whole = named.tensor.base().is_none_or(|base| base.serial() == oldest.0.serial);
    ancestors.push(Ancestor { text: oldest.1, layout: oldest.0.layout, remark: String::new() });
    ancestors.reverse();
    call.print(&picture::origin(&ancestors, label, is_whole, call.width()));
    Ok(())
}

/// The variable that is the tensor, or its dtype and size when none is.
fn variable(call: &Call, point: &Point) -> String {
    let is_it = |value: &Value| matches!(value, Value::Tensor(t) if Tensor::serial(t) == point.serial);
    let found = call.interp.globals.variables().find(|(_, value)| is_it(value)).map(|(name, _)| name.to_string());
    found.unwrap_or_else(|| format!("{} {}", point.dtype.name(), tuple(&point.layout.sizes)))
}
