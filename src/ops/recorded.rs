//! Under which name PyTorch records an operation: that of the node of its gradient, `grad_fn=<MulBackward0>`.

use super::OpSet;
use super::args::{Args, FromValue};
use super::functional::attention;
use super::functional::last_steps::{by_reduction, has_word, is_of_classes, is_set_flag};
use super::recorded_as::RECORDED_AS;
use super::{index, product};
use crate::layout::Dims;
use crate::tensor::{SparseKind, Tensor};
use crate::value::Value;

/// The last step of a product, by the dimensions of what is multiplied.
fn product_step(inputs: &[Tensor], result: &Tensor) -> &'static str {
    let dims = |place: usize| inputs.get(place).map_or(0, Tensor::ndim);
    // Rows that lie one behind the other are one matrix, to which a row or column of offsets is added at once.
    let one_row = |x: &Tensor| x.ndim() == 1 || x.sizes().iter().filter(|size| **size != 1).count() == 1;
    let at_once = inputs.get(2).is_some_and(one_row)
        && [0, 2].iter().all(|place| inputs.get(*place).is_some_and(|x| x.layout().is_contiguous()));
    match (dims(0), dims(1), inputs.len()) {
        (2, 2, 3) => "AddmmBackward0",
        (_, 2, 3) if !at_once => "AddBackward0",
        (_, _, 3) => "UnsafeViewBackward0",
        (1, 1, _) => "DotBackward0",
        // A matrix that asks for a gradient comes last, and the result is turned over.
        (2, 3.., _) if inputs.first().is_some_and(Tensor::requires_grad) => {
            let is_turned = result.numel() == 0 || result.sizes().iter().rev().take(2).any(|size| *size == 1);
            if is_turned { "TransposeBackward0" } else { "CloneBackward0" }
        }
        (2, 1, _) => "MvBackward0",
        (1, 2, _) => "SqueezeBackward4",
        (2, 2, _) => "MmBackward0",
        _ => "UnsafeViewBackward0",
    }
}

/// The order of a norm as a number: NaN for one that has a name.
fn order_of(order: &Value) -> Option<f64> {
    match order {
        Value::None => None,
        Value::Str(_) => Some(f64::NAN),
        number => number.as_number().map(|number| number.to_f64()),
    }
}

/// The last step of a norm of matrices; none for one of vectors.
fn matrix_norm_step(name: &str, args: &Args, ndim: usize) -> Option<&'static str> {
    let params = &args.op.schema().ok()?.params;
    let given = |wanted: &str| params.iter().zip(&args.values).find(|(param, _)| param.name == wanted).map(|(_, value)| value);
    let order = args.value(1);
    let is_matrix = match given("dim") {
        Some(Value::None) | None => ndim == 2 || name == "linalg.matrix_norm",
        Some(Value::Int(_)) => false,
        Some(dims) => dims.items().is_some_and(|dims| dims.len() == 2),
    };
    let is_nuclear = matches!(order, Value::Str(order) if order.as_str() == "nuc");
    let order = order_of(order).filter(|order| is_nuclear || is_matrix && name != "norm" && !order.is_nan())?;
    let from_values = is_nuclear || order.abs() == 2.0;
    Some(match given("keepdim") {
        Some(Value::Bool(true)) if from_values => "PermuteBackward0",
        _ if is_nuclear => "SumBackward1",
        _ if order > 0.0 => "AmaxBackward0",
        _ => "AminBackward0",
    })
}

/// True for a size of one cell.
fn is_one(size: &Value) -> bool {
    match size {
        Value::Int(n) => *n == 1,
        Value::Size(sizes) => sizes.iter().all(|n| *n == 1),
        other => other.sequence().is_some_and(|sizes| sizes.iter().all(|n| matches!(n, Value::Int(1)))),
    }
}

