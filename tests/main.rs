//! The program without its window: one binary, so that it is linked once. `cargo test --test main simt::` runs one
//! module.

mod common;

mod agree;
mod authoring;
mod circles;
mod cli;
mod compared;
mod constants;
mod corpus;
mod counts;
mod cuda_only;
mod experts;
mod figures;
mod film;
mod guide;
mod hardware;
mod hostile;
mod lessons;
mod notes;
mod packs;
mod pages;
mod parts;
mod processes;
mod programs;
mod ptx;
mod ranks;
mod shares;
mod simt;
mod step_figures;
mod tidy;
mod tokenizer;
mod tokenizer_device;
mod tokens;
mod traced_files;
mod worker;
