//! `torch.utils.data`: rows of tensors, the orders in which they are taken, and batches of them.

use super::construct::{self, Unless};
use super::written::{Written, method};
use crate::lang::types::call::{Builtin, Table, Takes, def, row};
use crate::value::Value;

const ROOT: &str = "torch.utils.data";

static DATASET: Written = Written {
    name: "Dataset",
    module: "torch.utils.data.dataset",
    base: None,
    settings: &[],
    holds: &[],
    make: "[]",
    members: &[
        method("__getitem__", ITEM, "raise NotImplementedError('Subclasses of Dataset should implement __getitem__.')"),
        method(
            "__operate__",
            &[("op", Unless::Required), ("other", Unless::Required)],
            "torch.utils.data.ConcatDataset([self, other]) if op == '+' else None",
        ),
    ],
};

static STREAM: Written = Written {
    name: "IterableDataset",
    module: "torch.utils.data.dataset",
    base: Some(&DATASET),
    settings: &[],
    holds: &[],
    make: "[]",
    members: &[method(
        "__operate__",
        &[("op", Unless::Required), ("other", Unless::Required)],
        "torch.utils.data.ChainDataset([self, other]) if op == '+' else None",
    )],
};

static SAMPLER: Written = Written {
    name: "Sampler",
    module: SAMPLERS,
    base: None,
    settings: &[],
    holds: &[],
    make: "[]",
    members: &[method("__iter__", &[], "raise NotImplementedError")],
};

const SAMPLERS: &str = "torch.utils.data.sampler";

/// An order: its settings, what it holds and how that is settled with how many there are, and the text that goes along it.
macro_rules! sampler {
    ($name:literal, [$($setting:expr),*], $holds:expr, $make:expr, $along:expr) => {
        &Written {
            name: $name,
            module: SAMPLERS,
            base: Some(&SAMPLER),
            settings: &[$($setting),*],
            holds: $holds,
            make: $make,
            members: &[method("__iter__", &[], $along)],
        }
    };
}

