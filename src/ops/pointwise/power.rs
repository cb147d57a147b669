//! Powers.

use super::complex::{divide, fused_product};
use crate::dtype::{DType, Number};
use crate::kernel::order::output_layout;
use crate::kernel::rest::{LONG, Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::kernel::vector::{self, Real, wide};
use crate::layout::Layout;
use crate::ops::Form::{Code, Native};
use crate::ops::map::{Map, NOTHING, elementwise};
use crate::ops::{Args, Operand, exec, op, rare};
use crate::scalar;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_complex::Complex;

const POW: Map = elementwise!(&[DType::Bool, DType::U16, DType::U32, DType::U64, DType::C32, DType::BC32]; pow(a, b), Promote Aside, "pow(a, b)"; i64: power(a, b); u64: unsigned_power(a, b); float: vector::pow(a, b), unless a.is_odd_power(b) => a.powf(b); complex: complex_power(a, b));
/// Powers of float32 by one number, of which `lost` is what the nearest float32 of `b` lacks. Whole vectors are raised to that float32,
/// the rest of a row to the number itself.
const POW_BY_NUMBER: Map = Map { scalar: &POWER_BY_NUMBER, refuses: NOTHING };
static POWER_BY_NUMBER: Scalar =
    scalar! { pow(a, b, lost), Promote, "pow(a, b)"; f32: vector::pow(a, b), unless a.is_odd_power(b) => a.powf(b) }.with_rest(
        const {
            &Rest {
                scalar: scalar! { pow(a, b, lost), Promote, "pow(a, b)"; f32: (a as f64).powf(b as f64 + lost as f64) as f32 },
                step: LONG,
                operands: 1,
                whose: Whose::All,
            }
        },
    );
/// The ends of rows of a function of one operand that whole vectors compute otherwise.
macro_rules! ending {
    ($scalar:expr) => {
        const { &Rest { scalar: $scalar, step: LONG, operands: 1, whose: Whose::All } }
    };
}
/// Exponents that are worked out without `pow`, as PyTorch does.
const SQUARE: Map = Map { scalar: &PRODUCT_WITH_ITSELF, refuses: NOTHING };
static PRODUCT_WITH_ITSELF: Scalar =
    scalar! { light pow(a), Promote, "a * a"; whole: a.wrapping_mul(a); float: a * a; complex: a * a }
        .with_rest(ending!(scalar! { light pow(a), Promote, "a * a"; complex: fused_product(a, a) }));
const CUBE: Map = Map { scalar: &PRODUCT_OF_THREE, refuses: NOTHING };
static PRODUCT_OF_THREE: Scalar =
    scalar! { pow(a), Promote, "a * a * a"; integer: a.wrapping_mul(a).wrapping_mul(a); float: a * a * a; complex: a * a * a }
        .with_rest(ending!(scalar! { pow(a), Promote, "a * a * a"; complex: fused_product(fused_product(a, a), a) }));
/// The last step of the cube of bfloat16.
const TIMES: Map = elementwise!(pow(a, b), Promote, "a * b"; float: a * b);
const ROOT: Map = elementwise!(pow(a), Promote, "sqrt(a)"; single: wide::SQRT_LOOP; double: wide::SQRT_DOUBLE_LOOP; complex: super::c99::sqrt(a));
const INVERSE_ROOT: Map =
    elementwise!(pow(a), Promote, "rsqrt(a)"; float: 1.0 / a.sqrt(); complex: divide(T::new(1.0, 0.0), super::c99::sqrt(a)));
const INVERSE: Map = elementwise!(pow(a), Promote, "1 / a"; float: 1.0 / a; complex: divide(T::new(1.0, 0.0), a));
const INVERSE_SQUARE: Map = Map { scalar: &INVERSE_OF_PRODUCT, refuses: NOTHING };
static INVERSE_OF_PRODUCT: Scalar =
    scalar! { pow(a), Promote, "1 / (a * a)"; float: 1.0 / (a * a); complex: divide(T::new(1.0, 0.0), a * a) }
        .with_rest(ending!(scalar! { pow(a), Promote, "1 / (a * a)"; complex: divide(T::new(1.0, 0.0), fused_product(a, a)) }));

/// The rule `$text` in the dtype of the result.
macro_rules! wide {
    ($text:expr) => {
        concat!(
            "wide = lambda t: t.to(result.dtype) if isinstance(t, torch.Tensor) else t\nself, exponent = wide(self), wide(exponent)\n",
            $text
        )
    };
}

macro_rules! pow_base {
    () => {
        "if isinstance(exponent, torch.Tensor):
    found = torch.where(exponent == 0, 0., grad * (exponent * self ** (exponent - 1)))
elif exponent == 0:
    found = self.new_zeros(self.shape)
else:
    found = grad * (exponent * self ** (exponent - 1))
found"
    };
}

macro_rules! pow_exponent {
    () => {
        "base = self if isinstance(self, torch.Tensor) else torch.tensor(self, dtype=grad.dtype)
power = exponent.real if exponent.is_complex() else exponent
torch.where((base == 0) & (power >= 0), 0., grad * (result * base.log()))"
    };
}

rows![
    op(
        "pow(Operand self, Operand exponent) -> Tensor",
        "Each element to the power of `exponent`. Integers stay integers; a negative number as the exponent of an integer tensor is refused.",
        "torch.tensor([2., 3.]).pow(2)  # tensor([4., 9.])",
        Native(pow),
    )
    .inplace()
    .alias(&["__pow__"])
        .grads(&[("self", pow_base!()), ("exponent", pow_exponent!())]).conjugated(),
    op(
        "float_power(Operand self, Operand exponent) -> Tensor",
        "As `pow`, computed in float64 (or complex128).",
        "torch.float_power(torch.tensor([2]), 0.5).dtype  # torch.float64",
        Native(float_power),
    )
    .inplace()
    .grads(&[("self", wide!(pow_base!())), ("exponent", wide!(pow_exponent!()))])
    .conjugated(),
    op(
        "ldexp(Tensor self, Tensor other) -> Tensor",
        "`self` times 2 to the power of `other`.",
        "torch.ldexp(torch.tensor([1.]), torch.tensor([3]))  # tensor([8.])",
        Code(LDEXP),
    )
    .inplace(),
    op(
        "frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)",
        "Splits each float into a mantissa in [0.5, 1) and a power of two.",
        "torch.frexp(torch.tensor([8.])).exponent  # tensor([4], dtype=torch.int32)",
        Native(frexp),
    )
    .grads(&[("self", "grads[0] / 2. ** results[1].to(grad.dtype)")]),
];

/// Whole exponents go in two steps, so that neither power overflows where the result does not.
const LDEXP: &str = r#"
if self.is_floating_point() and not other.is_floating_point() and not other.is_complex():
    torch.broadcast_tensors(self, other)
    lacks = {torch.bool: 'Bool', torch.uint16: 'UInt16', torch.uint32: 'UInt32', torch.uint64: 'UInt64'}.get(other.dtype)
    if lacks:
        raise NotImplementedError(f'"ldexp_cpu_exp" not implemented for \'{lacks}\'')
    # Exponents are ints of 32 bits.
    other = other.to(torch.int32) if other.dtype == torch.int64 else other
    wide = torch.float64 if self.dtype == torch.float64 else torch.float32
    first, base = other // 2, torch.tensor(2.0, dtype=wide)
    result = (self.to(wide) * torch.pow(base, first.to(wide)) * torch.pow(base, (other - first).to(wide))).to(self.dtype)
else:
    base = torch.tensor(2.0, dtype=self.dtype) if self.is_floating_point() or self.is_complex() else 2.0
    result = self * torch.pow(base, other).contiguous()
result
"#;

/// Wrapping; a negative exponent gives 0, or ±1 for a base of ±1.
fn power(base: i64, exponent: i64) -> i64 {
    match (base, exponent) {
        (1, _) => 1,
        (-1, e) => {
            if e % 2 == 0 {
                1
            } else {
                -1
            }
        }
        (_, e) if e < 0 => 0,
        (b, e) => unsigned_power(b as u64, e as u64) as i64,
    }
}

fn unsigned_power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

/// exp(exponent * log(base)), with the zeros and NaN that C's `cpow` gives for a base of 0.
fn complex_power<F: super::c99::Part>(base: Complex<F>, exponent: Complex<F>) -> Complex<F> {
    let scaled = exponent * super::complex_log::log(base);
    if scaled.re.is_infinite() && !scaled.im.is_finite() {
        let zero = if scaled.im > F::zero() { F::zero() } else { -F::zero() };
        return if scaled.re > F::zero() { Complex::new(scaled.re, F::nan()) } else { Complex::new(F::zero(), zero) };
    }
    // In two factors where one would overflow before the cosine makes it smaller.
    let most = F::max_value().ln() - F::one();
    let (size, rest) = if scaled.re > most { (most.exp(), (scaled.re - most).exp()) } else { (F::one(), scaled.re.exp()) };
    match scaled.im == F::zero() {
        true => Complex::new(size * rest, scaled.im),
        false => Complex::new(size * scaled.im.cos() * rest, size * scaled.im.sin() * rest),
    }
}

fn pow(args: &Args) -> Result<Value> {
    let (x, exponent): (Operand, Operand) = args.take()?;
    Ok(power_of(args, [x, exponent])?.into())
}

fn power_of(args: &Args, operands: [Operand; 2]) -> Result<Tensor> {
    let dtype = exec::common_dtype_for(args, &operands)?;
    if let [Operand::Tensor(t), Operand::Number(n)] = &operands {
        if dtype.is_integral(true) && dtype != DType::U64 {
            exec::check_fits(*n, DType::I64)?;
        }
        if dtype.is_integral(true) && n.to_i64() < 0 {
            fault!(RuntimeError, "Integers to negative integer powers are not allowed.");
        }
        if let Some(result) = trivial(t, *n, dtype)? {
            return Ok(result);
        }
        if (dtype.is_integral(false) && !rare::is_rare(dtype)) || matches!(dtype, DType::F16 | DType::BF16) {
            exec::check_fits(*n, dtype)?;
        }
        if let Some(map) = shortcut(*n, dtype).filter(|_| !rare::is_rare(dtype)) {
            let base = exec::cast(t, dtype)?;
            return match two_steps(&base, *n)? {
                Some((map, operands)) => map.answer(args, &operands, &[]),
                None => map.answer(args, &[Operand::Tensor(base)], &[]),
            };
        }
        if let (DType::F32, Some(parts)) = (dtype, exponent_parts(*n)) {
            return POW_BY_NUMBER.answer(args, &[Operand::Tensor(exec::cast(t, dtype)?)], &parts);
        }
    }
    if let [Operand::Number(base), Operand::Tensor(t)] = &operands {
        if base.to_complex() == Complex::new(1.0, 0.0) && !matches!(base, Number::Bool(_)) {
            // Every power of 1 is 1, so all dtypes have it; that of True is not looked at so.
            let ones = exec::empty_layout(Layout::contiguous(&t.sizes()), dtype, t.device())?;
            exec::fill(&ones, Number::Int(1))?;
            return Ok(ones);
        }
        // Powers of a number lie in row-major order, whatever order the exponents have.
        return POW.answer(args, &[Operand::Number(*base), Operand::Tensor(exec::contiguous(t)?)], &[]);
    }
    POW.answer(args, &operands, &[])
}

/// The last step of a power that bfloat16 takes in two, each of which rounds, and what it is done to; none where one step is enough.
fn two_steps(base: &Tensor, exponent: Number) -> Result<Option<(Map, Vec<Operand>)>> {
    let exponent = exponent.to_f64();
    if base.dtype() != DType::BF16 || !(exponent == 3.0 || exponent == -2.0) {
        return Ok(None);
    }
    let square = Operand::Tensor(exec::map_new(SQUARE.scalar, &[Operand::Tensor(base.clone())], &[])?);
    Ok(Some(match exponent {
        3.0 => (TIMES, vec![square, Operand::Tensor(base.clone())]),
        _ => (INVERSE, vec![square]),
    }))
}

/// The nearest float32 and what it lacks; none of complex exponents.
fn exponent_parts(exponent: Number) -> Option<[Number; 2]> {
    let exact = match exponent {
        Number::Complex(_) => return None,
        other => other.to_f64(),
    };
    let near = exact as f32 as f64;
    let lost = if near.is_finite() { exact - near } else { 0.0 };
    Some([near, lost].map(Number::Float))
}

/// Exponents of 0 and 1 need no arithmetic, so bool has them too.
fn trivial(x: &Tensor, exponent: Number, dtype: DType) -> Result<Option<Tensor>> {
    let exponent = exponent.to_complex();
    if exponent.im != 0.0 || !(exponent.re == 0.0 || exponent.re == 1.0) {
        return Ok(None);
    }
    let result = exec::empty_layout(output_layout(&x.sizes(), &[&x.layout()]), dtype, x.device())?;
    match exponent.re == 0.0 {
        true => exec::fill(&result, Number::Int(1))?,
        false => exec::copy(&result, x)?,
    }
    Ok(Some(result))
}

fn shortcut(exponent: Number, dtype: DType) -> Option<Map> {
    let exact = match exponent.to_complex() {
        real if real.im == 0.0 => real.re,
        _ => return None,
    };
    // Of float16 no roots are drawn: the powers of -0 and of -inf have no sign.
    if dtype == DType::F16 && exact.abs() == 0.5 {
        return None;
    }
    let whole = [(2.0, SQUARE), (3.0, CUBE)];
    let fractions = [(0.5, ROOT), (-0.5, INVERSE_ROOT), (-1.0, INVERSE), (-2.0, INVERSE_SQUARE)];
    let found = |table: &[(f64, Map)]| table.iter().find(|(e, _)| *e == exact).map(|(_, map)| *map);
    found(&whole).or_else(|| if dtype.is_float() || dtype.is_complex() { found(&fractions) } else { None })
}

fn float_power(args: &Args) -> Result<Value> {
    let (x, exponent): (Operand, Operand) = args.take()?;
    let wide = |complex: bool| if complex { DType::C128 } else { DType::F64 };
    // Each is widened by itself: what does not mix may meet.
    let is_complex = |o: &Operand| match o {
        Operand::Tensor(t) => t.dtype().is_complex(),
        Operand::Number(n) => matches!(n, Number::Complex(_)),
    };
    let dtype = wide(is_complex(&x) || is_complex(&exponent));
    let widen = |o: Operand| -> Result<Operand> {
        Ok(match o {
            Operand::Tensor(t) => Operand::Tensor(exec::cast(&t, dtype)?),
            number => number,
        })
    };
    if let (true, Operand::Tensor(t)) = (args.inplace, &x)
        && t.dtype() != dtype
    {
        let (base, wide) = (t.dtype().title(), dtype.title());
        fault!(RuntimeError, "the base given to float_power_ has dtype {base} but the operation's result requires dtype {wide}");
    }
    Ok(power_of(args, [widen(x)?, widen(exponent)?])?.into())
}

const MANTISSA: Map = elementwise!(frexp(a), Promote Like, "frexp(a).mantissa"; f32: split(a as f64).0 as f32; f64: split(a).0);
const EXPONENT: Map =
    elementwise!(frexp(a), Promote Like, "frexp(a).exponent"; f32: split(a as f64).1 as f32; f64: split(a).1 as f64);

/// A mantissa in [0.5, 1) and the power of two that goes with it; 0, infinities and NaN are their own mantissas. Without branches, so
/// that loops take whole vectors.
#[inline(always)]
fn split(x: f64) -> (f64, i32) {
    const FIELD: u64 = 0x7ff;
    // Too small for a hidden digit: scaled up first.
    let is_small = x.abs() < f64::MIN_POSITIVE;
    let (digits, shift) = if is_small { ((x * (1u64 << 54) as f64).to_bits(), 54) } else { (x.to_bits(), 0) };
    let field = digits >> 52 & FIELD;
    let is_plain = (field != 0) & (field != FIELD);
    let mantissa = f64::from_bits(digits & !(FIELD << 52) | 1022 << 52);
    (if is_plain { mantissa } else { x }, if is_plain { field as i32 - 1022 - shift } else { 0 })
}

fn frexp(args: &Args) -> Result<Value> {
    let (x,): (Tensor,) = args.take()?;
    if !x.dtype().is_float() {
        fault!(RuntimeError, "torch.frexp() only supports floating-point dtypes");
    }
    let operands = [Operand::Tensor(x.clone())];
    let (mantissa, exponent) = (exec::map_new(MANTISSA.scalar, &operands, &[])?, exec::map_new(EXPONENT.scalar, &operands, &[])?);
    Ok(Value::tuple(vec![mantissa.into(), exec::cast(&exponent, DType::I32)?.into()]))
}
