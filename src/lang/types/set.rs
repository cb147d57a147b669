//! Sets and frozen sets.
//!
//! The order of a result is CPython's, so each operation walks its operands the way CPython does.

use super::call::{Builtin, Call, Row, Table, Takes, row};
use super::dict::key_error;
use super::iter::{self, Walk};
use super::{dict, repr};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{Class, Key, Machine, Object, Outcome, Set, Value, frozenset_hash};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// The elements of a set value.
pub type Elements = Rc<RefCell<Set>>;

const COPY: Row = row("copy", Takes::Nothing, |c| {
    let mut new = Set::new();
    new.merge(&this(c));
    Ok(like(c.this, new))
});
const DIFFERENCE: Row = row("difference", Takes::Any, |c| fold(c, |m, set, other| difference_of(m, &set, other)));
const INTERSECTION: Row = row("intersection", Takes::Any, |c| fold(c, |m, set, other| intersection_of(m, &set, other)));
const IS_DISJOINT: Row = row("isdisjoint", Takes::One, |c| {
    let (mine, other) = (this(c), argument(c)?);
    Ok(Value::Bool(mine.iter().all(|key| !other.contains(key))))
});
const IS_SUBSET: Row = row("issubset", Takes::One, |c| Ok(Value::Bool(order(CompareOp::Le, &this(c), &argument(c)?))));
const IS_SUPERSET: Row = row("issuperset", Takes::One, |c| Ok(Value::Bool(order(CompareOp::Ge, &this(c), &argument(c)?))));
const SYMMETRIC_DIFFERENCE: Row = row("symmetric_difference", Takes::One, |c| {
    let result = symmetric_difference(&this(c), &argument(c)?);
    Ok(like(c.this, result))
});
const UNION: Row = row("union", Takes::Any, |c| {
    fold(c, |m, mut set, other| {
        update(m, &mut set, other)?;
        Ok(set)
    })
});

/// The methods of sets.
pub static METHODS: Table = Table {
    owner: "set",
    rows: Table::sorted(&[
        row("add", Takes::One, |c| {
            change(c, |set, key| {
                set.insert(key);
                Ok(())
            })
        }),
        row("clear", Takes::Nothing, |c| {
            let old = elements_of(c).take();
            drop(old);
            Ok(Value::None)
        }),
        COPY,
        DIFFERENCE,
        row("difference_update", Takes::Any, |c| change_by(c, difference_update)),
        row("discard", Takes::One, |c| {
            change(c, |set, key| {
                set.remove(&key);
                Ok(())
            })
        }),
        INTERSECTION,
        row("intersection_update", Takes::Any, |c| {
            change_by(c, |m, set, other| {
                *set = intersection_of(m, set, other)?;
                Ok(())
            })
        }),
        IS_DISJOINT,
        IS_SUBSET,
        IS_SUPERSET,
        row("pop", Takes::Nothing, |c| match elements_of(c).borrow_mut().pop() {
            Some(key) => Ok(key.into_value()),
            None => Err(key_error(&Value::from("pop from an empty set"))),
        }),
        row("remove", Takes::One, |c| {
            change(c, |set, key| match set.remove(&key) {
                Some(_) => Ok(()),
                None => Err(key_error(key.value())),
            })
        }),
        SYMMETRIC_DIFFERENCE,
        row("symmetric_difference_update", Takes::One, |c| {
            let other = argument(c)?;
            toggle(&mut elements_of(c).borrow_mut(), &other);
            Ok(Value::None)
        }),
        UNION,
        row("update", Takes::Any, |c| change_by(c, update)),
    ]),
};

/// The methods of frozen sets.
pub static FROZEN_METHODS: Table = Table {
    owner: "frozenset",
    rows: Table::sorted(&[COPY, DIFFERENCE, INTERSECTION, IS_DISJOINT, IS_SUBSET, IS_SUPERSET, SYMMETRIC_DIFFERENCE, UNION]),
};

/// A set that cannot change, and so can be a key.
pub struct FrozenSet(pub Set);

