//! `operator`: operators as functions.

use crate::lang::operators;
use crate::lang::types::call::{Call, Row, Table, Takes, check_count, row};
use crate::lang::types::class::ObjectClass;
use crate::lang::types::{compare as python, convert, iter, overall, repr};
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "operator",
    rows: Table::sorted(&[
        row("abs", Takes::One, crate::lang::builtins::absolute),
        row("add", Takes::Between(2, 2), |c| binary(c, BinaryOp::Add)),
        row("and_", Takes::Between(2, 2), |c| binary(c, BinaryOp::BitAnd)),
        row("concat", Takes::Between(2, 2), |c| binary(c, BinaryOp::Add)),
        row("contains", Takes::Between(2, 2), |c| {
            let (container, item) = (c.arg(0).clone(), c.arg(1).clone());
            operators::contains(c.machine, &container, &item).map(Value::Bool)
        }),
        row("countOf", Takes::Between(2, 2), count_of),
        row("delitem", Takes::Between(2, 2), |c| {
            let (object, key) = (c.arg(0).clone(), c.arg(1).clone());
            c.machine.del_item(&object, &key)?;
            Ok(Value::None)
        }),
        row("eq", Takes::Between(2, 2), |c| compare(c, CompareOp::Eq)),
        row("floordiv", Takes::Between(2, 2), |c| binary(c, BinaryOp::FloorDiv)),
        row("ge", Takes::Between(2, 2), |c| compare(c, CompareOp::Ge)),
        row("getitem", Takes::Between(2, 2), |c| {
            let (object, key) = (c.arg(0).clone(), c.arg(1).clone());
            c.machine.get_item(&object, &key)
        }),
        row("gt", Takes::Between(2, 2), |c| compare(c, CompareOp::Gt)),
        row("iadd", Takes::Between(2, 2), |c| inplace(c, BinaryOp::Add)),
        row("iand", Takes::Between(2, 2), |c| inplace(c, BinaryOp::BitAnd)),
        row("imul", Takes::Between(2, 2), |c| inplace(c, BinaryOp::Mul)),
        row("index", Takes::One, |c| convert::to_int(c.arg(0))),
        row("indexOf", Takes::Between(2, 2), index_of),
        row("inv", Takes::One, |c| unary(c, UnaryOp::Invert)),
        row("invert", Takes::One, |c| unary(c, UnaryOp::Invert)),
        row("ior", Takes::Between(2, 2), |c| inplace(c, BinaryOp::BitOr)),
        row("is_", Takes::Between(2, 2), |c| Ok(Value::Bool(c.arg(0).is(c.arg(1))))),
        row("is_not", Takes::Between(2, 2), |c| Ok(Value::Bool(!c.arg(0).is(c.arg(1))))),
        row("isub", Takes::Between(2, 2), |c| inplace(c, BinaryOp::Sub)),
        row("le", Takes::Between(2, 2), |c| compare(c, CompareOp::Le)),
        row("lshift", Takes::Between(2, 2), |c| binary(c, BinaryOp::LShift)),
        row("lt", Takes::Between(2, 2), |c| compare(c, CompareOp::Lt)),
        row("matmul", Takes::Between(2, 2), |c| binary(c, BinaryOp::MatMul)),
        row("mod", Takes::Between(2, 2), |c| binary(c, BinaryOp::Mod)),
        row("mul", Takes::Between(2, 2), |c| binary(c, BinaryOp::Mul)),
        row("ne", Takes::Between(2, 2), |c| compare(c, CompareOp::Ne)),
        row("neg", Takes::One, |c| unary(c, UnaryOp::Neg)),
        row("not_", Takes::One, |c| Ok(Value::Bool(!overall::truth(c.arg(0))?))),
        row("or_", Takes::Between(2, 2), |c| binary(c, BinaryOp::BitOr)),
        row("pos", Takes::One, |c| unary(c, UnaryOp::Pos)),
        row("pow", Takes::Between(2, 2), |c| binary(c, BinaryOp::Pow)),
        row("rshift", Takes::Between(2, 2), |c| binary(c, BinaryOp::RShift)),
        row("setitem", Takes::Between(3, 3), |c| {
            let (object, key, value) = (c.arg(0).clone(), c.arg(1).clone(), c.arg(2).clone());
            c.machine.set_item(&object, &key, value)?;
            Ok(Value::None)
        }),
        row("sub", Takes::Between(2, 2), |c| binary(c, BinaryOp::Sub)),
        row("truediv", Takes::Between(2, 2), |c| binary(c, BinaryOp::Div)),
        row("truth", Takes::One, |c| Ok(Value::Bool(overall::truth(c.arg(0))?))),
        row("xor", Takes::Between(2, 2), |c| binary(c, BinaryOp::BitXor)),
    ]),
};

