//! Kinds of devices that PyTorch has names for and that this build works with none of.

use super::DeviceId;
use crate::diag::{ErrorClass, Fault};
use anyhow::Result;

/// What is said when such a device is to be used.
enum Word {
    /// There are no kernels for this backend.
    Backend(&'static str),
    /// PyTorch was built without it.
    Unlinked,
    /// The part of PyTorch that works with it says this first.
    First(ErrorClass, &'static str),
}

/// The kinds by their names.
#[rustfmt::skip] // one kind a line
const KINDS: &[(&str, Word)] = &[
    ("fpga", Word::Backend("FPGA")),
    ("hip", Word::Backend("HIP")),
    ("hpu", Word::First(ErrorClass::ModuleNotFoundError, "No module named 'torch.hpu'")),
    ("ideep", Word::Unlinked),
    ("ipu", Word::Backend("IPU")),
    ("lazy", Word::Backend("Lazy")),
    ("maia", Word::Backend("MAIA")),
    ("mkldnn", Word::Unlinked),
    ("mps", Word::Backend("MPS")),
    ("mtia", Word::First(ErrorClass::AssertionError, "Torch not compiled with MTIA enabled. Ensure you have `import mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include `//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!")),
    ("opencl", Word::Unlinked),
    ("opengl", Word::Unlinked),
    ("privateuseone", Word::First(ErrorClass::ModuleNotFoundError, "No module named 'torch.privateuseone'")),
    ("ve", Word::Backend("VE")),
    ("vulkan", Word::Backend("Vulkan")),
    ("xla", Word::Backend("XLA")),
    ("xpu", Word::First(ErrorClass::AssertionError, "Torch not compiled with XPU enabled")),
];

/// The device of a kind that has a name and nothing else here; none when there is no such kind.
pub fn named(kind: &str) -> Option<DeviceId> {
    row(kind).map(|(name, _)| DeviceId::Absent(name))
}

fn row(kind: &str) -> Option<&'static (&'static str, Word)> {
    KINDS.iter().find(|(name, _)| *name == kind)
}

/// The error for a tensor that shall be made there.
pub(super) fn refusal(kind: &str) -> anyhow::Error {
    match row(kind) {
        Some((_, Word::Backend(backend))) => super::no_kernel("empty.memory_format", backend),
        _ => unreached(kind),
    }
}

/// Fails where nothing can be copied to a device, with the class of error that PyTorch has for it.
pub fn require_reached(id: DeviceId) -> Result<()> {
    match id {
        DeviceId::Absent(kind) => Err(unreached(kind)),
        _ => Ok(()),
    }
}

fn unreached(kind: &str) -> anyhow::Error {
    match row(kind) {
        Some((_, Word::First(class, sentence))) => Fault::new(*class, *sentence).into(),
        _ => err!(RuntimeError, "PyTorch is not linked with support for {kind} devices"),
    }
}
