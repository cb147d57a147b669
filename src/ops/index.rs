//! STUB
use crate::tensor::Tensor;
use crate::value::Value;
pub fn get(_t: &Tensor, _i: &Value) -> anyhow::Result<Value> {
    fault!(NotImplementedError, "index")
}
pub fn set(_t: &Tensor, _i: &Value, _v: &Value) -> anyhow::Result<()> {
    fault!(NotImplementedError, "index")
}
