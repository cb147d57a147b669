//! How each function treats an `out` that it is given: one row per function.
//!
//! A function that has no row wants the very dtype of its result, looks at nothing that `out` shares, and is refused under its own name
//! where a gradient would have to be recorded. One of elements takes every dtype that can hold the result.

use crate::ops::{Args, Form};
use crate::value::Value;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Which dtypes `out` may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// That of the result.
    Same,
    /// Each that can hold the result.
    Casts,
    /// Each: the function casts its result, or computes in it.
    Any,
}

/// What `out` may share with what the function reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shares {
    /// It is not looked at.
    Unseen,
    /// All elements of a tensor that is read, or none.
    AllOrNone,
    /// Nothing.
    Nothing,
    /// All elements or none of the first tensor, which is copied to it, and nothing of the others.
    NothingOfOthers,
}

/// What is looked at first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// What `out` shares, then its dtype; at last it takes the size of the result.
    Sharing,
    /// Its dtype, then what it shares; at last it takes the size of the result.
    DType,
    /// Its dtype; then it takes the size of the result, and then it is looked at what it shares.
    Size,
}

/// When a function is refused whose result would have to be recorded for a gradient.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Before anything else.
    Early,
    /// When the result is there: the function that is asked to write it says so.
    Late,
    /// Only where `out` is a leaf, which the last step of the function copies into.
    AsCopied,
    /// Only where `out` is a leaf, since there is no derivative.
    Underived,
}

/// How an `out` that takes the size of the result lies then.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lies {
    /// As the result does.
    AsResult,
    /// In row-major order: PyTorch computes apart and copies.
    InRows,
    /// As the result does, be it without elements and of the right size already.
    AnewWhenEmpty,
    /// As the result does where it has no elements and the dtype of the result, whatever its size; else in row-major order.
    OwnWhenEmpty,
    /// As it did: the result is copied into it as by `copy_`.
    AsBefore,
}

/// A row of the table.
#[derive(Clone, Copy)]
pub struct Rule {
    name: &'static str,
    takes: Option<Takes>,
    /// What is said of another dtype, where the function has words of its own.
    pub says: Option<&'static str>,
    /// What `out` may share with what is read.
    pub shares: Shares,
    /// What is looked at first.
    pub first: First,
    /// True for a function that walks over its operands and `out` together.
    pub is_elementwise: bool,
    /// When it is refused for the sake of gradients.
    pub refused: Refused,
    /// Who refuses then: the function that is asked to write; empty for the function itself.
    pub refused_as: &'static str,
    /// How an `out` lies that takes the size of the result.
    pub lies: Lies,
    /// True for a function that writes one number, be it into cells that repeat.
    pub fills: bool,
}

const fn rule(name: &'static str) -> Rule {
    Rule {
        name,
        takes: None,
        says: None,
        shares: Shares::Unseen,
        first: First::Sharing,
        is_elementwise: false,
        refused: Refused::Early,
        refused_as: "",
        lies: Lies::AsResult,
        fills: false,
    }
}

impl Rule {
    /// How the function of a call treats its `out`.
    pub fn of(args: &Args) -> Rule {
        let found = Rule::named(kernel_name(args));
        match args.op.form {
            Form::Map(_) if found.name != COMPLEX_SIZES => found.elementwise(),
            _ => found,
        }
    }

    /// Which dtypes `out` may have.
    pub fn takes(&self) -> Takes {
        self.takes.unwrap_or(if self.is_elementwise { Takes::Casts } else { Takes::Same })
    }

    /// The row of a name; for callers that have no call.
    pub fn named(name: &str) -> Rule {
        static RULES_BY_NAME: LazyLock<HashMap<&str, &Rule>> =
            LazyLock::new(|| RULES.iter().map(|rule| (rule.name, rule)).collect());
        let of_module = || RULES_BY_NAME.get(name.split_inclusive('.').next().unwrap_or_default());
        RULES_BY_NAME.get(name).or_else(of_module).map_or(rule(""), |found| **found)
    }

    /// True where `out` must have the dtype of the result, be the function one of elements.
    pub fn is_same(&self) -> bool {
        self.takes == Some(Takes::Same)
    }

    const fn takes_as(mut self, takes: Takes) -> Rule {
        self.takes = Some(takes);
        self
    }

    const fn same(self) -> Rule {
        self.takes_as(Takes::Same)
    }

    const fn casts(self) -> Rule {
        self.takes_as(Takes::Casts)
    }

    const fn any(self) -> Rule {
        self.takes_as(Takes::Any)
    }

