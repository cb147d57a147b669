//! `types`: its `SimpleNamespace`, an object with the attributes it is given; that of `argparse` is another one.

use crate::lang::types::call::{Call, Table, Takes, row};
use crate::lang::types::class::ObjectClass;
use crate::lang::types::{dict, overall, repr};
use crate::value::{Class, Dict, Key, Machine, Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

static CLASSES: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("Namespace", Takes::Any, |c| construct(c, "argparse.Namespace")),
        row("SimpleNamespace", Takes::Any, |c| construct(c, "types.SimpleNamespace")),
    ]),
};

/// The functions of `types`: none.
pub static NO_FUNCTIONS: Table = Table { owner: "types", rows: Table::sorted(&[]) };

/// Names of `types` for classes that have no other name.
const NAMES: &[(&str, Class)] = &[
    ("BuiltinFunctionType", Class::Builtin),
    ("BuiltinMethodType", Class::Builtin),
    ("EllipsisType", Class::Ellipsis),
    ("FunctionType", Class::Function),
    ("GeneratorType", Class::Generator),
    ("LambdaType", Class::Function),
    ("ModuleType", Class::Module),
    ("NoneType", Class::NoneType),
];

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    let row = CLASSES.find("SimpleNamespace");
    let own = row.map(|row| (row.name, ObjectClass::callable("types.SimpleNamespace", &CLASSES, row, None)));
    own.into_iter().chain(NAMES.iter().map(|(name, class)| (*name, Value::Class(*class)))).collect()
}

/// The class of what a command line's arguments come in.
pub fn arguments() -> Value {
    CLASSES.find("Namespace").map_or(Value::None, |row| ObjectClass::callable("argparse.Namespace", &CLASSES, row, None))
}

/// The attributes, which `vars` gives as a dict, and the class's name.
struct Namespace(Rc<RefCell<Dict>>, &'static str);

/// `SimpleNamespace(**attributes)`.
fn construct(c: &mut Call<'_>, class: &'static str) -> Outcome {
    if c.count() > 0 {
        fault!(TypeError, "no positional arguments expected");
    }
    let (entries, named) = (dict::Entries::default(), std::mem::take(&mut c.keyword));
    dict::fill(c.machine, &entries, None, named)?;
    Ok(Value::object(Namespace(entries, class)))
}

impl Namespace {
    fn text(&self) -> Outcome<String> {
        let mut fields = vec![];
        for (name, value) in self.0.borrow().iter() {
            let Value::Str(name) = name.value() else { continue };
            fields.push(format!("{name}={}", repr::repr(value)?));
        }
        let name = if self.1.starts_with("types") { "namespace" } else { "Namespace" };
        Ok(format!("{name}({})", fields.join(", ")))
    }
}

impl Object for Namespace {
    fn type_name(&self) -> String {
        self.1.into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        repr::of_container(Rc::as_ptr(&self.0) as u64, "namespace(...)", || self.text())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__dict__" => Some(Value::Dict(self.0.clone())),
            _ => self.0.borrow().get(&Key::from(name)).cloned(),
        })
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        self.0.borrow_mut().insert(Key::from(name), value);
        Ok(true)
    }
    fn del_attr(&self, name: &str) -> bool {
        self.0.borrow_mut().shift_remove(&Key::from(name)).is_some()
    }
    fn attributes(&self) -> Vec<String> {
        let names = self.0.borrow();
        names.keys().filter_map(|key| if let Value::Str(name) = key.value() { Some(name.to_string()) } else { None }).collect()
    }
    fn is_hashable(&self) -> bool {
        false
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, _: bool) -> Option<Outcome> {
        let other = other.downcast::<Namespace>()?;
        let (mine, theirs) = (Value::Dict(self.0.clone()), Value::Dict(other.0.clone()));
        match op {
            "==" => Some(overall::equal(machine, &mine, &theirs).map(Value::Bool)),
            "!=" => Some(overall::equal(machine, &mine, &theirs).map(|same| Value::Bool(!same))),
            _ => None,
        }
    }
}
