//! One kernel, and its run on the tracer.

use std::sync::atomic::AtomicBool;

use warpbook::base::tensor::{Elem, Tensor};
use warpbook::job::TraceSpec;
use warpbook::simt::{self, Options, Program};
use warpbook::trace::Finding;

/// Entry point `main` of a source, and how to run it. Its buffers are bindings 0, 1, … of group 0.
pub struct Case<'a> {
    /// The WGSL.
    pub source: &'a str,
    /// Values of its overrides.
    pub constants: &'a [(String, f64)],
    /// Workgroups in x, y, z.
    pub grid: [u32; 3],
}

impl Case<'_> {
    /// The kernel as the tracer takes it.
    ///
    /// # Errors
    /// Why it does not take it.
    pub fn program(&self) -> Result<Program, String> {
        Program::compile("kernel.wgsl", self.source, "main", self.constants).map_err(|why| why[0].to_string())
    }

    /// Runs it on the tracer. `buffers` are in the order of the bindings' numbers, and hold the results afterwards.
    /// Returns the tracer's findings.
    ///
    /// # Errors
    /// When it does not come to its end.
    pub fn trace(&self, program: &Program, buffers: &mut [Vec<u32>], warp_width: u32) -> Result<Vec<Finding>, String> {
        let used = || program.bindings().iter().map(|b| b.binding as usize);
        let mut tensors: Vec<Tensor> =
            used().map(|b| Tensor { elem: Elem::U32, words: std::mem::take(&mut buffers[b]) }).collect();
        let spec = TraceSpec { warp_width, ..TraceSpec::default() };
        let options = Options { spec, threads: Some(1), count: true, ..Options::default() };
        let outcome = simt::run(program, &mut tensors, self.grid, &options, &AtomicBool::new(false), &|_, _| {});
        let trace = outcome.map_err(|e| e.to_string())?.trace;
        if !trace.complete {
            return Err(format!("it does not end: {:?}", trace.findings));
        }
        for (b, tensor) in used().zip(tensors) {
            buffers[b] = tensor.words;
        }
        Ok(trace.findings)
    }
}
