//! Texts of any length that repeat one thing.

use std::fmt::{Debug, Formatter};

use warpbook::base::rng;

use crate::readers::Reader;

/// A text that repeats `unit` between `head` and `tail`. `#` in a unit is its number, and `@` that of the one before.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    pub head: String,
    pub unit: String,
    pub tail: String,
    /// The unit that comes once for each of the others, after all of them; empty for none.
    pub then: String,
}

impl Debug for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.unit)?;
        if self.then.is_empty() { Ok(()) } else { write!(f, " then {:?}", self.then) }
    }
}

impl Shape {
    pub fn of(head: &str, unit: &str, tail: &str) -> Self {
        Self::twice(head, unit, "", tail)
    }

    pub fn twice(head: &str, unit: &str, then: &str, tail: &str) -> Self {
        let [head, unit, tail, then] = [head, unit, tail, then].map(str::to_owned);
        Self { head, unit, tail, then }
    }

    /// The text with `units` of them.
    pub fn text(&self, units: u32) -> String {
        let mut text = self.head.clone();
        for unit in [&self.unit, &self.then] {
            for i in 1..=units {
                text.push_str(&unit.replace('#', &i.to_string()).replace('@', &(i - 1).to_string()));
            }
        }
        text + &self.tail
    }
}

/// One to three of a reader's pieces, in a row, once each.
pub fn random(reader: &Reader, seed: u64) -> Shape {
    let draw = |stream: u64, below: usize| rng::word(seed, stream) as usize % below;
    let some = |from: u64| -> String {
        (0..=draw(from, 3)).map(|i| reader.pieces[draw(from + 1 + i as u64, reader.pieces.len())]).collect()
    };
    let then = if draw(1, 3) == 0 { some(20) } else { String::new() };
    Shape::twice(reader.head, &some(10), &then, reader.tail)
}
