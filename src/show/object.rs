//! The texts of the small objects of `torch`: sizes, devices, layouts, the limits of dtypes.

use crate::dtype::{FloatLimits, IntLimits, general};
use crate::tensor::SparseKind;
use crate::value::Device;

/// Sizes as a tuple: `(2, 3)`, `(3,)`, `()`.
pub fn tuple(sizes: &[i64]) -> String {
    let comma = if sizes.len() == 1 { "," } else { "" };
    format!("({}{comma})", join(sizes))
}

/// `torch.Size([2, 3])`
pub fn size(sizes: &[i64]) -> String {
    format!("torch.Size([{}])", join(sizes))
}

fn join(sizes: &[i64]) -> String {
    sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// `device(type='cuda', index=1)`
pub fn device(device: &Device) -> String {
    match device.index {
        Some(index) => format!("device(type='{}', index={index})", device.id.kind()),
        None => format!("device(type='{}')", device.id.kind()),
    }
}

/// `cuda:1`, `cuda`, `cpu`: a device as `str` gives it.
pub fn device_str(device: &Device) -> String {
    match device.index {
        Some(index) => format!("{}:{index}", device.id.kind()),
        None => device.id.kind().to_string(),
    }
}

/// `torch.sparse_coo`
pub fn sparse_layout(kind: SparseKind) -> String {
    format!("torch.{}", kind.name())
}

/// `finfo(resolution=1e-06, min=-3.40282e+38, …, dtype=float32)`
pub fn finfo(limits: &FloatLimits) -> String {
    let g = |f| general(f, 6);
    let normal = g(limits.smallest_normal);
    format!(
        "finfo(resolution={}, min={}, max={}, eps={}, smallest_normal={normal}, tiny={normal}, dtype={})",
        g(limits.resolution),
        g(limits.min),
        g(limits.max),
        g(limits.eps),
        limits.dtype.name()
    )
}

/// `iinfo(min=-128, max=127, dtype=int8)`; large numbers lose digits, as in PyTorch.
pub fn iinfo(limits: &IntLimits) -> String {
    let g = |i: i128| general(i as f64, 6);
    format!("iinfo(min={}, max={}, dtype={})", g(limits.min), g(limits.max), limits.dtype.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceId;
    use crate::dtype::DType;

    #[test]
    fn sizes_and_devices() {
        assert_eq!([tuple(&[]), tuple(&[3]), tuple(&[2, 3])], ["()", "(3,)", "(2, 3)"]);
        assert_eq!([size(&[]), size(&[3])], ["torch.Size([])", "torch.Size([3])"]);
        let cuda = Device { id: DeviceId::Cuda(1), index: Some(1) };
        assert_eq!([device(&cuda), device_str(&cuda)], ["device(type='cuda', index=1)", "cuda:1"]);
        assert_eq!(device(&DeviceId::Cpu.into()), "device(type='cpu')");
    }

    #[test]
    fn limits() {
        let finfo_of = |d: DType| d.float_limits().map(|l| finfo(&l));
        let iinfo_of = |d: DType| d.int_limits().map(|l| iinfo(&l));
        assert_eq!(
            finfo_of(DType::F8E4M3).as_deref(),
            Some(
                "finfo(resolution=1, min=-448, max=448, eps=0.125, smallest_normal=0.015625, tiny=0.015625, dtype=float8_e4m3fn)"
            )
        );
        assert_eq!(
            finfo_of(DType::C64).as_deref(),
            Some(
                "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, smallest_normal=1.17549e-38, \
                 tiny=1.17549e-38, dtype=float32)"
            )
        );
        assert_eq!(iinfo_of(DType::U64).as_deref(), Some("iinfo(min=0, max=1.84467e+19, dtype=uint64)"));
        assert_eq!(iinfo_of(DType::I16).as_deref(), Some("iinfo(min=-32768, max=32767, dtype=int16)"));
    }
}
