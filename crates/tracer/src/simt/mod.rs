//! The tracer. It runs WGSL compute shaders on the CPU as a GPU would, a warp at a time, and counts what they touch.
//!
//! A shader goes through these hands: [`lower`] (WGSL to [`ir`]: flat, scalar, calls inlined) once a program; then, once
//! a run, [`regions`] (where variables live), [`classes`] (which values all lanes of a warp share), [`emit`] and
//! [`registers`] (to [`code`]: what a warp executes). A [`workgroup`] runs its [`warp`]s in turns, [`launch`] spreads
//! workgroups over cores, and [`observers`] watch. [`provenance`] runs parts of a grid again to say where an element came from:
//! it walks back through what one workgroup did ([`mod@slice`]).

mod again;
mod arms;
mod arrival;
mod behind;
mod big_stack;
mod binding;
mod boxes;
mod builder;
mod cache;
mod chains;
mod classes;
mod code;
mod collective;
mod control;
mod directed;
mod drive;
mod emit;
mod engine;
mod flow;
mod fragment;
mod groups;
mod inst;
mod ir;
mod lanes;
mod launch;
pub mod layout;
mod lower;
mod matrix;
mod mbarriers;
mod memory;
mod numerics;
mod observers;
mod ops;
mod pages;
mod program;
mod provenance;
mod ptx;
mod recent;
mod regions;
mod registers;
mod roles;
mod say;
mod slice;
mod subgroup;
mod tally;
mod updates;
mod waiting;
mod warp;
mod wgmma;
mod wide;
mod workgroup;

pub use behind::Behind;
pub use binding::Binding;
pub use launch::{Options, Outcome, run};
pub use lower::{EntryPoint, Override, entry_points, overrides};
pub use observers::{Requests, Watched, Written};
pub use program::Program;
pub use provenance::{Question, explain};
pub use ptx::{
    INSTANCE as PTX_INSTANCE, ModuleVariable, POINTEE, Parameter, Ptx, Signature, address_of_binding,
    entries as ptx_entries, entry_named as ptx_entry_named, module_variables as ptx_variables,
    signature as ptx_signature, source_name as ptx_source_name,
};
pub use recent::Recent;
pub use tally::of_this_thread;
