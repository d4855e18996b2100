//! Meanings of a buffer's elements: each draws them as more than numbers. One file is a meaning, and one word of the list below names it.

macro_rules! meanings {
    ($($file:ident)*) => {
        $(pub(crate) mod $file;)*

        /// All meanings, in the order of the reference.
        pub static MEANINGS: &[&dyn Meaning] = &[$(&$file::Fig),*];
    };
}

meanings! {
    tokens
    merges
    words
    links
    spans
}

mod letters;
mod pairs;

use super::buffer::Contents;
use super::figure::Arg;
use super::frame::{Anchor, Frame, Tag};
use super::kit::MARGIN;
use super::palette::Ink;
use super::reel::Reel;
use crate::base::tensor::Tensor;
use crate::lesson::Picture;

/// A meaning of a buffer's elements.
pub trait Meaning: Sync {
    /// Its name, its words, its arguments.
    fn card(&self) -> &'static Card;

    /// How many elements belong together, in a buffer whose matrix has `columns` columns.
    fn row(&self, columns: usize) -> usize;

    /// Draws the elements below the title, and describes them. None if a buffer that it needs is missing.
    fn draw(&self, frame: &mut Frame, of: &Meant<'_>, hovered: Option<Tag>) -> Option<String>;

    /// Element `i` in words.
    fn tip(&self, of: &Meant<'_>, i: usize) -> Option<String>;
}

/// The names of a meaning, and its arguments.
pub struct Card {
    /// Its name in `lesson.ron`.
    pub name: &'static str,
    /// Its name among the ways to show a buffer.
    pub tab: &'static str,
    /// A sentence on the elements and their picture.
    pub help: &'static str,
    /// Its arguments.
    pub args: &'static [Arg],
    /// Whether elements travel from the beginning of a launch on.
    pub travels: bool,
}

/// The meaning of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Meaning> {
    MEANINGS.iter().copied().find(|meaning| meaning.card().name == name)
}

/// Writes a summary of all elements at the right end of the picture's first line, cut to the room beside the text at its left.
fn corner(frame: &mut Frame, words: &str) {
    let (at, room) = ([frame.width - MARGIN, 18.0], frame.width - 2.0 * MARGIN);
    let left = frame.items.last().map_or(0.0, |item| item.bounds()[0] + item.bounds()[2]);
    let room = room.min(frame.width - MARGIN - left - 8.0);
    frame.fitted(at, 12.0, Anchor::End, Ink::Muted, room, words);
}

/// A buffer whose elements have a meaning, among the other buffers of its program.
pub struct Meant<'a> {
    /// The buffer.
    pub contents: &'a Contents<'a>,
    /// The meaning with its arguments.
    pub picture: &'a Picture,
    /// The buffers.
    pub reel: &'a Reel,
    /// Frames of the film that are over, now and before the present launch.
    pub frames: [usize; 2],
}

impl<'a> Meant<'a> {
    /// The buffer that an argument names, as it is now.
    pub(super) fn now(&self, arg: &str) -> Option<&'a Tensor> {
        self.reel.after(self.picture.text(arg), self.frames[0])
    }

    /// The buffer itself before the present launch.
    pub(super) fn before(&self) -> Option<&'a Tensor> {
        self.reel.after(self.contents.buffer, self.frames[1])
    }

    /// The buffer that an argument names, as it was before the present launch.
    pub(super) fn earlier(&self, arg: &str) -> Option<&'a Tensor> {
        self.reel.after(self.picture.text(arg), self.frames[1])
    }
}
