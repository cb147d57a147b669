//! What is wrong with the arguments of a call that no row takes, in PyTorch's words.

mod combination;
mod given;
mod listed;
mod python;
mod signature;

use super::OpSet;
use super::bind::{convert, number_of_numpy};
use super::former::has_old_forms;
use super::schema::{Base, Default, Schema};
use crate::value::{CallArgs, Value};
use anyhow::Result;
use combination::combination;
use given::Given;
use listed::LISTED;
pub(super) use python::BY_PLACE_ALONE;
use python::PYTHON;
use signature::{LISTED_ELEMENT, Signature};

/// Methods that PyTorch knows with a flag of an old name, too.
const ASYNC: &[&str] = &["copy_", "cuda", "type"];

/// The sentence for a call that fits none of the set's rows.
pub(super) fn sentence(set: &OpSet, method: bool, call: &CallArgs) -> Result<String> {
    // This is a function of `torch` under another name.
    if let ("nn.functional.relu_", Some(of_torch)) = (set.name, super::function("relu_")) {
        return sentence(of_torch, method, call);
    }
    if let Some(text) = slot_sentence(set.name, call) {
        return Ok(text);
    }
    if let Some(text) = python_sentence(set, method, call)?.or_else(|| of_tensors(set.name, call)) {
        return Ok(text);
    }
    let with_places = python::with_places(set.name, call)?;
    let name = shown_name(&with_places.clone().unwrap_or(set.name.to_string()));
    let signatures = signatures(set, method)?;
    let handed_on = Some(set.name).filter(|name| python::counts(name));
    let given = Given { values: call.positional.get(method as usize..).unwrap_or(&[]), named: call, handed_on };
    let python = signatures.first().filter(|_| signatures.len() == 1 && python::counts(set.name));
    if let Some(one) = python {
        if let Some(text) = one.python(
            &with_places.map_or_else(|| python::spelt(python::short(set.name)), |name| python::short(&name).to_string()),
            &given,
        ) {
            return Ok(text);
        }
        one.asks(set.name, &given)?;
    }
    if let Some(text) = takes_nothing(&signatures, &name, method, &given) {
        return Ok(text);
    }
    let in_place = match signatures.first().filter(|_| handed_on.is_some()) {
        Some(one) => one.is_in_place(&given)?,
        None => false,
    };
    let name = if in_place { format!("{name}_") } else { name };
    // Forms of old are not listed: what those operations take is told like an overload's.
    let alone = signatures.len() == 1 && !has_old_forms(set) && !ASYNC.contains(&set.name);
    Ok(told(&name, &signatures, &given, alone))
}

