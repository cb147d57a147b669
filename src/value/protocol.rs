//! What values need of the evaluator, and what objects are to it.

use super::{Class, Dict, Outcome, Raise, Value};
use crate::diag::ErrorClass;
use crate::dtype::Number;
use crate::tensor::Tensor;
use std::any::Any;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::{Rc, Weak};

/// Arguments of a call.
#[derive(Clone, Default)]
pub struct CallArgs {
    /// By place.
    pub positional: Vec<Value>,
    /// By name, in order.
    pub keyword: Vec<(Rc<str>, Value)>,
}

impl CallArgs {
    /// Only positional ones.
    pub fn positional(values: Vec<Value>) -> CallArgs {
        CallArgs { positional: values, keyword: vec![] }
    }

    /// The same, for somebody who looks at them only.
    pub fn by_ref(&self) -> CallRef<'_> {
        CallRef { positional: &self.positional, keyword: &self.keyword }
    }
}

/// Arguments of a call that somebody else keeps.
#[derive(Clone, Copy)]
pub struct CallRef<'a> {
    /// By place.
    pub positional: &'a [Value],
    /// By name, in order.
    pub keyword: &'a [(Rc<str>, Value)],
}

impl CallRef<'_> {
    /// A copy for good.
    pub fn to_args(self) -> CallArgs {
        CallArgs { positional: self.positional.to_vec(), keyword: self.keyword.to_vec() }
    }
}

/// What values need of the evaluator.
pub trait Machine {
    /// Calls a callable.
    fn call(&mut self, callee: &Value, args: CallArgs) -> Outcome;
    /// An iterator over an iterable.
    fn iter(&mut self, value: &Value) -> Outcome;
    /// The next item of an iterator; none at the end.
    fn next(&mut self, iterator: &Value) -> Outcome<Option<Value>>;
    /// `getattr(object, name)`.
    fn attr(&mut self, object: &Value, name: &str) -> Outcome;
    /// `setattr(object, name, value)`.
    fn set_attr(&mut self, object: &Value, name: &str, value: Value) -> Outcome<()>;
    /// `delattr(object, name)`.
    fn del_attr(&mut self, object: &Value, name: &str) -> Outcome<()>;
    /// The names of an object's attributes, as `dir` lists them.
    fn attributes(&mut self, object: &Value) -> Vec<String>;
    /// `object[index]`.
    fn get_item(&mut self, object: &Value, index: &Value) -> Outcome;
    /// `object[index] = value`.
    fn set_item(&mut self, object: &Value, index: &Value, value: Value) -> Outcome<()>;
    /// `del object[index]`.
    fn del_item(&mut self, object: &Value, index: &Value) -> Outcome<()>;
    /// `repr(value)`.
    fn repr(&mut self, value: &Value) -> Outcome<String>;
    /// `str(value)`.
    fn str(&mut self, value: &Value) -> Outcome<String>;
    /// Asks the objects in a key whose classes are the program's for their hash, and for what they are equal to.
    fn settle_key(&mut self, value: &Value) -> Outcome<()>;
    /// Evaluates the text of a composed operation with its arguments as names. The text is parsed once.
    fn eval_code(&mut self, code: &'static str, names: &[(&'static str, Value)]) -> Outcome;
    /// Prints to the program's standard output.
    fn write(&mut self, text: &str);
    /// Brings out what was printed.
    fn flush(&mut self);
    /// Prints to the program's standard error.
    fn write_error(&mut self, text: &str);
    /// Shows a note or warning to the user, once per text and session unless the program said otherwise. Fails with the warning where
    /// the program made it an error.
    fn warn(&mut self, class: ErrorClass, text: &str) -> Outcome<()>;
    /// For downcasts to the evaluator.
    fn as_any(&mut self) -> &mut dyn Any;
    /// An object of a class before its `__init__` ran.
    fn blank(&mut self, class: &Value) -> Outcome;
    /// `eval(text)`: the value of an expression.
    fn eval_text(&mut self, text: &str, scope: TextScope) -> Outcome;
    /// `exec(text)`: runs statements; gives `None`.
    fn exec_text(&mut self, text: &str, scope: TextScope) -> Outcome;
    /// The names of the module's scope, or of the innermost function's when `local`, in order of definition.
    fn names(&mut self, local: bool) -> Vec<(Rc<str>, Value)>;
    /// Those names with their values as a dict; of the module's scope it is one and the same, and the program may put names into it.
    fn scope(&mut self, local: bool) -> Value;
    /// `help(x)`, or of nothing in particular: prints a page.
    fn help(&mut self, value: Option<&Value>) -> Outcome<()>;
}

