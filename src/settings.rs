//! What `torch.set_…` sets: the session's settings, one per thread as PyTorch has one per process.
//!
//! A leaf module. They live here and not in a context that every function is handed, because the language reaches them from
//! everywhere (a tensor's text depends on the default dtype) and PyTorch gives them the same reach.

use crate::device::DeviceId;
use crate::dtype::DType;
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::LazyLock;

/// How tensors are printed; see `torch.set_printoptions`.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintOptions {
    /// Digits after the point.
    pub precision: i64,
    /// More elements than this are summarised.
    pub threshold: f64,
    /// Items shown at each end of a summarised dimension.
    pub edgeitems: i64,
    /// Characters per line.
    pub linewidth: i64,
    /// Scientific notation: always, never, or by the values.
    pub sci_mode: Option<bool>,
    /// A precision whose text begins as a whole number's does and goes on.
    pub odd_precision: Option<f64>,
    /// The type of a threshold that cannot be compared with a number.
    pub odd_threshold: Option<String>,
    /// The type of a line width that is no number.
    pub odd_linewidth: Option<String>,
    /// A line width without an end, or that is not a number.
    pub endless_linewidth: Option<f64>,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions {
            precision: 4,
            threshold: 1000.0,
            edgeitems: 3,
            linewidth: 80,
            sci_mode: None,
            odd_precision: None,
            odd_threshold: None,
            odd_linewidth: None,
            endless_linewidth: None,
        }
    }
}

/// What `numpy.set_printoptions` sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrayPrintOptions {
    /// Decimals of a float, at most.
    pub precision: usize,
    /// Arrays of more elements are summarised.
    pub threshold: f64,
    /// Items at each end of a summarised dimension.
    pub edgeitems: i64,
    /// Characters per line.
    pub linewidth: usize,
    /// True where no float is written with an exponent.
    pub suppress: bool,
}

impl Default for ArrayPrintOptions {
    fn default() -> Self {
        ArrayPrintOptions { precision: 8, threshold: 1000.0, edgeitems: 3, linewidth: 75, suppress: false }
    }
}

/// All settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `torch.get_default_dtype()`.
    pub default_dtype: DType,
    /// `torch.get_default_device()`.
    pub default_device: DeviceId,
    /// How tensors are printed.
    pub print: PrintOptions,
    /// How numpy's arrays are printed.
    pub arrays: ArrayPrintOptions,
    /// False inside `torch.no_grad()`.
    pub grad_enabled: bool,
    /// True where what is gone back through is kept, asked for or not: a mapped function goes back for every example.
    pub keeps_graphs: bool,
    /// Inside `torch.autograd.detect_anomaly()`: whether gradients are looked through for NaN.
    pub anomaly: Option<bool>,
    /// Inside `torch.autocast()`: the dtype of what is computed in fewer bits.
    pub autocast: Option<DType>,
    /// True inside `torch.inference_mode()`.
    pub inference: bool,
    /// True once there was one, so that others need not ask.
    pub inferred: bool,
    /// What `torch.set_num_threads` was told; see [`threads`].
    pub threads: Option<i64>,
    /// What `torch.use_deterministic_algorithms` was told. Nothing depends on it.
    pub deterministic: bool,
    /// What was warned of that is said once only.
    pub warned: HashSet<&'static str>,
    /// What `torch.set_warn_always` was told: such things are said each time.
    pub warns_always: bool,
    /// What `torch.set_float32_matmul_precision` was told. Nothing depends on it.
    pub matmul_precision: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            default_dtype: DType::F32,
            default_device: DeviceId::Cpu,
            print: PrintOptions::default(),
            arrays: ArrayPrintOptions::default(),
            grad_enabled: true,
            keeps_graphs: false,
            anomaly: None,
            autocast: None,
            inference: false,
            inferred: false,
            threads: None,
            deterministic: false,
            warned: HashSet::new(),
            warns_always: false,
            matmul_precision: "highest".to_string(),
        }
    }
}

thread_local! {
    static SETTINGS: RefCell<Settings> = RefCell::new(Settings::default());
}

/// Reads the settings.
pub fn with<T>(f: impl FnOnce(&Settings) -> T) -> T {
    SETTINGS.with_borrow(f)
}

/// Changes the settings.
pub fn change<T>(f: impl FnOnce(&mut Settings) -> T) -> T {
    SETTINGS.with_borrow_mut(f)
}

/// The default float dtype.
pub fn default_dtype() -> DType {
    with(|s| s.default_dtype)
}

/// The threads that PyTorch would have. Those sums have as many parts that it shares out whatever their size: of norms of channels that
/// lie beside each other, and of the gradients of the weights of norms and convolutions.
pub fn threads() -> usize {
    with(|s| s.threads).map_or_else(|| *FOUND, |told| usize::try_from(told).unwrap_or(1))
}

/// What `OMP_NUM_THREADS` asks for, or all that may run.
static FOUND: LazyLock<usize> = LazyLock::new(|| {
    let asked = std::env::var("OMP_NUM_THREADS").ok().and_then(|n| n.trim().parse().ok()).filter(|n| *n > 0);
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
});