/// The sentence for a call that fits none of the signatures; `alone` when the only one is meant whatever the number of arguments.
fn told(name: &str, signatures: &[Signature], given: &Given, alone: bool) -> String {
    if let Some(text) = signatures.iter().map_while(|s| s.misfit(name, given)).find(|text| text.starts_with(LISTED_ELEMENT)) {
        return text;
    }
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

/// The values as the parameters of a function of this name take them. Fails with PyTorch's sentence about the first one that does
/// not fit; what fits and cannot be held comes after it.
pub fn bound(name: &str, takes: &str, given: Vec<Value>) -> Result<Vec<Value>> {
    let signature = Signature::of(Schema::parse(&format!("f{takes} -> Any"))?, false, false);
    let converted = signature.params.iter().zip(&given).map(|(param, value)| convert(value, &param.kind, param.default.as_ref()));
    let converted: Vec<Result<Option<Value>>> = converted.collect();
    if given.len() == signature.params.len() && !converted.iter().any(|value| matches!(value, Ok(None))) {
        return converted.into_iter().map(|value| Ok(value?.unwrap_or(Value::None))).collect();
    }
    let call = CallArgs::positional(given);
    let given = Given { values: &call.positional, named: &call, handed_on: None };
    fault!(TypeError, "{}", told(name, &[signature], &given, true))
}

/// True for what PyTorch has written in Python, and not bound from C++.
pub(super) fn is_python(name: &str) -> bool {
    python::counts(name) || PYTHON.iter().any(|(known, ..)| *known == name)
}

/// True for a method that PyTorch has written in Python.
pub(super) fn is_python_method(name: &str) -> bool {
    PYTHON.iter().any(|(known, ..)| known.strip_prefix('.') == Some(name))
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
    let nameless = if method { name == "apply_" } else { matches!(name, "from_numpy" | "set_num_threads") };
    let owner = match method {
        true => "TensorBase",
        false if nameless && name != "set_num_threads" => "torch._VariableFunctionsClass",
        false => "torch",
    };
    if method && name == "storage" {
        return Some(match given.named.keyword.first() {
            Some((key, _)) => format!("Tensor.storage() got an unexpected keyword argument '{key}'"),
            None => format!("Tensor.storage() takes 1 positional argument but {} were given", given.values.len() + 1),
        });
    }
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
        [Value::List(_) | Value::Tuple(_) | Value::Size(_)] if !super::bind::BY_PLACE.contains(&name) => {
            call.positional[0].items()
        }
        [_] if name.starts_with("atleast") => None,
        given => Some(given.to_vec()),
    }?;
    let Some(wrong) = listed.iter().position(|item| !matches!(item, Value::Tensor(_))) else {
        let (key, value) =
            call.keyword.iter().find(|(key, value)| &**key == "indexing" && !matches!(value, Value::Str(_) | Value::None))?;
        return Some(format!("{name}(): argument '{key}' must be str, not {}", value.type_name()));
    };
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
    let shown = match method {
        true => format!("Tensor.{}", set.name),
        false => python::chosen(spelt, call)?.unwrap_or_else(|| python::spelt(spelt)),
    };
    if let Some(text) = outer.python(&shown, &given) {
        return Ok(Some(text));
    }
    let argument = |place: usize| given.values.get(place).or(given.named(&outer.params, place));
    // Beside two lists of dimensions it is the function inside that looks at the tensors.
    let listed = matches!(argument(2), Some(Value::List(_) | Value::Tuple(_) | Value::Tensor(_)));
    let is_asked_inside = spelt == "tensordot" && listed;
    if !method && !is_asked_inside {
        outer.asks(set.name, &given)?;
    }
    if let Some(text) = asked_first(spelt, method, &argument)? {
        return Ok(Some(text));
    }
    let along = argument(4).filter(|dim| spelt == "unique" && !matches!(dim, Value::None));
    if let Some(dim) = along.filter(|dim| !matches!(dim, Value::Int(_))) {
        return Ok(Some(format!("unique_dim(): argument 'dim' (position 2) must be int, not {}", dim.type_name())));
    }
    let inner = if along.is_some() { &"unique_dim" } else { inner };
    if let ("split", Some(Value::Int(_) | Value::Bool(_))) = (spelt, argument(1).map(number_of_pieces).as_ref()) {
        return split_sentence(&given, &outer).map(Some);
    }
    if let Some(text) = unmeasured(spelt, &argument)? {
        return Ok(Some(text));
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
        // An int is one dimension, and so is a bool to Python.
        (Some(dim @ Value::Bool(_)), _) if spelt == "norm" && seen.params[i].name == "dim" => Value::list(vec![dim]),
        (value, _) => value.unwrap_or(Value::None),
    });
    let mut call = CallArgs::positional(values.collect());
    if inner.contains("unique") || inner.contains("lu_with") {
        // All but the tensor are handed on by name.
        let names = seen.params.iter().skip(1).map(|p| p.name.as_str().into());
        call.keyword = names.zip(call.positional.drain(1.min(call.positional.len())..)).collect();
    }
    let out = argument(4).filter(|out| spelt == "norm" && !method && !matches!(out, Value::Tensor(_) | Value::None));
    let given = Given { values: &call.positional, named: &call, handed_on: None };
    Ok(seen
        .misfit(inner, &given)
        .or_else(|| seen.unpacks(inner, &given))
        .or_else(|| Some(format!("{inner}(): argument 'out' must be Tensor, not {}", out?.type_name()))))
}

/// What Python looks at before it hands the arguments on. Fails with a `RuntimeError` where it asks whether something is true that is
/// neither true nor false.
fn asked_first(spelt: &str, method: bool, argument: Argument) -> Result<Option<String>> {
    let truth = |place: usize| argument(place).map_or(Ok(true), super::args::truth);
    Ok(match (spelt, argument(1)) {
        ("lu", _) => {
            truth(2)?;
            None
        }
        ("unflatten", _) if method && !truth(2)? => fault!(RuntimeError, "unflatten: sizes must be non-empty"),
        ("stft", _) => Some(windowed(argument)?),
        ("norm", Some(Value::Tensor(order))) if order.numel() != 1 => {
            Some("linalg_vector_norm(): argument 'ord' (position 2) must be Number, not Tensor".to_string())
        }
        _ => None,
    })
}

/// An argument of a call by its place among the parameters.
type Argument<'a> = &'a dyn Fn(usize) -> Option<&'a Value>;

