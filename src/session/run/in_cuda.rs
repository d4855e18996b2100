//! A job whose kernels are traced from CUDA C++: each launch gets the PTX of its twin, from the pack if it has it, else
//! from a compiler.

use crate::base::diag::Diagnostic;
use crate::gpu::shipped;
use crate::job::{Action, Argument, Assembled, BufferSpec, Code, Job, Launch, Twin};

/// `job` with PTX for each of its launches; `assemble` compiles those that the pack has none of.
///
/// # Errors
/// The errors of `assemble`; that a kernel has no twin in CUDA C++, or a block without a size.
pub fn in_cuda(
    job: &Job,
    assemble: &mut dyn FnMut(&Job) -> Result<Vec<String>, Diagnostic>,
) -> Result<Job, Diagnostic> {
    let shipped: Vec<Option<String>> = job.launches().map(shipped).collect();
    let mut rest = job.clone();
    let mut known = shipped.iter();
    rest.passes.retain(|pass| pass.launch().is_some() && known.next().is_some_and(Option::is_none));
    let compiled = if rest.passes.is_empty() { Ok(Vec::new()) } else { assemble(&rest) };
    let mut compiled = compiled.map_err(|why| missing(&rest, why))?.into_iter();
    let mut texts = shipped.into_iter().map(|shipped| shipped.or_else(|| compiled.next()));
    let mut job = job.clone();
    for pass in &mut job.passes {
        let Action::Launch(launch) = &mut pass.action else { continue };
        let (Some(Some(ptx)), Some(twin)) = (texts.next(), launch.twin().cloned()) else {
            return Err(Diagnostic::error(format!("kernel `{}` has no twin in CUDA C++", launch.kernel))
                .in_file(launch.file())
                .hint("trace it from WGSL"));
        };
        launch.code = Code::Ptx(assembled(launch, &job.buffers, twin, ptx)?);
    }
    Ok(job)
}

/// Why a job's kernels have no PTX: of one in CUDA C++ alone, that there is no other way to trace it.
fn missing(job: &Job, why: Diagnostic) -> Diagnostic {
    let Some(launch) = job.launches().find(|launch| launch.cuda_only().is_some()).filter(|_| why.not_here) else {
        return why;
    };
    let message = format!(
        "kernel `{}` is written in CUDA C++ only, and the pack has no PTX of it: {}",
        launch.kernel, why.message
    );
    Diagnostic { message, ..why }.in_file(launch.file())
}

/// The PTX that a launch comes with, or that its pack has of it.
fn shipped(launch: &Launch) -> Option<String> {
    if let Some(ptx) = launch.cuda_only().and_then(|only| only.ptx.as_ref()) {
        return Some(ptx.to_string());
    }
    shipped::find(launch.twin()?.shipped.as_ref()?, &shipped::key(launch)?)
}

/// A launch's PTX with the arguments that a twin takes: its buffers by group and binding, with numbers between them,
/// then its tensor maps.
fn assembled(launch: &Launch, buffers: &[BufferSpec], twin: Twin, ptx: String) -> Result<Assembled, Diagnostic> {
    let Some(shape) = launch.workgroup else {
        return Err(
            Diagnostic::error(format!("the block of kernel `{}` has no size", launch.kernel)).in_file(&twin.file)
        );
    };
    let mut bindings: Vec<_> = launch.bindings.iter().collect();
    bindings.sort_by_key(|binding| (binding.group, binding.binding));
    let mut arguments: Vec<Argument> = bindings.iter().map(|b| Argument::Buffer(b.name.clone())).collect();
    let only = launch.cuda_only();
    let values = only.map_or(&[][..], |only| &only.values);
    for (place, bytes) in shipped::encoded(&twin, &ptx, values)? {
        arguments.insert(place.min(arguments.len()), Argument::Value(bytes));
    }
    for map in only.iter().flat_map(|only| &only.maps) {
        let elem = launch.bound(&map.buffer).and_then(|at| buffers.get(at)).map(|buffer| buffer.elem);
        let Some(elem) = elem else {
            let problem = format!("kernel `{}` has no buffer `{}` for a tensor map", launch.kernel, map.buffer);
            return Err(Diagnostic::error(problem).in_file(&twin.file));
        };
        arguments.push(Argument::Map(map.clone(), elem));
    }
    let shared_bytes = only.map_or(0, |only| only.shared_bytes);
    Ok(Assembled { twin, ptx: ptx.into(), block: shape.size, shared_bytes, arguments })
}
