//! The launches of a CUDA C++ file as one program: passes in the order of the host's code, over its buffers.

use super::cuda_file::of_text;
use super::devices::Devices;
use super::io::Io;
use super::launches::listed;
use super::shader_file::{Target, TraceOptions};
use crate::base::diag::Diagnostic;
use crate::base::parts;
use crate::base::shell::typed;
use crate::job::{Action, BufferSpec, Job, Node, Pass};

/// Launches that are traced together, at most.
const MOST: usize = 64;

/// The job of all launches that a run of the program without arguments reaches. Buffers are those of the host's variables: what a pass
/// writes, the next one reads. Copies and memsets of the host are not made.
///
/// # Errors
/// The errors of each launch, and that there is none.
pub(super) fn of_program(
    devices: &Devices,
    target: &str,
    text: &str,
    options: &TraceOptions,
) -> Result<Target, Vec<Diagnostic>> {
    let one = |problem: Diagnostic| vec![problem.in_file(target)];
    let source = parts::compose_on_disk(target, text.to_owned()).map_err(|problem| vec![problem])?;
    let all = listed(&source, &options.lets);
    let reached: Vec<_> = all.iter().zip(1_u32..).filter(|(launch, _)| launch.missed.is_none()).collect();
    if reached.is_empty() || reached.len() > MOST {
        let message = format!("the file has {} launches that a run without arguments reaches", reached.len());
        let hint = format!(
            "--all takes 1 to {MOST} of them; `warpbook launches {}` lists all, --launch N takes one",
            typed(target)
        );
        return Err(one(Diagnostic::error(message).hint(hint)));
    }
    let mut whole: Option<Job> = None;
    let (mut warnings, mut notes) = (Vec::new(), Vec::new());
    for (launch, number) in reached {
        let of_launch = TraceOptions { launch: Some(number), all: false, io: Io::default(), ..options.clone() };
        let found = of_text(devices, target, text.to_owned(), &of_launch)?;
        let variable = |parameter: &str| {
            let at = launch.parameters.iter().position(|known| known.name == parameter)?;
            launch.arguments.get(at)?.buffer.as_ref().map(|buffer| buffer.name.clone())
        };
        let name = |parameter: &str| variable(parameter).unwrap_or_else(|| format!("{number}.{parameter}"));
        match &mut whole {
            None => {
                let mut first = found.job;
                let passes = std::mem::take(&mut first.passes);
                let buffers = std::mem::take(&mut first.buffers);
                first.body.clear();
                add(&mut first, passes, buffers, &name);
                whole = Some(first);
            }
            Some(job) => add(job, found.job.passes, found.job.buffers, &name),
        }
        warnings.extend(found.warnings);
        notes.extend(found.notes);
    }
    notes.push("what the host copies or sets between launches is not done".to_owned());
    let job = whole.ok_or_else(|| one(Diagnostic::error("it has no launches")))?;
    Ok(Target { job, pass: None, needs: None, warnings, notes, filled: Vec::new() })
}

/// Adds the pass of a launch, over the buffers that the job has by the names that `name` gives.
fn add(job: &mut Job, passes: Vec<Pass>, buffers: Vec<BufferSpec>, name: &dyn Fn(&str) -> String) {
    let mut places = Vec::new();
    for buffer in buffers {
        let named = BufferSpec { name: name(&buffer.name), ..buffer };
        let known = job.buffers.iter().position(|known| known.name == named.name);
        let at = known.unwrap_or(job.buffers.len());
        match job.buffers.get_mut(at) {
            // One kernel may take more of it than another's type shows.
            Some(known) if known.bytes() < named.bytes() => *known = named,
            Some(_) => {}
            None => job.buffers.push(named),
        }
        places.push(at);
    }
    for mut pass in passes {
        if let Action::Launch(launch) = &mut pass.action {
            launch.bindings.iter_mut().for_each(|binding| binding.buffer = places[binding.buffer]);
        }
        let same = job.passes.iter().filter(|other| other.id.split('#').next() == Some(&pass.id)).count();
        if same > 0 {
            pass.id = format!("{}#{}", pass.id, same + 1);
        }
        job.body.push(Node::Pass(job.passes.len()));
        job.passes.push(pass);
    }
}
