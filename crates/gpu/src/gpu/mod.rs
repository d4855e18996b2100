//! Devices, reached through a worker process that may hang or die without taking anything else along.

pub mod backend;
mod bench;
mod between;
mod builtin_kernels;
mod checks;
pub mod client;
mod constants;
#[cfg(feature = "cuda")]
mod cuda;
mod driver;
pub mod fake;
mod features;
pub mod history;
pub mod limits;
pub mod machine;
mod not_a_number;
mod outputs;
mod pace;
pub mod protocol;
pub mod ranks;
pub mod sandbox;
pub mod share;
pub mod shipped;
pub mod simt;
pub mod tokenizer;
pub mod toolkit;
mod walk;
#[cfg(not(target_family = "wasm"))]
mod wgpu;
#[cfg(target_family = "wasm")]
#[path = "wgpu_in_page.rs"]
mod wgpu;
pub mod worker;
