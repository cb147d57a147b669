//! Classes that are written in the language: what an object is made of, its methods and its attributes are texts of a row.
//!
//! A text sees the settings that the object was made with, what it holds, `self`, and the arguments of the call. Rows build on others:
//! what a row does not say is looked up in its base. A member by the name of something held stands in while that is None: it is computed
//! when first asked for, and held from then on.

use super::construct::{self, Settings};
use crate::lang::classes::Instance;
use crate::lang::types::call::plural;
use crate::value::{CallArgs, Key, Machine, Object, ObjectRef, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// A row: a class.
pub struct Written {
    /// Its name.
    pub name: &'static str,
    /// The module that it is shown in.
    pub module: &'static str,
    /// The class it builds on.
    pub base: Option<&'static Written>,
    /// What it is made with.
    pub settings: Settings,
    /// What an object holds, all of it attributes.
    pub holds: &'static [&'static str],
    /// A text whose value is a list of these.
    pub make: &'static str,
    /// Its methods and attributes.
    pub members: &'static [Member],
}

/// What is read or called.
pub struct Member {
    name: &'static str,
    /// The parameters of a method; none for an attribute.
    takes: Option<Settings>,
    run: &'static str,
    /// True for a method of the class, which its text sees as `cls`.
    of_class: bool,
    /// Its text from its class's name and what it holds, where that is made anew each time.
    shows: Option<Shows>,
}

