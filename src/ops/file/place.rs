//! Where what is read goes: `map_location`.

use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Layout;
use crate::tensor::{Storage, Tensor};
use crate::value::{CallArgs, Key, Machine, StorageView, Value};
use anyhow::Result;
use std::rc::Rc;

/// A storage of the CPU where `map_location` wants it.
pub fn placed(machine: &mut dyn Machine, storage: Storage, to: &Value) -> Result<Storage> {
    match to {
        Value::None => Ok(storage),
        Value::Str(name) => at(machine, storage, name),
        Value::Device(device) => at(machine, storage, device.id.kind()),
        Value::Dict(entries) => {
            let found = entries.borrow().get(&Key::from("cpu")).cloned();
            placed(machine, storage, &found.unwrap_or(Value::None))
        }
        function => {
            let view = Value::Storage(Rc::new(StorageView { storage: storage.clone(), dtype: None }));
            match machine.call(function, CallArgs::positional(vec![view, Value::from("cpu")]))? {
                Value::Storage(view) => Ok(view.storage.clone()),
                _ => Ok(storage),
            }
        }
    }
}

fn at(machine: &mut dyn Machine, storage: Storage, name: &str) -> Result<Storage> {
    let kind = name.split(':').next().unwrap_or_default();
    match kind {
        "cpu" => Ok(storage),
        "meta" => Storage::new(DeviceId::Meta, storage.nbytes(), false),
        "cuda" => {
            if !matches!(machine.eval_code("torch.cuda.is_available()", &[])?, Value::Bool(true)) {
                fault!(
                    RuntimeError,
                    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
                );
            }
            let layout = Layout::contiguous(&[storage.nbytes() as i64]);
            let bytes = Value::Tensor(Tensor::new(storage, DType::U8, layout)?);
            match machine.eval_code("bytes.to(name)", &[("bytes", bytes), ("name", Value::from(name))])? {
                Value::Tensor(moved) => moved.storage(),
                other => fault!(RuntimeError, "a copy on {name} is no {}", other.type_name()),
            }
        }
        _ => fault!(RuntimeError, "don't know how to restore data location of torch.storage.UntypedStorage (tagged with {name})"),
    }
}
