//! What collects items: displays, comprehensions, f-strings.

use super::number::Number;
use crate::lang::compile::tree::*;
use crate::lang::frame::{Cell, Frame};
use crate::lang::interp::Interp;
use crate::lang::types;
use crate::syntax::ast::ComprehensionKind;
use crate::value::{Dict, Key, Machine, Outcome, Set, Value};
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

/// What a comprehension has collected so far.
enum Collected {
    List(Vec<Value>),
    Set(Set),
    Dict(Dict),
}

impl Collected {
    /// Makes room for more items.
    fn reserve(&mut self, more: usize) {
        match self {
            Collected::List(items) => items.reserve(more),
            Collected::Dict(entries) => entries.reserve(more),
            Collected::Set(_) => {}
        }
    }
}

impl Interp {
    /// The items of a display, starred ones spread.
    pub(in crate::lang) fn items(&mut self, f: &mut Frame, nodes: &[Node], in_set: bool) -> Outcome<Vec<Value>> {
        let mut items = Vec::with_capacity(nodes.len());
        for node in nodes {
            match &node.op {
                Op::Starred(inner) => {
                    let value = self.eval(f, inner)?;
                    items.extend(self.spread(&value, in_set).map_err(|r| self.locate(f, inner.span, r))?);
                }
                _ => items.push(self.eval(f, node)?),
            }
        }
        Ok(items)
    }

    /// The items of what stands behind a `*`; a set goes through it as through anything else.
    fn spread(&mut self, value: &Value, in_set: bool) -> Outcome<Vec<Value>> {
        match crate::lang::iterate::Cursor::find(self, value)? {
            Some(cursor) => self.drain(cursor, usize::MAX),
            None if in_set => fault!(TypeError, "'{}' object is not iterable", value.type_name()),
            None => fault!(TypeError, "Value after * must be an iterable, not {}", value.type_name()),
        }
    }

    pub(in crate::lang) fn set_display(&mut self, f: &mut Frame, nodes: &[Node]) -> Outcome {
        let mut set = Set::default();
        for (item, node) in self.items(f, nodes, true)?.into_iter().zip(nodes.iter().cycle()) {
            set.insert(Key::of(self, item).map_err(|r| self.locate(f, node.span, r))?);
        }
        Ok(Value::Set(Rc::new(RefCell::new(set))))
    }

    pub(in crate::lang) fn dict_display(&mut self, f: &mut Frame, nodes: &[(Option<Node>, Node)]) -> Outcome {
        let mut dict = Dict::default();
        for (key_node, value_node) in nodes {
            let Some(key_node) = key_node else {
                let value = self.eval(f, value_node)?;
                let Some(other) = crate::lang::types::dict::entries_of(&value) else {
                    let result: Outcome = Err(err!(TypeError, "'{}' object is not a mapping", value.type_name()).into());
                    return result.map_err(|r| self.locate(f, value_node.span, r));
                };
                dict.extend(other.borrow().iter().map(|(k, v)| (k.clone(), v.clone())));
                continue;
            };
            let key = self.eval(f, key_node)?;
            let value = self.eval(f, value_node)?;
            dict.insert(Key::of(self, key).map_err(|r| self.locate(f, key_node.span, r))?, value);
        }
        Ok(Value::dict(dict))
    }

    /// A list, set or dict comprehension.
    pub(in crate::lang) fn comprehension(&mut self, f: &mut Frame, it: &Comprehension) -> Outcome {
        for cell in &it.fresh_cells {
            if let Some(place) = f.cells.get_mut(*cell as usize) {
                *place = Cell::default();
            }
        }
        let mut collected = match it.kind {
            ComprehensionKind::Set => Collected::Set(Set::default()),
            ComprehensionKind::Dict => Collected::Dict(Dict::default()),
            _ => Collected::List(vec![]),
        };
        let result = self.clauses(f, it, &it.clauses, &mut collected);
        for slot in it.slots.clone() {
            self.store(f, Place::Local(slot), None);
        }
        result?;
        Ok(match collected {
            Collected::List(items) => Value::list(items),
            Collected::Set(items) => Value::Set(Rc::new(RefCell::new(items))),
            Collected::Dict(entries) => Value::dict(entries),
        })
    }

