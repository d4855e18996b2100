//! The tracer as a backend: a job in, a record with its trace out. It runs in this process: fuel and the cancel flag bound it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::backend::Event as Progress;
use crate::base::diag::Diagnostic;
use crate::base::tensor::{Elem, Tensor};
use crate::job::Job;
use crate::reference;
use crate::simt::{self, Options, Program};
use crate::trace::record::{Backend, Device, MatrixShape, Record};

/// The tracer, described as a device. It has WebGPU's default limits where it needs any.
#[must_use]
pub fn device() -> Device {
    Device {
        backend: Backend::Simt,
        name: "Warpbook's tracer (CPU)".to_owned(),
        driver: String::new(),
        api: String::new(),
        software: true,
        timestamps: false,
        subgroup: [32, 32],
        // It runs in the program that holds the learner's notes, with a copy of each buffer that a check needs.
        max_binding_bytes: 1 << 30,
        max_buffer_bytes: 1 << 30,
        max_workgroup_invocations: 1024,
        max_workgroup_size: [1024, 1024, 64],
        max_grid: 65_535,
        max_shared_bytes: 48 << 10,
        f16: true,
        cooperative: shapes(),
    }
}

/// The cooperative matrices that the tracer knows: all that WGSL can name.
fn shapes() -> Vec<MatrixShape> {
    let square = |n, factors, sum| MatrixShape { m: n, n, k: n, factors, sum };
    let sizes = [16, 8].into_iter();
    sizes
        .flat_map(|n| {
            [square(n, Elem::F16, Elem::F32), square(n, Elem::F16, Elem::F16), square(n, Elem::F32, Elem::F32)]
        })
        .collect()
}

/// Runs and traces a job.
///
/// # Errors
/// When it is cancelled, does not compile, exceeds [`device`]'s limits, or asks for a reference that does not exist.
pub fn run(job: &Job, cancel: &AtomicBool, on_progress: &mut dyn FnMut(Progress)) -> Result<Record, Diagnostic> {
    if let Some(problem) = super::limits::check(job, &device()).into_iter().next() {
        return Err(problem);
    }
    on_progress(Progress::Stage("tracing".to_owned()));
    let program = Program::compile(&job.file, &job.source, &job.entry, &job.constants).map_err(first)?;
    let spec = job.trace.clone().unwrap_or_default();
    let partial = spec.only_timeline_workgroups;
    let columns: Vec<Option<u64>> = job.buffers.iter().map(|b| b.columns).collect();
    let heat = if spec.heat { columns.clone() } else { Vec::new() };
    let options = Options { fuel: spec.fuel, spec, threads: None, count: true, heat };
    // A part of the grid writes a part of the output: there is nothing to compare.
    let check = job.check.as_ref().filter(|_| !partial);
    let mut buffers: Vec<Tensor> = job.buffers.iter().enumerate().map(|(i, b)| b.fill(job.seed, i)).collect();
    let inputs = check.map(|_| buffers.clone());
    let mut outcome = simt::run(&program, &mut buffers, job.grid, &options, cancel, &|_, _| {})?;
    if cancel.load(Ordering::Relaxed) {
        return Err(Diagnostic::error(format!("tracing `{}` was cancelled", job.kernel)));
    }
    if let Some(timeline) = &mut outcome.timeline {
        timeline.buffers.iter_mut().zip(columns).for_each(|(buffer, columns)| buffer.columns = columns);
    }
    let check = match (check, inputs) {
        (Some(check), Some(inputs)) if outcome.trace.complete => {
            let position = job.buffers.iter().position(|b| b.name == check.output).ok_or_else(|| {
                Diagnostic::error(format!("the kernel binds no buffer `{}` to check", check.output)).in_file(&job.file)
            })?;
            let named: Vec<(String, Tensor)> = job.buffers.iter().map(|b| b.name.clone()).zip(inputs).collect();
            Some(reference::check(check, &named, &buffers[position])?)
        }
        _ => None,
    };
    Ok(Record {
        kernel: job.kernel.clone(),
        backend: Backend::Simt,
        check,
        timing: None,
        trace: Some(outcome.trace),
        timeline: outcome.timeline,
        heat: outcome.heat,
        compiled: None,
        library: None,
        warnings: Vec::new(),
    })
}

/// One diagnostic for several: the first, with the number of the others.
fn first(mut problems: Vec<Diagnostic>) -> Diagnostic {
    let others = problems.len().saturating_sub(1);
    let mut problem =
        if problems.is_empty() { Diagnostic::error("the shader does not compile") } else { problems.remove(0) };
    if others > 0 {
        problem.message = format!("{} (and {others} more)", problem.message);
    }
    problem
}