// The numbers are drawn when and in the order in which PyTorch draws them: with the first one a seed and the order by it; and when
// that is exhausted another order, of which as many are taken as are left.
const ALONG_RANDOM: &str = "\
n = len(data_source)
own = lambda: torch.Generator().manual_seed(int(torch.empty((), dtype=torch.int64).random_().item()))
counts = [32] * (num_samples // 32) + [num_samples % 32] if replacement else [n] * (num_samples // n) + [num_samples % n]
def part(g, count):
    return (torch.randint(n, (count,), dtype=torch.int64, generator=g) if replacement else torch.randperm(n, generator=g)[:count]).tolist()
(i for _ in (0,) for g in [own() if generator is None else generator] for count in counts for i in part(g, count))";

// Each batch is taken from what is left of the order.
const ALONG_BATCHES: &str = "\
def taken(order):
    return iter(lambda: [i for _, i in zip(range(batch_size), order)], [])
(batch for order in (sampler,) for batch in taken(iter(order)) if len(batch) == batch_size or not drop_last)";

/// How many of a position there are, and what lies there.
const ITEM: construct::Settings = &[("index", Unless::Required)];

/// The classes.
static KINDS: &[&Written] = &[
    &SAMPLER,
    sampler!(
        "SequentialSampler",
        [("data_source", Unless::Required)],
        &["data_source", "_length"],
        "[data_source, len(data_source) if hasattr(data_source, '__len__') else None]",
        "iter(range(len(data_source)))"
    ),
    sampler!(
        "RandomSampler",
        [
            ("data_source", Unless::Required),
            ("replacement", Unless::Bool(false)),
            ("num_samples", Unless::None),
            ("generator", Unless::None)
        ],
        &["data_source", "replacement", "num_samples", "generator", "_length"],
        "\
if not isinstance(replacement, bool):
    raise TypeError(f'replacement should be a boolean value, but got replacement={replacement}')
count = len(data_source) if num_samples is None else num_samples
if not isinstance(count, int) or count <= 0:
    raise ValueError(f'num_samples should be a positive integer value, but got num_samples={count}')
[data_source, replacement, count, generator, count]",
        ALONG_RANDOM
    ),
    sampler!(
        "SubsetRandomSampler",
        [("indices", Unless::Required), ("generator", Unless::None)],
        &["indices", "generator", "_length"],
        "[indices, generator, len(indices)]",
        "(indices[i] for _ in (0,) for i in torch.randperm(len(indices), generator=generator).tolist())"
    ),
    sampler!(
        "WeightedRandomSampler",
        [
            ("weights", Unless::Required),
            ("num_samples", Unless::Required),
            ("replacement", Unless::Bool(true)),
            ("generator", Unless::None)
        ],
        &["weights", "num_samples", "replacement", "generator", "_length"],
        "\
if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
    raise ValueError(f'num_samples should be a positive integer value, but got num_samples={num_samples}')
if not isinstance(replacement, bool):
    raise ValueError(f'replacement should be a boolean value, but got replacement={replacement}')
weights = torch.as_tensor(weights, dtype=torch.float64)
if weights.dim() != 1:
    raise ValueError(f'weights should be a 1d sequence but given weights have shape {tuple(weights.shape)}')
[weights, num_samples, replacement, generator, num_samples]",
        "(i for _ in (0,) for i in torch.multinomial(weights, num_samples, replacement, generator=generator).tolist())"
    ),
    sampler!(
        "BatchSampler",
        [("sampler", Unless::Required), ("batch_size", Unless::Required), ("drop_last", Unless::Required)],
        &["sampler", "batch_size", "drop_last", "_length"],
        "\
if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
    raise ValueError(f'batch_size should be a positive integer value, but got batch_size={batch_size}')
if not isinstance(drop_last, bool):
    raise ValueError(f'drop_last should be a boolean value, but got drop_last={drop_last}')
count = len(sampler) if hasattr(sampler, '__len__') else None
if count is not None:
    count = count // batch_size if drop_last else (count + batch_size - 1) // batch_size
[sampler, batch_size, drop_last, count]",
        ALONG_BATCHES
    ),
    &DATASET,
    &STREAM,
    &Written {
        name: "StackDataset",
        module: "torch.utils.data.dataset",
        base: Some(&DATASET),
        settings: &[("args", Unless::Rest), ("kwargs", Unless::More)],
        holds: &["datasets", "_length"],
        make: "\
if args and kwargs:
    raise ValueError('Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types are given.')
sizes = [len(each) for each in args or kwargs.values()]
if not sizes:
    raise ValueError('At least one dataset should be passed')
if any(size != sizes[0] for size in sizes):
    raise ValueError('Size mismatch between datasets')
[args or kwargs, sizes[0]]",
        members: &[
            method(
                "__getitem__",
                ITEM,
                "\
named = isinstance(datasets, dict)
{name: each[index] for name, each in datasets.items()} if named else tuple(each[index] for each in datasets)",
            ),
            method("__iter__", &[], "(self[i] for i in range(_length))"),
        ],
    },
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
        name: "ChainDataset",
        module: "torch.utils.data.dataset",
        base: Some(&STREAM),
        settings: &[("datasets", Unless::Required)],
        holds: &["datasets", "_length"],
        make: "[datasets, sum(len(each) for each in datasets) if all(hasattr(each, '__len__') for each in datasets) else None]",
        members: &[method(
            "__iter__",
            &[],
            "\
def along():
    for each in datasets:
        if not isinstance(each, torch.utils.data.IterableDataset):
            raise AssertionError('ChainDataset only supports IterableDataset')
        yield from each
along()",
        )],
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
            ("prefetch_factor", Unless::None),
            ("persistent_workers", Unless::Bool(false)),
            ("pin_memory_device", Unless::Str("")),
            ("in_order", Unless::Bool(true)),
        ],
        holds: &[
            "dataset", "batch_size", "drop_last", "sampler", "batch_sampler", "num_workers", "generator", "collate_fn", "pin_memory",
            "timeout", "prefetch_factor", "persistent_workers", "_length",
        ],
        make: LOADER,
        members: &[method("__iter__", &[], BATCHES)],
    },
];

