//! From a lesson's kernel and the learner's parameters to a job that any backend can run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::feasible;
use crate::base::diag::Diagnostic;
use crate::base::expr::Expr;
use crate::base::tensor::Init;
use crate::base::wgsl::{self, Settled};
use crate::job::{
    BindingKind, Blame, BufferSpec, CheckSpec, CudaLaunch, Job, Library, MeasureSpec, Product, TensorMap, TraceSpec,
    WorkgroupShape,
};
use crate::lesson::scope::Env;
use crate::lesson::{Buffer, CudaOnly, Kernel, Lesson, LibraryDecl, Within};
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
    /// Guard indices.
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
    let job = match &kernel.cuda_only {
        Some(only) => cuda_only(lesson, kernel, only, params, purpose)?,
        None => build_from(lesson, kernel, &kernel.file, &kernel.source, params, purpose)?,
    };
    let values = Evaluator { lesson, kernel, env: Env::fixed(&lesson.params, &lesson.values, params) };
    Ok(Job { twin: kernel.cuda.clone(), library: values.library()?, ..job })
}

/// The text of a kernel's shader as it runs at some parameters; its own where they do not fit it.
#[must_use]
pub fn source(lesson: &Lesson, kernel: &Kernel, params: &Params) -> Arc<str> {
    if kernel.cuda_only.is_some() {
        return kernel.source.clone();
    }
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
        let (group, kind) = (binding.group, binding.kind);
        buffers.push(BufferSpec { group, binding: binding.binding, kind, ..values.buffer(declared)? });
    }
    Ok(Job {
        file: file.to_owned(),
        blame: blame(lesson, kernel, &source, &buffers),
        source: source.into(),
        constants: overrides,
        consts,
        workgroup: Some(WorkgroupShape { size: program.workgroup_size(), shared_bytes: program.shared_bytes() }),
        ..values.job(buffers, purpose)?
    })
}

