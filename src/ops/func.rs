//! `torch.func`: functions made of functions, which give their slopes.

use super::Form::Code;
use super::vmap::trees;
use super::{Op, op};

const fn made(schema: &'static str, doc: &'static str, example: &'static str, code: &'static str) -> Op {
    op(schema, doc, example, Code(code)).function_only().no_out().no_grad()
}

/// What arguments are followed, and what a function of them gives. What was asked for before stays recorded, so that such functions can be
/// made of such functions.
macro_rules! followed {
    () => {
        concat!(
            trees!(),
            "
def chosen(args):
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f'argnums must be int or Tuple[int, ...], got: {type(argnums)}')
    places = argnums if isinstance(argnums, tuple) else (argnums,)
    if not places:
        raise RuntimeError('argnums must be non-empty')
    for k in places:
        if not -len(args) <= k < len(args):
            raise RuntimeError(f'Got argnum={k}, but only {len(args)} positional inputs')
    places = tuple(k % len(args) for k in places)
    if len(set(places)) != len(places):
        raise RuntimeError(f'argnums elements must be unique, got {places}')
    return places

def watched(leaf):
    if not isinstance(leaf, torch.Tensor):
        raise ValueError(f'Thing passed to transform API must be Tensor, got {type(leaf)}')
    if not leaf.is_floating_point() and not leaf.is_complex():
        if forward:
            raise ValueError(f'Expected primal to be floating point or complex, but got: {leaf.dtype}')
        raise RuntimeError('only Tensors of floating point dtype can require gradients')
    return leaf.clone() if leaf.requires_grad else leaf.detach().requires_grad_()

def followed(args, places):
    own = [rebuilt(args[k], [watched(leaf) for leaf in leaves(args[k])]) for k in places]
    given = list(args)
    for k, part in zip(places, own):
        given[k] = part
    return own, given, [leaf for part in own for leaf in leaves(part)]

def slopes_of(out, inputs, towards, kept):
    if not out.requires_grad:
        return [torch.zeros_like(leaf) for leaf in inputs]
    found = torch.autograd.grad(out, inputs, towards, retain_graph=True, create_graph=kept, allow_unused=True)
    return [torch.zeros_like(leaf) if slope is None else slope for slope, leaf in zip(found, inputs)]

def pushed(out, inputs, changes, kept):
    if not out.requires_grad:
        return torch.zeros_like(out)
    towards = torch.zeros_like(out).requires_grad_()
    slopes = torch.autograd.grad(out, inputs, towards, retain_graph=True, create_graph=True, allow_unused=True)
    pairs = [(slope, change) for slope, change in zip(slopes, changes) if slope is not None and slope.requires_grad]
    if not pairs:
        return torch.zeros_like(out)
    moved = torch.autograd.grad([slope for slope, _ in pairs], towards, [change for _, change in pairs], retain_graph=True, create_graph=kept, allow_unused=True)[0]
    return torch.zeros_like(out) if moved is None else moved

def only_real(leaves, call, what):
    for k, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor) and leaf.is_complex():
            raise RuntimeError(f'{call}: Expected all {what}s to be real but received complex tensor at flattened input idx: {k}')

def parted(result, call):
    if has_aux and not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f'{call}: output of function f should be a tuple: (output, aux) if has_aux is True')
    return result if has_aux else (result, None)

def of_aux(aux, kept):
    for leaf in leaves(aux):
        if not isinstance(leaf, torch.Tensor):
            raise RuntimeError(f'Expected tensors, got unsupported type {type(leaf)}')
    return settled(aux, kept)

def settled(tree, kept):
    return tree if kept else rebuilt(tree, [leaf.detach() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves(tree)])

def only_tensors(tree, call):
    for leaf in leaves(tree):
        if not isinstance(leaf, torch.Tensor):
            raise RuntimeError(f'{call}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}')
    return leaves(tree)
"
        )
    };
}

