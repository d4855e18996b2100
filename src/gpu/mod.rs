//! Devices, reached through a worker process that may hang or die without taking anything else along.

pub mod backend;
pub mod client;
#[cfg(feature = "cuda")]
mod cuda;
pub mod fake;
pub mod limits;
mod needs;
mod own;
mod pace;
pub mod protocol;
pub mod simt;
mod toolkit;
mod wgpu;
pub mod worker;