/// The name of what goes different ways by the form of its call.
fn by_form(name: &str, args: &Args, inputs: &[Tensor]) -> Option<&'static str> {
    let params = &args.op.schema().ok()?.params;
    let given = |wanted: &str| {
        params.iter().zip(&args.values).any(|(param, value)| param.name == wanted && !matches!(value, Value::None))
    };
    let is_tensor = |place: usize| matches!(args.values.get(place), Some(Value::Tensor(_)));
    let dims = inputs.first().map_or(0, Tensor::ndim);
    let is_complex = inputs.first().is_some_and(|x| x.dtype().is_complex());
    // The overload for dimensions was called, be it with `None`.
    let is_along = || params.iter().any(|param| param.name == "dim");
    Some(match (name, given("dim")) {
        ("sum", _) if is_along() => "SumBackward1",
        ("mean", _) if is_along() => "MeanBackward1",
        ("prod", true) => "ProdBackward1",
        ("median", true) => "MedianBackward1",
        ("nanmedian", true) => "NanmedianBackward1",
        ("squeeze", true) if matches!(args.values.get(1), Some(Value::Int(_))) => "SqueezeBackward1",
        ("squeeze", true) => "SqueezeBackward2",
        ("squeeze_copy", true) if matches!(args.values.get(1), Some(Value::Int(_))) => "SqueezeBackward1_copy",
        ("squeeze_copy", true) => "SqueezeBackward2_copy",
        ("atleast_1d" | "atleast_2d" | "atleast_3d", _) if dims == 0 => "ViewBackward0",
        ("H" | "adjoint" | "mH", _) if is_complex => "ConjBackward0",
        ("diag", _) if inputs.first().is_some_and(|x| x.ndim() == 1) => "DiagEmbedBackward0",
        ("diag", _) => "DiagonalBackward0_copy",
        ("fill", _) if is_tensor(1) => "FillBackward1",
        ("eq", _) if is_tensor(1) => "EqBackward1",
        ("ne", _) if is_tensor(1) => "NeBackward1",
        ("lt", _) if is_tensor(1) => "LtBackward1",
        ("le", _) if is_tensor(1) => "LeBackward1",
        ("gt", _) if is_tensor(1) => "GtBackward1",
        ("ge", _) if is_tensor(1) => "GeBackward1",
        ("fill", _) => "FillBackward0",
        ("fill_", _) if is_tensor(1) => "FillBackward3",
        ("fill_", _) => "FillBackward2",
        ("clamp_min", _) if is_tensor(1) => "ClampMinBackward1",
        ("clamp_max", _) if is_tensor(1) => "ClampMaxBackward1",
        ("copysign", _) if !is_tensor(1) => "CopysignBackward1",
        ("fmod", _) if is_tensor(1) => "FmodBackward1",
        ("index_fill", _) if is_tensor(3) => "IndexFillBackward1",
        ("masked_fill", _) if is_tensor(2) => "MaskedFillBackward1",
        ("einsum", _) => match args.value(0) {
            Value::Str(equation) => product::last_step(equation, inputs).ok()?,
            _ => return None,
        },
        ("chain_matmul", _) if inputs.len() == 1 => "CloneBackward0",
        ("inner", _) if inputs.iter().any(|x| x.ndim() == 0) => "MulBackward0",
        ("div", _) if params.iter().any(|param| param.name == "rounding_mode") => "DivBackward2",
        ("normal", _) if is_tensor(0) && is_tensor(1) => "NormalBackward3",
        ("normal", _) if is_tensor(0) => "NormalBackward1",
        ("normal", _) => "NormalBackward2",
        ("bernoulli_", _) if is_tensor(1) => "BernoulliBackward1",
        ("bernoulli_", _) => "BernoulliBackward2",
        ("random_", _) if params.iter().all(|param| param.name != "to") => "RandomBackward2",
        ("random_", _) if params.iter().all(|param| param.name != "from") => "RandomBackward1",
        ("to_sparse", _) if params.iter().all(|param| param.name != "sparse_dim") => "ToSparseBackward1",
        ("bernoulli", _) if given("p") => "torch::autograd::NotImplemented",
        ("scatter", _) if given("reduce") => "torch::autograd::NotImplemented",
        ("round", _) if given("decimals") => "RoundBackward1",
        ("logdet", _) if is_complex => "AddBackward0",
        ("linalg.vecdot", _) if inputs.iter().all(|x| x.ndim() == 1) => "VdotBackward0",
        ("conv1d" | "conv_transpose1d", _) if dims == 2 => "SqueezeBackward1",
        ("conv2d" | "conv_transpose2d", _) if dims == 3 => "SqueezeBackward1",
        ("conv3d" | "conv_transpose3d", _) if dims == 4 => "SqueezeBackward1",
        ("conv1d" | "conv2d" | "conv3d" | "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d", _) if is_complex => {
            "AddBackward0"
        }
        ("cdist", _) if by_product(args, inputs) => "ViewBackward0",
        ("gumbel_softmax", _) if args.values.get(2).is_some_and(is_set_flag) => "AddBackward0",
        ("mse_loss", _) if given("weight") => match args.value(4) {
            Value::Str(reduction) if reduction.as_str() == "none" => "MulBackward0",
            Value::Str(reduction) if reduction.as_str() == "sum" => "SumBackward0",
            _ => "DivBackward0",
        },
        ("cross_entropy" | "nll_loss", _) if dims > 2 && is_of_classes(args, inputs) => match has_word(args, "none") && dims != 4
        {
            true => "ViewBackward0",
            false => "NllLoss2DBackward0",
        },
        ("sum_to_size", _) if matches!(args.values.get(1), Some(Value::Size(sizes)) if sizes.is_empty()) => "SumBackward0",
        ("sum_to_size", _) if matches!(args.values.get(1), Some(Value::Size(sizes)) if sizes.len() < dims) => "ViewBackward0",
        ("sum_to_size", _) => "SumBackward1",
        ("repeat_interleave", _) if is_tensor(1) => "IndexSelectBackward0",
        ("norm", _) if inputs.first().is_some_and(is_coordinates) => "NormBackward1",
        ("linalg.matrix_norm" | "linalg.norm" | "norm", _) => matrix_norm_step(name, args, dims)?,
        ("linalg.matrix_power" | "matrix_power", _) => match args.value(1) {
            Value::Int(0) => "torch::autograd::CopyBackwards",
            Value::Int(1) => "CloneBackward0",
            Value::Int(-1) => "LinalgInvExBackward0",
            _ if dims > 2 => "UnsafeViewBackward0",
            _ => "MmBackward0",
        },
        ("linalg.cond", _) if matches!(args.value(1), Value::Str(order) if order.as_str() == "nuc") => "MulBackward0",
        ("linalg.cond", _) if !matches!(order_of(args.value(1)), None | Some(2.0 | -2.0)) => "NanToNumBackward0",
        ("max", _) if is_tensor(1) => "MaximumBackward0",
        ("min", _) if is_tensor(1) => "MinimumBackward0",
        ("remainder", _) if !is_tensor(0) => "torch::autograd::NotImplemented",
        ("remainder", _) if is_tensor(1) => "RemainderBackward1",
        ("lerp", _) if is_tensor(2) => "LerpBackward1",
        ("scatter", _) if !is_tensor(3) => "ScatterBackward1",
        ("sparse.sum", _) if !given("dim") => "SumBackward0",
        ("resolve_neg", _) if inputs.first().is_some_and(Tensor::is_neg) => "CloneBackward0",
        ("sparse.mm", _) if inputs.len() == 2 && inputs.iter().all(is_coordinates) => "SparseSparseMatmulBackward0",
        ("sparse.mm", _) if given("reduce") => "SparseMmReduceImplBackward0",
        ("lp_pool1d" | "lp_pool2d" | "lp_pool3d", _) => match args.value(1).as_number().map(|norm| norm.to_f64()) {
            Some(f64::INFINITY) if name == "lp_pool1d" => "SqueezeBackward1",
            Some(f64::INFINITY) if name == "lp_pool2d" => "MaxPool2DWithIndicesBackward0",
            Some(f64::INFINITY) => "MaxPool3DWithIndicesBackward0",
            Some(f64::NEG_INFINITY) => "NegBackward0",
            _ => "PowBackward0",
        },
        ("unique", _) if given("dim") => "UniqueDimBackward0",
        ("bilinear", _) if inputs.len() > 3 => "AddBackward0",
        ("grid_sample", _) if dims == 5 => "GridSampler3DBackward0",
        ("scaled_dot_product_attention", _) => attention::last_step(args)?,
        ("xlogy" | "special.xlogy", _) if !is_tensor(0) => "XlogyBackward1",
        ("xlogy" | "special.xlogy", _) if !is_tensor(1) => "XlogyBackward2",
        ("special.xlog1py", _) if !is_tensor(0) => "SpecialXlog1PyBackward1",
        ("special.xlog1py", _) if !is_tensor(1) => "SpecialXlog1PyBackward2",
        ("special.xlog1py", _) => "SpecialXlog1PyBackward0",
        ("special.zeta", _) if !is_tensor(0) => "SpecialZetaBackward1",
        ("special.zeta", _) if !is_tensor(1) => "SpecialZetaBackward2",
        ("sort", _) if given("stable") => "SortBackward1",
        ("corrcoef", _) if inputs.first().is_some_and(|x| x.sizes().iter().rev().nth(1).is_none_or(|rows| *rows == 1)) => {
            "DivBackward0"
        }
        ("corrcoef", _) if is_complex => "ComplexBackward0",
        ("diff", _) if matches!(args.value(1), Value::Int(0)) => "torch::autograd::CopyBackwards",
        ("batch_norm", _) if inputs.first().is_some_and(|x| x.numel() == 0) => match (given("weight"), given("bias")) {
            (_, true) => "AddBackward0",
            (true, _) => "MulBackward0",
            _ => "CloneBackward0",
        },
        ("rms_norm", _) if inputs.first().is_some_and(|x| !x.layout().is_contiguous_in(x.layout().suggested_format())) => {
            "CloneBackward0"
        }
        ("rms_norm", _) if inputs.first().is_some_and(|x| x.dtype().size() == 2) => "ToCopyBackward0",
        ("trapezoid" | "trapz" | "cumulative_trapezoid", _) if is_tensor(1) => "DivBackward1",
        ("vander", _) if matches!(args.values.get(2), Some(Value::Bool(true))) => "torch::autograd::CopySlices",
        ("__getitem__", _) if inputs.first().is_some_and(Tensor::is_sparse) => "SelectBackward0",
        ("__getitem__", _) => index::node_of(inputs.first()?, args.value(1))?,
        ("chunk", _) if is_empty_along(args) => "SplitWithSizesBackward0",
        ("movedim" | "moveaxis", _) if dims == 0 => "AliasBackward0",
        ("split", _) if !matches!(args.values.get(1), Some(Value::Int(_))) => "SplitWithSizesBackward0",
        ("fft.fft" | "fft.ifft", _) if is_complex => "FftC2CBackward0",
        ("fft.fft", _) => "FftR2CBackward0",
        ("fft.ihfft2" | "fft.ihfftn", _) if transformed_dims(args, dims) > 1 => "FftC2CBackward0",
        ("fft.ihfft2" | "fft.ihfftn", _) => "ConjBackward0",
        ("fft.ifft", _) => "ConjBackward0",
        ("max", false) if inputs.len() == 1 => "MaxBackward1",
        ("min", false) if inputs.len() == 1 => "MinBackward1",
        ("adaptive_avg_pool2d" | "adaptive_avg_pool3d", _) if args.values.get(1).is_some_and(is_one) => "MeanBackward1",
        ("pow" | "float_power", _) if !is_tensor(0) => "PowBackward2",
        ("pow" | "float_power", _) if is_tensor(1) => "PowBackward1",
        ("rsub", _) if inputs.len() == 1 => "RsubBackward1",
        ("clamp", _) if inputs.len() == 1 => "ClampBackward1",
        _ => return None,
    })
}

