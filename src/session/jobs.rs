//! From a lesson's kernel and the learner's parameters to a job that any backend can run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::feasible;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Init;
use crate::base::wgsl::{self, Settled};
use crate::job::{Blame, BufferSpec, CheckSpec, Job, MeasureSpec, TraceSpec, WorkgroupShape};
use crate::lesson::expr::Expr;
use crate::lesson::scope::Env;
use crate::lesson::{Buffer, Kernel, Lesson, Within};
use crate::simt::Program;

/// Values of a lesson's parameters, by id.
pub type Params = BTreeMap<String, f64>;

/// What to do with a kernel besides launching it.
#[derive(Clone, Debug, PartialEq)]
pub struct Purpose {
    /// Seed of the random inputs.
    pub seed: u64,
    /// Compare with the reference.
    pub check: bool,
    /// Time it.
    pub measure: Option<MeasureSpec>,
    /// Trace it.
    pub trace: Option<TraceSpec>,
    /// Guard indices and loops.
    pub bounds_checks: bool,
}

impl Purpose {
    /// The same, tracing warps of `lanes` lanes.
    #[must_use]
    pub fn with_warps_of(mut self, lanes: u32) -> Self {
        if let Some(trace) = &mut self.trace {
            trace.warp_width = lanes;
        }
        self
    }
}

/// The lesson's parameters at their defaults.
#[must_use]
pub fn defaults(lesson: &Lesson) -> Params {
    lesson.params.iter().map(|p| (p.id.clone(), p.default)).collect()
}

/// `params` with those of `set` in place of their own.
#[must_use]
pub fn with(params: &Params, set: &[(String, f64)]) -> Params {
    let mut params = params.clone();
    params.extend(set.iter().cloned());
    params
}

/// The job of a kernel at some parameters.
///
/// # Errors
/// Everything that is wrong with the shader, and every expression that has no usable value.
pub fn build(lesson: &Lesson, kernel: &Kernel, params: &Params, purpose: &Purpose) -> Result<Job, Vec<Diagnostic>> {
    let job = build_from(lesson, kernel, &kernel.file, &kernel.source, params, purpose)?;
    Ok(Job { twin: kernel.cuda.clone(), library: kernel.library.clone(), ..job })
}

/// The text of a kernel's shader as it runs at some parameters; its own where they do not fit it.
#[must_use]
pub fn source(lesson: &Lesson, kernel: &Kernel, params: &Params) -> Arc<str> {
    let values = Evaluator { lesson, kernel, env: Env::fixed(&lesson.params, &lesson.values, params) };
    let settled = values.named(&kernel.constants).and_then(|all| wgsl::settle(&kernel.file, &kernel.source, &all));
    settled.map_or_else(|_| kernel.source.clone(), |settled| settled.source.into())
}

/// As [`build`], with another source in the kernel's place: an exercise's, say. It has no twin.
///
/// # Errors
/// As [`build`].
pub fn build_from(
    lesson: &Lesson,
    kernel: &Kernel,
    file: &str,
    source: &Arc<str>,
    params: &Params,
    purpose: &Purpose,
) -> Result<Job, Vec<Diagnostic>> {
    let values = Evaluator { lesson, kernel, env: Env::fixed(&lesson.params, &lesson.values, params) };
    let original = source;
    if let Some(unmet) = feasible::unmet(lesson, kernel, params) {
        return Err(vec![unmet]);
    }
    let Settled { source, consts, overrides } = wgsl::settle(file, source, &values.named(&kernel.constants)?)?;
    let program = match Program::compile(file, &source, &kernel.entry, &overrides) {
        Ok(program) => program,
        Err(mut problems) => {
            let blamed = feasible::blamed(lesson, kernel, params, |params| {
                let values = Evaluator { lesson, kernel, env: Env::fixed(&lesson.params, &lesson.values, params) };
                let settled = values.named(&kernel.constants).and_then(|all| wgsl::settle(file, original, &all));
                settled.is_ok_and(|s| Program::compile(file, &s.source, &kernel.entry, &s.overrides).is_ok())
            });
            if let (Some(first), Some(hint)) = (problems.first_mut(), blamed) {
                first.hint = Some(hint);
            }
            return Err(problems);
        }
    };
    let unknown = kernel.buffers.iter().find(|b| !program.bindings().iter().any(|known| known.name == b.name));
    if let Some(unknown) = unknown {
        let known: Vec<&str> = program.bindings().iter().map(|b| b.name.as_str()).collect();
        return Err(vec![
            Diagnostic::error(format!(
                "kernel `{}` has a buffer `{}`, which {file} does not use",
                kernel.id, unknown.name
            ))
            .in_file(&format!("lessons/{}/lesson.ron", lesson.id))
            .hint(format!("the shader uses: {}", known.join(", "))),
        ]);
    }
    let mut buffers = Vec::new();
    for binding in program.bindings() {
        let Some(declared) = kernel.buffers.iter().find(|b| b.name == binding.name) else {
            return Err(vec![
                Diagnostic::error(format!("the lesson gives no size for the buffer `{}`", binding.name))
                    .in_file(file)
                    .hint(format!("add it to the buffers of kernel `{}`", kernel.id)),
            ]);
        };
        if declared.elem != binding.elem {
            let message =
                format!("buffer `{}` is {:?} in the shader, and {:?} here", declared.name, binding.elem, declared.elem);
            let place = format!("lessons/{}/lesson.ron", lesson.id);
            return Err(vec![
                Diagnostic::error(message).in_file(&place).hint(format!("write elem: {:?}", binding.elem)),
            ]);
        }
        buffers.push(BufferSpec {
            name: declared.name.clone(),
            elem: declared.elem,
            count: values.whole(&declared.count, &format!("the size of `{}`", declared.name))?,
            init: values.init(declared)?,
            group: binding.group,
            binding: binding.binding,
            kind: binding.kind,
        });
    }
    let mut grid = [1_u32; 3];
    for (size, expr) in grid.iter_mut().zip(&kernel.grid) {
        let groups = values.whole(expr, "the grid")?;
        *size = u32::try_from(groups).map_err(|_| vec![values.problem(expr, "the grid", "exceeds 2³²")])?;
    }
    let check = match (&kernel.check, purpose.check) {
        (Some(declared), true) => Some(CheckSpec {
            reference: declared.reference.clone(),
            args: values.named(&declared.args)?,
            output: declared.output.clone(),
            tolerance: declared.tolerance,
        }),
        _ => None,
    };
    Ok(Job {
        kernel: kernel.id.clone(),
        file: file.to_owned(),
        entry: kernel.entry.clone(),
        blame: blame(lesson, kernel, &source, &buffers),
        source: source.into(),
        constants: overrides,
        consts,
        twin: None,
        library: None,
        buffers,
        workgroup: Some(WorkgroupShape { size: program.workgroup_size(), shared_bytes: program.shared_bytes() }),
        grid,
        seed: purpose.seed,
        check,
        measure: purpose.measure,
        trace: purpose.trace.clone(),
        bounds_checks: purpose.bounds_checks,
        bytes: values.number(&kernel.bytes, "bytes")?,
        flops: values.number(&kernel.flops, "flops")?,
    })
}

