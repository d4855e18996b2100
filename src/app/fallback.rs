//! Glyphs for characters that the window's own fonts lack, from the fonts of this computer.
//!
//! Nothing is read before such a character is to be drawn. Fonts are then read on a thread: until it answers, the
//! character is drawn as a box.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use egui::epaint::text::VariationCoords;
use egui::{Context, FallbackRequest, FontData, FontInsert, FontProvider, Id};
use fontdb::{Database, FaceInfo, ID, Source, Stretch, Style};

/// Characters asked for at most, so that a file of all of Unicode does not read every font again and again.
const MOST: usize = 20_000;

/// Fonts for the characters that the window's own fonts lack.
#[derive(Default)]
pub struct Fallback {
    known: Arc<Known>,
    /// The thread that looks for fonts; started when there is something to look for.
    finder: Option<(Sender<BTreeSet<char>>, Receiver<Answer>)>,
    /// Orders that are not answered.
    waiting: usize,
}

/// The characters that the window's text needs and the fonts that were found, shared with egui.
#[derive(Default)]
struct Known(Mutex<Characters>);

#[derive(Default)]
struct Characters {
    /// Characters that were asked for, and not looked for yet.
    wanted: BTreeSet<char>,
    /// All characters that were asked for.
    asked: BTreeSet<char>,
    /// Those that no font has.
    absent: BTreeSet<char>,
    /// The fonts that have the others.
    faces: BTreeMap<char, Arc<FontInsert>>,
}

/// Fonts for some characters, and those of the characters that none has.
struct Answer {
    faces: BTreeMap<char, Arc<FontInsert>>,
    absent: BTreeSet<char>,
}

