//! What PyTorch says where an operation has no kernel for a kind of tensor: which kinds it has kernels for.

/// The kinds of devices that kernels can be for.
#[rustfmt::skip] // in few lines
const DEVICES: &[&str] = &[
    "CPU", "CUDA", "HIP", "XLA", "MPS", "IPU", "XPU", "HPU", "VE", "Lazy", "MTIA", "MAIA", "PrivateUse1", "PrivateUse2", "PrivateUse3", "Meta",
];

/// Those whose tensors are no memory to step through: what steps through memory has no kernel for them.
const OPAQUE: &[&str] = &["Lazy", "XLA"];

/// What stands between the kernels and PyTorch's ways around kernels, whatever the operation.
#[rustfmt::skip] // in few lines
const BEFORE_GRADIENTS: &[&str] = &[
    "BackendSelect", "Python", "FuncTorchDynamicLayerBackMode", "Functionalize", "Conjugate", "Negative", "ZeroTensor", "ADInplaceOrView",
];

/// What comes after the gradients of each kind of device.
#[rustfmt::skip] // in few lines
const AFTER_GRADIENTS: &[&str] = &[
    "Tracer", "AutocastCPU", "AutocastMTIA", "AutocastMAIA", "AutocastXPU", "AutocastMPS", "AutocastCUDA", "FuncTorchBatched",
    "BatchedNestedTensor", "FuncTorchVmapMode", "Batched", "VmapMode", "FuncTorchGradWrapper", "PythonTLSSnapshot",
    "FuncTorchDynamicLayerFrontMode", "PreDispatch", "PythonDispatcher",
];

/// Kernels that PyTorch derives from those that write into a given tensor, for every layout that has strides or makes its results from
/// values. A mark of writing in place is left out, and so is what begins with `special_`, which all are such.
#[rustfmt::skip] // in few lines
const DERIVED: &[&str] = &[
    "_linalg_det", "_linalg_eigh", "_linalg_slogdet", "_linalg_solve_ex", "_linalg_svd", "_log_softmax", "_softmax", "acos",
    "acosh", "adaptive_max_pool2d", "adaptive_max_pool3d", "addcdiv", "addcmul", "addmv", "all", "all.dim", "amax", "amin",
    "aminmax", "any.dim", "argmax", "argmin", "as_strided_scatter", "atan2", "avg_pool2d", "avg_pool3d", "baddbmm", "bernoulli.p",
    "bitwise_and.Tensor", "bitwise_left_shift.Tensor", "bitwise_not", "bitwise_or.Tensor", "bitwise_right_shift.Tensor",
    "bitwise_xor.Tensor", "clamp", "clamp.Tensor", "clamp_max", "clamp_max.Tensor", "clamp_min", "clamp_min.Tensor", "copy",
    "copysign.Tensor", "cos", "cosh", "cumprod", "cumsum", "diag_embed", "diagonal_scatter", "digamma", "elu", "eq.Scalar",
    "eq.Tensor", "erfc", "exp", "exp2", "fmax", "fmin", "fmod.Tensor", "fractional_max_pool2d", "fractional_max_pool3d", "gather",
    "gcd", "ge.Scalar", "ge.Tensor", "gelu", "glu", "gt.Scalar", "gt.Tensor", "hardshrink", "hardsigmoid", "heaviside", "hypot",
    "i0", "igamma", "igammac", "index.Tensor", "index_add", "index_copy", "index_reduce", "isin.Scalar_Tensor",
    "isin.Tensor_Scalar", "isin.Tensor_Tensor", "lcm", "le.Scalar", "le.Tensor", "leaky_relu", "lerp.Scalar", "lerp.Tensor",
    "lgamma", "linalg_cholesky_ex", "linalg_cross", "linalg_inv_ex", "linalg_ldl_factor_ex", "linalg_ldl_solve", "linalg_lu",
    "linalg_lu_factor_ex", "linalg_lu_solve", "linalg_pinv.atol_rtol_tensor", "linalg_polar", "linalg_qr", "log", "log10", "log2",
    "logaddexp", "logaddexp2", "lt.Scalar", "lt.Tensor", "lu_unpack", "max.dim", "max_pool2d_with_indices", "maximum", "mean.dim",
    "min.dim", "minimum", "mish", "mse_loss", "ne.Scalar", "ne.Tensor", "nextafter", "nll_loss_forward", "pixel_shuffle",
    "pixel_unshuffle", "polygamma", "pow.Scalar", "pow.Tensor", "pow.Tensor_Tensor", "prod.dim_int", "reciprocal",
    "reflection_pad1d", "reflection_pad3d", "remainder.Tensor", "renorm", "replication_pad1d", "replication_pad2d",
    "replication_pad3d", "round.decimals", "rsqrt", "scatter.reduce", "scatter.src", "scatter.value", "scatter.value_reduce",
    "scatter_add", "scatter_reduce.two", "select_scatter", "sigmoid", "silu", "sinc", "slice_scatter", "slow_conv_transpose2d",
    "smooth_l1_loss", "softplus", "softshrink", "sort.stable", "threshold", "topk", "triangular_solve", "tril", "triu",
    "xlogy.Tensor",
];

