//! Built-in functions of numbers and characters.

use crate::lang::classes;
use crate::lang::types::call::Call;
use crate::lang::types::special::not_implemented;
use crate::lang::types::{self, convert, float, int, number, overall};
use crate::ops;
use crate::syntax::ast::BinaryOp;
use crate::value::{CallArgs, Class, Outcome, Value};
use num_bigint::BigInt;
use num_integer::Integer;
use std::rc::Rc;

/// `abs(x)`.
pub fn absolute(c: &mut Call<'_>) -> Outcome {
    let value = c.arg(0).clone();
    if let Some(size) = number::absolute(&value)? {
        return Ok(size);
    }
    match &value {
        Value::Tensor(_) => ops::call_method(c.machine, "abs", vec![value]),
        Value::Object(object) => match Rc::clone(object).unary(c.machine, "abs") {
            Some(size) => size,
            None => fault!(TypeError, "bad operand type for abs(): '{}'", value.type_name()),
        },
        other => fault!(TypeError, "bad operand type for abs(): '{}'", other.type_name()),
    }
}

/// `bin(x)`, `oct(x)`, `hex(x)`.
pub fn in_radix(c: &mut Call<'_>, radix: u32, prefix: &str) -> Outcome {
    let value = convert::to_big(c.indices()?.first().unwrap_or(&Value::None))?;
    let sign = if value.sign() == num_bigint::Sign::Minus { "-" } else { "" };
    Ok(Value::from(format!("{sign}{prefix}{}", value.magnitude().to_str_radix(radix))))
}

/// `chr(code)`.
pub fn chr(c: &mut Call<'_>) -> Outcome {
    let code = convert::to_i32(c.indices()?.first().unwrap_or(&Value::None))?;
    match u32::try_from(code).ok().filter(|code| *code < 0x110000) {
        Some(code) => match char::from_u32(code) {
            Some(c) => Ok(types::str::of_char(c)),
            None => types::character(code).map(Value::from),
        },
        None => fault!(ValueError, "chr() arg not in range(0x110000)"),
    }
}

/// `ord(character)`.
pub fn ord(c: &mut Call<'_>) -> Outcome {
    let refuse = |len: usize| -> Outcome { fault!(TypeError, "ord() expected a character, but string of length {len} found") };
    match c.arg(0) {
        Value::Str(text) => match (text.chars().next(), text.chars().nth(1)) {
            (Some(one), None) => Ok(Value::Int(one as i64)),
            _ => refuse(types::str::len(text)),
        },
        Value::Bytes(data) => match data.as_slice() {
            [one] => Ok(Value::Int(*one as i64)),
            other => refuse(other.len()),
        },
        other => fault!(TypeError, "ord() expected string of length 1, but {} found", other.type_name()),
    }
}

/// `divmod(a, b)`.
pub fn divmod(c: &mut Call<'_>) -> Outcome {
    let (left, right) = (c.arg(0).clone(), c.arg(1).clone());
    for (this, name, other) in [(&left, "__divmod__", &right), (&right, "__rdivmod__", &left)] {
        match classes::ask(c.machine, this, name, vec![other.clone()]) {
            Some(Ok(answer)) if answer.is(&not_implemented()) => {}
            Some(found) => return found,
            None => {}
        }
    }
    let (a, b) = (c.arg(0), c.arg(1));
    if let (Some(x), Some(y)) = (number::to_big(a), number::to_big(b)) {
        let (quotient, rest) = int::divmod(&x, &y)?;
        return Ok(Value::tuple(vec![Value::big(quotient), Value::big(rest)]));
    }
    let is_numpy = |v: &Value| matches!(v, Value::Object(object) if object.as_array().is_some());
    match (a, b) {
        // Tensors have no function of their own; that of numpy's is asked when they stand first.
        (Value::Tensor(_), b) if is_numpy(b) => {
            let names = [("a", a.clone()), ("b", b.clone())];
            // Beside an array of numpy the results are tensors again, beside its numbers they stay arrays.
            let is_array = matches!(b, Value::Object(object) if object.class() == Some(Class::NdArray));
            let text = match is_array {
                true => "import numpy\ntuple(torch.as_tensor(part) for part in numpy.divmod(a.numpy(), b))",
                false => "import numpy\nnumpy.divmod(a.numpy(), b)",
            };
            return c.machine.eval_code(text, &names);
        }
        (a, Value::Tensor(_)) if is_numpy(a) => {
            fault!(TypeError, "unsupported operand type(s) for divmod(): '{}' and 'Tensor'", a.type_name())
        }
        _ => {}
    }
    if matches!(a, Value::Object(_)) || matches!(b, Value::Object(_)) {
        let (a, b) = (a.clone(), b.clone());
        let quotient = overall::binary(c.machine, BinaryOp::FloorDiv, &a, &b);
        if let Ok(quotient) = quotient {
            return Ok(Value::tuple(vec![quotient, overall::binary(c.machine, BinaryOp::Mod, &a, &b)?]));
        }
    }
    let (a, b) = (c.arg(0), c.arg(1));
    let is_real = |v: &Value| number::is_number(v) && !matches!(v, Value::Complex(_));
    if !is_real(a) || !is_real(b) {
        fault!(TypeError, "unsupported operand type(s) for divmod(): '{}' and '{}'", a.type_name(), b.type_name());
    }
    let (x, y) = (convert::to_float(a)?, convert::to_float(b)?);
    if y == 0.0 {
        fault!(ZeroDivisionError, "float divmod()");
    }
    let (quotient, rest) = float::divmod(x, y);
    Ok(Value::tuple(vec![Value::Float(quotient), Value::Float(rest)]))
}

