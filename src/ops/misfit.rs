//! What is wrong with the arguments of a call that no row takes, in PyTorch's words.

use super::bind::{convert, place_of};
use super::former::has_old_forms;
use super::functional::IN_TORCH;
use super::schema::{Base, Default, Kind, Param, Schema};
use super::{Form, Op, OpSet};
use crate::value::{CallArgs, Value};
use anyhow::Result;

/// Signatures where PyTorch has another number of them than this table has rows. A name with a dot in front is the method.
#[rustfmt::skip] // one signature a line
const LISTED: &[(&[&str], &[&str])] = &[
    (&["prod"], &[
        "(Tensor self, *, DType? dtype=None)",
        "(Tensor self, int dim, bool keepdim=False, *, DType? dtype=None, Tensor? out=None)",
    ]),
    (&["std", "var"], &[
        "(Tensor self, int[1] dim, bool unbiased=True, bool keepdim=False, *, Tensor? out=None)",
        "(Tensor self, int[1] dim=None, *, Scalar? correction=None, bool keepdim=False, Tensor? out=None)",
        "(Tensor self, bool unbiased=True)",
    ]),
    (&["all", "any"], &[
        "(Tensor self, *, Tensor? out=None)",
        "(Tensor self, int[] dim=None, bool keepdim=False, *, Tensor? out=None)",
        "(Tensor self, int dim, bool keepdim=False, *, Tensor? out=None)",
    ]),
    (&["max", "min"], &[
        "(Tensor self, *, Tensor? out=None)",
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, int dim, bool keepdim=False, *, Tensor[] out=None)",
    ]),
    (&["count_nonzero"], &["(Tensor self, int? dim=None)", "(Tensor self, int[] dim)"]),
    (&["sort"], &[
        "(Tensor self, *, bool stable, int dim=-1, bool descending=False, Tensor[] out=None)",
        "(Tensor self, int dim=-1, bool descending=False, *, Tensor[] out=None)",
    ]),
    (&["argsort"], &[
        "(Tensor self, *, bool stable, int dim=-1, bool descending=False, Tensor? out=None)",
        "(Tensor self, int dim=-1, bool descending=False)",
    ]),
    (&["clamp", "clip", "clamp_", "clip_"], &[
        "(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor? out=None)",
        "(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor? out=None)",
    ]),
    (&["eq", "ne", "lt", "le", "gt", "ge", "fmod", "eq_", "ne_", "lt_", "le_", "gt_", "ge_", "fmod_",
       "less", "less_equal", "greater", "greater_equal", "not_equal", "copysign",
       "less_", "less_equal_", "greater_", "greater_equal_", "not_equal_"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Scalar other, *, Tensor? out=None)",
    ]),
    (&["remainder", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Scalar self, Tensor other)",
        "(Tensor self, Scalar other, *, Tensor? out=None)",
    ]),
    (&["bitwise_and_", "bitwise_or_", "bitwise_xor_", "bitwise_left_shift_", "bitwise_right_shift_", "floor_divide_", "remainder_", "true_divide_", "xlogy_", "copysign_", "multiply_"], &[
        "(Tensor self, Tensor other)",
        "(Tensor self, Scalar other)",
    ]),
    (&["clamp_max", "clamp_max_"], &["(Tensor self, Tensor max, *, Tensor? out=None)", "(Tensor self, Scalar max, *, Tensor? out=None)"]),
    (&["clamp_min", "clamp_min_"], &["(Tensor self, Tensor min, *, Tensor? out=None)", "(Tensor self, Scalar min, *, Tensor? out=None)"]),
    (&["divide", "divide_"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Tensor other, *, str rounding_mode, Tensor? out=None)",
        "(Tensor self, Scalar other)",
        "(Tensor self, Scalar other, *, str rounding_mode)",
    ]),
    (&["float_power"], &[
        "(Tensor self, Tensor exponent, *, Tensor? out=None)",
        "(Scalar self, Tensor exponent, *, Tensor? out=None)",
        "(Tensor self, Scalar exponent, *, Tensor? out=None)",
    ]),
    (&["subtract", "subtract_"], &[
        "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor? out=None)",
        "(Tensor self, Scalar other, Scalar alpha=1)",
    ]),
    (&["floor_divide", "true_divide", "multiply"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Scalar other)",
    ]),
    (&["xlogy"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Scalar self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Scalar other, *, Tensor? out=None)",
    ]),
    (&["pow"], &[
        "(Tensor self, Tensor exponent, *, Tensor? out=None)",
        "(Scalar self, Tensor exponent, *, Tensor? out=None)",
        "(Tensor self, Scalar exponent, *, Tensor? out=None)",
    ]),
    (&["pow_", "float_power_"], &["(Tensor self, Tensor exponent)", "(Tensor self, Scalar exponent)"]),
    (&["add", "sub", "add_", "sub_"], &["(Tensor self, Tensor other, *, Scalar alpha=1, Tensor? out=None)"]),
    (&["lerp", "lerp_"], &[
        "(Tensor self, Tensor end, Tensor weight, *, Tensor? out=None)",
        "(Tensor self, Tensor end, Scalar weight, *, Tensor? out=None)",
    ]),
    (&["masked_fill", "masked_fill_"], &["(Tensor self, Tensor mask, Tensor value)", "(Tensor self, Tensor mask, Scalar value)"]),
    (&["index_fill", "index_fill_"], &[
        "(Tensor self, int dim, Tensor index, Tensor value)",
        "(Tensor self, int dim, Tensor index, Scalar value)",
    ]),
    (&["scatter", "scatter_"], &[
        "(Tensor self, int dim, Tensor index, Tensor src, *, Tensor? out=None)",
        "(Tensor self, int dim, Tensor index, Tensor src, *, str reduce, Tensor? out=None)",
        "(Tensor self, int dim, Tensor index, Scalar value, *, Tensor? out=None)",
        "(Tensor self, int dim, Tensor index, Scalar value, *, str reduce, Tensor? out=None)",
    ]),
    (&["where"], &[
        "(Tensor condition)",
        "(Tensor condition, Tensor input, Tensor other, *, Tensor? out=None)",
        "(Tensor condition, Scalar self, Tensor other)",
        "(Tensor condition, Tensor input, Scalar other)",
        "(Tensor condition, Scalar self, Scalar other)",
    ]),
    (&[".where"], &["(Tensor self, Tensor condition, Tensor other)", "(Tensor self, Tensor condition, Scalar other)"]),
    (&["copy_"], &["(Tensor self, Tensor other, bool non_blocking=False)"]),
    (&["arange"], &[
        "(Scalar end, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(Scalar start, Scalar end, *, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(Scalar start, Scalar end, Scalar step=1, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
    ]),
    (&["linspace"], &[
        "(Tensor start, Tensor end, int steps, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(Scalar start, Tensor end, int steps, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(Tensor start, Scalar end, int steps, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(Scalar start, Scalar end, int steps, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
    ]),
    (&["logspace"], &[
        "(Tensor start, Tensor end, int steps, float base=10.0, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(Scalar start, Tensor end, int steps, float base=10.0, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(Tensor start, Scalar end, int steps, float base=10.0, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(Scalar start, Scalar end, int steps, float base=10.0, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
    ]),
    (&["randint"], &[
        "(int high, int[] size, *, Generator generator, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(int high, int[] size, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(int low, int high, int[] size, *, Generator generator, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(int low, int high, int[] size, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
    ]),
    (&["result_type"], &[
        "(Tensor tensor, Tensor other)",
        "(Scalar scalar, Tensor tensor)",
        "(Tensor tensor, Scalar other)",
        "(Scalar scalar1, Scalar scalar2)",
    ]),
    (&["div", "div_"], &[
        "(Tensor self, Tensor other, *, Tensor? out=None)",
        "(Tensor self, Tensor other, *, str rounding_mode, Tensor? out=None)",
        "(Tensor self, Scalar other, *, str rounding_mode)",
    ]),
    (&["rand", "randn"], &[
        "(int[] size, *, Generator generator, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(int[] size, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
    ]),
    (&["randperm"], &[
        "(int n, *, Generator generator, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
        "(int n, *, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
    ]),
    (&["normal"], &[
        "(Tensor mean, Tensor std, *, Generator? generator=None, Tensor? out=None)",
        "(Tensor mean, float std=1, *, Generator? generator=None, Tensor? out=None)",
        "(float mean, Tensor std, *, Generator? generator=None, Tensor? out=None)",
        "(float mean, float std, int[] size, *, Generator? generator=None, Tensor? out=None, DType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)",
    ]),
    (&["quantile", "nanquantile"], &[
        "(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\", Tensor? out=None)",
        "(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\", Tensor? out=None)",
    ]),
    (&["searchsorted"], &[
        "(Tensor sorted_sequence, Tensor input, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None, Tensor? out=None)",
        "(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None, Tensor? out=None)",
    ]),
    (&["linalg.cond"], &["(Tensor self, Scalar? p=None, *, Tensor? out=None)", "(Tensor self, str p, *, Tensor? out=None)"]),
    (&["linalg.norm"], &[
        "(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None, Tensor? out=None)",
        "(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None, Tensor? out=None)",
    ]),
    (&["mm", "bmm"], &[
        "(Tensor self, Tensor mat2, *, Tensor? out=None)",
        "(Tensor self, Tensor mat2, DType out_dtype, *, Tensor? out=None)",
    ]),
    (&[".addmm", "addmm_"], &["(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1)"]),
    (&["addmm"], &[
        "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None)",
        "(Tensor self, Tensor mat1, Tensor mat2, DType out_dtype, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None)",
    ]),
    (&[".baddbmm", "baddbmm_"], &["(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1)"]),
    (&["baddbmm"], &[
        "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None)",
        "(Tensor self, Tensor batch1, Tensor batch2, DType out_dtype, *, Scalar beta=1, Scalar alpha=1, Tensor? out=None)",
    ]),
    (&["random_"], &[
        "(Tensor self, *, Generator? generator=None)",
        "(Tensor self, int from, int to, *, Generator? generator=None)",
        "(Tensor self, int to, *, Generator? generator=None)",
    ]),
    (&[".mm", ".bmm"], &["(Tensor self, Tensor mat2)"]),
    (&[".nonzero"], &["(Tensor self)", "(Tensor self, *, bool as_tuple)"]),
    (&["tensor_split"], &[
        "(Tensor self, int[] indices, int dim=0)",
        "(Tensor self, Tensor tensor_indices_or_sections, int dim=0)",
        "(Tensor self, int sections, int dim=0)",
    ]),
    (&["repeat_interleave"], &[
        "(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None)",
        "(Tensor repeats, *, int? output_size=None)",
        "(Tensor self, int repeats, int? dim=None, *, int? output_size=None)",
    ]),
    (&[".repeat_interleave"], &[
        "(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None)",
        "(Tensor self, int repeats, int? dim=None, *, int? output_size=None)",
    ]),
    (&["narrow"], &["(Tensor self, int dim, Tensor start, int length)", "(Tensor self, int dim, int start, int length)"]),
    (&["nn.functional.relu"], &["(Tensor input, bool inplace=False)"]),
];