/// Derived kernels of which there are some for nested tensors, too.
const NESTED: &[&str] =
    &["_softmax", "all.dim", "cos", "eq.Scalar", "eq.Tensor", "ge.Scalar", "gelu", "gelu_", "gt.Scalar", "silu", "silu_"];

/// Kernels that are for others than [`PLAIN`].
#[rustfmt::skip] // in few lines
const OTHERS: &[(&[&str], &str)] = &[
    (&["_coalesce", "_sparse_log_softmax", "_sparse_softmax", "hspmm"], "Meta SparseCPU SparseCUDA"),
    (&["_indices", "_values", "sparse_resize_", "sparse_resize_and_clear_"], "Meta SparseCPU SparseCUDA SparseMeta"),
    (&["_index_put_impl_", "as_strided", "empty_strided", "flip", "index_select.out", "masked_fill_.Scalar", "masked_fill_.Tensor", "unfold"], "CPU CUDA Meta QuantizedCPU QuantizedCUDA"),
    (&["_nnz"], "Meta SparseCPU SparseCUDA SparseMeta SparseCsrCPU SparseCsrCUDA SparseCsrMeta"),
    (&["_spsolve"], "Meta SparseCsrCUDA"),
    (&["_to_dense"], "Meta MkldnnCPU SparseCPU SparseCUDA SparseCsrCPU SparseCsrCUDA SparseCsrMeta"),
    (&["addmm.dtype", "addmm.dtype_out", "baddbmm.dtype", "baddbmm.dtype_out", "bmm.dtype", "bmm.dtype_out", "mm.dtype", "mm.dtype_out"], "CUDA Meta"),
    (&["addmv.out", "triangular_solve.X"], "CPU CUDA Meta SparseCsrCPU SparseCsrCUDA"),
    (&["angle", "angle.out"], "CPU CUDA Meta SparseCsrCPU SparseCsrCUDA SparseCsrMeta"),
    (&["baddbmm.out"], "CPU CUDA Meta SparseCsrCUDA"),
    (&["bmm.out"], "CPU CUDA Meta SparseCPU SparseCUDA SparseCsrCUDA"),
    (&["cat.out", "eq.Scalar_out", "equal", "max", "mean.out", "min", "std.correction"], "CPU CUDA Meta QuantizedCPU"),
    (&["div.out", "div.out_mode", "floor_divide", "floor_divide.out", "floor_divide_.Tensor", "nan_to_num.out", "pow.Tensor_Scalar_out", "sspaddmm.out", "sub.out", "view_as_complex", "view_as_real"], "CPU CUDA Meta SparseCPU SparseCUDA"),
    (&["empty.memory_format"], "CPU CUDA Meta QuantizedCPU QuantizedCUDA QuantizedMeta MkldnnCPU SparseCPU SparseCUDA SparseMeta SparseCsrCPU SparseCsrCUDA SparseCsrMeta"),
    (&["fill_.Scalar"], "CPU CUDA Meta QuantizedCPU QuantizedCUDA SparseCsrCPU SparseCsrCUDA SparseCsrMeta NestedTensorCPU NestedTensorCUDA NestedTensorHPU"),
    (&["fill_.Tensor"], "CPU CUDA Meta QuantizedCPU QuantizedCUDA NestedTensorCPU NestedTensorCUDA NestedTensorHPU"),
    (&["index_select"], "CPU CUDA Meta QuantizedCPU QuantizedCUDA SparseCPU SparseCUDA"),
    (&["normal_"], "CPU CUDA Meta SparseCsrCPU SparseCsrCUDA SparseCsrMeta NestedTensorCPU NestedTensorCUDA NestedTensorHPU"),
    (&["resize_"], "CPU CUDA Meta QuantizedCPU SparseCsrCPU SparseCsrCUDA SparseCsrMeta"),
    (&["resize_as_sparse_", "sparse_mask"], "Meta SparseCPU SparseCUDA SparseCsrCPU SparseCsrCUDA SparseCsrMeta"),
    (&["sparse_sampled_addmm"], "Meta SparseCsrCPU SparseCsrCUDA"),
    (&["view"], "CPU CUDA Meta QuantizedCPU QuantizedCUDA MkldnnCPU NestedTensorCPU NestedTensorCUDA NestedTensorHPU"),
    (&["where.self"], "CPU CUDA Meta NestedTensorCPU NestedTensorCUDA NestedTensorHPU"),
];

