//! The warnings, by the functions that they are about.

use super::{Text, Warning};
use crate::diag::ErrorClass;
use crate::dtype::DType;
use crate::layout::{Dims, wrap_dim};
use crate::ops::functional::usual::each;
use crate::ops::{Args, autograd};
use crate::tensor::Tensor;
use crate::value::Value;
use Text::{Made, Plain};

/// What PyTorch says in Python.
const fn python(when: fn(&str, &Args) -> bool, text: Text) -> Warning {
    Warning { class: ErrorClass::UserWarning, place: "", once: false, when, text }
}

/// What it says of names that will be gone.
const fn future(when: fn(&str, &Args) -> bool, text: Text) -> Warning {
    Warning { class: ErrorClass::FutureWarning, ..python(when, text) }
}

/// What it says in C++, each time.
const fn always(place: &'static str, when: fn(&str, &Args) -> bool, text: Text) -> Warning {
    Warning { place, ..python(when, text) }
}

/// What it says in C++, once.
const fn once(place: &'static str, when: fn(&str, &Args) -> bool, text: Text) -> Warning {
    Warning { once: true, ..always(place, when, text) }
}

/// Functions that fill their `out`, whatever its size was, and say nothing of it; or say something else.
#[rustfmt::skip] // in few lines
pub const FILLING: &[&str] = &[
    "bernoulli", "blackman_window", "empty", "eye", "full", "linspace", "logspace", "multinomial", "narrow_copy", "normal_of_size", "ones", "rand", "randint", "randn",
    "randperm", "range", "tril_indices", "triu_indices", "zeros",
];