/// Functions that are written in Python there: what they take, and the inner function that sees their arguments first. A name with a
/// dot in front is the method.
#[rustfmt::skip] // one function a line
const PYTHON: &[(&str, &str, &str, &str)] = &[
    ("split", "(Any tensor, Any split_size_or_sections, Any dim=0)", "split_with_sizes", "(Tensor self, int[] split_sizes, int dim=0)"),
    (".split", "(Any self, Any split_size, Any dim=0)", "split_with_sizes", "(Tensor self, int[] split_sizes, int dim=0)"),
    ("unique", "(Any input, Any sorted=True, Any return_inverse=False, Any return_counts=False, Any dim=None)", "_unique2", "(Tensor self, *, bool sorted=True, bool return_inverse=False, bool return_counts=False)"),
    ("norm", "(Any input, Any p=None, Any dim=None, Any keepdim=False, Any out=None, Any dtype=None)", "linalg_vector_norm", "(Tensor self, Any ord, int[1]? dim=None, bool keepdim=False)"),
    ("manual_seed", "(Any seed)", "", "()"),
    ("is_tensor", "(Any obj)", "", "()"),
];

/// Functions whose tensors may be numbers.
const OF_NUMBERS: &[&str] = &["add", "sub", "mul", "div", "floor_divide", "add_", "sub_", "mul_", "div_"];