/// `pow(base, exp, mod=None)`.
pub fn power(c: &mut Call<'_>) -> Outcome {
    let (base, exponent) = (c.arg(0).clone(), c.arg(1).clone());
    if let (Value::Int(base), Value::Int(exponent @ 0..), Some(Value::Int(modulus))) = (&base, &exponent, c.some(2))
        && *modulus != 0
    {
        return Ok(Value::Int(int::small_power_modulo(*base, *exponent, *modulus)));
    }
    if c.some(2).is_some()
        && let Some(found) = classes::special(c, "__pow__")
    {
        return found;
    }
    let Some(modulus) = c.some(2) else { return overall::binary(c.machine, BinaryOp::Pow, &base, &exponent) };
    match (number::to_big(&base), number::to_big(&exponent), number::to_big(modulus)) {
        (Some(base), Some(exponent), Some(modulus)) => int::power_modulo(&base, &exponent, &modulus),
        _ if [&base, &exponent, modulus].into_iter().all(number::is_number) => match [&base, &exponent, modulus] {
            [Value::Complex(_), ..] | [_, Value::Complex(_), _] | [.., Value::Complex(_)] => fault!(ValueError, "complex modulo"),
            _ => fault!(TypeError, "pow() 3rd argument not allowed unless all arguments are integers"),
        },
        // A float looks at the third argument, whatever the others are.
        _ if [&base, &exponent, modulus].iter().any(|value| matches!(value, Value::Float(_))) => {
            fault!(TypeError, "pow() 3rd argument not allowed unless all arguments are integers")
        }
        _ => fault!(
            TypeError,
            "unsupported operand type(s) for ** or pow(): '{}', '{}', '{}'",
            base.type_name(),
            exponent.type_name(),
            modulus.type_name()
        ),
    }
}

/// `round(number, ndigits=None)`.
pub fn round(c: &mut Call<'_>) -> Outcome {
    let digits = convert::to_i64_clamped;
    // What is no float knows how it is rounded.
    if let Value::Object(object) = c.arg(0)
        && object.number().is_some()
    {
        let (value, given) = (c.arg(0).clone(), c.some(1).cloned());
        if let Ok(own) = c.machine.attr(&value, "__round__") {
            return c.machine.call(&own, CallArgs::positional(given.into_iter().collect()));
        }
    }
    match (c.arg(0), c.some(1)) {
        (Value::Float(f), None) => float::round_to_int(*f),
        (Value::Float(f), Some(n)) => float::round_to_digits(*f, digits(n)?).map(Value::Float),
        (Value::Bool(_) | Value::Int(_) | Value::BigInt(_), None) => convert::to_int(c.arg(0)),
        (Value::Bool(_) | Value::Int(_) | Value::BigInt(_), Some(n)) => match digits(n)? {
            0.. => convert::to_int(c.arg(0)),
            digits => round_int(convert::to_big(c.arg(0))?, digits),
        },
        // A float of numpy's stays one where digits are asked for; an array of several dimensions knows no such rounding.
        (Value::Object(object), _) if object.type_name() == "numpy.ndarray" => {
            fault!(TypeError, "type numpy.ndarray doesn't define __round__ method")
        }
        (Value::Object(object), Some(n)) if object.as_array().is_some_and(|number| number.dtype().is_float()) => {
            let (value, given) = (c.arg(0).clone(), n.clone());
            let own = c.machine.attr(&value, "round")?;
            c.machine.call(&own, CallArgs::positional(vec![given]))
        }
        (Value::Object(object), n) => match (object.number(), n) {
            (Some(number), None) => float::round_to_int(number.to_f64()),
            (Some(number), Some(n)) => float::round_to_digits(number.to_f64(), digits(n)?).map(Value::Float),
            (None, _) => fault!(TypeError, "type {} doesn't define __round__ method", c.arg(0).type_name()),
        },
        (other, _) => fault!(TypeError, "type {} doesn't define __round__ method", other.type_name()),
    }
}

/// An int rounded to tens, hundreds and so on, halves to even.
fn round_int(value: BigInt, digits: i64) -> Outcome {
    let Some(places) = u32::try_from(-digits).ok().filter(|p| (*p as u64) <= value.bits()) else { return Ok(Value::Int(0)) };
    let unit = BigInt::from(10).pow(places);
    let (quotient, rest) = value.div_mod_floor(&unit);
    let twice: BigInt = rest * 2;
    let up = twice > unit || (twice == unit && quotient.is_odd());
    Ok(Value::big((quotient + up as u8) * unit))
}
