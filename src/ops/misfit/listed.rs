//! What PyTorch lists as ways to call an operation.

/// The signature of a function that makes a tensor, from what stands before the parameters that say how.
macro_rules! made {
    ($lead:literal) => {
        concat!(
            "(",
            $lead,
            ", DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)"
        )
    };
}

/// Signatures where PyTorch lists others than the table of operations has rows. A name with a dot in front is the method; what is said
/// of `f` holds for `f_`, too.
#[rustfmt::skip] // one signature a line
pub(super) const LISTED: &[(&[&str], &[&str])] = &[
    (&["prod"], &[
        "(Tensor self, *, DType? dtype=None)",
        "(Tensor self, int dim, bool keepdim=False, *, DType? dtype=None, Tensor? out=None)",
    ]),
    (&["std_mean", "var_mean"], &[
        "(Tensor self, int[1] dim, bool unbiased=True, bool keepdim=False)",
        "(Tensor self, int[1] dim=None, *, Scalar? correction=None, bool keepdim=False)",
        "(Tensor self, bool unbiased=True)",
    ]),
    (&["std", "var"], &[
        "(Tensor self, int[1] dim, bool unbiased=True, bool keepdim=False, *, Tensor? out=None)",
        "(Tensor self, int[1] dim=None, *, Scalar? correction=None, bool keepdim=False, Tensor? out=None)",
        "(Tensor self, bool unbiased=True)",
    ]),
    (&["all", "any"], &[
        "(Tensor self, *, Tensor? out=None)",
        "(Tensor self, int[] dim=None, bool keepdim=False, *, Tensor? out=None)",
        "(Tensor self, int dim, bool keepdim=False, *, Tensor? out=None)",
    ]),
    (&["max", "min"], &[
        "(Tensor self, *, Tensor? out=None)",
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, int dim, bool keepdim=False, *, Tensor[] out=None)",
    ]),
    (&["count_nonzero"], &["(Tensor self, int? dim=None)", "(Tensor self, int[] dim)"]),
    (&["sort"], &[
        "(Tensor self, *, bool stable, int dim=-1, bool descending=False, Tensor[] out=None)",
        "(Tensor self, int dim=-1, bool descending=False, *, Tensor[] out=None)",
    ]),
    (&["argsort"], &[
        "(Tensor self, *, bool stable, int dim=-1, bool descending=False, Tensor? out=None)",
        "(Tensor self, int dim=-1, bool descending=False)",
    ]),
    (&["clamp", "clip"], &[
        "(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor? out=None)",
        "(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor? out=None)",
    ]),
    (&["eq", "ne", "lt", "le", "gt", "ge", "fmod", "copysign", "greater", "greater_equal", "less", "less_equal", "not_equal"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Scalar other, *, Tensor? out=None)",
    ]),
    (&["clamp_max"], &["(Tensor self, Tensor max, *, Tensor? out=None)", "(Tensor self, Scalar max, *, Tensor? out=None)"]),
    (&["clamp_min"], &["(Tensor self, Tensor min, *, Tensor? out=None)", "(Tensor self, Scalar min, *, Tensor? out=None)"]),
    (&["remainder", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Scalar self, Tensor other)",
        "(Tensor self, Scalar other, *, Tensor? out=None)",
    ]),
    (&["floor_divide", "true_divide", "multiply"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Scalar other)",
    ]),
    (&["divide"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Tensor other, *, str? rounding_mode, Tensor? out=None)",
        "(Tensor self, Scalar other)",
        "(Tensor self, Scalar other, *, str? rounding_mode)",
    ]),
    (&["subtract"], &[
        "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor? out=None)",
        "(Tensor self, Scalar other, Scalar alpha=1)",
    ]),
    (&["rsub"], &["(Tensor self, Tensor other, *, Scalar alpha=1)", "(Tensor self, Scalar other, Scalar alpha=1)"]),
    (&["round_"], &["(Tensor self)", "(Tensor self, *, int decimals)"]),
    (&["xlogy", "special.xlogy", "special.xlog1py", "special.zeta"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Scalar self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Scalar other, *, Tensor? out=None)",
    ]),
    (&["pow", "float_power"], &[
        "(Tensor self, Tensor exponent, *, Tensor? out=None)",
        "(Scalar self, Tensor exponent, *, Tensor? out=None)",
        "(Tensor self, Scalar exponent, *, Tensor? out=None)",
    ]),
    (&["add", "sub"], &["(Tensor self, Tensor other, *, Scalar alpha=1, Tensor? out=None)"]),
    (&["lerp"], &[
        "(Tensor self, Tensor end, Tensor weight, *, Tensor? out=None)",
        "(Tensor self, Tensor end, Scalar weight, *, Tensor? out=None)",
    ]),
    (&["masked_fill"], &["(Tensor self, Tensor mask, Tensor value)", "(Tensor self, Tensor mask, Scalar value)"]),
    (&["index_fill"], &[
        "(Tensor self, int dim, Tensor index, Tensor value)",
        "(Tensor self, int dim, Tensor index, Scalar value)",
    ]),
    (&["scatter"], &[
        "(Tensor self, int dim, Tensor index, Tensor src, *, Tensor? out=None)",
        "(Tensor self, int dim, Tensor index, Tensor src, *, str reduce, Tensor? out=None)",
        "(Tensor self, int dim, Tensor index, Scalar value, *, Tensor? out=None)",
        "(Tensor self, int dim, Tensor index, Scalar value, *, str reduce, Tensor? out=None)",
    ]),
    (&["where"], &[
        "(Tensor condition)",
        "(Tensor condition, Tensor input, Tensor other, *, Tensor? out=None)",
        "(Tensor condition, Scalar self, Tensor other)",
        "(Tensor condition, Tensor input, Scalar other)",
        "(Tensor condition, Scalar self, Scalar other)",
    ]),
    (&[".where"], &["(Tensor self, Tensor condition, Tensor other)", "(Tensor self, Tensor condition, Scalar other)"]),
    (&["copy_"], &["(Tensor self, Tensor other, bool non_blocking=False)"]),
    (&["arange"], &[
        made!("Scalar end, *, Tensor? out=None"),
        made!("Scalar start, Scalar end, *"),
        made!("Scalar start, Scalar end, Scalar step=1, *, Tensor? out=None"),
    ]),
    (&["linspace"], &[
        made!("Tensor start, Tensor end, int steps, *, Tensor? out=None"),
        made!("Scalar start, Tensor end, int steps, *, Tensor? out=None"),
        made!("Tensor start, Scalar end, int steps, *, Tensor? out=None"),
        made!("Scalar start, Scalar end, int steps, *, Tensor? out=None"),
    ]),
    (&["randint"], &[
        made!("int high, int[] size, *, Generator generator, Tensor? out=None"),
        made!("int high, int[] size, *, Tensor? out=None"),
        made!("int low, int high, int[] size, *, Generator generator, Tensor? out=None"),
        made!("int low, int high, int[] size, *, Tensor? out=None"),
    ]),
    (&["result_type"], &[
        "(Tensor tensor, Tensor other)",
        "(Scalar scalar, Tensor tensor)",
        "(Tensor tensor, Scalar other)",
        "(Scalar scalar1, Scalar scalar2)",
    ]),
    (&["div"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Tensor other, *, str? rounding_mode, Tensor? out=None)",
        "(Tensor self, Scalar other, *, str? rounding_mode)",
    ]),
    (&["rand", "randn"], &[
        made!("int[] size, *, Generator generator, Tensor? out=None"),
        made!("int[] size, *, Tensor? out=None"),
    ]),
    (&["randperm"], &[
        made!("int n, *, Generator generator, Tensor? out=None"),
        made!("int n, *, Tensor? out=None"),
    ]),
    (&["normal"], &[
        "(Tensor mean, Tensor std, *, Generator? generator=None, Tensor? out=None)",
        "(Tensor mean, float std=1, *, Generator? generator=None, Tensor? out=None)",
        "(float mean, Tensor std, *, Generator? generator=None, Tensor? out=None)",
        made!("float mean, float std, int[] size, *, Generator? generator=None, Tensor? out=None"),
    ]),
    (&["quantile", "nanquantile"], &[
        "(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\", Tensor? out=None)",
        "(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\", Tensor? out=None)",
    ]),
    (&["searchsorted"], &[
        "(Tensor sorted_sequence, Tensor input, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None, Tensor? out=None)",
        "(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None, Tensor? out=None)",
    ]),
    (&["linalg.cond"], &["(Tensor self, Scalar? p=None, *, Tensor? out=None)", "(Tensor self, str p, *, Tensor? out=None)"]),
    (&["linalg.norm"], &[
        "(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None, Tensor? out=None)",
        "(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None, Tensor? out=None)",
    ]),
    (&["mm", "bmm"], &[
        "(Tensor self, Tensor mat2, *, Tensor? out=None)",
        "(Tensor self, Tensor mat2, DType out_dtype, *, Tensor? out=None)",
    ]),
    (&["tensor_split"], &[
        "(Tensor self, int[] indices, int dim=0)",
        "(Tensor self, Tensor tensor_indices_or_sections, int dim=0)",
        "(Tensor self, int sections, int dim=0)",
    ]),
    (&["repeat_interleave"], &[
        "(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None)",
        "(Tensor repeats, *, int? output_size=None)",
        "(Tensor self, int repeats, int? dim=None, *, int? output_size=None)",
    ]),
    (&[".repeat_interleave"], &[
        "(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None)",
        "(Tensor self, int repeats, int? dim=None, *, int? output_size=None)",
    ]),
    (&["narrow"], &["(Tensor self, int dim, Tensor start, int length)", "(Tensor self, int dim, int start, int length)"]),
    (&["addmm"], &[
        "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None)",
        "(Tensor self, Tensor mat1, Tensor mat2, DType out_dtype, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None)",
    ]),
    (&["baddbmm"], &[
        "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None)",
        "(Tensor self, Tensor batch1, Tensor batch2, DType out_dtype, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None)",
    ]),
    (&[".addmm", ".addmm_"], &["(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1)"]),
    (&[".baddbmm", ".baddbmm_"], &["(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1)"]),
    (&["bartlett_window", "blackman_window", "hann_window"], &[
        made!("int window_length, *"),
        made!("int window_length, bool periodic, *"),
    ]),
    (&["bernoulli"], &[
        "(Tensor self, *, Generator? generator=None, Tensor? out=None)",
        "(Tensor self, float p, *, Generator? generator=None)",
    ]),
    (&["bernoulli_"], &[
        "(Tensor self, Tensor p, *, Generator? generator=None)",
        "(Tensor self, float p=0.5, *, Generator? generator=None)",
    ]),
    (&["bucketize"], &[
        "(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False, Tensor? out=None)",
        "(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False)",
    ]),
    (&["conv1d", "conv2d", "conv3d", "nn.functional.conv1d", "nn.functional.conv2d", "nn.functional.conv3d"], &[
        "(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1)",
        "(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding=\"valid\", int[1] dilation=1, int groups=1)",
    ]),
    (&["cumulative_trapezoid", "trapezoid"], &[
        "(Tensor y, Tensor x, *, int dim=-1)",
        "(Tensor y, *, Scalar dx=1, int dim=-1)",
    ]),
    (&["trapz"], &["(Tensor y, *, float dx=1, int dim=-1)", "(Tensor y, Tensor x, *, int dim=-1)"]),
    (&["gradient"], &[
        "(Tensor self, *, int[] dim, int edge_order=1)",
        "(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1)",
        "(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1)",
        "(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1)",
        "(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1)",
        "(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1)",
        "(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1)",
    ]),
    (&["histogramdd"], &[
        "(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False)",
        "(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False)",
        "(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False)",
    ]),
    (&["isin"], &[
        "(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False, Tensor? out=None)",
        "(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False, Tensor? out=None)",
        "(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False, Tensor? out=None)",
    ]),
    (&["logspace"], &[
        made!("Tensor start, Tensor end, int steps, float base=10.0, *, Tensor? out=None"),
        made!("Scalar start, Tensor end, int steps, float base=10.0, *, Tensor? out=None"),
        made!("Tensor start, Scalar end, int steps, float base=10.0, *, Tensor? out=None"),
        made!("Scalar start, Scalar end, int steps, float base=10.0, *, Tensor? out=None"),
    ]),
    (&["rand_like", "randn_like"], &[
        made!("Tensor self, *, Generator generator, MemoryFormat? memory_format=None"),
        made!("Tensor self, *, MemoryFormat? memory_format=None"),
    ]),
    (&["randint_like"], &[
        made!("Tensor self, int low, int high, *, Generator generator, MemoryFormat? memory_format=None"),
        made!("Tensor self, int low, int high, *, MemoryFormat? memory_format=None"),
        made!("Tensor self, Tensor high, *, Generator generator, MemoryFormat? memory_format=None"),
        made!("Tensor self, Tensor high, *, MemoryFormat? memory_format=None"),
        made!("Tensor self, int high, *, Generator generator, MemoryFormat? memory_format=None"),
        made!("Tensor self, int high, *, MemoryFormat? memory_format=None"),
    ]),
    (&["sparse_coo_tensor"], &[
        "(Any indices, Any values, *, DType? dtype=None, Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None, bool? is_coalesced=None)",
        "(Any indices, Any values, int[] size, *, DType? dtype=None, Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None, bool? is_coalesced=None)",
        "(int[] size, *, DType? dtype=None, Device? device=None, bool requires_grad=False, bool? check_invariants=None)",
    ]),
    (&[".nonzero"], &["(Tensor self)", "(Tensor self, *, bool as_tuple)"]),
    (&["random_"], &[
        "(Tensor self, *, Generator? generator=None)",
        "(Tensor self, int from, int to, *, Generator? generator=None)",
        "(Tensor self, int to, *, Generator? generator=None)",
    ]),
    (&[".to_sparse"], &[
        "(Tensor self, *, Layout? layout=None, int[]? blocksize=None, int? dense_dim=None)",
        "(Tensor self, int sparse_dim)",
    ]),
    (&["linalg.matrix_norm"], &[
        "(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False, *, DType? dtype=None, Tensor? out=None)",
        "(Tensor self, str ord=\"fro\", int[] dim=[-2,-1], bool keepdim=False, *, DType? dtype=None, Tensor? out=None)",
    ]),
    (&["linalg.matrix_rank"], &[
        "(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, Tensor? out=None)",
        "(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False, Tensor? out=None)",
        "(Tensor self, Tensor tol, bool hermitian=False, *, Tensor? out=None)",
        "(Tensor self, float tol, bool hermitian=False, *, Tensor? out=None)",
    ]),
    (&["linalg.pinv"], &[
        "(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, Tensor? out=None)",
        "(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False, Tensor? out=None)",
        "(Tensor self, Tensor rcond, bool hermitian=False, *, Tensor? out=None)",
        "(Tensor self, float rcond, bool hermitian=False, *, Tensor? out=None)",
    ]),
    (POLYNOMIALS, &[
        "(Tensor x, Tensor n, *, Tensor? out=None)",
        "(Scalar x, Tensor n, *, Tensor? out=None)",
        "(Tensor x, Scalar n, *, Tensor? out=None)",
    ]),
    (&["logit", "special.logit"], &["(Tensor self, float? eps=None, *, Tensor? out=None)"]),
    (&["normal_"], &["(Tensor self, float mean=0, float std=1, *, Generator? generator=None)"]),
    (&[".mm", ".bmm"], &["(Tensor self, Tensor mat2)"]),
    (&[".indices", ".values"], &["(Tensor self)"]),
    (&["type"], &["(Tensor self, Any dtype=None, bool non_blocking=False, *, MemoryFormat? memory_format=None)"]),
    (&["as_tensor"], &["(Any data, *, DType? dtype=None, Device? device=None)"]),
    (&["orgqr"], &["(Tensor self, Tensor input2, *, Tensor? out=None)"]),
    (&["ormqr"], &["(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False, *, Tensor? out=None)"]),
    (&["linalg.tensorsolve"], &["(Tensor self, Tensor other, int[]? dims=None, *, Tensor? out=None)"]),
    (&["nn.functional.relu"], &["(Tensor input, bool inplace=False)"]),
];

/// Families of orthogonal polynomials.
#[rustfmt::skip] // one family a line
const POLYNOMIALS: &[&str] = &[
    "special.chebyshev_polynomial_t", "special.chebyshev_polynomial_u", "special.chebyshev_polynomial_v", "special.chebyshev_polynomial_w",
    "special.hermite_polynomial_h", "special.hermite_polynomial_he", "special.laguerre_polynomial_l", "special.legendre_polynomial_p",
    "special.shifted_chebyshev_polynomial_t", "special.shifted_chebyshev_polynomial_u", "special.shifted_chebyshev_polynomial_v",
    "special.shifted_chebyshev_polynomial_w",
];
