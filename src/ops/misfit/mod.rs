//! What is wrong with the arguments of a call that no row takes, in PyTorch's words.

mod listed;
mod python;

use super::OpSet;
use super::bind::{convert, place_of};
use super::former::has_old_forms;
use super::schema::{Base, Default, Kind, Param, Schema};
use crate::value::{CallArgs, Value};
use anyhow::Result;
use listed::LISTED;
use python::PYTHON;

/// Functions whose tensors may be numbers.
const OF_NUMBERS: &[&str] = &["add", "sub", "mul", "div", "floor_divide", "add_", "sub_", "mul_", "div_"];

/// Parameters of one way to call, without the tensor of a method.
struct Signature {
    params: Vec<Param>,
    places: usize,
}

/// The sentence for a call that fits none of the set's rows.
pub(super) fn sentence(set: &OpSet, method: bool, call: &CallArgs) -> Result<String> {
    if let Some(text) = slot_sentence(set.name, call) {
        return Ok(text);
    }
    if let Some(text) = python_sentence(set, method, call)?.or_else(|| of_tensors(set.name, call)) {
        return Ok(text);
    }
    let name = shown_name(set.name);
    let signatures = signatures(set, method)?;
    let handed_on = Some(set.name).filter(|name| python::counts(name));
    let given = Given { values: call.positional.get(method as usize..).unwrap_or(&[]), named: call, handed_on };
    let python = signatures.first().filter(|_| signatures.len() == 1 && python::counts(set.name));
    if let Some(one) = python {
        if let Some(text) = one.python(&python::spelt(python::short(set.name)), &given) {
            return Ok(text);
        }
        one.asks(set.name, &given)?;
    }
    if let Some(text) = takes_nothing(&signatures, &name, method, &given) {
        return Ok(text);
    }
    let in_place = signatures.first().is_some_and(|one| one.is_in_place(&given));
    let name = if in_place && handed_on.is_some() { format!("{name}_") } else { name };
    // Forms of old are not listed: what those operations take is told like an overload's.
    let alone = signatures.len() == 1 && !has_old_forms(set) && set.name != "copy_";
    Ok(told(&name, &signatures, &given, alone))
}

/// The sentence for a call that fits none of the signatures; `alone` when the only one is meant whatever the number of arguments.
fn told(name: &str, signatures: &[Signature], given: &Given, alone: bool) -> String {
    // Of a list of ints only the first is looked at when a signature is chosen.
    let chosen = signatures.iter().find(|s| s.misfit(name, given).is_none());
    if let Some(text) = chosen.and_then(|s| s.unpacks(name, given)) {
        return text;
    }
    let mut plausible = signatures.iter().filter(|s| alone || (s.least()..=s.params.len()).contains(&given.count()));
    if let (Some(one), None) = (plausible.next(), plausible.next())
        && let Some(text) = one.misfit(name, given)
    {
        return text;
    }
    combination(name, signatures, given)
}

/// The sentence for a call of something that is no operation and takes none of these.
pub fn no_signature(name: &str, takes: &[&str], call: &CallArgs) -> Result<String> {
    let parse = |text: &&str| Ok(Signature::of(Schema::parse(&format!("f{text} -> Any"))?, false, false));
    let signatures = takes.iter().map(parse).collect::<Result<Vec<_>>>()?;
    Ok(told(name, &signatures, &Given { values: &call.positional, named: call, handed_on: None }, false))
}

/// True for what PyTorch has written in Python, and not bound from C++.
pub(super) fn is_python(name: &str) -> bool {
    python::counts(name) || PYTHON.iter().any(|(known, ..)| *known == name)
}

/// The name of an operation behind that of the class or module that Python finds it in.
pub fn full_name(set: &OpSet, method: bool) -> String {
    let name = set.name;
    match (method, is_python(name)) {
        (true, true) => format!("torch._tensor.Tensor.{name}"),
        (true, false) => format!("Tensor.{name}"),
        _ if name.contains('.') => format!("torch.{name}"),
        (false, true) => format!("torch.functional.{name}"),
        (false, false) => format!("torch._VariableFunctionsClass.{name}"),
    }
}

