//! Buffers of a program over its launches, and the moment that a figure shows.

use super::buffer::is_written;
use super::shape::Shape;
use crate::base::tensor::Tensor;
use crate::lesson::{Legend, Picture};
use crate::trace::Film;

/// Buffers of a program over its launches.
#[derive(Clone, Debug, Default)]
pub struct Reel {
    /// The contents of each buffer, in the order of `buffers`.
    pub film: Film,
    /// The buffers.
    pub buffers: Vec<ReelBuffer>,
    /// The passes' titles, by their places, with how often each is launched.
    pub passes: Vec<(String, u64)>,
}

/// A buffer of a program.
#[derive(Clone, Debug, Default)]
pub struct ReelBuffer {
    /// Its name.
    pub name: String,
    /// Its elements; the film may have fewer, from the first on.
    pub count: u64,
    /// The columns of the matrix that it is.
    pub columns: Option<u64>,
    /// Whether its elements are the bytes of a text.
    pub is_text: bool,
    /// The meaning of its elements, if they are more than numbers.
    pub means: Option<Picture>,
    /// The names of its rows and columns.
    pub legend: Legend,
}

/// A moment of a program: on the way from before a launch to after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Frames of the film that are over.
    pub before: usize,
    /// How far the next one is, from 0 to 1.
    pub share: f32,
}

impl Moment {
    /// Frames that are over, where the next one counts as well if it is more than halfway.
    #[must_use]
    pub fn settled(self) -> usize {
        self.before + usize::from(self.share >= 0.5)
    }

    /// The share, slow at both ends.
    #[must_use]
    pub fn eased(self) -> f32 {
        let t = self.share.clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }
}

impl Reel {
    /// The moment at a position of the clock, which counts frames. Without motion a launch is over as soon as it begins.
    #[must_use]
    pub fn moment(&self, position: f32, motion: bool) -> Moment {
        let launches = self.film.frames.len();
        if launches == 0 || position <= 0.0 {
            return Moment { before: 0, share: 0.0 };
        }
        let before = (position as usize).min(launches - 1);
        // The last part of a tick is for looking.
        let share = ((position - before as f32) / 0.75).min(1.0);
        Moment { before, share: if motion { share } else { 1.0 } }
    }

    /// A buffer, by its name.
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<&ReelBuffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// The contents of a buffer after `frames` frames.
    #[must_use]
    pub fn after(&self, name: &str, frames: usize) -> Option<&Tensor> {
        let place = self.buffers.iter().position(|buffer| buffer.name == name)?;
        self.film.after(place, frames)
    }

    /// Whether the last change of a buffer within the first `frames` frames is not earlier than that of `other`; false if it never changed.
    #[must_use]
    pub fn changed_since(&self, name: &str, other: &str, frames: usize) -> bool {
        let last = |name: &str| {
            let place = self.buffers.iter().position(|buffer| buffer.name == name)?;
            let shown = &self.film.frames[..frames.min(self.film.frames.len())];
            shown.iter().rposition(|frame| frame.changed.iter().any(|(buffer, _)| *buffer == place))
        };
        last(name).is_some_and(|changed| last(other).is_none_or(|before| before <= changed))
    }

    /// The contents of a buffer before and after the launch of a moment.
    #[must_use]
    pub fn around(&self, name: &str, moment: Moment) -> Option<[&Tensor; 2]> {
        Some([self.after(name, moment.before)?, self.after(name, moment.before + 1)?])
    }

    /// Whether some element of the first buffer was written after `frames` frames.
    #[must_use]
    pub fn has_something(&self, frames: usize) -> bool {
        let first = self.buffers.first().and_then(|buffer| self.after(&buffer.name, frames));
        first.is_none_or(|tensor| (0..tensor.len()).any(|i| is_written(tensor, i)))
    }

    /// When that is, in words: `after scatter, launch 2 of 3`.
    #[must_use]
    pub fn when(&self, frames: usize) -> String {
        let Some((pass, launch)) = frames.checked_sub(1).and_then(|frame| self.film.launch_of(frame)) else {
            return "at first".to_owned();
        };
        match self.passes.get(pass) {
            Some((title, 1)) => format!("after {title}"),
            Some((title, of)) => format!("after {title}, launch {} of {of}", launch + 1),
            None => "at the end".to_owned(),
        }
    }
}

/// A matrix of more columns is shown as shades.
const NUMBERS: u64 = 16;

impl ReelBuffer {
    /// How it is shown unless the learner says otherwise: by its meaning, with a limit or with named rows as bars, a text as one, a wide matrix as shades.
    #[must_use]
    pub fn shape(&self, has_limit: bool) -> Shape {
        match () {
            () if self.means.is_some() => Shape::Meant,
            () if has_limit || !self.legend.names.is_empty() => Shape::Bars,
            () if self.is_text => Shape::Characters,
            () if self.columns.is_some_and(|columns| columns > NUMBERS) => Shape::Shades,
            () => Shape::Numbers,
        }
    }
}
