//! Functions of complex numbers as the compiler of the library behind PyTorch has them inside of LAPACK: of single precision in double,
//! of double precision a quotient and a modulus with more digits than the result has. Found by comparing eigenvalues bit by bit.

use super::field::Field;
use super::small::norm_scaled;
use num_complex::Complex;

/// Of numbers of this precision.
pub trait Compiled: Sized {
    /// The principal square root.
    fn root(z: Complex<Self>) -> Complex<Self>;
    /// The modulus.
    fn size(z: Complex<Self>) -> Self;
    /// The quotient.
    fn quotient(a: Complex<Self>, b: Complex<Self>) -> Complex<Self>;
    /// The norm of a vector that becomes one of length 1.
    fn length_of(x: &[Complex<Self>]) -> Self;
}

fn wide(z: Complex<f32>) -> Complex<f64> {
    Complex::new(f64::from(z.re), f64::from(z.im))
}

fn narrow(z: Complex<f64>) -> Complex<f32> {
    Complex::new(z.re as f32, z.im as f32)
}

impl Compiled for f32 {
    fn root(z: Complex<f32>) -> Complex<f32> {
        let z = wide(z);
        narrow(root_beside(z, (z.re * z.re + z.im * z.im).sqrt()))
    }

    fn size(z: Complex<f32>) -> f32 {
        let z = wide(z);
        (z.re * z.re + z.im * z.im).sqrt() as f32
    }

    fn quotient(a: Complex<f32>, b: Complex<f32>) -> Complex<f32> {
        let (a, b) = (wide(a), wide(b));
        let squares = b.re * b.re + b.im * b.im;
        narrow(Complex::new((a.re * b.re + a.im * b.im) / squares, (a.im * b.re - a.re * b.im) / squares))
    }

    fn length_of(x: &[Complex<f32>]) -> f32 {
        x.iter().map(|x| wide(*x)).fold(0.0, |sum, x| (sum + x.re * x.re) + x.im * x.im).sqrt() as f32
    }
}

impl Compiled for f64 {
    fn root(z: Complex<f64>) -> Complex<f64> {
        root_beside(z, z.re.mul_add(z.re, z.im * z.im).sqrt())
    }

    fn size(z: Complex<f64>) -> f64 {
        let (squares, lost) = sum_of_products([z.re, z.im], [z.re, z.im]);
        let size = squares.sqrt();
        if size > 0.0 && size.is_finite() { size + ((-size).mul_add(size, squares) + lost) / (size + size) } else { size }
    }

    fn quotient(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
        let below = sum_of_products([b.re, b.im], [b.re, b.im]);
        let share = |above: (f64, f64)| {
            let first = above.0 / below.0;
            let rest = (-first).mul_add(below.0, above.0) + (above.1 - first * below.1);
            // What adds nothing leaves a negative zero.
            if rest != 0.0 && rest.is_finite() { first + rest / below.0 } else { first }
        };
        Complex::new(share(sum_of_products([a.re, a.im], [b.re, b.im])), share(sum_of_products([a.im, -a.re], [b.re, b.im])))
    }

    fn length_of(x: &[Complex<f64>]) -> f64 {
        norm_in_turn(x)
    }
}

/// The norm by one pass over the parts of complex numbers, on every processor.
pub fn norm_in_turn<T: Field>(x: &[T]) -> T::R {
    norm_scaled(&x.iter().flat_map(|x| [x.real(), x.imaginary()]).collect::<Vec<_>>())
}

/// The sum of two products, and what its rounding lost.
fn sum_of_products(a: [f64; 2], b: [f64; 2]) -> (f64, f64) {
    let products = [a[0] * b[0], a[1] * b[1]];
    let sum = products[0] + products[1];
    let taken = sum - products[0];
    let below = (products[0] - (sum - taken)) + (products[1] - taken);
    (sum, below + a[0].mul_add(b[0], -products[0]) + a[1].mul_add(b[1], -products[1]))
}

/// The root of a number of this modulus: the part that does not come from a difference first. On the negative side, and on the
/// imaginary axis, that is the imaginary one.
fn root_beside(z: Complex<f64>, size: f64) -> Complex<f64> {
    if z.im == 0.0 {
        let root = z.re.abs().sqrt();
        return if z.re < 0.0 { Complex::new(0.0, root.copysign(z.im)) } else { Complex::new(root, z.im) };
    }
    let large = (0.5 * (size + z.re.abs())).sqrt();
    let small = 0.5 * (z.im.abs() / large);
    let (re, im) = if z.re > 0.0 { (large, small) } else { (small, large) };
    Complex::new(re, im.copysign(z.im))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_quotients_and_sizes_of_double_precision() {
        let z = Complex::new(0.3, -1.7);
        let root = f64::root(z);
        assert!((root * root - z).norm() < 1e-15 && root.re > 0.0 && root.im < 0.0);
        assert_eq!(f64::root(Complex::new(-4.0, -0.0)), Complex::new(0.0, -2.0));
        assert_eq!(f64::root(Complex::new(0.0, 2.0)), Complex::new(1.0, 1.0));
        assert_eq!(f64::quotient(Complex::new(5.0, 10.0), Complex::new(1.0, 2.0)), Complex::new(5.0, 0.0));
        assert_eq!(f64::size(Complex::new(3.0, 4.0)), 5.0);
        assert_eq!(f64::size(Complex::new(0.0, 0.0)), 0.0);
    }

    #[test]
    fn those_of_single_precision_are_rounded_once() {
        assert_eq!(f32::root(Complex::new(0.0, -1.0)), Complex::new(0.5f32.sqrt(), -0.5f32.sqrt()));
        assert_eq!(f32::quotient(Complex::new(1.0, 0.0), Complex::new(3.0, 0.0)), Complex::new(1.0 / 3.0, 0.0));
        assert_eq!(f32::length_of(&[Complex::new(3.0, 0.0), Complex::new(0.0, 4.0)]), 5.0);
    }
}
