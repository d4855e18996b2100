//! Prints, assertions and traps of a kernel, carried out.

use super::{Surroundings, Warp};
use crate::simt::ir::Mem;
use crate::simt::lanes::lanes_of;
use crate::simt::memory::{Buffer, Words};
use crate::simt::say::{Kind, MAX_TEXT, Say, text};
use crate::trace::FindingKind;

impl<const W: usize> Warp<W> {
    /// The active lanes say something; true if that ends the kernel.
    pub(super) fn say<O>(&self, say: &Say, around: &mut Surroundings<'_, O>) -> bool {
        let first = self.mask.trailing_zeros();
        let why = match &say.kind {
            Kind::Text => {
                for lane in lanes_of(self.mask) {
                    let row = |at: u32| self.vectors[(around.code.vectors + at / 4) as usize][lane as usize];
                    let (buffers, shared) = (around.buffers, &*around.shared);
                    around.findings.print(say.line, || text(&say.pieces, &row, &|at| string(at, buffers, shared)));
                }
                return false;
            }
            Kind::Assertion(asserted) => format!("the assertion `{asserted}` fails here"),
            Kind::Trap => "the kernel ends itself by a trap here".to_owned(),
            Kind::Nowhere => "an address that was loaded from memory leads nowhere, and is followed here".to_owned(),
            Kind::Null(name) => format!("the pointer `{name}` leads nowhere, and is followed here"),
        };
        around.report(say.line, FindingKind::Assertion, |at, _| {
            let local = u64::from(at.warp) * W as u64 + u64::from(first);
            format!("{why} (workgroup {}, warp {}, lane {first}, local index {local})", at.workgroup, at.warp)
        });
        true
    }
}

/// The text at a generic address of PTX: the number of a buffer is in its high word.
fn string(address: u64, buffers: &[Buffer<'_>], shared: &[u32]) -> String {
    let (number, first) = ((address >> 40) as usize, address as u32);
    let memory = match number.checked_sub(1) {
        None if address == 0 => return "(null)".to_owned(),
        None => return "(?)".to_owned(),
        Some(buffer) if buffer < buffers.len() => Mem::Buffer(buffer as u16),
        Some(_) => Mem::Shared,
    };
    let byte = |at: u32| {
        let word = match memory {
            Mem::Buffer(buffer) => match &buffers[usize::from(buffer)] {
                Buffer::Read(words) => words.word(at as usize / 4),
                Buffer::Written(words) => words.as_slice().word(at as usize / 4),
            },
            _ => shared.word(at as usize / 4),
        };
        (word >> (8 * (at % 4))) as u8
    };
    let bytes: Vec<u8> =
        (0..MAX_TEXT as u32).map(|n| byte(first.wrapping_add(n))).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
