//! The logarithm of a complex number, which loses nothing where its size is near one.

use super::c99::Part;
use num_complex::Complex;

/// The natural logarithm.
pub fn log<F: Part>(z: Complex<F>) -> Complex<F> {
    Complex::new(log_of_size(z), z.arg())
}

/// The logarithm to the base that has this logarithm itself.
pub fn log_to<F: Part>(z: Complex<F>, of_base: f64) -> Complex<F> {
    log(z).unscale(F::from_wide(of_base))
}

/// The logarithm of the size: near one, that of what its square is more than one.
fn log_of_size<F: Part>(z: Complex<F>) -> F {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (large, small) = if x < y { (y, x) } else { (x, y) };
    let (one, two) = (F::one(), F::one() + F::one());
    let halved = |more: F| more.ln_1p() / two;
    if large == one {
        return halved(small * small);
    }
    if large > one && large < two && small < one {
        let more = (large - one) * (large + one);
        return halved(if small >= F::epsilon() { more + small * small } else { more });
    }
    if large < one && large * two >= one && large * large + small * small >= one / two {
        return halved(F::from_wide(less_one::<F>(large.as_(), small.as_())));
    }
    z.re.hypot(z.im).ln()
}

/// `x² + y² - 1`. The squares of float32 numbers are exact; those of float64 leave something to be added.
fn less_one<F: Part>(x: f64, y: f64) -> f64 {
    if size_of::<F>() < size_of::<f64>() {
        return (x - 1.0).mul_add(x + 1.0, y * y);
    }
    let (p, q) = (x * x, y * y);
    let (left, sum) = (x.mul_add(x, -p) + y.mul_add(y, -q), (p - 1.0) + q);
    let (of_q, of_p) = (sum - (p - 1.0), p - 1.0);
    sum + ((of_p - (sum - of_q)) + (q - of_q) + left)
}
