//! Quantized tensors: whole numbers with a rate and a zero that tell which floats they stand for. They are written in the language, beside
//! tensors and not as a form of them: what a lesson does with them is here, and anything else they have no attribute for.

use super::construct::{self, Settings, Unless};
use super::written::{Written, attribute, method};
use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::value::{CallArgs, Object, Outcome, Value};
use std::any::Any;

const NEED: Unless = Unless::Required;
const NONE: Unless = Unless::None;

/// A dtype of quantized tensors, or how one is quantized.
struct Name {
    class: &'static str,
    name: &'static str,
}

impl Object for Name {
    fn type_name(&self) -> String {
        self.class.into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("torch.{}", self.name)
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(other.downcast::<Name>()?.name == self.name)
    }
    fn hash(&self) -> Option<u64> {
        Some(crate::value::python_hash(&Value::from(self.name)) as u64)
    }
    fn attr(self: std::rc::Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match (name, self.class) {
            ("is_floating_point" | "is_complex", "dtype") => Some(Value::Bool(false)),
            ("itemsize", "dtype") => Some(Value::Int(if self.name == "qint32" { 4 } else { 1 })),
            _ => None,
        })
    }
}

#[rustfmt::skip] // in few lines
const NAMES: &[(&str, &[&str])] = &[
    ("dtype", &["qint32", "qint8", "quint2x4", "quint4x2", "quint8"]),
    ("qscheme", &["per_channel_affine", "per_channel_affine_float_qparams", "per_channel_symmetric", "per_tensor_affine", "per_tensor_symmetric"]),
];

/// The same with other whole numbers.
macro_rules! other {
    ($ints:literal) => {
        concat!("torch._quantized(", $ints, ", dtype, _rate, _zero, _axis)")
    };
}

