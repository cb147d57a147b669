//! `torch.utils.data`: rows of tensors, and batches of them.

use super::construct::{self, Unless};
use super::written::{Written, attribute, method};
use crate::lang::types::call::{Builtin, Table, def, row};
use crate::value::Value;

const ROOT: &str = "torch.utils.data";

static DATASET: Written = Written {
    name: "Dataset",
    module: "torch.utils.data.dataset",
    base: None,
    settings: &[],
    holds: &[],
    make: "[]",
    members: &[],
};

/// How many of a position there are, and what lies there.
const ITEM: construct::Settings = &[("index", Unless::Required)];

/// The classes.
static KINDS: &[&Written] = &[
    &DATASET,
    &Written {
        name: "TensorDataset",
        module: "torch.utils.data.dataset",
        base: Some(&DATASET),
        settings: &[("tensors", Unless::Rest)],
        holds: &["tensors", "_length"],
        make: "\
if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
    raise AssertionError('Size mismatch between tensors')
[tensors, tensors[0].size(0)]",
        members: &[
            method("__getitem__", ITEM, "tuple(tensor[index] for tensor in tensors)"),
            method("__iter__", &[], "(tuple(tensor[i] for tensor in tensors) for i in range(_length))"),
        ],
    },
    &Written {
        name: "Subset",
        module: "torch.utils.data.dataset",
        base: Some(&DATASET),
        settings: &[("dataset", Unless::Required), ("indices", Unless::Required)],
        holds: &["dataset", "indices", "_length"],
        make: "[dataset, indices, len(indices)]",
        members: &[
            method(
                "__getitem__",
                ITEM,
                "dataset[[indices[i] for i in index]] if isinstance(index, list) else dataset[indices[index]]",
            ),
            method("__iter__", &[], "(dataset[i] for i in indices)"),
        ],
    },
    &Written {
        name: "ConcatDataset",
        module: "torch.utils.data.dataset",
        base: Some(&DATASET),
        settings: &[("datasets", Unless::Required)],
        holds: &["datasets", "cumulative_sizes", "_length"],
        make: "\
datasets = list(datasets)
if len(datasets) == 0:
    raise AssertionError('datasets should not be an empty iterable')
ends = [sum(len(each) for each in datasets[:i + 1]) for i in range(len(datasets))]
[datasets, ends, ends[-1]]",
        members: &[
            method(
                "__getitem__",
                ITEM,
                "\
if index < 0:
    if -index > _length:
        raise ValueError('absolute value of index should not exceed dataset length')
    index += _length
part = len([end for end in cumulative_sizes if end <= index])
datasets[part][index - (cumulative_sizes[part - 1] if part else 0)]",
            ),
            method("__iter__", &[], "(item for each in datasets for item in each)"),
        ],
    },
    &Written {
        name: "DataLoader",
        module: "torch.utils.data.dataloader",
        base: None,
        settings: &[
            ("dataset", Unless::Required),
            ("batch_size", Unless::Int(1)),
            ("shuffle", Unless::None),
            ("sampler", Unless::None),
            ("batch_sampler", Unless::None),
            ("num_workers", Unless::Int(0)),
            ("collate_fn", Unless::None),
            ("pin_memory", Unless::Bool(false)),
            ("drop_last", Unless::Bool(false)),
            ("timeout", Unless::Int(0)),
            ("worker_init_fn", Unless::None),
            ("multiprocessing_context", Unless::None),
            ("generator", Unless::None),
        ],
        holds: &["dataset", "batch_size", "drop_last", "num_workers", "_length"],
        make: LOADER,
        members: &[method("__iter__", &[], BATCHES), attribute("collate_fn", "torch.utils.data.default_collate")],
    },
];

const LOADER: &str = "\
if sampler is not None and shuffle:
    raise ValueError('sampler option is mutually exclusive with shuffle')
if batch_size is not None and (not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0):
    raise ValueError(f'batch_size should be a positive integer value, but got batch_size={batch_size}')
if batch_size is None and drop_last:
    raise ValueError('batch_size=None option disables auto-batching and is mutually exclusive with drop_last')
count = len(dataset) if sampler is None else len(sampler)
if shuffle and count == 0:
    raise ValueError(f'num_samples should be a positive integer value, but got num_samples={count}')
if batch_sampler is not None:
    count = len(batch_sampler)
elif batch_size is not None:
    count = count // batch_size if drop_last else (count + batch_size - 1) // batch_size
[dataset, batch_size, drop_last, num_workers, count]";

