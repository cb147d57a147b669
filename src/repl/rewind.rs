//! States of a session that can be gone back to: the variables, what lists and dicts held, and the bytes of storages, which are
//! kept once for as many states as they stay the same.

use crate::dtype::DType;
use crate::lang::Interp;
use crate::ops;
use crate::settings::{self, Settings};
use crate::tensor::{Form, Grad, Storage, Tensor};
use crate::value::{Dict, Outcome, Set, Value};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Bytes that all states together keep.
pub(super) const CAP: usize = 256 << 20;

/// States that are kept.
const MOST: usize = 1000;

/// States and the statements between them.
pub(super) struct Timeline {
    /// The states, the one after statement `first` first; none when the variables are too large to be kept.
    states: Vec<State>,
    /// What leads from each state to the next.
    texts: Vec<String>,
    /// The state that the session is in.
    at: usize,
    /// Statements that are forgotten.
    first: usize,
}

/// Containers, each with what it held.
type Held<T> = Vec<(Rc<RefCell<T>>, T)>;

/// Variables and memory at one time.
struct State {
    variables: Vec<(Rc<str>, Value)>,
    last: Option<Value>,
    storages: Vec<Bytes>,
    tensors: Vec<(Tensor, DType, Form, Grad)>,
    lists: Held<Vec<Value>>,
    dicts: Held<Dict>,
    sets: Held<Set>,
    generator: Option<Value>,
    settings: Settings,
}

/// What a storage held, and how often it had been written then; after the bytes were put back, how often it was up to then.
struct Bytes {
    storage: Storage,
    version: Cell<u64>,
    bytes: Rc<Vec<u8>>,
}

impl Timeline {
    /// From now on.
    pub(super) fn new(interp: &mut Interp) -> Timeline {
        Timeline { states: State::of(interp, None).into_iter().collect(), texts: vec![], at: 0, first: 0 }
    }

    /// Notes a statement that was run, if it changed anything. What was gone back from is forgotten then.
    pub(super) fn after(&mut self, interp: &mut Interp, text: &str) {
        if self.states.get(self.at).is_some_and(|state| state.holds(interp)) {
            return;
        }
        match State::of(interp, self.states.get(self.at)) {
            Some(state) if self.states.is_empty() => {
                self.first += 1;
                self.states.push(state);
            }
            Some(state) => {
                self.texts.truncate(self.at);
                self.texts.push(text.to_string());
                self.states.truncate(self.at + 1);
                self.states.push(state);
                self.at += 1;
                self.shrink();
            }
            // What came before cannot be reached from here.
            None => *self = Timeline { states: vec![], texts: vec![], at: 0, first: self.first + self.at + 1 },
        }
    }

    /// Forgets the oldest states until the others fit.
    fn shrink(&mut self) {
        while self.states.len() > 1 && (self.states.len() > MOST || self.bytes() > CAP) {
            self.states.remove(0);
            self.texts.remove(0);
            self.at -= 1;
            self.first += 1;
        }
    }

    fn bytes(&self) -> usize {
        let mut seen = HashSet::new();
        let kept = self.states.iter().flat_map(|state| &state.storages);
        kept.filter(|kept| seen.insert(Rc::as_ptr(&kept.bytes))).map(|kept| kept.bytes.len()).sum()
    }

    /// How many statements lead to where the session is, the forgotten ones too.
    pub(super) fn place(&self) -> usize {
        self.first + self.at
    }

    /// The first and the last state that can be gone to.
    pub(super) fn ends(&self) -> (usize, usize) {
        (self.first, self.first + self.texts.len())
    }

    /// The statements that are known, each with its number from 1 on.
    pub(super) fn statements(&self) -> impl Iterator<Item = (usize, &str)> {
        self.texts.iter().enumerate().map(|(k, text)| (self.first + k + 1, text.as_str()))
    }

    /// True when the variables are too large to be kept.
    pub(super) fn is_lost(&self) -> bool {
        self.states.is_empty()
    }