/// A method of tensors that moves elements, with any arguments.
macro_rules! moves {
    ($($name:literal),*) => {
        [$(method($name, ANY, concat!("\
if _axis is not None and '", $name, "' not in ('clone', 'contiguous', 'detach'):
    raise RuntimeError('Setting strides is possible only on uniformly quantized tensor')
found = _ints.", $name, "(*args, **more)
same = lambda ints: torch._quantized(ints, dtype, _rate, _zero, _axis)
tuple(same(each) for each in found) if isinstance(found, (tuple, list)) else same(found)"))),*]
    };
}

/// What numbers have no kernel for.
macro_rules! lacks {
    ($name:literal) => {
        concat!(
            "raise NotImplementedError(\"Could not run 'aten::",
            $name,
            "' with arguments from the 'QuantizedCPU' backend.\")"
        )
    };
}

/// Gives what only a tensor that is quantized by slices has, or by one rate.
macro_rules! of_scheme {
    ($held:literal, by_slices) => {
        concat!("\
if _axis is None:
    raise RuntimeError('Expected quantizer->qscheme() == kPerChannelAffine || quantizer->qscheme() == kPerChannelAffineFloatQParams to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)')
", $held)
    };
    ($held:literal, by_one) => {
        concat!("\
if _axis is not None:
    raise RuntimeError('Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)')
", $held)
    };
}

const ANY: Settings = &[("args", Unless::Rest), ("more", Unless::More)];

/// As tensors are shown, with how they are quantized behind: on a new line where the last one is full.
const REPR: &str = "\
shown = 'tensor(' + str(self.dequantize())[7:-1]
parts = [f'size={tuple(_ints.shape)}', f'dtype={dtype}', f'quantization_scheme={self.qscheme()}', f'scale={_rate}', f'zero_point={_zero}']
parts += [] if _axis is None else [f'axis={_axis}']
last = len(shown) - shown.rfind(chr(10)) + 1
for part in parts:
    if last + len(part) + 2 > torch._tensor_str.PRINT_OPTS.linewidth:
        shown, last = shown + ',' + chr(10) + ' ' * 7 + part, 7 + len(part)
    else:
        shown, last = shown + ', ' + part, last + len(part) + 2
shown + ')'";

const DEQUANTIZE: &str = "\
apart = [-1 if d == _axis else 1 for d in range(_ints.dim())]
rate = torch.tensor(_rate, dtype=torch.float32) if _axis is None else _rate.float().view(apart)
zero = _zero if _axis is None else _zero.view(apart)
(_ints.to(torch.int64) - zero).to(torch.float32) * rate";

static MOVES: [super::written::Member; 18] = moves!(
    "chunk",
    "clone",
    "contiguous",
    "detach",
    "expand",
    "flatten",
    "flip",
    "index_select",
    "permute",
    "reshape",
    "split",
    "squeeze",
    "t",
    "transpose",
    "unflatten",
    "unsqueeze",
    "view",
    "select"
);

/// What an attempt to make other numbers of it says.
macro_rules! refuse_kind {
    () => {
        "raise RuntimeError('Creation of quantized tensor requires quantized dtype like torch.quint8')"
    };
}

const OTHER_KIND: &str = refuse_kind!();

static QUANTIZED: Written = Written {
    name: "Tensor",
    module: "torch",
    base: Some(&MOVED),
    settings: &[("ints", NEED), ("kind", NEED), ("rate", NEED), ("zero", NEED), ("axis", NONE)],
    holds: &["_ints", "dtype", "_rate", "_zero", "_axis", "shape", "_length"],
    make: "[ints, kind, rate, zero, axis, ints.shape, len(ints) if ints.dim() else None]",
    members: &[
        attribute("__repr__", REPR),
        method(
            "__getitem__",
            &[("index", NEED)],
            "\
index = index._ints if hasattr(index, '_ints') else index
if _axis is None:
    found = torch._quantized(_ints[index], dtype, _rate, _zero)
elif _axis == 0 and isinstance(index, int):
    found = torch._quantized(_ints[index], dtype, _rate[index].item(), _zero[index].item())
else:
    raise RuntimeError('Setting strides is possible only on uniformly quantized tensor')
found",
        ),
        method("__iter__", &[], "(self[i] for i in range(len(_ints)))"),
        method(
            "__operate__",
            &[("op", NEED), ("other", NEED)],
            "\
theirs = other.dequantize() if hasattr(other, 'dequantize') else other
names = {'+': 'add.out', '-': 'sub.out', '@': 'mm.out', '/': 'div.out'}
if op in names and hasattr(other, '_ints'):
    raise NotImplementedError(f\"Could not run 'aten::{names[op]}' with arguments from the 'QuantizedCPU' backend.\")
if op in ('+', '-', '*', '/', '@', '**'):
    raise RuntimeError('empty_strided not supported on quantized tensors yet see https://github.com/pytorch/pytorch/issues/74540')
mine = self.dequantize()
{'==': mine.eq, '!=': mine.ne, '<': mine.lt, '<=': mine.le, '>': mine.gt, '>=': mine.ge}[op](theirs)",
        ),
        attribute("T", "self.t()"),
        attribute("data", "self.detach()"),
        attribute("grad", "None"),
        attribute("is_cuda", "False"),
        attribute("is_leaf", "True"),
        attribute("is_sparse", "False"),
        attribute("itemsize", "_ints.itemsize"),
        attribute("mH", "self.transpose(-2, -1)"),
        attribute("mT", "self.transpose(-2, -1)"),
        attribute("device", "_ints.device"),
        attribute("is_quantized", "True"),
        attribute("layout", "_ints.layout"),
        attribute("nbytes", "_ints.nbytes"),
        attribute("ndim", "_ints.ndim"),
        attribute("requires_grad", "False"),
        method("abs", &[], lacks!("abs.out")),
        method("argmax", ANY, lacks!("argmax.out")),
        method("clamp", ANY, "torch._requantized(self, self.dequantize().clamp(*args, **more))"),
        method("copy_", &[("src", NEED)], "_ints.copy_(torch._requantized(self, src.dequantize())._ints)\nself"),
        method("cpu", &[], "self"),
        method("data_ptr", &[], "_ints.data_ptr()"),
        method("dequantize", &[], DEQUANTIZE),
        method("dim", &[], "_ints.dim()"),
        method("element_size", &[], "_ints.element_size()"),
        method("equal", &[("other", NEED)], "_ints.equal(other._ints) and _rate == other._rate and _zero == other._zero"),
        method("int_repr", &[], "_ints.clone()"),
        method("is_complex", &[], "False"),
        method("is_conj", &[], "False"),
        method("is_contiguous", &[], "_ints.is_contiguous()"),
        method("is_floating_point", &[], "False"),
        method("is_neg", &[], "False"),
        method("item", &[], "self.dequantize().item()"),
        method("max", &[], other!("_ints.max()")),
        method("mean", ANY, "torch._requantized(self, self.dequantize().mean(*args, **more))"),
        method("double", ANY, OTHER_KIND),
        method("float", ANY, OTHER_KIND),
        method("half", ANY, OTHER_KIND),
        method("int", ANY, OTHER_KIND),
        method("long", ANY, OTHER_KIND),
        method("min", &[], other!("_ints.min()")),
        method("ndimension", &[], "_ints.dim()"),
        method("nelement", &[], "_ints.numel()"),
        method("numel", &[], "_ints.numel()"),
        method(
            "numpy",
            &[],
            "raise TypeError(f\"Got unsupported ScalarType {dict(quint8='QUInt8', qint8='QInt8', qint32='QInt32')[str(dtype)[6:]]}\")",
        ),
        method("q_per_channel_axis", &[], of_scheme!("_axis", by_slices)),
        method("q_per_channel_scales", &[], of_scheme!("_rate", by_slices)),
        method("q_per_channel_zero_points", &[], of_scheme!("_zero", by_slices)),
        method("q_scale", &[], of_scheme!("_rate", by_one)),
        method("q_zero_point", &[], of_scheme!("_zero", by_one)),
        method("qscheme", &[], "torch.per_tensor_affine if _axis is None else torch.per_channel_affine"),
        method("relu", &[], "torch._requantized(self, self.dequantize().relu())"),
        method("size", ANY, "_ints.size(*args)"),
        method("storage_offset", &[], "_ints.storage_offset()"),
        method("stride", ANY, "_ints.stride(*args)"),
        method("sum", ANY, lacks!("sum.IntList_out")),
        method(
            "to",
            ANY,
            concat!(
                "\
wanted = [each for each in (*args, *more.values()) if type(each) is torch.dtype or hasattr(each, 'itemsize')]
if any(each != dtype for each in wanted):
    ",
                refuse_kind!(),
                "\nself"
            ),
        ),
        method("tolist", &[], "raise RuntimeError('load_scalar: invalid type')"),
        method("type", &[], "f\"torch.quantized.{dict(quint8='QUInt8', qint8='QInt8', qint32='QInt32')[str(dtype)[6:]]}Tensor\""),
    ],
};

/// What moves elements, which all have in common.
static MOVED: Written =
    Written { name: "TensorBase", module: "torch._C", base: None, settings: &[], holds: &[], make: "[]", members: &MOVES };

/// Functions: their names, what they take, and their texts.
macro_rules! texts {
    ($($name:literal $takes:expr, $text:expr;)*) => {
        Table { owner: "", rows: Table::sorted(&[$(row($name, Takes::Any, |c| run(c, $name, $takes, $text))),*]) }
    };
}

/// Tells the least and the greatest whole number of a dtype, and its plain dtype; reads `dtype`.
macro_rules! bounds {
    () => {
        "\
known = {'torch.quint8': (0, 255, torch.uint8), 'torch.qint8': (-128, 127, torch.int8), 'torch.qint32': (-2 ** 31, 2 ** 31 - 1, torch.int32)}
if str(dtype) not in known:
    raise RuntimeError(f'ScalarType {torch.zeros(0, dtype=dtype).type()[6:-6]} is not supported in new_qtensor.')
least, most, plain = known[str(dtype)]
"
    };
}

/// Whole numbers of floats; reads `input`, `rate` and `zero`, which are tensors or numbers.
macro_rules! ints {
    () => {
        "\
if input.dtype != torch.float32:
    raise RuntimeError(f'Quantize only works on Float Tensor, got {input.type()[6:-6]}')
places = (input.detach() * (1 / torch.as_tensor(rate, dtype=torch.float32))).round().double() + zero
ints = places.nan_to_num(nan=0.).clamp(least, most).to(plain)
"
    };
}

static FUNCTIONS: Table = texts! {
    "_places" &[("input", NEED), ("rate", NEED), ("zero", NEED), ("least", NEED), ("most", NEED), ("plain", NEED)], concat!(ints!(), "ints");
    "_quantized" &[("ints", NEED), ("kind", NEED), ("rate", NEED), ("zero", NEED), ("axis", NONE)], "torch._Quantized(ints, kind, rate, zero, axis)";
    "_requantized" &[("like", NEED), ("values", NEED)], "torch.quantize_per_tensor(values, like.q_scale(), like.q_zero_point(), like.dtype)";
    "dequantize" &[("tensor", NEED)], "tuple(each.dequantize() for each in tensor) if isinstance(tensor, (list, tuple)) else tensor.dequantize()";
    "int_repr" OF_ONE, "input.int_repr()";
    "q_per_channel_axis" OF_ONE, "input.q_per_channel_axis()";
    "q_per_channel_scales" OF_ONE, "input.q_per_channel_scales()";
    "q_per_channel_zero_points" OF_ONE, "input.q_per_channel_zero_points()";
    "q_scale" OF_ONE, "input.q_scale()";
    "q_zero_point" OF_ONE, "input.q_zero_point()";
    "quantize_per_channel" &[("input", NEED), ("scales", NEED), ("zero_points", NEED), ("axis", NEED), ("dtype", NEED)], concat!(bounds!(), "\
if scales.numel() != zero_points.numel():
    raise RuntimeError('number of elements in scales and zero_points must match')
if not 0 <= axis < input.dim():
    raise RuntimeError(f'Channel axis out of range in per channel affine quantization. Got: {axis}Expected: [0, {input.dim()})')
if scales.numel() != input.size(axis):
    raise RuntimeError(f'length of scales must equal to channel, expected {input.size(axis)} got, {scales.numel()}')
apart = [-1 if d == axis else 1 for d in range(input.dim())]
rate, zero = scales.float().view(apart), zero_points.view(apart)
if input.dtype != torch.float32:
    raise RuntimeError(f'quantize_tensor_per_channel_affine expects a Float Tensor, got {input.type()[6:-6]}')
", ints!(), "torch._quantized(ints, dtype, scales.double(), zero_points.long(), axis)");
    "quantize_per_tensor" &[("input", NEED), ("scale", NEED), ("zero_point", NEED), ("dtype", NEED)], concat!(bounds!(), "\
rate, zero = [each.tolist() if isinstance(each, torch.Tensor) else each for each in (scale, zero_point)]
if isinstance(input, (list, tuple)):
    found = tuple(torch.quantize_per_tensor(x, rate[k], zero[k], dtype) for k, x in enumerate(input))
else:
    if hasattr(input, '_ints'):
        raise NotImplementedError(\"Could not run 'aten::quantize_per_tensor' with arguments from the 'QuantizedCPU' backend.\")
    if zero > most:
        raise RuntimeError(f'quantize_tensor_per_tensor_affine zero_point {zero} is above upper bound.')
    if zero < least:
        raise RuntimeError(f'quantize_tensor_per_tensor_affine zero_point {zero} is below lower bound.')
    ", "found = torch._quantized(torch._places(input, rate, zero, least, most, plain), dtype, float(rate), zero)
found");
    "quantize_per_tensor_dynamic" &[("input", NEED), ("dtype", NEED), ("reduce_range", NEED)], concat!(bounds!(), "\
if reduce_range:
    least, most = least // 2, most // 2
low, high = (min(0., input.min().item()), max(0., input.max().item())) if input.numel() else (0., 0.)
rate = (high - low) / (most - least)
rate = rate if rate and torch.tensor(rate).item() else 0.1
ends = [(abs(least) + abs(low / rate), least - low / rate), (abs(most) + abs(high / rate), most - high / rate)]
zero = ends[0][1] if ends[0][0] < ends[1][0] else ends[1][1]
torch.quantize_per_tensor(input, rate, int(min(max(round(zero), least), most)), dtype)");
    "quantized_batch_norm" &[("input", NEED), ("weight", NONE), ("bias", NONE), ("mean", NEED), ("var", NEED), ("eps", NEED), ("output_scale", NEED), ("output_zero_point", NEED)], "\
found = torch.nn.functional.batch_norm(input.dequantize(), mean, var, weight, bias, False, 0.1, eps)
torch.quantize_per_tensor(found, output_scale, output_zero_point, input.dtype)";
    "quantized_max_pool1d" POOLED, "torch._quantized(torch.nn.functional.max_pool1d(input._ints.double(), kernel_size, stride or None, padding, dilation, ceil_mode).to(input._ints.dtype), input.dtype, input._rate, input._zero)";
    "quantized_max_pool2d" POOLED, "torch._quantized(torch.nn.functional.max_pool2d(input._ints.double(), kernel_size, stride or None, padding, dilation, ceil_mode).to(input._ints.dtype), input.dtype, input._rate, input._zero)";
};

const OF_ONE: Settings = &[("input", NEED)];
const POOLED: Settings = &[
    ("input", NEED),
    ("kernel_size", NEED),
    ("stride", Unless::Empty),
    ("padding", Unless::Int(0)),
    ("dilation", Unless::Int(1)),
    ("ceil_mode", Unless::Bool(false)),
];

fn run(c: &mut Call<'_>, name: &str, takes: Settings, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let names = construct::bind(&format!("{name}()"), takes, args)?;
    c.machine.eval_code(text, &names)
}

/// True for a quantized tensor.
pub fn is_quantized(value: &Value) -> bool {
    <Written as construct::Row>::of(value).is_some_and(|row| std::ptr::eq(row, &QUANTIZED))
}

/// What `torch` itself has.
pub fn outermost() -> Vec<(&'static str, Value)> {
    let names = NAMES.iter().flat_map(|(class, names)| names.iter().map(|name| (*name, Value::object(Name { class, name }))));
    let functions = FUNCTIONS.rows.iter().map(|row| (row.name, Builtin::function(&FUNCTIONS, row)));
    names.chain(functions).chain([("_Quantized", construct::class(&QUANTIZED))]).collect()
}
