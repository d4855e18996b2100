//! Finds what belongs together by its address: loads and stores that change what is there, of which one change is lost if two threads do so
//! without an atomic; loads of words that a compare-exchange changes, which checks what was loaded; and atomics whose value is used.

use std::collections::HashMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::Flow;
use super::ir::{AtomicOp, Inst, Ir, Mem, Place, PlaceId, Reg};

/// The address of an access, as its registers have it.
type Address = (u32, Option<i64>, Vec<(u32, i64)>);

/// Loads, by the registers that they write: of each the first.
type Loads = FxHashMap<Reg, PlaceId>;

/// The accesses at one address.
#[derive(Default)]
struct Accesses {
    loads: Loads,
    /// Each with the registers that it stores.
    stores: Vec<(PlaceId, [Reg; 4])>,
    /// The registers that compare-exchanges compare the word with.
    compared: Vec<Reg>,
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
        let Some(place) = inst.place(ir) else { continue };
        if matches!(inst, Inst::Atomic { .. } | Inst::AtomicWords { .. }) {
            let mut is_used = false;
            inst.writes(ir, |reg| is_used |= live[reg as usize]);
            returning.extend(is_used.then_some(place));
        }
        let Some(address) = address(&ir.places[place as usize]) else { continue };
        let accesses = || by_address.entry(address).or_default();
        match *inst {
            Inst::Load { dst, .. } => add(&mut accesses().loads, ir, place, &dst),
            Inst::Store { src, .. } => accesses().stores.push((place, src)),
            Inst::Atomic { op: AtomicOp::CompareExchange, compare, .. } => accesses().compared.push(compare),
            Inst::AtomicWords { op: AtomicOp::CompareExchange, operands, .. } => {
                accesses().compared.extend(&operands[2..]);
            }
            _ => {}
        }
    }
    returning.into_iter().for_each(|place| ir.places[place as usize].returns = true);
    let polled = polled(ir, &flow);
    for Accesses { loads, stores, compared } in by_address.into_values() {
        for load in sources(&flow, &compared, &loads) {
            ir.places[load as usize].checked = true;
        }
        let is_polled = loads.values().any(|place| polled.contains(place));
        for (store, src) in stores {
            ir.places[store as usize].sync.polls = is_polled && ir.places[store as usize].atomic;
            let src = &src[..usize::from(ir.places[store as usize].components)];
            let from = sources(&flow, src, &loads);
            for place in from.first().into_iter().flat_map(|load| [*load, store]) {
                ir.places[place as usize].updates = true;
            }
        }
    }
    polled.into_iter().for_each(|place| ir.places[place as usize].sync.polls = true);
}

/// The loads, of those given, that the values of these registers are found to be computed from.
fn sources(flow: &Flow, values: &[Reg], loads: &Loads) -> Vec<PlaceId> {
    let (mut left, mut from) = (MOST, Vec::new());
    if loads.is_empty() {
        return from;
    }
    flow.back(values, |reg| {
        from.extend(loads.get(&reg));
        left -= 1;
        left > 0
    });
    from
}

/// Adds a load by the registers that it writes.
fn add(loads: &mut Loads, ir: &Ir, place: PlaceId, dst: &[Reg; 4]) {
    for reg in &dst[..usize::from(ir.places[place as usize].components)] {
        loads.entry(*reg).or_insert(place);
    }
}

/// Strong loads that decide whether a loop that waits goes round once more.
fn polled(ir: &Ir, flow: &Flow) -> FxHashSet<PlaceId> {
    /// A loop: whether it waits, its conditions, and its loads.
    type Around = (bool, Vec<Reg>, Loads);
    let (mut open, mut found): (Vec<Around>, _) = (Vec::new(), FxHashSet::default());
    for inst in &ir.insts {
        match *inst {
            Inst::Loop => open.push(Around::default()),
            Inst::Spin => open.last_mut().into_iter().for_each(|around| around.0 = true),
            Inst::If { cond, .. } | Inst::BreakIf { cond } | Inst::Switch { case: cond } => {
                open.iter_mut().for_each(|around| around.1.push(cond));
            }
            Inst::Load { place, dst } if ir.places[place as usize].atomic => {
                open.iter_mut().for_each(|around| add(&mut around.2, ir, place, &dst));
            }
            Inst::EndLoop => {
                let Some((true, conditions, loads)) = open.pop() else { continue };
                found.extend(sources(flow, &conditions, &loads));
            }
            _ => {}
        }
    }
    found
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
