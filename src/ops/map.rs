//! Rows that compute element by element: from bound arguments to the operands and numbers of a scalar function.

use super::args::{Args, FromValue, Operand};
use super::exec;
use super::schema::Base;
use crate::dtype::{DType, Number};
use crate::kernel::scalar::Scalar;
use crate::tensor::Tensor;
use anyhow::Result;
use smallvec::SmallVec;

/// Operands, and the numbers that follow them.
type Taken = (SmallVec<[Operand; 4]>, SmallVec<[Number; 4]>);

/// A scalar function as a row's form.
#[derive(Clone, Copy)]
pub struct Map {
    /// What is computed for one element. Tensors and operands among the row's parameters are its first arguments, the other
    /// parameters its last.
    pub scalar: &'static Scalar,
    /// Promoted dtypes that PyTorch has no kernel for although their compute class has one.
    pub refuses: &'static [DType],
}

/// The function exists for every dtype of its classes.
pub const NOTHING: &[DType] = &[];
/// Not for bool.
pub const BOOL: &[DType] = &[DType::Bool];
/// Not for the wider unsigned integers.
pub const WIDE: &[DType] = &[DType::U16, DType::U32, DType::U64];
/// For neither.
pub const BOOL_WIDE: &[DType] = &[DType::Bool, DType::U16, DType::U32, DType::U64];

/// A [`Map`] from a scalar function: `elementwise!(name(a, b), Rule, "cuda"; float: …)`. What it refuses may stand in front:
/// `elementwise!(BOOL; name(a, b), …)`.
macro_rules! elementwise {
    ($name:ident $args:tt, $($rest:tt)*) => { $crate::ops::map::elementwise!($crate::ops::map::NOTHING; $name $args, $($rest)*) };
    ($refuses:expr; $($scalar:tt)*) => {
        $crate::ops::map::Map { scalar: const { &$crate::scalar! { $($scalar)* } }, refuses: $refuses }
    };
}
pub(crate) use elementwise;

/// The form of a row that is one scalar function; written as [`elementwise!`].
macro_rules! map {
    ($($all:tt)*) => { $crate::ops::Form::Map($crate::ops::map::elementwise!($($all)*)) };
}
pub(crate) use map;

impl Map {
    /// The result as a new tensor.
    pub fn apply(&self, args: &Args) -> Result<Tensor> {
        let (operands, numbers) = self.split(args)?;
        exec::map_new(self.scalar, &operands, &numbers)
    }

    /// The result written into `out`, whose size and dtype must fit.
    pub fn apply_into(&self, args: &Args, out: &Tensor) -> Result<()> {
        let (operands, numbers) = self.split(args)?;
        exec::map_into(self.scalar, out, &operands, &numbers)
    }

    /// The result for operands taken from the arguments by hand.
    pub fn of(&self, name: &str, operands: &[Operand], numbers: &[Number]) -> Result<Tensor> {
        self.refuse(name, operands)?;
        exec::map_new(self.scalar, operands, numbers)
    }

    fn split(&self, args: &Args) -> Result<Taken> {
        let (mut operands, mut numbers) = (SmallVec::new(), SmallVec::new());
        for (param, value) in args.op.schema()?.params.iter().zip(&args.values) {
            let taken = match param.kind.base {
                Base::Tensor | Base::Operand => Operand::from_value(value).map(|o| operands.push(o)),
                _ => value.as_number().map(|n| numbers.push(n)),
            };
            if taken.is_none() {
                fault!(
                    TypeError,
                    "{}(): argument '{}' must be {}, not {}",
                    args.op.name(),
                    param.name,
                    param.kind.base.human(),
                    value.type_name()
                );
            }
        }
        self.refuse(args.op.name(), &operands)?;
        Ok((operands, numbers))
    }

    fn refuse(&self, name: &str, operands: &[Operand]) -> Result<()> {
        if self.refuses.is_empty() {
            return Ok(());
        }
        let dtype = exec::common_dtype(operands)?;
        if self.refuses.contains(&dtype) {
            fault!(NotImplementedError, "\"{name}_cpu\" not implemented for '{}'", dtype.title());
        }
        Ok(())
    }
}