/// The job of a kernel that is written in CUDA C++ only. Its buffers are its parameters, in the lesson's order.
fn cuda_only(
    lesson: &Lesson,
    kernel: &Kernel,
    only: &CudaOnly,
    params: &Params,
    purpose: &Purpose,
) -> Result<Job, Vec<Diagnostic>> {
    if let Some(unmet) = feasible::unmet(lesson, kernel, params) {
        return Err(vec![unmet]);
    }
    let values = Evaluator { lesson, kernel, env: Env::fixed(&lesson.params, &lesson.values, params) };
    let mut buffers = Vec::new();
    for (declared, binding) in kernel.buffers.iter().zip(0..) {
        // Who begins with poison is written to.
        let kind = if declared.init == Init::Poison { BindingKind::ReadWrite } else { BindingKind::ReadOnly };
        buffers.push(BufferSpec { group: 0, binding, kind, ..values.buffer(declared)? });
    }
    let mut maps = Vec::new();
    for map in &only.maps {
        maps.push(TensorMap {
            buffer: map.buffer.clone(),
            columns: values.whole(&map.columns, "the columns of a tensor map")?,
            rows: values.whole(&map.rows, "the rows of a tensor map")?,
            box_columns: values.size(&map.box_columns, "the columns of a tile")?,
            box_rows: values.size(&map.box_rows, "the rows of a tile")?,
            swizzle: map.swizzle,
        });
    }
    let [x, y, z] = &only.block;
    let size = [
        values.size(x, "the workgroup's size")?,
        values.size(y, "the workgroup's size")?,
        values.size(z, "the workgroup's size")?,
    ];
    let shared_bytes = values.env.whole(&only.shared, 0).ok().and_then(|bytes| u32::try_from(bytes).ok());
    let shared_bytes = shared_bytes
        .ok_or_else(|| vec![values.problem(&only.shared, "shared memory", "is no number of bytes below 2³²")])?;
    let blame = Blame {
        workgroup: blamed(lesson, &mut only.block.iter()),
        shared: blamed(lesson, &mut std::iter::once(&only.shared)),
        ..blame(lesson, kernel, "", &buffers)
    };
    Ok(Job {
        constants: values.named(&kernel.constants)?,
        // What the launch gives is no part of what a kernel may declare.
        workgroup: Some(WorkgroupShape { size, shared_bytes: 0 }),
        cuda_only: Some(CudaLaunch { shared_bytes, maps, persistent: only.persistent }),
        blame,
        ..values.job(buffers, purpose)?
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
    let of = |exprs: &mut dyn Iterator<Item = &Expr>| blamed(lesson, exprs);
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

/// The parameters that expressions depend on, as people know them.
fn blamed(lesson: &Lesson, exprs: &mut dyn Iterator<Item = &Expr>) -> Vec<String> {
    let mut ids: Vec<String> = exprs.flat_map(|e| lesson.blame(e)).collect();
    // In the lesson's order, which is the one that people meet them in.
    ids.sort_by_key(|id| lesson.params.iter().position(|param| param.id == *id));
    ids.dedup();
    ids.iter().map(|id| feasible::known_as(lesson, id)).collect()
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

    /// The library's call with its sizes.
    fn library(&self) -> Result<Option<Library>, Vec<Diagnostic>> {
        Ok(match &self.kernel.library {
            None => None,
            Some(LibraryDecl::Copy(from, to)) => Some(Library::Copy(from.clone(), to.clone())),
            Some(LibraryDecl::Product(product)) => {
                let [a, b, c] = product.buffers.clone();
                let size = |i: usize| self.whole(&product.sizes[i], "a size of the library's product");
                let (m, n, k) = (size(0)?, size(1)?, size(2)?);
                Some(Library::Product(Product { a, b, c, m, n, k, b_transposed: product.b_transposed }))
            }
        })
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

    /// As [`Evaluator::whole`], where 32 bits have to do.
    fn size(&self, expr: &Expr, what: &str) -> Result<u32, Vec<Diagnostic>> {
        u32::try_from(self.whole(expr, what)?).map_err(|_| vec![self.problem(expr, what, "exceeds 2³²")])
    }

    /// A buffer, without the place that it is bound to.
    fn buffer(&self, declared: &Buffer) -> Result<BufferSpec, Vec<Diagnostic>> {
        Ok(BufferSpec {
            name: declared.name.clone(),
            elem: declared.elem,
            count: self.whole(&declared.count, &format!("the size of `{}`", declared.name))?,
            columns: (declared.columns.as_ref())
                .map(|columns| self.whole(columns, &format!("the columns of `{}`", declared.name)))
                .transpose()?,
            init: self.init(declared)?,
            group: 0,
            binding: 0,
            kind: BindingKind::ReadWrite,
        })
    }

    /// What a job has whatever language its kernel is written in.
    fn job(&self, buffers: Vec<BufferSpec>, purpose: &Purpose) -> Result<Job, Vec<Diagnostic>> {
        let kernel = self.kernel;
        let mut grid = [1_u32; 3];
        for (size, expr) in grid.iter_mut().zip(&kernel.grid) {
            *size = self.size(expr, "the grid")?;
        }
        let check = match (&kernel.check, purpose.check) {
            (Some(declared), true) => Some(CheckSpec {
                reference: declared.reference.clone(),
                args: self.named(&declared.args)?,
                output: declared.output.clone(),
                tolerance: declared.tolerance,
            }),
            _ => None,
        };
        Ok(Job {
            kernel: kernel.id.clone(),
            file: kernel.file.clone(),
            source: Arc::default(),
            entry: kernel.entry.clone(),
            constants: Vec::new(),
            consts: Vec::new(),
            twin: None,
            cuda_only: None,
            library: None,
            buffers,
            grid,
            workgroup: None,
            seed: purpose.seed,
            check,
            measure: purpose.measure,
            trace: purpose.trace.clone(),
            bounds_checks: purpose.bounds_checks,
            bytes: self.number(&kernel.bytes, "bytes")?,
            flops: self.number(&kernel.flops, "flops")?,
            blame: Blame::default(),
        })
    }
}