/// True for a sparse tensor of coordinates.
fn is_coordinates(x: &Tensor) -> bool {
    x.sparse().is_some_and(|sparse| sparse.kind == SparseKind::Coo)
}

/// Along how many dimensions a transform with sizes and dimensions goes, of a tensor of so many.
fn transformed_dims(args: &Args, ndim: usize) -> usize {
    let count = |place: usize| args.values.get(place).and_then(Dims::from_value).map(|list| list.len());
    count(2).or(count(1)).unwrap_or(ndim)
}

/// True where the dimension that an operation takes third has no elements.
fn is_empty_along(args: &Args) -> bool {
    match (args.values.first(), args.values.get(2)) {
        (Some(Value::Tensor(x)), Some(Value::Int(dim))) => {
            let sizes = x.sizes();
            let at = if *dim < 0 { dim + sizes.len() as i64 } else { *dim };
            sizes.get(at as usize) == Some(&0)
        }
        _ => false,
    }
}

/// The name of what has another one when it changes the tensor itself.
fn by_change(name: &str, args: &Args) -> Option<&'static str> {
    Some(match (name, args.values.get(1)) {
        ("transpose" | "swapaxes" | "swapdims", _) => "TransposeBackward1",
        ("t", _) => "TBackward1",
        ("fill", Some(Value::Tensor(_))) => "FillBackward3",
        ("fill", _) => "FillBackward2",
        ("acosh" | "arccosh", _) => "AcoshBackward1",
        ("asinh" | "arcsinh", _) => "AsinhBackward1",
        ("atanh" | "arctanh", _) => "AtanhBackward1",
        ("conj_physical", _) => "ConjPhysicalBackward1",
        ("polygamma", _) => "PolygammaBackward1",
        ("as_strided", _) => "AsStridedBackward1",
        ("unsqueeze", _) => "UnsqueezeBackward1",
        ("squeeze", None | Some(Value::None)) => "SqueezeBackward3",
        ("squeeze", Some(Value::Int(_))) => "SqueezeBackward4",
        ("squeeze", _) => "SqueezeBackward5",
        _ => return None,
    })
}

