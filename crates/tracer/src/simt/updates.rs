//! Finds what belongs together by its address: loads and stores that change what is there, of which one change is lost if two threads do so
//! without an atomic; loads of words that a compare-exchange changes, which checks what was loaded; and atomics whose value is used.

use std::collections::HashMap;

use super::flow::Flow;
use super::ir::{AtomicOp, Inst, Ir, Mem, Place, PlaceId, Reg};

/// The address of an access, as its registers have it.
type Address = (u32, Option<i64>, Vec<(u32, i64)>);

/// The accesses at one address.
#[derive(Default)]
struct Accesses {
    /// Each with the registers that it loads.
    loads: Vec<(PlaceId, [Reg; 4])>,
    /// Each with the registers that it stores.
    stores: Vec<(PlaceId, [Reg; 4])>,
    has_exchange: bool,
}

/// Registers that are looked at to see where a value comes from.
const MOST: usize = 256;

/// Marks the places of such accesses, and atomics whose value is used.
pub fn mark(ir: &mut Ir) {
    let flow = Flow::of(ir);
    let live = flow.live(ir);
    let mut by_address: HashMap<Address, Accesses> = HashMap::new();
    let mut returning = Vec::new();
    for inst in &ir.insts {
        let is_used = match inst {
            Inst::Atomic { old, done, .. } => [old, done].into_iter().flatten().any(|reg| live[*reg as usize]),
            Inst::AtomicWords { old: Some(old), .. } => old.iter().any(|reg| live[*reg as usize]),
            _ => false,
        };
        let Some(place) = inst.place(ir) else { continue };
        returning.extend(is_used.then_some(place));
        let Some(address) = address(&ir.places[place as usize]) else { continue };
        let accesses = || by_address.entry(address).or_default();
        match *inst {
            Inst::Load { dst, .. } => accesses().loads.push((place, dst)),
            Inst::Store { src, .. } => accesses().stores.push((place, src)),
            Inst::Atomic { op: AtomicOp::CompareExchange, .. }
            | Inst::AtomicWords { op: AtomicOp::CompareExchange, .. } => accesses().has_exchange = true,
            _ => {}
        }
    }
    returning.into_iter().for_each(|place| ir.places[place as usize].returns = true);
    for Accesses { loads, stores, has_exchange } in by_address.into_values() {
        loads.iter().for_each(|(place, _)| ir.places[*place as usize].checked = has_exchange);
        for (store, src) in stores {
            let mut left = MOST;
            let mut from = None;
            flow.back(src[..usize::from(ir.places[store as usize].components)].to_vec(), |reg| {
                let is_of = |place: PlaceId, dst: &[Reg]| {
                    dst[..usize::from(ir.places[place as usize].components)].contains(&reg)
                };
                from = loads.iter().find(|(place, dst)| is_of(*place, dst)).map(|(place, _)| *place);
                left -= 1;
                from.is_none() && left > 0
            });
            for place in from.into_iter().flat_map(|load| [load, store]) {
                ir.places[place as usize].updates = true;
            }
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
