//! The places where a job runs: wgpu and CUDA in a worker process, the tracer, and a scripted fake.
// Nothing is published: a comment says more than a name, or is left out.
#![allow(missing_docs)]

// A page has no device, and uses a part of it.
#[cfg_attr(target_family = "wasm", allow(dead_code))]
pub mod gpu;

use warpbook_base as base;
use warpbook_lesson::{job, measure, pack, reference};
use warpbook_ranks as ranks;
use warpbook_tokenizer as tokenizer;
use warpbook_tracer::{machine, simt, trace};