type Shows = fn(&str, &[(&'static str, Value)]) -> String;

/// What is computed when it is read.
pub const fn attribute(name: &'static str, run: &'static str) -> Member {
    Member { name, takes: None, run, of_class: false, shows: None }
}

/// How an object whose values change is shown.
pub const fn shown(shows: Shows) -> Member {
    Member { name: "__str__", takes: None, run: "", of_class: false, shows: Some(shows) }
}

/// What is called. What an object holds as `_length`, `_key`, `_text` and `_path` is its length, what it is equal by, its
/// text for `str`, and the file it names;
/// `__operate__` gets an operator's text and the other side, and gives None where it does not know it. The texts named `__iter__`, `__len__`, `__getitem__` and so on are what operators and `len` ask.
pub const fn method(name: &'static str, takes: Settings, run: &'static str) -> Member {
    Member { name, takes: Some(takes), run, of_class: false, shows: None }
}

/// What is called on the class.
pub const fn of_class(name: &'static str, takes: Settings, run: &'static str) -> Member {
    Member { name, takes: Some(takes), run, of_class: true, shows: None }
}

impl Written {
    /// The classes it builds on, itself first.
    fn line(&'static self) -> impl Iterator<Item = &'static Written> {
        std::iter::successors(Some(self), |row| row.base)
    }

    fn member(&'static self, name: &str) -> Option<&'static Member> {
        Some(self.owned(name)?.1)
    }

    /// A member with the class that it is written in.
    fn owned(&'static self, name: &str) -> Option<(&'static Written, &'static Member)> {
        self.line().find_map(|row| Some((row, row.members.iter().find(|member| member.name == name)?)))
    }
}

/// Attributes that a class has as well as its objects.
const OF_CLASSES: [&str; 4] = ["arg_constraints", "has_enumerate_support", "has_rsample", "support"];

/// True for a class that has nothing for its objects: it only marks what others are.
pub fn only_marks(class: &Value) -> bool {
    row_of(class).is_some_and(|row| row.holds.is_empty() && row.members.is_empty())
}

/// True for the class of a row.
pub fn is_class(class: &Value) -> bool {
    row_of(class).is_some()
}

/// What an object of a class on `class` is of that class before it began; none where `class` is none of a row.
pub fn blank_part(class: &Value, this: &Instance) -> Option<Value> {
    let held = Held::Of(this.me());
    Some(Value::object(Made { class: row_of(class)?, settings: vec![], held, shown: RefCell::default() }))
}

/// Makes of an object of a class on `class` one of this class, too: what that holds become attributes of the object, and it is what the
/// texts see as `self`. As given count the attributes that it has already.
pub fn begin(machine: &mut dyn Machine, this: &Instance, class: &Value, args: CallArgs) -> Outcome<()> {
    let Some(row) = row_of(class) else { return Ok(()) };
    let (mut settings, held) = Made::parts(machine, row, args)?;
    let known = this.entries_of_own().into_iter().map(|(name, _)| name);
    if let Some((_, given)) = settings.iter_mut().find(|(name, _)| *name == "given") {
        *given = Value::list(given.items().unwrap_or_default().into_iter().chain(known).collect());
    }
    for (name, value) in held {
        this.hold(name, value);
    }
    let made = Rc::new(Made { class: row, settings, held: Held::Of(this.me()), shown: RefCell::default() });
    this.become_value(Rc::clone(&made).value());
    // Its text may be about what it does not have yet.
    let _ = Rc::clone(&made).show(machine);
    made.check(machine)
}

/// The same part of another object of the class, a copy of the one that `part` belongs to; none where it is no such part.
pub fn part_of(part: &Value, this: &Instance) -> Option<Value> {
    let made = part.downcast::<Made>()?;
    let held = Held::Of(this.me());
    Some(Value::object(Made { class: made.class, settings: made.settings.clone(), held, shown: made.shown.clone() }))
}

/// True for such a part.
pub fn is_part(value: &Value) -> bool {
    value.downcast::<Made>().is_some_and(|made| matches!(made.held, Held::Of(_)))
}

/// True for a part whose row says what that method does.
pub fn part_has(value: &Value, method: &str) -> bool {
    value.downcast::<Made>().is_some_and(|made| made.class.member(method).is_some())
}

/// The text of a part, where its row says one.
pub fn text_of_part(value: &Value) -> Option<String> {
    value.downcast::<Made>()?.text()
}

/// True for the class of a row.
pub fn is(class: &Value, row: &'static Written) -> bool {
    row_of(class).is_some_and(|own| std::ptr::eq(own, row))
}

/// True for `abc.ABC`, whose children may promise methods.
pub fn is_abstract(class: &Value) -> bool {
    row_of(class).is_some_and(|row| row.name == "ABC")
}

fn row_of(class: &Value) -> Option<&'static Written> {
    class.downcast::<construct::RowClass<Written>>().map(|class| class.row())
}

impl construct::Row for Written {
    fn name(&self) -> &'static str {
        self.name
    }
    fn module(&self) -> String {
        self.module.into()
    }
    fn make(&'static self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        Made::build(machine, self, args)
    }
    fn of(value: &Value) -> Option<&'static Written> {
        let part = value.downcast::<Instance>().and_then(Instance::base);
        Some(part.as_ref().unwrap_or(value).downcast::<Made>()?.class)
    }
    fn base(&self) -> Option<&'static Written> {
        self.base
    }
    fn computes(&self, name: &str) -> bool {
        let mut line = std::iter::successors(Some(self), |row| row.base);
        OF_CLASSES.contains(&name) && line.any(|row| row.members.iter().any(|member| member.name == name))
    }
    fn computed(&'static self, machine: &mut dyn Machine, name: &str) -> Outcome {
        let Some(member) = self.member(name) else { return Ok(Value::None) };
        // What needs an object to be known is a constraint that says so.
        machine
            .eval_code(member.run, &[])
            .or_else(|_| machine.eval_code("torch.distributions.constraints.dependent_property()", &[]))
    }
    fn function(&'static self, name: &str) -> Option<Value> {
        let member = self.member(name).filter(|member| member.of_class)?;
        Some(Value::method_of(move |machine, args| {
            let mut names = construct::bind(&format!("{}.{}()", self.name, member.name), member.takes.unwrap_or_default(), args)?;
            names.push(("cls", construct::class(self)));
            machine.eval_code(member.run, &names)
        }))
    }
}

/// An object of such a class.
struct Made {
    class: &'static Written,
    /// What it was made with, without what it holds by the same name.
    settings: Named,
    held: Held,
    shown: RefCell<String>,
}

type Named = Vec<(&'static str, Value)>;

/// Where what it holds is.
enum Held {
    Own(RefCell<Named>),
    /// Among the attributes of the object of a class of the program that it is a part of.
    Of(Weak<Instance>),
}

impl Held {
    fn get(&self, name: &str) -> Option<Value> {
        match self {
            Held::Own(held) => held.borrow().iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone()),
            Held::Of(whole) => whole.upgrade()?.held(name),
        }
    }

    fn set(&self, name: &str, value: &Value) {
        match self {
            Held::Own(held) => {
                held.borrow_mut().iter_mut().filter(|(own, _)| *own == name).for_each(|(_, place)| *place = value.clone())
            }
            Held::Of(whole) => {
                if let Some(whole) = whole.upgrade() {
                    whole.hold(name, value.clone());
                }
            }
        }
    }

    /// All of it by name, with all else that the whole has.
    fn all(&self) -> Vec<(Value, Value)> {
        match self {
            Held::Own(held) => held.borrow().iter().map(|(name, value)| (Value::from(*name), value.clone())).collect(),
            Held::Of(whole) => whole.upgrade().map_or_else(Vec::new, |whole| whole.entries_of_own()),
        }
    }
}

impl Made {
    fn build(machine: &mut dyn Machine, class: &'static Written, args: CallArgs) -> Outcome {
        let (settings, held) = Made::parts(machine, class, args)?;
        let made = Made::settled(machine, class, settings, held)?;
        Rc::clone(&made).check(machine)?;
        Ok(made.value())
    }

    /// What it was made with and what it holds at first.
    fn parts(machine: &mut dyn Machine, class: &'static Written, args: CallArgs) -> Outcome<(Named, Named)> {
        let settings = construct::bind(&format!("{}.__init__()", class.name), class.settings, args)?;
        let given = |(name, value): &(&'static str, Value)| (!matches!(value, Value::None)).then(|| Value::from(*name));
        let given = Value::list(settings.iter().filter_map(given).collect());
        let held = machine.eval_code(class.make, &settings)?.items().unwrap_or_default();
        let held = class.holds.iter().copied().zip(held).collect();
        let settings = settings.into_iter().filter(|(name, _)| !class.holds.contains(name)).chain([("given", given)]).collect();
        Ok((settings, held))
    }

    fn settled(machine: &mut dyn Machine, class: &'static Written, settings: Named, held: Named) -> Outcome<Rc<Made>> {
        let made = Rc::new(Made { class, settings, held: Held::Own(RefCell::new(held)), shown: RefCell::default() });
        Rc::clone(&made).show(machine)?;
        Ok(made)
    }

    /// What is done once, when all is there.
    fn check(self: Rc<Self>, machine: &mut dyn Machine) -> Outcome<()> {
        match self.class.member("_check") {
            Some(_) => machine.attr(&self.value(), "_check").map(|_| ()),
            None => Ok(()),
        }
    }

    /// Settles its text: what is shown has no evaluator at hand.
    fn show(self: Rc<Self>, machine: &mut dyn Machine) -> Outcome<()> {
        if let Some(shown) = Rc::clone(&self).ask(machine, "__repr__", vec![]) {
            let text = machine.str(&shown?)?;
            self.shown.replace(text);
        }
        Ok(())
    }

    /// Its text, where its row says one.
    fn text(&self) -> Option<String> {
        if let Some(shows) = self.class.member("__str__").and_then(|member| member.shows) {
            let whole = match &self.held {
                Held::Own(_) => None,
                Held::Of(whole) => whole.upgrade(),
            };
            let name = whole.map_or(self.class.name.to_string(), |whole| whole.type_name());
            return Some(shows(&name, &self.held_names()));
        }
        let shown = self.shown.borrow();
        (!shown.is_empty()).then(|| shown.clone())
    }

    /// What it holds.
    fn held_names(&self) -> Named {
        self.class.holds.iter().filter_map(|name| Some((*name, self.held.get(name)?))).collect()
    }

    /// What its texts see besides `self`.
    fn names(&self, arguments: &[(&'static str, Value)]) -> Named {
        self.settings.iter().cloned().chain(self.held_names()).chain(arguments.iter().cloned()).collect()
    }

    /// What it is to itself: the object that it is a part of, where there is one.
    fn this(self: Rc<Self>) -> Value {
        match &self.held {
            Held::Of(whole) => whole.upgrade().map_or(Value::None, |whole| Value::shared(whole)),
            Held::Own(_) => self.value(),
        }
    }

    fn value(self: Rc<Self>) -> Value {
        Value::Object(ObjectRef::new(self))
    }

    /// The value of a member's text.
    fn run(self: Rc<Self>, machine: &mut dyn Machine, member: &'static Member, args: CallArgs) -> Outcome {
        let arguments = match member.takes {
            Some(takes) => {
                let owner = self.class.owned(member.name).map_or(self.class.name, |(owner, _)| owner.name);
                construct::bind(&format!("{owner}.{}()", member.name), takes, args)?
            }
            None => vec![],
        };
        let mut names = self.names(&arguments);
        names.push(("self", self.this()));
        machine.eval_code(member.run, &names)
    }

    /// The value of a method that an operator or a built-in function asks for; none when the class has none of this name.
    fn ask(self: Rc<Self>, machine: &mut dyn Machine, name: &str, arguments: Vec<Value>) -> Option<Outcome> {
        let member = self.class.member(name)?;
        Some(self.run(machine, member, CallArgs::positional(arguments)))
    }

    /// An object of the same class that holds other values.
    fn with(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let [values] = &args.positional[..] else {
            fault!(TypeError, "{}._with() takes one list{}", self.class.name, plural(1));
        };
        let held = self.class.holds.iter().copied().zip(values.items().unwrap_or_default()).collect();
        Made::settled(machine, self.class, self.settings.clone(), held).map(Made::value)
    }

    /// What it holds by a name; none when it does not, or not yet.
    fn holds(&self, name: &str) -> Option<Value> {
        let value = self.held.get(name).filter(|_| self.class.holds.contains(&name))?;
        (!matches!(value, Value::None) || self.class.member(name).is_none()).then_some(value)
    }

    fn hold(&self, name: &str, value: &Value) -> bool {
        let is_held = self.class.holds.contains(&name);
        if is_held {
            self.held.set(name, value);
        }
        is_held
    }
}

impl Object for Made {
    fn type_name(&self) -> String {
        self.class.name.into()
    }
    fn class_object(&self) -> Option<Value> {
        Some(construct::class(self.class))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        self.text().unwrap_or_else(|| {
            format!("<{}.{} object at {:#x}>", self.class.module, self.class.name, std::ptr::from_ref(self).addr())
        })
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if let Some(value) = self.holds(name) {
            return Ok(Some(value));
        }
        let class = self.class;
        Ok(match (name, class.owned(name)) {
            ("_held", _) => Some(Value::list(self.held.all().into_iter().map(|(_, value)| value).collect())),
            ("_names", _) => {
                let known = self.held.all().into_iter().filter(|(_, value)| !matches!(value, Value::None));
                Some(Value::list(known.map(|(name, _)| name).collect()))
            }
            ("_with", _) => Some(Value::method_of(move |machine, args| self.with(machine, args))),
            (_, Some((owner, member))) if member.takes.is_some() => {
                let this = Rc::clone(&self).this();
                let run = move |machine: &mut dyn Machine, args| Rc::clone(&self).run(machine, member, args);
                Some(construct::bound(owner.name, member.name, this, run))
            }
            _ => None,
        })
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        let member = self.class.member(name).filter(|member| member.takes.is_none())?;
        let found = Rc::clone(&self).run(machine, member, CallArgs::default());
        Some(found.and_then(|value| {
            if self.hold(name, &value) {
                self.show(machine)?;
            }
            Ok(value)
        }))
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        Ok(self.hold(name, &value))
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let member = self.class.member("__call__")?;
        Some(self.run(machine, member, args))
    }
    fn is_callable(&self) -> bool {
        self.class.member("__call__").is_some()
    }
    fn attributes(&self) -> Vec<String> {
        let members = self.class.line().flat_map(|row| row.members).map(|member| member.name);
        let visible = members.chain(self.class.holds.iter().copied()).filter(|name| !name.starts_with('_'));
        visible.map(str::to_string).collect()
    }
    fn length(&self) -> Option<usize> {
        match self.holds("_length") {
            Some(Value::Int(count)) => usize::try_from(count).ok(),
            _ => None,
        }
    }
    fn truth(&self) -> Option<Outcome<bool>> {
        self.length().is_none().then_some(Ok(true))
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let (mine, theirs) = (self.holds("_key")?, other.downcast::<Made>()?.holds("_key")?);
        Some(Key::new(mine).ok()? == Key::new(theirs).ok()?)
    }
    fn hash(&self) -> Option<u64> {
        Some(crate::value::python_hash(&self.holds("_key")?) as u64)
    }
    fn path(&self) -> Option<String> {
        match self.holds("_path") {
            Some(Value::Str(path)) => Some(path.as_str().into()),
            _ => None,
        }
    }
    fn str(&self) -> String {
        match self.holds("_text") {
            Some(Value::Str(text)) => text.as_str().into(),
            _ => self.repr(),
        }
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let name = if reflected { "__reflected__" } else { "__operate__" };
        match self.ask(machine, name, vec![Value::from(op), other.clone()])? {
            Ok(Value::None) => None,
            found => Some(found),
        }
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        self.ask(machine, "__iter__", vec![]).map(|found| machine.iter(&found?))
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        self.ask(machine, "__getitem__", vec![key.clone()])
    }
}
