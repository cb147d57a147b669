//! The table of operations: one row per operation, and everything else follows from the row.
//!
//! A row is a schema in PyTorch's notation, a paragraph, an example that runs in the tests, and a [`Form`] that says how it
//! works. From it come `torch.f`, `x.f()`, `x.f_()`, `out=`, argument binding, messages about arguments, the verdict view /
//! copy / write, help, completion and the generated tests. Rows of the same name are overloads, tried in the order of the table.

/// Declares the rows of a family as `ROWS`: a static array, because a row remembers its parsed schema.
macro_rules! rows {
    ($($row:expr),* $(,)?) => {
        /// The rows of this family.
        pub static ROWS: [$crate::ops::Op; [$(stringify!($row)),*].len()] = [$($row),*];
    };
}

#[macro_use]
mod texts;

mod args;
mod autocast;
mod autograd;
mod bind;
pub mod broadcast;
mod calculus;
mod closeness;
pub mod complex_view;
mod compose;
mod composed;
pub mod convert;
pub mod create;
mod direct;
mod each;
pub mod embed;
pub mod exec;
pub mod fft;
pub(crate) mod file;
mod former;
mod func;
pub mod functional;
mod gather;
pub mod gradient;
mod guard;
mod in_place;
mod in_turn;
pub mod index;
pub mod inspect;
mod into;
pub mod join;
pub mod linalg;
pub mod map;
mod misfit;
mod named;
mod nothing;
mod out;
pub mod pointwise;
pub mod print_options;
mod product;
mod quantize;
pub mod random;
mod rare;
mod rare_results;
mod recorded;
mod recorded_as;
pub mod reduce;
pub mod refusal;
pub mod reshape;
mod run;
pub mod scan;
pub mod schema;
mod scoped;
mod setting;
pub mod shape;
mod sort;
pub mod sparse;
pub mod special;
pub mod split;
mod statistics;
pub mod trace;
pub mod triangle;
mod unsupported;
pub mod view;
mod view_copy;
mod viewed;
mod vmap;
pub mod warning;
pub mod window;
pub mod window_shape;
mod write;

pub use args::{Args, FromArgs, FromValue, Operand};
pub use autograd::{Handle, apart, awaited, begin_packing, end_packing, is_node, record_own, renamed};
pub use autograd::{gradient_rules, has_rules as has_gradient_rules};
pub use bind::{bind, number_of_numpy, parse_device, to_device, to_dtype};
pub use direct::call as call_directly;
pub use misfit::{bound, full_name, no_signature};
pub use named::named_types;
pub use run::{call, call_function, call_method, call_with, copy_of_self, row_major_copy};

use crate::layout::Layout;
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;
use schema::Schema;
use std::collections::HashMap;
use std::sync::OnceLock;

