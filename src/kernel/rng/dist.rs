//! The distributions, and what PyTorch refuses about each.

use super::bounds::Bounds;
use crate::dtype::{DType, Kind};
use anyhow::Result;

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dist {
    /// `uniform_(from, to)`
    Uniform {
        /// Least value.
        from: f64,
        /// The values are below it.
        to: f64,
    },
    /// `normal_(mean, std)`
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation, not negative.
        std: f64,
    },
    /// `random_()`: whole numbers from 0 to the largest that the dtype tells apart.
    Whole,
    /// `random_(from, to)`
    Between {
        /// Least number.
        from: i64,
        /// The numbers are below it; none: up to the largest of the dtype.
        to: Option<i64>,
    },
    /// `bernoulli_(p)`: 1 with probability `p`, else 0.
    Bernoulli {
        /// Probability of 1.
        p: f64,
    },
    /// `exponential_(rate)`
    Exponential {
        /// Rate, above 0.
        rate: f64,
    },
    /// `geometric_(p)`: trials up to the first success.
    Geometric {
        /// Probability of success.
        p: f64,
    },
    /// `cauchy_(median, sigma)`
    Cauchy {
        /// Median.
        median: f64,
        /// Half the width at half the height.
        sigma: f64,
    },
    /// `log_normal_(mean, std)`: the exponential of a normal number.
    LogNormal {
        /// Mean of the normal number.
        mean: f64,
        /// Its standard deviation, above 0.
        std: f64,
    },
}

impl Dist {
    /// Fails as PyTorch does when the parameters or the dtype (as the tensor has it, complex too) cannot be. An empty tensor
    /// is checked less.
    pub fn check(&self, dtype: DType, empty: bool) -> Result<()> {
        self.check_parameters()?;
        if let Dist::Between { from, to } = self
            && (dtype.is_complex() || dtype.is_float8())
        {
            Bounds::order(*from, *to)?;
        }
        if !(empty && self.forgives_when_empty(dtype)) {
            self.check_dtype(dtype)?;
        }
        match self {
            Dist::Uniform { from, to } => check_uniform(dtype, *from, *to),
            Dist::Between { from, to } => Bounds::new(dtype, *from, *to).map(drop),
            _ => Ok(()),
        }
    }

    /// True when an empty tensor may have this dtype though there is no kernel for it.
    fn forgives_when_empty(&self, dtype: DType) -> bool {
        match self {
            Dist::Uniform { .. } | Dist::Between { .. } => false,
            Dist::Cauchy { .. } => dtype.is_float(),
            _ => true,
        }
    }

    /// True for a distribution whose numbers have a place of their own before a kernel is looked for: two elements that are one cell
    /// are found first.
    pub fn looks_at_cells(&self, dtype: DType) -> bool {
        match self {
            Dist::Uniform { .. } | Dist::Normal { .. } => false,
            Dist::Cauchy { .. } => dtype.is_float(),
            _ => true,
        }
    }

    /// Fails as PyTorch does when the parameters cannot be.
    pub fn check_parameters(&self) -> Result<()> {
        match *self {
            Dist::Normal { std, .. } if std.is_nan() || std < 0.0 => {
                fault!(RuntimeError, "normal expects std >= 0.0, but found std {}", brief(std))
            }
            Dist::Bernoulli { p } if !(0.0..=1.0).contains(&p) => {
                fault!(RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p={}", brief(p))
            }
            Dist::Exponential { rate } if rate.is_nan() || rate <= 0.0 => {
                fault!(RuntimeError, "exponential_ expects lambda > 0.0, but found lambda={}", brief(rate))
            }
            Dist::Geometric { p } if !(0.0 < p && p < 1.0) => {
                fault!(RuntimeError, "geometric_ expects p to be in (0, 1), but got p={}", brief(p))
            }
            Dist::Cauchy { sigma, .. } if sigma.is_nan() || sigma <= 0.0 => {
                fault!(RuntimeError, "cauchy_ expects sigma > 0.0, but found sigma={}", brief(sigma))
            }
            Dist::LogNormal { std, .. } if std.is_nan() || std <= 0.0 => {
                fault!(RuntimeError, "log_normal_ expects std > 0.0, but found std={}", brief(std))
            }
            _ => Ok(()),
        }
    }

    fn check_dtype(&self, dtype: DType) -> Result<()> {
        let kind = dtype.kind();
        let wide_float = kind == Kind::Float && dtype.size() > 1;
        let integer = matches!(dtype, DType::U8) || kind == Kind::Signed;
        let (takes, kernel) = match self {
            Dist::Uniform { .. } => (wide_float || kind == Kind::Complex, "check_uniform_bounds"),
            Dist::Normal { .. } => (wide_float || kind == Kind::Complex, "normal_kernel_cpu"),
            Dist::Whole => (wide_float || integer || kind == Kind::Bool, "random_kernel_cpu"),
            Dist::Between { .. } if kind == Kind::Complex => {
                fault!(RuntimeError, "check_random_bounds handles only integral, floating-point and boolean types")
            }
            Dist::Between { .. } => (wide_float || kind < Kind::Float, "random_update_from_to"),
            Dist::Bernoulli { .. } => (wide_float || integer || kind == Kind::Bool, "bernoulli_scalar_cpu_"),
            Dist::Exponential { .. } if kind != Kind::Float => fault!(
                RuntimeError,
                "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified {}",
                dtype.title()
            ),
            Dist::Exponential { .. } => (wide_float, "exponential_cpu"),
            Dist::Geometric { .. } => (wide_float || integer, "geometric_cpu"),
            Dist::Cauchy { .. } if kind != Kind::Float => fault!(
                RuntimeError,
                "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you specified {}",
                dtype.c_name()
            ),
            Dist::Cauchy { .. } => (wide_float, "cauchy_cpu"),
            Dist::LogNormal { .. } => (wide_float, "log_normal_cpu"),
        };
        if !takes {
            fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", dtype.title());
        }
        Ok(())
    }
}

fn check_uniform(dtype: DType, from: f64, to: f64) -> Result<()> {
    let real = dtype.to_real();
    let max = real.float_limits().map_or(f64::MAX, |l| l.max);
    for (name, bound) in [("from", from), ("to", to)] {
        if !(-max..=max).contains(&bound) {
            fault!(RuntimeError, "{name} is out of bounds for {}", real.c_name());
        }
    }
    let (a, b) = (brief(from), brief(to));
    if from > to {
        fault!(RuntimeError, "uniform_ expects to return a [from, to) range, but found from={a} > to={b}");
    }
    if to - from > max {
        fault!(
            RuntimeError,
            "uniform_ expects to-from <= std::numeric_limits<{}>::max(), but found to={b} and from={a} which result in to-from to exceed the limit",
            real.title()
        );
    }
    Ok(())
}

/// A number in a sentence.
pub(super) fn brief(f: f64) -> String {
    crate::dtype::general(f, 6)
}
