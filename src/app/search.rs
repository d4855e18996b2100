//! The search over all pages: its field, and the pages that have all words that were asked for, chosen with the arrow
//! keys and Enter.

use egui::{Event, Key, Modifiers, RichText, ScrollArea, Ui};

use super::theme;
use crate::figures::palette::{Hue, Ink};
use crate::lesson::{Inline, Lesson, Step, each_inline};
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// The most height of the list, where the room has no end.
const HIGHEST: f32 = 4000.0;

/// The part of a page that contains the words of a search, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Exercise,
    Terms,
    Title,
    OwnWords,
    Prose,
    Kernel,
}

/// A page's words, by place.
struct Page {
    lesson: String,
    step: usize,
    step_id: String,
    texts: Vec<(Place, Vec<String>)>,
}

/// The field and what was found. The words of the pages are collected once, and searched when what is asked for
/// changes.
#[derive(Default)]
pub struct Search {
    text: String,
    /// The query that `hits` answers, in lower case.
    asked: String,
    /// Where the query has its words, and the page, by its place in `pages`; the best first.
    hits: Vec<(Place, usize)>,
    /// The hit that Enter opens.
    chosen: usize,
    pages: Vec<Page>,
    /// The lessons that `pages` are of.
    of: usize,
}

impl Search {
    /// Shows the field, and below it the pages that were found; None while nothing is asked for.
    pub fn show(&mut self, ui: &mut Ui, state: &State) -> Option<Vec<Command>> {
        let opens = self.field(ui);
        let asked = self.text.trim().to_lowercase();
        if asked.is_empty() {
            self.asked.clear();
            return None;
        }
        let of = version(state);
        if self.of != of {
            (self.of, self.pages) = (of, pages(state));
            self.asked.clear();
        }
        if self.asked != asked {
            self.hits = self.found(state, &asked);
            (self.asked, self.chosen) = (asked, 0);
        }
        let chosen = self.list(ui, state).or_else(|| opens.then(|| self.hits.get(self.chosen).copied()).flatten());
        let Some((_, page)) = chosen else { return Some(Vec::new()) };
        self.text.clear();
        Some(open(state, &self.pages[page]))
    }

    /// The field; true where Enter asks for the chosen page.
    fn field(&mut self, ui: &mut Ui) -> bool {
        let id = egui::Id::unique("search field");
        let is_here = ui.memory(|m| m.has_focus(id));
        let press = |key| is_here && ui.input_mut(|i| i.consume_key(Modifiers::NONE, key));
        let (down, up) = (press(Key::ArrowDown), press(Key::ArrowUp));
        self.chosen = match (down, up) {
            (true, _) => (self.chosen + 1).min(self.hits.len().saturating_sub(1)),
            (_, true) => self.chosen.saturating_sub(1),
            _ => self.chosen,
        };
        let field = egui::TextEdit::singleline(&mut self.text).id(id).hint_text("Search");
        let help = "Pages, terms, kernels and your own words. Arrows choose, Enter opens.";
        let response = ui.add(field.desired_width(f32::INFINITY)).on_hover_text(help);
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Search pages, terms, kernels and your words")
        });
        let find = [Key::F, Key::K].map(|key| egui::KeyboardShortcut::new(Modifiers::COMMAND, key));
        if ui.input_mut(|i| find.iter().any(|find| i.consume_shortcut(find))) {
            response.request_focus();
        }
        let is_pressed = |of: Key| {
            ui.input(|i| i.events.iter().any(|e| matches!(e, Event::Key { key, pressed: true, .. } if *key == of)))
        };
        if response.lost_focus() && is_pressed(Key::Escape) {
            self.text.clear();
        }
        response.lost_focus() && is_pressed(Key::Enter)
    }

    /// The pages that have all words of a query, the best places first.
    fn found(&self, state: &State, asked: &str) -> Vec<(Place, usize)> {
        let asked: Vec<String> = words(asked).collect();
        let place = |page: &Page| {
            let own = state.saved.lessons.get(&page.lesson);
            let own_words =
                own.and_then(|own| own.words.get(&page.step_id)).map(|text| words(text).collect::<Vec<_>>());
            let in_words = own_words.filter(|own| has(own, &asked)).map(|_| Place::OwnWords);
            let variant = page_of(state, page).map(|(_, step)| &step.variant);
            let mut edits = own.into_iter().flat_map(|own| &own.edits).filter(|edit| Some(&edit.of) == variant);
            let in_edit =
                edits.any(|edit| has(&words(&edit.source).collect::<Vec<_>>(), &asked)).then_some(Place::Kernel);
            let in_page = page.texts.iter().filter(|(_, text)| has(text, &asked)).map(|(place, _)| *place);
            in_page.chain(in_words).chain(in_edit).min()
        };
        let all = self.pages.iter().enumerate().filter_map(|(index, page)| Some((place(page)?, index)));
        let mut hits: Vec<_> = all.filter(|_| !asked.is_empty()).collect();
        hits.sort_by_key(|(place, _)| *place);
        hits
    }

    /// The list of hits; the one that was clicked.
    fn list(&self, ui: &mut Ui, state: &State) -> Option<(Place, usize)> {
        let theme = theme::of(ui);
        let muted = theme::color(theme, Ink::Muted);
        let mut clicked = None;
        let height = ui.available_height().min(HIGHEST);
        ScrollArea::vertical().id_salt("found").auto_shrink(false).max_height(height).show(ui, |ui| {
            ui.add_space(8.0);
            if self.hits.is_empty() {
                ui.add(egui::Label::new(RichText::new("No page has these words.").color(muted)).wrap());
            }
            for (place, (of, page)) in self.hits.iter().enumerate() {
                let Some((lesson, step)) = page_of(state, &self.pages[*page]) else { continue };
                let is_chosen = place == self.chosen;
                let ground =
                    if is_chosen { theme::color(theme, Hue::Accent.tint(24)) } else { egui::Color32::TRANSPARENT };
                let frame =
                    egui::Frame::new().fill(ground).corner_radius(4.0).inner_margin(egui::Margin::symmetric(8, 4));
                let inner = frame.show(ui, |ui| {
                    ui.set_width(ui.available_width());
                    ui.spacing_mut().item_spacing.y = 2.0;
                    let title = format!("{} · {}", self.pages[*page].step + 1, step.title);
                    ui.add(egui::Label::new(RichText::new(title).size(13.5)).wrap().selectable(false));
                    let said = format!("{}{}", lesson.title, where_found(*of, step));
                    ui.add(
                        egui::Label::new(RichText::new(said).size(theme::SMALL).color(muted)).wrap().selectable(false),
                    );
                });
                let row = inner.response.interact(egui::Sense::click());
                let name = format!("{}, {}", step.title, lesson.title);
                row.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, is_chosen, &name));
                if is_chosen && ui.input(|i| i.key_down(Key::ArrowDown) || i.key_down(Key::ArrowUp)) {
                    row.scroll_to_me(None);
                }
                if row.clicked() {
                    clicked = Some((*of, *page));
                }
            }
        });
        clicked
    }
}