/// The name of what goes different ways by its `mode=` or by its target.
fn by_mode(name: &str, args: &Args, inputs: &[Tensor]) -> Option<String> {
    let mode = args.values.iter().find_map(|value| match value {
        Value::Str(mode) if !matches!(mode.as_str(), "mean" | "sum" | "none") => Some(mode.to_string()),
        _ => None,
    });
    let dims = inputs.first()?.ndim().saturating_sub(2);
    match (name, mode.as_deref()) {
        ("interpolate" | "upsample", Some("nearest-exact")) => Some(format!("UpsampleNearestExact{dims}DBackward0")),
        ("interpolate" | "upsample", Some("area")) if dims == 1 => Some("SqueezeBackward1".into()),
        ("interpolate" | "upsample", Some("area")) => Some(format!("AdaptiveAvgPool{dims}DBackward0")),
        ("fake_quantize_per_tensor_affine", _) if matches!(args.value(1), Value::Tensor(_)) => {
            Some("FakeQuantizePerTensorAffineCachemaskTensorQparamsBackward0".into())
        }
        ("upsample_nearest", _) => Some(format!("UpsampleNearest{dims}DBackward0")),
        ("upsample_bilinear", _) => Some("UpsampleBilinear2DBackward0".into()),
        ("pad", Some("circular")) => Some("torch::autograd::CopySlices".into()),
        ("interpolate" | "upsample", Some(mode @ ("nearest" | "linear" | "bilinear" | "trilinear" | "bicubic"))) => {
            Some(format!("Upsample{}{}{dims}DBackward0", mode[..1].to_uppercase(), &mode[1..]))
        }
        ("pad", Some(mode @ ("reflect" | "replicate"))) => {
            let sides = args.value(1).items().map_or(2, |sides| sides.len() / 2).max(1);
            Some(format!("{}Pad{sides}DBackward0", if mode == "reflect" { "Reflection" } else { "Replication" }))
        }
        // Of probabilities the last step is the mean over rows, if there is one.
        ("cross_entropy", _) if inputs.get(1)?.dtype().is_float() => {
            Some(if has_word(args, "none") || has_word(args, "sum") { "NegBackward0" } else { "DivBackward1" }.into())
        }
        ("cross_entropy", _) if args.values.iter().any(|value| matches!(value, Value::Float(smoothing) if *smoothing > 0.0)) => {
            Some("AddBackward0".into())
        }
        _ => None,
    }
}

