//! `value.name`, and calls of it.

use super::call::{argument_spans, call_name};
use super::site::{AttrSite, Member};
use crate::diag::{Diagnostic, ErrorClass, did_you_mean, is_a_slip};
use crate::lang::advice::elsewhere;
use crate::lang::compile::tree::*;
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::operation::{self, Operation};
use crate::lang::types::call::Builtin;
use crate::lang::{classes, exceptions, library, overrides, types};
use crate::ops;
use crate::tensor::Grad;
use crate::value::{CallArgs, CallRef, Class, Module, Outcome, Raise, Value};
use smallvec::SmallVec;
use std::rc::Rc;

impl Interp {
    /// `object.name` as an expression.
    #[inline(never)]
    pub(in crate::lang) fn attr_node(&mut self, f: &mut Frame, it: &Attr, node: &Node) -> Outcome {
        let object = self.eval(f, &it.object)?;
        self.attr_at(&object, &it.name, &it.site).map_err(|r| self.blame(f, node.span, r, &[(it.object.span, &object)]))
    }

    /// `object.name(…)`, without making a bound method where none is needed.
    #[inline(never)]
    pub(in crate::lang) fn method_node(&mut self, f: &mut Frame, it: &Method, node: &Node) -> Outcome {
        if let Some(value) = self.method_at_once(f, it) {
            return Ok(value);
        }
        let object = self.eval(f, &it.object)?;
        if let Value::Tensor(x) = &object
            && let Some(set) = it.site.method(&it.name)
            && types::own::get(x, &it.name).is_none()
        {
            return self.operation_node(f, it, node, set, Some(object));
        }
        if let (Value::List(items), Args::Plain(nodes), "append") = (&object, &it.args, &*it.name)
            && let [item] = &**nodes
        {
            let item = self.eval(f, item)?;
            return types::list::push(items, item).map(|()| Value::None).map_err(|r| self.locate(f, node.span, r));
        }
        if let (Value::Object(called), Args::Plain(nodes)) = (&object, &it.args)
            && let Some(function) = it.site.own.method(called, &it.name)
            && function.code.params.exact == Some(nodes.len() as u32 + 1)
        {
            let given = self.call_method(f, &function, object, nodes, node.span)?;
            return Ok(self.received(given));
        }
        match &object {
            Value::Module(module) => {
                if let Ok(Member::Operation(set)) = self.member(module, &it.name, &it.site) {
                    return self.operation_node(f, it, node, set, None);
                }
            }
            Value::Tensor(_) | Value::Class(_) | Value::Exception(_) => {}
            other => {
                if let Some((table, row)) = it.site.builtin(other, &it.name) {
                    if let Args::Plain(nodes) = &it.args {
                        let slots = self.slots(f, nodes)?;
                        return table.call_slots(row, self, other, slots, vec![]).map_err(|r| self.locate(f, node.span, r));
                    }
                    let args = self.args(f, &it.args, &|| Builtin::full_name(table, row))?;
                    return table.call(row, self, other, args).map_err(|r| self.locate(f, node.span, r));
                }
            }
        }
        let callee = self
            .attr_at(&object, &it.name, &it.site)
            .map_err(|r| self.blame(f, it.name_span, r, &[(it.object.span, &object)]))?;
        let args = self.args(f, &it.args, &|| call_name(&callee))?;
        self.call_from(f, node.span, &callee, &it.args, args)
    }

    /// The result of a method of a dict that only looks at variables and constants.
    #[inline(always)]
    fn method_at_once(&self, f: &Frame, it: &Method) -> Option<Value> {
        let (Args::Plain(nodes), object @ Value::Dict(_)) = (&it.args, self.seen(f, &it.object)?) else { return None };
        let (_, row) = it.site.builtin(object, &it.name)?;
        self.look_at(f, row.at_once?, object, nodes)
    }

    fn operation_node(
        &mut self,
        f: &mut Frame,
        it: &Method,
        node: &Node,
        set: &'static ops::OpSet,
        receiver: Option<Value>,
    ) -> Outcome {
        let method = receiver.is_some();
        let mut positional = SmallVec::<[Value; 4]>::new();
        if let Some(receiver) = receiver {
            positional.push(receiver);
        }
        let mut keyword = vec![];
        match &it.args {
            Args::Plain(nodes) => {
                for node in nodes {
                    match self.give(f, node)? {
                        Some(number) => number.with(|value| positional.push(value)),
                        None => positional.push(self.taken()),
                    }
                }
            }
            mixed => {
                let args = self.args(f, mixed, &|| ops::full_name(set, method))?;
                positional.extend(args.positional);
                keyword = args.keyword;
            }
        }
        let found = overrides::call_with(self, set, method, CallRef { positional: &positional, keyword: &keyword });
        types::of_operator(set.name, found).map_err(|r| {
            let mut operands = argument_spans(&it.args, &positional[method as usize..]);
            operands.splice(0..0, method.then(|| (it.object.span, &positional[0])));
            self.blame(f, node.span, r, &operands)
        })
    }

