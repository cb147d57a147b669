//! Built-in functions and methods as rows of tables, and how their arguments are taken.
//!
//! A row says its name, which arguments it takes and what runs. From the rows of a type come its methods, `dir()`, completion and
//! suggestions; a wrong call gets CPython's message, which depends on the way CPython takes the arguments ([`Takes`]).

use crate::lang::classes;
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use smallvec::SmallVec;
use std::any::Any;
use std::ops::Deref;
use std::rc::Rc;

/// Which arguments a built-in takes, by CPython's calling convention.
#[derive(Clone, Copy)]
pub enum Takes {
    /// None (`METH_NOARGS`).
    Nothing,
    /// One by place (`METH_O`).
    One,
    /// So many by place: from, to.
    Between(usize, usize),
    /// So many by place, of a special method: from, to.
    Slot(usize, usize),
    /// By place or name.
    Named(Names),
    /// By place or name, for what is written in Python there: its messages count the object of a method.
    Def(Names),
    /// The function looks itself: [`Call::args`] and [`Call::keyword`].
    Any,
}

impl Takes {
    /// True when so many arguments by place, and none by name, are in order as they are.
    #[inline]
    fn fits(&self, count: usize) -> bool {
        match self {
            Takes::Nothing => count == 0,
            Takes::One => count == 1,
            Takes::Between(from, to) | Takes::Slot(from, to) => (*from..=*to).contains(&count),
            Takes::Named(names) | Takes::Def(names) => count == names.names.len() && count == names.places,
            Takes::Any => true,
        }
    }
}

/// Parameters that may be named.
#[derive(Clone, Copy)]
pub struct Names {
    /// In order; an empty name can only be given by place.
    pub names: &'static [&'static str],
    /// The first so many must be given.
    pub required: usize,
    /// The first so many may be given by place.
    pub places: usize,
}

/// Parameters that may all be given by place or name, the first `required` of them must be.
pub const fn named(names: &'static [&'static str], required: usize) -> Takes {
    Takes::Named(Names { names, required, places: names.len() })
}

/// Parameters of which only the first `places` may be given by place.
pub const fn keywords(names: &'static [&'static str], required: usize, places: usize) -> Takes {
    Takes::Named(Names { names, required, places })
}

/// Parameters of a function that is written in Python there; those behind the first `places` may only be named.
pub const fn def(names: &'static [&'static str], required: usize, places: usize) -> Takes {
    Takes::Def(Names { names, required, places })
}

/// A built-in function or method.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// What runs.
    pub run: fn(&mut Call<'_>) -> Outcome,
    /// What runs where no more than a look at the arguments is needed.
    pub at_once: Option<AtOnce>,
}

/// The result for an object (`None` for functions) and arguments by place that stand in variables; none when the row itself must run.
pub type AtOnce = fn(this: &Value, args: &[&Value]) -> Option<Value>;

impl Row {
    /// True for a special method.
    pub fn is_slot(&self) -> bool {
        matches!(self.takes, Takes::Slot(..))
    }

    /// With a way that needs no call.
    pub const fn at_once(mut self, look: AtOnce) -> Row {
        self.at_once = Some(look);
        self
    }
}

/// A row of a table.
pub const fn row(name: &'static str, takes: Takes, run: fn(&mut Call<'_>) -> Outcome) -> Row {
    Row { name, takes, run, at_once: None }
}

/// The rows of a type or module.
pub struct Table {
    /// The type or module, as messages name it: `list`, `math`; empty for the built-in functions.
    pub owner: &'static str,
    /// The rows, by [`Table::sorted`].
    pub rows: Sorted,
}

