//! Functions that are written in Python in PyTorch: what Python itself says of their arguments.

use crate::ops::args::truth;
use crate::value::CallArgs;
use anyhow::Result;

/// What they take, and the inner function that sees their arguments first (or none that is known). A name with a dot in front is the
/// method.
#[rustfmt::skip] // one function a line
pub(super) const PYTHON: &[(&str, &str, &str, &str)] = &[
    ("split", "(Any tensor, Any split_size_or_sections, Any dim=0)", "split_with_sizes", "(Tensor self, int[] split_sizes, int dim=0)"),
    (".split", "(Any self, Any split_size, Any dim=0)", "split_with_sizes", "(Tensor self, int[] split_sizes, int dim=0)"),
    ("unique", "(Any input, Any sorted=True, Any return_inverse=False, Any return_counts=False, Any dim=None)", "_unique2", "(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False)"),
    ("norm", "(Any input, Any p=None, Any dim=None, Any keepdim=False, Any out=None, Any dtype=None)", "linalg_vector_norm", "(Tensor self, Any ord=2, int[1]? dim=None, bool keepdim=False)"),
    ("manual_seed", "(Any seed)", "", "()"),
    ("save", "(Any obj, Any f, Any pickle_module=None, Any pickle_protocol=2, Any _use_new_zipfile_serialization=True, Any _disable_byteorder_record=False)", "", "()"),
    ("is_storage", "(Any obj)", "", "()"),
    ("is_tensor", "(Any obj)", "", "()"),
    ("set_default_dtype", "(Any d)", "", "()"),
    ("set_default_device", "(Any device)", "", "()"),
    ("set_rng_state", "(Any new_state)", "", "()"),
    (".unique", "(Any self, Any sorted=True, Any return_inverse=False, Any return_counts=False, Any dim=None)", "_unique2", "(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False)"),
    (".norm", "(Any self, Any p=None, Any dim=None, Any keepdim=False, Any dtype=None)", "linalg_vector_norm", "(Tensor self, Any ord=2, int[1]? dim=None, bool keepdim=False)"),
    ("cdist", "(Any x1, Any x2, Any p=2.0, Any compute_mode=None)", "cdist", "(Tensor x1, Tensor x2, float p=2.0)"),
    ("cholesky", "(Any input, Any upper=False, *, Any out=None)", "", "()"),
    (".cholesky", "(Any self, Any upper=False)", "", "()"),
    ("eig", "(Any self, Any eigenvectors=False, *, Any e=None, Any v=None)", "", "()"),
    (".eig", "(Any self, Any eigenvectors=False)", "", "()"),
    ("lstsq", "(Any input, Any A, *, Any out=None)", "", "()"),
    (".lstsq", "(Any self, Any other)", "", "()"),
    ("matrix_rank", "(Any input, Any tol=None, Any symmetric=False, *, Any out=None)", "", "()"),
    ("qr", "(Any input, Any some=True, *, Any out=None)", "", "()"),
    (".qr", "(Any self, Any some=True)", "", "()"),
    ("solve", "(Any input, Any A, *, Any out=None)", "", "()"),
    (".solve", "(Any self, Any other)", "", "()"),
    ("symeig", "(Any input, Any eigenvectors=False, Any upper=True, *, Any out=None)", "", "()"),
    (".symeig", "(Any self, Any eigenvectors=False)", "", "()"),
    ("lu", "(Any A, Any pivot=True, Any get_infos=False, Any out=None)", "_lu_with_info", "(Tensor self, bool pivot=True)"),
    (".lu", "(Any self, Any pivot=True, Any get_infos=False)", "_lu_with_info", "(Tensor self, bool pivot=True)"),
    ("unique_consecutive", "(Any input, Any return_inverse=False, Any return_counts=False, Any dim=None)", "unique_consecutive", "(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None)"),
    (".unique_consecutive", "(Any self, Any return_inverse=False, Any return_counts=False, Any dim=None)", "unique_consecutive", "(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None)"),
    ("stft", "(Any input, Any n_fft, Any hop_length=None, Any win_length=None, Any window=None, Any center=True, Any pad_mode=None, Any normalized=False, Any onesided=None, Any return_complex=None, Any align_to_window=None)", "", "()"),
    (".stft", "(Any self, Any n_fft, Any hop_length=None, Any win_length=None, Any window=None, Any center=True, Any pad_mode=None, Any normalized=False, Any onesided=None, Any return_complex=None, Any align_to_window=None)", "", "()"),
    (".istft", "(Any self, Any n_fft, Any hop_length=None, Any win_length=None, Any window=None, Any center=True, Any normalized=False, Any onesided=None, Any length=None, Any return_complex=False)", "", "()"),
    ("tensordot", "(Any a, Any b, Any dims=2, Any out=None)", "tensordot", "(Tensor self, Tensor other)"),
    ("get_rng_state", "()", "", "()"),
    ("initial_seed", "()", "", "()"),
    ("seed", "()", "", "()"),
    ("set_printoptions", "(Any precision=None, Any threshold=None, Any edgeitems=None, Any linewidth=None, Any profile=None, Any sci_mode=None)", "", "()"),
    ("unravel_index", "(Any indices, Any shape)", "", "()"),
    (".unflatten", "(Any self, Any dim, Any sizes)", "", "()"),
    (".backward", "(Any self, Any gradient=None, Any retain_graph=None, Any create_graph=False, Any inputs=None)", "", "()"),
    (".index", "(Any self, Any positions, Any dims)", "", "()"),
    (".register_hook", "(Any self, Any hook)", "", "()"),
    (".dim_order", "(Any self, *, Any ambiguity_check=False)", "", "()"),
    ("are_deterministic_algorithms_enabled", "()", "", "()"),
    ("get_default_device", "()", "", "()"),
    ("get_float32_matmul_precision", "()", "", "()"),
    ("is_warn_always_enabled", "()", "", "()"),
    ("load", "(Any f, Any map_location=None, Any pickle_module=None, *, Any weights_only=None, Any mmap=None, Any encoding=None)", "", "()"),
    ("pca_lowrank", "(Any A, Any q=None, Any center=True, Any niter=2)", "", "()"),
    ("set_default_tensor_type", "(Any t)", "", "()"),
    ("set_float32_matmul_precision", "(Any precision)", "", "()"),
    ("set_warn_always", "(Any b)", "", "()"),
    ("svd_lowrank", "(Any A, Any q=6, Any niter=2, Any M=None)", "", "()"),
    ("typename", "(Any obj)", "", "()"),
    ("use_deterministic_algorithms", "(Any mode, *, Any warn_only=False)", "", "()"),
    ("vmap", "(Any func, Any in_dims=0, Any out_dims=0, Any randomness=None, *, Any chunk_size=None)", "", "()"),
    (".is_shared", "(Any self)", "", "()"),
    (".register_post_accumulate_grad_hook", "(Any self, Any hook)", "", "()"),
    (".resize_as", "(Any self, Any tensor)", "", "()"),
    (".share_memory_", "(Any self)", "", "()"),
    (".storage_type", "(Any self)", "", "()"),
    (".to_sparse_coo", "(Any self)", "", "()"),
];

