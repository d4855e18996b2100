//! Counts how often each element of a matrix is fetched from global memory, and notes which cells each workgroup
//! touches.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Access, Addresses, Observer};
use crate::simt::ir::{Mem, Variable};
use crate::simt::lanes::lanes_of;
use crate::trace::heat::{Bits, Footprint, MOST_CELLS, MOST_FOOTPRINTS};
use crate::trace::{AccessKind, Cells, Fetches, Heat};

/// The fetches of all workgroups of a run. Sums are the same in whatever order workgroups add to them.
pub struct Fetched {
    /// By binding; None if not asked for.
    matrices: Vec<Option<Matrix>>,
    /// By workgroup; None if the grid has too many.
    footprints: Option<Mutex<BTreeMap<u32, Footprint>>>,
}

struct Matrix {
    /// Its place among the matrices.
    place: usize,
    cells: Cells,
    elem_bytes: u32,
    /// Difference array: by element, its fetches minus those of the element before, modulo 2³². An access to neighbours
    /// changes two entries, however many lanes it has.
    steps: Vec<AtomicU32>,
}

impl Fetched {
    /// Nothing yet. `columns` are those of the bindings that are matrices, `sizes` the bindings' bytes.
    pub fn new(columns: &[Option<u64>], variables: &[Variable], sizes: &[u32], workgroups: u64) -> Self {
        let mut matrices: Vec<Option<Matrix>> = Vec::new();
        for ((columns, variable), size) in columns.iter().zip(variables).zip(sizes) {
            let place = matrices.iter().flatten().count();
            matrices.push(columns.map(|columns| {
                let elem_bytes = u32::try_from(variable.elem.bytes()).unwrap_or(4);
                let elements = u64::from(size / elem_bytes);
                let cells = Cells::of(elements, columns, MOST_CELLS);
                Matrix { place, cells, elem_bytes, steps: (0..=elements).map(|_| AtomicU32::new(0)).collect() }
            }));
        }
        Self { matrices, footprints: (workgroups <= MOST_FOOTPRINTS).then(Mutex::default) }
    }

    /// The result.
    pub fn finish(self, variables: &[Variable]) -> Heat {
        let each = (0..).zip(self.matrices).zip(variables);
        let matrices = each.filter_map(|((buffer, matrix), variable)| {
            let Matrix { cells, steps, .. } = matrix?;
            let elements = steps.len() - 1;
            let mut fetches = 0_u32;
            let each = steps.into_iter().take(elements).map(|step| {
                fetches = fetches.wrapping_add(step.into_inner());
                fetches
            });
            Some(Fetches::gather(buffer, variable.name.clone(), cells, each))
        });
        let footprints = self.footprints.map(|all| {
            let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
            all.into_values().collect()
        });
        Heat { matrices: matrices.collect(), footprints: footprints.unwrap_or_default() }
    }
}

/// Watches one workgroup at a time.
pub struct Fetching<'a> {
    fetched: &'a Fetched,
    footprint: Footprint,
}

impl<'a> Fetching<'a> {
    /// For any workgroup of the run.
    pub fn new(fetched: &'a Fetched) -> Self {
        let none: Vec<Bits> = fetched.matrices.iter().flatten().map(|m| Bits::none(m.cells.count())).collect();
        Self { fetched, footprint: Footprint { workgroup: 0, loaded: none.clone(), stored: none } }
    }

    /// Begins workgroup number `linear`, which does what follows.
    pub fn start(&mut self, linear: u64) {
        self.footprint.workgroup = u32::try_from(linear).unwrap_or(u32::MAX);
        let Footprint { loaded, stored, .. } = &mut self.footprint;
        loaded.iter_mut().chain(stored).for_each(Bits::clear);
    }

    /// Hands over what the workgroup touched; one that waited for fuel does so twice.
    pub fn leave(&self) {
        let Some(all) = &self.fetched.footprints else { return };
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = &self.footprint;
        match all.get_mut(&mine.workgroup) {
            None => {
                all.insert(mine.workgroup, mine.clone());
            }
            Some(Footprint { loaded, stored, .. }) => {
                loaded.iter_mut().zip(&mine.loaded).for_each(|(all, more)| all.extend(more));
                stored.iter_mut().zip(&mine.stored).for_each(|(all, more)| all.extend(more));
            }
        }
    }

    /// The bytes from `first` up to before `end` are touched, by one lane or by neighbours.
    fn touch(&mut self, matrix: &Matrix, load: bool, first: u32, end: u32) {
        let (first, end) = (first / matrix.elem_bytes, end.div_ceil(matrix.elem_bytes));
        if load && let (Some(up), Some(down)) = (matrix.steps.get(first as usize), matrix.steps.get(end as usize)) {
            up.fetch_add(1, Ordering::Relaxed);
            down.fetch_sub(1, Ordering::Relaxed);
        }
        if self.fetched.footprints.is_some() {
            let Footprint { loaded, stored, .. } = &mut self.footprint;
            let bits = if load { &mut loaded[matrix.place] } else { &mut stored[matrix.place] };
            matrix.cells.along(first.into(), end.into()).for_each(|cell| bits.insert(cell));
        }
    }
}

impl Observer for Fetching<'_> {
    const ACTIVE: bool = true;

    fn access(&mut self, access: &Access<'_>) {
        let Mem::Buffer(buffer) = access.place.mem else { return };
        let fetched = self.fetched;
        let Some(Some(matrix)) = fetched.matrices.get(usize::from(buffer)) else { return };
        let (bytes, load) = (access.place.bytes(), access.kind == AccessKind::Load);
        let (low, high) = (access.mask.trailing_zeros(), 63 - access.mask.leading_zeros());
        let unbroken = access.mask >> low == u64::MAX >> (63 - (high - low));
        match access.addresses {
            Addresses::One(address) => self.touch(matrix, load, address, address + bytes),
            Addresses::Linear { base, step } if step == bytes && unbroken => {
                let at = |lane: u32| base.wrapping_add(lane.wrapping_mul(step));
                self.touch(matrix, load, at(low), at(high) + bytes);
            }
            Addresses::Linear { .. } | Addresses::Lanes(_) => {
                let mut firsts = [0; 64];
                let mut lanes = 0;
                for lane in lanes_of(access.mask) {
                    firsts[lanes] = access.addresses.at(lane);
                    lanes += 1;
                }
                let firsts = &mut firsts[..lanes];
                firsts.sort_unstable();
                // Lanes that meet or adjoin are one run.
                for run in firsts.chunk_by(|a, b| b - a <= bytes) {
                    self.touch(matrix, load, run[0], run[run.len() - 1] + bytes);
                }
            }
        }
    }
}