// The numbers are drawn when and in the order in which PyTorch draws them: a seed for workers at once, and with the first batch one
// for the order, and the order by that; and when it is exhausted another order, of which nothing is taken.
const BATCHES: &str = "\
torch.empty((), dtype=torch.int64).random_(generator=generator)
many = len(dataset) if sampler is None else 0
own = lambda: torch.Generator().manual_seed(int(torch.empty((), dtype=torch.int64).random_().item()))
if sampler is not None or not shuffle:
    order = iter(range(many) if sampler is None else sampler)
else:
    order = (i for _ in (0,) for g in [own() if generator is None else generator] for end in (many, 0) for i in torch.randperm(many, generator=g).tolist()[:end])
if batch_sampler is not None:
    batches = iter(batch_sampler)
elif batch_size is not None:
    taken = iter(lambda: [i for _, i in zip(range(batch_size), order)], [])
    batches = (batch for batch in taken if len(batch) == batch_size or not drop_last)
if batch_size is None and batch_sampler is None:
    found = (torch.utils.data.default_convert(dataset[i]) if collate_fn is None else collate_fn(dataset[i]) for i in order)
else:
    join = torch.utils.data.default_collate if collate_fn is None else collate_fn
    found = (join([dataset[i] for i in batch]) for batch in batches)
found";

static FUNCTIONS: Table = Table {
    owner: "",
    rows: &[
        row("default_collate", def(&["batch"], 1, 1), |c| {
            let batch = c.arg(0).clone();
            c.machine.eval_code(COLLATE, &[("batch", batch)])
        }),
        row("default_convert", def(&["data"], 1, 1), |c| {
            let data = c.arg(0).clone();
            c.machine.eval_code(CONVERT, &[("data", data)])
        }),
        row("random_split", def(&["dataset", "lengths", "generator"], 2, 3), |c| {
            let (dataset, lengths) = (c.arg(0).clone(), c.arg(1).clone());
            let generator = c.get(2).cloned().unwrap_or(Value::None);
            c.machine.eval_code(SPLIT, &[("dataset", dataset), ("lengths", lengths), ("generator", generator)])
        }),
    ],
};

const COLLATE: &str = "\
first = batch[0]
if isinstance(first, torch.Tensor):
    found = torch.stack(list(batch), 0)
elif isinstance(first, float):
    found = torch.tensor(batch, dtype=torch.float64)
elif isinstance(first, int):
    found = torch.tensor(batch)
elif isinstance(first, (str, bytes)):
    found = batch
elif isinstance(first, dict):
    found = {key: torch.utils.data.default_collate([each[key] for each in batch]) for key in first}
elif isinstance(first, (tuple, list)):
    if any(len(each) != len(first) for each in batch):
        raise RuntimeError('each element in list of batch should be of equal size')
    parts = [torch.utils.data.default_collate(each) for each in zip(*batch)]
    found = type(first)(*parts) if hasattr(first, '_fields') else parts
elif type(first).__module__ == 'numpy':
    found = torch.stack([torch.as_tensor(each) for each in batch], 0)
else:
    raise TypeError(f'default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}')
found";

const CONVERT: &str = "\
convert = torch.utils.data.default_convert
if isinstance(data, dict):
    found = {key: convert(value) for key, value in data.items()}
elif isinstance(data, (tuple, list)):
    parts = [convert(each) for each in data]
    found = type(data)(*parts) if hasattr(data, '_fields') else parts
else:
    found = torch.as_tensor(data) if type(data).__module__ == 'numpy' else data
found";

const SPLIT: &str = "\
total = len(dataset)
if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
    for i, part in enumerate(lengths):
        if part < 0 or part > 1:
            raise ValueError(f'Fraction at index {i} is not between 0 and 1')
    counts = [math.floor(total * part) for part in lengths]
    for i in range(total - sum(counts)):
        counts[i % len(counts)] += 1
    lengths = counts
if sum(lengths) != total:
    raise ValueError('Sum of input lengths does not equal the length of the input dataset!')
order = torch.randperm(total, generator=generator).tolist()
ends = [sum(lengths[:i + 1]) for i in range(len(lengths))]
[torch.utils.data.Subset(dataset, order[end - count:end]) for end, count in zip(ends, lengths)]";

/// What is in a module by its dotted name; none for modules that are not of data.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    if module != ROOT && !KINDS.iter().any(|kind| kind.module == module) {
        return None;
    }
    let kinds = KINDS.iter().filter(|kind| module == ROOT || kind.module == module);
    let functions = FUNCTIONS.rows.iter().filter(|_| module == ROOT).map(|row| (row.name, Builtin::function(&FUNCTIONS, row)));
    Some(kinds.map(|kind| (kind.name, construct::class(*kind))).chain(functions).collect())
}