/// Functions whose arguments have no names.
pub(in crate::ops) const BY_PLACE_ALONE: &[&str] =
    &["from_numpy", "is_storage", "is_tensor", "set_default_dtype", "set_num_threads"];

/// Functions of any number of tensors, which may come as one list.
pub(super) const OF_TENSORS: &[&str] =
    &["atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod", "chain_matmul", "meshgrid"];

/// Functions of anything, by place alone.
pub(super) const BY_PLACE: &[&str] = &["broadcast_shapes", "einsum"];

/// The functions of `torch.nn.functional` that are not written in Python.
#[rustfmt::skip] // in few lines
const COMPILED: &[&str] = &[
    "adaptive_avg_pool1d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "bilinear", "celu_", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "cosine_similarity", "elu_", "gelu", "hardshrink", "hardtanh_", "leaky_relu_", "linear",
    "logsigmoid", "one_hot", "pairwise_distance", "pdist", "prelu", "relu_", "rrelu_", "scaled_dot_product_attention", "selu_", "softplus",
    "softshrink", "threshold_", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle",
];

/// Modules of functions that are mostly written in Python, those inside of others first.
const MODULES: &[&str] = &[
    "_tensor_str.",
    "accelerator.",
    "cuda.",
    "nn.functional.",
    "nn.init.",
    "nn.utils.rnn.",
    "nn.utils.",
    "signal.windows.",
    "testing.",
    "autograd.functional.",
    "autograd.",
    "func.",
];

