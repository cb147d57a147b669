//! `match`: whether a value looks as a pattern says, and which names that binds.

use super::raised::Swift;
use super::stmt::Flow;
use crate::diag::ErrorClass;
use crate::lang::classes;
use crate::lang::compile::tree::*;
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::operators;
use crate::lang::types::{class, iter, repr};
use crate::syntax::ast::CompareOp;
use crate::value::{Class, Dict, Key, Machine, Outcome, Raise, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Names to be bound once the whole pattern has matched.
type Bindings<'a> = Vec<(&'a Target, Value)>;

/// Classes whose one positional sub-pattern looks at the object itself.
const WHOLE: [Class; 11] = [
    Class::Bool,
    Class::Bytes,
    Class::Dict,
    Class::Float,
    Class::FrozenSet,
    Class::Int,
    Class::List,
    Class::Set,
    Class::Str,
    Class::Tuple,
    Class::Size,
];

impl Interp {
    /// `match subject: case …`: the first case that fits runs.
    pub(in crate::lang) fn match_statement(&mut self, f: &mut Frame, it: &Match) -> Swift<Flow> {
        match self.chosen_case(f, it)?.and_then(|place| it.cases.get(place)) {
            Some(case) => self.block(f, &case.body),
            None => Ok(Flow::Next),
        }
    }

