//! The exponential of a matrix of 16-bit floats, as PyTorch makes it: it reads the float64 coefficients of its polynomials as if they were
//! numbers of 16 bits, and so gets what no matrix has for its exponential. Only the smallest norms need no coefficients.

use super::batch::last_two;
use super::exponential::{DOUBLE, EIGHTEEN, TWELVE, eighth_numbers};
use crate::dtype::DType;
use crate::interrupt;
use crate::ops::exec;
use crate::tensor::Tensor;
use ::half::{bf16, f16};
use anyhow::Result;

type Matrix = Vec<f32>;

/// The exponentials of the square matrices of a tensor that has elements.
pub fn of_halves(x: &Tensor) -> Result<Tensor> {
    let width = if x.dtype() == DType::F16 {
        Width { side: last_two(x)[0] as usize, round: |x| f16::from_f32(x).to_f32(), read: |bits| f16::from_bits(bits).to_f32() }
    } else {
        Width {
            side: last_two(x)[0] as usize,
            round: |x| bf16::from_f32(x).to_f32(),
            read: |bits| bf16::from_bits(bits).to_f32(),
        }
    };
    let values: Vec<f32> = exec::read_vec(&exec::cast(x, DType::F32)?)?;
    let mut results = Vec::with_capacity(values.len());
    for matrix in values.chunks(width.side * width.side) {
        results.extend(width.exponential(matrix, matrix.len() == values.len())?);
    }
    exec::cast(&exec::from_vec(&results, &x.sizes())?, x.dtype())
}

/// Square matrices of numbers that are rounded after every step.
struct Width {
    side: usize,
    round: fn(f32) -> f32,
    read: fn(u16) -> f32,
}

impl Width {
    /// The exponential of one matrix; one that is `alone` is computed with the least degree that will do.
    fn exponential(&self, matrix: &[f32], alone: bool) -> Result<Matrix> {
        let columns = (0..self.side).map(|j| (self.round)(matrix.iter().skip(j).step_by(self.side).map(|x| x.abs()).sum()));
        let norm = columns.fold(0.0f32, |most, sum| if sum > most || sum.is_nan() { sum } else { most });
        let degree = DOUBLE[..5].iter().position(|bound| alone && norm <= (self.round)(*bound as f32));
        let doublings = match degree {
            None if norm.is_finite() => (self.round)((self.round)(norm / (self.round)(DOUBLE[5] as f32)).log2()).ceil().max(0.0),
            _ => 0.0,
        };
        let scale = (self.round)(doublings.exp2());
        let scaled: Matrix = matrix.iter().map(|x| (self.round)(x / scale)).collect();
        let mut result = self.polynomial(scaled, degree);
        for _ in 0..doublings as usize {
            interrupt::check()?;
            result = self.product(&result, &result);
        }
        Ok(result)
    }

    /// The polynomial of the number `degree` of those for small norms, else the last one.
    fn polynomial(&self, matrix: Matrix, degree: Option<usize>) -> Matrix {
        let identity: Matrix = (0..matrix.len()).map(|k| if k % (self.side + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let square = self.product(&matrix, &matrix);
        let mut powers = vec![identity, matrix, square];
        let cube = |powers: &[Matrix]| self.product(&powers[1], &powers[2]);
        match degree {
            Some(0) => self.added(&powers[..2]),
            Some(1) => {
                powers[2].iter_mut().for_each(|x| *x = (self.round)(*x / 2.0));
                self.added(&powers)
            }
            Some(2) => {
                let inner = self.sum(&powers, &self.misread(&[1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0], 3));
                powers.push(self.product(&powers[2], &inner));
                self.sum(&powers, &self.misread(&[1.0, 1.0, 0.0, 1.0], 4))
            }
            Some(3) => {
                let (inner, left, right, last) = eighth_numbers(|x| x);
                let first = self.sum(&powers[1..], &self.misread(&inner, 2));
                powers.push(self.product(&powers[2], &first));
                let left = self.sum(&powers[2..], &self.misread(&left, 2));
                let right = self.sum(&powers, &self.misread(&right, 4));
                powers.push(self.product(&left, &right));
                self.sum(&powers, &self.misread(&last, 5))
            }
            Some(_) => {
                powers.push(cube(&powers));
                let [first, second, third, fourth] = self.sums::<4>(&powers, &TWELVE.concat());
                let inner = self.plus(&third, &self.product(&fourth, &fourth));
                self.plus(&first, &self.product(&self.plus(&second, &inner), &inner))
            }
            None => {
                powers.push(cube(&powers));
                powers.push(self.product(&powers[3], &powers[3]));
                let [first, second, third, fourth, fifth] = self.sums::<5>(&powers, &EIGHTEEN.concat());
                let inner = self.plus(&fourth, &self.product(&first, &fifth));
                self.plus(&second, &self.product(&self.plus(&third, &inner), &inner))
            }
        }
    }

    /// The first numbers of 16 bits in the memory of some of 64.
    fn misread(&self, numbers: &[f64], count: usize) -> Vec<f32> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.chunks_exact(2).take(count).map(|pair| (self.read)(u16::from_le_bytes([pair[0], pair[1]]))).collect()
    }

    /// As many sums of all powers as there are.
    fn sums<const N: usize>(&self, powers: &[Matrix], numbers: &[f64]) -> [Matrix; N] {
        let numbers = self.misread(numbers, N * N);
        std::array::from_fn(|k| self.sum(powers, &numbers[k * N..(k + 1) * N]))
    }

    /// Powers, each times a number, one added after the other.
    fn sum(&self, powers: &[Matrix], numbers: &[f32]) -> Matrix {
        let term = |place: usize, total: f32, (power, number): (&Matrix, &f32)| {
            (self.round)(total + (self.round)(power[place] * number))
        };
        (0..powers[0].len()).map(|k| powers.iter().zip(numbers).fold(0.0, |total, pair| term(k, total, pair))).collect()
    }

    /// Powers, added and rounded once.
    fn added(&self, powers: &[Matrix]) -> Matrix {
        (0..powers[0].len()).map(|k| (self.round)(powers.iter().map(|power| power[k]).sum())).collect()
    }

    fn plus(&self, a: &Matrix, b: &Matrix) -> Matrix {
        a.iter().zip(b).map(|(a, b)| (self.round)(a + b)).collect()
    }

    fn product(&self, a: &Matrix, b: &Matrix) -> Matrix {
        let n = self.side;
        let cell = |k: usize| (0..n).fold(0.0, |sum: f32, i| a[k / n * n + i].mul_add(b[i * n + k % n], sum));
        (0..n * n).map(|k| (self.round)(cell(k))).collect()
    }
}
