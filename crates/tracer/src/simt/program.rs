//! A compiled shader: what a caller can ask about it before running it.

use std::sync::Arc;

use super::big_stack::{MAX_WGSL, deep};
use super::binding::Binding;
use super::collective::What;
use super::ir::{AtomicOp, Inst, Ir, Mem};
use super::ptx::Ptx;
use super::recent::Recent;
use super::regions::Regions;
use super::{arms, lower, regions, tally, updates};
use crate::dispatch::{self, Blame, Code, Grid, Launch, Wgsl, WorkgroupShape};
use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::Tensor;

/// The longest PTX, in bytes.
const MAX_PTX: usize = 1 << 23;

/// A compute entry point with its overrides resolved, ready to run any number of times.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) file: String,
    pub(super) ir: Ir,
    pub(super) regions: Regions,
    /// Whether workgroups have to run one after another for the result not to depend on their order.
    pub(super) in_order: bool,
    workgroup_size: [u32; 3],
    bindings: Vec<Binding>,
    /// Buffers of its own after these, with their first contents.
    own: Vec<(Binding, Tensor)>,
}

/// All that a compiled shader depends on: its file, its text, the entry point, and the overrides with the bits of their values.
type Shader = (String, String, String, Vec<(String, u64)>);

impl Program {
    /// Compiles entry point `entry` of the WGSL in `source`. `file` is how diagnostics name it, and `constants` are the
    /// values of its overrides.
    ///
    /// # Errors
    /// Everything that is wrong with the source, the entry point's name or the constants, and what the tracer does not
    /// know, each with its place.
    pub fn compile(
        file: &str,
        source: &str,
        entry: &str,
        constants: &[(String, f64)],
    ) -> Result<Self, Vec<Diagnostic>> {
        Self::shared(file, source, entry, constants).map(Arc::unwrap_or_clone)
    }

