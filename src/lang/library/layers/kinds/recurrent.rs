//! Recurrent layers, and single cells.

use super::{Kind, setting, text};
use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::{self, Bool, Float, Int, Required, Str};
use crate::value::Value;

/// What a recurrent layer is made with, some of it its own; how narrow the result is made, or None where it is not.
macro_rules! settings {
    ([$($own:expr),*], $narrowed:expr) => {
        &[
            ("input_size", Required),
            ("hidden_size", Required),
            ("num_layers", Int(1)),
            $($own,)*
            ("bias", Bool(true)),
            ("batch_first", Bool(false)),
            ("dropout", Float(0.0)),
            ("bidirectional", Bool(false)),
            ("proj_size", $narrowed),
        ]
    };
}

const SIMPLE: Settings = settings!([("nonlinearity", Str("tanh"))], Unless::None);
const REMEMBERING: Settings = settings!([], Int(0));
const GATED: Settings = settings!([], Unless::None);
const CELL: Settings = &[("input_size", Required), ("hidden_size", Required), ("bias", Bool(true))];
const SIMPLE_CELL: Settings =
    &[("input_size", Required), ("hidden_size", Required), ("bias", Bool(true)), ("nonlinearity", Str("tanh"))];
const STEP: Settings = &[("input", Required), ("hx", Unless::None)];

