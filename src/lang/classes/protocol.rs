//! `isinstance` and `issubclass` where a class has a say in it: protocols, and classes whose own class answers.

use super::{UserClass, as_class, ask, class_of, member, truth};
use crate::diag::ErrorClass;
use crate::lang::types::class;
use crate::value::{Machine, Outcome, Value};

/// `isinstance(value, classes)`.
pub fn is_instance(machine: &mut dyn Machine, value: &Value, given: &Value) -> Outcome<bool> {
    if let Value::Tuple(several) = given {
        for class in several.iter() {
            if is_instance(machine, value, class)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    if let Value::Object(_) = given
        && class_of(given).is_some()
        && let Some(answer) = ask(machine, given, "__instancecheck__", vec![value.clone()])
    {
        return truth(machine, &answer?);
    }
    if let (Value::Object(_), Some(own)) = (given, as_class(given).filter(|own| own.marks.protocol)) {
        return has_what(machine, value, &own);
    }
    if let Some(answer) = member::is_made_by(value, given) {
        return Ok(answer);
    }
    class::is_instance(value, given)
}

/// `issubclass(class, classes)`.
pub fn is_subclass(machine: &mut dyn Machine, class: &Value, given: &Value) -> Outcome<bool> {
    if class_of(given).is_some()
        && as_class(given).is_some()
        && let Some(answer) = ask(machine, given, "__subclasscheck__", vec![class.clone()])
    {
        return truth(machine, &answer?);
    }
    class::is_subclass_of(class, given)
}

/// Where a protocol says that it may be asked for.
pub const CHECKABLE: &str = "_is_runtime_protocol";

/// True where a value has all that a protocol names.
fn has_what(machine: &mut dyn Machine, value: &Value, protocol: &UserClass) -> Outcome<bool> {
    if class_of(value).is_some_and(|class| class.is_below(protocol)) {
        return Ok(true);
    }
    if protocol.find(CHECKABLE).is_none() {
        fault!(TypeError, "Instance and class checks can only be used with @runtime_checkable protocols");
    }
    let every =
        std::iter::once(protocol).chain(protocol.parents.iter().map(|class| &**class).filter(|class| class.marks.protocol));
    let names: Vec<String> = every
        .flat_map(|class| {
            class
                .members
                .borrow()
                .keys()
                .chain(class.annotated.iter().map(|(name, _)| name))
                .map(|name| name.to_string())
                .collect::<Vec<_>>()
        })
        .filter(|name| !OF_THE_CLASS.contains(&name.as_str()))
        .collect();
    for name in names {
        match machine.attr(value, &name) {
            Ok(_) => {}
            Err(raise) if raise.0.diagnostic.class.is_a(ErrorClass::AttributeError) => return Ok(false),
            Err(raise) => return Err(raise),
        }
    }
    Ok(true)
}

/// Members of a protocol that say nothing of others.
const OF_THE_CLASS: [&str; 7] = ["__class_getitem__", "__doc__", "__init__", "__module__", "__new__", "__slots__", CHECKABLE];