/// The dict of a namespace, as the program holds it.
pub type Names = Rc<RefCell<Dict>>;

/// What a text sees: the scope that is running, or dicts of globals and, if given, of locals.
pub enum TextScope {
    /// The names around the call.
    Running,
    /// Dicts; what statements assign goes to the locals, or to the globals where there are no locals.
    Given {
        /// `globals`
        globals: Names,
        /// `locals`
        locals: Option<Names>,
    },
}

/// An object, shared. A pointer to a trait object has two words; here they lie in memory, so that a [`Value`] has two in all.
#[derive(Clone)]
pub struct ObjectRef(Rc<Rc<dyn Object>>);

impl ObjectRef {
    /// A reference to an object.
    pub fn new(object: Rc<dyn Object>) -> ObjectRef {
        ObjectRef(Rc::new(object))
    }

    /// A reference that does not keep the object.
    pub fn downgrade(&self) -> WeakObject {
        WeakObject(Rc::downgrade(&self.0))
    }
}

/// A reference to an object, or to none, that does not keep it.
#[derive(Clone, Default)]
pub struct WeakObject(Weak<Rc<dyn Object>>);

impl WeakObject {
    /// True when it refers to the object of this reference.
    #[inline(always)]
    pub fn is(&self, object: &ObjectRef) -> bool {
        std::ptr::eq(self.0.as_ptr(), Rc::as_ptr(&object.0))
    }
}

impl Deref for ObjectRef {
    type Target = Rc<dyn Object>;

    fn deref(&self) -> &Rc<dyn Object> {
        &self.0
    }
}

