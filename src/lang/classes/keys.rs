//! Objects as dict keys: their classes say how they hash and what they are equal to.
//!
//! A dict looks for its keys without the evaluator, so both are asked before a key is made of an object. Objects that hash alike and are
//! equal get one mark, whatever dicts they are in; those with the same mark are the same key.

use super::{Instance, ask};
use crate::lang::types::overall;
use crate::value::{Machine, Outcome, Value, python_hash};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

/// The objects of one mark, as long as they live.
struct Group {
    mark: u64,
    members: Vec<Weak<Instance>>,
}

/// The groups by the hash of their objects.
#[derive(Default)]
struct Known {
    groups: HashMap<i64, Vec<Group>>,
    /// The mark that was given last.
    last: u64,
    /// How many hashes there may be before those of objects that are gone are looked for.
    limit: usize,
}

/// Hashes that are kept without a look at whether their objects are still there.
const FEW: usize = 1024;

/// Tuples nested deeper are no keys anyway.
const DEPTH: usize = 2000;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// Asks the objects in a key for their hashes, and for which others they are equal to.
pub fn settle_key(machine: &mut dyn Machine, value: &Value) -> Outcome<()> {
    settle_inside(machine, value, 0)
}

fn settle_inside(machine: &mut dyn Machine, value: &Value, depth: usize) -> Outcome<()> {
    let has_parts = |item: &&Value| matches!(item, Value::Object(_) | Value::Tuple(_) | Value::Named(_));
    match value {
        Value::Tuple(items) if depth < DEPTH => {
            items.iter().filter(has_parts).try_for_each(|item| settle_inside(machine, item, depth + 1))
        }
        Value::Named(named) if depth < DEPTH => {
            named.values.iter().filter(has_parts).try_for_each(|item| settle_inside(machine, item, depth + 1))
        }
        Value::Object(object) => match object.as_any().downcast_ref::<Instance>() {
            Some(instance) if instance.of().says_hash() => settle(machine, value, instance),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn settle(machine: &mut dyn Machine, value: &Value, instance: &Instance) -> Outcome<()> {
    let Some(hash) = hash_of(machine, value)? else { return Ok(()) };
    let mut found = None;
    for (mark, other) in candidates(hash) {
        if std::ptr::eq(&*other, instance) || overall::equal(machine, &other.this(), value)? {
            found = Some(mark);
            break;
        }
    }
    let mark = found.unwrap_or_else(|| KNOWN.with_borrow_mut(Known::next_mark));
    if instance.asked.replace(Some((hash, mark))) != Some((hash, mark)) {
        KNOWN.with_borrow_mut(|known| known.add(hash, mark, instance.me()));
    }
    Ok(())
}

/// What `__hash__` of an object's class gives, as dicts use it; none where it has none.
pub fn hash_of(machine: &mut dyn Machine, value: &Value) -> Outcome<Option<i64>> {
    match ask(machine, value, "__hash__", vec![]).transpose()? {
        None => Ok(None),
        Some(hash @ (Value::Int(_) | Value::Bool(_) | Value::BigInt(_))) => Ok(Some(match hash {
            Value::Int(-1) => -2,
            Value::Int(hash) => hash,
            other => python_hash(&other),
        })),
        Some(_) => fault!(TypeError, "__hash__ method should return an integer"),
    }
}

/// One living object of each mark with a hash.
fn candidates(hash: i64) -> Vec<(u64, Rc<Instance>)> {
    KNOWN.with_borrow_mut(|known| {
        let Some(groups) = known.groups.get_mut(&hash) else { return vec![] };
        groups.retain_mut(|group| group.thin_out(hash));
        groups.iter().filter_map(|group| Some((group.mark, group.members.first()?.upgrade()?))).collect()
    })
}

impl Group {
    /// Forgets the objects in front that are gone or hash otherwise now; false when none is left.
    fn thin_out(&mut self, hash: i64) -> bool {
        let mark = self.mark;
        let stays = |member: &Weak<Instance>| member.upgrade().is_some_and(|object| object.asked.get() == Some((hash, mark)));
        let gone = self.members.iter().position(stays).unwrap_or(self.members.len());
        self.members.drain(..gone);
        !self.members.is_empty()
    }
}

impl Known {
    fn next_mark(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn add(&mut self, hash: i64, mark: u64, member: Weak<Instance>) {
        if self.groups.len() >= self.limit.max(FEW) {
            self.groups.retain(|hash, groups| {
                groups.retain_mut(|group| group.thin_out(*hash));
                !groups.is_empty()
            });
            self.limit = self.groups.len() * 2;
        }
        let groups = self.groups.entry(hash).or_default();
        match groups.iter_mut().find(|group| group.mark == mark) {
            Some(group) => group.members.push(member),
            None => groups.push(Group { mark, members: vec![member] }),
        }
    }
}
