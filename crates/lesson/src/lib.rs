//! Lessons as data: the pack's files, its lessons resolved, the work to run, expected results, and devices by their
//! published figures. Nothing here runs or draws anything.
// Nothing is published: a comment says more than a name, or is left out.
#![allow(missing_docs)]

pub mod device;
pub mod fonts;
pub mod job;
pub mod lesson;
pub mod math;
pub mod measure;
pub mod pack;
pub mod reference;

use warpbook_base as base;
use warpbook_ranks as ranks;
use warpbook_tokenizer as tokenizer;
use warpbook_tracer::trace;
