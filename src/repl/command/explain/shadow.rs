//! What an operation comes to without running it: it is given tensors of the same dtypes, sizes and strides that have no memory.

use super::super::Call;
use super::super::step::tensors;
use super::act::Act;
use crate::device::{DeviceId, NO_DATA, NO_ITEM};
use crate::ops::{random, trace};
use crate::show::picture::{Effect, Memory};
use crate::tensor::{Form, Grad, Storage, Strided, Tensor};
use crate::value::{Outcome, Value};

/// What came of trying an operation.
pub(super) struct Tried {
    /// What it gives.
    pub effect: Effect,
    /// What its first result does to memory.
    pub memory: Memory,
    /// The storage that it lies on, when that is an operand's.
    pub storage: Option<Storage>,
}

/// Tries an operation.
pub(super) fn tried(call: &mut Call, act: &Act) -> Tried {
    let mut twins = Twins::default();
    let effect = effect(call, act, &mut twins);
    let result = if let Effect::Gives(tensors) = &effect { tensors.first().cloned() } else { None };
    let below = result.as_ref().and_then(|tensor| tensor.storage().ok());
    let storage =
        twins.storages.iter().find(|(_, twin)| below.as_ref().is_some_and(|s| s.same(twin))).map(|(real, _)| real.clone());
    let is_given = result.is_some_and(|result| twins.tensors.iter().any(|t| t.same(&result)));
    let memory = match &storage {
        _ if is_given => Memory::Same,
        Some(_) => Memory::Shared,
        None if act.copies() => Memory::Copied,
        None => Memory::New,
    };
    Tried { effect, memory, storage }
}

fn effect(call: &mut Call, act: &Act, twins: &mut Twins) -> Effect {
    if !act.is_of_tensors() {
        return Effect::Unknown;
    }
    let values: Outcome<Vec<Value>> = act.parts.iter().map(|part| twins.of(&part.value)).collect();
    let keywords: Outcome<Vec<_>> = act.keywords.iter().map(|(name, value)| Ok((name.clone(), twins.of(value)?))).collect();
    let (Ok(values), Ok(keywords)) = (values, keywords) else { return Effect::Unknown };
    // Recording keeps the operations from being promised, and the record is thrown away: the user's own shows nothing of this.
    let (result, _) = random::undisturbed(|| trace::record(|| act.perform(call.interp, values, keywords)));
    match result {
        Ok(value) => Effect::Gives(tensors(&value)),
        Err(raise) => {
            let message = &raise.0.diagnostic.message;
            if [NO_DATA, NO_ITEM].contains(&message.as_str()) { Effect::Unknown } else { Effect::Refused(message.clone()) }
        }
    }
}

/// Storages without memory, each standing for one that has some.
#[derive(Default)]
struct Twins {
    storages: Vec<(Storage, Storage)>,
    tensors: Vec<Tensor>,
}

impl Twins {
    fn of(&mut self, value: &Value) -> Outcome {
        Ok(match value {
            Value::Tensor(tensor) => Value::Tensor(self.of_tensor(tensor)?),
            Value::List(items) => Value::list(items.borrow().iter().map(|item| self.of(item)).collect::<Outcome<_>>()?),
            Value::Tuple(items) => Value::tuple(items.iter().map(|item| self.of(item)).collect::<Outcome<_>>()?),
            Value::Storage(_) => fault!(ValueError, "a storage has no twin"),
            other if other.downcast::<random::TorchGenerator>().is_some() => fault!(ValueError, "a generator has no twin"),
            other => other.clone(),
        })
    }

    fn of_tensor(&mut self, tensor: &Tensor) -> Outcome<Tensor> {
        let strided = tensor.strided()?;
        let storage = match self.storages.iter().find(|(real, _)| real.same(&strided.storage)) {
            Some((_, twin)) => twin.clone(),
            None => {
                let twin = Storage::new(DeviceId::Meta, strided.storage.nbytes(), false)?;
                self.storages.push((strided.storage.clone(), twin.clone()));
                twin
            }
        };
        let twin = Tensor::from_form(tensor.dtype(), Form::Strided(Strided { storage, ..strided }));
        if tensor.requires_grad() {
            let slot = crate::ops::apart(tensor.grad());
            let grad = slot.grad.as_ref().map(|grad| self.of_tensor(grad)).transpose()?;
            twin.set_grad(Grad { grad, ..slot });
        }
        self.tensors.push(twin.clone());
        Ok(twin)
    }
}
