//! Detection of cycles and of too long chains in references between values.

use std::collections::HashMap;

use super::model::Lesson;
use super::scope::MAX_CHAIN;

/// A depth-first walk along the references between values.
pub(super) struct Walk<'a> {
    lesson: &'a Lesson,
    /// The index of each value, by id.
    places: HashMap<&'a str, usize>,
    /// The longest chain of values from each one, if known.
    heights: Vec<Option<usize>>,
    path: Vec<&'a str>,
}

/// A cycle or a chain that is too long, with the values on it.
pub(super) enum Endless<'a> {
    /// A cycle from a value back to itself.
    Circle(Vec<&'a str>),
    /// A chain of more than [`MAX_CHAIN`] values.
    TooLong(Vec<&'a str>),
}

impl<'a> Walk<'a> {
    /// A walk before its first value.
    pub fn new(lesson: &'a Lesson) -> Self {
        let places = lesson.values.iter().enumerate().rev().map(|(i, value)| (value.id.as_str(), i));
        Self { lesson, places: places.collect(), heights: vec![None; lesson.values.len()], path: Vec::new() }
    }

    /// Walks from the value at `index`; returns the longest chain from there.
    pub fn from(&mut self, index: usize) -> Result<usize, Endless<'a>> {
        self.path.clear();
        self.height(index)
    }

    /// The longest chain from the value at `index`.
    fn height(&mut self, index: usize) -> Result<usize, Endless<'a>> {
        let lesson = self.lesson;
        let value = &lesson.values[index];
        let earlier = self.path.iter().position(|id| *id == value.id);
        self.path.push(&value.id);
        if let Some(earlier) = earlier {
            return Err(Endless::Circle(self.path[earlier..].to_vec()));
        }
        // This also bounds the recursion.
        if self.path.len() > MAX_CHAIN {
            return Err(Endless::TooLong(self.path.clone()));
        }
        let height = match self.heights[index] {
            Some(height) => height,
            None => {
                let mut below = 0;
                for (name, _) in value.expr.names() {
                    if let Some(next) = self.places.get(name) {
                        below = below.max(self.height(*next)?);
                    }
                }
                below + 1
            }
        };
        self.heights[index] = Some(height);
        if self.path.len() - 1 + height > MAX_CHAIN {
            return Err(Endless::TooLong(self.path.clone()));
        }
        self.path.pop();
        Ok(height)
    }
}