/// The functions and what they are warned of.
pub const TABLE: &[(&[&str], &[Warning])] = &[
    (
        &["H"],
        &[once(
            "aten/src/ATen/native/TensorShape.cpp:4328",
            is_scalar,
            Plain("Tensor.H is deprecated on 0-D tensors. Consider using x.conj()."),
        )],
    ),
    (
        &["T"],
        &[
            once(
                "aten/src/ATen/native/TensorShape.cpp:4306",
                |_, a| tensor(a, "self").is_some_and(|x| !matches!(x.ndim(), 0 | 2)),
                Plain(
                    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
                ),
            ),
            once(
                "aten/src/ATen/native/TensorShape.cpp:4313",
                is_scalar,
                Plain("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."),
            ),
        ],
    ),
    (
        &["adjoint"],
        &[once(
            "aten/src/ATen/native/TensorShape.cpp:4383",
            is_scalar,
            Plain("adjoint() is deprecated on 0-D tensors. Consider using x.conj()."),
        )],
    ),
    (
        &["bucketize", "searchsorted"],
        &[
            once(
                "aten/src/ATen/native/BucketizationUtils.h:32",
                |_, a| tensor(a, "self").is_some_and(|x| !x.layout().is_contiguous()),
                Plain(
                    "torch.searchsorted(): input value tensor is non-contiguous, this will lower the performance due to extra data copy when converting non-contiguous tensor to contiguous, please use contiguous input value tensor if possible. This message will only appear once per program.",
                ),
            ),
            once(
                "aten/src/ATen/native/BucketizationUtils.h:38",
                |_, a| tensor(a, "sorted_sequence").or(tensor(a, "boundaries")).is_some_and(|x| !x.layout().is_contiguous()),
                Plain(
                    "torch.searchsorted(): boundary tensor is non-contiguous, this will lower the performance due to extra data copy when converting non-contiguous tensor to contiguous, please use contiguous boundary tensor if possible. This message will only appear once per program.",
                ),
            ),
        ],
    ),
    (
        &["bfloat16", "byte", "char", "copy_", "double", "float", "half", "int", "long", "short", "to", "type"],
        &[once(
            "aten/src/ATen/native/Copy.cpp:308",
            loses_imaginary,
            Plain("Casting complex values to real discards the imaginary part"),
        )],
    ),
    (
        &["chain_matmul"],
        &[once(
            "aten/src/ATen/native/LinearAlgebra.cpp:1096",
            |_, _| true,
            Plain(
                "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple parameters.",
            ),
        )],
    ),
    (
        &["corrcoef", "cov"],
        &[always(
            "aten/src/ATen/native/Correlation.cpp:129",
            |_, a| observed(a).is_some_and(|n| n <= number(a, "correction").unwrap_or(1.0)),
            Plain("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."),
        )],
    ),
    (
        &["cross"],
        &[once(
            "aten/src/ATen/native/Cross.cpp:61",
            |_, a| is_none(a, "dim") && matches!(a.out, Value::None),
            Plain(
                "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future release.",
            ),
        )],
    ),
    (
        &["autograd.backward", "backward"],
        &[once(
            "torch/csrc/autograd/engine.cpp:1445",
            |_, a| matches!(a.named("create_graph"), Value::Bool(true)),
            Plain(
                "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak.",
            ),
        )],
    ),
    (
        &["grad"],
        &[always(
            "build/aten/src/ATen/core/TensorBody.h:488",
            |_, a| {
                tensor(a, "self").is_some_and(|x| {
                    x.requires_grad() && !autograd::retains(x) && x.grad().made_by.is_some() && x.grad().grad.is_none()
                })
            },
            Plain(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
            ),
        )],
    ),
    (
        &["index_reduce", "index_reduce_"],
        &[once(
            "aten/src/ATen/native/TensorAdvancedIndexing.cpp:1522",
            |_, _| true,
            Plain("index_reduce() is in beta and the API may change at any time."),
        )],
    ),
    (
        &["istft"],
        &[always(
            "aten/src/ATen/native/SpectralOps.cpp:1055",
            |_, a| is_none(a, "window"),
            Plain(
                "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.",
            ),
        )],
    ),
    (
        &["lu"],
        &[once(
            "aten/src/ATen/native/BatchLinearAlgebra.cpp:2052",
            |_, _| true,
            Plain(
                "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
            ),
        )],
    ),
    (
        &["mH"],
        &[once(
            "aten/src/ATen/native/TensorShape.cpp:4375",
            is_scalar,
            Plain("Tensor.mH is deprecated on 0-D tensors. Consider using x.conj()."),
        )],
    ),
    (
        &["mT"],
        &[once(
            "aten/src/ATen/native/TensorShape.cpp:4366",
            is_scalar,
            Plain("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases."),
        )],
    ),
    (
        &["masked_fill_"],
        &[always(
            "aten/src/ATen/native/TensorAdvancedIndexing.cpp:2469",
            |_, a| tensor(a, "self").is_some_and(is_repeated),
            Plain(
                "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also applies to advanced indexing e.g. tensor[mask] = scalar",
            ),
        )],
    ),
    (
        &["meshgrid"],
        &[once(
            "aten/src/ATen/native/TensorShape.cpp:4207",
            |_, a| is_none(a, "indexing"),
            Plain("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."),
        )],
    ),
    (
        &["new_tensor", "tensor"],
        &[
            python(|_, a| tensor(a, "data").is_some(), Made(copied)),
            once(
                "torch/csrc/utils/tensor_new.cpp:249",
                |_, a| {
                    a.named("data")
                        .items()
                        .is_some_and(|items| items.first().is_some_and(|item| item.type_name() == "numpy.ndarray"))
                },
                Plain(
                    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a single numpy.ndarray with numpy.array() before converting to a tensor.",
                ),
            ),
        ],
    ),
    (
        &["nn.functional.affine_grid", "nn.functional.grid_sample"],
        &[python(
            |_, a| is_none(a, "align_corners"),
            Plain(
                "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.",
            ),
        )],
    ),
    (
        &["nn.functional.conv1d", "nn.functional.conv2d", "nn.functional.conv3d"],
        &[once(
            "aten/src/ATen/native/Convolution.cpp:1135",
            |_, a| is_uneven(a).unwrap_or_default(),
            Plain(
                "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be created",
            ),
        )],
    ),
    (
        &["nn.functional.dropout2d"],
        &[
            python(|_, a| !matches!(dims(a, "input"), Some(3 | 4) | None), Made(|_, a| dropped(a, 2, "3D or 4D"))),
            python(
                |_, a| dims(a, "input") == Some(3),
                Plain(
                    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
                ),
            ),
        ],
    ),
    (
        &["nn.functional.dropout3d"],
        &[python(|_, a| !matches!(dims(a, "input"), Some(4 | 5) | None), Made(|_, a| dropped(a, 3, "4D or 5D")))],
    ),
    (
        &["nn.functional.huber_loss", "nn.functional.l1_loss", "nn.functional.mse_loss", "nn.functional.smooth_l1_loss"],
        &[OLD_REDUCTION, python(|_, a| stretched(a).is_some(), Made(|_, a| stretched(a).unwrap_or_default()))],
    ),
    (
        &["nn.functional.kl_div"],
        &[
            OLD_REDUCTION,
            python(
                |_, a| !is_old(a) && matches!(a.named("reduction"), Value::Str(text) if text.as_str() == "mean"),
                Plain(
                    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                ),
            ),
        ],
    ),
    (
        &["nn.functional.log_softmax", "nn.functional.softmax", "nn.functional.softmin"],
        &[python(
            |_, a| is_none(a, "dim"),
            Made(|name, _| {
                format!(
                    "Implicit dimension choice for {} has been deprecated. Change the call to include dim=X as an argument.",
                    last(name)
                )
            }),
        )],
    ),
    (
        &[
            "nn.functional.binary_cross_entropy",
            "nn.functional.binary_cross_entropy_with_logits",
            "nn.functional.cosine_embedding_loss",
            "nn.functional.cross_entropy",
            "nn.functional.hinge_embedding_loss",
            "nn.functional.margin_ranking_loss",
            "nn.functional.multi_margin_loss",
            "nn.functional.multilabel_margin_loss",
            "nn.functional.multilabel_soft_margin_loss",
            "nn.functional.nll_loss",
            "nn.functional.poisson_nll_loss",
            "nn.functional.soft_margin_loss",
            "nn.functional.triplet_margin_loss",
        ],
        &[OLD_REDUCTION],
    ),
    (
        &["nn.functional.upsample", "nn.functional.upsample_bilinear", "nn.functional.upsample_nearest"],
        &[python(|_, _| true, Made(|name, _| format!("`{name}` is deprecated. Use `nn.functional.interpolate` instead.")))],
    ),
    (
        &[
            "nn.init.constant",
            "nn.init.dirac",
            "nn.init.eye",
            "nn.init.kaiming_normal",
            "nn.init.kaiming_uniform",
            "nn.init.normal",
            "nn.init.orthogonal",
            "nn.init.sparse",
            "nn.init.uniform",
            "nn.init.xavier_normal",
            "nn.init.xavier_uniform",
            "nn.utils.clip_grad_norm",
        ],
        &[future(
            |_, _| true,
            Made(|name, _| {
                format!(
                    "`{0}{name}` is now deprecated in favor of `{0}{name}_`.",
                    if name.starts_with("nn.utils") { "torch." } else { "" }
                )
            }),
        )],
    ),
    (
        &["nn.init.kaiming_normal_", "nn.init.kaiming_uniform_"],
        &[python(
            |_, a| tensor(a, "tensor").is_some_and(|x| x.numel() == 0),
            Plain("Initializing zero-element tensors is a no-op"),
        )],
    ),
    (
        &["nn.init.trunc_normal_"],
        &[python(
            far_off,
            Plain("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."),
        )],
    ),
    (&["resize", "resize_as"], &[python(|_, _| true, Made(|name, _| format!("non-inplace {name} is deprecated")))]),
    (
        &["scatter", "scatter_"],
        &[always(
            "aten/src/ATen/native/TensorAdvancedIndexing.cpp:224",
            |_, a| !is_none(a, "reduce") && tensor(a, "src").is_some(),
            Plain(
                "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use torch.scatter_reduce instead for more reduction options.",
            ),
        )],
    ),
    (
        &["set_default_tensor_type"],
        &[once(
            "torch/csrc/tensor/python_tensor.cpp:409",
            |_, _| true,
            Plain(
                "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and torch.set_default_device() as alternatives.",
            ),
        )],
    ),
    (
        &["sparse_csr_tensor", "to_sparse_csr", "sparse_csc_tensor", "to_sparse_csc", "to_sparse_bsr", "to_sparse_bsc"],
        &[once(
            "aten/src/ATen/SparseCsrTensorImpl.cpp:49",
            |_, _| true,
            Made(|name, _| {
                let kind =
                    name.trim_start_matches("to_").trim_start_matches("sparse_").trim_end_matches("_tensor").to_uppercase();
                format!(
                    "Sparse {kind} tensor support is in beta state. If you miss a functionality in the sparse tensor support, please submit a feature request to https://github.com/pytorch/pytorch/issues."
                )
            }),
        )],
    ),
    (
        &["std", "std_mean", "var", "var_mean"],
        &[DEGREES, Warning { when: |name, a| has_no_freedom(name, a) && is_complex(a), ..DEGREES }],
    ),
    (
        &["stft"],
        &[always(
            "aten/src/ATen/native/SpectralOps.cpp:855",
            |_, a| is_none(a, "window"),
            Plain(
                "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.",
            ),
        )],
    ),
    (
        &["triangular_solve"],
        &[once(
            "aten/src/ATen/native/BatchLinearAlgebra.cpp:2252",
            |_, _| true,
            Plain(
                "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).",
            ),
        )],
    ),
    (&["volatile"], &[python(|_, _| true, Plain("volatile was removed (Variable.volatile is always False)"))]),
    (
        &["where"],
        &[once(
            "aten/src/ATen/native/TensorCompare.cpp:714",
            |_, a| tensor(a, "condition").is_some_and(|x| x.dtype() == DType::U8),
            Plain(
                "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of PyTorch. Use a boolean condition instead.",
            ),
        )],
    ),
];

