//! The most used functions in the width of their argument: lanes of float32 stay lanes of float32, twice as many to a register.
//!
//! What a step loses is carried along and added at the end, so little more is lost than by the last rounding. Largest errors
//! found, over every 211th float32 and 16 million between 0.01 and 10: `exp` 0.76 ulp (0.70 where the result is normal), `log`
//! 0.60, `tanh` 0.71. Of a million float64, the results are those of the system's
//! library or their neighbours, of `tanh` the next neighbours too.
//!
//! `exp2` and `vector_exp` carry nothing along: they take PyTorch's steps one by one, so that the bits are the same. The
//! largest error found of `exp2` is 0.83 ulp, over every 211th float32.
//!
//! Where `exp` or `log`, or `tanh` of float32, is all that a loop does, [`super::wide`] is used instead.

/// float32 and float64.
pub trait Fine: Copy {
    /// Its bits.
    type Bits;
    /// `e^x = (a + b) 2^n`, b being up to a tenth of a: a, b, n.
    fn exp_parts(self) -> (Self, Self, Self::Bits);
    /// 2^n for a normal result.
    fn power_of_two(n: Self::Bits) -> Self;
    /// e^x.
    fn exp(self) -> Self;
    /// e^(x + lost) for |x| <= 80 and a `lost` of some units of x.
    fn exp_with(self, lost: Self) -> Self;
    /// 2^x, with the bits of PyTorch.
    fn exp2(self) -> Self;
    /// e^x with the bits that it has inside of PyTorch's other functions, such as `sigmoid`.
    fn vector_exp(self) -> Self;
    /// `ln x = e ln 2 + ratio + lost` with a whole e and a small `lost`, for positive finite x: e, ratio, lost.
    fn log_parts(self) -> (Self, Self, Self);
    /// The natural logarithm.
    fn log(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
}

/// 2^r for |r| <= 1/2, one step of it after the other.
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "the digits they were found with")]
fn power_of_2(r: f32) -> f32 {
    let curve = [0.1535920892e-3_f32, 0.1339262701e-2, 0.9618384764e-2, 0.5550347269e-1, 0.2402264476, 0.6931471825, 1.0];
    curve[1..].iter().fold(curve[0], |sum, c| sum.mul_add(r, *c))
}

/// e^r for |r| <= ln(2) / 2; the last sum is rounded on its own.
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "the digits they were found with")]
fn power_of_e(r: f32) -> f32 {
    let curve = [
        0.000198527617612853646_f32,
        0.00139304355252534151,
        0.00833336077630519867,
        0.0416664853692054749,
        0.16666667163372039795,
        0.5,
    ];
    1.0 + (r * r).mul_add(curve[1..].iter().fold(curve[0], |sum, c| sum.mul_add(r, *c)), r)
}

/// A polynomial whose halves are summed on their own, and their halves too: highest coefficient first.
#[inline(always)]
fn in_halves(x: f64, c: [f64; 10]) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let four = |k: usize| square.mul_add(x.mul_add(c[k], c[k + 1]), x.mul_add(c[k + 2], c[k + 3]));
    (fourth * fourth).mul_add(x.mul_add(c[0], c[1]), fourth.mul_add(four(2), four(6)))
}

/// 2^r for |r| <= 1/2.
#[inline(always)]
#[allow(clippy::excessive_precision, clippy::approx_constant, reason = "the digits they were found with")]
fn power_of_2_double(r: f64) -> f64 {
    let curve = in_halves(
        r,
        [
            0.4434359082926529454e-9,
            0.7073164598085707425e-8,
            0.1017819260921760451e-6,
            0.1321543872511327615e-5,
            0.1525273353517584730e-4,
            0.1540353045101147808e-3,
            0.1333355814670499073e-2,
            0.9618129107597600536e-2,
            0.5550410866482046596e-1,
            0.2402265069591012214,
        ],
    );
    curve.mul_add(r, 0.6931471805599452862).mul_add(r, 1.0)
}

/// e^r for |r| <= ln(2) / 2.
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "the digits they were found with")]
fn power_of_e_double(r: f64) -> f64 {
    let curve = in_halves(
        r,
        [
            0.2081276378237164457e-8,
            0.2511210703042288022e-7,
            0.2755762628169491192e-6,
            0.2755723402025388239e-5,
            0.2480158687479686264e-4,
            0.1984126989855865850e-3,
            0.1388888888914497797e-2,
            0.8333333333314938210e-2,
            0.4166666666666602598e-1,
            0.1666666666666669072,
        ],
    );
    curve.mul_add(r, 0.5).mul_add(r, 1.0).mul_add(r, 1.0)
}

