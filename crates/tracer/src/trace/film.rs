//! The contents of buffers after the launches of a program: the start, and what each launch changed.

use serde::{Deserialize, Serialize};

use warpbook_base::tensor::Tensor;

/// Frames that are kept at most.
pub const MOST_FRAMES: usize = 1024;

/// Bytes of tensors that are kept at most.
const MOST_BYTES: u64 = 64 << 20;

/// The contents of some buffers over a program's run.
///
/// Each launch has a frame. If there are too many, launches that changed no buffer lose theirs; if that is not enough,
/// so does every second one of the others, and its changes go to the next frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Film {
    /// The initial contents of each buffer, from its first element on.
    pub start: Vec<Tensor>,
    /// The frames, in order.
    pub frames: Vec<FilmFrame>,
    /// All launches, in order: the pass, by its place, and which launch of that pass, from 0.
    pub trail: Vec<(usize, u64)>,
    /// Whether launches that change nothing have no frames.
    skips: bool,
    /// Launches that change something, from one that has a frame to the next.
    every: usize,
    /// Launches that changed something since the last frame.
    pending: usize,
}

/// The state after a launch, as what has changed since the frame before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilmFrame {
    /// The launch, by its place in the trail.
    pub at: usize,
    /// The buffers that hold something else now, by their places in the film.
    pub changed: Vec<(usize, Tensor)>,
}

impl Film {
    /// A film that begins with these contents.
    #[must_use]
    pub fn new(start: Vec<Tensor>) -> Self {
        Self { start, every: 1, ..Self::default() }
    }

    /// Adds a launch with what its pass may have written.
    pub fn add(&mut self, launch: (usize, u64), written: Vec<(usize, Tensor)>) {
        let is_new = |(buffer, now): &(usize, Tensor)| self.after(*buffer, self.frames.len()) != Some(now);
        let changed: Vec<_> = written.into_iter().filter(is_new).collect();
        let at = self.trail.len();
        self.trail.push(launch);
        if self.skips && changed.is_empty() {
            return;
        }
        self.pending += 1;
        match self.frames.last_mut().filter(|_| self.pending < self.every) {
            Some(last) => {
                last.at = at;
                join(&mut last.changed, changed);
            }
            None => {
                self.pending = 0;
                self.frames.push(FilmFrame { at, changed });
            }
        }
        if self.frames.len() > MOST_FRAMES || (self.bytes() > MOST_BYTES && self.frames.len() > 1) {
            self.thin();
        }
    }

    /// Drops frames: those without changes at first, then every second one.
    fn thin(&mut self) {
        if !self.skips {
            self.skips = true;
            self.frames.retain(|frame| !frame.changed.is_empty());
            if self.frames.len() <= MOST_FRAMES / 2 {
                return;
            }
        }
        self.every *= 2;
        let mut kept: Vec<FilmFrame> = Vec::with_capacity(self.frames.len() / 2 + 1);
        for (place, next) in std::mem::take(&mut self.frames).into_iter().enumerate() {
            match kept.last_mut().filter(|_| place % 2 == 1) {
                Some(last) => {
                    last.at = next.at;
                    join(&mut last.changed, next.changed);
                }
                None => kept.push(next),
            }
        }
        self.frames = kept;
    }

    fn bytes(&self) -> u64 {
        self.frames.iter().flat_map(|frame| &frame.changed).map(|(_, tensor)| 4 * tensor.words.len() as u64).sum()
    }

    /// The contents of a buffer after `frames` frames; None if there is no such buffer.
    #[must_use]
    pub fn after(&self, buffer: usize, frames: usize) -> Option<&Tensor> {
        let before = &self.frames[..frames.min(self.frames.len())];
        let changed = before.iter().rev().find_map(|frame| frame.changed.iter().find(|(of, _)| *of == buffer));
        changed.map(|(_, tensor)| tensor).or_else(|| self.start.get(buffer))
    }

    /// The launch of a frame: the pass, by its place, and which launch of that pass, from 0. None if there is no such
    /// frame.
    #[must_use]
    pub fn launch_of(&self, frame: usize) -> Option<(usize, u64)> {
        self.trail.get(self.frames.get(frame)?.at).copied()
    }

    /// The frame that shows a launch of a pass: its own, else the one before it, else the first. None if it was never
    /// made.
    #[must_use]
    pub fn frame_of(&self, pass: usize, launch: u64) -> Option<usize> {
        let at = self.trail.iter().position(|made| *made == (pass, launch))?;
        Some(self.frames.partition_point(|frame| frame.at <= at).saturating_sub(1))
    }
}

/// Takes in what changed later.
fn join(changed: &mut Vec<(usize, Tensor)>, later: Vec<(usize, Tensor)>) {
    for (buffer, tensor) in later {
        match changed.iter_mut().find(|(of, _)| *of == buffer) {
            Some((_, known)) => *known = tensor,
            None => changed.push((buffer, tensor)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpbook_base::tensor::Elem;

    fn of(value: u32) -> Tensor {
        Tensor::from_bits(Elem::U32, [value].into_iter())
    }

    #[test]
    fn each_launch_has_what_it_left() {
        let mut film = Film::new(vec![of(0), of(9)]);
        film.add((0, 0), vec![(0, of(1))]);
        film.add((1, 0), vec![(0, of(1)), (1, of(8))]);
        film.add((0, 1), vec![(0, of(2))]);
        let seen = |buffer, frames| film.after(buffer, frames).map(|t| t.bits(0));
        assert_eq!([0, 1, 2, 3].map(|k| seen(0, k)), [Some(0), Some(1), Some(1), Some(2)]);
        assert_eq!([0, 1, 2, 3].map(|k| seen(1, k)), [Some(9), Some(9), Some(8), Some(8)]);
        assert_eq!(film.frames[1].changed, [(1, of(8))], "what was written and is the same has not changed");
        assert_eq!((film.frame_of(0, 1), film.frame_of(1, 1), seen(2, 0)), (Some(2), None, None));
    }

    #[test]
    fn launches_without_changes_lose_their_frames_first() {
        let mut film = Film::new(vec![of(0)]);
        for round in 0..2_000 {
            film.add((0, round), vec![(0, of(round as u32 / 2 + 1))]);
            film.add((1, round), Vec::new());
        }
        assert_eq!((film.frames.len(), film.trail.len()), (1_000, 4_000));
        // The last change before it, and the frame is after that very launch.
        let frame = film.frame_of(1, 41).unwrap_or_default();
        assert_eq!((film.launch_of(frame), film.after(0, frame + 1).map(|t| t.bits(0))), (Some((0, 40)), Some(21)));
        assert_eq!(film.after(0, 1_000).map(|t| t.bits(0)), Some(1_000));
    }

    #[test]
    fn a_long_program_is_thinned_and_ends_as_it_ended() {
        let mut film = Film::new(vec![of(0)]);
        for launch in 0..3_000 {
            film.add((0, launch), vec![(0, of(launch as u32 + 1))]);
        }
        assert!((MOST_FRAMES / 2..=MOST_FRAMES).contains(&film.frames.len()), "{}", film.frames.len());
        assert_eq!(film.after(0, film.frames.len()).map(|t| t.bits(0)), Some(3_000));
        // Every frame holds what the program held after its launch.
        for place in 0..film.frames.len() {
            let launch = film.launch_of(place).map(|(_, launch)| launch as u32 + 1);
            assert_eq!(film.after(0, place + 1).map(|t| t.bits(0)), launch);
        }
    }
}
