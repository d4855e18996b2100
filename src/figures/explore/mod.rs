//! Pictures of the maths that a learner explores: bars that can be dragged, and what follows from them.

mod collapse;
mod formats;
mod fragments;
mod heat;
mod overflow;
mod product;
mod registers;
mod rows;
mod sheet;
mod tile_order;
mod tokens;
mod views;

use super::frame::Frame;
use crate::reference::softmax as maths;
use crate::reference::{Explored, Explorer};

/// The explorer to show, and the size of its picture.
#[derive(Clone, Copy, Debug)]
pub struct ExploreView<'a> {
    /// Which picture.
    pub explorer: Explorer,
    /// The point to show it at, within its bounds.
    pub at: &'a Explored,
    /// Row and column of the Jacobian's entry that is spelled out.
    pub spelled: (usize, usize),
    /// Width in points, meant for 360 and more; the height follows.
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

/// The picture of the view.
#[must_use]
pub fn picture(view: &ExploreView<'_>) -> Picture {
    let (a, t) = (&view.at.logits, view.at.temperature);
    let derived = Derived { at: view.at, y: maths::softmax(a, t), lse: maths::log_sum_exp(a, t) };
    let mut sheet = sheet::Sheet::new(view.width);
    let mut words = String::new();
    match view.explorer {
        Explorer::Softmax => rows::softmax(&mut sheet, &derived),
        Explorer::Views => views::draw(&mut sheet, &view.at.ops),
        Explorer::Registers => registers::draw(&mut sheet, view.at.block),
        Explorer::Fragments => fragments::draw(&mut sheet, view.at.lane),
        Explorer::Formats => formats::draw(&mut sheet, view.at.number),
        Explorer::TileOrder => tile_order::draw(&mut sheet, view.at.group, view.at.wave),
        Explorer::Tokens => tokens::draw(&mut sheet, &view.at.text),
        Explorer::Overflow => overflow::draw(&mut sheet, &derived),
        Explorer::CrossEntropy => rows::cross_entropy(&mut sheet, &derived),
        Explorer::Jacobian => {
            rows::both(&mut sheet, &derived);
            words = heat::draw(&mut sheet, &derived, &maths::jacobian(&derived.y, t), view.spelled);
        }
        Explorer::JacobianProduct => {
            let matrix = maths::jacobian(&derived.y, t);
            rows::both(&mut sheet, &derived);
            collapse::draw(&mut sheet, &derived, &matrix);
            product::draw(&mut sheet, &derived, &matrix);
        }
    }
    sheet.finish(words)
}

#[cfg(test)]
mod tests;