    /// The first case that fits, with its names bound.
    pub(super) fn chosen_case(&mut self, f: &mut Frame, it: &Match) -> Swift<Option<usize>> {
        let subject = self.eval(f, &it.subject)?;
        for (place, case) in it.cases.iter().enumerate() {
            let mut bindings = vec![];
            if !self.fits(f, &case.pattern, &subject, &mut bindings)? {
                continue;
            }
            for (target, value) in bindings {
                self.assign(f, target, value)?;
            }
            let holds = match &case.guard {
                Some(guard) => self.test(f, guard)?,
                None => true,
            };
            if holds {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn fits<'a>(&mut self, f: &mut Frame, pattern: &'a Pattern, value: &Value, bindings: &mut Bindings<'a>) -> Outcome<bool> {
        match pattern {
            Pattern::Any => Ok(true),
            Pattern::Singleton(constant) => Ok(value.is(constant)),
            Pattern::Value(node) => {
                let wanted = self.eval(f, node)?;
                let equal = operators::compare(self, CompareOp::Eq, value, &wanted);
                equal.and_then(|equal| operators::truth(&equal)).map_err(|r| self.locate(f, node.span, r))
            }
            Pattern::Bind(inner, target) => {
                let fits = self.fits(f, inner, value, bindings)?;
                bindings.push((target, value.clone()));
                Ok(fits)
            }
            Pattern::Or(options) => {
                let before = bindings.len();
                for option in options {
                    bindings.truncate(before);
                    if self.fits(f, option, value, bindings)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Pattern::Sequence(it) => self.fits_sequence(f, it, value, bindings),
            Pattern::Mapping(it) => self.fits_mapping(f, it, value, bindings),
            Pattern::Class(it) => self.fits_class(f, it, value, bindings),
        }
    }

    fn all_fit<'a>(
        &mut self,
        f: &mut Frame,
        patterns: &'a [Pattern],
        values: &[Value],
        bindings: &mut Bindings<'a>,
    ) -> Outcome<bool> {
        for (pattern, value) in patterns.iter().zip(values) {
            if !self.fits(f, pattern, value, bindings)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fits_sequence<'a>(
        &mut self,
        f: &mut Frame,
        it: &'a SequencePattern,
        value: &Value,
        bindings: &mut Bindings<'a>,
    ) -> Outcome<bool> {
        let value = &classes::plain(value);
        if !is_sequence(value) {
            return Ok(false);
        }
        let items = iter::collect(self, value)?;
        let wanted = it.before.len() + it.after.len();
        if items.len() < wanted || it.star.is_none() && items.len() > wanted {
            return Ok(false);
        }
        let (head, rest) = items.split_at(it.before.len());
        let (middle, tail) = rest.split_at(rest.len() - it.after.len());
        if !self.all_fit(f, &it.before, head, bindings)? {
            return Ok(false);
        }
        if let Some(Some(target)) = &it.star {
            bindings.push((target, Value::list(middle.to_vec())));
        }
        self.all_fit(f, &it.after, tail, bindings)
    }

    fn fits_mapping<'a>(
        &mut self,
        f: &mut Frame,
        it: &'a MappingPattern,
        value: &Value,
        bindings: &mut Bindings<'a>,
    ) -> Outcome<bool> {
        let Some(entries) = entries(value) else { return Ok(false) };
        if entries.borrow().len() < it.items.len() {
            return Ok(false);
        }
        let mut values = vec![];
        let mut seen: Vec<Key> = vec![];
        for (node, _) in &it.items {
            let key = self.eval(f, node)?;
            let key = Key::of(self, key)?;
            if seen.contains(&key) {
                let text = format!("mapping pattern checks duplicate key ({})", repr::repr(key.value())?);
                return Err(self.locate(f, node.span, Raise::new(ErrorClass::ValueError, text)));
            }
            let Some(found) = entries.borrow().get(&key).cloned() else { return Ok(false) };
            seen.push(key);
            values.push(found);
        }
        for ((_, pattern), value) in it.items.iter().zip(&values) {
            if !self.fits(f, pattern, value, bindings)? {
                return Ok(false);
            }
        }
        if let Some(target) = &it.rest {
            let entries = entries.borrow();
            let left = entries.iter().filter(|(key, _)| !seen.contains(key));
            bindings.push((target, Value::dict(left.map(|(key, value)| (key.clone(), value.clone())).collect())));
        }
        Ok(true)
    }

    fn fits_class<'a>(
        &mut self,
        f: &mut Frame,
        it: &'a ClassPattern,
        value: &Value,
        bindings: &mut Bindings<'a>,
    ) -> Outcome<bool> {
        let wanted = self.eval(f, &it.class)?;
        let is_class = match &wanted {
            Value::Class(_) => true,
            Value::Object(object) => object.is_class_of(value).is_some(),
            _ => false,
        };
        if !is_class {
            let raise = Raise::new(ErrorClass::TypeError, "called match pattern must be a type");
            return Err(self.locate(f, it.span, raise));
        }
        if !class::is_instance(value, &wanted)? {
            return Ok(false);
        }
        let names = self.places(&wanted, value, it).map_err(|r| self.locate(f, it.span, r))?;
        let by_place = it.positional.iter().zip(names);
        let by_name = it.keywords.iter().map(|(name, pattern)| (pattern, Some(name.to_string())));
        let mut parts: Vec<(&Pattern, Value)> = vec![];
        for (pattern, name) in by_place.chain(by_name) {
            let Some(name) = name else {
                parts.push((pattern, value.clone()));
                continue;
            };
            match self.attr(value, &name) {
                Ok(part) => parts.push((pattern, part)),
                Err(raise) if raise.0.diagnostic.class == ErrorClass::AttributeError => return Ok(false),
                Err(raise) => return Err(self.locate(f, it.span, raise)),
            }
        }
        for (pattern, part) in parts {
            if !self.fits(f, pattern, &part, bindings)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The attributes that positional sub-patterns look at; none: the object itself.
    fn places(&mut self, wanted: &Value, value: &Value, it: &ClassPattern) -> Outcome<Vec<Option<String>>> {
        let given = it.positional.len();
        if given == 0 {
            return Ok(vec![]);
        }
        let whole = match wanted {
            Value::Class(class) => WHOLE.contains(class),
            _ => WHOLE.iter().any(|class| class::is_instance(value, &Value::Class(*class)).unwrap_or(false)),
        };
        let names: Vec<Option<String>> = match self.attr(wanted, "__match_args__") {
            Ok(names) => iter::collect(self, &names)?.iter().map(|n| self.str(n).map(Some)).collect::<Outcome<_>>()?,
            Err(_) if whole => vec![None],
            Err(_) => vec![],
        };
        if given > names.len() {
            let class = self.attr(wanted, "__name__").and_then(|name| self.str(&name))?;
            let plural = if names.len() == 1 { "" } else { "s" };
            fault!(TypeError, "{class}() accepts {} positional sub-pattern{plural} ({given} given)", names.len());
        }
        Ok(names)
    }
}

/// What patterns take for a sequence: no text, no tensor.
fn is_sequence(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.type_name() == "collections.deque",
        _ => value.items().is_some() || matches!(value, Value::Range(_)),
    }
}

/// The entries of a mapping.
fn entries(value: &Value) -> Option<Rc<RefCell<Dict>>> {
    match value {
        Value::Dict(dict) => Some(dict.clone()),
        Value::Object(object) => object.entries(),
        _ => None,
    }
}