/// What is said of arguments for a function without parameters, or with one that has no name.
fn takes_nothing(signatures: &[Signature], name: &str, method: bool, given: &Given) -> Option<String> {
    let [Signature { params, .. }] = signatures else { return None };
    let nameless = if method { name == "apply_" } else { name == "from_numpy" };
    let owner = match method {
        true => "TensorBase",
        false if nameless => "torch._VariableFunctionsClass",
        false => "torch",
    };
    match given.values.len() {
        _ if !params.is_empty() && !nameless => None,
        _ if !given.named.keyword.is_empty() => Some(format!("{owner}.{name}() takes no keyword arguments")),
        1 if nameless => None,
        count if nameless => Some(format!("{owner}.{name}() takes exactly one argument ({count} given)")),
        count => Some(format!("{owner}.{name}() takes no arguments ({count} given)")),
    }
}

/// What is said of the arguments of `x.__getitem__(…)`, which Python counts for its slots.
fn slot_sentence(name: &str, call: &CallArgs) -> Option<String> {
    let (said, wanted) = match name {
        "__getitem__" => ("expected 1 argument", 1),
        "__setitem__" => (" expected 2 arguments", 2),
        _ => return None,
    };
    let given = call.positional.len().saturating_sub(1);
    match call.keyword.is_empty() {
        false => Some(format!("wrapper {name}() takes no keyword arguments")),
        true => (given != wanted).then(|| format!("{said}, got {given}")),
    }
}

/// What is said of the arguments of functions that take any number of tensors.
fn of_tensors(name: &str, call: &CallArgs) -> Option<String> {
    if let (true, Some((key, _))) = (python::BY_PLACE.contains(&name), call.keyword.first()) {
        return Some(format!("{name}() got an unexpected keyword argument '{key}'"));
    }
    if !python::OF_TENSORS.contains(&name) {
        return None;
    }
    let known = |key: &str| matches!((name, key), ("meshgrid", "indexing") | ("chain_matmul", "out"));
    if let Some((key, _)) = call.keyword.iter().find(|(key, _)| !known(key)) {
        return Some(format!("{name}() got an unexpected keyword argument '{key}'"));
    }
    let listed = match &call.positional[..] {
        [Value::List(_) | Value::Tuple(_)] if !super::bind::BY_PLACE.contains(&name) => call.positional[0].items(),
        [_] if name.starts_with("atleast") => None,
        given => Some(given.to_vec()),
    }?;
    let wrong = listed.iter().position(|item| !matches!(item, Value::Tensor(_)))?;
    Some(format!("expected Tensor as element {wrong} in argument 0, but got {}", listed[wrong].type_name()))
}

/// What Python says of the call of a function that is written in it, or the function inside.
fn python_sentence(set: &OpSet, method: bool, call: &CallArgs) -> Result<Option<String>> {
    let find = |name: &str| PYTHON.iter().find(|(known, ..)| *known == name);
    let spelt = set.name.strip_prefix("random.").unwrap_or(set.name);
    let dotted = if method { find(&format!(".{}", set.name)) } else { None };
    let Some((_, takes, inner, inner_takes)) = dotted.or_else(|| find(spelt)) else { return Ok(None) };
    let signature =
        |text: &str| -> Result<Signature> { Ok(Signature::of(Schema::parse(&format!("f{text} -> Tensor"))?, false, false)) };
    let outer = signature(takes)?;
    let given = Given { values: &call.positional, named: call, handed_on: None };
    let shown = match python::chosen(spelt, call)?.filter(|_| !method) {
        Some(chosen) => chosen,
        None if method => format!("Tensor.{}", set.name),
        None => python::spelt(spelt),
    };
    if let Some(text) = outer.python(&shown, &given) {
        return Ok(Some(text));
    }
    if !method {
        outer.asks(set.name, &given)?;
    }
    if spelt == "unique"
        && let Some(dim) = given.values.get(4).or(given.named(&outer.params, 4))
        && !matches!(dim, Value::None | Value::Int(_))
    {
        return Ok(Some(format!("unique_dim(): argument 'dim' (position 2) must be int, not {}", dim.type_name())));
    }
    if let ("split", Some(Value::Int(_) | Value::Bool(_))) = (spelt, given.values.get(1).or(given.named(&outer.params, 1))) {
        return split_sentence(&given, &outer).map(Some);
    }
    let seen = signature(inner_takes)?;
    // What stands between two arguments that are given has its default.
    let values = (0..seen.params.len()).map(|i| given.values.get(i).or(given.named(&outer.params, i)).cloned());
    let mut values: Vec<Option<Value>> = values.collect();
    while values.last().is_some_and(Option::is_none) {
        values.pop();
    }
    let values = values.into_iter().enumerate().map(|(i, value)| match (value, &seen.params[i].default) {
        (None, Some(Default::Bool(b))) => Value::Bool(*b),
        (value, _) => value.unwrap_or(Value::None),
    });
    let mut call = CallArgs::positional(values.collect());
    if inner.contains("unique") || inner.contains("lu_with") {
        // All but the tensor are handed on by name.
        let names = seen.params.iter().skip(1).map(|p| p.name.as_str().into());
        call.keyword = names.zip(call.positional.drain(1.min(call.positional.len())..)).collect();
    }
    let given = Given { values: &call.positional, named: &call, handed_on: None };
    Ok(seen.misfit(inner, &given).or_else(|| seen.unpacks(inner, &given)))
}

