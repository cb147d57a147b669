//! `typing`: the names that annotations are written with. Nothing checks them.

use crate::lang::classes;
use crate::lang::modules::collections::named_tuple;
use crate::lang::types::call::{Table, Takes, def, row};
use crate::lang::types::hint::{Form, NUMBERS};
use crate::value::{Class, Value};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "typing",
    rows: Table::sorted(&[
        row("NewType", def(&["name", "tp"], 2, 2), |c| Ok(c.arg(1).clone())),
        row("TypeVar", Takes::Any, |_| Ok(Form::value("Any"))),
        row("cast", def(&["typ", "val"], 2, 2), |c| Ok(c.arg(1).clone())),
        row("final", Takes::One, |c| Ok(c.arg(0).clone())),
        row("no_type_check", Takes::One, |c| Ok(c.arg(0).clone())),
        row("overload", Takes::One, |c| Ok(c.arg(0).clone())),
        row("runtime_checkable", Takes::One, |c| {
            let class = c.arg(0).clone();
            c.machine.set_attr(&class, classes::CHECKABLE, Value::Bool(true))?;
            Ok(class)
        }),
    ]),
};

const NAMES: &[&str] = &[
    "Any",
    "Annotated",
    "AnyStr",
    "Callable",
    "ClassVar",
    "Collection",
    "DefaultDict",
    "Deque",
    "Dict",
    "Final",
    "FrozenSet",
    "Generator",
    "Generic",
    "Hashable",
    "Iterable",
    "Iterator",
    "List",
    "Literal",
    "Mapping",
    "MutableMapping",
    "MutableSequence",
    "NoReturn",
    "Optional",
    "OrderedDict",
    "Protocol",
    "Self",
    "Sequence",
    "Set",
    "Sized",
    "SupportsFloat",
    "SupportsInt",
    "Tuple",
    "Type",
    "TypeAlias",
    "Union",
];

/// The functions of `collections.abc`: none.
pub static NO_FUNCTIONS: Table = Table { owner: "collections.abc", rows: Table::sorted(&[]) };

/// The names of `collections.abc`, which serve `isinstance` too.
pub fn abstract_classes() -> Vec<(&'static str, Value)> {
    let names = ["Callable", "Collection", "Generator", "Hashable", "Iterable", "Iterator", "Mapping", "MutableMapping"];
    names.into_iter().chain(["MutableSequence", "Sequence", "Set", "Sized"]).map(|name| (name, Form::value(name))).collect()
}

/// The names of `numpy.typing`.
pub fn of_arrays() -> Vec<(&'static str, Value)> {
    ["ArrayLike", "DTypeLike", "NDArray"].map(|name| (name, Form::value("Sequence"))).to_vec()
}

/// The classes of `numbers`.
pub fn numbers() -> Vec<(&'static str, Value)> {
    NUMBERS.iter().map(|name| (*name, Form::value(name))).collect()
}

/// The names that take types in brackets.
pub fn values() -> Vec<(&'static str, Value)> {
    let flag = [
        ("NamedTuple", named_tuple::form()),
        ("TypedDict", Value::Class(Class::Dict)),
        ("TYPE_CHECKING", Value::Bool(false)),
        ("Text", Value::Class(Class::Str)),
    ];
    NAMES.iter().map(|name| (*name, Form::value(name))).chain(flag).collect()
}