/// How an operation works.
#[derive(Clone, Copy)]
pub enum Form {
    /// A view: a new layout over the storage of the first argument. No data is touched.
    View(fn(&Layout, &Args) -> Result<Layout>),
    /// One scalar function, applied to each element.
    Map(map::Map),
    /// Text of the language, with the parameters as names. For compositions that are rarely hot.
    Code(&'static str),
    /// A function of the bound arguments.
    Native(fn(&Args) -> Result<Value>),
    /// A function of the only two arguments, both tensors.
    Pair(fn(&Tensor, &Tensor) -> Result<Tensor>),
    /// Writes into a tensor: into the first argument for `x.f_()`, into what the second function makes for `x.f()`, mostly a
    /// [`copy_of_self`] or a [`row_major_copy`].
    Edit(fn(&Tensor, &Args) -> Result<()>, fn(&Args) -> Result<Tensor>),
    /// A function that also needs the evaluator (to call a function of the user's, to warn).
    Hosted(fn(&mut dyn Machine, &Args) -> Result<Value>),
}

/// What a text gives, made at once; none where the text has to look: at wrong arguments, and at what is seldom met.
pub type Usual = fn(&Args) -> Result<Option<Value>>;

/// How the gradients of arguments follow from those of results: a parameter and a text of the language, for each that has one.
///
/// A text sees the arguments by name, `result` and `results`, and their gradients `grad` and `grads`. What it gives is summed to the
/// size of the argument and cast to its dtype, so that it need not think of broadcasting.
pub type Gradients = &'static [(&'static str, &'static str)];

/// One row of the table.
pub struct Op {
    /// The schema, as text.
    pub schema: &'static str,
    name: &'static str,
    /// What it does, in a paragraph. Empty on a further overload.
    pub doc: &'static str,
    /// Lines that run in the tests; what they print stands behind `# `.
    pub example: &'static str,
    /// How it works.
    pub form: Form,
    /// Dtypes of the first argument that it refuses before it runs; only for [`Form::Code`], kernels know theirs.
    pub refusals: &'static [refusal::Refusal],
    /// What gives the result of the usual calls of a [`Form::Code`] at once; all others are the text's.
    usual: Option<Usual>,
    /// How the gradients of its arguments follow from those of its results.
    gradients: Gradients,
    /// Parameters that must not ask for a gradient, and the function that says so.
    constants: &'static [(&'static str, &'static str)],
    /// Other names (`absolute` for `abs`, `linalg.det` for `det`).
    pub aliases: &'static [&'static str],
    flags: u32,
    parsed: OnceLock<Result<Schema, String>>,
}

const METHOD: u32 = 1;
const FUNCTION: u32 = 2;
const INPLACE: u32 = 4;
const PROPERTY: u32 = 8;
const NO_OUT: u32 = 16;
const SPARSE: u32 = 32;
const MARKED: u32 = 64;
const NO_GRAD: u32 = 128;
const VARIADIC: u32 = 256;
const STEPWISE: u32 = 512;
const CONJUGATED: u32 = 1024;
const COMPLEX: u32 = 2048;
const PIECEWISE: u32 = 4096;
const FIRST_FIXED: u32 = 8192;
const LOOKS_AT_FORM: u32 = 16384;
const WRITES_LEAVES: u32 = 32768;
const ENDS_IN_VIEW: u32 = 65536;

/// A row with its four texts' first three and its form. Function and method follow from the schema: a method is a row whose
/// first parameter is `self` and whose name has no dot.
pub const fn op(schema: &'static str, doc: &'static str, example: &'static str, form: Form) -> Op {
    let name = before_parameters(schema);
    let flags = METHOD | FUNCTION;
    Op {
        schema,
        name,
        doc,
        example,
        form,
        aliases: &[],
        refusals: &[],
        usual: None,
        gradients: &[],
        constants: &[],
        flags,
        parsed: OnceLock::new(),
    }
}

