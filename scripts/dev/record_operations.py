#!/usr/bin/env python3
"""Records what PyTorch gives for random calls of views, joins, indices, gathers and scatters.

    python3 scripts/dev/record_operations.py > tests/goldens/operations.txt      needs torch

The file holds helpers, a line of dashes, then pairs of lines: an expression, and what `tell` prints for it (dtype, size, strides,
offset, elements) or the class of the exception it raises. The test runs the same expressions with tsr and compares.
"""
import random
import warnings

import torch

warnings.simplefilter("ignore")
random.seed(20)

HELPERS = '''\
import torch

def t(count, size, stride, offset, dtype=torch.int64):
    return (torch.arange(count) % 11).to(dtype).as_strided(size, stride, offset)

def put(x, index, value):
    x[index] = value
    return x

def tell(f):
    try:
        r = f()
    except Exception as e:
        print(type(e).__name__)
        return
    parts = r if isinstance(r, tuple) else (r,)
    print('; '.join([f'{p.dtype} {tuple(p.shape)} {p.stride()} {p.storage_offset()} {p.tolist()}' for p in parts]))
'''

pick = random.choice
between = random.randint


def chance(p):
    return random.random() < p


def sizes(most=3):
    return [pick([0, 1, 1, 2, 2, 3, 4]) if chance(0.3) else between(1, 3) for _ in range(between(0, most))]


def tensor(size, dtype=None, repeats=True):
    """Some layout of this size: permuted, spread, expanded, from any cell."""
    order = list(range(len(size)))
    if chance(0.5):
        random.shuffle(order)
    strides, step = [1] * len(size), pick([1, 1, 2])
    for k in reversed(order):
        strides[k] = 0 if repeats and chance(0.08) else step
        step *= max(size[k], 1)
    offset = pick([0, 0, 1, 2])
    count = offset + 1 if 0 in size else offset + 1 + sum((n - 1) * s for n, s in zip(size, strides))
    dtype = dtype or pick(["int64", "int64", "float32", "int32", "bool", "float64", "uint8"])
    kind = "" if dtype == "int64" else f", torch.{dtype}"
    return f"t({count}, {tuple(size)}, {tuple(strides)}, {offset}{kind})"


def dim(count):
    return between(-count, count - 1) if count and chance(0.94) else between(-count - 1, count)


def ints(low, high, size, dtype="int64"):
    def fill(rest):
        return [fill(rest[1:]) for _ in range(rest[0])] if rest else (between(low, high) if low <= high else 0)

    text = f"torch.tensor({fill(size)}, dtype=torch.{dtype})"
    return text if 0 not in size else f"torch.zeros({tuple(size)}, dtype=torch.{dtype})"


def regrouped(size):
    factors = [f for n in size for f in ([2, 2] if n == 4 else [n])]
    if chance(0.4):
        random.shuffle(factors)
    groups = []
    for f in factors:
        if groups and chance(0.4):
            groups[-1] *= f
        else:
            groups.append(f)
    if groups and chance(0.2):
        groups[between(0, len(groups) - 1)] = pick([-1, -1, 7])
    return tuple(groups)


def views():
    size = sizes(4)
    n, x, d = len(size), tensor(size), lambda: dim(len(size))
    return pick([
        lambda: f"{x}.transpose({d()}, {d()})", lambda: f"{x}.T", lambda: f"{x}.mT", lambda: f"{x}.t()",
        lambda: f"{x}.permute({random.sample(range(n), n)})", lambda: f"{x}.movedim({d()}, {d()})",
        lambda: f"{x}.unsqueeze({dim(n + 1)})", lambda: f"{x}.squeeze()", lambda: f"{x}.squeeze({d()})",
        lambda: f"{x}.flatten({d()}, {d()})", lambda: f"{x}.select({d()}, {between(-3, 2)})",
        lambda: f"{x}.narrow({d()}, {between(-2, 2)}, {between(0, 2)})", lambda: f"{x}.diagonal({between(-2, 2)}, {d()}, {d()})",
        lambda: f"{x}.unfold({d()}, {between(0, 3)}, {between(1, 3)})", lambda: f"{x}.view({regrouped(size)})",
        lambda: f"{x}.reshape({regrouped(size)})", lambda: f"{x}.unflatten({d()}, {regrouped([4])})",
        lambda: f"{x}.expand({[between(1, 2)] + [between(0, 3) if s == 1 else pick([s, -1]) for s in size]})",
        lambda: f"{x}.split({between(0, 3)}, {d()})", lambda: f"{x}.chunk({between(0, 4)}, {d()})",
        lambda: f"{x}.tensor_split({between(0, 4)}, {d()})", lambda: f"{x}.tensor_split([{between(-2, 2)}, {between(-2, 4)}], {d()})",
        lambda: f"{x}.unbind({d()})", lambda: f"{x}.contiguous()", lambda: f"{x}.clone()", lambda: f"{x}.ravel()",
        lambda: f"{x}.view(torch.{pick(['int16', 'float32', 'int64', 'uint8'])})",
    ])()


