//! Where elements live: device ids, buffers and the verbs every device has.
//!
//! No operation is named here. A device knows how to keep bytes and how to run a kernel over a plan.

/// Names a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceId {
    /// Host memory.
    Cpu,
    /// No memory at all: shapes without data.
    Meta,
    /// A GPU by number.
    Cuda(u32),
}

impl DeviceId {
    /// `cpu`, `meta`, `cuda`.
    pub fn kind(self) -> &'static str {
        match self {
            DeviceId::Cpu => "cpu",
            DeviceId::Meta => "meta",
            DeviceId::Cuda(_) => "cuda",
        }
    }

    /// The number after the colon, for devices that have one.
    pub fn index(self) -> Option<u32> {
        match self {
            DeviceId::Cuda(n) => Some(n),
            _ => None,
        }
    }
}

impl std::fmt::Display for DeviceId {
    /// `cpu`, `cuda:0`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index() {
            Some(n) => write!(f, "{}:{n}", self.kind()),
            None => f.write_str(self.kind()),
        }
    }
}
