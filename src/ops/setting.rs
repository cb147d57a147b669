//! Rows that read and change the session's settings, and that ask about dtypes and devices.

use super::Form::{Code, Hosted, Native};
use super::{Args, Op, Operand, autocast, exec, op, print_options};
use crate::diag::ErrorClass;
use crate::dtype::{DType, can_cast, promote};
use crate::settings;
use crate::value::{Device, Machine, Value};
use anyhow::Result;

/// A function that is not about one tensor.
const fn function(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Native(run)).function_only().no_out().no_grad()
}

rows![
    function(
        "set_default_dtype(Any d) -> ()",
        "Sets the dtype of new tensors made from Python floats.",
        "torch.set_default_dtype(torch.float32)",
        set_default_dtype,
    ),
    function(
        "get_default_dtype() -> Any",
        "The dtype of new tensors made from Python floats.",
        "torch.get_default_dtype()  # torch.float32",
        |_| { Ok(settings::default_dtype().into()) }
    ),
    op(
        "set_default_device(Any device) -> ()",
        "Sets where new tensors are made.",
        "torch.set_default_device('cpu')",
        Code("torch._set_default_device(device if device is None or isinstance(device, torch.device) else torch.device(device))"),
    )
    .function_only()
    .no_out()
    .no_grad(),
    function("_set_default_device(Device? device) -> ()", "Sets where new tensors are made.", "", |a| {
        let (device,): (Option<Device>,) = a.take()?;
        settings::change(|s| s.default_device = device.map_or(crate::device::DeviceId::Cpu, |d| d.id));
        Ok(Value::None)
    }),
    function(
        "set_flush_denormal(bool mode) -> bool",
        "Asks for subnormal numbers to become zero. They are kept here.",
        "torch.set_flush_denormal(False)  # True",
        |_| { Ok(Value::Bool(true)) }
    ),
    function(
        "get_default_device() -> Any",
        "Where new tensors are made.",
        "torch.get_default_device()  # device(type='cpu')",
        |_| {
            let device = settings::with(|s| s.default_device);
            if device.index().is_some() {
                crate::device::get(device)?;
            }
            Ok(Value::from(Device::from(device)))
        }
    ),
    function(
        "set_printoptions(Any precision=None, Any threshold=None, Any edgeitems=None, Any linewidth=None, Any profile=None, Any sci_mode=None) -> ()",
        "Sets how tensors are printed. A profile ('default', 'short', 'full') is applied first, then the options that are given.",
        "torch.set_printoptions(profile='default')",
        print_options::set_printoptions,
    ),
    function(
        "_tensor_str.printoptions(*, Any precision=None, Any threshold=None, Any edgeitems=None, Any linewidth=None, Any profile=None, Any sci_mode=None) -> Any",
        "How tensors are printed inside a `with`; the options are those of `torch.set_printoptions`.",
        "with torch._tensor_str.printoptions(precision=2):\n    print(torch.tensor([1.23456]))\n# tensor([1.23])",
        print_options::held,
    ),
    function(
        "_tensor_str.get_printoptions() -> Any",
        "How tensors are printed, as a dict.",
        "torch._tensor_str.get_printoptions()['precision']  # 4",
        |_| { print_options::printoptions() }
    ),
    function("get_num_threads() -> int", "How many threads kernels may use.", "torch.get_num_threads() > 0  # True", |_| {
        Ok(Value::from(settings::threads() as i64))
    }),
    function(
        "set_num_threads(Any num) -> ()",
        "What `get_num_threads` tells from now on: the parts in which sums of norms and gradients of convolutions are added up.",
        "torch.set_num_threads(1)",
        set_num_threads,
    ),
    function(
        "promote_types(DType type1, DType type2) -> Any",
        "The least dtype that both convert to.",
        "torch.promote_types(torch.int32, torch.float16)  # torch.float16",
        |a| {
            let (x, y): (DType, DType) = a.take()?;
            match promote(x, y) {
                Some(dtype) => Ok(dtype.into()),
                None => Ok(exec::refuse_promotion(&[x, y])?.into()),
            }
        }
    ),
    function(
        "result_type(Tensor tensor, Tensor other) -> Any",
        "The dtype of a computation on both.",
        "torch.result_type(torch.tensor([1]), 2.0)  # torch.float32",
        common_dtype,
    )
    .sparse(),
    function("result_type(Scalar scalar, Tensor tensor) -> Any", "", "", common_dtype),
    function("result_type(Tensor tensor, Scalar other) -> Any", "", "", common_dtype),
    function("result_type(Scalar scalar1, Scalar scalar2) -> Any", "", "", common_dtype),
    function(
        "can_cast(DType from_, DType to) -> bool",
        "Whether a result of dtype `from_` may be written into one of dtype `to`.",
        "torch.can_cast(torch.float32, torch.int32)  # False",
        |a| {
            let (from, to): (DType, DType) = a.take()?;
            Ok(Value::Bool(can_cast(from, to)))
        }
    ),
    op(
        "typename(Any obj) -> str",
        "The name of a class or of a value's type, with its module; of a tensor, with its dtype.",
        "torch.typename(1)  # 'int'",
        Code(TYPE_NAME),
    )
    .function_only()
    .no_out()
    .no_grad()
    .sparse(),
    function(
        "_C._set_autocast(DType? dtype) -> Any",
        "Begins the dtype that `torch.autocast` narrows to, or with None ends it; the one before.",
        "torch._C._set_autocast(None)",
        |a| {
            let (dtype,): (Option<DType>,) = a.take()?;
            Ok(autocast::begin(dtype).map_or(Value::None, Value::DType))
        }
    ),
    function("_C._get_autocast() -> Any", "The dtype that `torch.autocast` narrows to.", "torch._C._get_autocast()", |_| {
        Ok(settings::with(|s| s.autocast).map_or(Value::None, Value::DType))
    }),
    op(
        "_assert(Any condition, Any message) -> ()",
        "Fails with an AssertionError unless the condition holds.",
        "torch._assert(True, 'never')",
        Code("assert condition, message"),
    )
    .function_only()
    .no_out()
    .no_grad(),
    function(
        "use_deterministic_algorithms(bool mode, *, bool warn_only=False) -> ()",
        "Asks for operations that always give the same; all of tsr's do.",
        "torch.use_deterministic_algorithms(True)",
        |a| {
            let (mode,): (bool,) = a.take()?;
            settings::change(|s| s.deterministic = mode);
            Ok(Value::None)
        }
    ),
    function(
        "are_deterministic_algorithms_enabled() -> bool",
        "What `use_deterministic_algorithms` was told.",
        "torch.are_deterministic_algorithms_enabled()  # False",
        |_| { Ok(Value::Bool(settings::with(|s| s.deterministic))) }
    ),
    function(
        "set_warn_always(bool b) -> ()",
        "Whether warnings that are said once are said each time.",
        "torch.set_warn_always(False)",
        |a| {
            let (always,): (bool,) = a.take()?;
            settings::change(|s| s.warns_always = always);
            Ok(Value::None)
        }
    ),
    function(
        "is_warn_always_enabled() -> bool",
        "What `set_warn_always` was told.",
        "torch.is_warn_always_enabled()  # False",
        |_| { Ok(Value::Bool(settings::with(|s| s.warns_always))) }
    ),
    op(
        "_warn(str message, bool future=False) -> ()",
        "Warns as PyTorch's Python does, in the texts of layers.",
        "torch._warn('careful')",
        Hosted(warn),
    )
    .function_only()
    .no_out()
    .no_grad(),
    function(
        "set_float32_matmul_precision(str precision) -> ()",
        "How float32 is multiplied where there is a choice; tsr has none.",
        "torch.set_float32_matmul_precision('highest')",
        |a| {
            let (precision,): (String,) = a.take()?;
            settings::change(|s| s.matmul_precision = precision);
            Ok(Value::None)
        }
    ),
    function(
        "get_float32_matmul_precision() -> str",
        "What `set_float32_matmul_precision` was told.",
        "torch.get_float32_matmul_precision()  # 'highest'",
        |_| { Ok(Value::from(settings::with(|s| s.matmul_precision.clone()).as_str())) }
    ),
    function("cuda.is_available() -> bool", "Whether there is a GPU.", "torch.cuda.is_available()  # False", |_| Ok(
        Value::Bool(false)
    )),
    function("cuda.device_count() -> int", "How many GPUs there are.", "torch.cuda.device_count()  # 0", |_| Ok(Value::Int(0))),
    function(
        "cuda.empty_cache() -> ()",
        "Gives back a GPU's unused memory; nothing without one.",
        "torch.cuda.empty_cache()",
        |_| Ok(Value::None)
    ),
    function(
        "xpu.is_available() -> bool",
        "Always False: tsr knows no such device.",
        "torch.xpu.is_available()  # False",
        |_| Ok(Value::Bool(false))
    ),
    function(
        "backends.mps.is_available() -> bool",
        "Always False: tsr knows no such device.",
        "torch.backends.mps.is_available()  # False",
        |_| { Ok(Value::Bool(false)) }
    ),
    function(
        "backends.mps.is_built() -> bool",
        "Always False: tsr knows no such device.",
        "torch.backends.mps.is_built()  # False",
        |_| { Ok(Value::Bool(false)) }
    ),
    function(
        "accelerator.is_available() -> bool",
        "Whether there is a GPU.",
        "torch.accelerator.is_available()  # False",
        |_| { Ok(Value::Bool(false)) }
    ),
    function("accelerator.device_count() -> int", "How many GPUs there are.", "torch.accelerator.device_count()  # 0", |_| Ok(
        Value::Int(0)
    )),
    function(
        "accelerator.current_accelerator(bool check_available=False) -> Any",
        "The kind of GPU there is, or None.",
        "torch.accelerator.current_accelerator(True)",
        |_| Ok(Value::None),
    ),
    function("cuda.current_device() -> int", "The number of the GPU in use.", "", |_| no_gpu()),
    function("cuda.set_device(Any device) -> ()", "Chooses the GPU in use.", "", |_| no_gpu()),
    function("cuda.synchronize(Any device=None) -> ()", "Waits for the GPU.", "", |_| no_gpu()),
    op(
        "nn.functional.one_hot(Tensor self, int num_classes=-1) -> Tensor",
        "A row per number with a 1 at its place and 0 elsewhere.",
        "torch.nn.functional.one_hot(torch.tensor([0, 2]))  # tensor([[1, 0, 0],\n#         [0, 0, 1]])",
        Code(ONE_HOT),
    )
    .function_only()
    .no_out()
    .usually(super::functional::usual::rows::one_hot),
];