/// What is said of `split` into pieces of one size.
fn split_sentence(given: &Given, outer: &Signature) -> Result<String> {
    let parse =
        |text: &str| -> Result<Signature> { Ok(Signature::of(Schema::parse(&format!("f{text} -> Tensor"))?, false, false)) };
    let signatures = [parse("(Tensor input, int split_size, int dim=0)")?, parse("(Tensor input, int[] split_size, int dim=0)")?];
    let values = (0..3).map(|i| given.values.get(i).or(given.named(&outer.params, i)).cloned().unwrap_or(Value::Int(0)));
    let call = CallArgs::positional(values.collect());
    Ok(told("split", &signatures, &Given { values: &call.positional, named: &call, handed_on: None }, false))
}

/// A name as PyTorch's binding layer has it: `linalg_inv`, `relu`.
fn shown_name(name: &str) -> String {
    python::inner(name).unwrap_or(python::short(name)).replace('.', "_")
}

fn signatures(set: &OpSet, method: bool) -> Result<Vec<Signature>> {
    let as_method = format!(".{}", set.name);
    let find = |name: &str| LISTED.iter().find(|(names, _)| names.contains(&name)).map(|(_, texts)| *texts);
    let own = if method { find(&as_method).or_else(|| find(set.name)) } else { find(set.name) };
    let Some(texts) = own.or_else(|| find(set.name.strip_suffix('_')?)) else {
        return set.rows.iter().map(|op| Ok(Signature::of(op.schema()?.clone(), op.takes_out(), method))).collect();
    };
    let mut signatures = vec![];
    for text in texts {
        let mut schema = Schema::parse(&format!("f{text} -> Tensor"))?;
        if set.inplace {
            schema.params.retain(|p| p.name != "out");
        }
        let fits = schema.params.first().is_some_and(|p| p.name == "self" && p.kind.base == Base::Tensor);
        if !(method || set.inplace) || fits {
            signatures.push(Signature::of(schema, false, method));
        }
    }
    Ok(signatures)
}

/// The arguments of the call.
struct Given<'a> {
    values: &'a [Value],
    named: &'a CallArgs,
    /// The function written in Python that hands all of them on by place.
    handed_on: Option<&'static str>,
}

impl Given<'_> {
    /// What is given by name as PyTorch's hash table hands it out: the last one first, but behind the one before it in its place.
    fn names(&self) -> Vec<(&str, &Value)> {
        let mut listed: Vec<(u64, &str, &Value)> = vec![];
        for (key, value) in &self.named.keyword {
            let place = hash(key) % 13;
            let at = listed.iter().position(|(other, ..)| *other == place).unwrap_or(0);
            listed.insert(at, (place, key, value));
        }
        listed.into_iter().map(|(_, key, value)| (key, value)).collect()
    }

    fn count(&self) -> usize {
        self.values.len() + self.named.keyword.len()
    }

    fn named(&self, schema: &[Param], place: usize) -> Option<&Value> {
        self.named.keyword.iter().find(|(name, _)| place_of(schema, name) == Some(place)).map(|(_, value)| value)
    }
}