/// Bytes of each of a kernel's buffers at some parameters; none where an expression has no usable value.
#[must_use]
pub fn buffer_bytes(lesson: &Lesson, kernel: &Kernel, params: &Params) -> Option<Vec<u64>> {
    let env = Env::fixed(&lesson.params, &lesson.values, params);
    let bytes = |buffer: &Buffer| env.whole(&buffer.count, 1).ok()?.checked_mul(buffer.elem.bytes());
    kernel.buffers.iter().map(bytes).collect()
}

/// A kernel's grid at some parameters; none where an expression has no usable value.
#[must_use]
pub fn grid(lesson: &Lesson, kernel: &Kernel, params: &Params) -> Option<[u32; 3]> {
    let env = Env::fixed(&lesson.params, &lesson.values, params);
    let mut grid = [1; 3];
    for (size, expr) in grid.iter_mut().zip(&kernel.grid) {
        *size = u32::try_from(env.whole(expr, 1).ok()?).ok()?;
    }
    Some(grid)
}

/// Which parameters decide what, for messages about a device's limits.
fn blame(lesson: &Lesson, kernel: &Kernel, source: &str, buffers: &[BufferSpec]) -> Blame {
    let of = |exprs: &mut dyn Iterator<Item = &Expr>| {
        let mut ids: Vec<String> = exprs.flat_map(|e| lesson.blame(e)).collect();
        // In the lesson's order, which is the one that people meet them in.
        ids.sort_by_key(|id| lesson.params.iter().position(|param| param.id == *id));
        ids.dedup();
        ids.iter().map(|id| feasible::known_as(lesson, id)).collect()
    };
    let sizing = wgsl::sizing(source);
    let set_by = |names: &[String]| {
        of(&mut kernel.constants.iter().filter(|(name, _)| names.contains(name)).map(|(_, value)| value))
    };
    Blame {
        workgroup: set_by(&sizing.size),
        shared: set_by(&sizing.shared),
        grid: of(&mut kernel.grid.iter()),
        buffers: buffers
            .iter()
            .map(|b| of(&mut kernel.buffers.iter().filter(|d| d.name == b.name).map(|d| &d.count)))
            .collect(),
    }
}

struct Evaluator<'a> {
    lesson: &'a Lesson,
    kernel: &'a Kernel,
    env: Env<'a>,
}

impl Evaluator<'_> {
    fn problem(&self, expr: &Expr, what: &str, why: &str) -> Diagnostic {
        Diagnostic::error(format!("{what} of kernel `{}` is `{}`, which {why}", self.kernel.id, expr.source()))
            .in_file(&format!("lessons/{}/lesson.ron", self.lesson.id))
            .hint("change the expression, or a parameter that it uses")
    }

    fn number(&self, expr: &Expr, what: &str) -> Result<f64, Vec<Diagnostic>> {
        self.env.eval(expr).map_err(|error| vec![self.problem(expr, what, &format!("has no value: {error}"))])
    }

    fn named(&self, exprs: &[(String, Expr)]) -> Result<Vec<(String, f64)>, Vec<Diagnostic>> {
        exprs.iter().map(|(name, expr)| Ok((name.clone(), self.number(expr, &format!("`{name}`"))?))).collect()
    }

    /// What a buffer holds at first, with the bounds of its random elements.
    fn init(&self, buffer: &Buffer) -> Result<Init, Vec<Diagnostic>> {
        let Some(Within { low, high, masked }) = &buffer.within else { return Ok(buffer.init) };
        let bound = |expr: &Expr, which: &str| self.number(expr, &format!("the {which} of `{}`", buffer.name));
        let masked = masked.as_ref().map_or(Ok(0.0), |share| bound(share, "masked share"))?;
        Ok(Init::Within { low: bound(low, "least element")?, high: bound(high, "bound")?, masked })
    }

    /// A count: a whole number, at least 1.
    fn whole(&self, expr: &Expr, what: &str) -> Result<u64, Vec<Diagnostic>> {
        self.env.whole(expr, 1).map_err(|error| vec![self.problem(expr, what, &format!("is of no use: {error}"))])
    }
}