/// Parameters of one way to call, without the tensor of a method.
struct Signature {
    params: Vec<Param>,
    places: usize,
}

/// The sentence for a call that fits none of the set's rows.
pub(super) fn sentence(set: &OpSet, method: bool, call: &CallArgs) -> Result<String> {
    if let Some(text) = python_sentence(set, method, call)? {
        return Ok(text);
    }
    let name = shown_name(set.name);
    let signatures = signatures(set, method)?;
    let given = Given { values: call.positional.get(method as usize..).unwrap_or(&[]), named: call };
    let python = signatures.first().filter(|_| signatures.len() == 1 && set.rows.iter().any(|op| is_python(op)));
    if let Some(text) = python.and_then(|one| one.python(&name, &given)) {
        return Ok(text);
    }
    // Forms of old are not listed: what those operations take is told like an overload's.
    if let ([Signature { params, .. }], true, false) = (&signatures[..], method, call.keyword.is_empty())
        && (params.is_empty() || set.name == "apply_")
    {
        return Ok(format!("TensorBase.{name}() takes no keyword arguments"));
    }
    if method && set.name == "apply_" && given.values.len() != 1 {
        return Ok(format!("TensorBase.{name}() takes exactly one argument ({} given)", given.values.len()));
    }
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
    Ok(told(name, &signatures, &Given { values: &call.positional, named: call }, false))
}