impl Signature {
    fn of(schema: Schema, takes_out: bool, method: bool) -> Signature {
        let several = schema.returns.len() > 1;
        let mut params = schema.params;
        let mut places = schema.places;
        if method && !params.is_empty() {
            params.remove(0);
            places -= 1;
            params.retain(|p| p.name != "out");
        } else if takes_out {
            let kind =
                Kind { base: Base::Tensor, alias: super::schema::Alias::None, list: several.then_some(None), optional: true };
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

    fn least(&self) -> usize {
        self.params.iter().filter(|p| is_required(p)).count()
    }

    /// `(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)`
    fn text(&self) -> String {
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
    fn counted(&self) -> usize {
        (self.params.len() + (self.params.len() > self.places) as usize).max(1)
    }

    /// The names of the last `count` parameters; the star is one that has no name, and neither has a parameter with a default.
    fn ends(&self, count: usize) -> Vec<&str> {
        let mut names: Vec<&str> = self.params.iter().map(|p| if p.default.is_none() { shown_param(p) } else { "" }).collect();
        if self.params.len() > self.places {
            names.insert(self.places, "");
        }
        names.split_off(names.len().saturating_sub(count))
    }

    /// The names given that are none of the last parameters, the last one first.
    fn unlisted<'a>(&self, given: &'a Given) -> Vec<&'a str> {
        let ends = self.ends(given.named.keyword.len());
        given.names().into_iter().map(|(key, _)| key).filter(|key| !ends.contains(key)).collect()
    }

    /// What is wrong, when this is how the call was meant; none when it is not known.
    fn misfit(&self, name: &str, given: &Given) -> Option<String> {
        let gathers = self.gathers(given);
        let by_place = if gathers { &[] } else { given.values };
        if by_place.len() > self.places {
            return Some(format!("{name}() takes {}", self.takes(given.values.len(), self.least())));
        }
        for (place, param) in self.params.iter().enumerate() {
            let by_name = given.named(&self.params, place);
            let Some(value) = by_place.get(place).or(by_name) else {
                if is_required(param) && !(gathers && place == 0) {
                    return Some(self.missing(name, given));
                }
                continue;
            };
            let number = param.kind.base == Base::Tensor && value.as_number().is_some() && OF_NUMBERS.contains(&name);
            if number || begins_with_int(param, value) || !matches!(convert(value, &param.kind, param.default.as_ref()), Ok(None))
            {
                continue;
            }
            let handed_on = given.handed_on.map(|function| python::place(function, &param.name).unwrap_or(place + 1));
            let at = handed_on.or((place < given.values.len()).then_some(place + 1));
            let at = at.filter(|at| *at > 0).map_or(String::new(), |at| format!(" (position {at})"));
            return Some(wrong_type(name, param, place, &at, value));
        }
        self.strange(name, given)
    }

    /// True for `x.view(2, 3)`: ints that stand for the list that is the only parameter by place.
    fn gathers(&self, given: &Given) -> bool {
        let list = self.params.first().filter(|p| self.places == 1 && p.kind.list == Some(None) && p.kind.base == Base::Int);
        list.is_some() && given.values.first().is_some_and(|v| fits(v, Base::Int))
    }

    /// A name that no parameter took: of all that were given, the first one that is not spelt as a parameter or was given by place.
    fn strange(&self, name: &str, given: &Given) -> Option<String> {
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

    /// The sentence about a list of ints that begins with one and has something else behind it.
    fn unpacks(&self, name: &str, given: &Given) -> Option<String> {
        let wrong = |items: &[Value]| items.iter().position(|v| !fits(v, Base::Int));
        if self.gathers(given) {
            return wrong(given.values).map(|at| unpacking(name, &self.params[0], at, &given.values[at]));
        }
        self.params.iter().enumerate().find_map(|(place, param)| {
            let value = given.values.get(place).or(given.named(&self.params, place))?;
            let items = value.items().filter(|_| begins_with_int(param, value))?;
            wrong(&items).map(|at| unpacking(name, param, at, &items[at]))
        })
    }

    fn takes(&self, given: usize, least: usize) -> String {
        let (s, was) = (if self.places == 1 { "" } else { "s" }, if given == 1 { "was" } else { "were" });
        match least == self.places {
            true => format!("{} positional argument{s} but {given} {was} given", self.places),
            false => format!("from {least} to {} positional arguments but {given} were given", self.places),
        }
    }

    fn absent(&self, given: &Given) -> Vec<&str> {
        let params = self.params.iter().enumerate();
        params
            .filter(|(i, p)| is_required(p) && *i >= given.values.len() && given.named(&self.params, *i).is_none())
            .map(|(_, p)| shown_param(p))
            .collect()
    }

    /// From the first parameter that is missing on all are named that must be given.
    fn missing(&self, name: &str, given: &Given) -> String {
        let mut absent = self.absent(given);
        let first = absent.first().copied();
        let from = self.params.iter().skip_while(|p| Some(shown_param(p)) != first);
        absent = from.filter(|p| is_required(p)).map(shown_param).collect();
        let list = absent.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
        // PyTorch has the plural the wrong way round.
        let noun = if absent.len() == 1 { "arguments" } else { "argument" };
        format!("{name}() missing {} required positional {noun}: {list}", absent.len())
    }

    /// True when the call asks by a flag to write in place.
    fn is_in_place(&self, given: &Given) -> bool {
        let place = self.params.iter().position(|p| p.name == "inplace");
        let flag = place.and_then(|place| given.values.get(place).or(given.named(&self.params, place)));
        matches!(flag, Some(Value::Bool(true))) || matches!(flag, Some(Value::Int(n)) if *n != 0)
    }

    /// Fails with an `AttributeError` when what stands for a tensor is asked for something that only tensors have.
    fn asks(&self, name: &str, given: &Given) -> Result<()> {
        let named = |what: &str| given.named.keyword.iter().any(|(key, value)| &**key == what && !matches!(value, Value::None));
        for (param, attribute) in python::asked(name) {
            // With a dimension the method is called at once.
            let at_once = name.ends_with("softmax") && (given.values.len() > 1 || named("dim"));
            let attribute = if at_once { name.trim_start_matches("nn.functional.") } else { attribute };
            let place = self.params.iter().position(|p| p.name == param);
            let value = place.and_then(|place| given.values.get(place).or(given.named(&self.params, place)));
            if let Some(value) = value.filter(|v| !matches!(v, Value::Tensor(_))) {
                fault!(AttributeError, "'{}' object has no attribute '{attribute}'", value.type_name());
            }
        }
        Ok(())
    }

    /// What Python says before the function runs.
    fn python(&self, name: &str, given: &Given) -> Option<String> {
        for (key, _) in &given.named.keyword {
            match self.params.iter().position(|p| shown_param(p) == &**key) {
                None => return Some(format!("{name}() got an unexpected keyword argument '{key}'")),
                Some(at) if at < given.values.len() => {
                    return Some(format!("{name}() got multiple values for argument '{key}'"));
                }
                Some(_) => {}
            }
        }
        if given.values.len() > self.places {
            return Some(format!("{name}() takes {}", self.takes(given.values.len(), self.least())));
        }
        let names: Vec<String> = self.absent(given).iter().map(|n| format!("'{n}'")).collect();
        let (last, head) = names.split_last()?;
        let list = match head {
            [] => last.clone(),
            [one] => format!("{one} and {last}"),
            many => format!("{}, and {last}", many.join(", ")),
        };
        let s = if head.is_empty() { "" } else { "s" };
        Some(format!("{name}() missing {} required positional argument{s}: {list}", names.len()))
    }
}

/// The hash of a text in the C++ library that PyTorch is built with.
fn hash(text: &str) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |v: u64| v ^ (v >> 47);
    let mut hash = 0xc70f_6907 ^ (text.len() as u64).wrapping_mul(FACTOR);
    for chunk in text.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let data = u64::from_le_bytes(bytes);
        let data = if chunk.len() == 8 { mix(data.wrapping_mul(FACTOR)).wrapping_mul(FACTOR) } else { data };
        hash = (hash ^ data).wrapping_mul(FACTOR);
    }
    mix(mix(hash).wrapping_mul(FACTOR))
}