/// What stands before the first `(`.
const fn before_parameters(schema: &'static str) -> &'static str {
    let mut end = 0;
    while end < schema.len() && schema.as_bytes()[end] != b'(' {
        end += 1;
    }
    schema.split_at(end).0
}

impl Op {
    const fn with(mut self, flag: u32) -> Op {
        self.flags |= flag;
        self
    }

    /// Also in place: `x.f_()` (and `torch.f_(x)`).
    pub const fn inplace(self) -> Op {
        self.with(INPLACE)
    }

    /// Only as `x.f()`.
    pub const fn method_only(mut self) -> Op {
        self.flags &= !FUNCTION;
        self
    }

    /// Only as `torch.f(x)`.
    pub const fn function_only(mut self) -> Op {
        self.flags &= !METHOD;
        self
    }

    /// An attribute, `x.T`: called without parentheses.
    pub const fn property(self) -> Op {
        self.method_only().with(PROPERTY)
    }

    /// Refuses some dtypes of its first argument.
    pub const fn refuses(mut self, refusals: &'static [refusal::Refusal]) -> Op {
        self.refusals = refusals;
        self
    }

    /// Gives the result of its usual calls without its text. Both give the same bits.
    pub const fn usually(mut self, usual: Usual) -> Op {
        self.usual = Some(usual);
        self
    }

    /// How the gradients of its arguments follow.
    pub const fn grads(mut self, gradients: Gradients) -> Op {
        self.gradients = gradients;
        self
    }

    /// Parameters that must not ask for a gradient, each with the name of the function that says so.
    pub const fn constants(mut self, constants: &'static [(&'static str, &'static str)]) -> Op {
        self.constants = constants;
        self
    }

    /// Its rules hold for complex numbers as they are.
    pub const fn complex(self) -> Op {
        self.with(COMPLEX)
    }

    /// Its rules hold for complex numbers with the conjugates of all that they read: it has a derivative there too.
    pub const fn conjugated(self) -> Op {
        self.with(CONJUGATED)
    }

    /// Refuses `out=`, as PyTorch does for this one.
    pub const fn no_out(self) -> Op {
        self.with(NO_OUT)
    }

    /// Takes sparse tensors. Rows without this refuse them.
    pub const fn sparse(self) -> Op {
        self.with(SPARSE)
    }

    /// Looks at the conj and neg marks itself. Other rows that are not views get such arguments resolved.
    pub const fn marked(self) -> Op {
        self.with(MARKED)
    }

    /// Its result never asks for a gradient.
    pub const fn no_grad(self) -> Op {
        self.with(NO_GRAD)
    }

    /// Its results are recorded under the names of the steps of its text.
    pub const fn stepwise(self) -> Op {
        self.with(STEPWISE)
    }

    /// Takes the items of its only list as separate arguments: `torch.block_diag(a, b)`.
    pub const fn variadic(self) -> Op {
        self.with(VARIADIC)
    }

    /// Other names.
    pub const fn alias(mut self, aliases: &'static [&'static str]) -> Op {
        self.aliases = aliases;
        self
    }

    /// Its slope changes in steps only: what changes it further is 0, and not nothing.
    pub const fn piecewise(self) -> Op {
        self.with(PIECEWISE)
    }

    /// Its first result never asks for a gradient: it does not follow from elements but from their order.
    pub const fn first_fixed(self) -> Op {
        self.with(FIRST_FIXED)
    }

    /// Its rules look at the sizes and dtypes of tensors alone, though they name them: nothing is kept for the way back.
    pub const fn of_form(self) -> Op {
        self.with(LOOKS_AT_FORM)
    }

    /// Whether it writes to a leaf that asks for a gradient is not looked at by the call: PyTorch does not know that it changes
    /// something, or the row says it after other things.
    pub const fn writes_leaves(self) -> Op {
        self.with(WRITES_LEAVES)
    }

    /// PyTorch computes it into a tensor of its own, of which the result is a view; where the step that is recorded for a gradient is
    /// that view.
    pub const fn ends_in_view(self) -> Op {
        self.with(ENDS_IN_VIEW)
    }

    /// True when its rules look at sizes and dtypes alone.
    pub fn looks_at_form(&self) -> bool {
        self.has(LOOKS_AT_FORM)
    }

    /// True when its slope changes in steps only.
    pub fn is_piecewise(&self) -> bool {
        self.has(PIECEWISE)
    }

    /// True when its rules are to read the conjugates of complex numbers, false when they hold as they are; none when they hold for
    /// real numbers only.
    pub fn reads_conjugates(&self) -> Option<bool> {
        self.has(CONJUGATED | COMPLEX).then(|| self.has(CONJUGATED))
    }

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// `narrow`, `linalg.det`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The parsed schema; parsed on first use.
    pub fn schema(&self) -> Result<&Schema> {
        match self.parsed.get_or_init(|| Schema::parse(self.schema).map_err(|e| e.to_string())) {
            Ok(schema) => Ok(schema),
            Err(text) => fault!(RuntimeError, "{text}"),
        }
    }

    /// True when `x.f()` exists.
    pub fn is_method(&self) -> bool {
        let first = self.schema.split('(').nth(1).unwrap_or_default();
        let has_self = self.schema.contains(" self,") || self.schema.contains(" self)");
        self.has(METHOD) && has_self && !first.is_empty()
    }

    /// True when `torch.f()` exists.
    pub fn is_function(&self) -> bool {
        self.has(FUNCTION)
    }

    /// True when `x.f_()` exists by this row.
    pub fn is_inplace(&self) -> bool {
        self.has(INPLACE)
    }

    /// True when it is an attribute.
    pub fn is_property(&self) -> bool {
        self.has(PROPERTY)
    }

    /// True when `out=` is taken: functions whose results are new tensors.
    pub fn takes_out(&self) -> bool {
        !self.has(NO_OUT) && self.is_function() && !matches!(self.form, Form::View(_))
    }
}

