//! Brackets below a text's tokens, each around two that a merge joins; brackets that overlap are red.

use super::super::frame::Frame;
use super::super::kit::Key;
use super::super::palette::Ink;
use crate::base::tensor::Tensor;
use crate::base::units::count;

/// Height of a bracket's ends, and its distance from the cells.
const END: f32 = 4.0;
const GAP: f32 = 3.0;
/// How much lower every second one of brackets that overlap is.
const LOWER: f32 = 4.0;

/// A token's cell in the picture.
pub(super) struct Cell {
    pub token: usize,
    pub left: f32,
    pub right: f32,
    pub bottom: f32,
}

/// How many brackets were drawn, and how many of them overlap another.
pub(super) struct Drawn {
    merges: usize,
    overlaps: usize,
}

/// Draws a bracket from each cell whose token is marked to the cell of the next token.
pub(super) fn draw(frame: &mut Frame, cells: &[Cell], marks: &Tensor) -> Drawn {
    let is_marked = |token: usize| token < marks.len() && !marks.is_poison(token) && marks.bits(token) != 0;
    let mut drawn = Drawn { merges: 0, overlaps: 0 };
    let mut is_low = false;
    for (i, cell) in cells.iter().enumerate().filter(|(_, cell)| is_marked(cell.token)) {
        let follows = cell.token > 0 && is_marked(cell.token - 1);
        let overlaps = follows || is_marked(cell.token + 1);
        is_low = follows && !is_low;
        drawn.merges += 1;
        drawn.overlaps += usize::from(overlaps);
        let ink = if overlaps { Ink::Conflict } else { Ink::Accent };
        let top = cell.bottom + GAP;
        let y = top + END + if is_low { LOWER } else { 0.0 };
        // A pair whose second token begins the next line, or is not shown, has no right end.
        let next = cells.get(i + 1).filter(|next| next.bottom == cell.bottom);
        let left = cell.left + 3.0;
        let right = next.map_or(cell.right, |next| next.right - 3.0);
        frame.line([left, top], [left, y], 1.5, ink, None);
        frame.line([left, y], [right, y], 1.5, ink, None);
        if next.is_some() {
            frame.line([right, top], [right, y], 1.5, ink, None);
        }
    }
    drawn
}

impl Drawn {
    /// The legend's entries for the brackets that there are.
    pub(super) fn keys(&self) -> Vec<Key<'_>> {
        let clean = (self.merges > self.overlaps).then(|| Key::new(Ink::Accent, "two that merge").or("merge"));
        let overlap = (self.overlaps > 0).then(|| Key::new(Ink::Conflict, "merges that overlap").or("overlap"));
        clean.into_iter().chain(overlap).collect()
    }

    /// A sentence on them, after a space.
    pub(super) fn said(&self) -> String {
        let merges = if self.merges == 1 { "merge" } else { "merges" };
        match self.overlaps {
            0 => format!(" {} {merges}, which do not overlap.", count(self.merges as u64)),
            overlaps => format!(" {} {merges}, of which {overlaps} overlap.", count(self.merges as u64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::frame::Item;
    use super::*;
    use crate::base::tensor::Elem;

    /// Four tokens in a line, and a fifth below.
    fn cells() -> Vec<Cell> {
        let place = |i: usize| [20.0 * (i % 4) as f32, 30.0 * (i / 4) as f32];
        let cell = |token| {
            let [left, bottom] = place(token);
            Cell { token, left, right: left + 18.0, bottom }
        };
        (0..5).map(cell).collect()
    }

    fn drawn(marks: [u32; 5]) -> (Drawn, Frame) {
        let mut frame = Frame::new([100.0, 80.0]);
        let drawn = draw(&mut frame, &cells(), &Tensor::from_bits(Elem::U32, marks.into_iter()));
        (drawn, frame)
    }

    #[test]
    fn brackets_that_overlap_are_red_and_at_two_heights() {
        let (of_run, frame) = drawn([1, 1, 1, 0, 0]);
        assert_eq!((of_run.merges, of_run.overlaps), (3, 3));
        let red = frame.items.iter().all(|item| matches!(item, Item::Line { ink: Ink::Conflict, .. }));
        assert!(red && frame.items.len() == 9, "{:?}", frame.items);
        assert_eq!(of_run.said(), " 3 merges, of which 3 overlap.");
        let (every_second, frame) = drawn([1, 0, 1, 0, 0]);
        assert_eq!((every_second.merges, every_second.overlaps), (2, 0));
        assert!(frame.items.iter().all(|item| matches!(item, Item::Line { ink: Ink::Accent, .. })));
    }

    #[test]
    fn a_pair_over_the_end_of_a_line_is_open() {
        assert_eq!(drawn([0, 0, 0, 1, 0]).1.items.len(), 2);
    }
}
