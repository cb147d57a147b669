//! Numbers as they would be after a round trip through few whole numbers.

use super::Form::Code;
use super::{Op, op};

const fn function(schema: &'static str, doc: &'static str, example: &'static str, code: &'static str) -> Op {
    op(schema, doc, example, Code(code)).function_only().no_out()
}

/// A text that ends with `$end`, which sees as `found` the place of each number among the whole numbers, not yet within bounds. The first
/// kind has one rate and one zero for all numbers, the other those of each slice.
macro_rules! places {
    (of_all, $end:literal) => {
        places!(@"rate, zero = torch.as_tensor(scale, dtype=torch.float32, device=input.device), int(zero_point)\n", $end)
    };
    (of_slices, $end:literal) => {
        places!(
            @"shape = [-1 if d == axis % input.dim() else 1 for d in range(input.dim())]\nrate, zero = scale.reshape(shape), zero_point.reshape(shape)\n",
            $end
        )
    };
    (@$rates:literal, $end:literal) => {
        concat!(
            $rates,
            "wide = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
found = (wide * (1 / rate)).round() + zero
",
            $end
        )
    };
}

/// The numbers that the places within bounds stand for.
macro_rules! back {
    ($kind:ident) => {
        places!($kind, "((found.nan_to_num(nan=quant_min).clamp(quant_min, quant_max) - zero) * rate).to(input.dtype)")
    };
}

/// What is within bounds hands its gradient on.
macro_rules! through {
    ($kind:ident) => {
        &[("input", places!($kind, "grad * ((found >= quant_min) & (found <= quant_max))"))]
    };
}

/// Refuses whole numbers as input and bounds in the wrong order.
macro_rules! checked {
    ($kernel:literal) => {
        concat!(
            only_floats!($kernel),
            "if quant_min > quant_max:
    raise RuntimeError('`quant_min` should be less than or         equal to `quant_max`.')
"
        )
    };
}

rows![
    function(
        "fake_quantize_per_tensor_affine(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor",
        "The nearest of the numbers `(n - zero_point) * scale` for whole n from `quant_min` to `quant_max`.",
        "torch.fake_quantize_per_tensor_affine(torch.tensor([0.26, 9.]), 0.1, 0, 0, 25)  # tensor([0.3000, 2.5000])",
        concat!(checked!("fake_quantize_tensor_cachemask_kernel_type_handling"), back!(of_all)),
    )
    .grads(through!(of_all)),
    function(
        "fake_quantize_per_tensor_affine(Tensor input, float scale, int zero_point, int quant_min, int quant_max) -> Tensor",
        "",
        "",
        concat!(
            checked!("fake_quantize_tensor_cachemask_kernel_type_handling"),
            "if not quant_min <= zero_point <= quant_max:\n    raise RuntimeError('`zero_point` must be between `quant_min` and `quant_max`.')\n",
            back!(of_all)
        ),
    )
    .grads(through!(of_all)),
    function(
        "fake_quantize_per_channel_affine(Tensor input, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor",
        "As `fake_quantize_per_tensor_affine`, with a scale and a zero of its own for each slice along `axis`.",
        "torch.fake_quantize_per_channel_affine(torch.tensor([[0.26], [0.26]]), torch.tensor([0.1, 0.2]), torch.zeros(2), 0, 0, 25)\n# tensor([[0.3000],\n#         [0.2000]])",
        concat!(
            "if scale.dtype not in (torch.float32, torch.bfloat16):
    raise RuntimeError(f'Scale must be Float or BFloat16, found {scale.type()[6:-6]}')
if zero_point.dtype not in (torch.int32, torch.float32, torch.float16):
    raise RuntimeError(f'Zero-point must be Int32, Float or Half, found {zero_point.type()[6:-6]}')
if scale.dim() != 1 or zero_point.dim() != 1:
    raise RuntimeError('scale and zero point need to be 1-D tensors')
if scale.numel() != zero_point.numel():
    raise RuntimeError('scale and zero-point need to have the same dimensions')
if scale.numel() != input.size(axis):
    raise RuntimeError('dimensions of scale and zero-point are not consistent with input tensor')
",
            checked!("fake_quantize_channel_cachemask_cpu_type_handling"),
            "if zero_point.dtype == torch.int32 and zero_point.numel() and (zero_point.min() < quant_min or zero_point.max() > quant_max):
    raise RuntimeError('`zero_point` must be between `quant_min` and `quant_max`.')
",
            back!(of_slices)
        ),
    )
    .grads(through!(of_slices)),
];
