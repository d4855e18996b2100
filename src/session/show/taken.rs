//! The lesson that a page was given, with what its files know of devices.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::staged::Sources;
use crate::base::diag::Diagnostic;
use crate::device::DeviceSpec;
use crate::lesson::{Lesson, PackFiles};
use crate::session;
use crate::session::experiment::recording::{self, Recording};
use crate::session::pack::quote::Quotes;
use crate::session::run::model;
use crate::trace::record::Device;

/// A page's lesson.
pub(super) struct Taken {
    pub(super) lesson: Arc<Lesson>,
    /// Lanes in a traced warp.
    pub(super) warp_width: u32,
    /// Seed of the random inputs.
    pub(super) seed: u64,
    models: Vec<DeviceSpec>,
    recordings: Vec<Recording>,
    quotes: Quotes,
}

impl Taken {
    /// The lesson of this id in a pack's files, by their paths.
    ///
    /// # Errors
    /// The problems of the files.
    pub(super) fn of(
        id: &str,
        warp_width: u32,
        seed: u64,
        files: BTreeMap<String, String>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let files = files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
        let files = PackFiles::Memory(Arc::new(files));
        let (pack, problems) = session::load(&files);
        let lesson = pack.lessons.iter().find(|found| found.id == id).cloned().ok_or(problems)?;
        let (models, _) = model::load(&files);
        let (recordings, _) = recording::load(&files, &pack);
        let (quotes, _) = Quotes::load(&files, &pack, &recordings, &models);
        Ok(Self { lesson, warp_width, seed, models, recordings, quotes })
    }

    /// The devices, recordings and quotes that figures are drawn from; the tracer's own device measures nothing.
    pub(super) fn sources<'a>(&'a self, device: &'a Device) -> Sources<'a> {
        Sources {
            models: &self.models,
            recordings: &self.recordings,
            quotes: Some(&self.quotes),
            ..Sources::of_device(device)
        }
    }
}
