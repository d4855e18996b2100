//! Selecting the page's prose with the pointer, and copying it: formulas as LaTeX.

use std::ops::Range;

use egui::{CursorIcon, Event, Id, Rect, Response, Sense, Ui};

/// A place in the page's prose: a paragraph, and a byte of its plain words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    paragraph: usize,
    byte: usize,
}

/// The selection as it is kept between frames: of a page, from where it began to the pointer.
#[derive(Clone, Copy)]
struct Kept {
    page: Id,
    anchor: Spot,
    head: Spot,
    /// The paragraph in which it began.
    source: Id,
}

/// The selection while a page is set.
pub struct Selection {
    page: Id,
    kept: Option<Kept>,
    /// Whether this page had the selection of the frame before.
    had: bool,
    /// Whether the pointer is being dragged from a paragraph.
    drags: bool,
    /// Whether the learner copies in this frame, and the words so far with the bottom of the paragraph that was last.
    copies: bool,
    copied: String,
    bottom: f32,
    /// The number of the paragraph that is set next.
    next: usize,
}

/// Finds the byte of a paragraph's words at a place on the screen.
pub trait Locate {
    /// The byte at `at`, or the nearest.
    fn byte_at(&self, at: egui::Pos2) -> usize;
}

impl Selection {
    /// Takes up the selection of the frame before. A press outside of prose ends it.
    pub fn begin(ui: &Ui, page: Id) -> Self {
        let id = Id::unique("selected prose");
        let pressed = ui.input(|i| i.pointer.any_pressed());
        let kept = ui.data(|d| d.get_temp::<Kept>(id)).filter(|kept| kept.page == page);
        let had = kept.is_some();
        let kept = kept.filter(|_| !pressed);
        let drags = kept.is_some_and(|kept| ui.ctx().dragged_id() == Some(kept.source));
        let copies = kept.is_some() && ui.input(|i| i.events.iter().any(|event| matches!(event, Event::Copy)));
        Self { page, kept, had, drags, copies, copied: String::new(), bottom: f32::MIN, next: 0 }
    }

    /// The room of a paragraph, which can be selected.
    pub fn allocate(ui: &mut Ui, rect: Rect) -> Response {
        // A paragraph is not a place for the Tab key.
        ui.allocate_rect(rect, Sense::click_and_drag() - Sense::FOCUSABLE).on_hover_cursor(CursorIcon::Text)
    }

    /// Follows the pointer in the next paragraph, with `words`, and returns the part of them that is selected.
    pub fn paragraph(&mut self, ui: &Ui, response: &Response, set: &impl Locate, words: &str) -> Option<Range<usize>> {
        let paragraph = self.next;
        self.next += 1;
        let whole = |from, to| (Spot { paragraph, byte: from }, Spot { paragraph, byte: to });
        let pointer = ui.input(|i| i.pointer.interact_pos());
        let grasp = |(anchor, head)| Kept { page: self.page, anchor, head, source: response.id };
        if response.triple_clicked() {
            self.kept = Some(grasp(whole(0, words.len())));
        } else if response.double_clicked() {
            let word = pointer.map(|at| word_at(words, set.byte_at(at))).unwrap_or_default();
            self.kept = Some(grasp(whole(word.start, word.end)));
        } else if let Some(at) = pointer {
            if response.is_pointer_button_down_on() && ui.input(|i| i.pointer.primary_pressed()) {
                let byte = set.byte_at(at);
                self.kept = Some(grasp(whole(byte, byte)));
            }
            let reached = paragraph == 0 || (at.y >= response.rect.min.y && at.x >= response.rect.min.x);
            if let Some(kept) = self.kept.as_mut().filter(|_| self.drags && reached) {
                kept.head = Spot { paragraph, byte: set.byte_at(at) };
            }
        }
        let selected = self.selected(paragraph, words.len())?;
        if self.copies {
            let between = if response.rect.min.y >= self.bottom { "\n\n" } else { "\t" };
            self.copied.push_str(if self.copied.is_empty() { "" } else { between });
            self.copied.push_str(words.get(selected.clone()).unwrap_or_default());
            self.bottom = response.rect.max.y;
        }
        Some(selected)
    }

    fn selected(&self, paragraph: usize, length: usize) -> Option<Range<usize>> {
        let kept = self.kept?;
        let (first, last) = (kept.anchor.min(kept.head), kept.anchor.max(kept.head));
        if paragraph < first.paragraph || paragraph > last.paragraph {
            return None;
        }
        let from = if paragraph == first.paragraph { first.byte } else { 0 };
        let to = if paragraph == last.paragraph { last.byte } else { length };
        (from < to).then_some(from..to)
    }

    /// Keeps the selection for the next frame, and copies its words if the learner asked for them.
    pub fn end(self, ui: &Ui) {
        let id = Id::unique("selected prose");
        match self.kept {
            Some(kept) => {
                ui.data_mut(|d| d.insert_temp(id, kept));
            }
            None if self.had => ui.data_mut(|d| d.remove::<Kept>(id)),
            None => {}
        }
        if !self.copied.is_empty() {
            ui.ctx().copy_text(self.copied);
        }
    }
}

/// The word around a byte.
fn word_at(words: &str, byte: usize) -> Range<usize> {
    let (before, after) = words.split_at_checked(byte).unwrap_or((words, ""));
    let start = before.rfind(char::is_whitespace).map_or(0, |space| space + 1);
    let end = after.find(char::is_whitespace).map_or(words.len(), |space| byte + space);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_click_takes_the_word_around_it() {
        let word = |byte| &"a warp has 32 lanes"[word_at("a warp has 32 lanes", byte)];
        assert_eq!([word(0), word(3), word(12), word(19)], ["a", "warp", "32", "lanes"]);
    }

    #[test]
    fn what_is_between_two_paragraphs_is_selected_whole() {
        let spot = |paragraph, byte| Spot { paragraph, byte };
        let page = Id::unique("page");
        let kept = Kept { page, anchor: spot(3, 4), head: spot(1, 2), source: page };
        let selection = Selection {
            page,
            kept: Some(kept),
            had: true,
            drags: false,
            copies: false,
            copied: String::new(),
            bottom: 0.0,
            next: 0,
        };
        let selected: Vec<_> = (0..5).map(|paragraph| selection.selected(paragraph, 10)).collect();
        assert_eq!(selected, [None, Some(2..10), Some(0..10), Some(0..4), None]);
    }
}
