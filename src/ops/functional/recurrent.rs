//! Recurrent networks: cells, and layers of cells that walk along a sequence.

use super::super::Form::Code;
use super::super::{Op, op};

/// A function of `torch` itself.
const fn plain(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only().no_out().stepwise()
}

/// The state after a step, from the weighed input and the state before. `own` are what weighs the state: its weight, its bias, and
/// the weight that the result is made narrower with.
#[rustfmt::skip] // texts of the language
macro_rules! step {
    (tanh) => { "def step(fed, state, own):
    return (torch.tanh(torch.nn.functional.linear(state[0], own[0], own[1]) + fed),)
" };
    (relu) => { "def step(fed, state, own):
    return (torch.relu(torch.nn.functional.linear(state[0], own[0], own[1]) + fed),)
" };
    (gru) => { "def step(fed, state, own):
    h = state[0]
    new = fed.unsafe_chunk(3, 1)[2]
    held = torch.nn.functional.linear(h, own[0], own[1])
    # The rows of a gate lie apart, and end their vectors apart.
    dropped, kept = [torch.sigmoid(gate) for gate in (held + fed).unsafe_chunk(3, 1)[:2]]
    new = torch.tanh(new + held.unsafe_chunk(3, 1)[2] * dropped)
    return ((h - new) * kept + new,)
" };
    (lstm) => { "def step(fed, state, own):
    taken, kept, new, shown = (torch.nn.functional.linear(state[0], own[0], own[1]) + fed).unsafe_chunk(4, 1)
    c = torch.sigmoid(kept) * state[1] + torch.sigmoid(taken) * torch.tanh(new)
    h = torch.sigmoid(shown) * torch.tanh(c)
    return (h if own[2] is None else torch.nn.functional.linear(h, own[2]), c)
" };
}

/// One layer of cells along a sequence, in one direction.
macro_rules! walk {
    () => {
        "def walk(x, state, w_ih, b_ih, own, back):
    fed = torch.nn.functional.linear(x, w_ih, b_ih).unbind(0)
    shown = []
    for one in reversed(fed) if back else fed:
        state = step(one, state, own)
        shown.append(state[0])
    return torch.stack(shown[::-1] if back else shown), state
"
    };
}

/// All layers, from the states at the start of each, in `states`.
macro_rules! layers {
    () => {
        "directions = 2 if bidirectional else 1
size = len(params) // (num_layers * directions)
x = input.transpose(0, 1) if batch_first else input
if x.size(0) == 0:
    raise RuntimeError('Expected sequence length to be larger than 0 in RNN')
ends = []
for layer in range(num_layers):
    shown = []
    for direction in range(directions):
        place = layer * directions + direction
        given = params[place * size:place * size + size]
        b_ih, b_hh = given[2:4] if has_biases else (None, None)
        own = given[1], b_hh, given[-1] if size % 2 else None
        result, state = walk(x, states[place], given[0], b_ih, own, direction == 1)
        shown.append(result)
        ends.append(state)
    x = torch.cat(shown, -1) if bidirectional else shown[0]
    if train and dropout > 0 and layer + 1 < num_layers:
        x = torch.dropout(x, dropout, True)
ends = [torch.stack(part) for part in zip(*ends)]
if batch_first:
    x = x.transpose(0, 1) if at_once else x.transpose_(0, 1)
(x, *ends)"
    };
}

/// The same along sequences of different lengths that lie packed: so many rows of `data` for each step, which fewer and fewer have.
/// Those that end keep their state; going back they begin with theirs.
macro_rules! packed {
    ($step:ident, $states:literal) => {
        concat!(
            step!($step),
            "def walk(x, state, w_ih, b_ih, own, back):
    fed, first = torch.nn.functional.linear(x, w_ih, b_ih).split(sizes), state
    shown, ended = [], []
    state = [s[:sizes[-1]] for s in first] if back else first
    for one in reversed(fed) if back else fed:
        n, before = one.size(0), state[0].size(0)
        if n > before:
            state = [torch.cat([s, more[before:n]]) for s, more in zip(state, first)]
        elif n < before:
            ended.insert(0, [s[n:] for s in state])
            state = [s[:n] for s in state]
        state = step(one, state, own)
        shown.append(state[0])
    ends = [torch.cat(parts) for parts in zip(state, *ended)] if ended else state
    return torch.cat(shown[::-1] if back else shown), ends
",
            "input, sizes, batch_first, at_once = data, batch_sizes.tolist(), False, False\nstates = ",
            $states,
            "\n",
            layers!()
        )
    };
}

/// The first rows of each step of sequences, one step behind the other, and how many there are of each.
const PACK: &str = "\
steps = input.transpose(0, 1) if batch_first else input
if lengths.size(0) != steps.size(1):
    raise RuntimeError(f'Expected `len(lengths)` to be equal to batch_size, but got {lengths.size(0)} (batch_size={steps.size(1)})')
sizes = lengths.tolist()
if any(n <= 0 for n in sizes):
    raise RuntimeError(\"Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0\")
if any(n < after for n, after in zip(sizes, sizes[1:])):
    raise RuntimeError('`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.')
counts = [sum(n > step for n in sizes) for step in range(sizes[0])]
(torch.cat([steps[step][:count] for step, count in enumerate(counts)]), torch.tensor(counts))";

/// Each row goes back to where it was taken from.
const UNPACK: &str = "\
given = torch.zeros_like(input)
steps, start, sizes = given.transpose(0, 1) if batch_first else given, 0, lengths.tolist()
for step in range(sizes[0]):
    count = sum(n > step for n in sizes)
    steps[step, :count] = grad[start:start + count]
    start += count
given";

/// What was packed, with a number where sequences have ended.
const PAD: &str = "\
sizes = batch_sizes.tolist()
out, start = data.new_full((total_length, sizes[0], *data.shape[1:]), padding_value), 0
for step, count in enumerate(sizes):
    out[step, :count] = data[start:start + count]
    start += count
lengths = [sum(count > place for count in sizes) for place in range(sizes[0])]
(out.transpose(0, 1) if batch_first else out, torch.tensor(lengths))";

/// Layers of cells whose state is one tensor.
macro_rules! simple {
    ($step:ident) => {
        concat!(step!($step), walk!(), "states, at_once = [(h,) for h in hx.unbind(0)], False\n", layers!())
    };
}

/// What a cell refuses: a batch or a width that does not fit.
macro_rules! fits {
    ($gates:literal, $states:literal) => {
        concat!(
            "if input.size(1) != w_ih.size(1):
    raise RuntimeError(f'input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}')
for number, h in enumerate(",
            $states,
            "):
    if h.dim() != 2:
        raise RuntimeError(f'Expected 2D hidden{number} (batch x hidden_size), but got {h.dim()}D tensor')
    if input.size(0) != h.size(0):
        raise RuntimeError(f'Input batch size {input.size(0)} doesn\\'t match hidden{number} batch size {h.size(0)}')
    if h.size(1) != w_hh.size(0) // ",
            $gates,
            ":
        raise RuntimeError(f'hidden{number} has inconsistent hidden_size: got {h.size(1)}, expected {w_hh.size(0) // ",
            $gates,
            "}')
"
        )
    };
}

/// A cell whose state is one tensor.
macro_rules! cell {
    ($step:ident, $gates:literal) => {
        concat!(
            step!($step),
            fits!($gates, "(hx,)"),
            "step(torch.nn.functional.linear(input, w_ih, b_ih), (hx,), (w_hh, b_hh, None))[0]"
        )
    };
}

rows![
    plain("rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Any",
        "The next state of a simple recurrent cell: `tanh` of the weighed input and the weighed state.",
        "torch.rnn_tanh_cell(torch.zeros(1, 2), torch.ones(1, 1), torch.ones(1, 2), torch.ones(1, 1))  # tensor([[0.7616]])",
        cell!(tanh, "1")),
    plain("rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Any",
        "The next state of a simple recurrent cell: `relu` of the weighed input and the weighed state.",
        "torch.rnn_relu_cell(torch.zeros(1, 2), torch.ones(1, 1), torch.ones(1, 2), torch.ones(1, 1))  # tensor([[1.]])",
        cell!(relu, "1")),
    plain("gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Any",
        "The next state of a cell with two gates: what it forgets of the state before, and how much of it stays.",
        "torch.gru_cell(torch.zeros(1, 2), torch.ones(1, 1), torch.ones(3, 2), torch.zeros(3, 1))  # tensor([[0.5000]])",
        cell!(gru, "3")),
    plain("lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Any",
        "The next state and memory of a cell with a memory: gates say what is forgotten, taken and shown.",
        "torch.lstm_cell(torch.zeros(1, 2), [torch.ones(1, 1)] * 2, torch.ones(4, 2), torch.zeros(4, 1))  # (tensor([[0.2311]]), tensor([[0.5000]]))",
        concat!(
            "if len(hx) != 2:
    raise RuntimeError('lstm_cell expects two hidden states')
",
            step!(lstm),
            fits!("4", "hx"),
            "step(torch.nn.functional.linear(input, w_ih, b_ih), hx, (w_hh, b_hh, None))"
        )),
    plain("rnn_tanh(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> Any",
        "Layers of simple recurrent cells along a sequence: the last layer's states, and every layer's state at the end.", "", simple!(tanh)),
    plain("rnn_relu(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> Any",
        "Layers of simple recurrent cells along a sequence, with `relu` for `tanh`.", "", simple!(relu)),
    plain("gru(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> Any",
        "Layers of cells with two gates along a sequence.", "", simple!(gru)),
    plain("lstm(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> Any",
        "Layers of cells with a memory along a sequence: the last layer's states, and every layer's state and memory at the end.", "",
        concat!(
            step!(lstm),
            walk!(),
            // The usual case has one name in what is recorded.
            "def walk_at_once(x, state, w_ih, b_ih, own, back):
    none = w_ih.new_zeros(w_ih.size(0))
    b_ih, b_hh = (b_ih, own[1]) if has_biases else (none, none)
    result = torch.mkldnn_rnn_layer(x, w_ih, own[0], b_ih, b_hh, *state, back, [], 2, state[0].size(1), 1, has_biases, bidirectional, False, train)
    return result[0], result[1:3]
at_once = input.dtype == torch.float32 and input.device.type == 'cpu' and input.numel() > 0 and hx[0].size(-1) == hx[1].size(-1)
walk = walk_at_once if at_once else walk
states = list(zip(hx[0].unbind(0), hx[1].unbind(0)))
",
            layers!()
        )),
    plain("rnn_tanh(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> Any",
        "", "", packed!(tanh, "[(h,) for h in hx.unbind(0)]")),
    plain("rnn_relu(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> Any",
        "", "", packed!(relu, "[(h,) for h in hx.unbind(0)]")),
    plain("gru(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> Any",
        "", "", packed!(gru, "[(h,) for h in hx.unbind(0)]")),
    plain("lstm(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> Any",
        "", "", packed!(lstm, "list(zip(hx[0].unbind(0), hx[1].unbind(0)))")),
    op("_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)",
        "Sequences of different lengths as rows without the filling: those of the first step, of the second, and so on, and how many of each.",
        "torch._pack_padded_sequence(torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1]), False)  # (tensor([1, 2, 3]), tensor([2, 1]))",
        Code(PACK)).function_only().no_out().grads(&[("input", UNPACK)]),
    plain("_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int total_length) -> (Tensor, Tensor)",
        "Sequences of different lengths filled up to one, from their rows step by step, and their lengths.",
        "torch._pad_packed_sequence(torch.tensor([1, 2, 3]), torch.tensor([2, 1]), False, 0, 2)  # (tensor([[1, 2],\n#         [3, 0]]), tensor([2, 1]))",
        PAD),
    op("mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_, Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases, bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)",
        "One layer of cells with a memory in one direction. The last result is empty.", "",
        Code(concat!(
            step!(lstm),
            walk!(),
            "shown, state = walk(input, (hx_, cx_), weight0, weight2, (weight1, weight3, None), reverse)\n",
            "(shown, *state, torch.empty(0, dtype=torch.uint8))"
        ))).function_only().no_out(),
];
