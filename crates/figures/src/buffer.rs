//! A buffer at some moment, and how its elements lie in a picture.

use super::kit::MARGIN;
use super::shape::Shape;
use super::text;
use crate::base::tensor::Tensor;
use crate::base::units::{count, number};
use crate::lesson::Legend;

/// Where a value is nearer to zero than this, small values have a power of ten.
const NEARLY_ZERO: f64 = 1e-6;

/// The smallest value that has none then.
const SMALL: f64 = 0.01;

/// A buffer at some moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents<'a> {
    /// Its name.
    pub buffer: &'a str,
    /// When: `after scatter`.
    pub when: &'a str,
    /// Its elements, from the first.
    pub tensor: &'a Tensor,
    /// How many elements it has; there may be more than are known.
    pub count: u64,
    /// The columns of the matrix that it is.
    pub columns: Option<u64>,
    /// How many elements belong together, if they are shown by their meaning.
    pub row: Option<usize>,
    /// The names of rows and columns.
    pub legend: &'a Legend,
    /// How they are shown.
    pub shape: Shape,
    /// The first element that is shown.
    pub from: usize,
    /// The line that bars have.
    pub line: Line<'a>,
    /// How far the present launch is, from 0 to 1.
    pub progress: f32,
}

/// The line of bars, and their axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line<'a> {
    /// Its value; None for the bars' mean.
    pub at: Option<f64>,
    /// Its name, such as "a fair share". A line without a name is a limit, and bars are cut at it.
    pub name: Option<&'a str>,
    /// The top of the axis; None for the highest bar.
    pub top: Option<f64>,
}

impl Line<'_> {
    /// The value that bars are cut at.
    #[must_use]
    pub fn limit(&self) -> Option<f64> {
        self.at.filter(|_| self.name.is_none())
    }
}

/// Whether an element is there and was written, whatever its type: whole numbers have no NaN.
pub(super) fn is_written(tensor: &Tensor, i: usize) -> bool {
    let poison = tensor.elem.poison();
    let bits = if tensor.elem.bytes() == 2 { poison & 0xFFFF } else { poison };
    i < tensor.len() && tensor.bits(i) != bits
}

/// Height of a row of numbers, and of a row of shades.
pub(super) const ROW: f32 = 22.0;
/// The least height of a row of numbers.
pub(super) const LEAST_ROW: f32 = 16.0;
const SHADE: f32 = 10.0;
/// The most rows of a strip of shades, and their greatest height.
const STRIP: f32 = 8.0;
const STRIP_ROW: f32 = 32.0;
/// The least size of a shade: smaller ones cannot be distinguished, and a picture would have a hundred thousand.
const LEAST: f32 = 4.0;
/// The height above the elements.
pub(super) const HEAD: f32 = 44.0;

/// How elements lie in the picture.
pub(super) struct Layout {
    pub(super) left: f32,
    pub(super) columns: usize,
    pub(super) cell: [f32; 2],
    pub(super) rows: usize,
}

impl Contents<'_> {
    /// Elements from this many on begin a row.
    #[must_use]
    pub fn row(&self, size: [f32; 2]) -> usize {
        self.layout(size).columns
    }

    pub(super) fn layout(&self, [width, height]: [f32; 2]) -> Layout {
        let names =
            text::width(&count(self.count), 12.0, true).max(text::width(&self.row_name(self.count), 12.0, false));
        let left = MARGIN + names + 12.0;
        let room = width - left - MARGIN;
        let matrix = self.columns.and_then(|columns| usize::try_from(columns).ok());
        let (columns, cell) = match self.shape {
            Shape::Numbers => {
                let spelling = self.spelling();
                let words = self.shown(256).map(|i| self.word(spelling, i));
                let widest = words.map(|word| text::width(&word, 12.0, true)).fold(24.0, f32::max);
                let most = ((room / (widest + 12.0)) as usize).max(1);
                // A matrix whose rows nearly fit has them whole.
                let whole = matrix.filter(|of| *of as f32 * (widest + 6.0) <= room);
                let most = whole.map_or(most, |of| most.max(of));
                // Rows of a round number of elements are easier to count in.
                let round = [32, 16, 10, 8, 5, 4, 2, 1].into_iter().find(|n| *n <= most).unwrap_or(1);
                // A row that does not fit is broken into equal parts.
                let part = matrix.and_then(|of| (1..=most.min(of)).rev().find(|part| of.is_multiple_of(*part)));
                let columns = part.filter(|part| *part > 1 || matrix == Some(1)).unwrap_or(round);
                (columns, [(room / columns as f32).min(widest + 28.0), ROW])
            }
            Shape::Shades => {
                let columns = matrix.unwrap_or(64).min((room / LEAST) as usize).max(1);
                let side = (room / columns as f32).min(SHADE);
                (columns, [side, side])
            }
            Shape::Bars => (matrix.unwrap_or(1).max(1), [width, ROW]),
            Shape::Meant => (self.row.unwrap_or(1).max(1), [width, ROW]),
            Shape::Characters => (((room / 12.0) as usize / 8 * 8).clamp(8, 64), [12.0, ROW]),
        };
        let room = height - HEAD - MARGIN;
        // Rows of a matrix are as high as lets all be seen, if that is not too low.
        let all = matrix.map_or(0, |of| self.tensor.len() / of.max(1)) as f32;
        let fits = matches!(self.shape, Shape::Numbers) && matrix == Some(columns) && all * ROW > room;
        let cell = if fits && all * LEAST_ROW <= room { [cell[0], room / all] } else { cell };
        // A strip of a few rows of shades takes the height that there is.
        let strip = matches!(self.shape, Shape::Shades) && matrix == Some(columns) && (1.0..=STRIP).contains(&all);
        let cell = if strip { [cell[0], (room / all).min(STRIP_ROW).max(cell[1])] } else { cell };
        Layout { left, columns, cell, rows: (room / cell[1] + 0.01).max(1.0) as usize }
    }

    /// The name of the row that begins with an element, if its lesson gives one; empty otherwise.
    pub(super) fn row_name(&self, i: u64) -> String {
        match self.columns.filter(|columns| *columns > 0 && i.is_multiple_of(*columns) && !self.legend.rows.is_empty())
        {
            Some(columns) => format!("{} {}", self.legend.rows, count(i / columns)),
            None => String::new(),
        }
    }

    /// The elements from the first that is shown, at most `most`.
    pub(super) fn shown(&self, most: usize) -> impl Iterator<Item = usize> {
        self.from..self.tensor.len().min(self.from + most)
    }

    /// The value of an element; None if it was not written.
    pub(super) fn value(&self, i: usize) -> Option<f64> {
        is_written(self.tensor, i).then(|| self.tensor.get(i))
    }

    /// How values are spelled: in few characters where some are nearly zero, so that a matrix keeps its rows.
    pub(super) fn spelling(&self) -> fn(f64) -> String {
        let mut values = self.shown(256).filter_map(|i| self.value(i));
        if values.any(|value| value != 0.0 && value.abs() < NEARLY_ZERO) { with_powers } else { number }
    }

    /// An element as it is written.
    pub(super) fn word(&self, spelling: fn(f64) -> String, i: usize) -> String {
        self.value(i).map_or_else(|| "–".to_owned(), spelling)
    }
}

/// A number in at most seven characters if it is small.
fn with_powers(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || size >= SMALL => number(value),
        size if size < 1e-9 => format!("{value:.0e}"),
        _ => format!("{value:.1e}"),
    }
}
