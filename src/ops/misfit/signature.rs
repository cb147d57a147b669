//! One way to call an operation, and what PyTorch says of a call that does not fit it.

use super::given::Given;
use super::python;
use crate::ops::args::truth;
use crate::ops::bind::{TOO_WIDE, convert, number_of_numpy, stands_for_int};
use crate::ops::schema::{Alias, Base, Default, Kind, Param, Schema};
use crate::value::{Class, Value};
use anyhow::Result;

/// Functions whose tensors may be numbers.
#[rustfmt::skip] // in few lines
const OF_NUMBERS: &[&str] = &[
    "add", "sub", "mul", "div", "floor_divide", "divide", "multiply", "subtract", "true_divide", "add_", "sub_", "mul_", "div_",
    "divide_", "multiply_", "subtract_", "true_divide_", "copy_",
];

/// How the sentence begins about something else in a list of tensors; no signature behind that one is looked at.
pub(super) const LISTED_ELEMENT: &str = "expected Tensor as element";

/// Parameters of one way to call, without the tensor of a method.
pub(super) struct Signature {
    pub(super) params: Vec<Param>,
    pub(super) places: usize,
}

impl Signature {
    pub(super) fn of(schema: Schema, takes_out: bool, method: bool) -> Signature {
        let listed = schema.returns.first().is_some_and(|first| first.kind.list.is_some());
        let several = listed || schema.returns.len() > 1;
        let mut params = schema.params;
        let mut places = schema.places;
        let at = |params: &[Param], base: Base| params.iter().position(|p| p.kind.base == base);
        if let (Some(format), Some(layout), Some(first)) =
            (at(&params, Base::MemoryFormat), at(&params, Base::Layout), at(&params, Base::DType))
            && format > layout
        {
            // Of what makes tensors it stands before the other options.
            let format = params.remove(format);
            params.insert(first, format);
        }
        if method && !params.is_empty() {
            params.remove(0);
            places -= 1;
            params.retain(|p| p.name != "out");
        } else if takes_out {
            let kind =
                Kind { base: Base::Tensor, alias: Alias::None, list: several.then_some(None), optional: true, symbolic: false };
            let out = Param { name: "out".into(), kind, default: Some(Default::None), keyword_only: true };
            // Of what makes tensors it stands before the dtype, of what works with them at the end.
            let at = match params.iter().any(|p| p.kind.base == Base::Layout) {
                true => params.iter().position(|p| p.kind.base == Base::DType).unwrap_or(params.len()),
                false => params.len(),
            };
            params.insert(at, out);
        }
        Signature { params, places }
    }

    pub(super) fn least(&self) -> usize {
        self.params.iter().filter(|p| is_required(p)).count()
    }

    /// `(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)`
    pub(super) fn text(&self) -> String {
        let mut parts = vec![];
        for (place, param) in self.params.iter().enumerate() {
            if place == self.places {
                parts.push("*".to_string());
            }
            let default = param.default.as_ref().map_or(String::new(), default_text);
            parts.push(format!("{} {}{default}", type_text(&param.kind), shown_param(param)));
        }
        format!("({})", parts.join(", "))
    }

    /// How many arguments the count of a message is compared with: the star counts, and nothing at all is one.
    pub(super) fn counted(&self) -> usize {
        (self.params.len() + (self.params.len() > self.places) as usize).max(1)
    }

    /// The names of the last `count` parameters; the star is one that has no name, and neither has a parameter with a default.
    pub(super) fn ends(&self, count: usize) -> Vec<&str> {
        let mut names: Vec<&str> = self.params.iter().map(|p| if p.default.is_none() { shown_param(p) } else { "" }).collect();
        if self.params.len() > self.places {
            names.insert(self.places, "");
        }
        names.split_off(names.len().saturating_sub(count))
    }

