//! `%who`: the variables and who shares memory with whom.

use super::{Call, usage};
use crate::show::picture::{self, Named, Variable};
use crate::value::{Class, Machine, Outcome, Value};

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    let by_storage = match call.rest {
        "" => false,
        "--storage" => true,
        _ => return Err(usage("who", "%who takes no arguments but --storage")),
    };
    let values: Vec<(String, Value)> =
        call.interp.globals.variables().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let mut variables = vec![];
    for (name, value) in values {
        match &value {
            Value::Tensor(tensor) => variables.push(Variable::Tensor(Named { name, tensor: tensor.clone() })),
            Value::Module(_) => {}
            _ if name.starts_with("__") => {}
            other => {
                let text = if is_function(other) { String::new() } else { short(call.interp.repr(other)?) };
                variables.push(Variable::Other { name, kind: other.type_name(), text });
            }
        }
    }
    let width = call.width();
    let doc = if by_storage { picture::storages(&variables, width)? } else { picture::who(&variables, width)? };
    call.print(&doc);
    Ok(())
}

fn is_function(value: &Value) -> bool {
    matches!(value.class(), Some(Class::Function | Class::Builtin))
}

/// The start of a long text; the table cuts it to its column.
fn short(text: String) -> String {
    text.chars().take(200).collect()
}