/// What most kernels that are not derived are for.
const PLAIN: &str = "CPU CUDA Meta";

/// The `NotImplementedError` for tensors of a kind (`SparseCPU`) that a kernel (`as_strided`) is not there for.
pub fn no_kernel(kernel: &str, backend: &str) -> anyhow::Error {
    err!(
        NotImplementedError,
        "Could not run 'aten::{kernel}' with arguments from the '{backend}' backend. This could be because the operator doesn't exist \
         for this backend, or was omitted during the selective/custom build process (if using custom build). If you are a Facebook \
         employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions. 'aten::{kernel}' is only \
         available for these backends: [{}].",
        backends(kernel).join(", ")
    )
}

/// What a kernel is there for, in PyTorch's order.
fn backends(kernel: &str) -> Vec<String> {
    let spelled = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let mut found = match OTHERS.iter().find(|(kernels, _)| kernels.contains(&kernel)) {
        Some((_, names)) => names.split(' ').map(str::to_string).collect(),
        None if is_derived(kernel) => derived(kernel),
        None => PLAIN.split(' ').map(str::to_string).collect(),
    };
    found.extend(spelled(BEFORE_GRADIENTS));
    found.push("AutogradOther".to_string());
    found.extend(DEVICES.iter().map(|device| format!("Autograd{device}")));
    found.push("AutogradNestedTensor".to_string());
    found.extend(spelled(AFTER_GRADIENTS));
    found
}

/// The kernel as it is called where it does not write in place: `fill_.Scalar` is `fill.Scalar`.
fn without_mark(kernel: &str) -> String {
    match kernel.split_once('.') {
        Some((name, variant)) => format!("{}.{variant}", name.trim_end_matches('_')),
        None => kernel.trim_end_matches('_').to_string(),
    }
}

fn is_derived(kernel: &str) -> bool {
    let name = without_mark(kernel);
    // A copy of what is a view elsewhere is such, too, and so is the one view that changes its tensor.
    let of_view = kernel.ends_with("_copy") || kernel == "as_strided_";
    of_view
        || kernel == "logsumexp.out"
        || DERIVED.contains(&name.as_str())
        || name.starts_with("special_") && !name.contains('.')
}

/// What a derived kernel is there for.
fn derived(kernel: &str) -> Vec<String> {
    let layout = |prefix: &str| {
        let devices = DEVICES.iter().filter(|device| !OPAQUE.contains(device));
        devices.map(|device| format!("{prefix}{device}")).collect::<Vec<_>>()
    };
    let mut found = layout("");
    found.extend(["FPGA", "Vulkan", "Metal"].map(str::to_string));
    found.extend(layout("Quantized"));
    found.extend(["CustomRNGKeyId", "MkldnnCPU"].map(str::to_string));
    found.extend(layout("SparseCsr"));
    if NESTED.contains(&kernel) {
        found.extend(["CPU", "CUDA", "HPU"].map(|device| format!("NestedTensor{device}")));
    }
    found
}