fn is_required(param: &Param) -> bool {
    param.default.is_none()
}

fn shown_param(param: &Param) -> &str {
    if param.name == "self" && param.kind.base != Base::Scalar { "input" } else { &param.name }
}

fn type_text(kind: &Kind) -> String {
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
    let kind = Kind { base, alias: super::schema::Alias::None, list: None, optional: false };
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
    let (shown, type_name) = (shown_param(param), value.type_name());
    format!(
        "{name}(): argument '{shown}' failed to unpack the object at pos {} with error \"type must be tuple of ints,but got {type_name}\"",
        at + 1
    )
}

fn wrong_type(name: &str, param: &Param, place: usize, at: &str, value: &Value) -> String {
    let (shown, wanted) = (shown_param(param), type_text(&param.kind));
    if let (Some(_), Some(items)) = (param.kind.list, value.items().filter(|_| matches!(value, Value::List(_) | Value::Tuple(_))))
    {
        let wrong = items.iter().position(|v| !fits(v, param.kind.base));
        match (param.kind.base, wrong) {
            (Base::Tensor, Some(i)) => {
                return format!("expected Tensor as element {i} in argument {place}, but got {}", items[i].type_name());
            }
            (Base::Int, Some(0)) => {
                let found = items[0].type_name();
                return format!("{name}(): argument '{shown}'{at} must be {wanted}, but found element of type {found} at pos 0");
            }
            _ => {}
        }
    }
    format!("{name}(): argument '{shown}'{at} must be {wanted}, not {}", value.type_name())
}

