//! Scopes: the tree of regions that structured control flow makes, and the region in which each variable lives.
//!
//! A variable that lives in a small region can often be shared by the lanes of a warp (see [`super::classes`]): the
//! counter of a loop inside a divergent `if` is still the same for all lanes that got there.

use super::ir::{Inst, Ir, Reg, RegKind};

/// A region's number; region 0 is the whole program.
pub type RegionId = u32;

/// The kinds of [`Construct`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstructKind {
    /// A lexical block.
    Block,
    /// A conditional.
    If,
    /// A lowered `switch`.
    Scope,
    /// A loop.
    Loop,
    /// An inlined function.
    Fn,
}

/// Something that opens and closes, with one region or two.
#[derive(Clone, Copy, Debug)]
pub struct Construct {
    /// Its kind.
    pub kind: ConstructKind,
    /// The region around it.
    pub outside: RegionId,
}

/// A stretch of instructions that control flow enters only at its start.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The region around it; its own for region 0.
    pub parent: RegionId,
    /// The construct it is part of; none for region 0.
    pub construct: Option<u32>,
    /// The instruction that opens it; none for region 0.
    pub opener: Option<u32>,
}

/// The structure of a program.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// All regions, parents first.
    pub regions: Vec<Region>,
    /// All constructs, outer ones first.
    pub constructs: Vec<Construct>,
    /// The region of each instruction. An instruction that opens or closes a construct is outside of it.
    pub of: Vec<RegionId>,
    /// Of an instruction that opens, divides or closes a construct, or leaves one, that construct.
    pub construct: Vec<Option<u32>>,
    /// Of each register that is a variable, the region it lives in.
    pub home: Vec<RegionId>,
}

impl Regions {
    /// The chain of regions from `region` outwards, ending before `until`.
    pub fn chain(&self, region: RegionId, until: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        let mut at = region;
        std::iter::from_fn(move || {
            (at != until && self.regions[at as usize].construct.is_some()).then(|| {
                let now = at;
                at = self.regions[at as usize].parent;
                now
            })
        })
    }

    fn depth(&self, region: RegionId) -> usize {
        self.chain(region, 0).count()
    }

    fn common(&self, mut a: RegionId, mut b: RegionId) -> RegionId {
        let (mut da, mut db) = (self.depth(a), self.depth(b));
        while a != b {
            if da >= db {
                a = self.regions[a as usize].parent;
                da = da.saturating_sub(1);
            } else {
                b = self.regions[b as usize].parent;
                db -= 1;
            }
        }
        a
    }

    fn is_loop(&self, region: RegionId) -> bool {
        self.regions[region as usize].construct.is_some_and(|c| self.constructs[c as usize].kind == ConstructKind::Loop)
    }
}

/// Finds the structure of `ir`, and gives each variable its home with its first value written there.
pub fn analyse(ir: Ir) -> (Ir, Regions) {
    let structure = structure(&ir);
    let homes = find_homes(&ir, &structure);
    let (ir, homes) = place_first_values(ir, &structure, homes);
    // Regions keep their numbers: what was inserted opens none.
    let mut regions = self::structure(&ir);
    regions.home = homes;
    (ir, regions)
}

fn structure(ir: &Ir) -> Regions {
    let mut out = Regions::default();
    out.regions.push(Region { parent: 0, construct: None, opener: None });
    // Open constructs, with the region each is in now.
    let mut open: Vec<(u32, RegionId)> = Vec::new();
    for (i, inst) in (0..).zip(&ir.insts) {
        let here = open.last().map_or(0, |(_, region)| *region);
        let around = |inside: u32, wanted: &[ConstructKind]| {
            let mut all = open.iter().rev().map(|(c, _)| *c);
            all.by_ref().filter(|c| wanted.contains(&out.constructs[*c as usize].kind)).nth(inside as usize)
        };
        let kind = match inst {
            Inst::Open => Some(ConstructKind::Block),
            Inst::If { .. } => Some(ConstructKind::If),
            Inst::Scope => Some(ConstructKind::Scope),
            Inst::Loop => Some(ConstructKind::Loop),
            Inst::Fn => Some(ConstructKind::Fn),
            _ => None,
        };
        let add = |out: &mut Regions, parent, construct| {
            out.regions.push(Region { parent, construct: Some(construct), opener: Some(i) });
            u32::try_from(out.regions.len() - 1).unwrap_or(u32::MAX)
        };
        let (region, construct) = match (kind, inst) {
            (Some(kind), _) => {
                out.constructs.push(Construct { kind, outside: here });
                let construct = u32::try_from(out.constructs.len() - 1).unwrap_or(u32::MAX);
                let mut inner = add(&mut out, here, construct);
                if kind == ConstructKind::Loop {
                    // The body and what continues it are two regions of one that has nothing of its own.
                    inner = add(&mut out, inner, construct);
                }
                open.push((construct, inner));
                (here, Some(construct))
            }
            (None, Inst::Else | Inst::Continuing) => {
                let (construct, first) = open.last().copied().unwrap_or_default();
                let around = out.regions[first as usize].parent;
                let second = add(&mut out, around, construct);
                if let Some(last) = open.last_mut() {
                    last.1 = second;
                }
                (around, Some(construct))
            }
            (None, Inst::EndIf | Inst::EndScope | Inst::EndLoop | Inst::EndFn | Inst::Close) => {
                let construct = open.pop().map(|(c, _)| c);
                (construct.map_or(0, |c| out.constructs[c as usize].outside), construct)
            }
            (None, Inst::Break { inside }) => (here, around(*inside, &[ConstructKind::Loop, ConstructKind::Scope])),
            (None, Inst::Continue { inside }) => (here, around(*inside, &[ConstructKind::Loop])),
            (None, Inst::BreakIf { .. }) => (here, around(0, &[ConstructKind::Loop])),
            (None, Inst::Return) => (here, around(0, &[ConstructKind::Fn])),
            (None, _) => (here, None),
        };
        out.of.push(region);
        out.construct.push(construct);
    }
    out
}