/// Rows that are sorted by name.
pub struct Sorted(&'static [Row]);

impl Deref for Sorted {
    type Target = [Row];

    fn deref(&self) -> &[Row] {
        self.0
    }
}

/// The order of `str`, where the compiler asks for it.
const fn is_before(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut place = 0;
    while place < one.len() && place < other.len() {
        if one[place] != other[place] {
            return one[place] < other[place];
        }
        place += 1;
    }
    one.len() < other.len()
}

impl Table {
    /// Rows as a table has them; one that stands in the wrong place, where no search would find it, does not compile.
    pub const fn sorted(rows: &'static [Row]) -> Sorted {
        let mut place = 1;
        while place < rows.len() {
            assert!(is_before(rows[place - 1].name, rows[place].name), "rows are sorted by name");
            place += 1;
        }
        Sorted(rows)
    }

    /// The row with this name.
    pub fn find(&self, name: &str) -> Option<&'static Row> {
        let place = self.rows.binary_search_by(|row| row.name.cmp(name)).ok()?;
        self.rows.0.get(place)
    }

    /// The names of the rows.
    pub fn names(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.name.to_string()).collect()
    }

    /// `owner.name()`, as messages about arguments say it.
    fn title(&self, row: &Row) -> String {
        if self.owner.is_empty() { format!("{}()", row.name) } else { format!("{}.{}()", self.owner, row.name) }
    }

    /// Checks the arguments and runs a row.
    pub fn call(&self, row: &Row, machine: &mut dyn Machine, this: &Value, args: CallArgs) -> Outcome {
        self.call_slots(row, machine, this, args.positional.into_iter().map(Some).collect(), args.keyword)
    }

    /// As [`Table::call`], with the arguments by place where a row takes them.
    pub fn call_slots(&self, row: &Row, machine: &mut dyn Machine, this: &Value, slots: Slots, keyword: Keywords) -> Outcome {
        let slots = match self.takes_plain() && slots.iter().any(is_object) {
            true => match self.by_object(row, machine, slots)? {
                Given::Answer(answer) => return Ok(answer),
                Given::Slots(slots) => slots,
            },
            false => slots,
        };
        if keyword.is_empty() && row.takes.fits(slots.len()) {
            return (row.run)(&mut Call { machine, this, args: slots, keyword });
        }
        let (args, keyword) = self.bind(row, slots, keyword)?;
        (row.run)(&mut Call { machine, this, args, keyword })
    }

    /// What an object among the arguments says of a function of numbers, or the arguments as the numbers and texts that they are.
    fn by_object(&self, row: &Row, machine: &mut dyn Machine, slots: Slots) -> Outcome<Given> {
        if self.owner != "math" {
            return Ok(Given::Slots(slots.into_iter().map(|slot| slot.map(|value| classes::plain(&value))).collect()));
        }
        let asked = [("ceil", "__ceil__"), ("floor", "__floor__"), ("trunc", "__trunc__")];
        if let (Some((_, name)), Some(Some(this))) = (asked.iter().find(|(own, _)| *own == row.name), slots.first())
            && let Some(answer) = classes::ask(machine, this, name, vec![])
        {
            return answer.map(Given::Answer);
        }
        let mut numbers = Slots::new();
        for slot in slots {
            numbers.push(match slot {
                Some(value @ Value::Object(_)) => match classes::ask(machine, &value, "__float__", vec![]) {
                    Some(number) => Some(number?),
                    None => Some(classes::plain(&value)),
                },
                other => other,
            });
        }
        Ok(Given::Slots(numbers))
    }

    /// True where an object stands for the number or text that it is: nothing that is handed over is kept.
    fn takes_plain(&self) -> bool {
        matches!(self.owner, "str" | "math")
    }

    #[inline]
    fn bind(&self, row: &Row, slots: Slots, keyword: Keywords) -> Outcome<(Slots, Keywords)> {
        let count = slots.len();
        if !matches!(row.takes, Takes::Named(_) | Takes::Def(_) | Takes::Any) && !keyword.is_empty() {
            fault!(TypeError, "{} takes no keyword arguments", self.title(row));
        }
        match row.takes {
            Takes::Nothing if count != 0 => fault!(TypeError, "{} takes no arguments ({count} given)", self.title(row)),
            Takes::One if count != 1 => {
                fault!(TypeError, "{} takes exactly one argument ({count} given)", self.title(row))
            }
            Takes::Between(from, to) => {
                if matches!(self.owner, "str" | "bytes") && SEARCHES.contains(&row.name) && !(from..=to).contains(&count) {
                    let (how, bound) = if count < from { ("least", from) } else { ("most", to) };
                    fault!(TypeError, "{}() takes at {how} {bound} argument{} ({count} given)", row.name, plural(bound));
                }
                check_count(row.name, count, from, to)?;
                Ok((slots, vec![]))
            }
            Takes::Slot(from, to) => {
                check_count("", count, from, to)?;
                Ok((slots, vec![]))
            }
            Takes::Named(names) => Ok((names.bind(row.name, slots, keyword)?, vec![])),
            Takes::Def(names) => Ok((self.bind_def(names, row.name, slots, keyword)?, vec![])),
            Takes::Nothing | Takes::One => Ok((slots, vec![])),
            Takes::Any => Ok((slots, keyword)),
        }
    }
}

fn is_object(slot: &Option<Value>) -> bool {
    matches!(slot, Some(Value::Object(_)))
}

/// What objects among the arguments of a built-in function make of its call.
enum Given {
    /// Its result.
    Answer(Value),
    /// Its arguments.
    Slots(Slots),
}