    /// As [`Program::compile`]. A shader that was compiled recently is not compiled again.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn shared(
        file: &str,
        source: &str,
        entry: &str,
        constants: &[(String, f64)],
    ) -> Result<Arc<Self>, Vec<Diagnostic>> {
        static RECENT: Recent<Shader> = Recent::new();
        let bits = constants.iter().map(|(name, value)| (name.clone(), value.to_bits())).collect();
        let key = (file.to_owned(), source.to_owned(), entry.to_owned(), bits);
        RECENT.get(key, |_| Self::compile_anew(file, source, entry, constants))
    }

    /// Compiles also a shader that was compiled recently.
    pub(super) fn compile_anew(
        file: &str,
        source: &str,
        entry: &str,
        constants: &[(String, f64)],
    ) -> Result<Self, Vec<Diagnostic>> {
        tally::count();
        deep(file, source, MAX_WGSL, || Self::compile_here(file, source, entry, constants))
    }

    /// Compiles a kernel in PTX, with the block's size and the arguments that a launch gives.
    ///
    /// # Errors
    /// Invalid text or arguments, and instructions that are not supported, each with its line in the PTX.
    pub fn compile_ptx(ptx: &Ptx<'_>) -> Result<Self, Vec<Diagnostic>> {
        tally::count();
        deep(ptx.file, ptx.text, MAX_PTX, || {
            let lowered = super::ptx::lower(ptx).map_err(|error| vec![error])?;
            let (ir, regions) = analyse(lowered.ir);
            Ok(Self {
                file: ptx.file.to_owned(),
                in_order: order_matters(&ir),
                ir,
                regions,
                workgroup_size: ptx.block,
                bindings: lowered.bindings,
                own: lowered.own,
            })
        })
    }

    fn compile_here(
        file: &str,
        source: &str,
        entry: &str,
        constants: &[(String, f64)],
    ) -> Result<Self, Vec<Diagnostic>> {
        let lowered = lower::lower(file, source, entry, constants)?;
        let (ir, regions) = analyse(lowered.ir);
        Ok(Self {
            file: file.to_owned(),
            in_order: order_matters(&ir),
            ir,
            regions,
            workgroup_size: lowered.workgroup_size,
            bindings: lowered.bindings,
            own: Vec::new(),
        })
    }

    /// Invocations of a workgroup in x, y, z.
    #[must_use]
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// Workgroup memory, in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.ir.shared_bytes
    }

    /// Whether its lanes meet: at barriers, or by subgroup operations.
    #[must_use]
    pub fn meets(&self) -> bool {
        self.ir.insts.iter().any(|inst| {
            matches!(inst, Inst::Barrier(_) | Inst::Vote { .. } | Inst::Subgroup { .. } | Inst::Collective { .. })
        })
    }

    /// The buffers that a run needs, in this order.
    #[must_use]
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The buffers that a run needs and those of its own, in this order.
    pub(super) fn all_bindings(&self) -> Vec<Binding> {
        self.bindings.iter().chain(self.own.iter().map(|(binding, _)| binding)).cloned().collect()
    }

    /// The first contents of its own buffers.
    pub(super) fn own_contents(&self) -> Vec<Tensor> {
        self.own.iter().map(|(_, tensor)| tensor.clone()).collect()
    }

    /// Does `work` on `buffers` together with the program's own, which begin anew each time.
    pub(super) fn with_own<T>(&self, buffers: &mut [Tensor], work: impl FnOnce(&mut [Tensor]) -> T) -> T {
        if self.own.is_empty() {
            return work(buffers);
        }
        let empty = |tensor: &mut Tensor| Tensor { elem: tensor.elem, words: std::mem::take(&mut tensor.words) };
        let mut all: Vec<Tensor> = buffers.iter_mut().map(empty).collect();
        all.extend(self.own_contents());
        let done = work(&mut all);
        buffers.iter_mut().zip(all).for_each(|(buffer, after)| *buffer = after);
        done
    }

    /// Whether it reads a buffer of [`Program::bindings`], or changes what is there by an atomic operation.
    #[must_use]
    pub fn reads(&self, binding: usize) -> bool {
        self.does(binding, |inst| !inst.stores(&self.ir))
    }

    /// Whether it stores to a buffer of [`Program::bindings`].
    #[must_use]
    pub fn stores(&self, binding: usize) -> bool {
        self.does(binding, |inst| inst.stores(&self.ir))
    }

    /// Whether the copy engine moves boxes of a buffer of [`Program::bindings`].
    pub(super) fn moves_boxes(&self, binding: usize) -> bool {
        let boxes = self.ir.collectives.iter().filter(|together| matches!(together.what, What::Box(_)));
        let mut places = boxes.flat_map(|together| [together.place, together.other]).flatten();
        places.any(
            |place| matches!(self.ir.places[place as usize].mem, Mem::Buffer(buffer) if usize::from(buffer) == binding),
        )
    }

    fn does(&self, binding: usize, what: impl Fn(&Inst) -> bool) -> bool {
        self.ir.insts.iter().any(|inst| {
            let mem = inst.place(&self.ir).map(|place| self.ir.places[place as usize].mem);
            matches!(mem, Some(Mem::Buffer(buffer)) if usize::from(buffer) == binding) && what(inst)
        })
    }

    /// A launch of it, whose buffers are in the order of [`Program::bindings`]. `wgsl` is the source that it was compiled from.
    #[must_use]
    pub fn launch(&self, kernel: &str, wgsl: Wgsl, grid: [u32; 3]) -> Launch {
        let bindings = self.bindings.iter().enumerate().map(|(buffer, Binding { name, group, binding, kind, .. })| {
            dispatch::Binding { name: name.clone(), buffer, group: *group, binding: *binding, kind: *kind }
        });
        Launch {
            kernel: kernel.to_owned(),
            code: Code::Wgsl(wgsl),
            bindings: bindings.collect(),
            grid: Grid::Fixed(grid),
            workgroup: Some(WorkgroupShape { size: self.workgroup_size, shared_bytes: self.shared_bytes() }),
            library: None,
            blame: Blame::default(),
        }
    }

    /// Whether `buffers` are what a run needs.
    pub(super) fn check_buffers(&self, buffers: &[Tensor]) -> Result<(), Diagnostic> {
        if buffers.len() != self.bindings.len() {
            let names: Vec<&str> = self.bindings.iter().map(|b| b.name.as_str()).collect();
            let (wanted, given) = (names.len(), buffers.len());
            return Err(Diagnostic::error(format!("the shader needs {wanted} buffers, and was given {given}"))
                .in_file(&self.file)
                .hint(format!("give one for each of: {}", names.join(", "))));
        }
        for (binding, buffer) in self.bindings.iter().zip(buffers) {
            let bytes = buffer.words.len() as u64 * 4;
            if bytes < u64::from(binding.min_bytes) {
                let message =
                    format!("buffer `{}` has {bytes} bytes, and needs at least {}", binding.name, binding.min_bytes);
                let hint = format!("give it {} elements or more", binding.min_bytes.div_ceil(4));
                return Err(Diagnostic::error(message).in_file(&self.file).hint(hint));
            }
            if bytes > u64::from(u32::MAX) {
                let message = format!("buffer `{}` has {bytes} bytes, more than 4 GiB", binding.name);
                return Err(Diagnostic::error(message).in_file(&self.file).hint("make it smaller"));
            }
        }
        Ok(())
    }
}

