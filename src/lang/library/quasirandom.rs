//! `torch.quasirandom`: points that fill a cube evenly.

use super::construct::{self, Unless};
use super::written::{Written, attribute, method};
use crate::value::Value;

const MODULE: &str = "torch.quasirandom";

/// A Sobol sequence. The numbers of a dimension follow from its polynomial, whose coefficients but for the first and the last are
/// the bits of a number, and from the first of its numbers; both are those of Joe and Kuo, here for as many dimensions as there are rows.
static ENGINE: Written = Written {
    name: "SobolEngine",
    module: MODULE,
    base: None,
    settings: &[("dimension", Unless::Required), ("scramble", Unless::Bool(false)), ("seed", Unless::None)],
    holds: &["dimension", "scramble", "seed", "sobolstate", "shift", "quasi", "num_generated", "_first_point"],
    make: concat!(
        "KNOWN = [",
        "\
(0, [1]), (1, [1, 3]), (1, [1, 3, 1]), (2, [1, 1, 1]), (1, [1, 1, 3, 3]), (4, [1, 3, 5, 13]), (2, [1, 1, 5, 5, 17]),
(4, [1, 1, 5, 5, 5]), (7, [1, 1, 7, 11, 19]), (11, [1, 1, 5, 1, 1]), (13, [1, 1, 1, 3, 11]), (14, [1, 3, 5, 5, 31]),
(1, [1, 3, 3, 9, 7, 49]), (13, [1, 1, 1, 15, 21, 21]), (16, [1, 3, 1, 13, 27, 49]), (19, [1, 1, 1, 15, 7, 5]),
(22, [1, 3, 1, 15, 13, 25]), (25, [1, 1, 5, 5, 19, 61]), (1, [1, 3, 7, 11, 23, 15, 103]), (4, [1, 3, 7, 13, 13, 15, 69]),
(7, [1, 1, 3, 13, 7, 35, 63]), (8, [1, 3, 5, 9, 1, 25, 53]), (14, [1, 3, 1, 13, 9, 35, 107]), (19, [1, 3, 1, 5, 27, 61, 31]),
(21, [1, 1, 5, 11, 19, 41, 61]), (28, [1, 3, 5, 3, 3, 13, 69]), (31, [1, 1, 7, 13, 1, 19, 1]),
(32, [1, 3, 7, 5, 13, 19, 59]), (37, [1, 1, 3, 9, 25, 29, 41]), (41, [1, 3, 5, 13, 23, 1, 55]),
(42, [1, 3, 7, 3, 13, 59, 17]), (50, [1, 3, 1, 3, 5, 53, 69]), (55, [1, 1, 5, 5, 23, 33, 13]),
(56, [1, 1, 7, 7, 1, 61, 123]), (59, [1, 1, 7, 9, 13, 61, 49]), (62, [1, 3, 3, 5, 3, 55, 33]),
(14, [1, 3, 1, 15, 31, 13, 49, 245]), (21, [1, 3, 5, 15, 31, 59, 63, 97]), (22, [1, 3, 1, 11, 11, 11, 77, 249]),
(38, [1, 3, 1, 11, 27, 43, 71, 9]), (47, [1, 1, 7, 15, 21, 11, 81, 45]), (49, [1, 3, 7, 3, 25, 31, 65, 79]),
(50, [1, 3, 1, 1, 19, 11, 3, 205]), (52, [1, 1, 5, 9, 19, 21, 29, 157]), (56, [1, 3, 7, 11, 1, 33, 89, 185]),
(67, [1, 3, 3, 3, 15, 9, 79, 71]), (70, [1, 3, 7, 11, 15, 39, 119, 27]), (84, [1, 1, 3, 1, 11, 31, 97, 225]),
(97, [1, 1, 1, 3, 23, 43, 57, 177]), (103, [1, 3, 7, 7, 17, 17, 37, 71]), (115, [1, 3, 1, 5, 27, 63, 123, 213]),
(122, [1, 1, 3, 5, 11, 43, 53, 133]), (8, [1, 3, 5, 5, 29, 17, 47, 173, 479]), (13, [1, 3, 3, 11, 3, 1, 109, 9, 69]),
(16, [1, 1, 1, 5, 17, 39, 23, 5, 343]), (22, [1, 3, 1, 5, 25, 15, 31, 103, 499]), (25, [1, 1, 1, 11, 11, 17, 63, 105, 183]),
(44, [1, 1, 5, 11, 9, 29, 97, 231, 363]), (47, [1, 1, 5, 15, 19, 45, 41, 7, 383])",
        "]\n",
        "\
if dimension > 21201 or dimension < 1:
    raise ValueError('Supported range of dimensionality for SobolEngine is [1, 21201]')
if dimension > len(KNOWN) + 1:
    raise NotImplementedError(f'SobolEngine knows the numbers of {len(KNOWN) + 1} dimensions here, not of {dimension}')
state = [[1 << 29 - k for k in range(30)]]
for polynomial, first in KNOWN[:dimension - 1]:
    numbers, degree = list(first), len(first)
    for k in range(degree, 30):
        number = numbers[k - degree] ^ (numbers[k - degree] << degree)
        for i in range(1, degree):
            number ^= (polynomial >> degree - 1 - i & 1) * (numbers[k - i] << i)
        numbers.append(number)
    state.append([number << 29 - k for k, number in enumerate(numbers)])
state = torch.tensor(state, dtype=torch.int64)
shift = torch.zeros(dimension, dtype=torch.int64)
if scramble:
    g = None if seed is None else torch.Generator().manual_seed(seed)
    shift = torch.randint(2, (dimension, 30), generator=g) @ (2 ** torch.arange(30))
    mixed = torch.randint(2, (dimension, 30, 30), generator=g).tril()
    mixed.diagonal(0, -2, -1).fill_(1)
    bits = state[:, :, None] >> torch.arange(30) & 1
    state = (bits @ mixed.flip(-1).mT % 2 * 2 ** torch.arange(29, -1, -1)).sum(-1)
[dimension, scramble, seed, state, shift, shift.clone(), 0, (shift / 2 ** 30).reshape(1, -1)]"
    ),
    members: &[
        attribute("MAXBIT", "30"),
        attribute("MAXDIM", "21201"),
        attribute(
            "__repr__",
            "'SobolEngine(' + ', '.join([f'dimension={dimension}'] + ['scramble=True'] * bool(scramble) + ([] if seed is None else [f'seed={seed}'])) + ')'",
        ),
        method(
            "_walk",
            &[("n", Unless::Required), ("start", Unless::Required)],
            "\
columns, at, points = sobolstate.t().tolist(), quasi.tolist(), []
for k in range(start, start + n):
    turned = columns[(k ^ (k + 1)).bit_length() - 1]
    at = [a ^ b for a, b in zip(at, turned)]
    points.append(at)
self.quasi = torch.tensor(at, dtype=torch.int64)
points",
        ),
        method(
            "draw",
            DRAWN,
            "\
dtype = torch.get_default_dtype() if dtype is None else dtype
first = num_generated == 0
points = self._walk(n - 1 if first else n, 0 if first else num_generated - 1)
result = torch.tensor(points, dtype=torch.int64).reshape(len(points), dimension).to(dtype) * 2 ** -30
result = torch.cat((_first_point.to(dtype), result), dim=-2) if first else result
self.num_generated = num_generated + n
result if out is None else out.resize_as_(result).copy_(result)",
        ),
        method(
            "draw_base2",
            &[("m", Unless::Required), ("out", Unless::None), ("dtype", Unless::None)],
            "\
n = 2 ** m
total = num_generated + n
if total & (total - 1) != 0:
    raise ValueError(f'The balance properties of Sobol\\' points require n to be a power of 2. {num_generated} points have been previously generated, then: n={num_generated}+2**{m}={total}. If you still want to do this, please use \\'SobolEngine.draw()\\' instead.')
self.draw(n=n, out=out, dtype=dtype)",
        ),
        method("reset", &[], "quasi.copy_(shift)\nself.num_generated = 0\nself"),
        method(
            "fast_forward",
            &[("n", Unless::Required)],
            "\
if n != 0:
    first = num_generated == 0
    self._walk(n - 1 if first else n, 0 if first else num_generated - 1)
    self.num_generated = num_generated + n
self",
        ),
    ],
};

const DRAWN: construct::Settings = &[("n", Unless::Int(1)), ("out", Unless::None), ("dtype", Unless::None)];

/// What is in the module; none for another one.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    (module == MODULE).then(|| vec![(ENGINE.name, construct::class(&ENGINE))])
}