    /// The names given that are none of the last parameters, the last one first.
    pub(super) fn unlisted<'a>(&self, given: &'a Given) -> Vec<&'a str> {
        let ends = self.ends(given.named.keyword.len());
        given.names().into_iter().map(|(key, _)| key).filter(|key| !ends.contains(key)).collect()
    }

    /// What is wrong, when this is how the call was meant; none when it is not known.
    pub(super) fn misfit(&self, name: &str, given: &Given) -> Option<String> {
        let gathers = self.gathers(given);
        let by_place = if gathers { &[] } else { given.values };
        if by_place.len() > self.places {
            return Some(format!("{name}() takes {}", self.takes(given.values.len(), self.least())));
        }
        if gathers && given.named(&self.params, 0).is_some() {
            return self.strange(name, given);
        }
        for (place, param) in self.params.iter().enumerate() {
            let by_name = given.named(&self.params, place);
            let Some(value) = by_place.get(place).or(by_name) else {
                if is_required(param) && !(gathers && place == 0) {
                    return Some(self.missing(name, given));
                }
                continue;
            };
            let is_number = value.as_number().is_some() || is_number_of_numpy(value) || matches!(value, Value::BigInt(_));
            let number = param.kind.base == Base::Tensor && is_number && OF_NUMBERS.contains(&name);
            let fits = number || begins_with_int(param, value) || stands_for_int(param, value);
            if fits || !matches!(convert(value, &param.kind, param.default.as_ref()), Ok(None)) {
                continue;
            }
            let handed_on = given.handed_on.map(|function| python::place(function, &param.name).unwrap_or(place + 1));
            let at = handed_on.or((place < by_place.len()).then_some(place + 1));
            let at = at.filter(|at| *at > 0).map_or(String::new(), |at| format!(" (position {at})"));
            let shown = python::renamed(given.handed_on, &param.name).unwrap_or(shown_param(param));
            return Some(wrong_type(name, (param, shown), place, &at, value));
        }
        self.strange(name, given)
    }

    /// True for `x.view(2, 3)`: ints that stand for the list that is the only parameter by place.
    pub(super) fn gathers(&self, given: &Given) -> bool {
        let list = self.params.first().filter(|p| self.places == 1 && p.kind.list == Some(None) && p.kind.base == Base::Int);
        list.is_some() && given.values.first().is_some_and(|v| fits(v, Base::Int))
    }

    /// A name that no parameter took: of all that were given, the first one that is not spelt as a parameter or was given by place.
    pub(super) fn strange(&self, name: &str, given: &Given) -> Option<String> {
        let keys = &given.named.keyword;
        let by_name = (0..self.params.len()).filter(|i| *i >= given.values.len() || (*i > 0 && self.gathers(given)));
        if by_name.filter(|i| given.named(&self.params, *i).is_some()).count() == keys.len() {
            return None;
        }
        keys.iter().find_map(|(key, _)| match self.params.iter().position(|p| shown_param(p) == &**key) {
            None => Some(format!("{name}() got an unexpected keyword argument '{key}'")),
            Some(place) if place < given.values.len() => Some(format!("{name}() got multiple values for argument '{key}'")),
            Some(_) => None,
        })
    }

    /// The sentence about a list of ints that begins with one and has something else behind it, or an int that no 64 bits hold.
    pub(super) fn unpacks(&self, name: &str, given: &Given) -> Option<String> {
        let wrong = |items: &[Value]| items.iter().position(|v| !fits(v, Base::Int) || matches!(v, Value::BigInt(_)));
        if self.gathers(given) {
            return wrong(given.values).map(|at| unpacking(name, &self.params[0], at, &given.values[at]));
        }
        self.params.iter().enumerate().find_map(|(place, param)| {
            let value = given.values.get(place).or(given.named(&self.params, place))?;
            let items = value.items().filter(|_| begins_with_int(param, value))?;
            wrong(&items).map(|at| unpacking(name, param, at, &items[at]))
        })
    }

    pub(super) fn takes(&self, given: usize, least: usize) -> String {
        let (s, was) = (if self.places == 1 { "" } else { "s" }, if given == 1 { "was" } else { "were" });
        match least == self.places {
            true => format!("{} positional argument{s} but {given} {was} given", self.places),
            false => format!("from {least} to {} positional arguments but {given} were given", self.places),
        }
    }

    /// What is taken by place and given, where arguments that are taken by name alone are given beside.
    fn beside_names(&self, takes: String, given: &Given) -> String {
        let by_name =
            self.params.iter().skip(self.places).filter(|p| given.named.keyword.iter().any(|(key, _)| &**key == shown_param(p)));
        match by_name.count() {
            0 => takes,
            count => {
                let (s, one) = (if count == 1 { "" } else { "s" }, if given.values.len() == 1 { "" } else { "s" });
                let said = format!(" positional argument{one} (and {count} keyword-only argument{s}) were given");
                takes.trim_end_matches(" was given").trim_end_matches(" were given").to_string() + &said
            }
        }
    }

    pub(super) fn absent(&self, given: &Given) -> Vec<&str> {
        let params = self.params.iter().enumerate();
        params
            .filter(|(i, p)| is_required(p) && *i >= given.values.len() && given.named(&self.params, *i).is_none())
            .map(|(_, p)| shown_param(p))
            .collect()
    }

    /// From the first parameter that is missing on all are named that must be given.
    pub(super) fn missing(&self, name: &str, given: &Given) -> String {
        let mut absent = self.absent(given);
        let first = absent.first().copied();
        let from = self.params.iter().skip_while(|p| Some(shown_param(p)) != first);
        absent = from.filter(|p| is_required(p)).map(shown_param).collect();
        let list = absent.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
        // PyTorch has the plural the wrong way round.
        let noun = if absent.len() == 1 { "arguments" } else { "argument" };
        format!("{name}() missing {} required positional {noun}: {list}", absent.len())
    }

    /// True when the call asks by a flag to write in place. Fails as Python's `if` does, which sees the flag first.
    pub(super) fn is_in_place(&self, given: &Given) -> Result<bool> {
        let place = self.params.iter().position(|p| p.name == "inplace");
        place.and_then(|place| given.values.get(place).or(given.named(&self.params, place))).map_or(Ok(false), truth)
    }

    /// Fails with an `AttributeError` when what stands for a tensor is asked for something that only tensors have.
    pub(super) fn asks(&self, name: &str, given: &Given) -> Result<()> {
        let named = |what: &str| given.named.keyword.iter().any(|(key, value)| &**key == what && !matches!(value, Value::None));
        if name.starts_with("nn.functional.binary_cross_entropy") {
            self.reduces(name, given)?;
        }
        for (param, attribute) in python::asked(name) {
            // With a dimension the method is called at once.
            let placed = given.values.get(1).is_some_and(|dim| !matches!(dim, Value::None));
            let at_once = (name.ends_with("softmax") || name.ends_with("softmin")) && (placed || named("dim"));
            let attribute = if at_once { name.trim_start_matches("nn.functional.") } else { attribute };
            let place = self.params.iter().position(|p| p.name == param || shown_param(p) == param);
            let value = place.and_then(|place| given.values.get(place).or(given.named(&self.params, place)));
            let may_be_none = place.is_some_and(|place| !is_required(&self.params[place]));
            let asked = |v: &&Value| match v {
                Value::Tensor(_) => false,
                Value::None => !may_be_none,
                _ => true,
            };
            if let Some(value) = value.filter(asked) {
                if name.ends_with("softmin") && at_once {
                    match value.as_number() {
                        // What is true becomes a number.
                        Some(_) if matches!(value, Value::Bool(_)) => {
                            fault!(AttributeError, "'int' object has no attribute 'softmax'")
                        }
                        Some(_) => fault!(AttributeError, "'{}' object has no attribute 'softmax'", value.type_name()),
                        None => fault!(TypeError, "bad operand type for unary -: '{}'", value.type_name()),
                    }
                }
                match value {
                    Value::Class(class) => {
                        fault!(AttributeError, "type object '{}' has no attribute '{attribute}'", class.name())
                    }
                    other => fault!(AttributeError, "'{}' object has no attribute '{attribute}'", other.type_name()),
                }
            }
        }
        self.reduces(name, given)
    }

    /// Fails with a `ValueError` where a loss is to be reduced in a way that there is not: that is told before the function inside sees
    /// its arguments.
    fn reduces(&self, name: &str, given: &Given) -> Result<()> {
        let value = |name: &str| {
            let place = self.params.iter().position(|p| p.name == name)?;
            given.values.get(place).or(given.named(&self.params, place)).filter(|value| !matches!(value, Value::None))
        };
        match value("reduction") {
            Some(Value::Str(way)) if name.ends_with("kl_div") && way.as_str() == "batchmean" => Ok(()),
            Some(Value::Str(way)) if !["none", "mean", "sum"].contains(&way.as_str()) => {
                match value("size_average").or(value("reduce")) {
                    Some(_) => Ok(()),
                    None => fault!(ValueError, "{} is not a valid value for reduction", way.as_str()),
                }
            }
            _ => Ok(()),
        }
    }

    /// What Python says before the function runs.
    pub(super) fn python(&self, name: &str, given: &Given) -> Option<String> {
        // A method's own object has no name but `self`.
        let is_object = |at: usize, key: &str| at == 0 && name.starts_with("Tensor.") && key != "self";
        for (key, _) in &given.named.keyword {
            if name.starts_with("Tensor.") && &**key == "self" {
                return Some(format!("{name}() got multiple values for argument 'self'"));
            }
            match self.params.iter().position(|p| shown_param(p) == &**key).filter(|at| !is_object(*at, key)) {
                None => return Some(format!("{name}() got an unexpected keyword argument '{key}'")),
                Some(_) if python::BY_PLACE_ALONE.contains(&name) => {
                    return Some(format!("{name}() got some positional-only arguments passed as keyword arguments: '{key}'"));
                }
                Some(at) if at < given.values.len().min(self.places) => {
                    return Some(format!("{name}() got multiple values for argument '{key}'"));
                }
                Some(_) => {}
            }
        }
        if given.values.len() > self.places {
            let takes = self.takes(given.values.len(), self.least().min(self.places));
            return Some(format!("{name}() takes {}", self.beside_names(takes, given)));
        }
        let (by_place, by_name) = self.params.split_at(self.places.min(self.params.len()));
        let absent = self.absent(given);
        let of = |params: &[Param]| -> Vec<String> {
            let here = |n: &&&str| params.iter().any(|p| shown_param(p) == **n);
            absent.iter().filter(here).map(|n| format!("'{n}'")).collect()
        };
        let (names, kind) = match of(by_place) {
            names if names.is_empty() => (of(by_name), "keyword-only"),
            names => (names, "positional"),
        };
        let (last, head) = names.split_last()?;
        let list = match head {
            [] => last.clone(),
            [one] => format!("{one} and {last}"),
            many => format!("{}, and {last}", many.join(", ")),
        };
        let s = if head.is_empty() { "" } else { "s" };
        Some(format!("{name}() missing {} required {kind} argument{s}: {list}", names.len()))
    }
}