    /// `getattr(value, name)`.
    pub fn attr(&mut self, value: &Value, name: &str) -> Outcome {
        self.attr_at(value, name, &AttrSite::default())
    }

    pub(super) fn attr_at(&mut self, value: &Value, name: &str, site: &AttrSite) -> Outcome {
        let found = match value {
            Value::Tensor(_) => self.tensor_attr(value, name, site)?,
            Value::Module(module) => {
                return Ok(match self.member(module, name, site)? {
                    Member::Operation(set) => Operation::function(set),
                    Member::Value(value) => value,
                });
            }
            Value::Object(object) if let Some(found) = site.own.own(object, name) => return Ok(found),
            Value::Object(object) if let Some(found) = site.own.of_class(object, name) => return Ok(found),
            Value::Object(object) => match Rc::clone(object).attr(name)? {
                None => Rc::clone(object).computed(self, name).transpose()?,
                found => found,
            },
            Value::Exception(exception) => match classes::of_exception(self, value, name)? {
                None => exceptions::attr(exception, name),
                found => found,
            },
            Value::Class(Class::Exception(ErrorClass::Own(_))) => match classes::as_class(value) {
                Some(class) => class.attribute(self, name)?,
                None => None,
            },
            Value::Class(Class::Tensor | Class::Parameter) => operation::of_class(name),
            _ => None,
        };
        match found {
            Some(value) => Ok(value),
            None => match types::attr(self, value, name)? {
                Some(value) => Ok(value),
                None => Err(self.no_attribute(value, name)),
            },
        }
    }

    fn tensor_attr(&mut self, tensor: &Value, name: &str, site: &AttrSite) -> Outcome<Option<Value>> {
        if let Some(set) = site.property(name) {
            if let Value::Tensor(x) = tensor
                && let Some(found) = ops::inspect::at_once(set.name, x)
            {
                return Ok(Some(found));
            }
            return ops::call(self, set, true, CallArgs::positional(vec![tensor.clone()])).map(Some);
        }
        if let Value::Tensor(x) = tensor
            && let Some(own) = types::own::get(x, name)
        {
            return Ok(Some(own));
        }
        Ok(site.method(name).map(|set| Operation::method(set, tensor.clone())))
    }

    /// What a module has under a name: made by hand, or a row of the table.
    fn member(&mut self, module: &Rc<Module>, name: &str, site: &AttrSite) -> Outcome<Member> {
        if let Some(member) = site.member(module, self.module_version) {
            return Ok(member);
        }
        let found = match library::member(self, module, name) {
            Some(member) => member,
            None => return Err(self.no_attribute(&Value::Module(module.clone()), name)),
        };
        site.remember(module, self.module_version, found.clone());
        Ok(found)
    }

    /// `setattr(value, name, to)`.
    pub fn set_attr(&mut self, value: &Value, name: &str, to: Value) -> Outcome<()> {
        if classes::set_attr(self, value, name, &to)? {
            return Ok(());
        }
        let done = match value {
            Value::Tensor(tensor) => {
                if !ops::gradient::set_attribute(self, tensor, name, &to)? {
                    types::own::set(tensor, name, to);
                }
                true
            }
            Value::Module(module) => {
                module.names.borrow_mut().insert(name.to_string(), to);
                self.module_version += 1;
                true
            }
            Value::Object(object) => library::assign_computed(self, value, name, &to)? || object.set_attr(name, to)?,
            Value::Exception(exception) => return exceptions::set_attr(self, exception, name, to),
            Value::Class(Class::Exception(ErrorClass::Own(_))) => match classes::as_class(value) {
                Some(class) => {
                    class.set(name, to);
                    true
                }
                None => false,
            },
            _ => false,
        };
        if done { Ok(()) } else { Err(self.cannot_set(value, name)) }
    }

    /// `delattr(value, name)`.
    pub fn del_attr(&mut self, value: &Value, name: &str) -> Outcome<()> {
        if let Value::Module(module) = value
            && module.names.borrow_mut().shift_remove(name).is_some()
        {
            self.module_version += 1;
            return Ok(());
        }
        if classes::delete_attr(self, value, name)? || matches!(value, Value::Object(object) if object.del_attr(name)) {
            return Ok(());
        }
        if let (Value::Tensor(tensor), "grad") = (value, name) {
            tensor.set_grad(Grad { grad: None, ..tensor.grad() });
            return Ok(());
        }
        if matches!(value, Value::Tensor(tensor) if types::own::remove(tensor, name)) {
            return Ok(());
        }
        Err(self.cannot_delete(value, name))
    }

