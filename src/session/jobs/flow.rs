//! Static data flow through a program's buffers, before it runs: reads of unwritten buffers, and unused buffers.

use super::evaluate::Place;
use super::own::is_edit_id;
use super::{Builder, RUN};
use crate::base::diag::Diagnostic;
use crate::job::{BindingKind, Job, Node, Pass};
use crate::lesson;

/// All data-flow problems.
pub(super) fn problems(builder: &Builder<'_>, job: &Job) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut written: Vec<bool> = job.buffers.iter().map(|buffer| !buffer.is_poison()).collect();
    let passes = builder.program.passes();
    walk(&job.body, &mut |place| {
        let (pass, declared) = (&job.passes[place], passes[place]);
        for (buffer, _) in pass.touched().filter(|(_, kind)| *kind != BindingKind::ReadWrite) {
            // Reported once per buffer.
            if !std::mem::replace(&mut written[buffer], true) {
                problems.push(unwritten(declared, &job.buffers[buffer].name));
            }
        }
        pass.touched().filter(|(_, kind)| *kind == BindingKind::ReadWrite).for_each(|(i, _)| written[i] = true);
    });
    // Buffers that a learner's kernel leaves unused show in the result.
    if builder.program.alone || !builder.edited() {
        problems.extend(unused(builder, job));
    }
    problems
}

fn walk(body: &[Node], see: &mut dyn FnMut(usize)) {
    for node in body {
        match node {
            Node::Pass(place) => see(*place),
            // A later pass's writes are available from the second round on only; the first round needs the data, too.
            Node::Repeat(repeat) => walk(&repeat.body, see),
        }
    }
}

/// The pass that overwrites a buffer's initial contents before anything reads them; None if they matter. A kernel that
/// may write may also read, so only poisoned buffers are known to be unread.
#[must_use]
pub fn overwriting(job: &Job, buffer: usize) -> Option<&Pass> {
    let pass = first(&job.body, &mut |place| job.passes[place].touched().any(|(touched, _)| touched == buffer))?;
    let pass = &job.passes[pass];
    let reads = pass.touched().any(|(touched, kind)| touched == buffer && kind != BindingKind::ReadWrite);
    let replaces = pass.launch().is_none() || job.buffers[buffer].is_poison();
    (!reads && replaces).then_some(pass)
}

/// The first pass to run for which `is` holds.
fn first(body: &[Node], is: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
    body.iter().find_map(|node| match node {
        Node::Pass(place) => is(*place).then_some(*place),
        Node::Repeat(repeat) if repeat.times == 0 => None,
        Node::Repeat(repeat) => first(&repeat.body, is),
    })
}

fn unwritten(pass: &lesson::Pass, buffer: &str) -> Diagnostic {
    let message = format!("`{}` reads `{buffer}`, which nothing has written before", pass.id);
    let hint = "let it begin with something, or write it in an earlier pass";
    Place { owner: &pass.id, place: &pass.place }.error(message).hint(hint)
}

/// Buffers that no pass uses, whichever kernels are in its places.
fn unused(builder: &Builder<'_>, job: &Job) -> Vec<Diagnostic> {
    let mut idle = idle(job);
    for variant in builder.program.variants().into_iter().skip(1) {
        if idle.is_empty() {
            break;
        }
        // Another kernel's own problems are reported when that one is run.
        let other = Builder::new(builder.lesson, &variant, builder.params).and_then(|other| {
            let mut outline = other.outline(&RUN)?;
            other.bind(&mut outline).map(|()| outline)
        });
        let left = other.map_or(Vec::new(), |other| self::idle(&other));
        idle.retain(|buffer| left.contains(buffer));
    }
    let problem = |buffer: usize| {
        let declared = &builder.program.buffers[buffer];
        let name = &declared.name;
        let (who, hint) = match job.launches().next() {
            // In the words of the learner who wrote it, who does not know the lesson's file.
            Some(launch) if is_edit_id(&launch.kernel) && builder.program.alone => {
                return Diagnostic::error(format!("your kernel does not use the buffer `{name}`"));
            }
            Some(launch) if builder.program.alone => {
                let used: Vec<&str> = launch.bindings.iter().map(|binding| binding.name.as_str()).collect();
                (format!("kernel `{}` does not use", launch.kernel), format!("the shader uses: {}", used.join(", ")))
            }
            _ => (format!("no pass of `{}` uses", builder.program.id), "remove it, or bind it".to_owned()),
        };
        Place { owner: name, place: &declared.place }.error(format!("{who} the buffer `{name}`")).hint(hint)
    };
    idle.into_iter().map(problem).collect()
}

fn idle(job: &Job) -> Vec<usize> {
    let used: Vec<usize> = job.passes.iter().flat_map(Pass::touched).map(|(i, _)| i).collect();
    (0..job.buffers.len()).filter(|i| !used.contains(i)).collect()
}