    /// Goes to the state after so many statements, which must be between the ends.
    pub(super) fn go(&mut self, interp: &mut Interp, place: usize) -> Outcome<()> {
        let target = place - self.first;
        if let Some(state) = self.states.get(target) {
            state.restore(interp)?;
            self.at = target;
        }
        Ok(())
    }
}

impl State {
    /// The present; none when its storages hold more than can be kept. `before` is a state whose bytes may still be good.
    fn of(interp: &mut Interp, before: Option<&State>) -> Option<State> {
        let generator = ops::call_function(interp, "get_rng_state", vec![]).ok();
        let last = interp.globals.builtin_slot("_").and_then(|slot| interp.globals.builtin_at(slot)).cloned();
        let variables: Vec<(Rc<str>, Value)> =
            interp.globals.variables().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut state = State {
            variables,
            last,
            storages: vec![],
            tensors: vec![],
            lists: vec![],
            dicts: vec![],
            sets: vec![],
            generator,
            settings: settings::with(Settings::clone),
        };
        let found = state.walk();
        let total: usize = found.iter().map(Storage::nbytes).sum();
        if total > CAP {
            return None;
        }
        let known: HashMap<u64, &Bytes> =
            before.iter().flat_map(|state| &state.storages).map(|kept| (kept.storage.serial(), kept)).collect();
        for storage in found {
            let version = storage.version();
            let same =
                known.get(&storage.serial()).filter(|kept| kept.version.get() == version && kept.bytes.len() == storage.nbytes());
            let bytes = match same {
                Some(kept) => kept.bytes.clone(),
                // A storage without memory has nothing to keep.
                None => Rc::new(storage.read(<[u8]>::to_vec).ok()?),
            };
            state.storages.push(Bytes { storage, version: Cell::new(version), bytes });
        }
        Some(state)
    }

    /// Notes everything that can be reached and can change; gives the storages.
    fn walk(&mut self) -> Vec<Storage> {
        let (mut seen, mut storages) = (HashSet::new(), Vec::<Storage>::new());
        let mut next: Vec<Value> = self.variables.iter().map(|(_, value)| value.clone()).chain(self.last.clone()).collect();
        while let Some(value) = next.pop() {
            let shared = matches!(
                value,
                Value::Tensor(_) | Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Tuple(_) | Value::Storage(_)
            );
            if (shared || matches!(value, Value::Object(_) | Value::Named(_))) && !seen.insert(value.identity()) {
                continue;
            }
            let mut hold = |storage: &Storage| {
                let is_new = !storages.iter().any(|known| known.same(storage));
                if is_new && storage.device() != crate::device::DeviceId::Meta {
                    storages.push(storage.clone());
                }
            };
            match &value {
                Value::Tensor(tensor) => {
                    let Ok(form) = tensor.form() else { continue };
                    match &form {
                        Form::Strided(strided) => hold(&strided.storage),
                        Form::Sparse(sparse) => {
                            next.extend(sparse.indices.iter().chain([&sparse.values]).cloned().map(Value::Tensor));
                        }
                    }
                    let grad = tensor.grad();
                    next.extend(grad.grad.clone().map(Value::Tensor));
                    self.tensors.push((tensor.clone(), tensor.dtype(), form, grad));
                }
                Value::Storage(view) => hold(&view.storage),
                Value::List(items) => {
                    let held = items.borrow().clone();
                    next.extend(held.iter().cloned());
                    self.lists.push((items.clone(), held));
                }
                Value::Dict(dict) => self.hold_dict(dict, &mut next),
                Value::Set(set) => self.sets.push((set.clone(), set.borrow().clone())),
                Value::Object(object) => {
                    if let Some(dict) = object.entries() {
                        self.hold_dict(&dict, &mut next);
                    }
                }
                other => next.extend(other.sequence().unwrap_or_default()),
            }
        }
        storages
    }

    fn hold_dict(&mut self, dict: &Rc<RefCell<Dict>>, next: &mut Vec<Value>) {
        let held = dict.borrow().clone();
        next.extend(held.values().cloned());
        self.dicts.push((dict.clone(), held));
    }