/// The name of a change of shape that copies when it must, or lies as no `view` may.
fn by_layout(name: &str, inputs: &[Tensor], result: &Tensor) -> Option<&'static str> {
    let of = inputs.first().filter(|_| matches!(name, "reshape" | "flatten" | "reshape_as"))?;
    match result.storage().ok()?.same(&of.storage().ok()?) {
        false => Some("UnsafeViewBackward0"),
        true if !of.layout().is_contiguous() => Some("ReshapeAliasBackward0"),
        true => None,
    }
}

/// The name of the node of an activation that wrote its result where its argument was.
pub(super) fn written_name(name: &str) -> String {
    const OTHER: [&str; 5] = ["LeakyRelu", "Elu", "Celu", "Threshold", "RreluWithNoise"];
    match name.strip_suffix("Backward0") {
        Some(stem) if OTHER.contains(&stem) => format!("{stem}Backward1"),
        _ => name.to_string(),
    }
}

/// The name of the node of one of several results.
pub(super) fn name_of_result(set: &OpSet, args: &Args, inputs: &[Tensor], (result, place): (&Tensor, usize)) -> String {
    let of_each = args.value(0).sequence();
    match (args.op.name(), place) {
        // Each follows from the tensor in its place.
        ("atleast_1d" | "atleast_2d" | "atleast_3d", _) if of_each.is_some() => {
            let of = of_each.and_then(|items| items.get(place).cloned());
            let is_number = matches!(of, Some(Value::Tensor(of)) if of.ndim() == 0);
            if is_number { "ViewBackward0" } else { "UnsqueezeBackward0" }.into()
        }
        ("stft", _) if matches!(args.values.get(9), Some(Value::Bool(false))) => "ViewAsRealBackward0".into(),
        ("stft", _) if inputs.first().is_some_and(|x| x.ndim() == 2) => "TransposeBackward1".into(),
        ("svd", 2) if result.dtype().is_complex() => "ConjBackward0".into(),
        ("svd", 2) => "TransposeBackward0".into(),
        _ => backward_name(set, args, inputs, result),
    }
}