/// What Python says of the call of a function that is written in it, or the function inside.
fn python_sentence(set: &OpSet, method: bool, call: &CallArgs) -> Result<Option<String>> {
    let find = |name: &str| PYTHON.iter().find(|(known, ..)| *known == name);
    let dotted = if method { find(&format!(".{}", set.name)) } else { None };
    let Some((_, takes, inner, inner_takes)) = dotted.or_else(|| find(set.name)) else { return Ok(None) };
    let signature =
        |text: &str| -> Result<Signature> { Ok(Signature::of(Schema::parse(&format!("f{text} -> Tensor"))?, false, false)) };
    let outer = signature(takes)?;
    let given = Given { values: &call.positional, named: call };
    let shown = if method { format!("Tensor.{}", set.name) } else { set.name.to_string() };
    if let Some(text) = outer.python(&shown, &given) {
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
        (value, _) => value.unwrap_or(Value::None),
    });
    let mut call = CallArgs::positional(values.collect());
    let named = call.positional.split_off(seen.places.min(call.positional.len()));
    let names = seen.params.iter().skip(seen.places).map(|p| p.name.as_str().into());
    call.keyword = names.zip(named).collect();
    let given = Given { values: &call.positional, named: &call };
    Ok(seen.misfit(inner, &given).or_else(|| seen.unpacks(inner, &given)))
}

/// The name inside a module of functions that are mostly written in Python there.
fn short_name(name: &str) -> Option<&str> {
    name.strip_prefix("nn.functional.").or_else(|| name.strip_prefix("nn.init."))
}

/// A name as PyTorch's binding layer has it: `linalg_inv`, `relu`.
fn shown_name(name: &str) -> String {
    short_name(name).unwrap_or(name).replace('.', "_")
}

/// True for what is a function written in Python there, whose arguments Python itself counts.
fn is_python(op: &Op) -> bool {
    short_name(op.name()).is_some_and(|short| !IN_TORCH.contains(&short)) && !op.takes_out() && matches!(op.form, Form::Code(_))
}

fn signatures(set: &OpSet, method: bool) -> Result<Vec<Signature>> {
    let as_method = format!(".{}", set.name);
    let find = |name: &str| LISTED.iter().find(|(names, _)| names.contains(&name)).map(|(_, texts)| *texts);
    let listed = if method { find(&as_method).or_else(|| find(set.name)) } else { find(set.name) };
    let Some(texts) = listed else {
        return set.rows.iter().map(|op| Ok(Signature::of(op.schema()?.clone(), op.takes_out(), method))).collect();
    };
    let mut signatures = vec![];
    for text in texts {
        let schema = Schema::parse(&format!("f{text} -> Tensor"))?;
        let fits = schema.params.first().is_some_and(|p| p.name == "self" && p.kind.base == Base::Tensor);
        if !method || fits {
            signatures.push(Signature::of(schema, false, method));
        }
    }
    Ok(signatures)
}

/// The arguments of the call.
struct Given<'a> {
    values: &'a [Value],
    named: &'a CallArgs,
}