/// What a recurrent layer makes, with so many gates: weights and biases for each layer and direction.
macro_rules! make {
    ($gates:literal, $mode:literal, $projects:literal) => {
        concat!(
            "if proj_size is not None and not ",
            $projects,
            ":
    raise ValueError('proj_size argument is only supported for LSTM, not RNN or GRU')
narrowed = proj_size or 0
if isinstance(dropout, bool) or not 0 <= float(dropout) <= 1:
    raise ValueError('dropout should be a number in range [0, 1] representing the probability of an element being zeroed')
if dropout > 0 and num_layers == 1:
    torch._warn(f'dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}')
for name, flag in (('bias', bias), ('batch_first', batch_first)):
    if not isinstance(flag, bool):
        raise TypeError(f'{name} should be of type bool, got: {type(flag).__name__}')
for name, size in (('input_size', input_size), ('hidden_size', hidden_size)):
    if not isinstance(size, int):
        raise TypeError(f'{name} should be of type int, got: {type(size).__name__}')
    if size <= 0:
        raise ValueError(f'{name} must be greater than zero')
if num_layers <= 0:
    raise ValueError('num_layers must be greater than zero')
if narrowed < 0:
    raise ValueError('proj_size should be a positive integer or zero to disable projections')
if narrowed >= hidden_size:
    raise ValueError('proj_size has to be smaller than hidden_size')
gates, width = ",
            $gates,
            " * hidden_size, narrowed or hidden_size
ends = ['', '_reverse'] if bidirectional else ['']
sizes = {}
for layer in range(num_layers):
    for end in ends:
        sizes[f'weight_ih_l{layer}{end}'] = gates, input_size if layer == 0 else width * len(ends)
        sizes[f'weight_hh_l{layer}{end}'] = gates, width
        if bias:
            sizes[f'bias_ih_l{layer}{end}'] = sizes[f'bias_hh_l{layer}{end}'] = (gates,)
        if narrowed:
            sizes[f'weight_hr_l{layer}{end}'] = narrowed, hidden_size
bound = 1 / math.sqrt(hidden_size)
held = {name: torch.nn.init.uniform_(torch.nn.Parameter(torch.empty(size)), -bound, bound) for name, size in sizes.items()}
{**held, 'mode': ",
            $mode,
            ", 'proj_size': narrowed, 'flatten_parameters': lambda: None}"
        )
    };
}

/// How a layer looks at what it is called with, up to `weights` and `batched`.
macro_rules! look {
    ($name:literal, $what:literal) => {
        concat!(
            "if input.dim() not in (2, 3):
    raise ValueError(f'",
            $name,
            ": Expected input to be 2D or 3D, got {input.dim()}D ",
            $what,
            "')
batched = input.dim() == 3
side = 0 if batch_first else 1
input = input if batched else input.unsqueeze(side)
weights = [p for name, p in self.named_parameters() if name.startswith(('weight_', 'bias_'))]
size = num_layers * (2 if bidirectional else 1), input.size(side), hidden_size
"
        )
    };
}

/// Refuses an input that does not fit the weights.
macro_rules! fit {
    () => {
        "if input.dtype != weights[0].dtype:
    raise ValueError(f'RNN input dtype ({input.dtype}) does not match weight dtype ({weights[0].dtype}). Convert input: input.to({weights[0].dtype}), or convert model: model.to({input.dtype})')
if input.size(-1) != input_size:
    raise RuntimeError(f'input.size(-1) must be equal to input_size. Expected {input_size}, got {input.size(-1)}')
"
    };
}

/// What a layer computes whose state is one tensor; `function` by its name.
macro_rules! run {
    ($name:literal, $what:literal, $function:literal) => {
        concat!(
            look!($name, $what),
            "if hx is None:
    hx = torch.zeros(size, dtype=input.dtype)
elif batched and hx.dim() != 3:
    raise RuntimeError(f'For batched 3-D input, hx should also be 3-D but got {hx.dim()}-D tensor')
elif not batched and hx.dim() != 2:
    raise RuntimeError(f'For unbatched 2-D input, hx should also be 2-D but got {hx.dim()}-D tensor')
",
            fit!(),
            "hx = hx if hx.dim() == 3 else hx.unsqueeze(1)
if hx.shape != size:
    raise RuntimeError(f'Expected hidden size {size}, got {list(hx.shape)}')
output, end = ",
            $function,
            "(input, hx, weights, bias, num_layers, dropout, training, bidirectional, batch_first)
(output, end) if batched else (output.squeeze(side), end.squeeze(1))"
        )
    };
}

const LSTM_RUN: &str = concat!(
    look!("LSTM", "instead"),
    "sizes = (size[0], size[1], proj_size or hidden_size), size
if hx is None:
    hx = [torch.zeros(size, dtype=input.dtype) for size in sizes]
elif batched and not hx[0].dim() == hx[1].dim() == 3:
    raise RuntimeError(f'For batched 3-D input, hx and cx should also be 3-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors')
elif not batched and not hx[0].dim() == hx[1].dim() == 2:
    raise RuntimeError(f'For unbatched 2-D input, hx and cx should also be 2-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors')
",
    fit!(),
    "hx = [h if h.dim() == 3 else h.unsqueeze(1) for h in hx]
for number, size in enumerate(sizes):
    if hx[number].shape != size:
        raise RuntimeError(f'Expected hidden[{number}] size {size}, got {list(hx[number].shape)}')
output, h, c = torch.lstm(input, hx, weights, bias, num_layers, dropout, training, bidirectional, batch_first)
(output, (h, c)) if batched else (output.squeeze(side), (h.squeeze(1), c.squeeze(1)))"
);

/// What a layer computes of sequences that lie packed; `hx` are states as they stand for each sequence, sorted as those are.
macro_rules! packed {
    ($start:literal, $call:literal) => {
        concat!(
            "weights = [p for name, p in self.named_parameters() if name.startswith(('weight_', 'bias_'))]
data, sizes, order, back = input
place = lambda h, order: h if order is None else h.index_select(1, order)
size = num_layers * (2 if bidirectional else 1), int(sizes[0]), hidden_size
",
            $start,
            "output, *ends = ",
            $call,
            "(data, sizes, hx, weights, bias, num_layers, dropout, training, bidirectional)
ends = tuple(place(h, back) for h in ends)
(torch.nn.utils.rnn.PackedSequence(output, sizes, order, back), ends if len(ends) > 1 else ends[0])"
        )
    };
}

/// The same where the state is one tensor.
macro_rules! packed_simple {
    ($call:literal) => {
        packed!(
            "if data.size(-1) != input_size:
    raise RuntimeError(f'input.size(-1) must be equal to input_size. Expected {input_size}, got {data.size(-1)}')
hx = torch.zeros(size, dtype=data.dtype) if hx is None else place(hx, order)
if hx.shape != size:
    raise RuntimeError(f'Expected hidden size {size}, got {list(hx.shape)}')
",
            $call
        )
    };
}

/// Those that take packed sequences.
pub(super) const PACKED: [(&str, &str); 3] = [
    ("RNN", packed_simple!("(torch.rnn_tanh if nonlinearity == 'tanh' else torch.rnn_relu)")),
    ("GRU", packed_simple!("torch.gru")),
    (
        "LSTM",
        packed!(
            "sizes_of = (size[0], size[1], proj_size or hidden_size), size
hx = [torch.zeros(size, dtype=data.dtype) for size in sizes_of] if hx is None else [place(h, order) for h in hx]
for number, size in enumerate(sizes_of):
    if hx[number].shape != size:
        raise RuntimeError(f'Expected hidden[{number}] size {size}, got {list(hx[number].shape)}')
",
            "torch.lstm"
        ),
    ),
];

/// What a cell makes, with so many gates.
macro_rules! cell_make {
    ($gates:literal) => {
        concat!(
            "gates = ",
            $gates,
            " * hidden_size
sizes = [(gates, input_size), (gates, hidden_size), *([(gates,), (gates,)] if bias else [])]
made = [torch.nn.Parameter(torch.empty(size)) for size in sizes]
bound = 1 / math.sqrt(hidden_size) if hidden_size > 0 else 0
made = [torch.nn.init.uniform_(each, -bound, bound) for each in made]
made + [None] * (4 - len(made))"
        )
    };
}

/// What a cell computes whose state is one tensor; `function` by its name.
macro_rules! cell_run {
    ($name:literal, $function:literal) => {
        concat!(
            "if input.dim() not in (1, 2):
    raise ValueError(f'",
            $name,
            ": Expected input to be 1D or 2D, got {input.dim()}D instead')
if hx is not None and hx.dim() not in (1, 2):
    raise ValueError(f'",
            $name,
            ": Expected hidden to be 1D or 2D, got {hx.dim()}D instead')
batched = input.dim() == 2
input = input if batched else input.unsqueeze(0)
hx = torch.zeros(input.size(0), hidden_size, dtype=input.dtype) if hx is None else hx if batched else hx.unsqueeze(0)
result = ",
            $function,
            "(input, hx, weight_ih, weight_hh, bias_ih, bias_hh)
result if batched else result.squeeze(0)"
        )
    };
}

const LSTM_CELL_RUN: &str = "\
if input.dim() not in (1, 2):
    raise ValueError(f'LSTMCell: Expected input to be 1D or 2D, got {input.dim()}D instead')
for number, h in enumerate(() if hx is None else hx):
    if h.dim() not in (1, 2):
        raise ValueError(f'LSTMCell: Expected hx[{number}] to be 1D or 2D, got {h.dim()}D instead')
batched = input.dim() == 2
input = input if batched else input.unsqueeze(0)
zeros = torch.zeros(input.size(0), hidden_size, dtype=input.dtype)
hx = (zeros, zeros) if hx is None else hx if batched else [h.unsqueeze(0) for h in hx]
h, c = torch.lstm_cell(input, hx, weight_ih, weight_hh, bias_ih, bias_hh)
(h, c) if batched else (h.squeeze(0), c.squeeze(0))";

const WEIGHTS: &[&str] = &["weight_ih", "weight_hh", "bias_ih", "bias_hh"];

/// Sizes, and what is not as usual.
fn shown(settings: &[(&'static str, Value)]) -> String {
    const USUAL: [(&str, &str); 6] = [
        ("proj_size", "0"),
        ("num_layers", "1"),
        ("bias", "True"),
        ("batch_first", "False"),
        ("dropout", "0.0"),
        ("bidirectional", "False"),
    ];
    unusual(settings, &USUAL)
}

fn unusual(settings: &[(&'static str, Value)], usual: &[(&str, &str)]) -> String {
    let mut out = format!("{}, {}", text(settings, "input_size"), text(settings, "hidden_size"));
    for (name, usual) in usual {
        let value = match setting(settings, name) {
            Value::None => continue,
            Value::Int(number) if *name == "dropout" => format!("{number}.0"),
            _ => text(settings, name),
        };
        if value != *usual {
            out += &format!(", {name}={value}");
        }
    }
    out
}

fn cell_text(settings: &[(&'static str, Value)]) -> String {
    unusual(settings, &[("bias", "True"), ("nonlinearity", "tanh")])
}

/// A row.
const fn row(name: &'static str, settings: Settings, make: &'static str, run: &'static str) -> Kind {
    Kind { name, module: "rnn", settings, takes: STEP, holds: &[], buffers: &[], make, run, shows: shown }
}

/// The row of a cell.
const fn cell(name: &'static str, settings: Settings, make: &'static str, run: &'static str) -> Kind {
    Kind { holds: WEIGHTS, shows: cell_text, ..row(name, settings, make, run) }
}

/// The rows.
pub(super) static KINDS: &[Kind] = &[
    row(
        "RNN",
        SIMPLE,
        concat!(
            "if nonlinearity not in ('tanh', 'relu'):
    raise ValueError(f\"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.\")
",
            make!("1", "f'RNN_{nonlinearity.upper()}'", "False")
        ),
        run!("RNN", "tensor instead", "(torch.rnn_tanh if nonlinearity == 'tanh' else torch.rnn_relu)"),
    ),
    row("LSTM", REMEMBERING, make!("4", "'LSTM'", "True"), LSTM_RUN),
    row("GRU", GATED, make!("3", "'GRU'", "False"), run!("GRU", "instead", "torch.gru")),
    cell(
        "RNNCell",
        SIMPLE_CELL,
        cell_make!("1"),
        concat!(
            "if nonlinearity not in ('tanh', 'relu'):
    raise RuntimeError(f'Unknown nonlinearity: {nonlinearity}')
",
            cell_run!("RNNCell", "(torch.rnn_tanh_cell if nonlinearity == 'tanh' else torch.rnn_relu_cell)")
        ),
    ),
    cell("LSTMCell", CELL, cell_make!("4"), LSTM_CELL_RUN),
    cell("GRUCell", CELL, cell_make!("3"), cell_run!("GRUCell", "torch.gru_cell")),
];
