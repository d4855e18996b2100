//! Text in the program's own fonts: which font has a character, and how wide a run is.

use std::cell::RefCell;
use std::collections::HashMap;

use krilla::text::Font;
use rustybuzz::{Direction, Face as Shaped, Script, ShapePlan, UnicodeBuffer, script};

use crate::fonts;

/// A font, by its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Face {
    Serif,
    Italic,
    Bold,
    Sans,
    Medium,
    Mono,
    EastAsia,
    Devanagari,
}

/// All faces; a character that the wanted one lacks is taken from the first that has it.
const ALL: [(Face, &[u8]); 8] = [
    (Face::Serif, fonts::SERIF),
    (Face::Italic, fonts::SERIF_ITALIC),
    (Face::Bold, fonts::SERIF_BOLD),
    (Face::Sans, fonts::SANS),
    (Face::Medium, fonts::SANS_MEDIUM),
    (Face::Mono, fonts::MONO),
    (Face::EastAsia, fonts::EAST_ASIA),
    (Face::Devanagari, fonts::DEVANAGARI),
];

/// Characters that are shaped at once, at most: many marks on one letter take time in the square of their number. A
/// line has fewer.
const MOST_SHAPED: usize = 256;

/// A text in one font, with its width in points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) face: Face,
    pub(super) text: String,
    pub(super) width: f32,
}

/// The fonts as they are measured and as the file embeds them.
pub(super) struct Fonts {
    shaped: HashMap<Face, Shaped<'static>>,
    embedded: HashMap<Face, Font>,
    /// How texts of a font, a direction and a script are shaped: to find it out takes longer than to shape a word.
    plans: RefCell<HashMap<(Face, Direction, Script), ShapePlan>>,
}

impl Fonts {
    /// Reads them; one that cannot be read is left out.
    pub(super) fn new() -> Self {
        let shaped = ALL.iter().filter_map(|(face, bytes)| Some((*face, Shaped::from_slice(bytes, 0)?)));
        let embedded = ALL.iter().filter_map(|(face, bytes)| Some((*face, Font::new((*bytes).into(), 0)?)));
        Self { shaped: shaped.collect(), embedded: embedded.collect(), plans: RefCell::default() }
    }

    /// The font as the file embeds it.
    pub(super) fn embedded(&self, face: Face) -> Option<&Font> {
        self.embedded.get(&face)
    }

    /// The face that draws a character.
    fn face_of(&self, c: char, wanted: Face) -> Face {
        let has = |face: &Face| self.shaped.get(face).is_some_and(|shaped| shaped.glyph_index(c).is_some());
        if c.is_whitespace() || has(&wanted) {
            return wanted;
        }
        ALL.iter().map(|(face, _)| *face).find(has).unwrap_or(wanted)
    }

    /// The text in runs of one font each, none of more than [`MOST_SHAPED`] characters.
    pub(super) fn runs(&self, text: &str, wanted: Face, size: f32) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut length = 0;
        for c in text.chars() {
            let face = self.face_of(c, wanted);
            match runs.last_mut().filter(|run| run.face == face && length < MOST_SHAPED) {
                Some(run) => {
                    run.text.push(c);
                    length += 1;
                }
                None => {
                    runs.push(Run { face, text: c.to_string(), width: 0.0 });
                    length = 1;
                }
            }
        }
        for run in &mut runs {
            run.width = self.advance(&run.text, run.face, size);
        }
        runs
    }

    /// The width of a text, in points.
    pub(super) fn width(&self, text: &str, face: Face, size: f32) -> f32 {
        self.runs(text, face, size).iter().map(|run| run.width).sum()
    }

    fn advance(&self, text: &str, face: Face, size: f32) -> f32 {
        let Some(shaped) = self.shaped.get(&face) else { return 0.0 };
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        let (direction, script) = (buffer.direction(), buffer.script());
        let mut plans = self.plans.borrow_mut();
        let plan = plans.entry((face, direction, script)).or_insert_with(|| {
            ShapePlan::new(shaped, direction, Some(script).filter(|script| *script != script::UNKNOWN), None, &[])
        });
        let glyphs = rustybuzz::shape_with_plan(shaped, plan, buffer);
        let units: i32 = glyphs.glyph_positions().iter().map(|glyph| glyph.x_advance).sum();
        units as f32 * size / shaped.units_per_em() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_a_font_lacks_comes_from_another() {
        let fonts = Fonts::new();
        assert_eq!((fonts.shaped.len(), fonts.embedded.len()), (ALL.len(), ALL.len()));
        let runs = fonts.runs("a 語 b", Face::Serif, 10.0);
        let faces: Vec<_> = runs.iter().map(|run| (run.face, run.text.as_str())).collect();
        assert_eq!(faces, [(Face::Serif, "a "), (Face::EastAsia, "語"), (Face::Serif, " b")]);
        assert!(runs.iter().all(|run| run.width > 0.0));
        let [once, twice] = [10.0, 20.0].map(|size| fonts.width("warp", Face::Mono, size));
        assert!((twice - 2.0 * once).abs() < 1e-3 && once > 20.0);
    }

    #[test]
    fn no_run_is_longer_than_a_line() {
        let fonts = Fonts::new();
        // Marks on one letter, joined pictures, and a word: all of them go on for ever.
        for part in ["\u{301}", "👩\u{200d}", "x", "語"] {
            let text = "a".to_owned() + &part.repeat(3000);
            let runs = fonts.runs(&text, Face::Serif, 10.0);
            assert!(runs.iter().all(|run| run.text.chars().count() <= MOST_SHAPED), "{part}");
            assert_eq!(runs.iter().map(|run| run.text.as_str()).collect::<String>(), text, "{part}");
        }
        // A width is the same, whatever was shaped before.
        let [first, again] = [fonts.width("warp", Face::Serif, 10.0), Fonts::new().width("warp", Face::Serif, 10.0)];
        assert!((first - again).abs() < 1e-6, "{first} and {again}");
    }
}
