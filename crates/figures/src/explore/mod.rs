//! Explorers: pictures of maths that a learner drags, which a lesson's text places with `{{explore NAME}}`. One file implements each, and one
//! word of the list below names it.

macro_rules! explorers {
    ($($file:ident)*) => {
        $(mod $file;)*

        /// All explorers.
        pub static EXPLORERS: &[&Explorer] = &[$(&$file::EXPLORER),*];
    };
}

explorers! {
    views
    einsum
    registers
    fragments
    formats
    tile_order
    softmax
    overflow
    cross_entropy
    jacobian
    jacobian_product
    tokens
    bytes
    by_rank
    mean
    rescale
    recall
    delta
    join
}

mod collapse;
pub mod control;
mod heat;
mod product;
mod rows;
mod sheet;

use self::control::Control;
use self::sheet::Sheet;
use super::frame::Frame;
pub use super::maths::begin;
use crate::reference::Explored;
use crate::reference::softmax as maths;

/// An explorer.
pub struct Explorer {
    /// Its name in a lesson's text.
    pub name: &'static str,
    /// Its name on the stage's tab.
    pub tab: &'static str,
    /// The controls outside of the picture.
    pub controls: &'static [Control],
    /// Whether the controls are above the picture: their effect is then visible below them, however tall it is.
    pub controls_first: bool,
    /// Whether the picture is a few rows.
    pub is_low: bool,
    /// Whether it reads a built-in vocabulary, which a page does not have.
    pub has_vocabulary: bool,
    /// Draws the picture at a point; returns the entry that is spelled out, in words, or nothing.
    pub draw: fn(&mut Sheet, &ExploreView<'_>) -> String,
}

impl Explorer {
    /// Whether it takes a text, typed or from a file.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        self.controls.iter().any(|control| matches!(control, Control::Text))
    }
}

/// The explorer of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Explorer> {
    EXPLORERS.iter().copied().find(|explorer| explorer.name == name)
}

/// The names of explorers that a lesson's text may use.
#[must_use]
pub fn names() -> Vec<&'static str> {
    EXPLORERS.iter().map(|explorer| explorer.name).collect()
}

/// The least width of a picture, in points: a narrower place shows it smaller.
pub const LEAST: f32 = 360.0;

/// The explorer to show, and the size of its picture.
#[derive(Clone, Copy)]
pub struct ExploreView<'a> {
    /// Which picture.
    pub explorer: &'static Explorer,
    /// The point to show it at, within its bounds.
    pub at: &'a Explored,
    /// Row and column of the Jacobian's entry that is spelled out.
    pub spelled: (usize, usize),
    /// Width in points, at least [`LEAST`]; the height follows.
    pub width: f32,
}

/// A picture, and where in it the learner can take hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The picture itself.
    pub frame: Frame,
    /// The bars that can be dragged.
    pub handles: Vec<Handle>,
    /// The Jacobian's entries, row by row: left, top, width, height.
    pub cells: Vec<[f32; 4]>,
    /// The spelled entry in words; empty where there are none.
    pub words: String,
}

/// A number that a bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// A logit.
    Logit(usize),
    /// An entry of the vector that the Jacobian is applied to.
    Direction(usize),
}

/// A bar that can be dragged sideways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// The value that it changes.
    pub entry: Entry,
    /// Left, top, width, height. Its left end is `-most`, its right end `most`.
    pub rect: [f32; 4],
    /// The value at its right end.
    pub most: f64,
}

impl Entry {
    /// Its name, for screen readers.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Logit(i) => format!("logit {i}"),
            Self::Direction(i) => format!("direction {i}"),
        }
    }

    /// Its value at a point.
    #[must_use]
    pub fn of(self, at: &Explored) -> f64 {
        match self {
            Self::Logit(i) => at.logits.get(i),
            Self::Direction(i) => at.direction.get(i),
        }
        .copied()
        .unwrap_or_default()
    }

    /// Gives it a value, in tenths.
    pub fn set(self, at: &mut Explored, value: f64) {
        let entry = match self {
            Self::Logit(i) => at.logits.get_mut(i),
            Self::Direction(i) => at.direction.get_mut(i),
        };
        if let Some(entry) = entry {
            // Adding zero turns a negative zero into a plain one.
            *entry = (value * 10.0).round() / 10.0 + 0.0;
        }
    }
}

impl Handle {
    /// The value under `x`.
    #[must_use]
    pub fn value_at(&self, x: f32) -> f64 {
        let share = f64::from(((x - self.rect[0]) / self.rect[2].max(1.0)).clamp(0.0, 1.0));
        (2.0 * share - 1.0) * self.most
    }
}

/// Everything that follows from a point, computed once per picture.
struct Derived<'a> {
    at: &'a Explored,
    y: Vec<f64>,
    lse: f64,
}

impl<'a> Derived<'a> {
    fn of(at: &'a Explored) -> Self {
        let (a, t) = (&at.logits, at.temperature);
        Self { at, y: maths::softmax(a, t), lse: maths::log_sum_exp(a, t) }
    }
}

/// The picture of the view.
#[must_use]
pub fn picture(view: &ExploreView<'_>) -> Picture {
    let mut sheet = Sheet::new(view.width.max(LEAST));
    let words = (view.explorer.draw)(&mut sheet, view);
    sheet.finish(words)
}

#[cfg(test)]
mod tests;
