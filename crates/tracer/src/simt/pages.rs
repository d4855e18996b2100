//! Buffers of more bytes than the tracer holds: a page of memory belongs to a page of the buffer from its first access on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::Program;
use crate::trace::Finding;
use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::Tensor;
use warpbook_base::units::count;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Which page of memory holds which page of a buffer. A launch with such a buffer runs its workgroups in order, so that the pages of memory
/// are taken in one order, too.
#[derive(Debug)]
pub struct Pages {
    /// Bytes of the buffer.
    pub bytes: u64,
    /// By page of the buffer, 1 more than its page of memory; 0 for none.
    table: Vec<AtomicU32>,
    /// By page of memory, its page of the buffer.
    owners: Vec<AtomicU32>,
    /// Pages of memory that were asked for.
    taken: AtomicU32,
}

impl Pages {
    /// A buffer of `bytes` bytes, of which `held` are in memory at most.
    pub fn new(bytes: u64, held: u64) -> Self {
        let zeros = |pages: u64| (0..pages).map(|_| AtomicU32::new(0)).collect();
        Self { bytes, table: zeros(bytes.div_ceil(PAGE)), owners: zeros(held / PAGE), taken: AtomicU32::new(0) }
    }

    /// The byte of memory that holds a byte of the buffer; None if all memory is taken.
    pub fn at(&self, byte: u64) -> Option<u32> {
        let (page, within) = (byte / PAGE, byte % PAGE);
        let entry = self.table.get(usize::try_from(page).ok()?)?;
        let mut held = entry.load(Relaxed);
        if held == 0 {
            let next = self.taken.load(Relaxed);
            self.taken.store(next.saturating_add(1), Relaxed);
            self.owners.get(next as usize)?.store(u32::try_from(page).ok()?, Relaxed);
            held = next + 1;
            entry.store(held, Relaxed);
        }
        u32::try_from(u64::from(held - 1) * PAGE + within).ok()
    }

    /// The byte of the buffer that a byte of memory holds.
    pub fn byte(&self, held: u32) -> u64 {
        let (page, within) = (u64::from(held) / PAGE, u64::from(held) % PAGE);
        let owner = usize::try_from(page).ok().and_then(|page| self.owners.get(page));
        owner.map_or(0, |owner| u64::from(owner.load(Relaxed))) * PAGE + within
    }

    fn held(&self) -> u64 {
        self.owners.len() as u64 * PAGE
    }

    fn is_exceeded(&self) -> bool {
        self.taken.load(Relaxed) as usize > self.owners.len()
    }
}

/// The pages of each buffer of a launch; None of a buffer that its tensor holds. `sizes` are [`super::Options::paged`].
pub fn of_launch(
    program: &Program,
    tensors: &[Tensor],
    sizes: &[Option<u64>],
) -> Result<Vec<Option<Arc<Pages>>>, Diagnostic> {
    let each = tensors
        .iter()
        .zip(sizes)
        .map(|(tensor, size)| size.map(|bytes| Arc::new(Pages::new(bytes, tensor.words.len() as u64 * 4))));
    let pages: Vec<Option<Arc<Pages>>> = each.collect();
    let moved = pages.iter().enumerate().find(|(i, pages)| pages.is_some() && program.moves_boxes(*i));
    let Some((i, _)) = moved else { return Ok(pages) };
    let name = name(program, i);
    let message =
        format!("`{name}` is too large for this kernel: the copy engine moves parts of it, and it is held by pages");
    Err(Diagnostic::error(message).hint("give it at most 1 GiB"))
}

/// An error if a launch has touched more of a buffer than is held, with what was found until then.
pub fn check(program: &Program, pages: &[Option<Arc<Pages>>], findings: &[Finding]) -> Result<(), Diagnostic> {
    let each = pages.iter().enumerate().filter_map(|(i, pages)| Some((i, pages.as_ref()?)));
    let Some((i, pages)) = each.into_iter().find(|(_, pages)| pages.is_exceeded()) else { return Ok(()) };
    let (name, bytes, held) = (name(program, i), count(pages.bytes), count(pages.held()));
    let found = findings.iter().map(|finding| format!("\nline {}: {}", finding.line, finding.message));
    let found: String = found.collect();
    let message = format!(
        "the launch touches more than {held} of the {bytes} bytes of `{name}`, the most that is held of such a buffer{}{found}",
        if found.is_empty() { "" } else { "; found until then:" }
    );
    let hint = "launch fewer workgroups, with an offset to their numbers for the last ones, or make the buffer smaller";
    Err(Diagnostic::error(message).hint(hint))
}

fn name(program: &Program, buffer: usize) -> &str {
    program.bindings().get(buffer).map_or("", |binding| &binding.name)
}
