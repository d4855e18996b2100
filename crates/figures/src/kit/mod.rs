//! The parts that pictures are laid out with: a board with headline, captions and legend, rows, columns, axes, matrices of cells, a card
//! beside them, and the heading of an event.
//!
//! A picture takes its lines of text off the board first; `Board::room` is what they leave. Rows and columns divide that room, fit their
//! names, and say how many of them have no place.

pub(crate) mod axis;
mod board;
mod card;
pub(crate) mod cells;
mod columns;
pub(crate) mod heading;
pub(crate) mod legend;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use board::{Board, MARGIN, Room};
pub(crate) use card::SideCard;
pub(crate) use columns::Columns;
pub(crate) use legend::Key;
pub(crate) use rows::Rows;
