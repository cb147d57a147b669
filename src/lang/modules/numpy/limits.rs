//! `numpy.finfo` and `numpy.iinfo`.

use super::array::{from_data, scalar_dtype};
use super::dtypes::{dtype_object, dtype_of, kind};
use crate::dtype::{DType, FloatLimits, IntLimits, Number};
use crate::lang::types::call::Call;
use crate::value::{Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

const RULE: &str = "---------------------------------------------------------------";

/// What `numpy.finfo` gives.
struct FInfo(FloatLimits);

impl FInfo {
    /// Decimal digits, and bits of an exponent.
    fn digits(&self) -> (i64, i64) {
        match self.0.dtype {
            DType::F16 => (3, 5),
            DType::F32 => (6, 8),
            _ => (15, 11),
        }
    }

    /// The exponents of the smallest number with all digits, and of the first that is too large.
    fn exponents(&self) -> (i64, i64) {
        let most = self.0.max.log2().ceil() as i64;
        (2 - most, most)
    }

    /// A limit that is a number of the dtype.
    fn number(&self, name: &str) -> Option<f64> {
        let limits = &self.0;
        Some(match name {
            "eps" => limits.eps,
            "epsneg" => limits.eps / 2.0,
            "max" => limits.max,
            "min" => limits.min,
            "resolution" => limits.resolution,
            "smallest_normal" | "tiny" => limits.smallest_normal,
            "smallest_subnormal" => limits.smallest_normal * limits.eps,
            _ => return None,
        })
    }

    /// A limit that is a whole number.
    fn count(&self, name: &str) -> Option<i64> {
        let machep = 1 - i64::from(self.0.digits);
        Some(match name {
            "bits" => 8 * self.0.dtype.size() as i64,
            "iexp" | "nexp" => self.digits().1,
            "machep" => machep,
            "maxexp" => self.exponents().1,
            "minexp" => self.exponents().0,
            "negep" => machep - 1,
            "nmant" => -machep,
            "precision" => self.digits().0,
            _ => return None,
        })
    }

    /// A limit as numpy shows a number of the dtype.
    fn shown(&self, name: &str) -> String {
        let dtype = self.0.dtype;
        self.number(name).map(|number| crate::show::numpy::scalar_str(dtype, Number::Float(number))).unwrap_or_default()
    }
}

impl Object for FInfo {
    fn type_name(&self) -> String {
        "numpy.finfo".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let (least, most, unit) = (self.shown("min"), self.shown("max"), self.shown("resolution"));
        format!("finfo(resolution={unit}, min={least}, max={most}, dtype={})", self.0.dtype.name())
    }
    fn str(&self) -> String {
        let count = |name: &str| self.count(name).unwrap_or_default();
        [
            format!("Machine parameters for {}\n{RULE}\n", self.0.dtype.name()),
            format!("precision = {}   resolution = {}\n", count("precision"), self.shown("resolution")),
            format!("machep = {}   eps =        {}\n", count("machep"), self.shown("eps")),
            format!("negep =  {}   epsneg =     {}\n", count("negep"), self.shown("epsneg")),
            format!("minexp = {}   tiny =       {}\n", count("minexp"), self.shown("tiny")),
            format!("maxexp = {}   max =        {}\n", count("maxexp"), self.shown("max")),
            format!("nexp =   {}   min =        -max\n", count("nexp")),
            format!("smallest_normal = {}   ", self.shown("tiny")),
            format!("smallest_subnormal = {}\n{RULE}\n", self.shown("smallest_subnormal")),
        ]
        .concat()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "dtype" => Some(dtype_object(self.0.dtype)),
            _ => self.count(name).map(Value::Int),
        })
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        let number = Value::Float(self.number(name)?);
        Some(from_data(machine, &number, Some(Value::DType(self.0.dtype)), true))
    }
}

/// What `numpy.iinfo` gives.
struct IInfo(IntLimits);

impl Object for IInfo {
    fn type_name(&self) -> String {
        "numpy.iinfo".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("iinfo(min={}, max={}, dtype={})", self.0.min, self.0.max, self.0.dtype.name())
    }
    fn str(&self) -> String {
        let (name, least, most) = (self.0.dtype.name(), self.0.min, self.0.max);
        format!("Machine parameters for {name}\n{RULE}\nmin = {least}\nmax = {most}\n{RULE}\n")
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(Some(match name {
            "bits" => Value::from(8 * self.0.dtype.size()),
            "dtype" => dtype_object(self.0.dtype),
            "max" => Value::big(self.0.max.into()),
            "min" => Value::big(self.0.min.into()),
            _ => return Ok(None),
        }))
    }
}

/// The dtype that is asked about, or that of a number.
fn asked(value: &Value) -> Outcome<DType> {
    let of_number = match value {
        Value::Int(_) | Value::BigInt(_) => Some(DType::I64),
        Value::Float(_) => Some(DType::F64),
        other => scalar_dtype(other),
    };
    Ok(of_number.or(dtype_of(value)?).unwrap_or(DType::F64))
}

/// `numpy.finfo(dtype)`.
pub fn finfo(c: &mut Call<'_>) -> Outcome {
    let dtype = asked(c.arg(0))?;
    match dtype.float_limits() {
        Some(limits) => Ok(Value::object(FInfo(limits))),
        None => fault!(ValueError, "data type <class 'numpy.{}'> not inexact", dtype.name()),
    }
}

/// `numpy.iinfo(dtype)`.
pub fn iinfo(c: &mut Call<'_>) -> Outcome {
    let dtype = asked(c.arg(0))?;
    match dtype.int_limits() {
        Some(limits) => Ok(Value::object(IInfo(limits))),
        None => fault!(ValueError, "Invalid integer data type '{}'.", kind(dtype)),
    }
}
