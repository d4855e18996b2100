//! Devices, reached through a worker process that may hang or die without taking anything else along.

pub mod backend;
pub mod client;
pub mod fake;
pub mod limits;
pub mod protocol;
pub mod simt;
mod wgpu;
pub mod worker;