impl Given<'_> {
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
            let default = param.default.as_ref().map_or(String::new(), |d| format!(" = {d}"));
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

    /// What is wrong, when this is how the call was meant; none when it is not known.
    fn misfit(&self, name: &str, given: &Given) -> Option<String> {
        let gathers = self.gathers(given);
        let by_place = if gathers { &[] } else { given.values };
        if by_place.len() > self.places {
            if self.params.is_empty() {
                return Some(format!("TensorBase.{name}() takes no arguments ({} given)", given.values.len()));
            }
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
            let at = if place < given.values.len() { format!(" (position {})", place + 1) } else { String::new() };
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

    fn missing(&self, name: &str, given: &Given) -> String {
        // From the first one that is missing on all are told, those that are given by name too.
        let required = self.params.iter().filter(|p| is_required(p)).map(shown_param);
        let first = self.absent(given).first().copied();
        let absent: Vec<&str> = required.skip_while(|name| Some(*name) != first).collect();
        let list = absent.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
        // PyTorch has the plural the wrong way round.
        let noun = if absent.len() == 1 { "arguments" } else { "argument" };
        format!("{name}() missing {} required positional {noun}: {list}", absent.len())
    }

    /// What Python says before the function runs.
    fn python(&self, name: &str, given: &Given) -> Option<String> {
        if let Some((key, _)) = given.named.keyword.iter().find(|(key, _)| place_of(&self.params, key).is_none()) {
            return Some(format!("{name}() got an unexpected keyword argument '{key}'"));
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

fn is_required(param: &Param) -> bool {
    param.default.is_none()
}

fn shown_param(param: &Param) -> &str {
    if param.name == "self" && param.kind.base != Base::Scalar { "input" } else { &param.name }
}

fn type_text(kind: &Kind) -> String {
    match kind.list {
        Some(_) => format!("tuple of {}s", kind.base.human()),
        None => kind.base.human().to_string(),
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
    // The names come out of a hash table: the last one first.
    let named: Vec<String> =
        given.named.keyword.iter().rev().map(|(key, value)| format!("{key}={}", value.type_name())).collect();
    // Without arguments by place the comma behind the last one stays.
    let plain = match (types.is_empty(), named.is_empty()) {
        (true, false) => format!("{}, ", named.join(", ")),
        _ => types.iter().chain(&named).cloned().collect::<Vec<_>>().join(", "),
    };
    let head = format!("{name}() received an invalid combination of arguments - got");
    let counts = |s: &Signature| s.counted() == given.count();
    if let [one] = signatures {
        let unknown: Vec<&str> =
            given.named.keyword.iter().map(|(key, _)| &**key).filter(|key| place_of(&one.params, key).is_none()).collect();
        if !unknown.is_empty() {
            return format!("{head} unrecognized keyword arguments: {}", unknown.join(", "));
        }
        let got = if counts(one) { marked(one, given) } else { plain };
        return format!("{head} ({got}), but expected {}", one.text());
    }
    let mut lines = vec![format!("{head} ({plain}), but expected one of:")];
    for signature in signatures {
        lines.push(format!(" * {}", signature.text()));
        if counts(signature) {
            let ends = signature.ends(given.named.keyword.len());
            let strange = given.named.keyword.iter().rev().map(|(key, _)| &**key);
            let strange: Vec<&str> = strange.filter(|key| !ends.contains(key)).collect();
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
        // A default stands between the type and the name there, so that nothing fits; nor is a number of any class a `Number`, or
        // what is given a `tuple of ints`.
        let fits = param.is_some_and(|p| {
            let of_ints = p.kind.base == Base::Int && p.kind.list.is_some();
            p.default.is_none() && p.kind.base != Base::Scalar && !of_ints && !matches!(convert(value, &p.kind, None), Ok(None))
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
    let Some(items) = value.items().filter(|_| matches!(value, Value::List(_) | Value::Tuple(_))) else { return name };
    let types = items.iter().map(Value::type_name).collect::<Vec<_>>().join(", ");
    match (value, items.len()) {
        (Value::List(_), _) => format!("{name} of [{types}]"),
        (_, 1) => format!("{name} of ({types},)"),
        _ => format!("{name} of ({types})"),
    }
}
