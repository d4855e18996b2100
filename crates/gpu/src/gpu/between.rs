//! The transports between GPUs: NCCL, or kernels of our own.

/// A library, or kernels of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// NVIDIA's library of collectives.
    Nccl,
    /// Kernels that write to the memory of the other ranks' GPUs.
    Peers,
}

impl Between {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nccl => "nccl",
            Self::Peers => "peer",
        }
    }
}
