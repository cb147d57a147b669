//! The dtypes that a composed operation refuses: of the functions of networks most have kernels for floats alone.

use crate::diag::ErrorClass;
use crate::dtype::DType;
use crate::tensor::Tensor;
use crate::value::{Raise, Value};
use anyhow::Result;

/// int64.
pub const LONG: u8 = 1;
/// uint8.
pub const BYTE: u8 = 2;
/// Integers but these.
pub const OTHER_INTEGERS: u8 = 4;
/// bool.
pub const BOOL: u8 = 8;
/// All complex dtypes.
pub const COMPLEX: u8 = 16;
/// All integers.
pub const INTEGERS: u8 = LONG | BYTE | OTHER_INTEGERS;
/// All but floats.
pub const ALL: u8 = INTEGERS | BOOL | COMPLEX;

/// What a row refuses in its first argument.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// Kinds of dtypes.
    kinds: u8,
    /// The name of the kernel that is missing, or a sentence.
    says: Says,
}

#[derive(Clone, Copy, Debug)]
enum Says {
    Kernel(&'static str),
    Sentence(&'static str),
    Missing(&'static str),
}

/// A `NotImplementedError` that names the kernel PyTorch lacks for these kinds.
pub const fn kernel(kinds: u8, name: &'static str) -> Refusal {
    Refusal { kinds, says: Says::Kernel(name) }
}

/// A `RuntimeError` in these words, where `{}` stands for the dtype.
pub const fn words(kinds: u8, sentence: &'static str) -> Refusal {
    Refusal { kinds, says: Says::Sentence(sentence) }
}

/// A `NotImplementedError` in these words.
pub const fn missing(kinds: u8, sentence: &'static str) -> Refusal {
    Refusal { kinds, says: Says::Missing(sentence) }
}

fn kind(dtype: DType) -> u8 {
    match dtype {
        DType::I64 => LONG,
        DType::U8 => BYTE,
        DType::Bool => BOOL,
        _ if dtype.is_complex() => COMPLEX,
        _ if dtype.is_integral(false) => OTHER_INTEGERS,
        _ => 0,
    }
}

/// Fails when the dtype of the first argument is among those refused.
pub fn check(refusals: &[Refusal], values: &[Value]) -> Result<()> {
    let Some(Value::Tensor(x)) = values.first() else { return Ok(()) };
    let dtype = Tensor::dtype(x);
    match refusals.iter().find(|refusal| refusal.kinds & kind(dtype) != 0).map(|refusal| refusal.says) {
        Some(Says::Kernel(name)) => fault!(NotImplementedError, "\"{name}\" not implemented for '{}'", dtype.title()),
        Some(Says::Sentence(sentence)) => fault!(RuntimeError, "{}", sentence.replace("{}", dtype.title())),
        Some(Says::Missing(sentence)) => fault!(NotImplementedError, "{sentence}"),
        None => Ok(()),
    }
}

/// True for what an operation says of sizes and settings, which comes before a word about the dtype; a kernel that is missing inside
/// of it, or a dtype that fits nowhere, does not.
pub fn goes_before(raise: &Raise) -> bool {
    let diagnostic = &raise.0.diagnostic;
    let is_of_dtype =
        ["not implemented", "not supported", "dtype", "floating", "scalar type", "expected m1 and m2", "result type"];
    // So does what it says of arguments of other kinds.
    let is_of_kind = diagnostic.class == ErrorClass::TypeError && diagnostic.message.contains("(): argument '");
    is_of_kind
        || matches!(
            diagnostic.class,
            ErrorClass::RuntimeError | ErrorClass::IndexError | ErrorClass::ValueError | ErrorClass::NotImplementedError
        ) && !is_of_dtype.iter().any(|part| diagnostic.message.contains(part))
}