impl Table {
    /// Binds as a function of Python's does. Methods of a class (an owner with a capital) count the object itself.
    fn bind_def(&self, names: Names, name: &str, mut slots: Slots, keyword: Keywords) -> Outcome<Slots> {
        let is_method = self.owner.starts_with(|c: char| c.is_ascii_uppercase());
        let title = if is_method { format!("{}.{name}()", self.owner) } else { format!("{name}()") };
        let (given, own) = (slots.len(), is_method as usize);
        if given > names.places {
            let (least, most) = (names.required.min(names.places) + own, names.places + own);
            let range = if least == most { format!("{most}") } else { format!("from {least} to {most}") };
            let verb = if given + own == 1 { "was" } else { "were" };
            let s = if least == most { plural(most) } else { "s" };
            fault!(TypeError, "{title} takes {range} positional argument{s} but {} {verb} given", given + own);
        }
        slots.resize(names.names.len(), None);
        for (key, value) in keyword {
            match names.names.iter().position(|n| **n == *key) {
                Some(place) if slots[place].is_some() => fault!(TypeError, "{title} got multiple values for argument '{key}'"),
                Some(place) => slots[place] = Some(value),
                None => fault!(TypeError, "{title} got an unexpected keyword argument '{key}'"),
            }
        }
        let missing: Vec<String> =
            (0..names.required).filter(|i| slots[*i].is_none()).map(|i| format!("'{}'", names.names[i])).collect();
        if !missing.is_empty() {
            let count = missing.len();
            fault!(TypeError, "{title} missing {count} required positional argument{}: {}", plural(count), listed(&missing));
        }
        Ok(slots)
    }
}

/// `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`.
pub fn listed(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [rest @ .., last] => format!("{}, and {last}", rest.join(", ")),
        [] => String::new(),
    }
}

/// Refuses a number of positional arguments outside `from..=to`, with CPython's message, which begins with the name if there is one.
pub fn check_count(name: &str, count: usize, from: usize, to: usize) -> Outcome<()> {
    let bound = if count < from {
        from
    } else if count > to {
        to
    } else {
        return Ok(());
    };
    let how = match (from == to, count < from) {
        (true, _) => "",
        (false, true) => "at least ",
        (false, false) => "at most ",
    };
    let space = if name.is_empty() { "" } else { " " };
    fault!(TypeError, "{name}{space}expected {how}{bound} argument{}, got {count}", plural(bound))
}

/// `s` unless there is one.
pub fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Methods of str and bytes that count what they are given in other words.
const SEARCHES: &[&str] = &["count", "endswith", "find", "index", "rfind", "rindex", "startswith"];

/// Arguments by place; none where one was left out.
pub type Slots = SmallVec<[Option<Value>; 3]>;
/// Arguments by name.
pub type Keywords = Vec<(Rc<str>, Value)>;

impl Names {
    fn bind(&self, name: &str, mut slots: Slots, keyword: Keywords) -> Outcome<Slots> {
        self.check_counts(name, slots.len(), keyword.len())?;
        let given = slots.len();
        slots.resize(self.names.len(), None);
        for (key, value) in keyword {
            match self.names.iter().position(|n| !n.is_empty() && **n == *key) {
                Some(place) if place < given => {
                    fault!(TypeError, "argument for {name}() given by name ('{key}') and position ({})", place + 1)
                }
                Some(place) => slots[place] = Some(value),
                None => fault!(TypeError, "'{key}' is an invalid keyword argument for {name}()"),
            }
        }
        if let Some(place) = slots.iter().take(self.required).position(Option::is_none) {
            // A loop of numbers says no place.
            let at = if name == "enumerate" { String::new() } else { format!(" (pos {})", place + 1) };
            fault!(TypeError, "{name}() missing required argument '{}'{at}", self.names[place]);
        }
        Ok(slots)
    }

    fn check_counts(&self, name: &str, positional: usize, keyword: usize) -> Outcome<()> {
        let all = self.names.len();
        let how = |exact: bool| if exact { "exactly" } else { "at most" };
        if positional + keyword > all {
            let by_name = if positional == 0 { "keyword " } else { "" };
            let given = positional + keyword;
            fault!(
                TypeError,
                "{name}() takes {} {all} {by_name}argument{} ({given} given)",
                how(self.required == all),
                plural(all)
            );
        }
        if positional > self.places {
            if self.places == 0 {
                fault!(TypeError, "{name}() takes no positional arguments");
            }
            let exact = self.required >= self.places;
            fault!(
                TypeError,
                "{name}() takes {} {} positional argument{} ({positional} given)",
                how(exact),
                self.places,
                plural(self.places)
            );
        }
        let unnamed = self.names.iter().take_while(|n| n.is_empty()).count();
        let least = unnamed.min(self.required);
        if positional < least {
            let how = if self.places > least { "at least" } else { "exactly" };
            fault!(TypeError, "{name}() takes {how} {least} positional argument{} ({positional} given)", plural(least));
        }
        Ok(())
    }
}

