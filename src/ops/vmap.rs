//! `torch.vmap`: a function of single examples as one of batches, which calls it for each.

use super::Form::{Code, Hosted, Native};
use super::{autograd, op};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;

rows![
    op(
        "vmap(Any func, Any in_dims=0, Any out_dims=0, Any randomness=\"error\", *, Any chunk_size=None) -> Any",
        "A function of batches that gives `func` one element of each batch at a time, along the dimensions `in_dims`.",
        "torch.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))  # tensor([3., 3.])",
        Code(VMAP),
    )
    .function_only()
    .no_out()
    .no_grad()
    .alias(&["func.vmap"]),
    op(
        "_as_batch(Tensor self, Tensor one) -> Tensor",
        "A stack of results, recorded as the operation on batches that `one` of them was made by.",
        "torch._as_batch(torch.ones(1, 2), torch.ones(2))  # tensor([[1., 1.]])",
        Hosted(|_, a| {
            let (batch, one): (Tensor, Tensor) = a.take()?;
            let slot = one.grad();
            let name = slot.name().filter(|_| batch.requires_grad()).map(of_batch);
            Ok(name.map_or_else(|| batch.clone(), |name| autograd::renamed(&batch, name)).into())
        }),
    )
    .marked()
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "_as_alias(Tensor self) -> Tensor",
        "The tensor, recorded as an alias of what it is.",
        "torch._as_alias(torch.ones(2))  # tensor([1., 1.])",
        Hosted(|_, a| {
            let x: Tensor = a.get(0)?;
            Ok(if x.requires_grad() { autograd::renamed(&x, "AliasBackward0") } else { x }.into())
        }),
    )
    .marked()
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "_keep_graphs(bool mode) -> bool",
        "Has graphs kept that are gone back through, or not; gives what it was before.",
        "torch._keep_graphs(False)  # False",
        Native(|a| {
            let mode: bool = a.get(0)?;
            Ok(Value::Bool(settings::change(|s| std::mem::replace(&mut s.keeps_graphs, mode))))
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
];

/// What a function of batches is recorded as, by what the function of one is.
fn of_batch(name: &str) -> &str {
    match name {
        "DotBackward0" => "MvBackward0",
        "MaxBackward1" => "MaxBackward0",
        "MeanBackward0" | "MseLossBackward0" => "MeanBackward1",
        "MinBackward1" => "MinBackward0",
        "MmBackward0" => "UnsafeViewBackward0",
        "MvBackward0" => "PermuteBackward0",
        "NllLossBackward0" => "DivBackward0",
        "ProdBackward0" => "ProdBackward1",
        "SqueezeBackward4" => "SqueezeBackward5",
        "SumBackward0" => "SumBackward1",
        "UnsafeViewBackward0" => "AddBackward0",
        name => name,
    }
}

/// The leaves of nested tuples, lists and dicts, the same with other leaves, and how messages show what is nested.
macro_rules! trees {
    () => {
        r#"
def inner(tree):
    return list(tree.values()) if isinstance(tree, dict) else list(tree)

def is_leaf(tree):
    return not isinstance(tree, (tuple, list, dict))

def leaves(tree):
    return [tree] if is_leaf(tree) else [leaf for part in inner(tree) for leaf in leaves(part)]

def rebuilt(tree, left):
    if is_leaf(tree):
        return left.pop(0)
    parts = [rebuilt(part, left) for part in inner(tree)]
    if isinstance(tree, dict):
        return dict(zip(tree, parts))
    if hasattr(tree, '_fields'):
        return type(tree)(*parts)
    return tuple(parts) if type(tree) is torch.Size else type(tree)(parts)

def structure(tree, indent=0):
    if is_leaf(tree):
        return '*'
    context = list(tree) if isinstance(tree, dict) else None
    texts = [structure(part, indent + 2) for part in inner(tree)]
    return f'TreeSpec({type(tree).__name__}, {context}, [' + (',\n' + ' ' * (indent + 2)).join(texts) + '])'
"#
    };
}
pub(super) use trees;

const VMAP: &str = concat!(
    trees!(),
    r#"
if chunk_size is not None and chunk_size <= 0:
    raise ValueError(f'vmap: chunk_size should be None or greater than 0. (got {chunk_size})')
name = getattr(func, '__name__', repr(func))

def spread(dims, tree):
    if is_leaf(dims):
        return [dims] * len(leaves(tree))
    if type(dims) is not type(tree) or len(dims) != len(tree) or isinstance(dims, dict) and list(dims) != list(tree):
        return None
    parts = [spread(dim, part) for dim, part in zip(inner(dims), inner(tree))]
    return None if None in parts else sum(parts, [])

def incoming(args):
    start = f'vmap({name}, in_dims={in_dims}, ...)(<inputs>): '
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(f'{start}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}.')
    if len(args) == 0:
        raise ValueError(f'vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with no inputs. The latter is unsupported.')
    dims = spread(in_dims, args)
    if dims is None:
        raise ValueError(f'{start}in_dims is not compatible with the structure of `inputs`. in_dims has structure {structure(in_dims)} but inputs has structure {structure(args)}.')
    for arg, dim in zip(leaves(args), dims):
        if not isinstance(dim, int) and dim is not None:
            raise ValueError(f'{start}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.')
        if isinstance(dim, int) and not isinstance(arg, torch.Tensor):
            raise ValueError(f'{start}Got in_dim={dim} for an input but the input is of type {type(arg)}. We cannot vmap over non-Tensor arguments, please use None as the respective in_dim')
        if dim is not None and not -arg.dim() <= dim < arg.dim():
            raise ValueError(f'{start}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {arg.dim()} so expected in_dim to satisfy -{arg.dim()} <= in_dim < {arg.dim()}.')
    return dims

def outgoing(result):
    if isinstance(result, torch.Tensor):
        single = out_dims[0] if isinstance(out_dims, tuple) and len(out_dims) == 1 else out_dims
        dims = [single] if single is None or isinstance(single, int) else None
    else:
        dims = spread(out_dims, result)
    if dims is None:
        raise ValueError(f'vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. out_dims has structure {structure(out_dims)} but outputs has structure {structure(result)}.')
    for out, dim in zip(leaves(result), dims):
        if dim is not None and not isinstance(out, torch.Tensor):
            raise ValueError(f'vmap({name}, ...): `{name}` must only return Tensors, got type {type(out)}. Did you mean to set out_dims= to None for output?')
    return dims

def laid(outs, strides):
    one = outs[0]
    for d, step in enumerate(one.stride()):
        if step == 0 and one.size(d) > 1:
            # What is repeated stays so.
            return laid([out.narrow(d, 0, 1) for out in outs], (math.inf,) + one.narrow(d, 0, 1).stride()).expand((len(outs),) + one.shape)
    # In memory, dimensions keep the order that they have there in what they came of.
    order = sorted(range(len(strides)), key=lambda d: -strides[d])
    if order == list(range(len(order))):
        return torch.stack(outs)
    one = [d - 1 for d in order if d > 0]
    return torch.stack([out.permute(one) for out in outs], order.index(0)).permute([order.index(d) for d in range(len(order))])

def joined(outs, dim, args, dims):
    if dim is not None:
        one = outs[0]
        places = [arg.movedim(d, 0) for arg, d in zip(args, dims) if d is not None]
        like = [place.stride() for place in places if place.shape[1:] == one.shape]
        whole = torch._as_batch(laid(outs, like[0] if like else (math.inf,) + one.stride()), one)
        return whole.movedim(0, dim) if dim != 0 else whole
    if any(isinstance(out, torch.Tensor) and not torch.equal(out, outs[0]) for out in outs):
        raise ValueError(f'vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None')
    return outs[0]

def batched(*args, **kwargs):
    if randomness not in ('error', 'different', 'same'):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if any(not isinstance(dim, int) and dim is not None for dim in leaves(out_dims)):
        raise ValueError(f'vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints representing where in the outputs the vmapped dimension should appear.')
    dims = incoming(args)
    flat = leaves(args)
    counts = [arg.size(dim) for arg, dim in zip(flat, dims) if dim is not None]
    if not counts:
        raise ValueError('vmap: Expected at least one Tensor to vmap over')
    if min(counts) != max(counts):
        raise ValueError(f'vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {counts} for the mapped dimension')
    count, before, results = counts[0], torch.get_rng_state(), []
    for i in range(max(count, 1)):
        if randomness == 'same':
            torch.set_rng_state(before)
        if count == 0:
            picked = [arg if dim is None else arg.new_zeros(arg.shape[:dim % arg.dim()] + arg.shape[dim % arg.dim() + 1:]) for arg, dim in zip(flat, dims)]
        else:
            picked = [arg if dim is None else arg.select(dim, i) for arg, dim in zip(flat, dims)]
        kept = torch._keep_graphs(True)
        try:
            results.append(func(*rebuilt(args, picked), **kwargs))
        finally:
            torch._keep_graphs(kept)
        if randomness == 'error' and not torch.equal(before, torch.get_rng_state()):
            torch.set_rng_state(before)
            raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on vmap or perform the randomness operation out of vmap")
        out = outgoing(results[0]) if i == 0 else out
    columns = [joined(list(outs), dim, flat, dims) for outs, dim in zip(zip(*[leaves(result) for result in results]), out)]
    if count == 0:
        columns = [each if dim is None else each.narrow(dim, 0, 0) for each, dim in zip(columns, out)]
    return rebuilt(results[0], columns)
batched"#
);