/// What is said of `size_average` and `reduce`.
const OLD_REDUCTION: Warning = python(|_, a| is_old(a), Made(asked_today));

/// What is said of a spread of too few elements; of complex ones twice, for each part.
const DEGREES: Warning = always(
    "aten/src/ATen/native/ReduceOps.cpp:1927",
    has_no_freedom,
    Made(|name, _| {
        format!(
            "{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by output numel)."
        )
    }),
);

/// A tensor among the arguments, by the parameter's name.
fn tensor<'a>(args: &'a Args, name: &str) -> Option<&'a Tensor> {
    match args.named(name) {
        Value::Tensor(tensor) => Some(tensor),
        _ => None,
    }
}

fn is_none(args: &Args, name: &str) -> bool {
    matches!(args.named(name), Value::None)
}

fn number(args: &Args, name: &str) -> Option<f64> {
    match args.named(name) {
        Value::Int(n) => Some(*n as f64),
        Value::Float(n) => Some(*n),
        _ => None,
    }
}

fn dims(args: &Args, name: &str) -> Option<usize> {
    tensor(args, name).map(Tensor::ndim)
}

/// True for a convolution whose result is as large as its input only when one end of that gets more zeros than the other.
fn is_uneven(args: &Args) -> Option<bool> {
    let is_same = matches!(args.named("padding"), Value::Str(padding) if padding.as_str() == "same");
    let kernel = tensor(args, "weight").filter(|_| is_same)?.sizes();
    let n = kernel.len().checked_sub(2).filter(|n| *n <= 3)?;
    let (step, spread) = (each(args.named("stride"), n)?, each(args.named("dilation"), n)?);
    Some(step == [1; 3] && kernel[2..].iter().zip(spread).any(|(size, apart)| (size - 1) * apart % 2 != 0))
}