impl Object for FrozenSet {
    fn type_name(&self) -> String {
        "frozenset".into()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::FrozenSet)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        if self.0.is_empty() {
            return "frozenset()".into();
        }
        let mut out = "frozenset(".to_string();
        match repr::write_set(&mut out, &self.0) {
            Ok(()) => out + ")",
            Err(_) => "frozenset(...)".into(),
        }
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(FROZEN_METHODS.find(name).map(|row| Builtin::method(&FROZEN_METHODS, row, Value::shared(self))))
    }
    fn attributes(&self) -> Vec<String> {
        FROZEN_METHODS.names()
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(elements(other).is_some_and(|other| same(&self.0, &other)))
    }
    fn hash(&self) -> Option<u64> {
        Some(frozenset_hash(&self.0) as u64)
    }
    fn length(&self) -> Option<usize> {
        Some(self.0.len())
    }
    fn iter(self: Rc<Self>, _machine: &mut dyn Machine) -> Option<Outcome> {
        let mut place = 0;
        Some(Ok(Walk::value("set_iterator", move |_| {
            let next = self.0.next_from(place).map(|(after, key)| (after, key.value().clone()));
            Ok(next.map(|(after, item)| {
                place = after;
                item
            }))
        })))
    }
    fn contains(&self, machine: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        Some(key_of(machine, item).map(|key| self.0.contains(&key)))
    }
    fn operate(self: Rc<Self>, _machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let mine = Value::shared(self.clone());
        if let Some(op) = BinaryOp::from_symbol(op) {
            let result = if reflected { binary(op, other, &mine) } else { binary(op, &mine, other) };
            return result.map(Ok);
        }
        let op = CompareOp::from_symbol(op).filter(|op| !matches!(op, CompareOp::Eq | CompareOp::Ne))?;
        Some(Ok(Value::Bool(order(op, &self.0, &elements(other)?))))
    }
}

/// A set value.
pub fn value(set: Set) -> Value {
    Value::Set(Rc::new(RefCell::new(set)))
}

/// A frozen set value.
pub fn frozen(set: Set) -> Value {
    Value::object(FrozenSet(set))
}

/// The elements of a set or frozen set.
pub fn elements(value: &Value) -> Option<Set> {
    match value {
        Value::Set(elements) => Some(elements.borrow().clone()),
        Value::Object(object) => object.as_any().downcast_ref::<FrozenSet>().map(|set| set.0.clone()),
        _ => None,
    }
}

/// The set of an iterable's items, in the order that `set(iterable)` has.
pub fn from_iterable(machine: &mut dyn Machine, items: &Value) -> Outcome<Set> {
    let mut set = Set::new();
    update(machine, &mut set, items)?;
    Ok(set)
}

/// Adds an iterable's items.
pub fn update(machine: &mut dyn Machine, set: &mut Set, items: &Value) -> Outcome<()> {
    if let Some(other) = elements(items) {
        set.merge(&other);
        return Ok(());
    }
    if let Some(entries) = dict::entries_of(items) {
        let entries = entries.borrow();
        set.make_room(entries.len());
        set.extend(entries.keys().cloned());
        return Ok(());
    }
    iter::each(machine, items, |machine, item| {
        set.insert(Key::of(machine, item)?);
        Ok(true)
    })
}

/// A set of the kind of `model`.
fn like(model: &Value, set: Set) -> Value {
    if matches!(model, Value::Set(_)) { value(set) } else { frozen(set) }
}

fn this(c: &Call<'_>) -> Set {
    elements(c.this).unwrap_or_default()
}

fn elements_of(c: &Call<'_>) -> Elements {
    match c.this {
        Value::Set(elements) => elements.clone(),
        _ => Rc::default(),
    }
}

fn argument(c: &mut Call<'_>) -> Outcome<Set> {
    let other = c.arg(0).clone();
    from_iterable(c.machine, &other)
}

fn change(c: &mut Call<'_>, f: impl Fn(&mut Set, Key) -> Outcome<()>) -> Outcome {
    let item = c.arg(0).clone();
    let key = key_of(c.machine, &item)?;
    f(&mut elements_of(c).borrow_mut(), key)?;
    Ok(Value::None)
}

/// An element to look for: a set stands for its frozen twin.
fn key_of(machine: &mut dyn Machine, item: &Value) -> Outcome<Key> {
    match item {
        Value::Set(elements) => Key::new(frozen(elements.borrow().clone())),
        other => Key::of(machine, other.clone()),
    }
}

fn change_by(c: &mut Call<'_>, f: fn(&mut dyn Machine, &mut Set, &Value) -> Outcome<()>) -> Outcome {
    let shared = elements_of(c);
    for other in c.args() {
        let mut set = shared.borrow().clone();
        f(c.machine, &mut set, &other)?;
        *shared.borrow_mut() = set;
    }
    Ok(Value::None)
}

fn fold(c: &mut Call<'_>, f: fn(&mut dyn Machine, Set, &Value) -> Outcome<Set>) -> Outcome {
    let args = c.args();
    let mut result = Set::new();
    result.merge(&this(c));
    for other in &args {
        result = f(c.machine, result, other)?;
    }
    Ok(like(c.this, result))
}