/// What is found out about a program once: the accesses that belong together, and where variables live.
fn analyse(mut ir: Ir) -> (Ir, Regions) {
    updates::mark(&mut ir);
    arms::mark(&mut ir);
    regions::analyse(ir)
}

/// Whether the result could depend on the order of the workgroups. Atomics that commute do not make it so, as long as
/// the values they return are unused; neither does a buffer that is only read or only written. (Workgroups that store
/// different values to the same place race on any GPU, and do so here.)
fn order_matters(ir: &Ir) -> bool {
    let buffers = ir.variables.len();
    let used = used(ir);
    let (mut loaded, mut stored, mut changed) = (vec![false; buffers], vec![false; buffers], vec![false; buffers]);
    for inst in &ir.insts {
        let Some(place) = inst.place(ir).map(|p| &ir.places[p as usize]) else { continue };
        let Mem::Buffer(buffer) = place.mem else { continue };
        match inst {
            Inst::Load { .. } => loaded[usize::from(buffer)] = true,
            Inst::Store { .. } => stored[usize::from(buffer)] = true,
            // Several words are not changed at once by threads of this machine.
            Inst::AtomicWords { .. } => return true,
            Inst::Collective { .. } if inst.stores(ir) => stored[usize::from(buffer)] = true,
            Inst::Collective { .. } => loaded[usize::from(buffer)] = true,
            Inst::Atomic { op, old, .. } => {
                // The sum of floats depends on their order.
                let ordered = matches!(
                    op,
                    AtomicOp::Exchange
                        | AtomicOp::CompareExchange
                        | AtomicOp::FAdd
                        | AtomicOp::FSub
                        | AtomicOp::Inc
                        | AtomicOp::Dec
                        | AtomicOp::HalfAdd
                        | AtomicOp::BfloatAdd
                );
                if ordered || old.is_some_and(|old| used[old as usize]) {
                    return true;
                }
                changed[usize::from(buffer)] = true;
            }
            _ => {}
        }
    }
    (0..buffers).any(|i| {
        let ways = [loaded[i], stored[i], changed[i]];
        ways.into_iter().filter(|way| *way).count() > 1
    })
}

/// By register, whether anything reads it.
fn used(ir: &Ir) -> Vec<bool> {
    let mut used = vec![false; ir.regs.len()];
    ir.places.iter().flat_map(|p| &p.terms).for_each(|t| used[t.index as usize] = true);
    for inst in &ir.insts {
        inst.reads(ir, |r| used[r as usize] = true);
    }
    used
}