/// True for a number of numpy, which no array is.
fn is_number_of_numpy(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.class() != Some(Class::NdArray)) && number_of_numpy(value).is_some()
}

fn is_required(param: &Param) -> bool {
    param.default.is_none()
}

pub(super) fn shown_param(param: &Param) -> &str {
    if param.name == "self" && param.kind.base != Base::Scalar { "input" } else { &param.name }
}

pub(super) fn type_text(kind: &Kind) -> String {
    match kind.list {
        Some(_) if kind.base == Base::Scalar => "tuple of Scalars".to_string(),
        Some(_) => format!("tuple of {}s", kind.base.human()),
        None => kind.base.human().to_string(),
    }
}

fn default_text(default: &Default) -> String {
    match default {
        Default::Ints(ints) => format!(" = {{{}}}", ints.iter().map(i64::to_string).collect::<Vec<_>>().join(",")),
        other => format!(" = {other}"),
    }
}

fn fits(value: &Value, base: Base) -> bool {
    let kind = Kind { base, alias: Alias::None, list: None, optional: false, symbolic: false };
    !matches!(convert(value, &kind, None), Ok(None))
}

/// True for a list of ints as PyTorch knows one before it reads it.
fn begins_with_int(param: &Param, value: &Value) -> bool {
    param.kind.list.is_some()
        && param.kind.base == Base::Int
        && matches!(value, Value::List(_) | Value::Tuple(_))
        && value.items().is_some_and(|items| items.first().is_some_and(|v| fits(v, Base::Int)))
}