/// The name inside a module of functions that are mostly written in Python.
pub(super) fn short(name: &str) -> &str {
    MODULES.iter().find_map(|module| name.strip_prefix(module)).unwrap_or(name)
}

/// True for a function of such a module whose arguments Python counts.
pub(super) fn counts(name: &str) -> bool {
    short(name) != name && !COMPILED.contains(&short(name))
}

/// What Python calls a function: some are chosen by an argument, and stand behind another name.
pub(super) fn spelt(name: &str) -> String {
    let pool = ["max_pool", "adaptive_max_pool", "fractional_max_pool"].iter().any(|stem| name.starts_with(stem));
    match name {
        "lu" => "_lu_no_infos".to_string(),
        "symeig" => "_symeig".to_string(),
        _ if name == "threshold" || (pool && !name.ends_with("indices")) => format!("_{name}"),
        _ => name.to_string(),
    }
}

/// Pools that are another function when places are asked for, and where the flag stands among their arguments.
const POOLS: &[(&str, usize)] = &[("adaptive_max_pool", 2), ("fractional_max_pool", 4), ("max_pool", 6)];

/// The name of the pool that gives places, too, where the arguments ask for them. Fails with a `RuntimeError` for a flag that is
/// neither true nor false.
pub(super) fn with_places(name: &str, call: &CallArgs) -> Result<Option<String>> {
    let Some(pool) = name.strip_prefix("nn.functional.").filter(|pool| !pool.ends_with("indices")) else { return Ok(None) };
    let Some((_, place)) = POOLS.iter().find(|(stem, _)| pool.starts_with(stem)) else { return Ok(None) };
    let named = call.keyword.iter().find(|(key, _)| &**key == "return_indices").map(|(_, value)| value);
    let asked = named.or(call.positional.get(*place)).map_or(Ok(false), truth)?;
    Ok(asked.then(|| format!("{name}_with_indices")))
}