fn intersection_of(machine: &mut dyn Machine, set: &Set, other: &Value) -> Outcome<Set> {
    if let Some(other) = elements(other) {
        return Ok(intersection(set, &other));
    }
    let mut both = Set::new();
    iter::each(machine, other, |machine, item| {
        let key = Key::of(machine, item)?;
        if set.contains(&key) {
            both.insert(key);
        }
        Ok(true)
    })?;
    Ok(both)
}

fn intersection(a: &Set, b: &Set) -> Set {
    let (large, small) = if b.len() > a.len() { (b, a) } else { (a, b) };
    small.iter().filter(|key| large.contains(key)).cloned().collect()
}

fn difference_of(machine: &mut dyn Machine, set: &Set, other: &Value) -> Outcome<Set> {
    if let Some(other) = elements(other) {
        return Ok(difference(set, &other));
    }
    let mut left = set.clone();
    difference_update(machine, &mut left, other)?;
    Ok(left)
}

fn difference(a: &Set, b: &Set) -> Set {
    // Much larger than what goes: copied, then thinned out.
    if a.len() / 4 > b.len() {
        let mut left = Set::new();
        left.merge(a);
        take_out(&mut left, b.iter());
        return left;
    }
    a.iter().filter(|key| !b.contains(key)).cloned().collect()
}

fn difference_update(machine: &mut dyn Machine, set: &mut Set, other: &Value) -> Outcome<()> {
    let other = from_iterable(machine, other)?;
    take_out(set, other.iter());
    Ok(())
}

fn take_out<'k>(set: &mut Set, keys: impl Iterator<Item = &'k Key>) {
    keys.for_each(|key| drop(set.remove(key)));
    set.sweep();
}

fn symmetric_difference(a: &Set, b: &Set) -> Set {
    let mut result = Set::new();
    result.merge(b);
    toggle(&mut result, a);
    result
}

/// `set ^= other`
fn toggle(set: &mut Set, other: &Set) {
    for key in other {
        if set.remove(key).is_none() {
            set.insert(key.clone());
        }
    }
}

/// `a | b`, `a & b`, `a - b`, `a ^ b`; none for another operator.
pub fn combine(op: BinaryOp, a: &Set, b: &Set) -> Option<Set> {
    Some(match op {
        BinaryOp::BitOr => {
            let mut both = Set::new();
            both.merge(a);
            both.merge(b);
            both
        }
        BinaryOp::BitAnd => intersection(a, b),
        BinaryOp::Sub => difference(a, b),
        BinaryOp::BitXor => symmetric_difference(a, b),
        _ => return None,
    })
}

/// An operator between sets and frozen sets, with a result of the left one's kind; none when one is neither.
pub fn binary(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    Some(like(a, combine(op, &elements(a)?, &elements(b)?)?))
}

/// `set op= other`; false when `other` is no set or the operator not theirs.
pub fn inplace(op: BinaryOp, set: &Elements, other: &Value) -> Outcome<bool> {
    let Some(other) = elements(other) else { return Ok(false) };
    let mut set = set.borrow_mut();
    match op {
        BinaryOp::BitOr => set.merge(&other),
        BinaryOp::BitAnd => *set = intersection(&set, &other),
        BinaryOp::Sub => take_out(&mut set, other.iter()),
        BinaryOp::BitXor => toggle(&mut set, &other),
        _ => return Ok(false),
    }
    Ok(true)
}

/// `a == b`
pub fn same(a: &Set, b: &Set) -> bool {
    a.len() == b.len() && a.iter().all(|key| b.contains(key))
}

/// Subset and superset comparisons.
pub fn order(op: CompareOp, a: &Set, b: &Set) -> bool {
    let within = |x: &Set, y: &Set| x.len() <= y.len() && x.iter().all(|key| y.contains(key));
    match op {
        CompareOp::Eq => same(a, b),
        CompareOp::Ne => !same(a, b),
        CompareOp::Lt => a.len() < b.len() && within(a, b),
        CompareOp::Le => within(a, b),
        CompareOp::Gt => b.len() < a.len() && within(b, a),
        CompareOp::Ge => within(b, a),
        CompareOp::In | CompareOp::NotIn | CompareOp::Is | CompareOp::IsNot => false,
    }
}

/// `item in set`
pub fn contains(machine: &mut dyn Machine, set: &Elements, item: &Value) -> Outcome<bool> {
    let key = key_of(machine, item)?;
    Ok(set.borrow().contains(&key))
}

/// An iterator that notices when the set grows or shrinks.
pub fn iter(elements: Elements) -> Value {
    let (mut place, len) = (0, elements.borrow().len());
    Walk::value("set_iterator", move |_| {
        let set = elements.borrow();
        if set.len() != len {
            fault!(RuntimeError, "Set changed size during iteration");
        }
        Ok(set.next_from(place).map(|(after, key)| {
            place = after;
            key.value().clone()
        }))
    })
}