    const fn says(mut self, words: &'static str) -> Rule {
        self.says = Some(words);
        self
    }

    const fn shares(mut self, shares: Shares) -> Rule {
        self.shares = shares;
        self
    }

    const fn elementwise(mut self) -> Rule {
        self.is_elementwise = true;
        self.shares(Shares::AllOrNone)
    }

    const fn in_step(self) -> Rule {
        self.shares(Shares::AllOrNone)
    }

    const fn apart(self) -> Rule {
        self.shares(Shares::Nothing)
    }

    const fn sources_apart(self) -> Rule {
        self.shares(Shares::NothingOfOthers)
    }

    const fn dtype_first(mut self) -> Rule {
        self.first = First::DType;
        self
    }

    const fn size_first(mut self) -> Rule {
        self.first = First::Size;
        self
    }

    const fn refused(mut self, refused: Refused) -> Rule {
        self.refused = refused;
        self
    }

    const fn late(self) -> Rule {
        self.refused(Refused::Late)
    }

    const fn copied(self) -> Rule {
        self.refused(Refused::AsCopied)
    }

    const fn underived(self) -> Rule {
        self.refused(Refused::Underived)
    }

    const fn known_as(mut self, name: &'static str) -> Rule {
        self.refused_as = name;
        self
    }

    const fn lies(mut self, lies: Lies) -> Rule {
        self.lies = lies;
        self
    }

    const fn in_rows(self) -> Rule {
        self.lies(Lies::InRows)
    }

    const fn orders_nothing(self) -> Rule {
        self.lies(Lies::AnewWhenEmpty)
    }

    const fn own_when_empty(self) -> Rule {
        self.lies(Lies::OwnWhenEmpty)
    }

    const fn as_before(self) -> Rule {
        self.lies(Lies::AsBefore)
    }

    const fn fills(mut self) -> Rule {
        self.fills = true;
        self
    }
}

/// What computes the absolute values and angles of complex numbers: apart, and copies their real parts.
const COMPLEX_SIZES: &str = "complex_sizes";

/// A chain of a single matrix, which is copied.
const ONE_OF_CHAIN: &str = "chain_matmul_of_one";

/// The product of two vectors by the name for many.
const VECDOT_OF_TWO: &str = "vecdot_of_two";

/// Normal numbers of one mean and spread.
const NORMAL_OF_SIZE: &str = "normal_of_size";

/// The function that computes a call, where it depends on the arguments.
pub fn kernel_name(args: &Args) -> &'static str {
    let ndim = |place| if let Value::Tensor(t) = args.value(place) { Some(t.ndim()) } else { None };
    match (args.op.name(), ndim(0), ndim(1)) {
        ("abs" | "angle", ..) if matches!(args.value(0), Value::Tensor(x) if x.dtype().is_complex()) => COMPLEX_SIZES,
        ("matmul" | "linalg.matmul", Some(1), Some(1)) => "dot",
        ("matmul" | "linalg.matmul", _, Some(1)) => "mv",
        ("matmul" | "linalg.matmul", ..) => "mm",
        ("chain_matmul", ..) if args.value(0).sequence().is_some_and(|matrices| matrices.len() == 1) => ONE_OF_CHAIN,
        ("inner", Some(0), _) | ("inner", _, Some(0)) => "mul",
        ("linalg.vecdot", Some(1), Some(1)) => VECDOT_OF_TWO,
        ("normal", None, None) => NORMAL_OF_SIZE,
        ("max", _, Some(_)) => "maximum",
        ("min", _, Some(_)) => "minimum",
        ("max" | "min", ..) if args.values.len() > 1 => "aminmax",
        (name, ..) => name,
    }
}

// What several functions say of a dtype; `{result}` and `{out}` stand for dtypes, with `c_` for C++'s names of them, `{name}` for the
// function and `{short}` for its name without the module.
const BOOLEAN: &str = "{name} does not support non-boolean outputs.";
const CASTABLE: &str = "{name}: Expected result to be safely castable from {result} dtype, but got result with dtype {out}";
const EXPECTED: &str = "expected scalar type {result} but found {out}";
const FLAGS: &str = "{name} only supports bool tensor for result, got: {out}";
const FOUND: &str = "Found dtype {out} but expected {result}";
const INPUT: &str = "result dtype {out} does not match input dtype {result}";
const JOINED: &str = "torch.cat(): input types can't be cast to the desired output type {out}";
const MULTI_DOT: &str = "multi_dot(): expected out tensor to have dtype {c_result} but got {c_out}";
const NORM: &str = "{name} expected out tensor dtype {result} but got: {out}";
const OBJECT: &str = "Expected object of scalar type {result} but got scalar type {out} for argument 'out'";
const OF_INPUT: &str =
    "Expected the dtype for input and out to match, but got {result} for input's dtype and {out} for out's dtype.";
