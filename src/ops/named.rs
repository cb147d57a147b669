//! Results with names: `torch.return_types`.

use super::schema::Schema;
use crate::value::{Named, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Several results under names become `torch.return_types.f`, or `f_out` when they were written into `out=`.
pub fn name_results(schema: &'static Schema, name: &'static str, into_out: bool, result: Value) -> Value {
    let names = schema.returns.iter().filter(|r| r.name.is_some()).count();
    match &result {
        Value::Tuple(values) if names > 1 && values.len() == names => {
            let (type_name, fields) =
                if into_out { named_type(schema, &format!("{name}_out")) } else { named_type(schema, name) };
            Value::Named(Rc::new(Named { type_name, fields, values: values.to_vec() }))
        }
        _ => result,
    }
}

/// The types of results with names, without values, and those of what was written into `out=`.
pub fn named_types() -> Vec<Named> {
    let mut found = vec![];
    for op in super::rows() {
        let Ok(schema) = op.schema() else { continue };
        if schema.returns.iter().filter(|r| r.name.is_some()).count() > 1 {
            for name in [op.name().to_string(), format!("{}_out", op.name())] {
                let (type_name, fields) = named_type(schema, &name);
                found.push(Named { type_name, fields, values: vec![] });
            }
        }
    }
    found
}

/// `torch.return_types.max` and its field names, made once per schema.
fn named_type(schema: &'static Schema, name: &str) -> (&'static str, &'static [&'static str]) {
    type NamedType = (&'static str, &'static [&'static str]);
    thread_local! {
        static TYPES: RefCell<HashMap<(*const Schema, String), NamedType>> = RefCell::new(HashMap::new());
    }
    TYPES.with_borrow_mut(|types| {
        *types.entry((schema as *const Schema, name.to_string())).or_insert_with(|| {
            let fields: Vec<&'static str> = schema.returns.iter().filter_map(|r| r.name.as_deref()).collect();
            let type_name = format!("torch.return_types.{}", name.replace('.', "_"));
            (Box::leak(type_name.into_boxed_str()), Box::leak(fields.into_boxed_slice()))
        })
    })
}