/// What Python says of the dimensions of a Frobenius norm, the usual one, where they have no length; of any that is called by a name,
/// what the norm of matrices says of dimensions that are no list.
fn unmeasured(spelt: &str, argument: Argument) -> Result<Option<String>> {
    let Some(dim) = argument(2).filter(|_| spelt == "norm") else { return Ok(None) };
    let name = match argument(1) {
        None => "fro".to_string(),
        Some(Value::Str(name)) => name.to_string(),
        Some(_) => return Ok(None),
    };
    let length = match dim {
        dim if name == "fro" && !has_length(dim) => {
            return Ok(Some(format!("object of type '{}' has no len()", dim.type_name())));
        }
        Value::Tensor(dims) => dims.sizes().first().copied().unwrap_or(0),
        Value::Str(text) => text.as_str().chars().count() as i64,
        _ => return Ok(None),
    };
    let Some(norm) = super::function("linalg.matrix_norm").filter(|_| length > 2 || name != "fro") else { return Ok(None) };
    let first = argument(0).cloned().unwrap_or(Value::None);
    let keepdim = argument(3).cloned().unwrap_or(Value::Bool(false));
    let mut call = CallArgs::positional(vec![first, Value::from(name.as_str()), dim.clone(), keepdim]);
    call.keyword.push(("dtype".into(), argument(5).cloned().unwrap_or(Value::None)));
    let given = Given { values: &call.positional, named: &call, handed_on: None };
    Ok(Some(told("linalg_matrix_norm", &signatures(norm, false)?, &given, false)))
}

/// True for what Python finds the length of, or takes as one dimension.
fn has_length(dim: &Value) -> bool {
    match dim {
        Value::None | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Str(_) | Value::Bytes(_) | Value::Tensor(_) => {
            true
        }
        Value::Dict(_) | Value::Set(_) => true,
        Value::Object(object) => object.as_array().map_or(object.length().is_some(), |array| array.ndim() > 0),
        other => other.items().is_some() || other.sequence().is_some(),
    }
}

/// What is said of the arguments of `stft`, which are handed on by place once the signal is padded. Fails as Python does where the
/// size of a window cannot be halved for that.
fn windowed(argument: Argument) -> Result<String> {
    let is_number = |size: &Value| {
        matches!(size, Value::Tensor(_) | Value::BigInt(_)) || size.as_number().is_some() || number_of_numpy(size).is_some()
    };
    if argument(5).map_or(Ok(true), super::args::truth)? {
        match argument(1) {
            Some(Value::Tensor(size)) if size.numel() != 1 => {
                fault!(ValueError, "only one element tensors can be converted to Python scalars")
            }
            Some(size) if !is_number(size) => {
                return Ok(format!("unsupported operand type(s) for //: '{}' and 'int'", size.type_name()));
            }
            _ => {}
        }
    }
    let parse =
        |text: &str| -> Result<Signature> { Ok(Signature::of(Schema::parse(&format!("f{text} -> Tensor"))?, false, false)) };
    let ways = [
        parse(
            "(Tensor input, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None)",
        )?,
        parse(
            "(Tensor input, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None)",
        )?,
    ];
    let values = [0, 1, 2, 3, 4, 7, 8, 9, 10].map(|place| match (argument(place), place) {
        (Some(value), _) => value.clone(),
        (None, 7) => Value::Bool(false),
        (None, _) => Value::None,
    });
    let call = CallArgs::positional(values.to_vec());
    Ok(told("stft", &ways, &Given { values: &call.positional, named: &call, handed_on: None }, false))
}

/// How many pieces, as Python makes an int of a tensor of one element; anything else as it is.
fn number_of_pieces(given: &Value) -> Value {
    match given {
        Value::Tensor(one) if one.numel() == 1 => super::exec::item(one).map_or(Value::None, |count| Value::Int(count.to_i64())),
        other => other.clone(),
    }
}

/// What is said of `split` into pieces of one size.
fn split_sentence(given: &Given, outer: &Signature) -> Result<String> {
    let parse =
        |text: &str| -> Result<Signature> { Ok(Signature::of(Schema::parse(&format!("f{text} -> Tensor"))?, false, false)) };
    let signatures = [parse("(Tensor input, int split_size, int dim=0)")?, parse("(Tensor input, int[] split_size, int dim=0)")?];
    let values = (0..3).map(|i| given.values.get(i).or(given.named(&outer.params, i)).cloned().unwrap_or(Value::Int(0)));
    let mut call = CallArgs::positional(values.collect());
    if let Some(count) = call.positional.get_mut(1) {
        *count = number_of_pieces(count);
    }
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
        return set
            .rows
            .iter()
            .map(|op| Ok(Signature::of(op.schema()?.clone(), op.takes_out() && !set.inplace, method)))
            .collect();
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
