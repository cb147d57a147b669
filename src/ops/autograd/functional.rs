//! `torch.autograd.functional`: derivatives of functions, and a check of them, as texts of the language.

use super::functions::text;

/// The tensors of arguments and results, and the sentences about what is none, for the function `$name`.
macro_rules! tensors {
    ($name:literal) => {
        concat!(
            "def tensors(values, role):
    if not isinstance(values, tuple):
        if not isinstance(values, torch.Tensor):
            raise TypeError(f'The {role} given to ",
            $name,
            " must be either a Tensor or a tuple of Tensors but the given {role} has type {type(values)}.')
        return (values,)
    for i, value in enumerate(values):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f'The {role} given to ",
            $name,
            " must be either a Tensor or a tuple of Tensors but the value at index {i} has type {type(value)}.')
    return values
results, several = 'outputs of the user-provided function', isinstance(inputs, tuple)
"
        )
    };
}

/// Fails where a vector does not have the sizes of what it belongs to.
macro_rules! fits {
    () => {
        "
def fits(vs, others, several):
    if len(vs) != len(others):
        raise RuntimeError(f'v is a tuple of invalid length: should be {len(others)} but got {len(vs)}.' if several else 'The given v should contain a single Tensor.')
    for i, (w, other) in enumerate(zip(vs, others)):
        if w.size() != other.size():
            start = f'Entry {i} in v' if several else 'v'
            raise RuntimeError(f'{start} has invalid size: should be {other.size()} but got {w.size()}.')
"
    };
}

const VJP: &str = concat!(tensors!("vjp"), "with torch.enable_grad():
    xs = [x if create_graph and x.requires_grad else x.detach().clone().requires_grad_() for x in tensors(inputs, 'inputs')]
    result = func(*xs)
outs = tensors(result, results)
if v is None and (len(outs) > 1 or outs[0].numel() != 1):
    raise RuntimeError('The vector v can only be None if the user-provided function returns a single Tensor with a single element.')
vs = None if v is None else list(v) if isinstance(v, tuple) else [v]
", fits!(), "fits(outs if vs is None else vs, outs, isinstance(result, tuple))
found = torch.autograd.grad(outs, xs, vs, create_graph=create_graph, allow_unused=True)
found = tuple(torch.zeros_like(x) if g is None else g for x, g in zip(xs, found))
outs = outs if create_graph else tuple(out.detach() for out in outs)
(outs if isinstance(result, tuple) else outs[0], found if several else found[0])");

const JVP: &str = concat!(tensors!("jvp"), "xs = tensors(inputs, 'inputs')
vs = v if isinstance(v, tuple) else (v,)
if v is None:
    if len(xs) > 1 or xs[0].numel() != 1:
        raise RuntimeError('The vector v can only be None if the input to the user-provided function is a single Tensor with a single element.')
    vs = (torch.ones_like(xs[0]),)
", fits!(), "fits(vs, xs, several)
with torch.enable_grad():
    xs = [x if create_graph and x.requires_grad else x.detach().clone().requires_grad_() for x in xs]
    result = func(*xs)
    outs = tensors(result, results)
    towards = [torch.zeros_like(out).requires_grad_() for out in outs]
    asked = [out for out in outs if out.requires_grad]
    slopes = torch.autograd.grad(asked, xs, [t for t, out in zip(towards, outs) if out.requires_grad], create_graph=True, allow_unused=True) if asked else []
    pairs = [(slope, w) for slope, w in zip(slopes, vs) if slope is not None and slope.requires_grad]
    moved = torch.autograd.grad([slope for slope, _ in pairs], towards, [w for _, w in pairs], create_graph=create_graph, allow_unused=True) if pairs else [None] * len(outs)
moved = tuple(torch.zeros_like(out) if m is None else m for m, out in zip(moved, outs))
outs = outs if create_graph else tuple(out.detach() for out in outs)
(outs, moved) if isinstance(result, tuple) else (outs[0], moved[0])");

const GRADCHECK: &str = "xs = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
asked = [k for k, x in enumerate(xs) if isinstance(x, torch.Tensor) and x.requires_grad]
if not asked:
    raise ValueError('gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.')
if any(xs[k].is_complex() for k in asked):
    raise NotImplementedError('tsr checks gradients of real numbers only')
for k in asked:
    if xs[k].dtype != torch.float64:
        torch._warn(f'Input #{k} requires gradient and is not a double precision floating point or complex. This check will likely fail if all the inputs are not of double precision floating point or complex. ')
results = lambda *ts: [out for out in ((lambda r: r if isinstance(r, (tuple, list)) else [r])(func(*ts))) if isinstance(out, torch.Tensor)]
outs = results(*xs)
message = None
for j, out in enumerate(outs):
    for k in asked:
        x = xs[k]
        rows = [torch.autograd.grad(one, x, retain_graph=True, allow_unused=True)[0] if one.requires_grad else None for one in out.reshape(-1)]
        exact = torch.stack([torch.zeros_like(x).reshape(-1) if row is None else row.detach().reshape(-1) for row in rows], 1) if rows else x.new_zeros(x.numel(), 0)
        steps = []
        with torch.no_grad():
            for place in range(x.numel()):
                sides = []
                for step in (eps, -eps):
                    moved = x.detach().clone().contiguous()
                    moved.view(-1)[place] += step
                    sides.append(results(*[moved if i == k else t for i, t in enumerate(xs)])[j].reshape(-1))
                steps.append((sides[0] - sides[1]) / (2 * eps))
        numeric = torch.stack(steps) if steps else exact
        if message is None and not torch.allclose(exact, numeric.to(exact.dtype), rtol, atol):
            message = f'Jacobian mismatch for output {j} with respect to input {k},\\nnumerical:{numeric}\\nanalytical:{exact}\\n'
if message is not None and raise_exception:
    raise torch._C._GradcheckError(message)
message is None";

const JACOBIAN: &str = concat!(tensors!("jacobian"), "with torch.enable_grad():
    xs = [x if create_graph and x.requires_grad else x.detach().clone().requires_grad_() for x in tensors(inputs, 'inputs')]
    result = func(*xs)
    outs = tensors(result, results)
    found = []
    for out in outs:
        rows = [[] for _ in xs]
        for one in out.reshape(-1):
            grads = torch.autograd.grad(one, xs, retain_graph=True, create_graph=create_graph, allow_unused=True) if one.requires_grad else [None] * len(xs)
            for row, grad, x in zip(rows, grads, xs):
                row.append(torch.zeros_like(x) if grad is None else grad)
        found.append(tuple(torch.stack(row).reshape(out.shape + x.shape) for row, x in zip(rows, xs)))
found = found if several else [f[0] for f in found]
tuple(found) if isinstance(result, tuple) else found[0]");

const HESSIAN: &str = concat!(
    tensors!("hessian"),
    "tensors(inputs, 'inputs')
def slopes(*xs):
    value = func(*xs)
    tensors(value, results)
    if isinstance(value, tuple):
        raise RuntimeError('The function given to hessian should return a single Tensor')
    if value.numel() != 1:
        raise RuntimeError('The Tensor returned by the function given to hessian should contain a single element')
    grads = torch.autograd.grad(value, xs, create_graph=True)
    return grads if isinstance(inputs, tuple) else grads[0]
torch.autograd.functional.jacobian(slopes, inputs, create_graph=create_graph)"
);

/// The product of a vector and the slopes' slopes, which are the same from both sides.
macro_rules! curvature {
    ($name:literal) => {
        concat!(
            tensors!($name),
            fits!(),
            "with torch.enable_grad():
    xs = tuple(x if create_graph and x.requires_grad else x.detach().clone().requires_grad_() for x in tensors(inputs, 'inputs'))
    if v is not None:
        vs = tensors(v, 'v')
        fits(vs, xs, several)
    elif len(xs) != 1 or xs[0].numel() != 1:
        raise RuntimeError('The vector v can only be None if the input to the user-provided function is a single Tensor with a single element.')
    else:
        vs = (torch.ones_like(xs[0]),)
    out = func(*xs)
    tensors(out, results)
    if isinstance(out, tuple):
        raise RuntimeError('The function given to ",
            $name,
            " should return a single Tensor')
    if out.numel() != 1:
        raise RuntimeError('The Tensor returned by the function given to ",
            $name,
            " should contain a single element')
    slopes = torch.autograd.grad(out, xs, create_graph=True, allow_unused=True) if out.requires_grad else (None,) * len(xs)
    pairs = [(slope, w) for slope, w in zip(slopes, vs) if slope is not None and slope.requires_grad]
    found = torch.autograd.grad([slope for slope, _ in pairs], xs, [w for _, w in pairs], create_graph=create_graph, allow_unused=True) if pairs else (None,) * len(xs)
found = tuple(torch.zeros_like(x) if g is None else g for g, x in zip(found, xs))
(out if create_graph else out.detach(), found if several else found[0])"
        )
    };
}

rows![
    text(
        "autograd.functional.jacobian(Any func, Any inputs, Any create_graph=False, bool strict=False, bool vectorize=False, str strategy=\"reverse-mode\") -> Any",
        "How each element of a function's result changes with each element of its arguments.",
        "torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))\n# tensor([[2., 0.],\n#         [0., 4.]])",
        JACOBIAN,
    ),
    text(
        "autograd.functional.hessian(Any func, Any inputs, Any create_graph=False, bool strict=False, bool vectorize=False, str outer_jacobian_strategy=\"reverse-mode\") -> Any",
        "How the slopes of a function that gives one number change with its arguments.",
        "torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))\n# tensor([[ 6.,  0.],\n#         [ 0., 12.]])",
        HESSIAN,
    ),
    text(
        "autograd.functional.vjp(Any func, Any inputs, Any v=None, Any create_graph=False, bool strict=False) -> Any",
        "What a function gives, and the gradients of its arguments for the gradient `v` of that.",
        "torch.autograd.functional.vjp(lambda x: x ** 2, torch.tensor([1., 2.]), torch.ones(2))\n# (tensor([1., 4.]), tensor([2., 4.]))",
        VJP,
    ),
    text(
        "autograd.functional.jvp(Any func, Any inputs, Any v=None, Any create_graph=False, bool strict=False) -> Any",
        "What a function gives, and how it changes when its arguments change by `v`.",
        "torch.autograd.functional.jvp(lambda x: x ** 2, torch.tensor([1., 2.]), torch.ones(2))\n# (tensor([1., 4.]), tensor([2., 4.]))",
        JVP,
    ),
    text(
        "autograd.gradcheck(Any func, Any inputs, *, float eps=1e-06, float atol=1e-05, float rtol=0.001, bool raise_exception=True, float nondet_tol=0.0, bool check_undefined_grad=True, bool check_grad_dtypes=False, bool check_batched_grad=False, bool fast_mode=False) -> Any",
        "True where the gradients of a function are what small steps of its arguments say; fails where they are not.",
        "torch.autograd.gradcheck(lambda x: x ** 2, torch.ones(2, dtype=torch.float64, requires_grad=True))\n# True",
        GRADCHECK,
    ),
    text(
        "autograd.functional.hvp(Any func, Any inputs, Any v=None, Any create_graph=False, bool strict=False) -> Any",
        "What a function that gives one number gives, and the product of its second derivatives and the vector `v`.",
        "torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.ones(2))\n# (tensor(9.), tensor([ 6., 12.]))",
        curvature!("hvp"),
    ),
    text(
        "autograd.functional.vhp(Any func, Any inputs, Any v=None, Any create_graph=False, bool strict=False) -> Any",
        "As `hvp`, with the vector on the left.",
        "torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.ones(2))\n# (tensor(9.), tensor([ 6., 12.]))",
        curvature!("vhp"),
    ),
];
