//! The origin (provenance) of a buffer's element: traced back from launch to launch, down to the initial contents.

use std::collections::{BinaryHeap, HashSet};
use std::sync::atomic::AtomicBool;

use crate::base::diag::Diagnostic;
use crate::base::tensor::{Elem, Tensor};
use crate::gpu::history::{History, Step};
use crate::job::{Action, Asked, BindingKind, Job, Launch, written_element};
use crate::simt::{self, Question};
use crate::trace::Space;
use crate::trace::provenance::{Load, Origin, Provenance, Word, Writing};

/// Upper bound of elements whose origin is described.
const MOST_TOLD: usize = 64;

/// Upper bound of elements of one buffer that a value is followed to.
const FOLLOWED: usize = 4;

/// Upper bound of launches that are run again.
const MOST_RUNS: usize = 512;

/// The origin of element `index` of `buffer` at the end of a job. The index counts words of 32 bits, or elements of 16
/// in a buffer of those.
///
/// # Errors
/// A job that the tracer refuses, a buffer that it does not write, an index past its end, and a cancel.
pub fn origin(job: &Job, buffer: &str, index: u64, cancel: &AtomicBool) -> Result<Origin, Diagnostic> {
    if let Some(paged) = (0..job.buffers.len()).find(|buffer| job.is_paged(*buffer)) {
        let message = format!("`{}` is too large to find where elements come from", job.buffers[paged].name);
        return Err(Diagnostic::error(message).hint("give it at most 1 GiB"));
    }
    let place = asked(job, buffer, index)?;
    let history = History::of(job, cancel)?;
    let mut search = Search { job, history: &history, cancel, runs: 0, seen: HashSet::new() };
    let steps = history.steps.len();
    let mut nodes = vec![Node { of: search.before(place, index, steps)?, parent: None, cost: 0 }];
    let mut open: BinaryHeap<Next> = BinaryHeap::new();
    search.queue(&mut open, &nodes, 0);
    while let Some(next) = open.pop() {
        if nodes.len() >= MOST_TOLD || search.runs >= MOST_RUNS {
            open.push(next);
            break;
        }
        let of = search.before(next.buffer, next.index, next.steps)?;
        // An unwritten element has its initial value, which the load has shown.
        if of.writer.is_some() {
            nodes.push(Node { of, parent: Some(next.parent), cost: next.cost });
            search.queue(&mut open, &nodes, nodes.len() - 1);
        }
    }
    let mut left = vec![0; nodes.len()];
    open.iter().for_each(|next| left[next.parent] += 1);
    Ok(assemble(nodes, &left))
}

/// The index of the buffer in question.
fn asked(job: &Job, name: &str, index: u64) -> Result<usize, Diagnostic> {
    let asked = job.buffers.iter().enumerate().map(|(i, spec)| Asked {
        name: &spec.name,
        written: job.writes(i),
        elements: spec.bytes() / spec.elem.bytes(),
        bytes: spec.elem.bytes(),
    });
    written_element(&asked.collect::<Vec<_>>(), name, index).map_err(|problem| problem.in_place(&job.place))
}

/// An element whose origin was found.
struct Node {
    of: Written,
    parent: Option<usize>,
    cost: u32,
}

/// An element with its last writer before a step.
struct Written {
    element: Provenance,
    writer: Option<Writing>,
    /// The step that wrote it.
    step: usize,
    /// Its sources: buffers by their places, and indices.
    from: Vec<(usize, u64)>,
    omitted: u64,
}

/// An element to follow next: first sources are followed before others, and near ones before far ones.
#[derive(PartialEq, Eq)]
struct Next {
    cost: u32,
    order: usize,
    parent: usize,
    buffer: usize,
    index: u64,
    steps: usize,
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.cost, other.order).cmp(&(self.cost, self.order))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct Search<'a> {
    job: &'a Job,
    history: &'a History,
    cancel: &'a AtomicBool,
    runs: usize,
    /// Elements already queued: buffer, index, steps.
    seen: HashSet<(usize, u64, usize)>,
}

