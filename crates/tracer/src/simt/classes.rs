//! Uniformity analysis: what the lanes of a warp have in common, found before running.
//!
//! A *uniform* value is the same for all lanes, a *linear* one grows by the same step from each lane to the next: both
//! are computed once a warp. Everything else is *varying*. Which indices are uniform depends on the warp's width and the
//! workgroup's shape, so this runs once a launch.
//!
//! A temporary is uniform where its operands are, under any mask: its uses see no lanes that its definition did not. A
//! variable, besides, must not be written where only some of the lanes that will read it are active, that is, in a
//! divergent construct inside the region where it lives.

use super::ir::{Builtin, Inst, Ir, Mem, Reg, RegKind};
use super::ops::Binary;
use super::regions::{ConstructKind, RegionId, Regions};

/// How the lanes' values of one register relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// All equal.
    Uniform,
    /// Lane `l` has `base + l·step`, modulo 2³².
    Linear,
    /// Anything.
    Varying,
}

/// The classes of all registers, and which constructs divide a warp.
#[derive(Clone, Debug)]
pub struct Classes {
    /// By register.
    pub of: Vec<Class>,
    /// By construct.
    pub divergent: Vec<bool>,
}

/// The class of a built-in input, for warps of `width` lanes numbered by the linear local index.
pub fn builtin_class(builtin: Builtin, width: u32, size: [u32; 3]) -> Class {
    let [x, y, z] = size;
    match builtin {
        Builtin::WorkgroupId(_) | Builtin::NumWorkgroups(_) => Class::Uniform,
        Builtin::Warp | Builtin::WarpWidth | Builtin::WarpCount => Class::Uniform,
        Builtin::LocalIndex | Builtin::Lane => Class::Linear,
        Builtin::LocalId(axis) | Builtin::GlobalId(axis) => {
            let (extent, row) = match axis {
                0 => (x, 1),
                1 => (y, x),
                _ => (z, x * y),
            };
            if extent == 1 || row % width == 0 {
                // The axis does not change within a warp.
                Class::Uniform
            } else if row == 1 && (x % width == 0 || y * z == 1) {
                Class::Linear
            } else {
                Class::Varying
            }
        }
    }
}

/// Infers the classes of a program's registers.
pub fn infer(ir: &Ir, regions: &Regions, width: u32, size: [u32; 3]) -> Classes {
    let of = ir.regs.iter().map(|kind| match kind {
        RegKind::Builtin(builtin) => builtin_class(*builtin, width, size),
        _ => Class::Uniform,
    });
    let mut classes = Classes { of: of.collect(), divergent: vec![false; regions.constructs.len()] };
    // Start from "all is uniform" and take back what cannot be, until nothing changes; back and forth, since values may go round a loop
    // in either direction.
    let instructions = || ir.insts.iter().enumerate();
    while pass(ir, regions, &mut classes, instructions()) && pass(ir, regions, &mut classes, instructions().rev()) {}
    classes
}