/// The overloads behind one name.
pub struct OpSet {
    /// The name as called, without `torch.`: `add`, `add_`.
    pub name: &'static str,
    /// The rows, in the order they are tried.
    pub rows: Vec<&'static Op>,
    /// True for `add_`: the result is written into `self`.
    pub inplace: bool,
    /// What its calls are warned of.
    pub warnings: &'static [warning::Warning],
}

/// The families; each is a file.
#[rustfmt::skip] // one family a line
static FAMILIES: &[&[Op]] = &[
    &autograd::ROWS,
    &autograd::functional::ROWS,
    &broadcast::ROWS,
    &complex_view::ROWS,
    &calculus::ROWS,
    &compose::ROWS,
    &statistics::ROWS,
    &each::ROWS,
    &convert::ROWS,
    &create::data::ROWS,
    &create::filled::ROWS,
    &create::like::ROWS,
    &create::range::ROWS,
    &embed::ROWS,
    &fft::ROWS,
    &file::ROWS,
    &func::ROWS,
    &functional::activation::ROWS,
    &functional::attention::ROWS,
    &functional::convolution::ROWS,
    &functional::bytes::ROWS,
    &functional::bound::ROWS,
    &functional::corners::ROWS,
    &functional::fractional::ROWS,
    &functional::loss::ROWS,
    &functional::native::ROWS,
    &functional::normalize::ROWS,
    &functional::curves::ROWS,
    &functional::piecewise::ROWS,
    &functional::places::ROWS,
    &functional::plain::ROWS,
    &functional::pool::ROWS,
    &functional::recurrent::ROWS,
    &functional::resize::ROWS,
    &functional::bag::ROWS,
    &functional::parts::ROWS,
    &functional::rowwise::ROWS,
    &gather::ROWS,
    &gradient::ROWS,
    &index::ROWS,
    &inspect::ROWS,
    &join::ROWS,
    &linalg::factor::ROWS,
    &linalg::function::ROWS,
    &linalg::least_squares::ROWS,
    &linalg::legacy::ROWS,
    &linalg::measure::ROWS,
    &linalg::low_rank::ROWS,
    &linalg::orthogonal::ROWS,
    &linalg::removed::ROWS,
    &linalg::solve::ROWS,
    &linalg::spectral::ROWS,
    &quantize::ROWS,
    &random::factory::ROWS,
    &random::fill::ROWS,
    &random::init::ROWS,
    &random::sample::ROWS,
    &random::seed::ROWS,
    &random::specimen::ROWS,
    &pointwise::arithmetic::ROWS,
    &pointwise::division::ROWS,
    &pointwise::bitwise::ROWS,
    &pointwise::blend::ROWS,
    &pointwise::compare::ROWS,
    &pointwise::complex::ROWS,
    &pointwise::math::ROWS,
    &pointwise::power::ROWS,
    &pointwise::round::ROWS,
    &reshape::ROWS,
    &shape::ROWS,
    &product::ROWS,
    &reduce::ROWS,
    &reduce::segment::ROWS,
    &scan::ROWS,
    &closeness::ROWS,
    &setting::ROWS,
    &sort::ROWS,
    &sparse::ROWS,
    &sparse::compressed::ROWS,
    &sparse::functions::ROWS,
    &sparse::products::ROWS,
    &sparse::resize::ROWS,
    &special::ROWS,
    &split::ROWS,
    &triangle::ROWS,
    &view::ROWS,
    &view_copy::ROWS,
    &vmap::ROWS,
    &window::ROWS,
    &window_shape::ROWS,
    &write::ROWS,
];

