//! Functions of `statistics` as texts of the language.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::types::call::Call;
use crate::value::{CallArgs, Outcome};

/// A function: its name, its parameters, and the text of its result.
struct Written {
    name: &'static str,
    takes: Settings,
    run: &'static str,
}

const PAIR: Settings = &[("x", Unless::Required), ("y", Unless::Required)];

/// A text about pairs of numbers: what refuses them, their means, and then the result.
macro_rules! of_pairs {
    ($name:literal, $result:literal) => {
        concat!(
            "\
from math import fsum, sqrt
from statistics import StatisticsError
n = len(x)
if len(y) != n:
    raise StatisticsError('",
            $name,
            " requires that both inputs have same number of data points')
if n < 2:
    raise StatisticsError('",
            $name,
            " requires at least two data points')
xbar, ybar = fsum(x) / n, fsum(y) / n
",
            $result
        )
    };
}

const FUNCTIONS: &[Written] = &[
    Written {
        name: "correlation",
        takes: PAIR,
        run: of_pairs!(
            "correlation",
            "\
sxy = fsum((a - xbar) * (b - ybar) for a, b in zip(x, y))
below = sqrt(fsum((a - xbar) * (a - xbar) for a in x) * fsum((b - ybar) * (b - ybar) for b in y))
if not below:
    raise StatisticsError('at least one of the inputs is constant')
sxy / below"
        ),
    },
    Written {
        name: "covariance",
        takes: PAIR,
        run: of_pairs!("covariance", "fsum((a - xbar) * (b - ybar) for a, b in zip(x, y)) / (n - 1)"),
    },
    Written {
        name: "fmean",
        takes: &[("data", Unless::Required), ("weights", Unless::None)],
        run: "\
from math import fsum
from statistics import StatisticsError
data = list(data)
if weights is None:
    weights, above, below = [], fsum(data), len(data)
    if not data:
        raise StatisticsError('fmean requires at least one data point')
else:
    weights = list(weights)
    above, below = fsum(a * b for a, b in zip(data, weights)), fsum(weights)
    if len(data) != len(weights):
        raise StatisticsError('data and weights must be the same length')
    if not below:
        raise StatisticsError('sum of weights must be non-zero')
above / below",
    },
    Written {
        name: "geometric_mean",
        takes: &[("data", Unless::Required)],
        run: "\
from math import exp, log
from statistics import StatisticsError, fmean
try:
    found = exp(fmean([log(x) for x in data]))
except ValueError:
    raise StatisticsError('geometric mean requires a non-empty dataset containing positive numbers') from None
found",
    },
    Written {
        name: "linear_regression",
        takes: &[("x", Unless::Required), ("y", Unless::Required), ("proportional", Unless::Bool(false))],
        run: of_pairs!(
            "linear regression",
            "\
if proportional:
    xbar = ybar = 0.0
sxy = fsum((a - xbar) * (b - ybar) for a, b in zip(x, y))
sxx = fsum((a - xbar) * (a - xbar) for a in x)
if not sxx:
    raise StatisticsError('x is constant')
(sxy / sxx, 0.0 if proportional else ybar - sxy / sxx * xbar)"
        ),
    },
    Written {
        name: "median_grouped",
        takes: &[("data", Unless::Required), ("interval", Unless::Float(1.0))],
        run: "\
from bisect import bisect_left, bisect_right
from statistics import StatisticsError
data = sorted(data)
n = len(data)
if not n:
    raise StatisticsError('no median for empty data')
x = data[n // 2]
i = bisect_left(data, x)
j = bisect_right(data, x, lo=i)
try:
    interval, x = float(interval), float(x)
except ValueError:
    raise TypeError('Value cannot be converted to a float') from None
x - interval / 2.0 + interval * (n / 2 - i) / (j - i)",
    },
    Written {
        name: "multimode",
        takes: &[("data", Unless::Required)],
        run: "\
from collections import Counter
counts = Counter(iter(data))
most = max(counts.values(), default=0)
[value for value, count in counts.items() if count == most]",
    },
    Written {
        name: "quantiles",
        takes: &[("data", Unless::Required), ("n", Unless::Int(4)), ("method", Unless::Str("exclusive"))],
        run: "\
from statistics import StatisticsError
if n < 1:
    raise StatisticsError('n must be at least 1')
data = sorted(data)
count = len(data)
if count < 2:
    raise StatisticsError('must have at least two data points')
if method not in ('inclusive', 'exclusive'):
    raise ValueError(f'Unknown method: {method!r}')
found = []
for i in range(1, n):
    if method == 'inclusive':
        place, delta = divmod(i * (count - 1), n)
        place += 1
    else:
        place = min(max(i * (count + 1) // n, 1), count - 1)
        delta = i * (count + 1) - place * n
    found.append((data[place - 1] * (n - delta) + data[place] * delta) / n)
found",
    },
];

/// Runs the function of this name.
pub fn run(c: &mut Call<'_>, name: &'static str) -> Outcome {
    let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) else {
        fault!(NotImplementedError, "statistics.{name}() is not there");
    };
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let names = construct::bind(&format!("{name}()"), function.takes, args)?;
    c.machine.eval_code(function.run, &names)
}
