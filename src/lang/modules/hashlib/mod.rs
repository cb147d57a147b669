//! `hashlib`: sums of bytes by which they are known again.

mod sums;

use crate::lang::types::bytes;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::value::{Object, Outcome, Value};
use sha2::Digest;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// How a sum is called, how many bytes it has, how many are added at a time, and what computes it.
struct Kind {
    name: &'static str,
    size: usize,
    block: usize,
    sum: fn(&[u8]) -> Vec<u8>,
}

static KINDS: [Kind; 6] = [
    Kind { name: "md5", size: 16, block: 64, sum: sums::md5 },
    Kind { name: "sha1", size: 20, block: 64, sum: sums::sha1 },
    Kind { name: "sha224", size: 28, block: 64, sum: |bytes| sha2::Sha224::digest(bytes).to_vec() },
    Kind { name: "sha256", size: 32, block: 64, sum: |bytes| sha2::Sha256::digest(bytes).to_vec() },
    Kind { name: "sha384", size: 48, block: 128, sum: |bytes| sha2::Sha384::digest(bytes).to_vec() },
    Kind { name: "sha512", size: 64, block: 128, sum: |bytes| sha2::Sha512::digest(bytes).to_vec() },
];

const TAKES: Takes = def(&["string", "usedforsecurity"], 0, 1);

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "hashlib",
    rows: Table::sorted(&[
        row("md5", TAKES, |c| begin(c, "md5", 0)),
        row("new", def(&["name", "data", "usedforsecurity"], 1, 2), |c| {
            let name = c.arg(0).clone();
            match &name {
                Value::Str(name) => begin(c, &name.to_lowercase(), 1),
                other => fault!(TypeError, "new() argument 'name' must be str, not {}", other.type_name()),
            }
        }),
        row("sha1", TAKES, |c| begin(c, "sha1", 0)),
        row("sha224", TAKES, |c| begin(c, "sha224", 0)),
        row("sha256", TAKES, |c| begin(c, "sha256", 0)),
        row("sha384", TAKES, |c| begin(c, "sha384", 0)),
        row("sha512", TAKES, |c| begin(c, "sha512", 0)),
    ]),
};

/// What grows with `update`.
struct Sum {
    kind: &'static Kind,
    bytes: RefCell<Vec<u8>>,
}

fn begin(c: &mut Call<'_>, name: &str, data: usize) -> Outcome {
    let Some(kind) = KINDS.iter().find(|kind| kind.name == name) else {
        fault!(ValueError, "unsupported hash type {name}");
    };
    let bytes = c.some(data).map(given).transpose()?.unwrap_or_default();
    Ok(Value::object(Sum { kind, bytes: RefCell::new(bytes) }))
}

/// The bytes of a buffer, be it an array.
fn given(value: &Value) -> Outcome<Vec<u8>> {
    if let Value::Str(_) = value {
        fault!(TypeError, "Strings must be encoded before hashing");
    }
    if let Value::Object(object) = value
        && let Some(array) = object.as_array()
    {
        if !array.layout().is_contiguous() {
            fault!(ValueError, "ndarray is not C-contiguous");
        }
        return Ok(crate::ops::exec::bytes(&array)?);
    }
    match bytes::read(value) {
        Some(bytes) => Ok(bytes.to_vec()),
        None => fault!(TypeError, "object supporting the buffer API required"),
    }
}

static METHODS: Table = Table {
    owner: "_hashlib.HASH",
    rows: Table::sorted(&[
        row("copy", Takes::Nothing, |c| {
            let sum = this(c)?;
            Ok(Value::object(Sum { kind: sum.kind, bytes: RefCell::new(sum.bytes.borrow().clone()) }))
        }),
        row("digest", Takes::Nothing, |c| Ok(bytes::value(this(c)?.digest()))),
        row("hexdigest", Takes::Nothing, |c| {
            let text: String = this(c)?.digest().iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(Value::from(text))
        }),
        row("update", Takes::One, |c| {
            let more = given(c.arg(0))?;
            this(c)?.bytes.borrow_mut().extend(more);
            Ok(Value::None)
        }),
    ]),
};

fn this<'c>(c: &Call<'c>) -> Outcome<&'c Sum> {
    match c.this.downcast::<Sum>() {
        Some(sum) => Ok(sum),
        None => fault!(TypeError, "a hash is needed, not {}", c.this.type_name()),
    }
}

impl Sum {
    fn digest(&self) -> Vec<u8> {
        (self.kind.sum)(&self.bytes.borrow())
    }
}

impl Object for Sum {
    fn type_name(&self) -> String {
        "_hashlib.HASH".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<{} _hashlib.HASH object @ {:#x}>", self.kind.name, std::ptr::from_ref(self).addr())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "block_size" => Some(Value::from(self.kind.block)),
            "digest_size" => Some(Value::from(self.kind.size)),
            "name" => Some(Value::from(self.kind.name)),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names().into_iter().chain(["block_size", "digest_size", "name"].map(String::from)).collect()
    }
}