/// Where a variable lives, and whether its first value has to be written there.
#[derive(Clone, Copy)]
struct Home {
    region: RegionId,
    written_first: bool,
}

fn find_homes(ir: &Ir, regions: &Regions) -> Vec<Option<Home>> {
    // For each variable: the region around all its uses, and the first use.
    let mut around: Vec<Option<(RegionId, u32)>> = vec![None; ir.regs.len()];
    let mut uses = |var: Reg, i: u32| {
        let here = regions.of[i as usize];
        let slot = &mut around[var as usize];
        *slot = Some(slot.map_or((here, i), |(region, first)| (regions.common(region, here), first)));
    };
    for (i, inst) in (0..).zip(&ir.insts) {
        match *inst {
            Inst::Read { var, .. } | Inst::Write { var, .. } => uses(var, i),
            _ => {}
        }
    }
    // The last region that an instruction opens: a loop's is its body.
    let mut opened: Vec<RegionId> = vec![0; ir.insts.len()];
    for (region, opener) in (0..).zip(regions.regions.iter().map(|r| r.opener)) {
        if let Some(opener) = opener {
            opened[opener as usize] = region;
        }
    }
    let region_of_home = |home: Option<u32>| home.map_or(0, |home| opened[home as usize]);
    let homes = ir.regs.iter().zip(around).map(|(kind, around)| {
        let (RegKind::Var { home, .. }, Some((region, first))) = (kind, around) else { return None };
        let written_first =
            matches!(ir.insts[first as usize], Inst::Write { .. }) && regions.of[first as usize] == region;
        if written_first {
            return Some(Home { region, written_first });
        }
        // Its first value counts once a call, so it must be written outside of all loops in the function.
        let declared = region_of_home(*home);
        let outermost = regions.chain(region, declared).filter(|r| regions.is_loop(*r)).last();
        let region = outermost.map_or(region, |r| regions.regions[r as usize].parent);
        Some(Home { region, written_first })
    });
    homes.collect()
}

/// Writes first values at the start of the regions where they are wanted.
fn place_first_values(mut ir: Ir, regions: &Regions, homes: Vec<Option<Home>>) -> (Ir, Vec<RegionId>) {
    let mut wanted: Vec<(u32, Reg, Reg)> = Vec::new();
    for (var, home) in (0..).zip(&homes) {
        if let (RegKind::Var { init, .. }, Some(Home { region, written_first: false })) = (ir.regs[var as usize], home)
        {
            let after = regions.regions[*region as usize].opener.map_or(0, |opener| opener + 1);
            wanted.push((after, var, init));
        }
    }
    wanted.sort_unstable();
    let mut wanted = wanted.into_iter().peekable();
    let (insts, lines) = (std::mem::take(&mut ir.insts), std::mem::take(&mut ir.lines));
    for (i, (inst, line)) in (0..).zip(insts.into_iter().zip(lines)) {
        while let Some((_, var, src)) = wanted.next_if(|(at, ..)| *at <= i) {
            ir.insts.push(Inst::Write { var, src });
            ir.lines.push(line);
        }
        ir.insts.push(inst);
        ir.lines.push(line);
    }
    (ir, homes.into_iter().map(|home| home.map_or(0, |h| h.region)).collect())
}
