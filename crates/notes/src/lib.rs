//! Notes: a typed report to Markdown, HTML, PDF, notebooks and others.
// Nothing is published: a comment says more than a name, or is left out.
#![allow(missing_docs)]

pub mod notes;

use warpbook_base as base;
use warpbook_lesson::{fonts, lesson, math, pack};