/// The dtype of a computation on two tensors or numbers.
fn common_dtype(args: &Args) -> Result<Value> {
    let (x, y): (Operand, Operand) = args.take()?;
    Ok(exec::common_dtype(&[x, y])?.into())
}

const ONE_HOT: &str = r#"
if self.dtype != torch.int64:
    raise RuntimeError('one_hot is only applicable to index tensor of type LongTensor.')
if self.numel() == 0:
    if num_classes <= 0:
        raise RuntimeError('Can not infer total number of classes from empty tensor.')
elif int(self.min()) < 0:
    raise RuntimeError('Class values must be non-negative.')
elif num_classes != -1 and int(self.max()) >= num_classes:
    raise RuntimeError('Class values must be smaller than num_classes.')
(self.unsqueeze(-1) == torch.arange(num_classes if num_classes >= 0 else int(self.max()) + 1)).long()
"#;

const TYPE_NAME: &str = "\
kind = obj if isinstance(obj, type) else type(obj)
module = getattr(kind, '__module__', 'builtins')
obj.type() if isinstance(obj, torch.Tensor) else kind.__name__ if module == 'builtins' else f'{module}.{kind.__name__}'";

fn no_gpu() -> Result<Value> {
    fault!(RuntimeError, "{}", crate::device::NO_GPU)
}