    #[cold]
    fn cannot_delete(&mut self, value: &Value, name: &str) -> Raise {
        let text = match (value, name) {
            (Value::Tensor(_), "data") => "Deleting tensor data is not allowed. Delete tensor instead!",
            (Value::Tensor(_), "requires_grad") => "requires_grad must be a bool",
            (Value::Tensor(_), name) if ops::property(name).is_none() && ops::method(name).is_some() => {
                return self.no_attribute(value, name);
            }
            (Value::Object(object), _) if object.as_any().is::<classes::Instance>() => {
                let text = format!("'{}' object has no attribute '{name}'", value.type_name());
                return Raise::new(ErrorClass::AttributeError, text);
            }
            _ => return self.cannot_set(value, name),
        };
        Raise::new(ErrorClass::RuntimeError, text)
    }

    #[cold]
    fn cannot_set(&mut self, value: &Value, name: &str) -> Raise {
        if let Value::Class(class) = value {
            let text = format!("cannot set '{name}' attribute of immutable type '{}'", class.name());
            return Raise::new(ErrorClass::TypeError, text);
        }
        match self.attr(value, name) {
            Ok(_) => {
                let text = match value {
                    Value::Named(named) if named.type_name.starts_with("torch.") && named.fields.contains(&name) => {
                        "readonly attribute".to_string()
                    }
                    Value::Named(named) if !named.type_name.starts_with("torch.") => "can't set attribute".to_string(),
                    Value::Tensor(_) => format!("attribute '{name}' of 'torch._C.TensorBase' objects is not writable"),
                    Value::DType(_) | Value::Device(_) => {
                        format!("attribute '{name}' of '{}' objects is not writable", value.type_name())
                    }
                    Value::Object(object) if matches!(&*object.type_name(), "torch.finfo" | "torch.iinfo") => {
                        format!("attribute '{name}' of '{}' objects is not writable", value.type_name())
                    }
                    _ => format!("'{}' object attribute '{name}' is read-only", value.type_name()),
                };
                Raise::new(ErrorClass::AttributeError, text)
            }
            // It has the attribute, which has no value of its own there.
            Err(raise) if matches!(value, Value::Tensor(_)) && raise.0.diagnostic.class != ErrorClass::AttributeError => {
                let text = format!("attribute '{name}' of 'torch._C.TensorBase' objects is not writable");
                Raise::new(ErrorClass::AttributeError, text)
            }
            Err(raise) => raise,
        }
    }

    /// The error for a name that a value does not have, with the nearest one it has.
    #[cold]
    fn no_attribute(&mut self, value: &Value, name: &str) -> Raise {
        let text = match value {
            Value::Module(module) => format!("module '{}' has no attribute '{name}'", module.name),
            Value::Class(class) => format!("type object '{}' has no attribute '{name}'", class_name(*class)),
            other => format!("'{}' object has no attribute '{name}'", other.type_name()),
        };
        let diagnostic = Diagnostic::new(ErrorClass::AttributeError, text);
        let known = self.attributes(value);
        match (of_tensors(value, name), did_you_mean(name, known.iter().map(String::as_str))) {
            (Some(way), _) => diagnostic.help(way).into(),
            (None, Some(near)) => {
                let diagnostic = diagnostic.help(format!("did you mean {near}?"));
                if is_a_slip(name, near) { diagnostic.change(name, near).into() } else { diagnostic.into() }
            }
            (None, None) => diagnostic.into(),
        }
    }

    /// The names that a value has, for `dir`, completion and suggestions.
    pub fn attributes(&mut self, value: &Value) -> Vec<String> {
        match value {
            Value::Tensor(x) => ops::method_names().map(str::to_string).chain(types::own::names(x)).collect(),
            Value::Module(module) => library::names(module),
            Value::Object(object) => object.attributes(),
            other => types::attributes(other),
        }
    }
}

/// What is written instead of a name that torch or a tensor does not have: it is the other's, or another library's.
fn of_tensors(value: &Value, name: &str) -> Option<String> {
    let is_tensor = matches!(value, Value::Tensor(_));
    if !is_tensor && !matches!(value, Value::Module(module) if &*module.name == library::TORCH) {
        return None;
    }
    if let Some(ours) = elsewhere(name) {
        return Some(format!("here that is {ours}"));
    }
    let (way, exists) = match is_tensor {
        true => (format!("it is a function: torch.{name}(...)"), ops::function(name).is_some()),
        false if ops::property(name).is_some() => (format!("tensors have it: x.{name}"), true),
        false => (format!("tensors have it: x.{name}(...)"), ops::method(name).is_some()),
    };
    exists.then_some(way)
}

/// A class's name without its module.
fn class_name(class: Class) -> String {
    let name = class.name();
    let compiled = matches!(
        class,
        Class::DType
            | Class::Device
            | Class::FInfo
            | Class::IInfo
            | Class::Layout
            | Class::MemoryFormat
            | Class::Size
            | Class::TensorOf(_)
            | Class::TorchGenerator
    );
    if compiled { name.to_string() } else { name.rsplit('.').next().unwrap_or_default().to_string() }
}
