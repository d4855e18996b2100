//! Names of words of memory, for messages.

use crate::simt::code::Place;
use crate::simt::ir::{Mem, Variable};
use crate::trace::Space;

/// The name of `byte` of a place's memory, for messages: within its variable.
pub(super) fn name(place: &Place, byte: u32, variables: &[Variable]) -> String {
    let is_there = |v: &&Variable| v.space == Space::Shared && (v.base..v.base + v.bytes).contains(&byte);
    // An asynchronous operation may go to any variable of shared memory.
    let there = if place.mem == Mem::Shared { variables.iter().find(is_there) } else { None };
    let Some(variable) = there.or(variables.get(usize::from(place.variable))) else { return format!("byte {byte}") };
    let byte = match &place.pages {
        _ if place.mem == Mem::Shared => byte.wrapping_sub(variable.base).into(),
        Some(pages) => pages.byte(byte),
        None => u64::from(byte),
    };
    format!("word {} (byte {byte}) of `{}`", byte / 4, variable.name)
}
