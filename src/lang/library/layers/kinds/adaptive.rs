//! `torch.nn.AdaptiveLogSoftmaxWithLoss`: classes that are seldom stand in clusters behind those that are frequent.

use super::{Kind, nothing};
use crate::lang::library::construct::Unless::{Bool, Float, Required};

const MAKE: &str = "\
ends = list(cutoffs)
if not ends:
    raise ValueError('cutoffs should be a sequence of length larger than 0')
if ends != sorted(set(ends)) or ends[0] <= 0 or ends[-1] > n_classes - 1 or any(int(end) != end for end in ends):
    raise ValueError('cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is between 1 and n_classes-1')
ends, few, clusters = ends + [n_classes], ends[0], len(ends)
head, tail = torch.nn.Linear(in_features, few + clusters, bias=head_bias), torch.nn.ModuleList()
for i in range(clusters):
    width = int(in_features // div_value ** (i + 1))
    inner = torch.nn.Linear(in_features, width, bias=False), torch.nn.Linear(width, ends[i + 1] - ends[i], bias=False)
    tail.append(torch.nn.Sequential(*inner))
def log_prob(input):
    frequent = torch.log_softmax(head(input), 1)
    out = input.new_empty((input.size(0), n_classes))
    out[:, :few] = frequent[:, :few]
    for i, part in enumerate(tail):
        out[:, ends[i]:ends[i + 1]] = torch.log_softmax(part(input), 1) + frequent[:, few + i].unsqueeze(1)
    return out
def predict(input):
    found = head(input).argmax(1)
    seldom = found >= few
    if seldom.any():
        found[seldom] = log_prob(input[seldom]).argmax(1)
    return found
sizes = {'cutoffs': ends, 'shortlist_size': few, 'n_clusters': clusters, 'head_size': few + clusters}
{'head': head, 'tail': tail, **sizes, 'log_prob': log_prob, 'predict': predict}";

const RUN: &str = "\
import collections
dims = target_.dim()
if dims > 1:
    raise RuntimeError('0D or 1D target tensor expected, multi-target not supported')
if dims == 1 and input_.size(0) != target_.size(0):
    raise RuntimeError('Input and target should have the same size in the batch dimension.')
if input_.dim() != dims + 1:
    raise RuntimeError(f'{dims}D target tensor expects {dims + 1}D input tensors, but found inputs with size {input_.size()}')
input, target = (input_, target_) if dims else (input_.unsqueeze(0), target_.unsqueeze(0))
output, places, few = input.new_zeros(target.size(0)), target.clone(), self.shortlist_size
if bool(((target < 0) | (target >= n_classes)).any()):
    raise RuntimeError(f'Target values should be in [0, {n_classes - 1}], but values in range [{target.min().item()}, {target.max().item()}] were found. ')
for i, part in enumerate(self.tail):
    low, high = self.cutoffs[i], self.cutoffs[i + 1]
    rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
    if rows.numel():
        places.index_fill_(0, rows, few + i)
        own = torch.log_softmax(part(input.index_select(0, rows)), 1).gather(1, (target[rows] - low).unsqueeze(1))
        output.index_copy_(0, rows, own.squeeze(1))
output += torch.log_softmax(self.head(input), 1).gather(1, places.unsqueeze(1)).squeeze()
loss = (-output).mean()
collections.namedtuple('_ASMoutput', ['output', 'loss'])(output if dims else output.squeeze(0), loss)";

/// The rows.
pub(super) static KINDS: &[Kind] = &[Kind {
    name: "AdaptiveLogSoftmaxWithLoss",
    module: "adaptive",
    settings: &[
        ("in_features", Required),
        ("n_classes", Required),
        ("cutoffs", Required),
        ("div_value", Float(4.0)),
        ("head_bias", Bool(false)),
    ],
    takes: &[("input_", Required), ("target_", Required)],
    holds: &[],
    buffers: &[],
    make: MAKE,
    run: RUN,
    shows: nothing,
}];