struct Table {
    functions: HashMap<&'static str, OpSet>,
    methods: HashMap<&'static str, OpSet>,
    properties: HashMap<&'static str, OpSet>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(Table::build)
}

impl Table {
    fn build() -> Table {
        let mut table = Table { functions: HashMap::new(), methods: HashMap::new(), properties: HashMap::new() };
        for op in rows() {
            for &name in [op.name()].iter().chain(op.aliases) {
                table.add(op, name);
            }
            if let Some(name) = op.name().strip_prefix("nn.functional.").filter(|name| functional::IN_TORCH.contains(name)) {
                table.add(op, name);
                if functional::METHODS.contains(&name) {
                    add_row(&mut table.methods, name, op, false);
                }
            }
        }
        table
    }

    fn add(&mut self, op: &'static Op, name: &'static str) {
        if op.is_property() {
            return add_row(&mut self.properties, name, op, false);
        }
        if op.is_function() {
            add_row(&mut self.functions, name, op, false);
        }
        if op.is_method() && !name.contains('.') {
            add_row(&mut self.methods, name, op, false);
        }
        if op.is_inplace() && !name.contains('.') {
            // The names live as long as the program: one small text per in-place form.
            let inplace: &'static str = Box::leak(format!("{name}_").into_boxed_str());
            add_row(&mut self.methods, inplace, op, true);
            if WRITING_FUNCTIONS.contains(&name) {
                add_row(&mut self.functions, inplace, op, true);
            }
        }
    }
}

/// What writes in place as a function, too: `torch.exp_(x)`. Everything else does as a method only.
#[rustfmt::skip] // in few lines
const WRITING_FUNCTIONS: &[&str] = &[
    "abs", "absolute", "acos", "acosh", "addmv", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "as_strided",
    "asin", "asinh", "atan", "atanh", "ceil", "celu", "clamp", "clamp_max", "clamp_min", "clip", "conj_physical", "cos", "cosh",
    "deg2rad", "detach", "erf", "erfc", "exp2", "exp", "expm1", "fill", "fix", "floor", "frac", "gcd", "i0", "index_put", "lcm",
    "ldexp", "log10", "log1p", "log2", "log", "logit", "nan_to_num", "neg", "negative", "rad2deg", "reciprocal", "relu",
    "resize_as", "round", "rrelu", "rsqrt", "selu", "sigmoid", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh",
    "threshold", "trunc", "xlogy", "zero",
];

fn add_row(map: &mut HashMap<&'static str, OpSet>, name: &'static str, op: &'static Op, inplace: bool) {
    map.entry(name).or_insert_with(|| OpSet { name, rows: vec![], inplace, warnings: warning::of(name) }).rows.push(op);
}

/// Every row of the table.
pub fn rows() -> impl Iterator<Item = &'static Op> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The operation `torch.name` (`linalg.det` for `torch.linalg.det`).
pub fn function(name: &str) -> Option<&'static OpSet> {
    table().functions.get(name)
}

/// The operation `x.name(…)`, in-place forms included.
pub fn method(name: &str) -> Option<&'static OpSet> {
    table().methods.get(name)
}

/// The attribute `x.name`.
pub fn property(name: &str) -> Option<&'static OpSet> {
    table().properties.get(name)
}

/// Names of all functions, dotted ones included; for completion and suggestions.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    table().functions.keys().copied()
}

/// Names of all methods and attributes of a tensor.
pub fn method_names() -> impl Iterator<Item = &'static str> {
    table().methods.keys().chain(table().properties.keys()).copied()
}
