//! What moves, joins, picks and writes elements. Views need no rule.

use super::{Rule, of};

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    of("hstack", "tensors", again_list!("tensors", "torch.cat([t.reshape(1) if t.ndim == 0 else t for t in tensors], 0 if tensors[0].ndim <= 1 else 1)")),
    of("vstack", "tensors", again_list!("tensors", "torch.cat([t.reshape(1, -1) if t.ndim <= 1 else t for t in tensors], 0)")),
    of("dstack", "tensors", again_list!("tensors", "torch.cat([t.reshape(1, -1, 1) if t.ndim <= 1 else (t.unsqueeze(-1) if t.ndim == 2 else t) for t in tensors], 2)")),
    of("column_stack", "tensors", again_list!("tensors", "torch.cat([t.reshape(-1, 1) if t.ndim <= 1 else t for t in tensors], 1)")),
    of("tile", "self", again!("self", "self.repeat([1] * (self.ndim - len(dims)) + list(dims))", "")),
];
