//! Built-in functions that look at names: of objects and of scopes.

use crate::diag::ErrorClass;
use crate::lang::classes;
use crate::lang::types::call::Call;
use crate::lang::types::iter;
use crate::value::{CallArgs, Dict, Key, Outcome, Text, TextScope, Value};
use std::rc::Rc;

fn name(value: &Value) -> Outcome<Rc<Text>> {
    match value {
        Value::Str(name) => Ok(name.clone()),
        other => fault!(TypeError, "attribute name must be string, not '{}'", other.type_name()),
    }
}

/// `getattr(object, name, default)`.
pub fn get(c: &mut Call<'_>) -> Outcome {
    let (object, name) = (c.arg(0).clone(), name(c.arg(1))?);
    match (c.machine.attr(&object, &name), c.get(2)) {
        (Err(raise), Some(default)) if raise.0.diagnostic.class.is_a(ErrorClass::AttributeError) => Ok(default.clone()),
        (found, _) => found,
    }
}

/// `hasattr(object, name)`.
pub fn has(c: &mut Call<'_>) -> Outcome {
    let (object, name) = (c.arg(0).clone(), name(c.arg(1))?);
    match c.machine.attr(&object, &name) {
        Ok(_) => Ok(Value::Bool(true)),
        Err(raise) if raise.0.diagnostic.class.is_a(ErrorClass::AttributeError) => Ok(Value::Bool(false)),
        Err(raise) => Err(raise),
    }
}

/// `setattr(object, name, value)`.
pub fn set(c: &mut Call<'_>) -> Outcome {
    let (object, name, value) = (c.arg(0).clone(), name(c.arg(1))?, c.arg(2).clone());
    c.machine.set_attr(&object, &name, value)?;
    Ok(Value::None)
}

/// `delattr(object, name)`.
pub fn delete(c: &mut Call<'_>) -> Outcome {
    let (object, name) = (c.arg(0).clone(), name(c.arg(1))?);
    c.machine.del_attr(&object, &name)?;
    Ok(Value::None)
}

/// `dir()` of the scope, `dir(object)`.
pub fn dir(c: &mut Call<'_>) -> Outcome {
    if let Some(found) = classes::special(c, "__dir__") {
        let names = Value::list(iter::collect(c.machine, &found?)?);
        let sort = c.machine.attr(&names, "sort")?;
        c.machine.call(&sort, CallArgs::default())?;
        return Ok(names);
    }
    let mut names: Vec<String> = match c.get(0).cloned() {
        Some(object) => c.machine.attributes(&object),
        None => c.machine.names(true).into_iter().map(|(name, _)| name.to_string()).collect(),
    };
    names.sort();
    names.dedup();
    Ok(Value::list(names.into_iter().map(Value::from).collect()))
}

/// `globals()`, `locals()`: a scope's variables.
pub fn scope(c: &mut Call<'_>, local: bool) -> Outcome {
    Ok(c.machine.scope(local))
}

/// `vars()`, `vars(module)`.
pub fn vars(c: &mut Call<'_>) -> Outcome {
    match c.get(0).cloned() {
        None => scope(c, true),
        Some(Value::Module(module)) => {
            let names = module.names.borrow();
            Ok(Value::dict(names.iter().map(|(name, value)| (Key::from(name.as_str()), value.clone())).collect::<Dict>()))
        }
        Some(object) => match c.machine.attr(&object, "__dict__") {
            Ok(names) => Ok(names),
            Err(_) => fault!(TypeError, "vars() argument must have __dict__ attribute"),
        },
    }
}

/// `eval(text, globals, locals)`: an expression's value.
pub fn eval(c: &mut Call<'_>) -> Outcome {
    match (c.arg(0).clone(), given_scope(c, "eval")?) {
        (Value::Str(text), scope) => c.machine.eval_text(&text, scope),
        _ => fault!(TypeError, "eval() arg 1 must be a string, bytes or code object"),
    }
}

/// `exec(text, globals, locals)`: runs statements.
pub fn exec(c: &mut Call<'_>) -> Outcome {
    match (c.arg(0).clone(), given_scope(c, "exec")?) {
        (Value::Str(text), scope) => c.machine.exec_text(&text, scope),
        _ => fault!(TypeError, "exec() arg 1 must be a string, bytes or code object"),
    }
}

/// The scope that `eval` or `exec` is given; each has its own words for what is none.
fn given_scope(c: &mut Call<'_>, name: &str) -> Outcome<TextScope> {
    let locals = match c.some(2) {
        None => None,
        Some(Value::Dict(names)) => Some(names.clone()),
        Some(_) if name == "eval" => fault!(TypeError, "locals must be a mapping"),
        Some(other) => fault!(TypeError, "locals must be a mapping or None, not {}", other.type_name()),
    };
    Ok(match (c.some(1), locals) {
        (None, None) => TextScope::Running,
        (None, locals) => match scope(c, false)? {
            Value::Dict(globals) => TextScope::Given { globals, locals },
            _ => TextScope::Running,
        },
        (Some(Value::Dict(names)), locals) => TextScope::Given { globals: names.clone(), locals },
        (Some(Value::List(_) | Value::Tuple(_) | Value::Str(_) | Value::Tensor(_)), _) if name == "eval" => {
            fault!(TypeError, "globals must be a real dict; try eval(expr, {{}}, mapping)")
        }
        (Some(_), _) if name == "eval" => fault!(TypeError, "globals must be a dict"),
        (Some(other), _) => fault!(TypeError, "exec() globals must be a dict, not {}", other.type_name()),
    })
}