/// The functions for a float type, its bits and its signed bits: the number that rounds to whole numbers when it is added, the
/// exponent's bias and place; `ln 2` in two parts, of which the first times an exponent is exact, and in the two parts that
/// PyTorch takes it in; PyTorch's polynomials for powers of 2 and e; a factor that
/// makes subnormal numbers normal, and its exponent. Polynomials, highest coefficient first: `(e^r - 1 - r) / r²` for
/// |r| <= ln(2) / 2; `(ln((2 + s) / (2 - s)) - s) / s³` in s² for s = 2f / (2 + f) and 1 + f
/// between the roots of 1/2 and 2; `(tanh x - x) / x³` in x² for |x| <= 0.55.
macro_rules! fine {
    ($($t:ident $bits:ident $signed:ident { magic $magic:literal bias $bias:literal shift $shift:literal
        range [$low:literal, $high:literal] range2 [$low2:literal, $high2:literal] tiny [$tiny:literal, $tiny_log:literal] ln2 [$ln2:literal, $ln2_rest:literal]
        short_ln2 [$short_ln2:literal, $short_ln2_rest:literal] powers [$power_of_2:ident, $power_of_e:ident]
        exp [$($exp:literal),*] log [$($log:literal),*] tanh [$($tanh:literal),*]
    })*) => { $(
        #[allow(clippy::excessive_precision, clippy::approx_constant, reason = "numbers in parts, with the digits they were found with")]
        const _: () = {
            const MAGIC: $t = $magic;
            const ROOT: $bits = std::$t::consts::FRAC_1_SQRT_2.to_bits();

            #[inline(always)]
            fn select(condition: bool, yes: $t, no: $t) -> $t {
                if condition { yes } else { no }
            }

            #[inline(always)]
            fn poly<const N: usize>(x: $t, coefficients: [$t; N]) -> $t {
                let mut sum = coefficients[0];
                let mut k = 1;
                while k < N {
                    sum = sum.mul_add(x, coefficients[k]);
                    k += 1;
                }
                sum
            }

            impl Fine for $t {
                type Bits = $bits;
                #[inline(always)]
                fn power_of_two(n: $bits) -> $t {
                    $t::from_bits(n.wrapping_add($bias) << $shift)
                }

                #[inline(always)]
                fn exp_parts(self) -> ($t, $t, $bits) {
                    let shifted = self.mul_add(std::$t::consts::LOG2_E, MAGIC);
                    let n = shifted - MAGIC;
                    let coarse = n.mul_add(-$ln2, self);
                    let r = n.mul_add(-$ln2_rest, coarse);
                    let lost = n.mul_add(-$ln2_rest, coarse - r);
                    let a = 1.0 + r;
                    let b = (r * r).mul_add(poly(r, [$($exp),*]), ((1.0 - a) + r) + lost);
                    (a, b, shifted.to_bits().wrapping_sub(MAGIC.to_bits()))
                }

                /// The power of two in two steps, for results too small to be normal.
                #[inline(always)]
                fn exp(self) -> $t {
                    let x = select(self > $high, $high, self);
                    let (a, b, n) = select(x < $low, $low, x).exp_parts();
                    let half = (n as $signed >> 1) as $bits;
                    (a + b) * <$t>::power_of_two(half) * <$t>::power_of_two(n.wrapping_sub(half))
                }

                #[inline(always)]
                fn exp_with(self, lost: $t) -> $t {
                    let (a, b, n) = self.exp_parts();
                    (a + lost.mul_add(a + b, b)) * <$t>::power_of_two(n)
                }

                #[inline(always)]
                fn exp2(self) -> $t {
                    let x = select(self > $high2, $high2, self);
                    let x = select(x < $low2, $low2, x);
                    let shifted = x + MAGIC;
                    let n = shifted.to_bits().wrapping_sub(MAGIC.to_bits());
                    let half = (n as $signed >> 1) as $bits;
                    $power_of_2(x - (shifted - MAGIC)) * <$t>::power_of_two(half) * <$t>::power_of_two(n.wrapping_sub(half))
                }

                #[inline(always)]
                fn vector_exp(self) -> $t {
                    let x = select(self > $high, $high, self);
                    let x = select(x < $low, $low, x);
                    let shifted = (x * std::$t::consts::LOG2_E) + MAGIC;
                    let whole = shifted - MAGIC;
                    let r = whole.mul_add(-$short_ln2_rest, whole.mul_add(-$short_ln2, x));
                    let n = shifted.to_bits().wrapping_sub(MAGIC.to_bits());
                    let half = (n as $signed >> 1) as $bits;
                    $power_of_e(r) * <$t>::power_of_two(half) * <$t>::power_of_two(n.wrapping_sub(half))
                }

                #[inline(always)]
                fn log_parts(self) -> ($t, $t, $t) {
                    let small = self < $t::MIN_POSITIVE;
                    let moved = select(small, self * $tiny, self).to_bits().wrapping_sub(ROOT);
                    let e = (moved as $signed >> $shift) as $t - select(small, $tiny_log, 0.0);
                    let f = $t::from_bits((moved & ((1 << $shift) - 1)).wrapping_add(ROOT)) - 1.0;
                    let below = f + 2.0;
                    let below_lost = f - (below - 2.0);
                    let (share, twice) = (1.0 / below, f + f);
                    let ratio = twice * share;
                    let ratio_lost = (ratio.mul_add(-below, twice) - ratio * below_lost) * share;
                    let square = ratio * ratio;
                    (e, ratio, (square * ratio).mul_add(poly(square, [$($log),*]), ratio_lost))
                }

                #[inline(always)]
                fn log(self) -> $t {
                    let (e, ratio, lost) = self.log_parts();
                    let whole = e * $ln2;
                    let sum = whole + ratio;
                    let value = sum + (e.mul_add($ln2_rest, lost) + ((whole - sum) + ratio));
                    let outside = select(self == 0.0, $t::NEG_INFINITY, select(self == $t::INFINITY, self, $t::NAN));
                    select(self > 0.0 && self < $t::INFINITY, value, outside)
                }

                /// A polynomial near zero, else `1 - 2 / (e^2x + 1)` with what the division loses.
                #[inline(always)]
                fn tanh(self) -> $t {
                    let (size, square) = (self.abs(), self * self);
                    let near = (square * self).mul_add(poly(square, [$($tanh),*]), self);
                    let (a, b, n) = (2.0 * select(size > 20.0, 20.0, size)).exp_parts();
                    let scale = <$t>::power_of_two(n);
                    let sum = a + b;
                    let grown = sum * scale;
                    let below = grown + 1.0;
                    let below_lost = ((a - sum) + b).mul_add(scale, (grown - below) + 1.0);
                    let share = 2.0 / below;
                    let share_lost = (share.mul_add(-below, 2.0) - share * below_lost) * (0.5 * share);
                    let most = 1.0 - share;
                    let far = most + (((1.0 - most) - share) - share_lost);
                    select(size < 0.55, near, far).copysign(self)
                }
            }
        };
    )* };
}

