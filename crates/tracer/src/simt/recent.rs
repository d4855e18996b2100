//! The programs that were compiled last, so that a question about a kernel does not compile it again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::program::Program;
use warpbook_base::diag::Diagnostic;

/// The most programs that are kept.
const MOST: usize = 16;

/// The programs that were compiled last, each with the key that determines it, such as its text and entry point.
pub struct Recent<K>(Mutex<VecDeque<(K, Arc<Program>)>>);

impl<K: PartialEq> Recent<K> {
    /// An empty store.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    /// The program of `key`, which `compile` makes if it is not known.
    ///
    /// # Errors
    /// The errors of `compile`. The next call with the same key compiles again.
    pub fn get(
        &self,
        key: K,
        compile: impl FnOnce(&K) -> Result<Program, Vec<Diagnostic>>,
    ) -> Result<Arc<Program>, Vec<Diagnostic>> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, program)) = known().iter().find(|(other, _)| *other == key) {
            return Ok(Arc::clone(program));
        }
        // Without the lock: other kernels need not wait for this one.
        let program = Arc::new(compile(&key)?);
        let mut known = known();
        known.truncate(MOST - 1);
        known.push_front((key, Arc::clone(&program)));
        Ok(program)
    }
}

impl<K: PartialEq> Default for Recent<K> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simt::tally;

    #[test]
    fn a_program_is_compiled_once_and_errors_are_not_kept() -> Result<(), Vec<Diagnostic>> {
        let recent = Recent::new();
        let text = |size: u32| format!("@compute @workgroup_size({size}) fn main() {{}}");
        let compile = |size: u32| recent.get(size, |size| Program::compile_anew("t.wgsl", &text(*size), "main", &[]));
        let before = tally::of_this_thread();
        assert!(compile(0).is_err() && compile(0).is_err());
        assert_eq!(tally::of_this_thread(), before + 2);
        assert_eq!(compile(8)?.workgroup_size(), compile(8)?.workgroup_size());
        assert_eq!(tally::of_this_thread(), before + 3);
        for size in 16..16 + MOST as u32 {
            compile(size)?;
        }
        compile(8)?;
        assert_eq!(tally::of_this_thread(), before + 4 + MOST as u64);
        Ok(())
    }
}