fn is_scalar(_: &str, args: &Args) -> bool {
    dims(args, "self") == Some(0)
}

fn is_complex(args: &Args) -> bool {
    tensor(args, "self").is_some_and(|x| x.dtype().is_complex())
}

/// True where elements of a tensor lie in one cell, by their strides.
fn is_repeated(x: &Tensor) -> bool {
    let layout = x.layout();
    layout.sizes.iter().zip(&layout.strides).any(|(size, stride)| *size > 1 && *stride == 0)
}

/// What stands behind the last dot.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn is_old(args: &Args) -> bool {
    !is_none(args, "size_average") || !is_none(args, "reduce")
}

/// How to ask today for what the old arguments ask for.
fn asked_today(_: &str, args: &Args) -> String {
    let is_set = |name| !matches!(args.named(name), Value::Bool(false) | Value::Int(0));
    reduction_of_old(is_set("size_average"), is_set("reduce")).1
}

/// The reduction that two flags of old ask for, and what is said of them.
pub fn reduction_of_old(averages: bool, reduces: bool) -> (&'static str, String) {
    let reduction = match (reduces, averages) {
        (false, _) => "none",
        (true, false) => "sum",
        (true, true) => "mean",
    };
    (reduction, format!("size_average and reduce args will be deprecated, please use reduction='{reduction}' instead."))
}

