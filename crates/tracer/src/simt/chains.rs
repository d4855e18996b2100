//! Dependencies within each basic block: the number of times that a warp waits for memory, and the longest chain of dependent instructions.
//!
//! A warp issues in order and stalls at the first instruction that reads the result of a pending load. Consecutive loads are in flight
//! together, so that instruction waits for all of them. A load whose value is read in a later block counts as one wait. A result that
//! nothing reads is not waited for.

use std::collections::{HashMap, HashSet};

use super::code::{Code, Mention, NONE, Op};
use super::collective::What;
use super::ir::Mem;
use crate::trace::Space;

/// Fills in the chains of the basic blocks of `code`, whose registers are not allocated yet: each is written once, or is a variable's.
pub(super) fn find(code: &mut Code) {
    let mut ops = std::mem::take(&mut code.ops);
    let mut used = HashSet::new();
    for op in &mut ops {
        op.mentions(&mut code.places, &mut code.collectives, &mut |mention| match mention {
            Mention::ReadOne(r) => _ = used.insert((true, *r)),
            Mention::Read(r) => _ = used.insert((false, *r)),
            Mention::WriteOne(_) | Mention::Write(_) => {}
        });
    }
    let chased = chased(&mut ops, code);
    let mut chains = Chains::default();
    for (index, op) in ops.iter_mut().enumerate() {
        if let Op::Enter(block) = op {
            chains.close(code);
            chains.block = Some(*block as usize);
            continue;
        }
        if let Op::Collective { id } = op {
            let what = code.collectives[*id as usize].what;
            if what.orders() {
                continue;
            }
            chains.products += u32::from(what.multiplies());
        }
        let (reads, writes) = registers(op, code);
        // Only results that are read are waited for.
        let memory = memory(op, code).filter(|_| writes.iter().any(|write| used.contains(write)));
        if let Op::Collective { id } = op {
            match code.collectives[*id as usize].what {
                // A value that is copied asynchronously is not waited for here.
                What::Copy => chains.hand_over(&reads),
                What::WaitForCopies { .. } => chains.waits[0] += 1,
                _ => {}
            }
        }
        chains.op(&reads, &writes, memory, is_masked(op));
        if chased.contains(&index) {
            chains.chased.extend(writes);
        }
    }
    chains.close(code);
    code.ops = ops;
}

/// The loads from buffers whose address depends on their own results, by their indices: each run of one waits for the one before.
fn chased(ops: &mut [Op], code: &mut Code) -> HashSet<usize> {
    // By register, the registers that are written from it.
    let mut next: HashMap<Register, Vec<Register>> = HashMap::new();
    let mut loads = Vec::new();
    for (index, op) in ops.iter_mut().enumerate() {
        let (reads, writes) = registers(op, code);
        if memory(op, code) == Some(Space::Global) {
            loads.push((index, reads.clone(), writes.clone()));
        }
        for read in reads {
            next.entry(read).or_default().extend(&writes);
        }
    }
    let depends = |(_, reads, writes): &(usize, Vec<Register>, Vec<Register>)| {
        let (mut seen, mut open): (HashSet<Register>, Vec<Register>) =
            (writes.iter().copied().collect(), writes.clone());
        while let Some(register) = open.pop() {
            if reads.contains(&register) {
                return true;
            }
            let new = next.get(&register).into_iter().flatten().filter(|next| seen.insert(**next));
            open.extend(new);
        }
        false
    };
    loads.iter().filter(|load| depends(load)).map(|(index, ..)| *index).collect()
}

/// The registers that an operation reads, and those that it writes.
fn registers(op: &mut Op, code: &mut Code) -> (Vec<Register>, Vec<Register>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    op.mentions(&mut code.places, &mut code.collectives, &mut |mention| match mention {
        Mention::ReadOne(r) => reads.push((true, *r)),
        Mention::Read(r) => reads.push((false, *r)),
        Mention::WriteOne(r) => writes.push((true, *r)),
        Mention::Write(r) => writes.push((false, *r)),
    });
    (reads, writes)
}

/// The memory that an operation reads its results from; None if it reads none. A lane's own arrays are assumed to be in registers.
fn memory(op: &Op, code: &Code) -> Option<Space> {
    let place = match op {
        Op::LoadOne { place, .. } | Op::Load { place, .. } => *place,
        Op::Atomic { place, old, done, .. } if (*old, *done) != (NONE, NONE) => *place,
        Op::AtomicWords { place, old, .. } if *old != [NONE; 4] => *place,
        _ => return None,
    };
    let place = &code.places[place as usize];
    matches!(place.mem, Mem::Buffer(_) | Mem::Shared).then_some(place.space)
}

/// Whether an operation leaves the registers of inactive lanes as they are, so that a value still on its way to them is waited for later.
fn is_masked(op: &Op) -> bool {
    match op {
        Op::VUn { masked, .. } | Op::VBin { masked, .. } | Op::VTri { masked, .. } | Op::Wide { masked, .. } => *masked,
        Op::Fill { masked, .. } | Op::Ramp { masked, .. } => *masked,
        _ => false,
    }
}

/// A register: whether it is a scalar, and its number.
type Register = (bool, u32);

/// Dependencies of the current basic block.
#[derive(Default)]
struct Chains {
    block: Option<usize>,
    /// Registers with pending loads from buffers.
    global: HashSet<Register>,
    /// Registers with pending loads of a pointer chase.
    chased: HashSet<Register>,
    /// Waits for such loads.
    chased_waits: u32,
    /// Registers with pending loads from workgroup memory.
    shared: HashSet<Register>,
    /// Depth of each register's value in the block's dependency graph.
    depths: HashMap<Register, u32>,
    waits: [u32; 2],
    longest: u32,
    products: u32,
}

impl Chains {
    fn op(&mut self, reads: &[Register], writes: &[Register], memory: Option<Space>, masked: bool) {
        if reads.iter().any(|r| self.global.contains(r)) {
            self.waits[0] += 1;
            self.chased_waits += u32::from(!self.chased.is_empty());
            self.global.clear();
            self.chased.clear();
            self.shared.clear();
        }
        if reads.iter().any(|r| self.shared.contains(r)) {
            self.waits[1] += 1;
            self.shared.clear();
        }
        let depth = 1 + reads.iter().filter_map(|r| self.depths.get(r)).copied().max().unwrap_or(0);
        self.longest = self.longest.max(depth);
        for write in writes {
            self.depths.insert(*write, depth);
            match memory {
                Some(Space::Shared) => self.shared.insert(*write),
                Some(Space::Global) => self.global.insert(*write),
                // Uniforms are read through the constant cache: no latency is counted.
                None if masked => false,
                Some(Space::Uniform) | None => self.global.remove(write) | self.shared.remove(write),
            };
        }
    }

    /// Values on their way go on without the warp.
    fn hand_over(&mut self, values: &[Register]) {
        for value in values {
            self.global.remove(value);
        }
    }

    /// Ends the basic block and writes its dependencies into `code`.
    fn close(&mut self, code: &mut Code) {
        let Self { block, global, shared, waits, longest, products, chased, chased_waits, .. } = std::mem::take(self);
        let Some(block) = block.and_then(|block| code.blocks.get_mut(block)) else { return };
        block.waits_global += waits[0] + u32::from(!global.is_empty());
        block.waits_chased += chased_waits + u32::from(!chased.is_empty() && !global.is_empty());
        block.waits_shared += waits[1] + u32::from(!shared.is_empty() && global.is_empty());
        block.chain += longest.min(block.weight);
        block.products += products;
    }
}
