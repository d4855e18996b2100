//! The accesses of all workgroups of a launch to its buffers, if the workgroups may order each other by fences and
//! atomics ([`super::far`]).

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::between::Raced;
use super::handed::Handed;
use super::published::Published;
use super::word::{Far, Lists, Word};

/// The accesses of a launch's workgroups to its buffers so far.
#[derive(Default)]
pub struct Global(Mutex<State>);

#[derive(Default)]
pub(super) struct State {
    /// By buffer and part.
    pub words: FxHashMap<(u32, u32), Word<Far>>,
    pub lists: Lists<Far>,
    pub published: Published,
    pub handed: Handed,
    /// Parts where the order of strong accesses of several workgroups may matter.
    pub suspects: Vec<Raced>,
}

impl Global {
    /// Nothing was accessed yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The parts where the order of strong accesses of several workgroups may matter.
    pub fn raced(&self) -> Vec<Raced> {
        self.state().suspects.clone()
    }

    /// What was done so far.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