fn warn(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (message, future): (String, bool) = args.take()?;
    machine.warn(if future { ErrorClass::FutureWarning } else { ErrorClass::UserWarning }, &message)?;
    Ok(Value::None)
}

fn set_num_threads(args: &Args) -> Result<Value> {
    let given = args.value(0);
    let count = match (super::bind::number_of_numpy(given).as_ref().unwrap_or(given), given.type_name()) {
        (Value::Int(count), _) => i32::try_from(*count).ok(),
        (Value::BigInt(_), _) => fault!(ValueError, "Overflow when unpacking long long"),
        (_, name) => fault!(RuntimeError, "set_num_threads expects an int, but got {name}"),
    };
    match count {
        Some(count) if count > 0 => settings::change(|s| s.threads = Some(i64::from(count))),
        Some(_) => fault!(RuntimeError, "set_num_threads expects a positive integer"),
        None => fault!(ValueError, "Overflow when unpacking long"),
    }
    Ok(Value::None)
}

fn set_default_dtype(args: &Args) -> Result<Value> {
    match args.value(0) {
        Value::DType(dtype) if dtype.is_float8() => {
            fault!(TypeError, "couldn't find storage object {}Storage", dtype.title())
        }
        Value::DType(dtype) if dtype.is_float() => settings::change(|s| s.default_dtype = *dtype),
        Value::DType(_) => fault!(TypeError, "only floating-point types are supported as the default type"),
        _ => fault!(TypeError, "invalid dtype object: only floating-point types are supported as the default type"),
    }
    Ok(Value::None)
}
