//! The sentence that lists what was given, and every way to call.

use super::given::Given;
use super::signature::{Signature, shown_param, type_text};
use crate::ops::schema::Param;
use crate::value::Value;

/// What was given, and every way to call.
pub(super) fn combination(name: &str, signatures: &[Signature], given: &Given) -> String {
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
        // A default stands between the type and the name there, so that nothing fits. What fits is of the type that is named, so
        // that a number of any class is no `Number`, nor one of numpy an `int`, nor any list a `tuple of ints`.
        let fits = param.is_some_and(|p| p.default.is_none() && type_text(&p.kind) == value.type_name());
        let mark = if fits { "" } else { "!" };
        format!("{mark}{name}{}{mark}", type_of(value))
    };
    // The star has a place among the parameters, and takes nothing.
    let mut slots: Vec<Option<usize>> = (0..signature.params.len()).map(Some).collect();
    slots.insert(signature.places.min(slots.len()), None);
    let at = |i: usize| slots.get(i).copied().flatten().map(|place| &signature.params[place]);
    let by_place = given.values.iter().enumerate().map(|(i, value)| mark(at(i), "", value));
    let by_name = slots.iter().skip(given.values.len()).flatten().filter_map(|&place| {
        let param = &signature.params[place];
        given.named(&signature.params, place).map(|value| mark(Some(param), &format!("{}=", shown_param(param)), value))
    });
    let text = by_place.chain(by_name).collect::<Vec<_>>().join(", ");
    if given.values.is_empty() { text + ", " } else { text }
}

/// The type of an argument, with the types in a list or tuple: `list of [int, str]`.
fn type_of(value: &Value) -> String {
    let name = value.type_name();
    let listed = matches!(value, Value::List(_) | Value::Tuple(_) | Value::Size(_) | Value::Named(_));
    let Some(items) = value.items().or_else(|| value.sequence()).filter(|_| listed) else { return name };
    let types = items.iter().map(Value::type_name).collect::<Vec<_>>().join(", ");
    match (value, items.len()) {
        (Value::List(_), _) => format!("{name} of [{types}]"),
        (_, 1) => format!("{name} of ({types},)"),
        _ => format!("{name} of ({types})"),
    }
}
