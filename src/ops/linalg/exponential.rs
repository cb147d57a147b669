//! The exponential of a matrix, by polynomials of few products.
//!
//! Degrees, bounds and coefficients are those of Bader, Blanes and Casas, "Computing the matrix exponential with an optimized Taylor
//! polynomial approximation" (2019), which PyTorch follows; products and sums are in its order, so that the last digits agree.

use super::batch::last_two;
use super::dense::{Field, Real};
use crate::interrupt;
use crate::kernel::element::Element;
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;
use nalgebra::ComplexField;

/// The largest norms for which the polynomials of degree 1, 2, 4, 8 and 12 are as exact as the dtype, and to which a matrix is brought for
/// degree 18.
type Bounds = [f64; 6];
const SINGLE: Bounds = [
    1.192092800768788e-07,
    5.978858893805233e-04,
    5.116619363445086e-02,
    5.800524627688768e-01,
    1.461661507209034e+00,
    3.010066362817634e+00,
];
pub(super) const DOUBLE: Bounds = [
    2.220446049250313e-16,
    2.580956802971767e-08,
    3.397168839976962e-04,
    4.991228871115323e-02,
    2.99615891381158e-01,
    1.090863719290036e+00,
];

/// Of degree 12: sums of I, A, A² and A³.
pub(super) const TWELVE: [[f64; 4]; 4] = [
    [9.0198e-16, 0.469_321_175_954_182_4, -0.200_994_249_270_472_84, -0.046_239_461_340_630_72],
    [5.315_978_957_598_713, 1.199_267_904_171_322_3, 0.011_792_962_409_929_97, 0.011_088_445_285_191_68],
    [0.181_888_699_821_704_35, 0.055_027_984_399_253_99, 0.093_515_907_705_354_15, 0.006_107_005_288_980_582],
    [-2.0861320e-13, -0.131_810_610_138_301_84, -0.020_278_555_405_892_59, -0.006_759_518_468_630_863],
];

/// Of degree 18: sums of I, A, A², A³ and A⁶.
pub(super) const EIGHTEEN: [[f64; 5]; 5] = [
    [0.0, -0.100_365_581_030_144_62, -0.008_029_246_482_411_57, -0.000_892_138_498_045_73, 0.0],
    [0.0, 0.397_849_749_499_645_1, 1.367_837_784_604_117_2, 0.498_289_622_525_382_67, -0.000_637_898_194_594_723_3],
    [
        -10.967_639_605_296_206,
        1.680_158_138_789_062,
        0.057_177_984_647_886_55,
        -0.006_982_101_224_880_520_6,
        3.349_750_170_860_705e-5,
    ],
    [
        -0.090_431_683_239_081_06,
        -0.067_640_451_907_138_19,
        0.067_596_130_177_045_97,
        0.029_555_257_042_931_552,
        -1.391_802_575_160_607e-5,
    ],
    [0.0, 0.0, -0.092_336_461_936_711_86, -0.016_936_493_900_208_172, -1.400_867_981_820_361e-5],
];

/// The exponentials of the square matrices of a tensor that has elements. Those of several are all computed with
/// the highest degree.
pub fn of_matrices<T: Field>(x: &Tensor) -> Result<Tensor> {
    let side = last_two(x)[0];
    let values = exec::read_vec::<T>(x)?;
    let mut results: Vec<T> = Vec::with_capacity(values.len());
    for matrix in values.chunks((side * side) as usize) {
        interrupt::check()?;
        let result = of_one::<T>(matrix, side, matrix.len() == values.len())?;
        exec::read::<T, _>(&result, |all| results.extend_from_slice(all))?;
    }
    exec::from_vec(&results, &x.sizes())
}

/// The exponential of one matrix; one that is `alone` is computed with the least degree that will do.
fn of_one<T: Field>(matrix: &[T], side: i64, alone: bool) -> Result<Tensor> {
    let bounds = if T::R::EPSILON.wide() > 1e-10 { SINGLE } else { DOUBLE };
    let norm = largest_column(matrix, side as usize);
    let degree = bounds[..5].iter().position(|bound| alone && norm <= T::R::of(*bound));
    let halvings = match degree {
        None if norm.is_finite() => {
            let doublings = T::R::of((norm / T::R::of(bounds[5])).wide().log2());
            doublings.wide().ceil().max(0.0) as i32
        }
        _ => 0,
    };
    let scaled: Vec<T> = matrix.iter().map(|x| x.unscale(T::R::of(2f64.powi(halvings)))).collect();
    let mut result = Powers::<T>::new(&scaled, side)?.polynomial(degree)?;
    for _ in 0..halvings {
        interrupt::check()?;
        result = exec::matmul(&result, &result)?;
    }
    Ok(result)
}

/// The largest sum of the sizes of a column; NaN when there is one.
fn largest_column<T: Field>(matrix: &[T], side: usize) -> T::R {
    let mut sums = vec![T::R::of(0.0); side];
    for row in matrix.chunks(side) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x.modulus());
    }
    sums.into_iter().fold(T::R::of(0.0), |most, sum| if sum > most || !sum.is_finite() { sum } else { most })
}

/// A matrix as a batch of one, and its first powers.
struct Powers<T> {
    /// I, A, A² and more.
    all: Vec<Tensor>,
    kind: std::marker::PhantomData<T>,
}

