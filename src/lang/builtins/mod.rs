//! STUB
use crate::value::*;
use std::any::Any;
use std::rc::Rc;
struct B(&'static str);
impl Object for B {
    fn type_name(&self) -> String {
        "builtin_function_or_method".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(self: Rc<Self>, m: &mut dyn Machine, a: CallArgs) -> Option<Outcome> {
        Some((|| {
            Ok(match self.0 {
                "print" => {
                    let mut t = vec![];
                    for v in &a.positional {
                        t.push(m.str(v)?);
                    }
                    let s = t.join(" ") + "\n";
                    m.write(&s);
                    Value::None
                }
                "len" => Value::from(crate::lang::types::iter::collect(m, &a.positional[0])?.len()),
                "sum" => {
                    let mut t = 0;
                    for v in crate::lang::types::iter::collect(m, &a.positional[0])? {
                        if let Value::Int(i) = v {
                            t += i
                        }
                    }
                    Value::Int(t)
                }
                "next" => match m.next(&a.positional[0])? {
                    Some(v) => v,
                    None => fault!(StopIteration, ""),
                },
                "iter" => m.iter(&a.positional[0])?,
                "locals" => {
                    let mut d = Dict::default();
                    for (k, v) in m.names(true) {
                        d.insert(Key::new(Value::from(&*k))?, v);
                    }
                    Value::dict(d)
                }
                "eval" => {
                    let t = m.str(&a.positional[0])?;
                    m.eval_text(&t)?
                }
                _ => Value::None,
            })
        })())
    }
}
pub fn all() -> Vec<(&'static str, Value)> {
    let mut v: Vec<_> =
        ["print", "len", "sum", "next", "iter", "locals", "eval"].iter().map(|n| (*n, Value::object(B(n)))).collect();
    v.push(("range", Value::Class(Class::Range)));
    v.push(("list", Value::Class(Class::List)));
    v.push(("str", Value::Class(Class::Str)));
    v.push(("type", Value::Class(Class::Type)));
    v
}