static CLASSES: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("attrgetter", Takes::Any, |c| getter(c, Kind::Attribute)),
        row("itemgetter", Takes::Any, |c| getter(c, Kind::Item)),
        row("methodcaller", Takes::Any, |c| getter(c, Kind::Method)),
    ]),
};

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    let class = |row: &'static Row| ObjectClass::callable(&format!("operator.{}", row.name), &CLASSES, row, None);
    CLASSES.rows.iter().map(|row| (row.name, class(row))).collect()
}

fn binary(c: &mut Call<'_>, op: BinaryOp) -> Outcome {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    operators::binary(c.machine, op, &a, &b)
}

fn inplace(c: &mut Call<'_>, op: BinaryOp) -> Outcome {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    operators::inplace(c.machine, op, &a, &b)
}

fn unary(c: &mut Call<'_>, op: UnaryOp) -> Outcome {
    let a = c.arg(0).clone();
    operators::unary(c.machine, op, &a)
}

fn compare(c: &mut Call<'_>, op: CompareOp) -> Outcome {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    operators::compare(c.machine, op, &a, &b)
}

fn count_of(c: &mut Call<'_>) -> Outcome {
    let (items, wanted, mut count) = (c.arg(0).clone(), c.arg(1).clone(), 0);
    iter::each(c.machine, &items, |machine, item| {
        count += python::same(machine, &item, &wanted)? as i64;
        Ok(true)
    })?;
    Ok(Value::Int(count))
}

fn index_of(c: &mut Call<'_>) -> Outcome {
    let (items, wanted, mut place, mut found) = (c.arg(0).clone(), c.arg(1).clone(), 0, false);
    iter::each(c.machine, &items, |machine, item| {
        found = python::same(machine, &item, &wanted)?;
        place += !found as i64;
        Ok(!found)
    })?;
    if !found {
        fault!(ValueError, "sequence.index(x): x not in sequence");
    }
    Ok(Value::Int(place))
}

/// What a getter gets.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Attribute,
    Item,
    Method,
}

/// `itemgetter(1, 2)`, `attrgetter('a.b')`, `methodcaller('f', 1)`
struct Getter {
    kind: Kind,
    args: CallArgs,
}

fn getter(c: &mut Call<'_>, kind: Kind) -> Outcome {
    let (positional, keyword) = (c.args(), std::mem::take(&mut c.keyword));
    match (kind, positional.as_slice()) {
        (Kind::Method, []) => fault!(TypeError, "methodcaller needs at least one argument, the method name"),
        (Kind::Method, [Value::Str(_), ..]) => {}
        (Kind::Method, _) => fault!(TypeError, "method name must be a string"),
        (Kind::Attribute, []) => fault!(TypeError, "attrgetter expected 1 argument, got 0"),
        (Kind::Item, []) => fault!(TypeError, "itemgetter expected 1 argument, got 0"),
        (Kind::Attribute, names) if !names.iter().all(|n| matches!(n, Value::Str(_))) => {
            fault!(TypeError, "attribute name must be a string")
        }
        _ => {}
    }
    Ok(Value::object(Getter { kind, args: CallArgs { positional, keyword } }))
}

impl Getter {
    fn get(&self, machine: &mut dyn Machine, object: &Value, what: &Value) -> Outcome {
        match (self.kind, what) {
            (Kind::Attribute, Value::Str(path)) => {
                path.split('.').try_fold(object.clone(), |object, name| machine.attr(&object, name))
            }
            _ => machine.get_item(object, what),
        }
    }

    fn run(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let name = ["attrgetter", "itemgetter", "methodcaller"][self.kind as usize];
        check_count(name, args.positional.len(), 1, 1)?;
        let object = args.positional.first().cloned().unwrap_or(Value::None);
        match (self.kind, self.args.positional.as_slice()) {
            (Kind::Method, [Value::Str(method), rest @ ..]) => {
                let method = machine.attr(&object, method)?;
                machine.call(&method, CallArgs { positional: rest.to_vec(), keyword: self.args.keyword.clone() })
            }
            (_, [one]) => self.get(machine, &object, one),
            (_, several) => {
                let found = several.iter().map(|what| self.get(machine, &object, what)).collect::<Outcome<_>>()?;
                Ok(Value::tuple(found))
            }
        }
    }
}

impl Object for Getter {
    fn type_name(&self) -> String {
        ["operator.attrgetter", "operator.itemgetter", "operator.methodcaller"][self.kind as usize].into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let parts: Vec<String> = self.args.positional.iter().map(|v| repr::repr(v).unwrap_or_default()).collect();
        format!("{}({})", self.type_name(), parts.join(", "))
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.run(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
}