const LOADER: &str = "\
if num_workers < 0:
    raise ValueError('num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.')
if timeout < 0:
    raise ValueError('timeout option should be non-negative')
if num_workers == 0 and prefetch_factor is not None:
    raise ValueError('prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None.')
if persistent_workers and num_workers == 0:
    raise ValueError('persistent_workers option needs num_workers > 0')
data = torch.utils.data
streams = isinstance(dataset, data.IterableDataset)
for name, value in (('shuffle', shuffle or None), ('sampler', sampler), ('batch_sampler', batch_sampler)):
    if streams and value is not None:
        raise ValueError(f'DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}')
if sampler is not None and shuffle:
    raise ValueError('sampler option is mutually exclusive with shuffle')
if batch_sampler is not None:
    if batch_size != 1 or shuffle or sampler is not None or drop_last:
        raise ValueError('batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last')
    batch_size = None
elif batch_size is None and drop_last:
    raise ValueError('batch_size=None option disables auto-batching and is mutually exclusive with drop_last')
if sampler is None and not streams:
    sampler = data.RandomSampler(dataset, generator=generator) if shuffle else data.SequentialSampler(dataset)
if batch_size is not None:
    batch_sampler = data.BatchSampler([] if streams else sampler, batch_size, drop_last)
order = sampler if batch_sampler is None else batch_sampler
if collate_fn is None:
    collate_fn = data.default_convert if batch_sampler is None else data.default_collate
count = len(order) if hasattr(order, '__len__') else None
if streams:
    count = len(dataset) if hasattr(dataset, '__len__') else None
    if count is not None and batch_size is not None:
        count = count // batch_size if drop_last else -(-count // batch_size)
workers = num_workers, generator, collate_fn, pin_memory, timeout, prefetch_factor, persistent_workers
[dataset, batch_size, drop_last, sampler, batch_sampler, *workers, count]";

// A seed for workers is drawn at once, before the order.
const BATCHES: &str = "\
from itertools import islice, takewhile
streams = isinstance(dataset, torch.utils.data.IterableDataset)
order = None if streams else iter(sampler if batch_sampler is None else batch_sampler)
torch.empty((), dtype=torch.int64).random_(generator=generator)
found = lambda index: dataset[index] if batch_sampler is None else [dataset[i] for i in index]
if streams:
    items = iter(dataset)
    parts = iter(lambda: list(islice(items, batch_size)), None)
    batches = items if batch_size is None else takewhile(lambda part: len(part) > (batch_size - 1 if drop_last else 0), parts)
else:
    batches = (found(index) for index in order)
(collate_fn(each) for each in batches)";

static FUNCTIONS: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("default_collate", def(&["batch"], 1, 1), |c| {
            let batch = c.arg(0).clone();
            c.machine.eval_code(COLLATE, &[("batch", batch)])
        }),
        row("default_convert", def(&["data"], 1, 1), |c| {
            let data = c.arg(0).clone();
            c.machine.eval_code(CONVERT, &[("data", data)])
        }),
        row("get_worker_info", Takes::Nothing, |_| Ok(Value::None)),
        row("random_split", def(&["dataset", "lengths", "generator"], 2, 3), |c| {
            let (dataset, lengths) = (c.arg(0).clone(), c.arg(1).clone());
            let generator = c.get(2).cloned().unwrap_or(Value::None);
            c.machine.eval_code(SPLIT, &[("dataset", dataset), ("lengths", lengths), ("generator", generator)])
        }),
    ]),
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
