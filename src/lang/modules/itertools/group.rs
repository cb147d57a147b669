//! `groupby` and `tee`: iterators that share a source.

use crate::interrupt;
use crate::lang::types::call::Call;
use crate::lang::types::iter::Walk;
use crate::lang::types::{convert, overall};
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// What the groups of a `groupby` share.
struct Groups {
    items: Value,
    key: Option<Value>,
    /// The item that was read but belongs to no group yet, with its key.
    ahead: Option<(Value, Value)>,
    /// Which group is the current one; older ones have ended.
    number: usize,
    ended: bool,
}

impl Groups {
    fn read(&mut self, machine: &mut dyn Machine) -> Outcome<()> {
        self.ahead = match machine.next(&self.items)? {
            None => {
                self.ended = true;
                None
            }
            Some(item) => {
                let key = match &self.key {
                    Some(function) => machine.call(function, CallArgs::positional(vec![item.clone()]))?,
                    None => item.clone(),
                };
                Some((key, item))
            }
        };
        Ok(())
    }
}

/// `groupby(iterable, key=None)`.
pub fn group_by(c: &mut Call<'_>) -> Outcome {
    let (items, key) = (c.arg(0).clone(), c.some(1).cloned());
    let items = c.machine.iter(&items)?;
    let groups = Rc::new(RefCell::new(Groups { items, key, ahead: None, number: 0, ended: false }));
    let mut current: Option<Value> = None;
    Ok(Walk::value("itertools.groupby", move |machine| {
        let Ok(mut shared) = groups.try_borrow_mut() else { fault!(ValueError, "groupby is already running") };
        loop {
            interrupt::check()?;
            if shared.ahead.is_none() && !shared.ended {
                shared.read(machine)?;
            }
            let Some((key, _)) = shared.ahead.clone() else { return Ok(None) };
            let same = match &current {
                Some(old) => old.is(&key) || overall::equal(machine, old, &key)?,
                None => false,
            };
            if !same {
                current = Some(key.clone());
                shared.number += 1;
                let group = group(groups.clone(), key.clone(), shared.number);
                return Ok(Some(Value::tuple(vec![key, group])));
            }
            shared.ahead = None;
        }
    }))
}

fn group(groups: Rc<RefCell<Groups>>, key: Value, number: usize) -> Value {
    Walk::value("itertools._grouper", move |machine| {
        let Ok(mut shared) = groups.try_borrow_mut() else { fault!(ValueError, "groupby is already running") };
        if shared.number != number {
            return Ok(None);
        }
        if shared.ahead.is_none() && !shared.ended {
            shared.read(machine)?;
        }
        let Some((next, _)) = &shared.ahead else { return Ok(None) };
        if !next.is(&key) && !overall::equal(machine, next, &key)? {
            return Ok(None);
        }
        Ok(shared.ahead.take().map(|(_, item)| item))
    })
}

/// `tee(iterable, n=2)`: what one of the iterators has read waits for the others.
pub fn tee(c: &mut Call<'_>) -> Outcome {
    let items = c.arg(0).clone();
    let count = c.get(1).map_or(Ok(2), convert::to_i64)?;
    let Ok(count) = usize::try_from(count) else { fault!(ValueError, "n must be >= 0") };
    let source = c.machine.iter(&items)?;
    let queues: Rc<RefCell<Vec<VecDeque<Value>>>> = Rc::new(RefCell::new(vec![VecDeque::new(); count]));
    let iterators = (0..count).map(|place| {
        let (source, queues) = (source.clone(), queues.clone());
        Walk::value("itertools._tee", move |machine| {
            let waiting = queues.borrow_mut().get_mut(place).and_then(VecDeque::pop_front);
            if waiting.is_some() {
                return Ok(waiting);
            }
            let Some(item) = machine.next(&source)? else { return Ok(None) };
            for (other, queue) in queues.borrow_mut().iter_mut().enumerate() {
                if other != place {
                    queue.push_back(item.clone());
                }
            }
            Ok(Some(item))
        })
    });
    Ok(Value::tuple(iterators.collect()))
}