fn pass<'a>(
    ir: &Ir,
    regions: &Regions,
    classes: &mut Classes,
    instructions: impl Iterator<Item = (usize, &'a Inst)>,
) -> bool {
    let mut changed = false;
    let mut raise = |of: &mut Vec<Class>, reg: Reg, class: Class| {
        let slot = &mut of[reg as usize];
        if *slot < class {
            *slot = class;
            changed = true;
        }
    };
    let mut diverging = Vec::new();
    for (i, inst) in instructions {
        let here = regions.of[i];
        let of = &mut classes.of;
        let class = |r: Reg| of[r as usize];
        match *inst {
            Inst::Un { dst, a, .. } => {
                let class = vary(class(a));
                raise(of, dst, class);
            }
            Inst::Bin { op, dst, a, b } => {
                let class = binary(op, class(a), class(b));
                raise(of, dst, class);
            }
            Inst::Tri { dst, a, b, c, .. } => {
                let class = vary(class(a).max(class(b)).max(class(c)));
                raise(of, dst, class);
            }
            Inst::Wide { wide } => {
                let class = vary(wide.reads().map(class).max().unwrap_or(Class::Uniform));
                wide.writes().for_each(|dst| raise(of, dst, class));
            }
            Inst::Read { dst, var } => {
                let class = class(var);
                raise(of, dst, class);
            }
            Inst::Write { var, src } => {
                let split = is_split(regions, &classes.divergent, here, regions.home[var as usize]);
                let class = if split { Class::Varying } else { class(src) };
                raise(of, var, class);
            }
            Inst::Load { place, dst } => {
                let place = &ir.places[place as usize];
                let uniform = place.mem != Mem::Local && place.terms.iter().all(|t| class(t.index) == Class::Uniform);
                if !uniform {
                    for dst in &dst[..usize::from(place.components)] {
                        raise(of, *dst, Class::Varying);
                    }
                }
            }
            Inst::Atomic { old, done, .. } => {
                for dst in [old, done].into_iter().flatten() {
                    raise(of, dst, Class::Varying);
                }
            }
            Inst::AtomicWords { old: Some(old), .. } => old.into_iter().for_each(|dst| raise(of, dst, Class::Varying)),
            // A warp's vote is the same for all that take part, whatever each of them brings.
            Inst::Subgroup { op, dst, index, .. } => {
                let shared = op.is_uniform() && class(index) == Class::Uniform;
                for dst in &dst[..op.results()] {
                    raise(of, *dst, if shared { Class::Uniform } else { Class::Varying });
                }
            }
            Inst::Collective { id } => {
                for dst in &ir.collectives[id as usize].d {
                    raise(of, *dst, Class::Varying);
                }
            }
            Inst::If { cond, .. } if class(cond) != Class::Uniform => {
                diverging.extend(regions.construct[i]);
            }
            Inst::BreakIf { cond } if (class(cond) != Class::Uniform || is_divided(regions, &classes.divergent, i)) => {
                diverging.extend(regions.construct[i]);
            }
            Inst::Break { .. } | Inst::Continue { .. } | Inst::Return if is_divided(regions, &classes.divergent, i) => {
                diverging.extend(regions.construct[i]);
            }
            _ => {}
        }
    }
    for construct in diverging {
        let slot = &mut classes.divergent[construct as usize];
        changed |= !*slot;
        *slot = true;
    }
    changed
}

fn vary(class: Class) -> Class {
    if class == Class::Uniform { Class::Uniform } else { Class::Varying }
}

/// The class of an operation's result; [`super::emit`] computes linear ones on their base and step.
pub fn binary(op: Binary, a: Class, b: Class) -> Class {
    use Class::{Linear, Uniform};
    match (op, a, b) {
        (_, Uniform, Uniform) => Uniform,
        (Binary::IAdd | Binary::ISub, Uniform | Linear, Uniform | Linear)
        | (Binary::IMul | Binary::Shl, Linear, Uniform)
        | (Binary::IMul, Uniform, Linear) => Linear,
        _ => Class::Varying,
    }
}

/// Whether a divergent construct lies between region `here` and the region `home` around it.
fn is_split(regions: &Regions, divergent: &[bool], here: RegionId, home: RegionId) -> bool {
    regions.chain(here, home).any(|r| regions.regions[r as usize].construct.is_some_and(|c| divergent[c as usize]))
}

/// Whether lanes that leave a construct by the jump at instruction `i` may do so without the others.
fn is_divided(regions: &Regions, divergent: &[bool], i: usize) -> bool {
    let target = regions.construct[i];
    // A `return` of the entry point leaves the whole program.
    let until = target.map_or(0, |c| regions.constructs[c as usize].outside);
    regions.chain(regions.of[i], until).any(|r| {
        let construct = regions.regions[r as usize].construct;
        // The construct that is left is no obstacle to leaving it together, save a function with returns in a
        // divergent part: they are what is being found out.
        construct != target && construct.is_some_and(|c| divergent[c as usize] && !is_block(regions, c))
    })
}

fn is_block(regions: &Regions, construct: u32) -> bool {
    regions.constructs[construct as usize].kind == ConstructKind::Block
}
