//! `torch.func`: functions made of functions, which give their slopes.

use super::Form::Code;
use super::vmap::trees;
use super::{Op, op};

const fn made(schema: &'static str, doc: &'static str, example: &'static str, code: &'static str) -> Op {
    op(schema, doc, example, Code(code)).function_only().no_out().no_grad()
}

rows![
    made(
        "func.grad(Any func, Any argnums=0, bool has_aux=False) -> Any",
        "A function of the same arguments that gives how much the number `func` gives changes with those at `argnums`; with \
         `has_aux`, beside what `func` gives besides.",
        "torch.func.grad(lambda x: x ** 2)(torch.tensor(3.))  # tensor(6.)",
        "slopes = torch.func.grad_and_value(func, argnums, has_aux)
lambda *args, **kwargs: (lambda found, value: (found, value[1]) if has_aux else found)(*slopes(*args, **kwargs))",
    ),
    made(
        "func.grad_and_value(Any func, Any argnums=0, bool has_aux=False) -> Any",
        "As `func.grad`, beside what `func` itself gives.",
        "torch.func.grad_and_value(lambda x: x ** 2)(torch.tensor(3.))  # (tensor(6.), tensor(9.))",
        GRAD_AND_VALUE,
    ),
    made(
        "func.jacrev(Any func, Any argnums=0) -> Any",
        "A function of the same arguments that gives how each element of the result of `func` changes with each element of those \
         at `argnums`.",
        "torch.func.jacrev(torch.sin)(torch.zeros(2))\n# tensor([[1., 0.],\n#         [0., 1.]])",
        JACREV,
    )
    .alias(&["func.jacfwd"]),
    made(
        "func.hessian(Any func, Any argnums=0) -> Any",
        "A function of the same arguments that gives how the slopes of `func` change with each element of those at `argnums`.",
        "torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))\n# tensor([[ 6.,  0.],\n#         [ 0., 12.]])",
        "torch.func.jacrev(torch.func.jacrev(func, argnums), argnums)",
    ),
];

/// What was asked for before stays recorded, so that such functions can be made of such functions.
const GRAD_AND_VALUE: &str = concat!(
    trees!(),
    "
places = argnums if isinstance(argnums, tuple) else (argnums,)

def watched(leaf):
    if not isinstance(leaf, torch.Tensor):
        raise ValueError(f'grad(f, argnums, *args): expected argument at argnums={argnums} to be a Tensor or hold only Tensors, but got {type(leaf)}')
    return leaf.clone() if leaf.requires_grad else leaf.detach().requires_grad_()

def slopes(*args, **kwargs):
    with torch.enable_grad():
        own = [rebuilt(args[k], [watched(leaf) for leaf in leaves(args[k])]) for k in places]
        inputs = [leaf for part in own for leaf in leaves(part)]
        recorded = any(leaf.grad_fn is not None for leaf in inputs)
        given = list(args)
        for k, part in zip(places, own):
            given[k] = part
        result = func(*given, **kwargs)
        value, aux = result if has_aux else (result, None)
        if not isinstance(value, torch.Tensor):
            raise RuntimeError(f'grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}')
        if value.dim() != 0:
            raise RuntimeError(f'grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {value.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?')
        found = torch.autograd.grad(value, inputs, create_graph=recorded, allow_unused=True) if value.requires_grad else [None] * len(inputs)
        found = [torch.zeros_like(leaf) if slope is None else slope for slope, leaf in zip(found, inputs)]
    if not recorded:
        value = value.detach()
        aux = aux.detach() if isinstance(aux, torch.Tensor) else aux
    found = tuple(rebuilt(part, found) for part in own)
    return found if isinstance(argnums, tuple) else found[0], (value, aux) if has_aux else value

slopes"
);

const JACREV: &str = "places = argnums if isinstance(argnums, tuple) else (argnums,)

def slopes(*args, **kwargs):
    def along(*own):
        given = list(args)
        for k, part in zip(places, own):
            given[k] = part
        return func(*given, **kwargs)

    own = tuple(args[k] for k in places)
    found = torch.autograd.functional.jacobian(along, own, create_graph=any(part.requires_grad for part in own))
    if isinstance(argnums, tuple):
        return found
    return tuple(part[0] for part in found) if isinstance(found[0], tuple) else found[0]

slopes";
