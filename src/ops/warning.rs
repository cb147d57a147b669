//! What PyTorch warns of: a table by the names of functions, and outputs that had another size.
//!
//! Recorded from PyTorch 2.15. What it says in C++ ends by naming the line that said it; that is part of the message that a program
//! catches, and is not shown.

mod table;

pub use table::reduction_of_old;

use super::args::FromValue;
use super::out::rules::kernel_name;
use super::{Args, OpSet, index};
use crate::diag::ErrorClass;
use crate::dtype::DType;
use crate::layout::Dims;
use crate::settings;
use crate::tensor::Tensor;
use crate::value::{Machine, Outcome, Value};
use smallvec::SmallVec;

/// The sentence of a warning.
pub enum Text {
    /// One and the same.
    Plain(&'static str),
    /// With what the call is about in it: made from the name that is called and the arguments.
    Made(fn(&str, &Args) -> String),
}

/// One warning.
pub struct Warning {
    class: ErrorClass,
    /// The line of PyTorch's C++ that says it, from the top of its sources; empty for what it says in Python.
    place: &'static str,
    /// Said once in a session, whatever the program's filters.
    once: bool,
    /// Whether a call, by its name and arguments, gives reason for it.
    when: fn(&str, &Args) -> bool,
    text: Text,
}

/// The warnings of a function by the name it is called by.
pub fn of(name: &str) -> &'static [Warning] {
    table::TABLE.iter().find(|(names, _)| names.contains(&name)).map_or(&[], |(_, warnings)| warnings)
}

/// Says what there is to say of a call. Fails with the warning where the program made it an error.
pub fn tell(machine: &mut dyn Machine, set: &OpSet, args: &Args) -> Outcome<()> {
    if is_told_late(args) { Ok(()) } else { tell_all(machine, set, args) }
}

/// True for what is found out when an `out` has its new size: that too few elements are left to be spread.
fn is_told_late(args: &Args) -> bool {
    matches!(args.op.name(), "std" | "var") && !matches!(args.out, Value::None)
}

/// Says what is said of a call when its `out` has its size.
pub fn tell_late(machine: &mut dyn Machine, set: &OpSet, args: &Args) -> Outcome<()> {
    if is_told_late(args) { tell_all(machine, set, args) } else { Ok(()) }
}

fn tell_all(machine: &mut dyn Machine, set: &OpSet, args: &Args) -> Outcome<()> {
    for warning in set.warnings.iter().filter(|warning| (warning.when)(set.name, args)) {
        let text = match warning.text {
            Text::Plain(text) => text.to_string(),
            Text::Made(make) => make(set.name, args),
        };
        say(machine, warning.class, &text, warning.place, warning.once)?;
    }
    Ok(())
}

/// Says a sentence of PyTorch's as its C++ does, naming the line, or, without one, as its Python does. What is said `once` is not said
/// again in this session unless `torch.set_warn_always` was told to.
pub fn say(machine: &mut dyn Machine, class: ErrorClass, text: &str, place: &'static str, once: bool) -> Outcome<()> {
    if once && !settings::change(|s| s.warned.insert(place) || s.warns_always) {
        return Ok(());
    }
    match place {
        "" => machine.warn(class, text),
        _ => machine.warn(class, &format!("{text} (Triggered internally at /__w/pytorch/pytorch/{place}.)")),
    }
}

/// Says of an index that masks of uint8, and lists that stand for tuples, are no longer meant to be there.
pub fn tell_of_index(machine: &mut dyn Machine, index: &Value) -> Outcome<()> {
    let is_mask = |value: &Value| matches!(value, Value::Tensor(mask) if mask.dtype() == DType::U8);
    let has_mask = match index {
        Value::Tuple(parts) => parts.iter().any(is_mask),
        index => is_mask(index),
    };
    if matches!(index, Value::List(_)) && index::stands_for_tuple(index) {
        let text = "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which will result either in an error or a different result";
        say(machine, ErrorClass::UserWarning, text, "torch/csrc/autograd/python_variable_indexing.cpp:375", false)?;
    }
    if !has_mask {
        return Ok(());
    }
    let text = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.";
    say(machine, ErrorClass::UserWarning, text, "aten/src/ATen/native/IndexingUtils.h:37", false)
}

/// Says of a number made of a tensor that asks for a gradient that the gradient ends there.
pub fn tell_of_number(machine: &mut dyn Machine, value: &Value) -> Outcome<()> {
    if !matches!(value, Value::Tensor(tensor) if tensor.requires_grad()) {
        return Ok(());
    }
    let text = "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using tensor.detach() first.";
    say(machine, ErrorClass::UserWarning, text, "torch/csrc/autograd/generated/python_variable_methods.cpp:820", true)
}

/// The outputs of a call that have elements, with their sizes.
pub type Outputs = SmallVec<[(Tensor, Dims); 1]>;

/// Notes the sizes of outputs before a call; of functions that fill one, whatever it was, none.
pub fn outputs(args: &Args) -> Outputs {
    let listed = args.out.items().unwrap_or_else(|| vec![args.out.clone()]);
    let filled = table::FILLING.contains(&kernel_name(args));
    let tensors = listed.iter().filter_map(Tensor::from_value).filter(|tensor| !filled && tensor.numel() > 0);
    tensors.map(|tensor| (tensor.clone(), tensor.sizes())).collect()
}

/// Says of which outputs a call changed the size.
pub fn tell_resized(machine: &mut dyn Machine, name: &str, before: Outputs) -> Outcome<()> {
    for (tensor, size) in before {
        let now = tensor.sizes();
        if now == size {
            continue;
        }
        let (place, text) = match name {
            "arange" => (
                "aten/src/ATen/native/RangeFactories.cpp:200",
                format!(
                    "The number of elements in the out tensor of shape {size:?} is {} which does not match the computed number of elements {count}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape ({count},).",
                    size.iter().product::<i64>(),
                    count = tensor.numel()
                ),
            ),
            _ => (
                "aten/src/ATen/native/Resize.cpp:30",
                format!(
                    "An output with one or more elements was resized since it had shape {size:?}, which does not match the required output shape {now:?}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
                ),
            ),
        };
        say(machine, ErrorClass::UserWarning, &text, place, false)?;
    }
    Ok(())
}