const QUANTILE: &str = "quantile() out tensor must be same dtype as the input tensor";
const SCALAR_TYPE: &str = "expected scalar_type {result} but found {out}";
const SELF: &str = "{name}(): self and result must have the same scalar type";
const SHORT_CASTABLE: &str =
    "{short}: Expected result to be safely castable from {result} dtype, but got result with dtype {out}";
const TENSORDOT: &str = "tensordot: Expected the output tensor to have dtype {result}, but got an output tensor with dtype {out}";

/// The functions, by name; the names of a whole module end in a dot.
#[rustfmt::skip] // one a line
const RULES: &[Rule] = &[
    rule("abs").same().says(FOUND),
    rule("add").elementwise(),
    rule("addbmm").says("self and mat2 must have the same dtype, but got {out} and {result}"),
    rule("addcdiv").elementwise(),
    rule("addcmul").elementwise(),
    rule("addr").casts().sources_apart(),
    rule("all").says(FLAGS),
    rule("amax").says(OF_INPUT),
    rule("amin").says(OF_INPUT),
    rule("aminmax").size_first(),
    rule("angle").elementwise(),
    rule("any").says(FLAGS),
    rule("arange").any().underived(),
    rule("baddbmm").in_step().size_first(),
    rule("bernoulli").any(),
    rule("bitwise_and").underived(),
    rule("bitwise_left_shift").underived(),
    rule("bitwise_not").same().elementwise().says(FOUND).underived(),
    rule("bitwise_or").underived(),
    rule("bitwise_right_shift").underived(),
    rule("bitwise_xor").underived(),
    rule("block_diag").casts(),
    rule("cat").casts().apart().size_first().says(JOINED),
    rule("ceil").same().says(FOUND),
    rule("chain_matmul").says(MULTI_DOT).late().known_as("mm"),
    rule(ONE_OF_CHAIN).any().copied().in_rows(),
    rule("cholesky_inverse").casts().says(CASTABLE).own_when_empty(),
    rule("cholesky_solve").casts().says(CASTABLE).in_rows(),
    rule("clamp").same().elementwise().says(FOUND),
    rule("clamp_max").same().elementwise().says(FOUND),
    rule("clamp_min").same().elementwise().says(FOUND),
    rule("column_stack").casts().apart().size_first().says(JOINED).known_as("cat"),
    rule("complex").same().elementwise().dtype_first().says(OBJECT),
    rule(COMPLEX_SIZES).casts(),
    rule("conj_physical").same().elementwise().says(FOUND).underived(),
    rule("cross").apart().size_first().known_as("linalg_cross"),
    rule("cummax").says(SCALAR_TYPE),
    rule("cummin").says(SCALAR_TYPE),
    rule("cumprod").in_step().size_first(),
    rule("cumsum").in_step().size_first(),
    rule("cumulative_trapezoid").casts(),
    rule("diag").underived(),
    rule("diff").casts().in_step().known_as("sub"),
    rule("div").elementwise(),
    rule("dot").says(INPUT),
    rule("dstack").casts().apart().size_first().says(JOINED).known_as("cat"),
    rule("erf").elementwise(),
    rule("eye").any().underived(),
    rule("fft.").casts().late().known_as("_fft_c2c").in_rows(),
    rule("fft.hfft").casts().late().known_as("_fft_c2r").in_rows(),
    rule("fft.hfft2").casts().late().known_as("_fft_c2r").in_rows(),
    rule("fft.hfftn").casts().late().known_as("_fft_c2r").in_rows(),
    rule("fft.irfft").casts().late().known_as("_fft_c2r").in_rows(),
    rule("fft.irfft2").casts().late().known_as("_fft_c2r").in_rows(),
    rule("fft.irfftn").casts().late().known_as("_fft_c2r").in_rows(),
    rule("fft.rfft").casts().late().known_as("_fft_r2c").in_rows(),
    rule("fft.rfft2").casts().late().known_as("_fft_r2c").in_rows(),
    rule("fft.rfftn").casts().late().known_as("_fft_r2c").in_rows(),
    rule("float_power").same().elementwise().dtype_first().says("the output given to float_power has dtype {out} but the operation's result requires dtype {result}").late().known_as("pow"),
    rule("floor").same().says(FOUND),
    rule("floor_divide").elementwise().underived(),
    rule("fmax").elementwise(),
    rule("fmin").elementwise(),
    rule("fmod").elementwise(),
    rule("frac").same().says(FOUND),
    rule("frexp").in_step().dtype_first(),
    rule("full").any().underived().fills(),
    rule("gather").apart().size_first(),
    rule("gcd").elementwise().underived(),
    rule("geqrf").casts().says("torch.geqrf: Expected a to be safely castable from {result} dtype, but got a with dtype {out}").own_when_empty(),
    rule("ger").casts().in_step().late().known_as("mul"),
    rule("heaviside").same().elementwise().dtype_first().says("heaviside is not yet implemented for tensors with different dtypes.").underived(),
    rule("histc").says("torch.histogram: input tensor and hist tensor should have the same dtype, but got input {c_result} and hist {c_out}"),
    rule("hstack").casts().apart().size_first().says(JOINED).known_as("cat"),
    rule("index_add").sources_apart().size_first(),
    rule("index_copy").sources_apart().size_first(),
    rule("index_reduce").sources_apart().size_first(),
    rule("index_select").apart().dtype_first().says(SELF),
    rule("inner").says(TENSORDOT).copied(),
    rule("inverse").known_as("linalg_inv_ex"),
    rule("isclose").casts(),
    rule("isin").late(),
    rule("isneginf").same().elementwise().dtype_first().says(BOOLEAN),
    rule("isposinf").same().elementwise().dtype_first().says(BOOLEAN),
    rule("kron").casts().apart().size_first().known_as("mul"),
    rule("kthvalue").apart(),
    rule("lcm").elementwise().underived(),
    rule("ldexp").elementwise().dtype_first().says("ldexp can't be cast to the desired output type {out}"),
    rule("lerp").same().elementwise().says(FOUND),
    rule("linalg.cholesky").known_as("linalg_cholesky_ex"),
    rule("linalg.cond").casts().says(CASTABLE).copied(),
    rule("linalg.cross").apart().size_first(),
    rule("linalg.det").known_as("_linalg_det"),
    rule("linalg.eig").casts().says("torch.linalg.eig: Expected eigenvalues to be safely castable from {result} dtype, but got eigenvalues with dtype {out}").own_when_empty(),
    rule("linalg.eigh").known_as("_linalg_eigh"),
    rule("linalg.eigvals").casts().says("torch.linalg.eigvals: Expected eigenvalues to be safely castable from {result} dtype, but got eigenvalues with dtype {out}").underived().own_when_empty(),
    rule("linalg.eigvalsh").known_as("_linalg_eigh"),
    rule("linalg.householder_product").casts().says("torch.linalg.householder_product: Expected result to be safely castable from {result} dtype, but got result with dtype {out}").own_when_empty(),
    rule("linalg.inv").known_as("linalg_inv_ex"),
    rule("linalg.lstsq").casts().says("torch.linalg.lstsq: Expected solution to be safely castable from {result} dtype, but got solution with dtype {out}").own_when_empty(),
    rule("linalg.lu_factor").known_as("linalg_lu_factor_ex"),
    rule("linalg.matrix_norm").says(NORM).copied(),
    rule("linalg.matrix_power").says(SHORT_CASTABLE).late().known_as("matmul"),
    rule("linalg.matrix_rank").casts().says("torch.{name}: Expected result to be safely castable from {result} dtype, but got result with dtype {out}"),
    rule("linalg.multi_dot").says(MULTI_DOT).known_as("mm"),
    rule("linalg.norm").says(NORM).copied(),
    rule("linalg.pinv").casts().says(CASTABLE),
    rule("linalg.slogdet").known_as("_linalg_slogdet"),
    rule("linalg.solve").known_as("_linalg_solve_ex"),
    rule("linalg.solve_triangular").says(EXPECTED),
    rule("linalg.svd").known_as("_linalg_svd"),
    rule("linalg.svdvals").known_as("_linalg_svd"),
    rule("linalg.tensorinv").casts().says(SHORT_CASTABLE).copied().in_rows(),
    rule("linalg.tensorsolve").casts().says(SHORT_CASTABLE).copied(),
    rule(VECDOT_OF_TWO).says(INPUT).known_as("vdot"),
    rule("linalg.vecdot").known_as("sum"),
    rule("linspace").any().underived(),
    rule("log_softmax").underived(),
    rule("logcumsumexp").in_step().size_first().says(SCALAR_TYPE),
    rule("logit").elementwise(),
    rule("logspace").any().underived(),
    rule("logsumexp").casts().says("logsumexp(): Expected floating point type for result tensor, but got: {out}"),
    rule("lu").any().in_rows(),
    rule("masked_select").apart().dtype_first().says(SELF),
    rule("matrix_power").casts().says(CASTABLE).late().known_as("matmul"),
    rule("max").casts(),
    rule("maximum").elementwise(),
    rule("mean").casts(),
    rule("median").in_step().size_first(),
    rule("min").casts(),
    rule("minimum").elementwise(),
    rule("mode").in_step().size_first(),
    rule("msort").in_step().size_first().known_as("sort"),
    rule("mul").casts().in_step(),
    rule("mvlgamma").casts().says("mvlgamma: result type {out} can't be cast to the desired output type {result}"),
    rule("nan_to_num").same().elementwise().dtype_first().says("nan_to_num: dtype of out: {out} should be same as input: {result}"),
    rule("nanmean").casts().known_as("nansum"),
    rule("nanmedian").in_step().size_first(),
    rule("nanquantile").says(QUANTILE).copied().in_rows(),
    rule("neg").same().says(FOUND),
    rule("nextafter").elementwise(),
    rule("nn.functional.gelu").same().elementwise().says(FOUND),
    rule("nn.functional.hardshrink").same().elementwise().says(FOUND),
    rule("nn.functional.logsigmoid").says(EXPECTED).known_as("log_sigmoid_forward"),
    rule("nn.functional.softplus").same().elementwise().says(FOUND),
    rule("nn.functional.softshrink").same().says(FOUND),
    rule("nonzero").apart().dtype_first().says("nonzero: Expected out tensor to have scalar type {result} but got scalar type{out}"),
    rule("norm").known_as("linalg_vector_norm"),
    rule("nonzero_static").apart().dtype_first().says("nonzero_static: Expected out tensor to have scalar type {result} but got scalar type{out}"),
    rule(NORMAL_OF_SIZE).underived(),
    rule("nuclear_norm").says("linalg.matrix_norm expected out tensor dtype {result} but got: {out}").late(),
    rule("ones").any().underived().fills(),
    rule("orgqr").casts().own_when_empty(),
    rule("ormqr").says("torch.ormqr: Expected input and result to have the same dtype, but input has dtype{result} and result has dtype {out}").own_when_empty(),
    rule("outer").casts().in_step().late().known_as("mul"),
    rule("polar").same().elementwise().dtype_first().says(OBJECT),
    rule("polygamma").elementwise(),
    rule("pow").elementwise(),
    rule("quantile").says(QUANTILE).copied().in_rows(),
    rule("rand").underived(),
    rule("randint").underived(),
    rule("randperm").underived(),
    rule("range").any().underived(),
    rule("remainder").elementwise(),
    rule("renorm").in_step().size_first().in_rows(),
    rule("round").same().elementwise().says(FOUND),
    rule("rsqrt").elementwise(),
    rule("scatter").sources_apart(),
    rule("scatter_add").sources_apart(),
    rule("scatter_reduce").sources_apart(),
    rule("sgn").same().says(FOUND),
    rule("sign").same().says(FOUND),
    rule("signbit").same().elementwise().dtype_first().says(BOOLEAN),
    rule("slice_scatter").underived(),
    rule("softmax").underived(),
    rule("sort").in_step().size_first(),
    rule("special.entr").elementwise(),
    rule("special.expit").known_as("sigmoid"),
    rule("special.i0e").elementwise(),
    rule("special.logit").elementwise().known_as("logit"),
    rule("special.ndtr").casts().copied().in_rows(),
    rule("special.round").same().elementwise().says(FOUND).known_as("round"),
    rule("special.xlog1py").elementwise(),
    rule("split_copy").any().as_before(),
    rule("square").elementwise().known_as("pow"),
    rule("stack").casts().apart().size_first().says(JOINED),
    rule("std").casts(),
    rule("sub").elementwise(),
    rule("svd").known_as("_linalg_svd"),
    rule("take").apart().dtype_first().says("take(): self and out expected to have the same dtype, but got self.dtype = {result} and out.dtype = {out}"),
    rule("take_along_dim").apart().size_first().late().known_as("gather"),
    rule("tensordot").same().says(TENSORDOT).copied(),
    rule("topk").in_step().size_first(),
    rule("triangular_solve").orders_nothing(),
    rule("trunc").same().says(FOUND),
    rule("var").casts(),
    rule("vdot").says(INPUT),
    rule("vstack").casts().apart().size_first().says(JOINED).known_as("cat"),
    rule("where").same().elementwise().dtype_first().says("Expected out type to be {result} but got {out}"),
    rule("xlogy").elementwise(),
    rule("zeros").any().underived().fills(),
];