    fn clauses(&mut self, f: &mut Frame, it: &Comprehension, clauses: &[Clause], to: &mut Collected) -> Outcome<()> {
        let Some((clause, inner)) = clauses.split_first() else {
            return self.element(f, it, to);
        };
        let mut cursor = self.cursor(f, &clause.iter)?;
        if inner.is_empty() && clause.tests.is_empty() {
            to.reserve(cursor.expected());
        }
        'items: while self.step(f, clause.iter.span, &mut cursor, &clause.target)? {
            for test in &clause.tests {
                if !self.test(f, test)? {
                    continue 'items;
                }
            }
            match inner {
                [] => self.element(f, it, to)?,
                inner => self.clauses(f, it, inner, to)?,
            }
        }
        Ok(())
    }

    fn element(&mut self, f: &mut Frame, it: &Comprehension, to: &mut Collected) -> Outcome<()> {
        if let Collected::List(items) = to
            && let Some(number) = self.quick_operand(f, &it.element)
        {
            return number.with(|value| types::list::grow(items, value)).map_err(|r| self.locate(f, it.element.span, r));
        }
        let given = self.give(f, &it.element)?;
        if let (Collected::Dict(entries), Some(key), Some(node)) = (&mut *to, given.and_then(Number::index), &it.value) {
            match self.give(f, node)? {
                Some(number) => number.with(|value| entries.insert(Key::from(key), value)),
                None => entries.insert(Key::from(key), self.taken()),
            };
            return Ok(());
        }
        let element = self.received(given);
        match to {
            Collected::List(items) => types::list::grow(items, element).map_err(|r| self.locate(f, it.element.span, r))?,
            Collected::Set(items) => {
                items.insert(Key::of(self, element).map_err(|r| self.locate(f, it.element.span, r))?);
            }
            Collected::Dict(entries) => {
                let value = match &it.value {
                    Some(node) => {
                        let given = self.give(f, node)?;
                        self.received(given)
                    }
                    None => Value::None,
                };
                entries.insert(Key::of(self, element).map_err(|r| self.locate(f, it.element.span, r))?, value);
            }
        }
        Ok(())
    }

    /// The text of an f-string.
    pub(in crate::lang) fn format_pieces(&mut self, f: &mut Frame, pieces: &[Piece]) -> Outcome<String> {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Value { value, conversion, spec } => {
                    let value_now = self.eval(f, value)?;
                    match spec.as_deref() {
                        None => self.format_piece(f, value, &value_now, *conversion, "", &mut text)?,
                        Some([Piece::Text(spec)]) => self.format_piece(f, value, &value_now, *conversion, spec, &mut text)?,
                        Some(pieces) => {
                            let spec = self.format_pieces(f, pieces)?;
                            self.format_piece(f, value, &value_now, *conversion, &spec, &mut text)?;
                        }
                    }
                }
            }
        }
        Ok(text)
    }

    fn format_piece(
        &mut self,
        f: &mut Frame,
        node: &Node,
        value: &Value,
        conversion: Option<char>,
        spec: &str,
        text: &mut String,
    ) -> Outcome<()> {
        match (value, conversion, spec) {
            (Value::Int(i), None, "") => {
                let _ = write!(text, "{i}");
                return Ok(());
            }
            (Value::Str(s), None, "") => {
                text.push_str(s);
                return Ok(());
            }
            (Value::Int(i), None, spec) if types::format_spec::write_int(*i, spec, text) => return Ok(()),
            (Value::Float(x), None, spec) if types::format_spec::write_float(*x, spec, text) => return Ok(()),
            _ => {}
        }
        let shown = self.convert(value, conversion).and_then(|value| types::format(self, &value, spec));
        text.push_str(&shown.map_err(|r| self.blame(f, node.span, r, &[(node.span, value)]))?);
        Ok(())
    }

    fn convert(&mut self, value: &Value, conversion: Option<char>) -> Outcome {
        Ok(match conversion {
            Some('r') => Value::from(self.repr(value)?),
            Some('s') => Value::from(self.str(value)?),
            Some('a') => Value::from(types::repr::ascii(value)?),
            _ => value.clone(),
        })
    }
}
