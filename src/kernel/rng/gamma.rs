//! Gamma numbers, by Marsaglia and Tsang's method of rejection.

use super::Generator;

/// A standard gamma number. `narrow` rounds what is computed from `alpha` alone to float32, as is done for tensors of that dtype.
pub fn gamma(generator: &mut Generator, alpha: f64, narrow: bool) -> f64 {
    const THIRD: f32 = 1.0 / 3.0;
    let round = |x: f64| if narrow { x as f32 as f64 } else { x };
    let (mut alpha, mut scale) = (alpha, 1.0);
    if alpha < 1.0 {
        if alpha == 0.0 {
            return 0.0;
        }
        scale *= (1.0 - generator.unit_f64()).powf(round(1.0 / alpha));
        alpha = round(alpha + 1.0);
    }
    let d = round(alpha - THIRD as f64);
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let (x, y) = loop {
            let x = generator.normal();
            let y = 1.0 + c * x;
            if y > 0.0 || y.is_nan() {
                break (x, y);
            }
        };
        let v = y * y * y;
        let u = 1.0 - generator.unit_f64();
        let square = x * x;
        let likely = u < 1.0 - 0.0331f32 as f64 * square * square;
        if likely || u.ln() < 0.5 * square + d * (1.0 - v + v.ln()) || v.is_nan() {
            return scale * d * v;
        }
    }
}