def shapes():
    size = sizes(3)
    n, x, d = len(size), tensor(size), dim(len(size))
    other = [between(0, 2) if n and k == d % n else s for k, s in enumerate(size)]
    return pick([
        lambda: f"{x}.flip({d})", lambda: f"{x}.roll({between(-3, 3)}, {d})", lambda: f"{x}.roll({between(-3, 3)})",
        lambda: f"torch.rot90({x}, {between(-1, 4)}, [{d}, {dim(n)}])", lambda: f"{x}.repeat({[between(0, 2) for _ in range(n + 1)]})",
        lambda: f"{x}.tile({[between(0, 2) for _ in range(between(0, n))]})", lambda: f"torch.atleast_3d({x})",
        lambda: f"{x}.repeat_interleave({between(0, 2)}, {d})", lambda: f"torch.cat([{x}, {tensor(other)}], {d})",
        lambda: f"torch.stack([{x}, {tensor(size)}], {dim(n + 1)})", lambda: f"torch.hstack([{x}, {tensor(size)}])",
        lambda: f"torch.vstack([{x}, {tensor(size)}])", lambda: f"torch.column_stack([{x}, {tensor(size)}])",
        lambda: f"{x}.tril({between(-2, 2)})", lambda: f"{x}.triu({between(-2, 2)})", lambda: f"torch.diag({x}, {between(-2, 2)})",
        lambda: f"torch.diag_embed({x}, {between(-1, 1)})", lambda: f"torch.block_diag({x}, {tensor(sizes(2))})",
        lambda: f"torch.broadcast_tensors({x}, {tensor(size[1:])})",
        lambda: f"{x}.select_scatter({tensor(size[1:], 'int64')}, 0, {between(-2, 1)})",
    ])()


def item(size, shape):
    return pick([
        lambda: str(between(-size, size - 1) if size else 0), lambda: pick([":", "1:", ":-1", "::2", "-2:"]), lambda: ":",
        lambda: ints(-size, size - 1, shape, pick(["int64", "int64", "int32"])), lambda: str([between(-size, size - 1) if size else 0 for _ in range(2)]),
        lambda: str([chance(0.5) for _ in range(size)]), lambda: pick(["None", "True", "...", f"range({size})", str(size)]),
    ])()


def index(size):
    shape = pick([[2], [1], [2, 2], [0]])
    return ", ".join(item(n, shape) for n in size[: between(1, 3)]) or pick(["None", "...", "()", "True", "0"])


def gets():
    size = sizes()
    return f"{tensor(size)}[{index(size)}]"


def keyed(text):
    """The index as an argument: slices spelled out."""
    parts = []
    for part in text.split(", ") if "[" not in text and "(" not in text else []:
        bounds = [p or "None" for p in part.split(":")]
        parts.append(f"slice({', '.join(bounds)})" if ":" in part else part)
    return f"({', '.join(parts)},)" if parts else None


def puts():
    # For a number written by a list of indices into an empty dimension, PyTorch complains about the storage, by chance.
    size = [max(n, 1) for n in sizes()]
    x, key = tensor(size, repeats=False), None
    if chance(0.5):
        key = keyed(index(size))
    key = key or pick([ints(-2, 1, [2]), f"({ints(0, 1, [2])}, {ints(0, 1, [1])})", f"{tensor(size, 'bool', False)}", "[0]", "(..., 0)"])
    value = pick(["5", "-1", "2.5", "True", tensor([], None), tensor(size[1:]), tensor([1]), tensor([2])])
    return f"put({x}, {key}, {value})"


def along():
    size = [between(1, 3) for _ in range(between(1, 3))]
    n, kind = len(size), pick(["int64", "float32", "float64", "int32"])
    d, x = between(-n, n - 1), tensor(size, kind, False)
    k = d % n
    walked = [between(0, s) if j != k else between(0, 3) for j, s in enumerate(size)]
    slices = [s if j != k else 2 for j, s in enumerate(size)]
    low = 0 if chance(0.95) else -1
    i, places = ints(low, size[k] - 1, walked), ints(low, size[k] - 1, [2])
    src, source = tensor(walked, kind, False), tensor(slices, kind, False)
    how, self_ = pick(["sum", "prod", "mean", "amax", "amin"]), pick(["True", "False"])
    return pick([
        lambda: f"{x}.gather({d}, {i})", lambda: f"{x}.scatter({d}, {i}, {src})", lambda: f"{x}.scatter_add({d}, {i}, {src})",
        lambda: f"{x}.scatter({d}, {i}, 7)", lambda: f"{x}.scatter_reduce({d}, {i}, {src}, '{how}', include_self={self_})",
        lambda: f"{x}.index_select({d}, {places})", lambda: f"{x}.index_add({d}, {places}, {source})",
        lambda: f"{x}.index_copy_({d}, {places}, {source})", lambda: f"{x}.index_fill({d}, {places}, -1)",
        lambda: f"{x}.index_put_(({ints(0, size[0] - 1, [3])},), {tensor(size[1:], kind)}, accumulate=True)",
        lambda: f"{x}.take({ints(-2, 1, [2, 2])})", lambda: f"{x}.put_({ints(0, 1, [2])}, {tensor([2], kind)})",
        lambda: f"{x}.masked_fill({tensor(size, 'bool')}, 3)", lambda: f"{x}.masked_select({tensor(size, 'bool')})",
        lambda: f"{x}.masked_scatter_({tensor(size, 'bool')}, {tensor([30], kind)})", lambda: f"{x}.nonzero()",
        lambda: f"torch.take_along_dim({x}, {ints(-2, 3, slices)}, {d})",
    ])()


def main():
    scope = {}
    exec(HELPERS, scope)
    print(HELPERS + "---")
    seen = set()
    for make, count in ((views, 600), (shapes, 400), (gets, 500), (puts, 300), (along, 500)):
        while count:
            text = make()
            if text in seen:
                continue
            seen.add(text)
            print(text)
            eval(f"tell(lambda: {text})", scope)
            count -= 1


main()