impl<T: Field> Powers<T> {
    fn new(matrix: &[T], side: i64) -> Result<Powers<T>> {
        let mut identity = vec![T::zero(); matrix.len()];
        identity.iter_mut().step_by(side as usize + 1).for_each(|x| *x = T::one());
        let [identity, first] = [&identity, matrix].map(|values| exec::from_vec(values, &[1, side, side]));
        Ok(Powers { all: vec![identity?, first?], kind: std::marker::PhantomData })
    }

    /// The product of two powers, as the next one.
    fn multiply(&mut self, left: usize, right: usize) -> Result<()> {
        let product = exec::matmul(&self.all[left], &self.all[right])?;
        self.all.push(product);
        Ok(())
    }

    /// The powers from `first` on, each times a number, one added after the other.
    fn sum(&self, first: usize, numbers: &[f64]) -> Result<Tensor> {
        let given: Vec<(&Tensor, f64)> = self.all[first..].iter().zip(numbers.iter().copied()).collect();
        combined::<T>(&given)
    }

    /// The polynomial of the number `degree` of those for small norms, else the last one.
    fn polynomial(mut self, degree: Option<usize>) -> Result<Tensor> {
        if degree == Some(0) {
            return self.sum(0, &[1.0, 1.0]);
        }
        self.multiply(1, 1)?;
        match degree {
            Some(1) => self.sum(0, &[1.0, 1.0, 0.5]),
            Some(2) => {
                let inner = self.sum(0, &[1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0])?;
                self.all.push(exec::matmul(&self.all[2], &inner)?);
                self.sum(0, &[1.0, 1.0, 0.0, 1.0])
            }
            Some(3) => self.eighth(),
            Some(_) => {
                self.multiply(1, 2)?;
                let [first, second, third, fourth] = self.sums(&TWELVE)?;
                let inner = plus::<T>(&third, &exec::matmul(&fourth, &fourth)?)?;
                plus::<T>(&first, &exec::matmul(&plus::<T>(&second, &inner)?, &inner)?)
            }
            None => {
                self.multiply(1, 2)?;
                self.multiply(3, 3)?;
                let [first, second, third, fourth, fifth] = self.sums(&EIGHTEEN)?;
                let inner = plus::<T>(&fourth, &exec::matmul(&first, &fifth)?)?;
                plus::<T>(&second, &exec::matmul(&plus::<T>(&third, &inner)?, &inner)?)
            }
        }
    }

    /// As many sums of all powers as there are.
    fn sums<const N: usize>(&self, numbers: &[[f64; N]; N]) -> Result<[Tensor; N]> {
        let sums = numbers.iter().map(|numbers| self.sum(0, numbers)).collect::<Result<Vec<_>>>()?;
        Ok(sums.try_into().unwrap_or_else(|_| unreachable!("there is a sum for each row of numbers")))
    }

    /// Of degree 8, whose numbers follow from a root, in the width of the dtype.
    fn eighth(mut self) -> Result<Tensor> {
        let (inner, left, right, last) = eighth_numbers(|x| T::R::of(x).wide());
        let inner = self.sum(1, &inner)?;
        self.all.push(exec::matmul(&self.all[2], &inner)?);
        let (left, right) = (self.sum(2, &left)?, self.sum(0, &right)?);
        self.all.push(exec::matmul(&left, &right)?);
        self.sum(0, &last)
    }
}

/// The numbers of the polynomial of degree 8, rounded on the way: of A and A², of A² and the product after it, of all three powers and
/// that product, and of all together.
pub(super) fn eighth_numbers(narrow: impl Fn(f64) -> f64) -> ([f64; 2], [f64; 2], [f64; 4], [f64; 5]) {
    let root = narrow(177f64.sqrt());
    let x3 = narrow(2.0 / 3.0);
    let inner = [x3 * ((1.0 + root) / 88.0), x3 * ((1.0 + root) / 352.0)].map(&narrow);
    let right = [
        (-271.0 + 29.0 * root) / (315.0 * x3),
        (-11.0 + 11.0 * root) / (1260.0 * x3),
        (-99.0 + 11.0 * root) / (5040.0 * x3),
        (89.0 - root) / (5040.0 * x3 * x3),
    ]
    .map(&narrow);
    (inner, [x3, 1.0], right, [1.0, 1.0, (857.0 - 58.0 * root) / 630.0, 0.0, 1.0])
}

fn plus<T: Field>(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    combined::<T>(&[(a, 1.0), (b, 1.0)])
}

/// Tensors of one size, each times a number, one added after the other.
fn combined<T: Field>(given: &[(&Tensor, f64)]) -> Result<Tensor> {
    let sizes = given.first().map(|(first, _)| first.sizes()).unwrap_or_default();
    let sum = exec::zeros(&sizes, <T as Element>::DTYPE, crate::device::DeviceId::Cpu)?;
    for (term, number) in given {
        let number = T::from_real(T::R::of(*number));
        exec::read::<T, _>(term, |term| {
            exec::change::<T, _>(&sum, |sum| sum.iter_mut().zip(term).for_each(|(sum, x)| *sum += *x * number))
        })??;
    }
    Ok(sum)
}