/// The slopes of every element of the result, going `forward` from each argument's element or back from each of the result's.
macro_rules! jacobian {
    () => {
        "
def slopes(*args, **kwargs):
    places = chosen(args)
    for k in places:
        for leaf in leaves(args[k]):
            if forward and not isinstance(leaf, torch.Tensor):
                raise AttributeError(f\"'{type(leaf).__name__}' object has no attribute 'numel'\")
    only_real([leaf for k in places for leaf in leaves(args[k])], 'jacfwd' if forward else 'jacrev', 'input')
    with torch.enable_grad():
        own, given, inputs = followed(args, places)
        call = 'jvp(f, primals, tangents)' if forward else 'vjp(f, *primals)'
        value, aux = parted(func(*given, **kwargs), call)
        outs = only_tensors(value, call)
        only_real(outs, 'jacfwd' if forward else 'jacrev', 'output')
        kept = any(leaf.grad_fn is not None for leaf in inputs) or torch._asks_besides(outs, inputs)
        tables = []
        for out in outs:
            if forward:
                table = [[pushed(out, [leaf], [step.reshape(leaf.shape)], kept) for step in torch.eye(leaf.numel(), dtype=leaf.dtype, device=leaf.device)] for leaf in inputs]
                rows = sum(table, [])
                # The elements of the arguments stand first in memory, as if all were followed in one go.
                all_of = torch.stack(rows) if rows else out.new_zeros((0,) + out.shape)
                table = all_of.movedim(0, -1).split([leaf.numel() for leaf in inputs], -1)
                table = [column.unflatten(-1, leaf.shape) if leaf.dim() else column.squeeze(-1) for column, leaf in zip(table, inputs)]
            else:
                rows = [slopes_of(one, inputs, None, kept) for one in out.reshape(-1)]
                table = [torch.stack(column) if column else leaf.new_zeros(0) for column, leaf in zip(zip(*rows) if rows else [()] * len(inputs), inputs)]
                table = [column.reshape(out.shape + leaf.shape) for column, leaf in zip(table, inputs)]
            parts = tuple(rebuilt(part, table) for part in own)
            tables.append(parts if isinstance(argnums, tuple) else parts[0])
    found = rebuilt(value, tables)
    return (found, of_aux(aux, kept)) if has_aux else found

slopes"
    };
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
        "func.jacrev(Any func, Any argnums=0, *, bool has_aux=False, int? chunk_size=None) -> Any",
        "A function of the same arguments that gives how each element of the result of `func` changes with each element of those \
         at `argnums`; with `has_aux`, beside what `func` gives besides.",
        "torch.func.jacrev(torch.sin)(torch.zeros(2))\n# tensor([[1., 0.],\n#         [0., 1.]])",
        concat!("forward = False\n", followed!(), jacobian!()),
    ),
    made(
        "func.jacfwd(Any func, Any argnums=0, bool has_aux=False, *, str randomness=\"error\", int? chunk_size=None) -> Any",
        "As `func.jacrev`.",
        "torch.func.jacfwd(torch.sin)(torch.zeros(2))\n# tensor([[1., 0.],\n#         [0., 1.]])",
        concat!("forward = True\n", followed!(), jacobian!()),
    ),
    made(
        "func.hessian(Any func, Any argnums=0) -> Any",
        "A function of the same arguments that gives how the slopes of `func` change with each element of those at `argnums`.",
        "torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))\n# tensor([[ 6.,  0.],\n#         [ 0., 12.]])",
        "torch.func.jacfwd(torch.func.jacrev(func, argnums), argnums)",
    ),
    made(
        "func.vjp(Any func, Any[] primals=[], *, bool has_aux=False) -> Any",
        "What `func` gives for the arguments, and a function from gradients of that to gradients of the arguments.",
        "out, back = torch.func.vjp(torch.exp, torch.zeros(2))\nback(torch.tensor([3., 4.]))  # (tensor([3., 4.]),)",
        VJP,
    )
    .variadic(),
    made(
        "func.jvp(Any func, Any primals, Any tangents, *, bool strict=False, bool has_aux=False) -> Any",
        "What `func` gives for the arguments `primals`, and how it changes when they change by `tangents`.",
        "torch.func.jvp(torch.exp, (torch.zeros(2),), (torch.tensor([3., 4.]),))  # (tensor([1., 1.]), tensor([3., 4.]))",
        JVP,
    ),
    made(
        "func.linearize(Any func, Any[] primals=[]) -> Any",
        "What `func` gives for the arguments, and a function from changes of these to the change of that.",
        "out, change = torch.func.linearize(torch.exp, torch.zeros(2))\nchange(torch.tensor([3., 4.]))  # tensor([3., 4.])",
        concat!(
            trees!(),
            "
def pushed(*tangents):
    for k, (tangent, primal) in enumerate(zip(leaves(tangents), leaves(primals))):
        for what in ('shape', 'dtype'):
            if getattr(tangent, what) != getattr(primal, what):
                raise RuntimeError(f\"tangent:{k} with {what} {getattr(tangent, what)} in flattened pytree doesn't match the {what} {getattr(primal, what)} of the corresponding primal.\")
    return torch.func.jvp(func, primals, tangents)[1]

torch.func.jvp(func, primals, primals)[0], pushed"
        ),
    )
    .variadic(),
];

const GRAD_AND_VALUE: &str = concat!(
    "forward = False\n",
    followed!(),
    "
def slopes(*args, **kwargs):
    places = chosen(args)
    with torch.enable_grad():
        own, given, inputs = followed(args, places)
        value, aux = parted(func(*given, **kwargs), 'grad_and_value(f)(*args)')
        if not isinstance(value, torch.Tensor):
            raise RuntimeError(f'grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}')
        if value.dim() != 0:
            raise RuntimeError(f'grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {value.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?')
        kept = any(leaf.grad_fn is not None for leaf in inputs) or torch._asks_besides(value, inputs)
        found = slopes_of(value, inputs, None, kept)
    value, aux = settled(value, kept), of_aux(aux, kept) if has_aux else None
    found = tuple(rebuilt(part, found) for part in own)
    return found if isinstance(argnums, tuple) else found[0], (value, aux) if has_aux else value

slopes"
);

const VJP: &str = concat!(
    "argnums, forward = 0, False\n",
    followed!(),
    "
with torch.enable_grad():
    own, given, inputs = followed(primals, range(len(primals)))
    value, aux = parted(func(*given), 'vjp(f, *primals)')
    outs = only_tensors(value, 'vjp(f, *primals)')
    kept = any(leaf.grad_fn is not None for leaf in inputs) or torch._asks_besides(outs, inputs)

def shown(tree):
    if isinstance(tree, dict):
        return '{' + ', '.join(f'{key!r}: {shown(part)}' for key, part in tree.items()) + '}'
    if isinstance(tree, tuple):
        return '(' + ', '.join(shown(part) for part in tree) + (',)' if len(tree) == 1 else ')')
    return '*' if is_leaf(tree) else '[' + ', '.join(shown(part) for part in tree) + ']'

def back(cotangents):
    if shown(cotangents) != shown(value):
        raise RuntimeError(f'Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. cotangents: {shown(cotangents)}, primal output: {shown(value)}')
    with torch.enable_grad():
        rows = [slopes_of(out, inputs, towards, kept or towards.requires_grad) for out, towards in zip(outs, leaves(cotangents))]
    total = [sum(column[1:], column[0]) for column in zip(*rows)]
    return tuple(rebuilt(part, total) for part in own)

(settled(value, kept), back, of_aux(aux, kept)) if has_aux else (settled(value, kept), back)"
);

const JVP: &str = concat!(
    "argnums, forward = 0, True\n",
    followed!(),
    "
call = 'jvp(f, primals, tangents)'
if not isinstance(primals, tuple):
    raise RuntimeError(f'{call}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).')

if structure(primals) != structure(tangents):
    raise RuntimeError(f'{call}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {structure(primals)} and tangents with structure {structure(tangents)}')
for name, tree in (('primals', primals), ('tangents', tangents)):
    if not leaves(tree):
        raise RuntimeError(f'{call}: Expected {name} to contain at least one Tensor.')
    for leaf in leaves(tree):
        if not isinstance(leaf, torch.Tensor):
            raise RuntimeError(f'{call}: Expected {name} to only contain Tensors, got {type(leaf)}')
for leaf, change in zip(leaves(primals), leaves(tangents)):
    if leaf.shape != change.shape:
        raise RuntimeError(f'Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. Tensor is of size {list(leaf.shape)} while the given forward gradient is of size {list(change.shape)}.')
with torch.enable_grad():
    own, given, inputs = followed(primals, range(len(primals)))
    value, aux = parted(func(*given), call)
    outs = only_tensors(value, call)
    kept = any(leaf.grad_fn is not None for leaf in inputs) or any(change.requires_grad for change in leaves(tangents)) or torch._asks_besides(outs, inputs)
    changes = [pushed(out, inputs, leaves(tangents), kept) for out in outs]
    value = rebuilt(value, [torch._as_alias(out) for out in outs])
change = settled(rebuilt(value, changes), kept)
(settled(value, kept), change, of_aux(aux, kept)) if has_aux else (settled(value, kept), change)"
);