/// A call on its way into a row.
pub struct Call<'a> {
    /// The evaluator.
    pub machine: &'a mut dyn Machine,
    /// What the method was called on; `None` for functions.
    pub this: &'a Value,
    args: Slots,
    /// Arguments by name, for rows that take [`Takes::Any`].
    pub keyword: Keywords,
}

impl Call<'_> {
    /// The argument of a parameter, `None` when it was left out.
    pub fn arg(&self, place: usize) -> &Value {
        self.get(place).unwrap_or(&Value::None)
    }

    /// The argument of a parameter, if it was given.
    pub fn get(&self, place: usize) -> Option<&Value> {
        self.args.get(place).and_then(Option::as_ref)
    }

    /// The argument of a parameter if it was given and is not `None`.
    pub fn some(&self, place: usize) -> Option<&Value> {
        self.get(place).filter(|v| !matches!(v, Value::None))
    }

    /// The arguments by place with the ints that objects among them say they are.
    pub fn indices(&mut self) -> Outcome<Vec<Value>> {
        let args = self.args();
        args.iter().map(|value| classes::index(self.machine, value)).collect()
    }

    /// All arguments by place, for rows that take [`Takes::Any`] or [`Takes::Between`].
    pub fn args(&self) -> Vec<Value> {
        self.args.iter().flatten().cloned().collect()
    }

    /// How many arguments were given by place.
    pub fn count(&self) -> usize {
        self.args.iter().flatten().count()
    }

    /// Takes an argument by name out of [`Call::keyword`].
    pub fn take_keyword(&mut self, name: &str) -> Option<Value> {
        let place = self.keyword.iter().position(|(key, _)| &**key == name)?;
        Some(self.keyword.remove(place).1)
    }

    /// Refuses what is left in [`Call::keyword`], for functions whose messages are those of Python code.
    pub fn no_more_keywords(&self, name: &str) -> Outcome<()> {
        match self.keyword.first() {
            Some((key, _)) => fault!(TypeError, "'{key}' is an invalid keyword argument for {name}()"),
            None => Ok(()),
        }
    }
}

/// A built-in function, or a method bound to its object.
pub struct Builtin {
    table: &'static Table,
    row: &'static Row,
    this: Value,
}

impl Builtin {
    /// A function of a module.
    pub fn function(table: &'static Table, row: &'static Row) -> Value {
        Value::object(Builtin { table, row, this: Value::None })
    }

    /// A method and its object.
    pub fn method(table: &'static Table, row: &'static Row, this: Value) -> Value {
        Value::object(Builtin { table, row, this })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.row.name
    }

    /// The name of a row behind that of its class or module; what is built into the language has none.
    pub fn full_name(table: &Table, row: &Row) -> String {
        match table.owner {
            "" => row.name.to_string(),
            owner => format!("{owner}.{}", row.name),
        }
    }

    /// Its name behind that of its class or module.
    pub fn name_with_owner(&self) -> String {
        Builtin::full_name(self.table, self.row)
    }

    /// What runs at once, and its object.
    pub fn at_once(&self) -> Option<(AtOnce, &Value)> {
        Some((self.row.at_once?, &self.this))
    }

    /// Calls it with arguments by place.
    pub fn call_slots(&self, machine: &mut dyn Machine, slots: Slots) -> Outcome {
        self.table.call_slots(self.row, machine, &self.this, slots, vec![])
    }
}

impl Object for Builtin {
    fn type_name(&self) -> String {
        if self.row.is_slot() { "method-wrapper" } else { "builtin_function_or_method" }.into()
    }
    fn class(&self) -> Option<Class> {
        (!self.row.is_slot()).then_some(Class::Builtin)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        match &self.this {
            Value::None => format!("<built-in function {}>", self.row.name),
            this if self.row.is_slot() => {
                format!("<method-wrapper '{}' of {} object at {:#x}>", self.row.name, this.type_name(), this.identity())
            }
            this => format!("<built-in method {} of {} object at {:#x}>", self.row.name, this.type_name(), this.identity()),
        }
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::from(self.row.name)),
            "__qualname__" => Some(Value::from(self.table.title(self.row).trim_end_matches("()"))),
            "__self__" => Some(self.this.clone()),
            "__module__" if matches!(self.this, Value::None) => {
                Some(Value::from(if self.table.owner.is_empty() { "builtins" } else { self.table.owner }))
            }
            "__doc__" | "__module__" => Some(Value::None),
            _ => None,
        })
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.table.call(self.row, machine, &self.this, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let Value::Object(other) = other else { return None };
        let other = other.as_any().downcast_ref::<Builtin>()?;
        Some(std::ptr::eq(self.row, other.row) && self.this.is(&other.this))
    }
    fn hash(&self) -> Option<u64> {
        Some(self.row as *const Row as u64 ^ self.this.identity())
    }
}