fn unpacking(name: &str, param: &Param, at: usize, value: &Value) -> String {
    let what = match value {
        // PyTorch goes on with where in its sources that was found.
        Value::BigInt(_) => TOO_WIDE.to_string(),
        other => format!("type must be tuple of ints,but got {}\"", other.type_name()),
    };
    format!("{name}(): argument '{}' failed to unpack the object at pos {} with error \"{what}", shown_param(param), at + 1)
}

fn wrong_type(name: &str, (param, shown): (&Param, &str), place: usize, at: &str, value: &Value) -> String {
    let wanted = type_text(&param.kind);
    let listed = match value {
        Value::List(_) | Value::Tuple(_) | Value::Size(_) => value.items(),
        Value::Named(_) => value.sequence(),
        _ => None,
    };
    if let (Some(_), Some(items)) = (param.kind.list, listed) {
        let wrong = items.iter().position(|v| !fits(v, param.kind.base));
        match (param.kind.base, wrong) {
            (Base::Tensor, Some(i)) => {
                return format!("{LISTED_ELEMENT} {i} in argument {place}, but got {}", items[i].type_name());
            }
            (Base::Int, Some(0)) if !at.is_empty() => {
                let found = items[0].type_name();
                return format!("{name}(): argument '{shown}'{at} must be {wanted}, but found element of type {found} at pos 0");
            }
            _ => {}
        }
    }
    format!("{name}(): argument '{shown}'{at} must be {wanted}, not {}", value.type_name())
}