/// The rest of a hit's second line: the terms, or where the words are.
fn where_found(place: Place, step: &Step) -> String {
    match place {
        Place::OwnWords => " · in your own words".to_owned(),
        Place::Kernel => " · in a kernel's text".to_owned(),
        Place::Exercise => " · exercise".to_owned(),
        Place::Terms | Place::Title | Place::Prose if step.terms.is_empty() => String::new(),
        Place::Terms | Place::Title | Place::Prose => format!(" · {}", step.terms.join(", ")),
    }
}

/// The commands that open a page.
fn open(state: &State, page: &Page) -> Vec<Command> {
    let is_open = state.place.lesson.as_ref().is_some_and(|open| open.id == page.lesson);
    let lesson = (!is_open).then(|| Command::OpenLesson(page.lesson.clone()));
    lesson.into_iter().chain([Command::GoTo(page.step)]).collect()
}

fn page_of<'a>(state: &'a State, page: &Page) -> Option<(&'a Lesson, &'a Step)> {
    let lesson = state.library.pack.lessons.iter().find(|lesson| lesson.id == page.lesson)?;
    Some((lesson, lesson.steps.get(page.step)?))
}

/// A number that changes with the lessons.
fn version(state: &State) -> usize {
    let lessons = state.library.pack.lessons.iter();
    lessons.fold(1, |sum, lesson| sum.wrapping_mul(31).wrapping_add(std::sync::Arc::as_ptr(lesson).addr()))
}

/// A text's words in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    parts.map(str::to_lowercase)
}

/// Whether each word that is asked for begins a word of the text.
fn has(text: &[String], asked: &[String]) -> bool {
    asked.iter().all(|word| text.iter().any(|of| of.starts_with(word.as_str())))
}

/// The words of all pages.
fn pages(state: &State) -> Vec<Page> {
    let of_lesson = |lesson: &std::sync::Arc<Lesson>| {
        let steps = lesson.steps.iter().enumerate();
        steps.map(|(index, step)| page(lesson, index, step)).collect::<Vec<_>>()
    };
    state.library.pack.lessons.iter().flat_map(of_lesson).collect()
}

fn page(lesson: &Lesson, index: usize, step: &Step) -> Page {
    let mut prose = String::new();
    each_inline(&step.blocks, &mut |inline| {
        if let Inline::Text(text) = inline {
            prose.push_str(text);
            prose.push(' ');
        }
    });
    let kernels = lesson.launched(&step.variant).into_iter().flatten().map(|kernel| kernel.source().to_string());
    let mut texts =
        vec![(Place::Terms, step.terms.join(" ")), (Place::Title, step.title.clone()), (Place::Prose, prose)];
    texts.extend(step.exercises().next().map(|_| (Place::Exercise, format!("exercise {}", lesson.title))));
    texts.extend(kernels.map(|text| (Place::Kernel, text)));
    let texts = texts.into_iter().map(|(place, text)| {
        let mut found: Vec<String> = words(&text).collect();
        found.sort_unstable();
        found.dedup();
        (place, found)
    });
    Page { lesson: lesson.id.clone(), step: index, step_id: step.id.clone(), texts: texts.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_finds_the_beginnings_of_words() {
        let text: Vec<String> = words("A string of rings, during `load_tile`").collect();
        let found = |asked: &str| has(&text, &words(asked).collect::<Vec<_>>());
        assert!(found("ring") && found("load_t") && found("RING of"));
        assert!(!has(&words("a string, during").collect::<Vec<_>>(), &words("ring").collect::<Vec<_>>()));
        assert!(!found("rings absent"));
    }
}