/// A flag among the arguments: its name and its place.
type Flag = (&'static str, usize);

/// Functions that are chosen by two flags: their names begin so, and the flags are found at these places among the arguments.
const CHOSEN: &[(&str, &str, [Flag; 2])] = &[
    ("unique", "_return", [("return_inverse", 2), ("return_counts", 3)]),
    ("unique_consecutive", "_consecutive_return", [("return_inverse", 2), ("return_counts", 1)]),
];

/// The name of the function that the arguments choose, where they choose one. Fails with a `RuntimeError` for a flag that is
/// neither true nor false.
pub(super) fn chosen(name: &str, call: &CallArgs) -> Result<Option<String>> {
    let Some((_, stem, flags)) = CHOSEN.iter().find(|(known, ..)| *known == name) else { return Ok(None) };
    let mut set = [false; 2];
    for (on, (flag, place)) in set.iter_mut().zip(flags) {
        let named = call.keyword.iter().find(|(key, _)| &**key == *flag).map(|(_, value)| value);
        *on = named.or(call.positional.get(*place)).map_or(Ok(false), truth)?;
    }
    let end = match set {
        [false, false] => "output",
        [true, false] => "inverse",
        [false, true] => "counts",
        [true, true] => "inverse_and_counts",
    };
    Ok(Some(format!("{stem}_{end}")))
}

/// What a function that is written in Python asks a tensor for before anything else does: functions, parameter, attribute.
#[rustfmt::skip] // one attribute a line
const ASKED: &[(&[&str], &str, &str)] = &[
    (&["binary_cross_entropy", "binary_cross_entropy_with_logits", "huber_loss", "smooth_l1_loss"], "target", "size"),
    (&["binary_cross_entropy", "binary_cross_entropy_with_logits", "huber_loss", "smooth_l1_loss"], "input", "size"),
    (&["adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool2d", "adaptive_max_pool3d"], "input", "size"),
    (&["adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices", "instance_norm"], "input", "size"),
    (&["binary_cross_entropy"], "weight", "size"),
    (&["embedding_bag"], "weight", "dtype"),
    (&["dropout1d", "dropout2d", "dropout3d", "embedding_bag", "glu", "group_norm", "interpolate", "local_response_norm"], "input", "dim"),
    (&["upsample", "upsample_bilinear", "upsample_nearest"], "input", "dim"),
    (&["margin_ranking_loss"], "input1", "dim"),
    (&["margin_ranking_loss"], "input2", "dim"),
    (&["margin_ranking_loss"], "target", "dim"),
    (&["normalize"], "input", "norm"),
    (&["log_softmax", "softmax", "softmin"], "input", "dim"),
    (&["max_unpool1d", "max_unpool2d", "max_unpool3d"], "input", "size"),
    (&["max_unpool1d"], "indices", "unsqueeze"),
    (&["huber_loss", "l1_loss", "mse_loss"], "weight", "size"),
    (&["norm"], "input", "layout"),
    (&["split"], "tensor", "split"),
    (&["stft"], "input", "dim"),
    (&["tensordot"], "a", "dim"),
    (&["tensordot"], "b", "dim"),
    (&["unravel_index"], "indices", "is_complex"),
    (&["sigmoid"], "input", "sigmoid"),
    (&["softsign"], "input", "abs"),
    (&["tanh", "tanhshrink"], "input", "tanh"),
];

/// The parameter and the attribute that are asked for first, where that is known.
pub(super) fn asked(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let short = short(name).to_string();
    ASKED.iter().filter(move |(names, ..)| names.contains(&short.as_str())).map(|(_, param, attribute)| (*param, *attribute))
}

/// The function inside that sees the tensors of a function of `torch.nn.functional`, where it has another name.
pub(super) fn inner(name: &str) -> Option<&'static str> {
    if let "sparse.softmax" | "sparse.log_softmax" = name {
        return Some(if name == "sparse.softmax" { "_sparse_softmax" } else { "_sparse_log_softmax" });
    }
    Some(match name.strip_prefix("nn.functional.")? {
        "adaptive_max_pool1d_with_indices" => "adaptive_max_pool1d",
        "adaptive_max_pool2d_with_indices" => "adaptive_max_pool2d",
        "adaptive_max_pool3d_with_indices" => "adaptive_max_pool3d",
        "affine_grid" => "affine_grid_generator",
        "cross_entropy" => "cross_entropy_loss",
        "fold" => "col2im",
        "softmin" => "softmax",
        "grid_sample" => "grid_sampler",
        "logsigmoid" | "multilabel_soft_margin_loss" => "log_sigmoid",
        "nll_loss" => "nll_loss_nd",
        "unfold" => "im2col",
        _ => return None,
    })
}

/// Where a parameter stands in the function inside, for those that stand elsewhere: function, parameters in order from a place on.
#[rustfmt::skip] // one function a line
const PLACES: &[(&str, usize, &[&str])] = &[
    ("binary_cross_entropy_with_logits", 4, &["pos_weight"]),
    ("batch_norm", 2, &["weight", "bias", "running_mean", "running_var", "training", "momentum", "eps"]),
    ("cross_entropy", 3, &["weight", "reduction", "ignore_index", "label_smoothing"]),
    ("embedding", 1, &["weight", "input", "padding_idx", "scale_grad_by_freq", "sparse"]),
    ("grid_sample", 5, &["align_corners"]),
    ("huber_loss", 4, &["delta"]),
    ("instance_norm", 2, &["weight", "bias", "running_mean", "running_var", "use_input_stats", "momentum", "eps"]),
    ("log_softmax", 1, &["dim"]),
    ("nll_loss", 3, &["weight", "reduction", "ignore_index"]),
    ("smooth_l1_loss", 4, &["beta"]),
    ("softmax", 1, &["dim"]),
    ("softmin", 1, &["dim"]),
];

/// What the function inside calls a parameter, where it has another name there.
pub(super) fn renamed(function: Option<&str>, param: &str) -> Option<&'static str> {
    (function == Some("nn.functional.embedding") && param == "input").then_some("indices")
}

/// Where a parameter of a function of `torch.nn.functional` stands in the function inside, when that is another place; 0 for one
/// that is handed on by name.
pub(super) fn place(function: &str, param: &str) -> Option<usize> {
    let short = function.strip_prefix("nn.functional.")?;
    if param == "dtype" && short.contains("softm") || param == "log_target" {
        return Some(0);
    }
    let (_, first, names) = PLACES.iter().find(|(name, ..)| *name == short)?;
    names.iter().position(|name| *name == param).map(|at| first + at)
}