fine! {
    f32 u32 i32 {
        magic 12582912.0 bias 127 shift 23  range [-104.5, 89.0] range2 [-151.0, 129.0] tiny [33554432.0, 25.0]
        ln2 [0.693359375, -0.00021219444]
        short_ln2 [0.693145751953125, 1.428606765330187045e-06] powers [power_of_2, power_of_e]
        exp [0.0013951723, 0.008369604, 0.041666187, 0.16666512, 0.5]
        log [0.00045567544, 0.0022305325, 0.012500038, 0.083333336]
        tanh [0.0022310561, -0.008267083, 0.021734437, -0.053952474, 0.13333248, -0.3333333]
    }
    f64 u64 i64 {
        magic 6755399441055744.0 bias 1023 shift 52  range [-746.0, 710.0] range2 [-1076.0, 1025.0] tiny [18014398509481984.0, 54.0]
        ln2 [0.6931471805598903, 5.497923018708371e-14]
        short_ln2 [0.693147180559662956511601805686950683593750, 2.8235290563031577122588448175013436e-13] powers [power_of_2_double, power_of_e_double]
        exp [
            2.0915433598076003e-09, 2.5106262550879078e-08, 2.755727183153613e-07, 2.755725286336732e-06,
            2.480158732699005e-05, 0.00019841269876840357, 0.0013888888888883332, 0.008333333333325551, 0.04166666666666667,
            0.1666666666666667, 0.5
        ]
        log [
            9.984410865744152e-07, 4.049304098071476e-06, 1.8782031501237156e-05, 8.877829897892946e-05, 0.0004340277810898529,
            0.0022321428570940024, 0.012500000000000275, 0.08333333333333333
        ]
        tanh [
            -2.9300415271054606e-06, 1.3202184336680511e-05, -3.795997729705169e-05, 9.648923087346678e-05,
            -0.00023903461484050333, 0.000590012923886704, -0.0014558328521010176, 0.0035921279274152965,
            -0.008863235524906239, 0.021869488536018847, -0.05396825396825203, 0.13333333333333333, -0.3333333333333333
        ]
    }
}