/// Values that are neither numbers, containers nor tensors.
pub trait Object: Any {
    /// The class's name: `function`, `list_iterator`.
    fn type_name(&self) -> String;
    /// Its class, when that has a name of its own.
    fn class(&self) -> Option<Class> {
        None
    }
    /// Its class as an object, when that can do more than show its name.
    fn class_object(&self) -> Option<Value> {
        None
    }
    /// The class that the program defined and that it is an object of.
    fn own_class(&self) -> Option<Rc<dyn Any>> {
        None
    }
    /// For downcasts.
    fn as_any(&self) -> &dyn Any;
    /// `repr(x)`.
    fn repr(&self) -> String {
        format!("<{} object>", self.type_name())
    }
    /// `str(x)`.
    fn str(&self) -> String {
        self.repr()
    }
    /// `x.name`; none when there is no such attribute.
    fn attr(self: Rc<Self>, _name: &str) -> Outcome<Option<Value>> {
        Ok(None)
    }
    /// `x.name` where a text of the language gives it; none when there is no such attribute. Asked after [`Object::attr`].
    fn computed(self: Rc<Self>, _machine: &mut dyn Machine, _name: &str) -> Option<Outcome> {
        None
    }
    /// `x.name` where members of a class that the program defined are passed over; none when there is no such attribute.
    fn native_attr(self: Rc<Self>, _name: &str) -> Outcome<Option<Value>> {
        Ok(None)
    }
    /// `x.name = value`; false when there is no such attribute.
    fn set_attr(&self, _name: &str, _value: Value) -> Outcome<bool> {
        Ok(false)
    }
    /// `del x.name`; false when there is no such attribute that can be deleted.
    fn del_attr(&self, _name: &str) -> bool {
        false
    }
    /// Names for completion.
    fn attributes(&self) -> Vec<String> {
        vec![]
    }
    /// `x(…)`; none when not callable.
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, _args: CallArgs) -> Option<Outcome> {
        None
    }
    /// True for what becomes a method where it stands in a class.
    fn is_function(&self) -> bool {
        false
    }
    /// True when `call` works.
    fn is_callable(&self) -> bool {
        false
    }
    /// True for an iterator, whose `next` works.
    fn is_iterator(&self) -> bool {
        false
    }
    /// The next item of an iterator.
    fn next(&self, _machine: &mut dyn Machine) -> Outcome<Option<Value>> {
        Ok(None)
    }
    /// `x == y`; none when it has no opinion (identity decides).
    fn equals(&self, _other: &Value) -> Option<bool> {
        None
    }
    /// Whether it is one dict key with another value of the same hash; none when identity decides.
    fn same_key(&self, other: &Value) -> Option<bool> {
        self.equals(other)
    }
    /// The value of a built-in class that it is, too, where its class is the program's and builds on one.
    fn plain(&self) -> Option<Value> {
        None
    }
    /// The path that it stands for where a file is named.
    fn path(&self) -> Option<String> {
        None
    }
    /// The elements of a numpy array, or of a numpy scalar (without dimensions).
    fn as_array(&self) -> Option<Tensor> {
        None
    }
    /// The memory behind a buffer, in a row: what is written there is seen in it.
    fn buffer(&self) -> Option<Tensor> {
        self.as_array().filter(|array| array.layout().is_plain())
    }
    /// `x op= y`, where `result` is what `x op y` gives: writes it where `x` is; none when `x` never changes.
    fn operate_in_place(&self, _op: &'static str, _result: &Value) -> Option<Outcome<()>> {
        None
    }
    /// What `x op= y` fails with where `x op y` fails.
    fn failed_in_place(&self, raise: Raise) -> Raise {
        raise
    }
    /// A hash that agrees with `equals`; none: by identity.
    fn hash(&self) -> Option<u64> {
        None
    }
    /// The number it stands for where a number is needed: an array of one element.
    fn number(&self) -> Option<Number> {
        None
    }
    /// Its entries, when it is a dict too (`defaultdict`).
    fn entries(&self) -> Option<Rc<RefCell<Dict>>> {
        None
    }
    /// `isinstance(value, x)`; none when it is no class.
    fn is_class_of(&self, _value: &Value) -> Option<bool> {
        None
    }
    /// True when another class inherits from this one.
    fn is_base_of(&self, _class: &Value) -> bool {
        false
    }
    /// A copy with the same items, as `copy.copy` makes it; none: it never changes, and is its own copy.
    fn copy(&self) -> Option<Value> {
        None
    }
    /// A copy with copies of what it holds, each made by `copy`, as `copy.deepcopy` makes it; none: as [`Object::copy`] does.
    fn deep_copy(&self, _copy: &mut dyn FnMut(&Value) -> Outcome) -> Option<Outcome> {
        None
    }
    /// False when it cannot be a dict key.
    fn is_hashable(&self) -> bool {
        true
    }
    /// `len(x)`; none when it has no length.
    fn length(&self) -> Option<usize> {
        None
    }
    /// `bool(x)`; none: by its length, and true without one.
    fn truth(&self) -> Option<Outcome<bool>> {
        None
    }
    /// `iter(x)`; none when it is not iterable (an iterator is its own).
    fn iter(self: Rc<Self>, _machine: &mut dyn Machine) -> Option<Outcome> {
        None
    }
    /// `item in x`; none: by iterating.
    fn contains(&self, _machine: &mut dyn Machine, _item: &Value) -> Option<Outcome<bool>> {
        None
    }
    /// `x[key]`; none when it takes no index.
    fn index(self: Rc<Self>, _machine: &mut dyn Machine, _key: &Value) -> Option<Outcome> {
        None
    }
    /// `x[key] = value`, or `del x[key]` without a value; none when it takes none.
    fn set_index(&self, _machine: &mut dyn Machine, _key: &Value, _value: Option<Value>) -> Option<Outcome<()>> {
        None
    }
    /// `-x`, `+x`, `~x`, by the operator's text; none when it does not know it.
    fn unary(self: Rc<Self>, _machine: &mut dyn Machine, _op: &'static str) -> Option<Outcome> {
        None
    }
    /// `x op other`, or `other op x` when `reflected`, for arithmetic and comparisons by the operator's text (`+`, `<=`); none when it
    /// does not know the operator with that operand. `==` and `!=` go to `equals` then.
    fn operate(
        self: Rc<Self>,
        _machine: &mut dyn Machine,
        _op: &'static str,
        _other: &Value,
        _reflected: bool,
    ) -> Option<Outcome> {
        None
    }
}
