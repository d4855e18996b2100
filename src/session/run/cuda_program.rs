//! The launches of a CUDA C++ file as one program: passes in the order of the host's code, over its buffers.

use super::cuda_file::of_text;
use super::devices::Devices;
use super::io::Io;
use super::launches::listed;
use super::pass_list::PassList;
use super::resolved::Target;
use super::trace_options::TraceOptions;
use crate::base::diag::Diagnostic;
use crate::base::parts;
use crate::base::shell::typed;

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
    let mut list = PassList::default();
    for (launch, number) in reached {
        let of_launch = TraceOptions { launch: Some(number), all: false, io: Io::default(), ..options.clone() };
        let found = of_text(devices, target, text.to_owned(), &of_launch)?;
        let variable = |parameter: &str| {
            let at = launch.parameters.iter().position(|known| known.name == parameter)?;
            launch.arguments.get(at)?.buffer.as_ref().map(|buffer| buffer.name.clone())
        };
        let name = |parameter: &str| variable(parameter).unwrap_or_else(|| format!("{number}.{parameter}"));
        list.add(found, &name);
    }
    let notes = vec!["what the host copies or sets between launches is not done".to_owned()];
    list.target(notes).map_err(one)
}
