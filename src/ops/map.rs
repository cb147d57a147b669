//! Rows that compute element by element: from bound arguments to the operands and numbers of a scalar function.

use super::args::{Args, FromValue, Operand};
use super::exec;
use super::schema::Base;
use super::{rare, unsupported};
use crate::dtype::can_cast;
use crate::dtype::{DType, Number};
use crate::kernel::scalar::{Rule, Scalar};
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
/// Not for complex numbers of 16-bit parts.
pub const HALF_COMPLEX: &[DType] = &[DType::C32, DType::BC32];
/// Neither for bool nor for the wider unsigned integers.
pub const BOOL_WIDE: &[DType] = &[DType::Bool, DType::U16, DType::U32, DType::U64];

/// A [`Map`] from a scalar function: `elementwise!(name(a, b), Rule, "cuda"; float: …)`. What it refuses may stand in front:
/// `elementwise!(BOOL; name(a, b), …)`.
macro_rules! elementwise {
    (light $name:ident $($rest:tt)*) => { $crate::ops::map::elementwise!($crate::ops::map::NOTHING; light $name $($rest)*) };
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
        self.answer(args, &operands, &numbers)
    }

    /// The result written into `out`, whose size and dtype must fit.
    pub fn apply_into(&self, args: &Args, out: &Tensor) -> Result<()> {
        let (operands, numbers) = self.split(args)?;
        self.check(args.op.name(), Some(out), args.inplace, &operands)?;
        exec::map_into(self.scalar, out, &operands, &numbers)
    }

    /// As [`apply_into`](Map::apply_into), where everything lies alike and nothing is to be checked; else false.
    pub fn apply_at_once(&self, args: &Args, out: &Tensor) -> Result<bool> {
        let dtype = out.dtype();
        let keeps_dtype = match self.scalar.rule {
            Rule::Promote => true,
            Rule::Truth => false,
            _ => dtype.is_float(),
        };
        let (operands, numbers) = self.split(args)?;
        if !keeps_dtype || operands.iter().any(|o| matches!(o, Operand::Tensor(t) if t.dtype() != dtype)) {
            return Ok(false);
        }
        exec::alike::map_into(self.scalar, out, &operands, &numbers, self.refuses)
    }

    /// Fails as the row does for these operands: with a `RuntimeError` for dtypes and sizes that do not fit together or into
    /// what the result is written to, else with a `NotImplementedError` for a dtype without a kernel.
    pub fn check_row(&self, args: &Args, operands: &[Operand]) -> Result<()> {
        self.check_as(args.op.name(), args, operands)
    }

    /// As [`check_row`](Map::check_row), under the name of the kernel.
    pub fn check_as(&self, name: &str, args: &Args, operands: &[Operand]) -> Result<()> {
        self.check(name, args.target().as_ref(), args.inplace, operands)
    }

    /// The result of a row for operands taken from its arguments by hand.
    pub fn answer(&self, args: &Args, operands: &[Operand], numbers: &[Number]) -> Result<Tensor> {
        self.check_row(args, operands)?;
        exec::map_new(self.scalar, operands, numbers)
    }

    /// An intermediate result.
    pub fn of(&self, name: &str, operands: &[Operand], numbers: &[Number]) -> Result<Tensor> {
        self.check(name, None, false, operands)?;
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
        Ok((operands, numbers))
    }

    /// What PyTorch finds wrong, in its order: dtypes that do not mix, a `target` that lies otherwise or cannot hold the result, sizes
    /// that do not broadcast, and last a dtype without a kernel. A target that is not written in place may be resized.
    fn check(&self, name: &str, target: Option<&Tensor>, in_place: bool, operands: &[Operand]) -> Result<()> {
        let refuses = |dtype| self.refuses.contains(&dtype);
        let dtypes = match (exec::dtypes_of(self.scalar, operands), target) {
            (Err(error), target) => return exec::refuse_misfits(target.filter(|_| in_place), operands).and(Err(error)),
            (Ok(dtypes), _) => dtypes,
        };
        // A bound that is not given takes another kernel.
        let kernel = if name == "clamp" { self.scalar.name } else { name };
        // Functions of truth values compute with these whatever they are given, and promote all the same.
        let promotes = name.starts_with("logical_");
        let common = match promotes {
            true => exec::common_dtype(operands).or_else(|error| exec::sizes_of(operands).and(Err(error)))?,
            false => dtypes.common,
        };
        let lacks = rare::lacks_function(name, common, operands);
        let is_refused = lacks || refuses(dtypes.common) || self.scalar.block(dtypes.compute).is_none();
        if let (true, Some(text)) = (is_refused, unsupported::refuses_first(name, dtypes.common)) {
            fault!(NotImplementedError, "{text}");
        }
        match target {
            Some(target) if is_refused || !can_cast(dtypes.result, target.dtype()) => {
                let by_numbers = operands.iter().filter(|o| matches!(o, Operand::Tensor(_))).count() == 1;
                let on_itself = in_place || matches!(operands.first(), Some(Operand::Tensor(t)) if target.same(t));
                if on_itself && name.starts_with("clamp") && by_numbers && !can_cast(dtypes.result, target.dtype()) {
                    let (from, to) = (dtypes.result.title(), target.dtype().c_name());
                    fault!(RuntimeError, "result type {from} can't be cast to the desired output type {to}");
                }
                let is_read = operands.iter().any(|o| matches!(o, Operand::Tensor(t) if target.same(t)));
                exec::refuse_misfits(Some(target).filter(|_| in_place || is_read), operands)?;
                // Bounds in tensors, weights in numbers and sizes of complex numbers are cast.
                let is_lerp = name == "lerp" && operands.len() == 2;
                let is_cast = name.starts_with("clamp") && !by_numbers || is_lerp || name == "abs" && dtypes.common.is_complex();
                match in_place || is_cast {
                    true => exec::require_cast(dtypes.result, target.dtype())?,
                    false => super::out::require_cast(name, dtypes.result, target.dtype())?,
                }
            }
            _ => {}
        }
        if is_refused {
            exec::sizes_of(operands)?;
            if lacks {
                fault!(NotImplementedError, "{}", rare::sentence(kernel, common, operands));
            }
            // Bounds in tensors have a kernel of their own.
            if name == "clamp" && operands.iter().skip(1).any(|o| matches!(o, Operand::Tensor(_))) {
                fault!(NotImplementedError, "\"clamp_cpu\" not implemented for '{}'", dtypes.compute.title());
            }
            fault!(NotImplementedError, "{}", unsupported::sentence(name, dtypes.compute));
        }
        Ok(())
    }
}
