//! Views as new tensors: what PyTorch has under the names of views with `_copy` behind them, row by row whatever they are copies of.

use super::Form::Code;
use super::autograd::texts;
use super::op;

/// A row from the parameters behind `self` and the view as a text.
macro_rules! copied {
    ($name:literal, $parameters:literal, $view:literal, $example:literal) => {
        op(
            concat!($name, "(Tensor self", $parameters, ") -> Tensor"),
            concat!("The view `", $view, "` as a new tensor."),
            $example,
            Code(concat!("(", $view, ").clone(memory_format=torch.contiguous_format)")),
        )
        .function_only()
    };
}

/// The same for several views.
macro_rules! parts_copied {
    ($name:literal, $parameters:literal, $views:literal, $example:literal) => {
        op(
            concat!($name, "(Tensor self", $parameters, ") -> Tensor[]"),
            concat!("The views `", $views, "` as new tensors."),
            $example,
            Code(concat!("tuple(part.clone(memory_format=torch.contiguous_format) for part in ", $views, ")")),
        )
        .function_only()
    };
}

const NARROW: &str = "if self.dim() > 0 and dim >= self.dim():
    raise RuntimeError('Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)')
size = self.size(dim) if self.dim() > 0 else 0
if self.dim() > 0 and not -size <= start <= size:
    raise IndexError(f'start out of range (expected to be in range of [-{size}, {size}], but got {start})')
if self.dim() > 0 and length < 0:
    raise RuntimeError(f'start ({start}) + length ({length}) exceeds dimension size ({size}).')
self.narrow(dim, start, length).clone(memory_format=torch.contiguous_format)";

const SLICE: &str = "if self.dim() > 0 and step <= 0:
    self.size(dim)
    raise RuntimeError('slice step must be positive')
self.transpose(0, dim)[start:end:step].transpose(0, dim).clone(memory_format=torch.contiguous_format)";

#[rustfmt::skip] // one row a line
rows![
    copied!("alias_copy", "", "self.view_as(self)", "torch.alias_copy(torch.ones(2))  # tensor([1., 1.])"),
    copied!("as_strided_copy", ", int[] size, int[] stride, SymInt? storage_offset=None", "self.as_strided(size, stride, storage_offset)", "torch.as_strided_copy(torch.arange(3), (2, 2), (1, 1))  # tensor([[0, 1],\n#         [1, 2]])"),
    copied!("detach_copy", "", "self.detach()", "torch.detach_copy(torch.ones(2))  # tensor([1., 1.])").grads(&[("self", texts::none!("detach_copy"))]),
    copied!("diagonal_copy", ", int offset=0, int dim1=0, int dim2=1", "self.diagonal(offset, dim1, dim2)", "torch.diagonal_copy(torch.eye(2))  # tensor([1., 1.])"),
    copied!("expand_copy", ", int[] size, *, bool implicit=False", "self.expand(size)", "torch.expand_copy(torch.tensor([1, 2]), (2, 2)).stride()  # (2, 1)"),
    op("narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor", "The view `self.narrow(dim, start, length)` as a new tensor.", "torch.narrow_copy(torch.arange(4), 0, 1, 2)  # tensor([1, 2])", Code(NARROW)),
    copied!("permute_copy", ", int[] dims", "self.permute(dims)", "torch.permute_copy(torch.zeros(2, 3), (1, 0)).stride()  # (2, 1)"),
    copied!("select_copy", ", int dim, SymInt index", "self.select(dim, index)", "torch.select_copy(torch.arange(4), 0, 2)  # tensor(2)"),
    op("slice_copy(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor", "The slice `start:end:step` of a dimension as a new tensor.", "torch.slice_copy(torch.arange(4), 0, 1, 3)  # tensor([1, 2])", Code(SLICE)).function_only(),
    copied!("squeeze_copy", "", "self.squeeze()", "torch.squeeze_copy(torch.zeros(1, 2)).shape  # torch.Size([2])"),
    copied!("squeeze_copy", ", int dim", "self.squeeze(dim)", ""),
    copied!("squeeze_copy", ", int[] dim", "self.squeeze(dim)", ""),
    copied!("t_copy", "", "self.t()", "torch.t_copy(torch.zeros(2, 3)).stride()  # (2, 1)"),
    copied!("transpose_copy", ", int dim0, int dim1", "self.transpose(dim0, dim1)", "torch.transpose_copy(torch.zeros(2, 3), 0, 1).stride()  # (2, 1)"),
    copied!("unfold_copy", ", int dimension, int size, int step", "self.unfold(dimension, size, step)", "torch.unfold_copy(torch.arange(3), 0, 2, 1)  # tensor([[0, 1],\n#         [1, 2]])"),
    copied!("unsqueeze_copy", ", int dim", "self.unsqueeze(dim)", "torch.unsqueeze_copy(torch.zeros(2), 0).shape  # torch.Size([1, 2])"),
    copied!("view_as_complex_copy", "", "torch.view_as_complex(self)", "torch.view_as_complex_copy(torch.tensor([1., 2.]))  # tensor(1.+2.j)"),
    copied!("view_as_real_copy", "", "torch.view_as_real(self)", "torch.view_as_real_copy(torch.tensor(1 + 2j))  # tensor([1., 2.])"),
    copied!("view_copy", ", DType dtype", "self.view(dtype)", "torch.view_copy(torch.tensor([1.]), torch.int32)  # tensor([1065353216], dtype=torch.int32)"),
    copied!("view_copy", ", int[] size", "self.reshape(size)", ""),
    parts_copied!("split_copy", ", int split_size, int dim=0", "torch.split(self, split_size, dim)", "torch.split_copy(torch.arange(3), 2)  # (tensor([0, 1]), tensor([2]))"),
    parts_copied!("split_with_sizes_copy", ", int[] split_sizes, int dim=0", "torch.split_with_sizes(self, split_sizes, dim)", "torch.split_with_sizes_copy(torch.arange(3), [1, 2])  # (tensor([0]), tensor([1, 2]))"),
    parts_copied!("unbind_copy", ", int dim=0", "torch.unbind(self, dim)", "torch.unbind_copy(torch.tensor([1, 2]))  # (tensor(1), tensor(2))"),
];
