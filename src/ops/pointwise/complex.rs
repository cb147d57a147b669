//! Complex numbers: parts, angles, conjugates.

use crate::ops::map::{BOOL_WIDE, map};
use crate::ops::op;

rows![
    op("angle(Tensor self) -> Tensor", "The angle of each complex element; of a real one 0 or π by its sign.", "torch.angle(torch.tensor([1j]))  # tensor([1.5708])",
        map!(angle(a), RealFloat, "angle(a)";
            f32: if a.is_nan() { a } else if a < 0.0 { std::f32::consts::PI } else { 0.0 };
            f64: if a.is_nan() { a } else if a < 0.0 { std::f64::consts::PI } else { 0.0 };
            complex => real: a.arg())),
    op("conj_physical(Tensor self) -> Tensor", "The complex conjugate, computed at once.", "torch.conj_physical(torch.tensor([1 + 2j]))  # tensor([1.-2.j])",
        map!(conj_physical(a), Promote, "conj(a)"; real: a; complex: a.conj())).inplace(),
    op("complex(Tensor real, Tensor imag) -> Tensor", "Complex numbers from their parts.", "torch.complex(torch.tensor([1.]), torch.tensor([2.]))  # tensor([1.+2.j])",
        map!(&[crate::dtype::DType::BF16]; complex(a, b), Complex, "complex(a, b)"; float => complex: num_complex::Complex::new(a, b))).function_only(),
    op("polar(Tensor abs, Tensor angle) -> Tensor", "Complex numbers from their sizes and angles.", "torch.polar(torch.tensor([2.]), torch.tensor([0.]))  # tensor([2.+0.j])",
        map!(BOOL_WIDE; polar(a, b), Complex, "polar(a, b)"; float => complex: num_complex::Complex::new(a * b.cos(), a * b.sin()))).function_only(),
];
