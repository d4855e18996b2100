//! Layout errors of a frame, which tests look for: what leaves it, what is too small to read, and texts on each other.

use super::frame::{Frame, Item};

/// By how much an item may leave the frame: less than a pixel.
const EDGE: f32 = 0.6;
/// The smallest font.
const LEAST: f32 = 12.0;

impl Frame {
    /// Its layout errors in words; empty if there are none.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut found: Vec<String> =
            self.alt.is_empty().then(|| "it has no description".to_owned()).into_iter().collect();
        let mut texts: Vec<([f32; 4], &str)> = Vec::new();
        for item in &self.items {
            let [x, y, w, h] = item.bounds();
            let ends = x >= -EDGE && y >= -EDGE && x + w <= self.width + EDGE && y + h <= self.height + EDGE;
            if !ends {
                found.push(format!("{item:?} leaves the frame of {} × {}: {x} {y} {w} {h}", self.width, self.height));
            }
            match item {
                Item::Text { size, text, .. } => {
                    if *size < LEAST || text.is_empty() {
                        found.push(format!("{item:?} cannot be read"));
                    }
                    // Lines of text may come close, not touch: glyphs take up less than their line.
                    let bounds = [x, y + 0.1 * size, w, h - 0.2 * size];
                    let over = texts.iter().find(|(other, _)| overlap(*other, bounds));
                    found.extend(over.map(|(_, other)| format!("{text:?} overlaps {other:?}")));
                    texts.push((bounds, text));
                }
                Item::Rect { rect, .. } if rect[2] <= 0.0 || rect[3] <= 0.0 => found.push(format!("{item:?} is empty")),
                Item::Rect { .. } | Item::Line { .. } | Item::Polyline { .. } | Item::Dot { .. } => {}
            }
        }
        found
    }
}

/// Whether two rectangles have a part in common.
pub(crate) fn overlap(a: [f32; 4], b: [f32; 4]) -> bool {
    (0..2).all(|i| a[i] < b[i] + b[i + 2] && b[i] < a[i] + a[i + 2])
}