/// What was given, and every way to call.
fn combination(name: &str, signatures: &[Signature], given: &Given) -> String {
    let types: Vec<String> = given.values.iter().map(Value::type_name).collect();
    let named: Vec<String> = given.names().into_iter().map(|(key, value)| format!("{key}={}", value.type_name())).collect();
    // Without arguments by place the comma behind the last one stays.
    let plain = match (types.is_empty(), named.is_empty()) {
        (true, false) => format!("{}, ", named.join(", ")),
        _ => types.iter().chain(&named).cloned().collect::<Vec<_>>().join(", "),
    };
    let head = format!("{name}() received an invalid combination of arguments - got");
    let counts = |s: &Signature| s.counted() == given.count();
    if let [one] = signatures {
        let strange = one.unlisted(given);
        if !strange.is_empty() {
            return format!("{head} unrecognized keyword arguments: {}", strange.join(", "));
        }
        let got = if counts(one) { marked(one, given) } else { plain };
        return format!("{head} ({got}), but expected {}", one.text());
    }
    let mut lines = vec![format!("{head} ({plain}), but expected one of:")];
    for signature in signatures {
        lines.push(format!(" * {}", signature.text()));
        if counts(signature) {
            let strange = signature.unlisted(given);
            lines.push(match strange.is_empty() {
                true => {
                    format!("      didn't match because some of the arguments have invalid types: ({})", marked(signature, given))
                }
                false => format!("      didn't match because some of the keywords were incorrect: {}", strange.join(", ")),
            });
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The types given, those that do not fit between exclamation marks.
fn marked(signature: &Signature, given: &Given) -> String {
    let mark = |param: Option<&Param>, name: &str, value: &Value| {
        // A default stands between the type and the name there, so that nothing fits; nor is a number of any class a `Number`, nor
        // any list a `tuple of ints`.
        let fits = param.is_some_and(|p| {
            p.default.is_none()
                && p.kind.base != Base::Scalar
                && p.kind.list.is_none()
                && !matches!(convert(value, &p.kind, None), Ok(None))
        });
        let mark = if fits { "" } else { "!" };
        format!("{mark}{name}{}{mark}", type_of(value))
    };
    let by_place = given.values.iter().enumerate().map(|(i, value)| mark(signature.params.get(i), "", value));
    let by_name = signature.params.iter().enumerate().skip(given.values.len()).filter_map(|(i, param)| {
        given.named(&signature.params, i).map(|value| mark(Some(param), &format!("{}=", shown_param(param)), value))
    });
    let text = by_place.chain(by_name).collect::<Vec<_>>().join(", ");
    if given.values.is_empty() { text + ", " } else { text }
}

/// The type of an argument, with the types in a list or tuple: `list of [int, str]`.
fn type_of(value: &Value) -> String {
    let name = value.type_name();
    let listed = matches!(value, Value::List(_) | Value::Tuple(_) | Value::Size(_));
    let Some(items) = value.items().filter(|_| listed) else { return name };
    let types = items.iter().map(Value::type_name).collect::<Vec<_>>().join(", ");
    match (value, items.len()) {
        (Value::List(_), _) => format!("{name} of [{types}]"),
        (_, 1) => format!("{name} of ({types},)"),
        _ => format!("{name} of ({types})"),
    }
}
