//! Finds what belongs together by its address: loads and stores that change what is there, of which one change is lost if two threads do so
//! without an atomic; and loads of words that a compare-exchange changes, which checks what was loaded.

use std::collections::HashMap;

use super::ir::{AtomicOp, Inst, Ir, Mem, Place, PlaceId};

/// The address of an access, as its registers have it.
type Address = (u32, Option<i64>, Vec<(u32, i64)>);

/// The accesses at one address.
#[derive(Default)]
struct Accesses {
    loads: Vec<PlaceId>,
    stores: Vec<PlaceId>,
    has_exchange: bool,
}

/// Marks the places of such accesses.
pub fn mark(ir: &mut Ir) {
    let mut by_address: HashMap<Address, Accesses> = HashMap::new();
    for inst in &ir.insts {
        let Some(place) = inst.place(ir) else { continue };
        let Some(address) = address(&ir.places[place as usize]) else { continue };
        let accesses = || by_address.entry(address).or_default();
        match inst {
            Inst::Load { .. } => accesses().loads.push(place),
            Inst::Store { .. } => accesses().stores.push(place),
            Inst::Atomic { op: AtomicOp::CompareExchange, .. }
            | Inst::AtomicWords { op: AtomicOp::CompareExchange, .. } => accesses().has_exchange = true,
            _ => {}
        }
    }
    for Accesses { loads, stores, has_exchange } in by_address.into_values() {
        loads.iter().for_each(|place| ir.places[*place as usize].checked = has_exchange);
        if !loads.is_empty() && !stores.is_empty() {
            loads.iter().chain(&stores).for_each(|place| ir.places[*place as usize].updates = true);
        }
    }
}

fn address(place: &Place) -> Option<Address> {
    let memory = match place.mem {
        Mem::Buffer(buffer) => u32::from(buffer),
        Mem::Shared => u32::MAX,
        Mem::Local => return None,
    };
    let terms = place.terms.iter().map(|term| (term.index, term.stride)).collect();
    Some((memory, place.whole.map(|whole| whole.start), terms))
}
