//! `torch.nn.utils.rnn`: sequences of different lengths that lie packed, step by step, as recurrent layers take them.

use super::construct::{self, Unless};
use super::written::{Written, attribute, method};
use crate::lang::types::call::{Builtin, Table, def, row};
use crate::value::Value;

const MODULE: &str = "torch.nn.utils.rnn";

/// A text that gives the same with tensors that `to` was done to.
macro_rules! moved {
    ($how:literal) => {
        concat!(
            "torch.nn.utils.rnn.PackedSequence(data.to(",
            $how,
            "), batch_sizes, *(None if each is None else each.to(data.device) for each in (sorted_indices, unsorted_indices)))"
        )
    };
}

/// Rows of the first step, of the second and so on, how many of each, and how the sequences were sorted.
pub(super) static PACKED: Written = Written {
    name: "PackedSequence",
    module: MODULE,
    base: None,
    settings: &[
        ("data", Unless::Required),
        ("batch_sizes", Unless::None),
        ("sorted_indices", Unless::None),
        ("unsorted_indices", Unless::None),
    ],
    holds: &["data", "batch_sizes", "sorted_indices", "unsorted_indices", "_length"],
    make: "\
if batch_sizes is None:
    if not (isinstance(data, (list, tuple)) and len(data) == 2):
        raise AssertionError('Expected data to be a list or tuple of length 2')
    data, batch_sizes = data
if unsorted_indices is None:
    unsorted_indices = torch.nn.utils.rnn.invert_permutation(sorted_indices)
[data, batch_sizes, sorted_indices, unsorted_indices, 4]",
    members: &[
        attribute(
            "__repr__",
            "f'PackedSequence(data={data}, batch_sizes={batch_sizes}, sorted_indices={sorted_indices}, unsorted_indices={unsorted_indices})'",
        ),
        method("__iter__", &[], "[data, batch_sizes, sorted_indices, unsorted_indices]"),
        method("__getitem__", &[("index", Unless::Required)], "(data, batch_sizes, sorted_indices, unsorted_indices)[index]"),
        method(
            "to",
            &[("to", Unless::Rest), ("dtype", Unless::None), ("device", Unless::None)],
            moved!("*to, *[each for each in (device, dtype) if each is not None]"),
        ),
        method("byte", &[], moved!("torch.uint8")),
        method("char", &[], moved!("torch.int8")),
        method("cpu", &[], moved!("'cpu'")),
        method("cuda", &[], moved!("'cuda'")),
        method("double", &[], moved!("torch.float64")),
        method("float", &[], moved!("torch.float32")),
        method("half", &[], moved!("torch.float16")),
        method("int", &[], moved!("torch.int32")),
        method("long", &[], moved!("torch.int64")),
        method("short", &[], moved!("torch.int16")),
        attribute("is_cuda", "data.is_cuda"),
        method("is_pinned", &[], "data.is_pinned()"),
    ],
};

static FUNCTIONS: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("invert_permutation", def(&["permutation"], 1, 1), |c| {
            let names = [("permutation", c.arg(0).clone())];
            c.machine.eval_code("None if permutation is None else permutation.argsort()", &names)
        }),
        row("pack_padded_sequence", def(&["input", "lengths", "batch_first", "enforce_sorted"], 2, 4), |c| {
            let names = [
                ("input", c.arg(0).clone()),
                ("lengths", c.arg(1).clone()),
                ("batch_first", c.get(2).cloned().unwrap_or(Value::Bool(false))),
                ("enforce_sorted", c.get(3).cloned().unwrap_or(Value::Bool(true))),
            ];
            c.machine.eval_code(PACK, &names)
        }),
        row("pack_sequence", def(&["sequences", "enforce_sorted"], 1, 2), |c| {
            let names = [("sequences", c.arg(0).clone()), ("enforce_sorted", c.get(1).cloned().unwrap_or(Value::Bool(true)))];
            c.machine.eval_code(PACK_SEQUENCE, &names)
        }),
        row("pad_packed_sequence", def(&["sequence", "batch_first", "padding_value", "total_length"], 1, 4), |c| {
            let names = [
                ("sequence", c.arg(0).clone()),
                ("batch_first", c.get(1).cloned().unwrap_or(Value::Bool(false))),
                ("padding_value", c.get(2).cloned().unwrap_or(Value::Float(0.0))),
                ("total_length", c.arg(3).clone()),
            ];
            c.machine.eval_code(PAD_PACKED, &names)
        }),
        row("unpack_sequence", def(&["packed_sequences"], 1, 1), |c| {
            let names = [("packed", c.arg(0).clone())];
            c.machine.eval_code(UNPACK_SEQUENCE, &names)
        }),
        row("unpad_sequence", def(&["padded_sequences", "lengths", "batch_first"], 2, 3), |c| {
            let names = [
                ("padded", c.arg(0).clone()),
                ("lengths", c.arg(1).clone()),
                ("batch_first", c.get(2).cloned().unwrap_or(Value::Bool(false))),
            ];
            c.machine.eval_code(UNPAD, &names)
        }),
    ]),
};

const PACK: &str = "\
lengths = lengths.to(torch.int64) if isinstance(lengths, torch.Tensor) else torch.as_tensor(lengths, dtype=torch.int64)
order = None
if not enforce_sorted:
    lengths, order = torch.sort(lengths, descending=True)
    input = input.index_select(0 if batch_first else 1, order)
data, batch_sizes = torch._pack_padded_sequence(input, lengths, batch_first)
torch.nn.utils.rnn.PackedSequence(data, batch_sizes, order)";

const PACK_SEQUENCE: &str = "\
rnn = torch.nn.utils.rnn
lengths = torch.as_tensor([each.size(0) for each in sequences])
rnn.pack_padded_sequence(rnn.pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)";

const PAD_PACKED: &str = "\
longest = sequence.batch_sizes.size(0)
if total_length is not None and total_length < longest:
    raise ValueError(f'Expected total_length to be at least the length of the longest sequence in input, but got total_length={total_length} and max sequence length being {longest}')
size = longest if total_length is None else total_length
padded, lengths = torch._pad_packed_sequence(sequence.data, sequence.batch_sizes, batch_first, padding_value, size)
order = sequence.unsorted_indices
(padded, lengths) if order is None else (padded.index_select(0 if batch_first else 1, order), lengths[order])";

const UNPACK_SEQUENCE: &str = "\
rnn = torch.nn.utils.rnn
padded, lengths = rnn.pad_packed_sequence(packed, batch_first=True)
rnn.unpad_sequence(padded, lengths, batch_first=True)";

// What is given is turned itself, as in PyTorch.
const UNPAD: &str = "\
if not batch_first:
    padded.transpose_(0, 1)
places = torch.arange(padded.shape[1])
[each[places < length] for each, length in zip(padded, lengths, strict=True)]";

/// What is in the module; none for another one.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    let functions = || FUNCTIONS.rows.iter().map(|row| (row.name, Builtin::function(&FUNCTIONS, row)));
    (module == MODULE).then(|| std::iter::once((PACKED.name, construct::class(&PACKED))).chain(functions()).collect())
}

/// True for sequences that lie packed.
pub fn is_packed(value: &Value) -> bool {
    <Written as construct::Row>::of(value).is_some_and(|row| std::ptr::eq(row, &PACKED))
}
