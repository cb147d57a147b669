//! The arguments of a call that no row takes.

use super::signature::shown_param;
use crate::ops::bind::place_of;
use crate::ops::schema::Param;
use crate::value::{CallArgs, Value};

/// The arguments of the call.
pub(super) struct Given<'a> {
    pub(super) values: &'a [Value],
    pub(super) named: &'a CallArgs,
    /// The function written in Python that hands all of them on by place.
    pub(super) handed_on: Option<&'static str>,
}

impl Given<'_> {
    /// What is given by name as PyTorch's hash table hands it out: the last one first, but behind the one before it in its place.
    pub(super) fn names(&self) -> Vec<(&str, &Value)> {
        let mut listed: Vec<(u64, &str, &Value)> = vec![];
        for (key, value) in &self.named.keyword {
            let place = hash(key) % 13;
            let at = listed.iter().position(|(other, ..)| *other == place).unwrap_or(0);
            listed.insert(at, (place, key, value));
        }
        listed.into_iter().map(|(_, key, value)| (key, value)).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.values.len() + self.named.keyword.len()
    }

    /// What is given by the name of a parameter; a tensor is never called `self`, and nothing is where PyTorch says `input`.
    pub(super) fn named(&self, schema: &[Param], place: usize) -> Option<&Value> {
        let says_input = schema.get(place).is_some_and(|param| shown_param(param) == "input");
        let is_other = |name: &str, value: &Value| name == "self" && (says_input || matches!(value, Value::Tensor(_)));
        let mut known = self.named.keyword.iter().filter(|(name, value)| !is_other(name, value));
        known.find(|(name, _)| place_of(schema, name) == Some(place)).map(|(_, value)| value)
    }
}

/// The hash of a text in the C++ library that PyTorch is built with.
fn hash(text: &str) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |v: u64| v ^ (v >> 47);
    let mut hash = 0xc70f_6907 ^ (text.len() as u64).wrapping_mul(FACTOR);
    for chunk in text.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let data = u64::from_le_bytes(bytes);
        let data = if chunk.len() == 8 { mix(data.wrapping_mul(FACTOR)).wrapping_mul(FACTOR) } else { data };
        hash = (hash ^ data).wrapping_mul(FACTOR);
    }
    mix(mix(hash).wrapping_mul(FACTOR))
}
