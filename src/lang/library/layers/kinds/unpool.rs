//! Layers that undo pools, and pools of three dimensions.

use super::{Kind, bare, called, named};
use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::{self, Bool, Int, Required};

const UNPOOL: Settings = &[("kernel_size", Required), ("stride", Unless::None), ("padding", Int(0))];
const UNPOOLED: Settings = &[("input", Required), ("indices", Required), ("output_size", Unless::None)];

macro_rules! unpool {
    ($name:literal, $function:literal, $dims:literal) => {
        called(
            $name,
            "pooling",
            UNPOOL,
            UNPOOLED,
            concat!("torch.nn.functional.", $function, "(input, indices, kernel_size, stride, padding, output_size)"),
            |s| named(s, &["kernel_size", "stride", "padding"]),
        )
    };
}

const FRACTIONAL: Settings = &[
    ("kernel_size", Required),
    ("output_size", Unless::None),
    ("output_ratio", Unless::None),
    ("return_indices", Bool(false)),
    ("_random_samples", Unless::None),
];

/// A pool whose windows are drawn.
macro_rules! fractional {
    ($name:literal, $function:literal, $dims:literal) => {
        Kind {
            make: concat!(
                "if output_size is None and output_ratio is None:
    raise ValueError('",
                $name,
                " requires specifying either an output size, or a pooling ratio')
if ",
                $dims,
                " == 3 and not all(size > 0 for size in (kernel_size if isinstance(kernel_size, tuple) else (kernel_size,))):
    shown = kernel_size[0] if isinstance(kernel_size, tuple) and len(set(kernel_size)) == 1 else kernel_size
    raise ValueError(f'kernel_size must be greater than 0, but got {shown}')
if output_size is not None and output_ratio is not None:
    raise ValueError('only one of output_size and output_ratio may be specified')
ratios = [output_ratio] if isinstance(output_ratio, (int, float)) else output_ratio or []
if not all(0 < ratio < 1 for ratio in ratios):
    raise ValueError(f'output_ratio must be between 0 and 1 (got {output_ratio})')
[]"
            ),
            ..called(
                $name,
                "pooling",
                FRACTIONAL,
                super::INPUT,
                concat!(
                    "ratio = (output_ratio,) * (input.dim() - 1) if isinstance(output_ratio, float) else output_ratio
torch.nn.functional.",
                    $function,
                    "(input, kernel_size, output_size, ratio[-",
                    $dims,
                    ":] if ratio else None, return_indices, _random_samples=_random_samples)"
                ),
                super::nothing,
            )
        }
    };
}

/// The rows.
pub(super) static KINDS: &[Kind] = &[
    fractional!("FractionalMaxPool2d", "fractional_max_pool2d", "2"),
    fractional!("FractionalMaxPool3d", "fractional_max_pool3d", "3"),
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