impl Known {
    fn with<T>(&self, look: impl FnOnce(&mut Characters) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl FontProvider for Known {
    /// Only notes a character that was not looked for yet: a frame does not wait for files.
    fn font_for(&self, request: &FallbackRequest<'_>) -> Option<FontInsert> {
        let wanted = request.cluster.chars().next()?;
        self.with(|known| {
            let face = known.faces.get(&wanted).map(|face| FontInsert::clone(face));
            if face.is_none() && known.asked.len() < MOST && known.asked.insert(wanted) {
                known.wanted.insert(wanted);
            }
            face
        })
    }
}

impl Fallback {
    /// Has egui ask here for characters that it has no font for.
    pub fn install(&self, ctx: &Context) {
        ctx.add_font_provider(self.known.clone());
        ctx.data_mut(|d| d.insert_temp(id(), self.known.clone()));
    }

    /// Passes on what was asked for in the last frame, and takes in what was found.
    pub fn poll(&mut self, ctx: &Context) {
        let wanted = self.known.with(|known| std::mem::take(&mut known.wanted));
        if !wanted.is_empty() {
            let (orders, _) = self.finder.get_or_insert_with(|| start(ctx.clone()));
            if orders.send(wanted).is_ok() {
                self.waiting += 1;
            }
        }
        let mut found = false;
        while let Some((_, answers)) = &self.finder {
            match answers.try_recv() {
                Ok(answer) => {
                    self.waiting -= 1;
                    found |= !answer.faces.is_empty();
                    self.known.with(|known| {
                        known.faces.extend(answer.faces);
                        known.absent.extend(answer.absent);
                    });
                }
                Err(TryRecvError::Empty) => break,
                // A font that the thread broke on costs the others, and nothing else.
                Err(TryRecvError::Disconnected) => (self.finder, self.waiting) = (None, 0),
            }
        }
        if found {
            // A text that is laid out already is laid out again.
            ctx.set_font_providers(vec![self.known.clone()]);
        }
    }

    /// Whether the thread has not answered yet, or has not been asked yet.
    pub fn is_waiting(&self) -> bool {
        self.waiting > 0 || self.known.with(|known| !known.wanted.is_empty())
    }
}

fn id() -> Id {
    Id::unique("characters without a font")
}

/// How many different characters of a text no font on this computer has, as far as was looked for.
pub fn missing(ctx: &Context, text: &str) -> usize {
    let Some(known) = ctx.data(|d| d.get_temp::<Arc<Known>>(id())) else { return 0 };
    known.with(|known| match known.absent.is_empty() {
        true => 0,
        false => text.chars().filter(|c| known.absent.contains(c)).collect::<BTreeSet<_>>().len(),
    })
}

/// Starts the thread. It ends with the window.
fn start(ctx: Context) -> (Sender<BTreeSet<char>>, Receiver<Answer>) {
    let (orders, ordered) = channel::<BTreeSet<char>>();
    let (answers, answered) = channel();
    std::thread::spawn(move || {
        let mut fonts = Database::new();
        if let Ok(first) = ordered.recv() {
            fonts.load_system_fonts();
            for wanted in std::iter::once(first).chain(ordered) {
                if answers.send(find(&fonts, wanted)).is_err() {
                    return;
                }
                ctx.request_repaint();
            }
        }
    });
    (orders, answered)
}

/// The few fonts that have the wanted characters.
fn find(fonts: &Database, mut wanted: BTreeSet<char>) -> Answer {
    let mut having: Vec<(&FaceInfo, Has)> =
        fonts.faces().filter_map(|face| Some((face, has(fonts, face.id, &wanted)?))).collect();
    let japanese = wanted.iter().any(|c| ('\u{3041}'..='\u{30ff}').contains(c));
    let mut faces = BTreeMap::new();
    let mut files = BTreeMap::new();
    while !wanted.is_empty() {
        let count = |has: &Has| has.characters.iter().filter(|c| wanted.contains(c)).count();
        let best = having.iter().enumerate().filter(|(_, (_, has))| count(has) > 0);
        let best =
            best.max_by_key(|(_, (face, has))| (count(has), fitness(face), has.glyphs, has_forms(face, japanese)));
        let Some((at, _)) = best else { break };
        let (face, has) = having.swap_remove(at);
        if let Some(face) = insert(face, &mut files) {
            let face = Arc::new(face);
            faces.extend(wanted.intersection(&has.characters).map(|c| (*c, face.clone())));
            wanted.retain(|c| !has.characters.contains(c));
        }
    }
    Answer { faces, absent: wanted }
}

/// The wanted characters that a font has.
struct Has {
    characters: BTreeSet<char>,
    glyphs: u16,
}

/// None if the font has none of them.
fn has(fonts: &Database, id: ID, wanted: &BTreeSet<char>) -> Option<Has> {
    let has = fonts.with_face_data(id, |data, index| {
        let face = ttf_parser::Face::parse(data, index).ok()?;
        // Only outlines are drawn: a font of bitmap pictures has characters, but nothing to draw.
        let drawn = |c: char, glyph| c.is_whitespace() || face.glyph_bounding_box(glyph).is_some();
        let has = |c: &char| face.glyph_index(*c).is_some_and(|glyph| glyph.0 > 0 && drawn(*c, glyph));
        let characters: BTreeSet<char> = wanted.iter().copied().filter(has).collect();
        Some(Has { characters, glyphs: face.number_of_glyphs() })
    })??;
    (!has.characters.is_empty()).then_some(has)
}

/// How well a font goes with the window's own: upright, of normal width and weight, without serifs.
fn fitness(face: &FaceInfo) -> (bool, bool, u16, bool) {
    let upright = face.style == Style::Normal;
    let sans = face.families.first().is_some_and(|(name, _)| name.contains("Sans"));
    (upright, face.stretch == Stretch::Normal, 1000 - face.weight.0.abs_diff(400).min(1000), sans)
}

/// Whether a font has the forms of characters that are usual in a text's language, where Chinese and Japanese share
/// characters with different forms.
fn has_forms(face: &FaceInfo, japanese: bool) -> bool {
    let ending = if japanese { " JP" } else { " SC" };
    face.families.first().is_some_and(|(name, _)| name.ends_with(ending))
}

/// The font as egui takes it. A file of several fonts is read once.
fn insert(face: &FaceInfo, files: &mut BTreeMap<PathBuf, Arc<Vec<u8>>>) -> Option<FontInsert> {
    let data = match &face.source {
        Source::Binary(data) | Source::SharedFile(_, data) => FontData::from_blob(data.clone(), face.index),
        Source::File(path) => {
            if !files.contains_key(path) {
                files.insert(path.clone(), Arc::new(std::fs::read(path).ok()?));
            }
            FontData::from_blob(files[path].clone(), face.index)
        }
    };
    Some(FontInsert {
        name: format!("{} {}", face.post_script_name, face.index),
        data: regular(data),
        families: Vec::new(),
    })
}

/// A font whose weight varies, at its regular weight: some begin at the thinnest.
fn regular(mut data: FontData) -> FontData {
    let weight = data.variation_axes().into_iter().find(|axis| axis.tag.to_be_bytes() == *b"wght");
    if let Some(axis) = weight {
        data.tweak.coords = VariationCoords::new([(axis.tag, 400.0)]);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_with_most_of_the_characters_comes_first() {
        let mut fonts = Database::new();
        for data in [crate::fonts::MONO, crate::fonts::SERIF_ITALIC, crate::fonts::SERIF] {
            fonts.load_font_data(data.to_vec());
        }
        // Both faces of Charis have these three letters, JetBrains Mono has box drawings alone.
        let found = find(&fonts, "aɮʘ╬\u{10fffd}".chars().collect());
        let name = |c: char| found.faces.get(&c).map(|face| face.name.as_str());
        assert_eq!((name('a'), name('ɮ')), (Some("CharisSIL 0"), Some("CharisSIL 0")));
        assert!(name('╬').is_some_and(|name| name.starts_with("JetBrainsMono")));
        assert_eq!(found.absent, BTreeSet::from(['\u{10fffd}']));
    }
}
