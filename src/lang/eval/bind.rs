//! The arguments of a call to the parameters of a function, by Python's rules and in Python's words.

use crate::lang::compile::tree::{Arg, Args, Node, Params};
use crate::lang::frame::Frame;
use crate::lang::function::Function;
use crate::lang::interp::Interp;
use crate::value::{CallArgs, Dict, Key, Outcome, Value};
use smallvec::SmallVec;

impl Interp {
    /// Puts the arguments into new slots on the stack, in the order of the parameters; gives where they begin.
    pub(in crate::lang) fn bind(&mut self, function: &Function, args: CallArgs) -> Outcome<usize> {
        let base = self.stack.len();
        if args.keyword.is_empty() && function.code.params.exact == Some(args.positional.len() as u32) {
            self.stack.extend(args.positional.into_iter().map(Some));
            return Ok(base);
        }
        let bound = self.bind_at(function, args, base);
        if bound.is_err() {
            self.stack.truncate(base);
        }
        bound.map(|()| base)
    }

    /// The same for arguments that still have to be evaluated, each straight into its slot. None, with nothing evaluated, when
    /// there are stars or names that do not fit: then the arguments are gathered first, and refused in Python's words.
    pub(super) fn bind_nodes(&mut self, f: &mut Frame, function: &Function, args: &Args) -> Outcome<Option<usize>> {
        let params = &function.code.params;
        let Some(places) = places(params, args) else { return Ok(None) };
        let base = self.stack.len();
        self.stack.resize(base + params.names.len(), None);
        let bound = places.iter().try_for_each(|(place, node)| {
            let given = self.give(f, node)?;
            self.set_slot(base + place, given);
            Ok(())
        });
        match bound.and_then(|()| self.fill_defaults(function, base)) {
            Ok(()) => Ok(Some(base)),
            Err(raise) => {
                self.stack.truncate(base);
                Err(raise)
            }
        }
    }

    fn bind_at(&mut self, function: &Function, args: CallArgs, base: usize) -> Outcome<()> {
        let params = &function.code.params;
        let given = args.positional.len();
        let mut positional = args.positional.into_iter();
        self.stack.extend(positional.by_ref().take(params.keyword_only_from).map(Some));
        self.stack.resize(base + params.names.len(), None);
        let rest: Vec<Value> = positional.collect();
        let mut extra = Dict::default();
        for (name, value) in args.keyword {
            let place = params.names.iter().position(|n| *n == name).filter(|place| *place >= params.positional_only);
            match place.and_then(|place| self.stack.get_mut(base + place)) {
                Some(Some(_)) => fault!(TypeError, "{}() got multiple values for argument '{name}'", function.code.qualname),
                Some(slot) => *slot = Some(value),
                None if params.double_star => drop(extra.insert(Key::new(Value::from(&*name))?, value)),
                None => return unexpected_keyword(function, &name),
            }
        }
        if !rest.is_empty() && !params.star {
            let keyword_only = self.stack.iter().skip(base + params.keyword_only_from).flatten().count();
            return too_many(function, given, keyword_only);
        }
        self.fill_defaults(function, base)?;
        self.stack.extend(params.star.then(|| Some(Value::tuple(rest))));
        self.stack.extend(params.double_star.then(|| Some(Value::dict(extra))));
        Ok(())
    }

    fn fill_defaults(&mut self, function: &Function, base: usize) -> Outcome<()> {
        let slots = self.stack.get_mut(base..).unwrap_or_default();
        let mut is_complete = true;
        for (slot, default) in slots.iter_mut().zip(&function.defaults) {
            if slot.is_none() {
                slot.clone_from(default);
                is_complete &= slot.is_some();
            }
        }
        if is_complete { Ok(()) } else { refuse_missing_in(function, slots) }
    }
}

/// The error for parameters that neither an argument nor a default has filled.
#[cold]
fn refuse_missing_in(function: &Function, slots: &[Option<Value>]) -> Outcome<()> {
    let params = &function.code.params;
    let named = |keyword_only: bool| {
        let empty = slots.iter().zip(&params.names).enumerate().filter(|(_, (slot, _))| slot.is_none());
        empty.filter(|(place, _)| (*place >= params.keyword_only_from) == keyword_only).map(|(_, (_, name))| &**name).collect()
    };
    let (positional, keyword_only): (Vec<&str>, Vec<&str>) = (named(false), named(true));
    refuse_missing(function, "positional", &positional)?;
    refuse_missing(function, "keyword-only", &keyword_only)
}

/// The parameter of each argument, in the order of evaluation; none when one has no place of its own.
fn places<'a>(params: &Params, args: &'a Args) -> Option<SmallVec<[(usize, &'a Node); 4]>> {
    if params.star || params.double_star {
        return None;
    }
    let mut places = SmallVec::new();
    let mut add = |place: usize, node: &'a Node| {
        let is_taken = places.iter().any(|(taken, _)| *taken == place);
        places.push((place, node));
        (!is_taken).then_some(())
    };
    let by_place = |place: usize| (place < params.keyword_only_from).then_some(place);
    match args {
        Args::Plain(nodes) => nodes.iter().enumerate().try_for_each(|(i, node)| add(by_place(i)?, node))?,
        Args::Mixed(args) => args.iter().enumerate().try_for_each(|(i, arg)| match arg {
            Arg::Positional(node) => add(by_place(i)?, node),
            Arg::Keyword(name, node) => {
                let place = params.names.iter().position(|n| n == name)?;
                add((place >= params.positional_only).then_some(place)?, node)
            }
            Arg::Star(_) | Arg::DoubleStar(_) => None,
        })?,
    }
    Some(places)
}

fn refuse_missing(function: &Function, kind: &str, names: &[&str]) -> Outcome<()> {
    if names.is_empty() {
        return Ok(());
    }
    let quoted: Vec<String> = names.iter().map(|n| format!("'{n}'")).collect();
    let listed = match quoted.as_slice() {
        [first @ .., second, last] if !first.is_empty() => format!("{}, {second}, and {last}", first.join(", ")),
        several => several.join(" and "),
    };
    let s = plural(names.len());
    fault!(TypeError, "{}() missing {} required {kind} argument{s}: {listed}", function.code.qualname, names.len())
}

fn unexpected_keyword(function: &Function, name: &str) -> Outcome<()> {
    let code = &function.code;
    let positional_only = code.params.names.iter().take(code.params.positional_only).any(|n| **n == *name);
    if positional_only {
        fault!(TypeError, "{}() got some positional-only arguments passed as keyword arguments: '{name}'", code.qualname);
    }
    fault!(TypeError, "{}() got an unexpected keyword argument '{name}'", code.qualname)
}

fn too_many(function: &Function, given: usize, keyword_only: usize) -> Outcome<()> {
    let code = &function.code;
    let most = code.params.keyword_only_from;
    let least = most - function.defaults.iter().take(most).flatten().count();
    let takes = if least < most { format!("from {least} to {most}") } else { most.to_string() };
    // A range of numbers is plural, whatever it ends with.
    let s = if least < most { "s" } else { plural(most) };
    if keyword_only > 0 {
        let (given_s, keyword_s) = (plural(given), plural(keyword_only));
        fault!(
            TypeError,
            "{}() takes {takes} positional argument{s} but {given} positional argument{given_s} (and {keyword_only} keyword-only argument{keyword_s}) were given",
            code.qualname
        );
    }
    let verb = if given == 1 { "was" } else { "were" };
    fault!(TypeError, "{}() takes {takes} positional argument{s} but {given} {verb} given", code.qualname)
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
