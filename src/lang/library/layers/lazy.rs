//! How a lazy layer becomes an ordinary one.

use super::{Layer, Names, with_dtype};
use crate::tensor::Grad;
use crate::value::{CallArgs, Machine, Outcome, Value};

impl Layer {
    /// Marks what waits for its size, in a lazy layer: all but the count of batches.
    pub(super) fn wait(&self) {
        if self.kind().becomes().is_none() {
            return;
        }
        for held in [&self.parameters, &self.buffers] {
            for (_, value) in held.borrow().iter().filter(|(name, _)| &***name != "num_batches_tracked") {
                if let Value::Tensor(x) = value {
                    x.set_grad(Grad { waits: true, ..x.grad() });
                }
            }
        }
    }

    /// Makes an ordinary layer of a lazy one, by its first input: what waited gets its elements, and stays the same objects.
    pub(super) fn settle(&self, machine: &mut dyn Machine, args: &CallArgs) -> Outcome<()> {
        let by_name = || args.keyword.iter().find(|(name, _)| &**name == "input").map(|(_, value)| value);
        let (Some(plain), Some(input)) = (self.kind().becomes(), args.positional.first().or_else(by_name)) else { return Ok(()) };
        let mut settings = self.settings.borrow().clone();
        let names: Vec<_> = settings.iter().cloned().chain([("input", input.clone())]).collect();
        let size = machine.eval_code(self.kind().run, &names)?;
        if let Some((_, inferred)) = settings.first_mut() {
            *inferred = size;
        }
        plain.check(&settings)?;
        // What one that waits is not made with, its kind is.
        for (name, unless) in plain.settings {
            if let (Some(value), false) = (unless.value(), settings.iter().any(|(own, _)| own == name)) {
                settings.push((name, value));
            }
        }
        let dtype = self.parameters.borrow().values().find_map(|value| match value {
            Value::Tensor(x) => Some(Value::DType(x.dtype())),
            _ => None,
        });
        let fresh = Layer::bare(plain, Names::new());
        fresh.hold(with_dtype(dtype, || machine.eval_code(plain.make, &settings))?);
        for (new, own) in [(&fresh.parameters, &self.parameters), (&fresh.buffers, &self.buffers)] {
            for (name, value) in new.borrow().iter() {
                let own = own.borrow().get(name).cloned();
                let Some(Value::Tensor(waiting)) = own.filter(|own| matches!(own, Value::Tensor(x) if x.grad().waits)) else {
                    continue;
                };
                waiting.set_grad(Grad { waits: false, ..waiting.grad() });
                let elements = machine.attr(value, "data")?;
                machine.set_attr(&Value::Tensor(waiting), "data", elements)?;
            }
        }
        self.settings.replace(settings);
        self.kind.set(plain);
        Ok(())
    }
}
