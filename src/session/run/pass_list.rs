//! Launches that are traced together: passes of one program, over buffers that they share by name.

use super::computes::Computes;
use super::resolved::Target;
use crate::base::diag::Diagnostic;
use crate::job::{Action, BufferSpec, Job, Node};

/// The launches so far.
#[derive(Default)]
pub(super) struct PassList {
    /// None before the first launch.
    job: Option<Job>,
    warnings: Vec<Diagnostic>,
    notes: Vec<String>,
    computes: Vec<Computes>,
}

impl PassList {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.job.as_ref().map_or(0, |job| job.passes.len())
    }

    /// Adds the pass of a launch, over the buffers that the program has by the names that `name` gives for its own.
    pub fn add(&mut self, launch: Target, name: &dyn Fn(&str) -> String) {
        let Target { job: mut launched, warnings, notes, .. } = launch;
        self.warnings.extend(warnings);
        self.notes.extend(notes);
        let passes = std::mem::take(&mut launched.passes);
        let buffers = std::mem::take(&mut launched.buffers);
        launched.body.clear();
        let job = self.job.get_or_insert(launched);
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

    /// Says what the last launch computes.
    pub fn computes(&mut self, computes: Computes) {
        self.computes.resize(self.len(), Computes::default());
        if let Some(last) = self.computes.last_mut() {
            *last = computes;
        }
    }

    /// The program, with notes on all of it.
    ///
    /// # Errors
    /// That it has no launch.
    pub fn target(mut self, notes: Vec<String>) -> Result<Target, Diagnostic> {
        let job = self.job.ok_or_else(|| Diagnostic::error("it has no launches"))?;
        self.notes.extend(notes);
        let Self { warnings, notes, computes, .. } = self;
        Ok(Target { job, pass: None, needs: None, warnings, notes, filled: Vec::new(), computes })
    }
}