/// True for distances that PyTorch takes from a product of matrices: of many rows, or where that is asked for.
fn by_product(args: &Args, inputs: &[Tensor]) -> bool {
    let way = |word: &str| matches!(args.values.get(3), Some(Value::Str(given)) if given.as_str() == word);
    let many = inputs.iter().any(|x| x.ndim() > 1 && x.sizes()[x.ndim() - 2] > 25);
    let euclidean = args.values.get(2).and_then(Value::as_number).is_some_and(|p| p.to_f64() == 2.0);
    euclidean && (way("use_mm_for_euclid_dist") || many && !way("donot_use_mm_for_euclid_dist"))
}

/// `MulBackward0` for `mul`.
pub(super) fn backward_name(set: &OpSet, args: &Args, inputs: &[Tensor], result: &Tensor) -> String {
    let full = set.rows.first().map_or(set.name, |op| op.name());
    let name = full.strip_prefix("nn.functional.").unwrap_or(full);
    if let Some(found) = by_change(name, args).filter(|_| set.inplace) {
        return found.into();
    }
    if let Some(found) = by_form(name, args, inputs) {
        return found.into();
    }
    if let Some(found) = by_reduction(name, args) {
        return found.into();
    }
    if let Some(found) = by_layout(name, inputs, result) {
        return found.into();
    }
    if let Some(found) = by_mode(name, args, inputs) {
        return found;
    }
    if matches!(name, "matmul" | "linear") {
        return product_step(inputs, result).to_string();
    }
    // A method may have the name of a function of networks: `x.unfold(…)`.
    let is_network = full != name || !matches!(name, "unfold");
    let recorded = RECORDED_AS.iter().find(|(from, _)| *from == name && is_network).map_or(name, |(_, to)| to);
    if recorded.contains("Backward") || recorded.contains("::") {
        return recorded.to_string();
    }
    // A copy of a view has the name of the view.
    let (recorded, copy) =
        recorded.strip_suffix("_copy").filter(|view| *view != "index").map_or((recorded, ""), |view| (view, "_copy"));
    let words = recorded.replace('.', "_");
    let camel: String = words
        .split('_')
        .map(|w| {
            let mut letters = w.chars();
            letters.next().map_or(String::new(), |c| c.to_uppercase().collect::<String>() + letters.as_str())
        })
        .collect();
    format!("{camel}Backward0{copy}")
}
