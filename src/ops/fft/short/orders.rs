//! In which order the terms of a transform are added up, and which products are rounded before: as in PyTorch's library, whose loops were
//! each arranged by a compiler. The orders were found from outside, by transforms of a few numbers at a time.

use super::super::plans::Real;
use super::number::Number;
use crate::kernel::follows_intel;

/// A line each: the kind of transform, its length, which of the parts that it is made of, the float, the maker of the processor, whether
/// the terms are scaled first, and the orders, for the cosines and, after a bar, for the sines. `-` stands for any.
///
/// An order is a text of digits, each a term times its factor, where `+` adds up the last two results, and `*` after a digit adds that
/// product to the result before without rounding it.
const ORDERS: &str = include_str!("orders.txt");

/// Which orders are wanted.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// `complex`, `of-real` or `to-real`.
    pub kind: &'static str,
    /// The length of the whole transform.
    pub n: usize,
    /// Which of its parts.
    pub part: usize,
    /// Whether the terms are scaled before they are added up.
    pub scaled: bool,
}

/// The orders of additions of a transform of a prime number of terms.
#[derive(Clone, Debug)]
pub struct Orders {
    /// For each number of the result up to the middle, the order of what stands with cosines; term 0 is the first number itself.
    pub cosines: Vec<&'static [u8]>,
    /// For each but the first, the order of what stands with sines.
    pub sines: Vec<&'static [u8]>,
}

impl Wanted {
    /// The orders for floats of this size, on the processor whose last bits are wanted.
    pub fn find<T: Real>(self) -> Orders {
        let float = if size_of::<T>() == 4 { "f32" } else { "f64" };
        let maker = if follows_intel() { "intel" } else { "amd" };
        let scaled = if self.scaled { "scaled" } else { "plain" };
        let (n, part) = (self.n.to_string(), self.part.to_string());
        let words = [self.kind, &n, &part, float, maker, scaled];
        let row = ORDERS.lines().find_map(|line| {
            let mut columns = line.splitn(words.len() + 1, ' ');
            let fits = words.iter().zip(&mut columns).all(|(word, column)| column == "-" || column == *word);
            columns.next().filter(|_| fits)
        });
        // A third has one order only.
        let (cosines, sines) = row.and_then(|row| row.split_once(" | ")).unwrap_or(("01+ 01+", "1"));
        let list = |text: &'static str| text.split(' ').map(str::as_bytes).collect();
        Orders { cosines: list(cosines), sines: list(sines) }
    }
}

/// The sum of terms, each times its factor, in an order.
pub fn sum<T: Real, N: Number<T>>(order: &[u8], terms: &[N], factors: &[T]) -> N {
    let (mut results, mut count) = ([terms[0]; 8], 0);
    let mut signs = order.iter().peekable();
    while let Some(sign) = signs.next() {
        if *sign == b'+' {
            count -= 1;
            results[count - 1] = results[count - 1] + results[count];
            continue;
        }
        let term = usize::from(sign - b'0');
        if signs.next_if(|next| **next == b'*').is_some() {
            results[count - 1] = results[count - 1].plus_product(terms[term], factors[term]);
        } else {
            results[count] = terms[term].times(factors[term]);
            count += 1;
        }
    }
    results[0]
}
