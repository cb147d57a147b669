//! Classes and their objects being made.

use super::{
    Draft, ERRORS, Instance, Kind, Marks, UserClass, as_class, ask, besides, bind, class_of, member, meta, order, site, text,
};
use crate::diag::{Diagnostic, ErrorClass, OwnError};
use crate::lang::library::{layers, written};
use crate::lang::modules::collections::named_tuple;
use crate::lang::types::call::plural;
use crate::lang::types::{hint, repr};
use crate::value::{CallArgs, Class, Exception, Machine, Outcome, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The class that a `class` statement defines, with what stood in its parentheses.
///
/// Fails with a `TypeError` where a base is no class or the bases have no order, and with a `NotImplementedError` where tsr does not build
/// classes on one of them.
pub fn make(machine: &mut dyn Machine, draft: Draft, args: CallArgs) -> Outcome {
    if args.positional.iter().any(named_tuple::is_form) {
        return named_tuple_class(machine, draft);
    }
    let named = args.keyword.iter().find(|(name, _)| &**name == "metaclass").map(|(_, class)| class.clone());
    match meta::of_bases(named.as_ref(), &args.positional)? {
        None => build(machine, None, draft, &args.positional, args.keyword),
        Some(meta) => {
            let keyword = args.keyword.into_iter().filter(|(name, _)| &**name != "metaclass").collect();
            let (name, bases) = (Value::from(&*draft.name), Value::tuple(args.positional));
            let positional = vec![name, bases, Value::dict(meta::namespace(draft))];
            meta::call(machine, &meta, CallArgs { positional, keyword })
        }
    }
}

/// `class Name(NamedTuple)`: a class of tuples with the annotated names, and one on that where it has members of its own.
fn named_tuple_class(machine: &mut dyn Machine, mut draft: Draft) -> Outcome {
    let (mut defaults, mut optional) = (vec![], vec![]);
    for (name, _) in &draft.annotated {
        match draft.names.shift_remove(name) {
            Some(value) => {
                defaults.push(value);
                optional.push(name.to_string());
            }
            None if optional.is_empty() => {}
            None => fault!(
                TypeError,
                "non-default namedtuple field {name} cannot follow default field{} {}",
                plural(optional.len()),
                optional.join(", ")
            ),
        }
    }
    let factory = named_tuple::of_names(&draft.name, &draft.annotated, defaults)?;
    if draft.names.is_empty() && draft.doc.is_none() {
        return Ok(factory);
    }
    if draft.doc.is_none() {
        let names: Vec<&str> = draft.annotated.iter().map(|(name, _)| &**name).collect();
        draft.doc = Some(format!("{}({})", draft.name, names.join(", ")).into());
    }
    // Its objects have what it names and nothing else.
    draft.names.insert("__slots__".into(), Value::tuple(vec![]));
    build(machine, None, draft, &[factory], vec![])
}

/// A class of its parts, made by a class of classes or by `type` itself.
pub(super) fn build(
    machine: &mut dyn Machine,
    meta: Option<Rc<UserClass>>,
    draft: Draft,
    given: &[Value],
    keyword: Vec<(Rc<str>, Value)>,
) -> Outcome {
    text::begin();
    site::changed();
    // What only says something to a reader of the text.
    let bases: Vec<Value> = given.iter().filter(|base| !hint::is_hint(base)).cloned().collect();
    let line = order::line(machine, &bases)?;
    let line = if line.is_empty() { vec![Value::Class(Class::Object)] } else { line };
    check(&line)?;
    let error = line.iter().find_map(|class| match class {
        Value::Class(Class::Exception(parent)) => Some(ErrorClass::Own(OwnError::define(&draft.name, *parent))),
        _ => None,
    });
    let bases = if bases.is_empty() { vec![Value::Class(Class::Object)] } else { bases };
    let parents: Vec<Rc<UserClass>> = line.iter().filter_map(as_class).collect();
    let marks = marks(given, &parents, &line, &keyword);
    let Draft { name, qualname, doc, mut names, annotated, module, cell } = draft;
    if let Some(doc) = doc {
        names.insert("__doc__".into(), Value::from(&*doc));
    }
    // What says what it is equal to and not how it hashes is no key.
    if names.contains_key("__eq__") && !names.contains_key("__hash__") {
        names.insert("__hash__".into(), Value::None);
    }
    let ends = names.contains_key("__del__") || parents.iter().any(|class| class.ends);
    let kind = kind_of(&line);
    let class = Rc::new_cyclic(|me| UserClass {
        me: me.clone(),
        name,
        qualname,
        module,
        bases,
        line,
        parents,
        members: RefCell::new(names),
        annotated,
        error,
        meta,
        marks,
        ends,
        kind,
        children: RefCell::default(),
        habits: Cell::default(),
        shown: RefCell::default(),
    });
    if let Some(ErrorClass::Own(own)) = error {
        ERRORS.with_borrow_mut(|known| known.insert(own.number(), class.clone()));
    }
    if let Some(cell) = cell {
        cell.replace(Some(class.value()));
    }
    class.bases.iter().filter_map(as_class).for_each(|base| base.children.borrow_mut().push(Rc::downgrade(&class)));
    begin_members(machine, &class)?;
    begin_child(machine, &class, keyword)?;
    Ok(class.value())
}

/// The nearest class of tsr's own in a line, but `object`; one that only marks others counts where there is nothing else.
pub(super) fn native(line: &[Value]) -> Option<&Value> {
    let own = || line.iter().filter(|class| as_class(class).is_none() && !matches!(class, Value::Class(Class::Object)));
    own().find(|class| !written::only_marks(class)).or_else(|| own().next())
}

/// What the objects of a class are, by the nearest class of tsr's own.
fn kind_of(line: &[Value]) -> Kind {
    match native(line) {
        None => Kind::Plain,
        Some(Value::Class(Class::Type)) => Kind::Classes,
        Some(native) if written::only_marks(native) => Kind::Plain,
        Some(native) if !layers::is_class(native) && besides::takes(native) => Kind::Besides(native.clone()),
        Some(_) => Kind::Native,
    }
}

/// What is said of a class by what it is written to inherit from.
fn marks(given: &[Value], parents: &[Rc<UserClass>], line: &[Value], keyword: &[(Rc<str>, Value)]) -> Marks {
    let is_meta = |(name, value): &(Rc<str>, Value)| &**name == "metaclass" && matches!(value, Value::Class(Class::Type));
    Marks {
        generic: given.iter().any(hint::is_hint) || parents.iter().any(|class| class.marks.generic),
        protocol: given.iter().any(hint::is_protocol),
        promises: line.iter().any(written::is_abstract)
            || keyword.iter().any(is_meta)
            || given.iter().any(hint::is_protocol)
            || parents.iter().any(|class| class.marks.promises),
    }
}

/// Tells members that want to know it by which name they are held.
fn begin_members(machine: &mut dyn Machine, class: &Rc<UserClass>) -> Outcome<()> {
    let members = class.members.borrow().clone();
    for (name, value) in &members {
        if let Some(told) = ask(machine, value, "__set_name__", vec![class.value(), Value::from(&**name)]) {
            told?;
        }
    }
    Ok(())
}

/// Tells the class that this one inherits from about it.
fn begin_child(machine: &mut dyn Machine, class: &Rc<UserClass>, keyword: Vec<(Rc<str>, Value)>) -> Outcome<()> {
    let keyword: Vec<_> = keyword.into_iter().filter(|(name, _)| &**name != "metaclass").collect();
    let told = class.parents.iter().find_map(|parent| parent.members.borrow().get("__init_subclass__").cloned());
    match told {
        Some(told) => {
            let args = CallArgs { positional: vec![], keyword };
            let function = Value::object(super::Bound { function: member::function_of(&told), this: class.value() });
            machine.call(&function, args).map(|_| ())
        }
        None if keyword.is_empty() => Ok(()),
        None => fault!(TypeError, "{}.__init_subclass__() takes no keyword arguments", class.name()),
    }
}

/// Refuses what is no class, and what tsr has another kind of object for.
fn check(line: &[Value]) -> Outcome<()> {
    for class in line {
        match class {
            Value::Class(Class::Object | Class::Exception(_)) => {}
            class if as_class(class).is_some() || layers::is_class(class) || written::is_class(class) => {}
            Value::Class(Class::Type) => {}
            Value::Class(own @ (Class::Bool | Class::NoneType | Class::Function | Class::Range | Class::Slice)) => {
                fault!(TypeError, "type '{}' is not an acceptable base type", own.name())
            }
            class if besides::takes(class) => {}
            Value::Class(own) => {
                fault!(NotImplementedError, "tsr does not build classes on '{}' yet", own.name())
            }
            Value::Object(object) if object.is_class_of(&Value::None).is_some() => {
                fault!(NotImplementedError, "tsr does not build classes on {} yet", repr::repr(class)?)
            }
            other => fault!(TypeError, "a base of a class is a class, not {}", repr::repr(other)?),
        }
    }
    Ok(())
}

/// A new object of a class.
pub(super) fn call(machine: &mut dyn Machine, class: &Rc<UserClass>, args: CallArgs) -> Outcome {
    refuse_abstract(class)?;
    let new = class.find("__new__");
    let this = match &new {
        Some(new) => {
            let mut given = args.clone();
            given.positional.insert(0, class.value());
            machine.call(&member::function_of(new), given)?
        }
        None => blank(machine, class, &args)?,
    };
    if new.is_some() && !class_of(&this).is_some_and(|own| own.is_a(&class.value())) {
        return Ok(this);
    }
    match class.find("__init__") {
        // A function needs no method around it.
        Some(init) if matches!(&init, Value::Object(object) if object.is_function()) => {
            let mut args = args;
            args.positional.insert(0, this.clone());
            must_be_none(machine.call(&init, args)?)?;
        }
        Some(init) => must_be_none(machine.call(&bind(&init, &this, class), args)?)?,
        None if new.is_some() => {}
        None => begin(machine, &this, args)?,
    }
    if let Value::Exception(_) = &this {
        super::settle(machine, &this, true)?;
    }
    Ok(this)
}

/// Refuses what `__init__` must not give.
fn must_be_none(given: Value) -> Outcome<()> {
    match given {
        Value::None => Ok(()),
        other => fault!(TypeError, "__init__() should return None, not '{}'", other.type_name()),
    }
}

/// An object before its `__init__` ran.
pub(super) fn blank(machine: &mut dyn Machine, class: &Rc<UserClass>, args: &CallArgs) -> Outcome {
    match &class.kind {
        Kind::Plain => return Ok(Instance::make(class.clone(), None)),
        Kind::Classes => return meta::of_parts(machine, Some(class.clone()), args.clone()),
        Kind::Besides(native) => {
            let base = besides::blank(machine, native, args)?;
            return Ok(Instance::make(class.clone(), Some(base)));
        }
        Kind::Native => {}
    }
    if let Some(error) = class.error {
        let message = crate::lang::exceptions::plain_message(error, &args.positional)?;
        let args = args.positional.clone();
        return Ok(Value::Exception(Rc::new(Exception::new(Diagnostic::new(error, message), args))));
    }
    if let Some(layer) = class.native().and_then(|native| layers::blank(native, class.clone())) {
        return Ok(layer);
    }
    let this = Instance::make(class.clone(), None);
    if let (Some(instance), Some(native)) = (this.downcast::<Instance>(), class.native())
        && let Some(part) = written::blank_part(native, instance)
    {
        instance.become_value(part);
    }
    Ok(this)
}

/// What the nearest class of tsr's own does when an object begins: `super().__init__(…)`.
pub fn begin(machine: &mut dyn Machine, this: &Value, args: CallArgs) -> Outcome<()> {
    let Some(class) = class_of(this) else { return Ok(()) };
    if let Value::Exception(_) = this {
        return machine.set_attr(this, "args", Value::tuple(args.positional));
    }
    if layers::is_layer(this) {
        return layers::begin(machine, this, args);
    }
    if class.makes_classes() {
        return Ok(());
    }
    if let (Some(instance), Some(native)) =
        (this.downcast::<Instance>(), class.native().filter(|native| written::is_class(native)))
    {
        return written::begin(machine, instance, native, args);
    }
    if let (Some(instance), Kind::Besides(native)) = (this.downcast::<Instance>(), &class.kind) {
        if !besides::is_fixed(native) {
            let value = machine.call(native, args)?;
            instance.become_value(value);
        }
        return Ok(());
    }
    if class.native().is_none() && !(args.positional.is_empty() && args.keyword.is_empty()) {
        if class.find("__init__").is_none() {
            fault!(TypeError, "{}() takes no arguments", class.name());
        }
        fault!(TypeError, "object.__init__() takes exactly one argument (the instance to initialize)");
    }
    Ok(())
}

/// The names of the methods that a class only promises.
pub(super) fn promised(class: &UserClass) -> Vec<String> {
    let mut names = class.names();
    names.sort();
    names.dedup();
    names.into_iter().filter(|name| class.find(name).is_some_and(|found| member::is_promised(&found))).collect()
}

/// Fails with a `TypeError` where a method is only promised.
fn refuse_abstract(class: &Rc<UserClass>) -> Outcome<()> {
    if !class.marks.promises {
        return Ok(());
    }
    let promised = promised(class);
    if promised.is_empty() {
        return Ok(());
    }
    fault!(
        TypeError,
        "Can't instantiate abstract class {} with abstract method{} {}",
        class.name(),
        plural(promised.len()),
        promised.join(", ")
    )
}
