//! Rows that order elements, look for them in order, and count them.

mod count;
mod lines;
mod quantile;
mod search;
mod unique;

pub(super) use lines::Lines;

use super::Form::{Code, Native};
use super::op;
use crate::ops::autograd::texts;

const UNIQUE_PARTS: &str = "\
values, places, counts = self.unique(sorted, True, True)
none = torch.empty(0, dtype=torch.int64, device=self.device)
values, places if return_inverse else none, counts if return_counts else none";

/// Of values at a rank among the elements of each row, or between two.
macro_rules! between {
    ($param:literal, $rank:literal) => {
        texts::again!(
            $param,
            "value(self, q)",
            concat!(
                "def value(self, q):
    rows = self.reshape(-1) if dim is None else self.movedim(dim, -1) if self.ndim else self.reshape(1)
    at = torch.as_tensor(q, dtype=self.dtype).reshape(-1).double()
    rank = ",
                $rank,
                "
    low, high = rank.detach().floor(), rank.detach().ceil()
    if interpolation == 'nearest':
        low = high = rank.detach().round()
    elif interpolation in ('lower', 'higher'):
        low = high = low if interpolation == 'lower' else high
    weight = {'linear': rank - rank.detach().floor(), 'midpoint': 0 * rank + 0.5, 'lower': 0 * rank, 'higher': 0 * rank + 1, 'nearest': 0 * rank}[interpolation].to(self.dtype)
    places = [n.long().expand(list(rows.shape[:-1]) + [at.numel()]) for n in (low, high)]
    # Which of several equal elements has a rank is seen in the gradient alone.
    ordered = (rows.topk(int(high.max().item()) + 1, -1, False) if at.numel() == 1 else rows.sort(-1)).values
    found = torch.lerp(ordered.gather(-1, places[0]), ordered.gather(-1, places[1]), weight.expand(places[0].shape))
    return found.movedim(-1, 0).reshape(result.shape)
"
            )
        )
    };
}

/// The rank among all elements; a row with NaN gives that.
macro_rules! of_all {
    ($param:literal) => {
        between!($param, "torch.where(rows.isnan().any(-1, True), rows.shape[-1] - 1, at * (rows.shape[-1] - 1))")
    };
}

/// The rank among the elements that are not NaN.
macro_rules! of_numbers {
    ($param:literal) => {
        between!($param, "at * (rows.isnan().logical_not().sum(-1, True) - 1).clamp(min=0)")
    };
}

