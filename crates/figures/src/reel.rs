//! Buffers of a program over its launches, and the moment that a figure shows.

use std::ops::Range;

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
    /// The passes, by their places.
    pub passes: Vec<ReelPass>,
}

/// A pass of a program.
#[derive(Clone, Debug, Default)]
pub struct ReelPass {
    /// Its name for people.
    pub title: String,
    /// How often it is launched.
    pub launches: u64,
    /// The repetitions that it is in, outer ones first.
    pub rounds: Vec<Rounds>,
}

/// A repetition around a pass.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// The name of a round, such as "merge"; empty if rounds are not numbered.
    pub turn: String,
    /// The maximum number of rounds.
    pub times: u64,
}

impl ReelPass {
    /// A pass outside of all repetitions.
    #[must_use]
    pub fn single(title: &str) -> Self {
        Self { title: title.to_owned(), launches: 1, rounds: Vec::new() }
    }

    /// The round of each repetition in which a launch is, from 0, and how many there are.
    fn rounds_of(&self, launch: u64) -> Vec<[u64; 2]> {
        let mut rest = launch;
        let mut rounds: Vec<[u64; 2]> = Vec::new();
        for of in self.rounds.iter().skip(1).rev() {
            let times = of.times.max(1);
            rounds.push([rest % times, times]);
            rest /= times;
        }
        if !self.rounds.is_empty() {
            // The outermost repetition may end early.
            let inner: u64 = rounds.iter().map(|[_, times]| times).product();
            rounds.push([rest, self.launches.div_ceil(inner)]);
        }
        rounds.reverse();
        rounds
    }
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

    /// When that is, in words: `step 2 of 4, after scatter`; rounds without a name are launches: `after scatter, launch 2 of 3`.
    #[must_use]
    pub fn when(&self, frames: usize) -> String {
        let Some((pass, launch)) = frames.checked_sub(1).and_then(|frame| self.film.launch_of(frame)) else {
            return "at first".to_owned();
        };
        let Some(pass) = self.passes.get(pass) else { return "at the end".to_owned() };
        let rounds = pass.rounds_of(launch);
        let mut words = Vec::new();
        let mut others = [0, 1];
        for (of, [round, times]) in pass.rounds.iter().zip(rounds) {
            match of.turn.as_str() {
                "" => others = [others[0] * times + round, others[1] * times],
                turn if times > 1 => words.push(format!("{turn} {} of {times}", round + 1)),
                _ => {}
            }
        }
        let after = if pass.title.starts_with("after ") { "" } else { "after " };
        words.push(match others {
            [_, 1] => format!("{after}{}", pass.title),
            [round, times] => format!("{after}{}, launch {} of {times}", pass.title, round + 1),
        });
        words.join(", ")
    }

    /// The numbered rounds in which a frame's launch is, outer ones first; None if there is no such frame.
    #[must_use]
    pub fn turns(&self, frame: usize) -> Option<Vec<u64>> {
        let (pass, launch) = self.film.launch_of(frame)?;
        let pass = self.passes.get(pass)?;
        let rounds = pass.rounds.iter().zip(pass.rounds_of(launch));
        Some(rounds.filter(|(of, _)| !of.turn.is_empty()).map(|(_, [round, _])| round).collect())
    }

    /// The frames around a frame, without a gap, that are in the same numbered rounds.
    #[must_use]
    pub fn turn(&self, frame: usize) -> Range<usize> {
        let (turns, all) = (self.turns(frame), self.film.frames.len());
        let begin = (0..frame).rfind(|before| self.turns(*before) != turns).map_or(0, |before| before + 1);
        begin..(frame..all).find(|after| self.turns(*after) != turns).unwrap_or(all)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::tensor::Elem;

    /// Two steps of three layers, of which the last step ends early, with two launches per layer, and one launch after all.
    #[test]
    fn a_moment_is_named_by_its_rounds() {
        let rounds = |turn: &str, times| Rounds { turn: turn.to_owned(), times };
        let inner = vec![rounds("step", 9), rounds("layer", 3), rounds("", 2)];
        let passes = vec![ReelPass { title: "gather".into(), launches: 12, rounds: inner }, ReelPass::single("end")];
        let tensor = |word: u32| Tensor::from_bits(Elem::U32, [word].into_iter());
        let mut film = Film::new(vec![tensor(0)]);
        (0..12).for_each(|launch| film.add((0, launch), vec![(0, tensor(launch as u32 + 1))]));
        film.add((1, 0), vec![(0, tensor(99))]);
        let reel = Reel { film, buffers: Vec::new(), passes };
        assert_eq!(reel.when(0), "at first");
        assert_eq!(reel.when(1), "step 1 of 2, layer 1 of 3, after gather, launch 1 of 2");
        assert_eq!(reel.when(10), "step 2 of 2, layer 2 of 3, after gather, launch 2 of 2");
        assert_eq!(reel.when(13), "after end");
        assert_eq!((reel.turns(9), reel.turn(9)), (Some(vec![1, 1]), 8..10));
        assert_eq!((reel.turns(12), reel.turn(12), reel.turn(1)), (Some(Vec::new()), 12..13, 0..2));
    }
}