impl Search<'_> {
    /// Queues the sources of node `at`.
    fn queue(&mut self, open: &mut BinaryHeap<Next>, nodes: &[Node], at: usize) {
        let Node { of, cost, .. } = &nodes[at];
        for (nth, (buffer, index)) in of.from.iter().enumerate() {
            if self.job.writes(*buffer) && self.seen.insert((*buffer, *index, of.step)) {
                let cost = cost + u32::from(nth > 0);
                open.push(Next {
                    cost,
                    order: self.seen.len(),
                    parent: at,
                    buffer: *buffer,
                    index: *index,
                    steps: of.step,
                });
            }
        }
    }

    /// The element after the first `steps` steps, with its last writer.
    fn before(&mut self, buffer: usize, index: u64, steps: usize) -> Result<Written, Diagnostic> {
        for step in (0..steps).rev() {
            let Step { pass, launch, .. } = self.history.steps[step];
            let of = &self.job.passes[pass];
            let writes = of.touched().any(|(i, kind)| i == buffer && kind == BindingKind::ReadWrite);
            if !writes {
                continue;
            }
            let writing = || {
                let launches = self.history.steps.iter().filter(|step| step.pass == pass).count() as u64;
                let file = of.launch().map(|launch| launch.file().to_owned());
                Writing {
                    pass: of.id.clone(),
                    kernel: of.launch().map(|launch| launch.kernel.clone()),
                    file,
                    launch,
                    launches,
                }
            };
            let plain = |from| Written {
                element: self.held(buffer, index, step + 1),
                writer: Some(writing()),
                step,
                from,
                omitted: 0,
            };
            match &of.action {
                Action::Copy { from, .. } => return Ok(plain(vec![(*from, index)])),
                Action::Fill { .. } => return Ok(plain(Vec::new())),
                Action::Launch(launch) => {
                    self.runs += 1;
                    let element = self.explain(launch, step, buffer, index)?;
                    if element.writer.is_some() {
                        let (from, omitted) = self.sources(launch, &element);
                        return Ok(Written { element, writer: Some(writing()), step, from, omitted });
                    }
                }
            }
            if self.runs >= MOST_RUNS {
                break;
            }
        }
        Ok(Written { element: self.held(buffer, index, 0), writer: None, step: 0, from: Vec::new(), omitted: 0 })
    }

    /// An element that was not written by a lane.
    fn held(&self, buffer: usize, index: u64, steps: usize) -> Provenance {
        let tensor = self.history.content(buffer, steps);
        let elem = tensor.elem;
        let bits = tensor.bits(usize::try_from(index).unwrap_or(usize::MAX));
        let byte = index * elem.bytes();
        Provenance {
            buffer: self.job.buffers[buffer].name.clone(),
            index,
            byte,
            value: Word { bits, elem },
            writer: None,
        }
    }

    /// The lane of a launch that wrote an element, with buffers under the program's names.
    fn explain(&self, launch: &Launch, step: usize, buffer: usize, index: u64) -> Result<Provenance, Diagnostic> {
        let Step { pass, grid, .. } = self.history.steps[step];
        let spec = self.job.trace.clone().unwrap_or_default();
        let variable = launch.bindings.iter().find(|binding| binding.buffer == buffer);
        let (Some(program), Some(variable)) = (&self.history.programs[pass], variable) else {
            return Ok(self.held(buffer, index, step + 1));
        };
        let buffers: Vec<Tensor> =
            launch.bindings.iter().map(|binding| Tensor::clone(self.history.content(binding.buffer, step))).collect();
        let question = Question { buffer: variable.name.clone(), index, warp_width: spec.warp_width, fuel: spec.fuel };
        let mut element = simt::explain(program, &buffers, grid, &question, self.cancel)?;
        element.buffer.clone_from(&self.job.buffers[buffer].name);
        let loads = element.writer.iter_mut().flat_map(|writer| writer.loads.iter_mut().chain(&mut writer.through));
        for load in loads.filter(|load| load.space != Space::Shared) {
            if let Some(place) = launch.bound(&load.buffer) {
                load.buffer.clone_from(&self.job.buffers[place].name);
            }
        }
        Ok(element)
    }

    /// The elements that a launch computed one from, and how many are not followed: some of each buffer, in the order
    /// of the loads, values first.
    fn sources(&self, launch: &Launch, element: &Provenance) -> (Vec<(usize, u64)>, u64) {
        let (mut found, mut left): (Vec<(usize, u64)>, u64) = (Vec::new(), 0);
        let mut loads: Vec<&Load> = element.writer.iter().flat_map(|writer| &writer.loads).collect();
        loads.sort_by_key(|load| load.role);
        for load in loads.into_iter().filter(|load| load.space != Space::Shared) {
            let name = |binding: &&crate::job::Binding| self.job.buffers[binding.buffer].name == load.buffer;
            let Some(binding) = launch.bindings.iter().find(name) else { continue };
            let spec = &self.job.buffers[binding.buffer];
            let index = if spec.elem == Elem::Bf16 { load.byte / 2 } else { load.index };
            let place = (binding.buffer, index);
            let of_buffer = found.iter().filter(|(buffer, _)| *buffer == place.0).count();
            if found.contains(&place) || !self.job.writes(place.0) {
                continue;
            }
            if of_buffer < FOLLOWED { found.push(place) } else { left += 1 }
        }
        (found, left)
    }
}

/// The tree of the elements found, each below the one computed from it.
fn assemble(nodes: Vec<Node>, left: &[u64]) -> Origin {
    let mut made: Vec<Option<Origin>> = Vec::new();
    let mut parents = Vec::new();
    for (node, left) in nodes.into_iter().zip(left) {
        let not_followed = node.of.omitted + left;
        parents.push(node.parent);
        made.push(Some(Origin { element: node.of.element, by: node.of.writer, from: Vec::new(), not_followed }));
    }
    // A node comes after its parent, so going backwards, all its children are complete.
    for at in (1..made.len()).rev() {
        let (origin, parent) = (made[at].take(), parents[at].unwrap_or(0));
        if let (Some(origin), Some(into)) = (origin, &mut made[parent]) {
            into.from.insert(0, origin);
        }
    }
    made.into_iter().next().flatten().unwrap_or_else(|| unreachable!("the element that was asked about comes first"))
}