rows! [
    op(
        "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
        "The elements along `dim` in ascending (or descending) order, with the place each came from. NaN counts as the greatest; \
         equal elements keep their order with `stable=True`.",
        "torch.tensor([3., 1., 2.]).sort().indices  # tensor([1, 2, 0])",
        Native(lines::sort),
    )
        .grads(&[("self", texts::PICKED)]),
    op(
        "sort(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
        "",
        "",
        Native(lines::sort_stable),
    )
        .grads(&[("self", texts::PICKED)]),
    op(
        "argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
        "The places of the elements along `dim` in sorted order: the `indices` of `sort`.",
        "torch.tensor([3., 1., 2.]).argsort()  # tensor([1, 2, 0])",
        Code("self.sort(dim=dim, descending=descending).indices"),
    )
    .no_out(),
    op(
        "argsort(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
        "",
        "",
        Code("self.sort(stable=stable, dim=dim, descending=descending).indices"),
    ),
    op(
        "msort(Tensor self) -> Tensor",
        "Sorts along the first dimension.",
        "torch.msort(torch.tensor([2, 1]))  # tensor([1, 2])",
        Code("self.sort(0).values"),
    ),
    op(
        "topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
        "The `k` greatest (or least) elements along `dim`, in order, with their places. NaN counts as the greatest.",
        "torch.tensor([3, 9, 5]).topk(2).values  # tensor([9, 5])",
        Native(lines::topk),
    )
        .grads(&[("self", texts::PICKED)]),
    op(
        "kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
        "The `k`-th least element along `dim`, counted from 1, with its place.",
        "torch.tensor([3, 9, 5]).kthvalue(2).values  # tensor(5)",
        Native(lines::kthvalue),
    )
        .grads(&[("self", texts::PICKED)]),
    op(
        "unique(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Any",
        "The different elements (or slices along `dim`) in ascending order; on request the place of each element among them, and how \
         often each occurs. Every NaN is different.",
        "torch.tensor([2, 1, 2]).unique(return_counts=True)  # (tensor([1, 2]), tensor([1, 2]))",
        Native(unique::unique),
    )
    .no_out()
    .grads(&[(
        "self",
        "raise NotImplementedError(f'the derivative for \\'{\"_unique2\" if dim is None else \"unique_dim\"}\\' is not implemented.')"
    )]),
    op(
        "_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
        "The parts of `unique`; what was not asked for is empty.",
        "torch._unique2(torch.tensor([3, 1, 3]))[0]  # tensor([1, 3])",
        Code(UNIQUE_PARTS),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Any",
        "Drops each element (or slice along `dim`) that equals the one before it.",
        "torch.tensor([1, 1, 2, 1]).unique_consecutive()  # tensor([1, 2, 1])",
        Native(unique::unique_consecutive),
    )
    .method_only()
    .no_out()
    .grads(&[("self", texts::unknown!("unique_consecutive"))]),
    op(
        "unique_consecutive(Tensor self, *, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Any",
        "",
        "",
        Native(unique::unique_consecutive),
    )
    .function_only()
    .no_out()
    .grads(&[("self", texts::unknown!("unique_consecutive"))]),
    op(
        "unique_consecutive(Tensor self, bool return_inverse, *, bool return_counts, int? dim=None) -> Any",
        "",
        "",
        Native(unique::unique_consecutive_by_both),
    )
    .function_only()
    .no_out()
    .grads(&[("self", texts::unknown!("unique_consecutive"))]),
    op(
        "unique_consecutive(Tensor self, bool return_inverse, bool return_counts=False, int? dim=None) -> Any",
        "",
        "",
        Native(unique::unique_consecutive_by_place),
    )
    .function_only()
    .no_out()
    .grads(&[("self", texts::unknown!("unique_consecutive"))]),
    op(
        "searchsorted(Tensor sorted_sequence, Operand self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
        "Where each value would have to be inserted into the sorted innermost dimension of `sorted_sequence` to keep it sorted.",
        "torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([2, 5]))  # tensor([1, 2])",
        Native(search::searchsorted),
    )
    .function_only(),
    op(
        "bucketize(Operand self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
        "The number of the bucket each value falls into, the buckets being divided by the sorted `boundaries`.",
        "torch.bucketize(torch.tensor([0, 4]), torch.tensor([1, 3]))  # tensor([0, 2])",
        Native(search::bucketize),
    )
    .function_only(),
    op(
        "isin(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
        "Whether each element is among the test elements.",
        "torch.isin(torch.tensor([1, 2]), torch.tensor([2, 5]))  # tensor([False,  True])",
        Native(search::isin),
    ),
    op("isin(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor", "", "", Native(search::isin)),
    op("isin(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor", "", "", Native(search::isin)),
    op(
        "bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor",
        "How often each number 0, 1, 2, … occurs in a 1-d tensor of non-negative integers; with `weights`, their sums.",
        "torch.bincount(torch.tensor([0, 2, 2]))  # tensor([1, 0, 2])",
        Native(count::bincount),
    )
    .grads(&[("weights", texts::none!("bincount"))])
    .no_out(),
    op(
        "histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
        "Counts the elements in `bins` equal intervals from `min` to `max` (from the least to the greatest element when both are equal).",
        "torch.histc(torch.tensor([1., 2., 1.]), 2)  # tensor([2., 1.])",
        Native(count::histc),
    )
    .no_grad(),
    op(
        "histogram(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
        "Counts the elements between neighbouring bin edges, the last bin closed on both sides.",
        "torch.histogram(torch.tensor([1., 2.]), torch.tensor([0., 1.5, 3.])).hist  # tensor([1., 1.])",
        Native(count::histogram_edges),
    )
    .grads(&[("self", texts::none!("histogram")), ("bins", texts::none!("histogram")), ("weight", texts::none!("histogram"))]),
    op(
        "histogram(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
        "",
        "",
        Native(count::histogram),
    )
    .grads(&[("self", texts::none!("histogram")), ("weight", texts::none!("histogram"))]),
    op(
        "quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
        "The value below which the share `q` of the elements along `dim` lies, between neighbours by `interpolation`.",
        "torch.tensor([1., 2., 3.]).quantile(0.5)  # tensor(2.)",
        Native(quantile::quantile),
    )
    .grads(&[("self", of_all!("self")), ("q", of_all!("q"))]),
    op(
        "quantile(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
        "",
        "",
        Native(quantile::quantile),
    )
    .grads(&[("self", of_all!("self"))]),
    op(
        "nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
        "As `quantile`, with NaN left out.",
        "torch.tensor([1., float('nan'), 3.]).nanquantile(0.5)  # tensor(2.)",
        Native(quantile::nanquantile),
    )
    .grads(&[("self", of_numbers!("self")), ("q", of_numbers!("q"))]),
    op(
        "nanquantile(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
        "",
        "",
        Native(quantile::nanquantile),
    )
    .grads(&[("self", of_numbers!("self"))]),
];