/// What is said of a loss between tensors of two sizes.
fn stretched(args: &Args) -> Option<String> {
    let (input, target) = (tensor(args, "input")?, tensor(args, "target")?);
    let shown = |x: &Tensor| format!("torch.Size({:?})", x.sizes());
    (input.sizes() != target.sizes()).then(|| {
        format!(
            "Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            shown(target),
            shown(input)
        )
    })
}

/// What is said of an input with too few or too many dimensions for its channels to be dropped.
fn dropped(args: &Args, n: usize, kinds: &str) -> String {
    let ndim = dims(args, "input").unwrap_or_default();
    format!(
        "dropout{n}d: Received a {ndim}-D input to dropout{n}d, which is deprecated and will result in an error in a future release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout{n}d exists to provide channel-wise dropout on inputs with {n} spatial dimensions, a channel dimension, and an optional batch dimension (i.e. {kinds} inputs)."
    )
}

/// What is said of a tensor made of another.
fn copied(name: &str, _: &Args) -> String {
    let instead = if name == "tensor" { "torch.tensor" } else { "tensor.new_tensor" };
    format!(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), rather than {instead}(sourceTensor)."
    )
}

/// True where a mean lies more than two deviations outside of the bounds.
fn far_off(_: &str, args: &Args) -> bool {
    let value = |name| number(args, name).unwrap_or_default();
    let (mean, std) = (value("mean"), value("std"));
    mean < value("a") - 2.0 * std || mean > value("b") + 2.0 * std
}

/// True where a conversion leaves the imaginary parts out.
fn loses_imaginary(name: &str, args: &Args) -> bool {
    let dtype_of = |value: &Value| match value {
        Value::DType(dtype) => Some(*dtype),
        Value::Tensor(tensor) => Some(tensor.dtype()),
        _ => None,
    };
    match name {
        "copy_" => {
            let source = tensor(args, "other").is_some_and(|x| x.dtype().is_complex());
            source && tensor(args, "self").is_some_and(|x| !x.dtype().is_complex() && x.dtype() != DType::Bool)
        }
        "to" | "type" => {
            let asked = args.values.iter().skip(1).find_map(dtype_of);
            is_complex(args) && asked.is_some_and(|dtype| !dtype.is_complex() && dtype != DType::Bool)
        }
        _ => is_complex(args),
    }
}

/// How many observations a covariance weighs together, with the weights of the table alone.
fn observed(args: &Args) -> Option<f64> {
    if !is_none(args, "fweights") || !is_none(args, "aweights") {
        return None;
    }
    let x = tensor(args, "self").filter(|x| x.ndim() <= 2)?;
    Some(x.sizes().last().map_or(1.0, |n| *n as f64))
}

/// True where a spread divides by nothing.
fn has_no_freedom(_: &str, args: &Args) -> bool {
    let Some(x) = tensor(args, "self") else { return false };
    let unbiased = !matches!(args.named("unbiased"), Value::Bool(false));
    let correction = number(args, "correction").unwrap_or(f64::from(u8::from(unbiased)));
    let along: Dims = match args.named("dim") {
        Value::Int(dim) => [*dim].into_iter().collect(),
        Value::Size(dims) => dims.iter().copied().collect(),
        _ => Dims::new(),
    };
    let sizes = x.sizes();
    let along: Option<Vec<usize>> = along.iter().map(|dim| wrap_dim(*dim, sizes.len()).ok()).collect();
    let Some(along) = along else { return false };
    let kept = |place: usize| !along.is_empty() && !along.contains(&place);
    // A result without elements is of none.
    let is_empty = sizes.iter().enumerate().any(|(place, size)| kept(place) && *size == 0);
    let each: i64 = sizes.iter().enumerate().filter(|(place, _)| !kept(*place)).map(|(_, size)| size).product();
    (if is_empty { 0.0 } else { each as f64 }) <= correction
}
