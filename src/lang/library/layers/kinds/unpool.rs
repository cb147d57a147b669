//! Layers that undo pools, and pools of three dimensions.

use super::{Kind, along, bare, called, named, setting};
use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::{self, Bool, Int, Required};
use crate::value::Value;

const UNPOOL: Settings = &[("kernel_size", Required), ("stride", Unless::None), ("padding", Int(0))];
const UNPOOLED: Settings = &[("input", Required), ("indices", Required), ("output_size", Unless::None)];

/// What a layer that undoes a pool shows: every setting along each dimension.
fn shown(settings: &[(&'static str, Value)], dims: usize) -> String {
    let kernel = setting(settings, "kernel_size");
    let stride = match setting(settings, "stride") {
        Value::None => kernel,
        given => given,
    };
    let [kernel, stride, padding] = [kernel, stride, setting(settings, "padding")].map(|value| along(value, dims));
    format!("kernel_size={kernel}, stride={stride}, padding={padding}")
}

macro_rules! unpool {
    ($name:literal, $function:literal, $dims:literal) => {
        called(
            $name,
            "pooling",
            UNPOOL,
            UNPOOLED,
            concat!("torch.nn.functional.", $function, "(input, indices, kernel_size, stride, padding, output_size)"),
            |s| shown(s, $dims),
        )
    };
}

/// The rows.
pub(super) static KINDS: &[Kind] = &[
    unpool!("MaxUnpool1d", "max_unpool1d", 1),
    unpool!("MaxUnpool2d", "max_unpool2d", 2),
    unpool!("MaxUnpool3d", "max_unpool3d", 3),
    bare(
        "AdaptiveMaxPool3d",
        "pooling",
        &[("output_size", Required), ("return_indices", Bool(false))],
        "torch.nn.functional.adaptive_max_pool3d(input, output_size, return_indices)",
        |s| named(s, &["output_size"]),
    ),
    bare(
        "LPPool3d",
        "pooling",
        &[("norm_type", Required), ("kernel_size", Required), ("stride", Unless::None), ("ceil_mode", Bool(false))],
        "torch.nn.functional.lp_pool3d(input, float(norm_type), kernel_size, stride, ceil_mode)",
        |s| named(s, &["norm_type", "kernel_size", "stride", "ceil_mode"]),
    ),
];