    /// True when nothing has changed since; the last value shown does not count.
    fn holds(&self, interp: &mut Interp) -> bool {
        let is = |a: &[Value], b: &[Value]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is(b));
        let now: Vec<(&Rc<str>, &Value)> = interp.globals.variables().collect();
        let variables = now.len() == self.variables.len()
            && now.iter().zip(&self.variables).all(|((name, now), (before, value))| *name == before && now.is(value));
        variables
            && self
                .storages
                .iter()
                .all(|kept| kept.storage.version() == kept.version.get() && kept.storage.nbytes() == kept.bytes.len())
            && self.tensors.iter().all(|(tensor, dtype, form, grad)| {
                let now = tensor.grad();
                let same_grad = match (&now.grad, &grad.grad) {
                    (Some(a), Some(b)) => a.same(b),
                    (a, b) => a.is_none() && b.is_none(),
                };
                tensor.dtype() == *dtype
                    && tensor.form().is_ok_and(|now| same_form(&now, form))
                    && now.requires_grad == grad.requires_grad
                    && now.made_alike(grad)
                    && same_grad
            })
            && self.lists.iter().all(|(list, held)| is(&list.borrow(), held))
            && self.dicts.iter().all(|(dict, held)| {
                let now = dict.borrow();
                now.len() == held.len() && now.iter().zip(held).all(|((k, now), (key, v))| k.value().is(key.value()) && now.is(v))
            })
            && self.sets.iter().all(|(set, held)| {
                let now = set.borrow();
                now.len() == held.len() && now.iter().zip(held.iter()).all(|(a, b)| a.value().is(b.value()))
            })
            && settings::with(|now| format!("{now:?}") == format!("{:?}", self.settings))
            && generator(interp) == self.generator.as_ref().and_then(bytes_of)
    }

    /// Makes everything what it was: first the bytes, then the tensors over them, then what holds them.
    fn restore(&self, interp: &mut Interp) -> Outcome<()> {
        for Bytes { storage, version, bytes } in &self.storages {
            if storage.nbytes() != bytes.len() {
                storage.resize(bytes.len())?;
            } else if storage.version() == version.get() {
                continue;
            }
            storage.write(|to| to.copy_from_slice(bytes))?;
            version.set(storage.version());
        }
        for (tensor, dtype, form, grad) in &self.tensors {
            tensor.replace(*dtype, form.clone())?;
            tensor.set_grad(grad.clone());
        }
        self.lists.iter().for_each(|(list, held)| list.borrow_mut().clone_from(held));
        self.dicts.iter().for_each(|(dict, held)| dict.borrow_mut().clone_from(held));
        self.sets.iter().for_each(|(set, held)| set.borrow_mut().clone_from(held));
        let now: Vec<Rc<str>> = interp.globals.variables().map(|(name, _)| name.clone()).collect();
        for name in now {
            interp.globals.remove(&name);
        }
        for (name, value) in &self.variables {
            interp.globals.set(name, value.clone());
        }
        interp.globals.set_builtin("_", self.last.clone());
        if let Some(state) = &self.generator {
            ops::call_function(interp, "set_rng_state", vec![state.clone()])?;
        }
        settings::change(|now| *now = self.settings.clone());
        Ok(())
    }
}

/// True when a tensor lies where it lay.
fn same_form(a: &Form, b: &Form) -> bool {
    match (a, b) {
        (Form::Strided(a), Form::Strided(b)) => {
            a.storage.same(&b.storage) && a.layout == b.layout && (a.conj, a.neg) == (b.conj, b.neg)
        }
        (Form::Sparse(a), Form::Sparse(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

/// The state of the random numbers.
fn generator(interp: &mut Interp) -> Option<Vec<u8>> {
    bytes_of(&ops::call_function(interp, "get_rng_state", vec![]).ok()?)
}

fn bytes_of(state: &Value) -> Option<Vec<u8>> {
    if let Value::Tensor(tensor) = state { ops::exec::bytes(tensor).ok() } else { None }
}
