//! A program of a lesson at the settings that its results depend on.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::job::Language;
use crate::lesson::Variant;
use crate::session::jobs::own::is_edit;
use crate::session::jobs::setting::{Setting, language_of, parameters_of};
use crate::trace::record::Backend;

/// How a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// By the tracer, with guarded indices, in warps of this many lanes: 8, 16, 32 or 64.
    Traced(u32),
    /// By a device, measured; `guards` says whether its compiler guards indices.
    Timed {
        /// The device's backend.
        backend: Backend,
        /// Whether indices are guarded.
        guards: bool,
    },
}

/// A program of a lesson at some settings. Two of them are equal if they run the same job: parameters that the program does not depend on
/// make no difference.
#[derive(Clone)]
pub struct At(Arc<Inner>);

struct Inner {
    setting: Arc<Setting>,
    variant: Variant,
    how: How,
    language: Language,
    key: Key,
}

/// All that a program's results depend on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    /// The address of the lesson as it was read: a pack that is read again has other lessons.
    lesson: usize,
    variant: Variant,
    how: How,
    language: Language,
    seed: u64,
    /// The bits of the values of the parameters that matter.
    params: Vec<(String, u64)>,
    /// The texts of the learner's kernels.
    texts: Vec<Arc<str>>,
}

impl At {
    /// A program at these settings, run in this way.
    #[must_use]
    pub fn new(setting: &Arc<Setting>, variant: &Variant, how: How) -> Self {
        let lesson = &setting.lesson;
        let value = |id: String| {
            let bits = setting.params.get(&id).copied().unwrap_or(f64::NAN).to_bits();
            (id, bits)
        };
        let language = match how {
            How::Traced(_) => language_of(lesson, variant, setting.language),
            How::Timed { .. } => Language::Wgsl,
        };
        let edits = lesson.launched(variant).into_iter().flatten().filter(|kernel| is_edit(kernel));
        let key = Key {
            lesson: Arc::as_ptr(&setting.plain) as usize,
            variant: variant.clone(),
            how,
            language,
            seed: setting.seed,
            params: parameters_of(lesson, variant).into_iter().map(value).collect(),
            texts: edits
                .flat_map(|kernel| [Some(kernel.source()), kernel.twin().map(|twin| &twin.source)])
                .flatten()
                .cloned()
                .collect(),
        };
        Self(Arc::new(Inner { setting: setting.clone(), variant: variant.clone(), how, language, key }))
    }

    /// A program as the tracer runs it.
    #[must_use]
    pub fn traced(setting: &Arc<Setting>, variant: &Variant) -> Self {
        Self::new(setting, variant, How::Traced(setting.warp_width))
    }

    /// A program as a device runs it.
    #[must_use]
    pub fn timed(setting: &Arc<Setting>, variant: &Variant, backend: Backend) -> Self {
        Self::new(setting, variant, How::Timed { backend, guards: setting.bounds_checks })
    }

    /// The settings that it was made at.
    #[must_use]
    pub fn setting(&self) -> &Arc<Setting> {
        &self.0.setting
    }

    /// The program, with the kernels chosen for it.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.0.variant
    }

    /// The language of the kernels that are traced.
    #[must_use]
    pub fn language(&self) -> Language {
        self.0.language
    }

    /// How it is run.
    #[must_use]
    pub fn how(&self) -> How {
        self.0.how
    }
}

impl PartialEq for At {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.key == other.0.key
    }
}

impl Eq for At {}

impl Hash for At {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key.hash(state);
    }
}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}, {:?}", self.0.variant, self.0.setting.lesson.id, self.0.how)
    }
}
