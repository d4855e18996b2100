//! The start page: what this is, and the lessons with a picture each and how far the learner is.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui::{Rect, RichText, ScrollArea, Sense, Ui, UiBuilder, vec2};

use super::player::{Player, REST};
use super::search::Search;
use super::today::{self, Chosen, Page};
use super::{dropped, history, ledger, my_kernel, paint, review, tabbed, theme};
use crate::base::units::counted;
use crate::figures::Kept;
use crate::figures::palette::{Hue, Ink};
use crate::lesson::Lesson;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// Warpbook in a sentence.
const WHAT: &str = "How machine-learning systems use a GPU, one kernel at a time. The kernel you read is the kernel that is traced, lane by \
                    lane, and the kernel that is timed.";

/// The files that can be opened.
const MINE: &str =
    "of your own, or drop one here: .wgsl, .cu or .ptx (Triton's beside its .py). It is traced without a GPU.";

/// The widest that the page is.
const WIDTH: f32 = 1080.0;
/// A card: its least width, and the height of its picture.
const CARD: f32 = 320.0;
const PICTURE: f32 = 172.0;

/// The page, and what it keeps between frames.
#[derive(Default)]
pub struct Home {
    /// Whether it is shown.
    pub open: bool,
    kept: BTreeMap<String, Kept>,
    /// The lesson whose picture plays, and how far it is.
    playing: Option<(String, Player)>,
    /// The page that is shown in its place.
    page: Page,
    ledger: ledger::Ledger,
    /// Minutes that each lesson takes.
    minutes: BTreeMap<String, usize>,
    /// Whether it is to open once the journal is read, if reviews are due or the day is new.
    greets: bool,
    /// How many of the learner's kernels had been opened when it was shown last.
    watched: Option<u32>,
}

impl Home {
    /// Opens it in a new window if reviews are due or the day is new.
    pub fn greet(&mut self) {
        self.greets = true;
    }

    pub fn review(&mut self) {
        (self.open, self.page) = (true, Page::Review);
    }

    /// Opens the page where it greets, and closes it if a kernel of the learner's was set up and its lesson opened.
    pub fn follow(&mut self, state: &State) {
        let is_known = state.diary.is_loaded && !state.library.pack.lessons.is_empty();
        if is_known && std::mem::take(&mut self.greets) {
            self.open |= state.diary.is_new_day() || !state.diary.due.is_empty();
        }
        let watched = state.library.watched;
        if self.watched.replace(watched).is_some_and(|before| before < watched) {
            self.open = false;
        }
    }

    /// Shows the page in `room`; a lesson that is opened closes it.
    pub fn show(&mut self, ui: &mut Ui, set: review::Set<'_>, room: Rect, search: &mut Search) -> Vec<Command> {
        let state = set.state;
        let mut commands = Vec::new();
        ui.painter().rect_filled(room, 0.0, ui.visuals().panel_fill);
        let width = (room.width() - 48.0).min(WIDTH);
        let left = room.min.x + (room.width() - width) / 2.0;
        let column = Rect::from_min_max(egui::pos2(left, room.min.y), egui::pos2(left + width, room.max.y));
        let mut page = ui.new_child(UiBuilder::new().id_salt("home").max_rect(room));
        page.set_clip_rect(room);
        if self.page != Page::Lessons {
            scrolled(&mut page, self.page.name(), column, |ui| self.other(ui, set, &mut commands));
            return commands;
        }
        scrolled(&mut page, self.page.name(), column, |ui| {
            ui.add_space(40.0);
            ui.label(RichText::new("Warpbook").font(theme::prose_bold(34.0)));
            ui.add_space(4.0);
            ui.add(egui::Label::new(RichText::new(WHAT).font(theme::prose(theme::BODY))).wrap());
            ui.add_space(12.0);
            ui.horizontal_wrapped(|ui| {
                if ui.button("Open a kernel…").clicked() {
                    dropped::choose(ui.ctx(), "Open a kernel: .wgsl, .cu or .ptx");
                }
                ui.label(RichText::new(MINE).size(theme::UI).color(theme::color(theme::of(ui), Ink::Muted)));
            });
            ui.add_space(24.0);
            let found = ui.scope(|ui| {
                ui.set_max_width(CARD);
                search.show(ui, state)
            });
            if let Some(found) = found.inner {
                if !found.is_empty() {
                    self.go(Chosen::Read(found), &mut commands);
                }
                return;
            }
            ui.add_space(16.0);
            if let Some(chosen) = today::show(ui, state) {
                self.go(chosen, &mut commands);
            }
            ui.add_space(24.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few columns")]
            let columns = ((width + 16.0) / (CARD + 16.0)).floor().max(1.0) as usize;
            #[expect(clippy::cast_precision_loss, reason = "a few columns")]
            let each = (width - 16.0 * (columns as f32 - 1.0)) / columns as f32;
            let lessons = state.library.pack.lessons.iter();
            let (own, lessons): (Vec<_>, Vec<_>) = lessons.partition(|lesson| state.library.is_own(lesson));
            if !own.is_empty() {
                section(ui, "My kernels");
                self.cards(ui, state, &own, (columns, each), &mut commands);
                section(ui, "Lessons");
            }
            self.cards(ui, state, &lessons, (columns, each), &mut commands);
            let muted = theme::color(theme::of(ui), Ink::Muted);
            let keys = "In a lesson, Page Down turns a page, Space plays the trace, and any kernel can be typed in. ? shows the keys.";
            ui.add(egui::Label::new(RichText::new(keys).color(muted)).wrap());
        });
        commands
    }

    /// One of the pages that are reached from the start page.
    fn other(&mut self, ui: &mut Ui, set: review::Set<'_>, commands: &mut Vec<Command>) {
        let state = set.state;
        ui.add_space(24.0);
        let back = ui.button("Back to the start page").clicked();
        ui.add_space(8.0);
        ui.label(RichText::new(self.page.name()).font(theme::prose_bold(34.0)));
        ui.add_space(8.0);
        match self.page {
            Page::Lessons => {}
            Page::Ledger => {
                let (chosen, moved) = self.ledger.show(ui, state);
                commands.extend(moved);
                chosen.into_iter().for_each(|chosen| self.go(chosen, commands));
            }
            Page::Review => {
                if review::show(ui, set, commands) {
                    self.go(Chosen::Read(Vec::new()), commands);
                }
            }
            Page::History => {
                let opened = history::show(ui, state);
                if !opened.is_empty() {
                    self.go(Chosen::Read(opened), commands);
                }
            }
        }
        if back {
            self.page = Page::Lessons;
        }
    }

    /// Goes where the learner chose to go.
    fn go(&mut self, chosen: Chosen, commands: &mut Vec<Command>) {
        match chosen {
            Chosen::Page(page) => self.page = page,
            Chosen::Read(opened) => {
                (self.open, self.page) = (false, Page::Lessons);
                commands.extend(opened);
            }
        }
    }

    /// Cards of lessons in columns of a width; below those of the learner's kernels, what can be done with them.
    fn cards(
        &mut self,
        ui: &mut Ui,
        state: &State,
        lessons: &[&Arc<Lesson>],
        (columns, each): (usize, f32),
        commands: &mut Vec<Command>,
    ) {
        for row in lessons.chunks(columns) {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 16.0;
                for lesson in row {
                    if !state.covers.is_asked(&lesson.id) {
                        commands.push(Command::ShowCover(lesson.id.clone()));
                    }
                    ui.vertical(|ui| {
                        if self.card(ui, state, lesson, each) {
                            self.open = false;
                            commands.push(Command::OpenLesson(lesson.id.clone()));
                        }
                        if state.library.is_own(lesson) {
                            commands.extend(my_kernel::actions(ui, &lesson.id, true));
                        }
                    });
                }
            });
            ui.add_space(16.0);
        }
    }

    /// A lesson's card; true where it was chosen.
    fn card(&mut self, ui: &mut Ui, state: &State, lesson: &Lesson, width: f32) -> bool {
        let theme = theme::of(ui);
        let kept = state.saved.lessons.get(&lesson.id);
        let read = kept.map_or(0, |kept| kept.read(lesson));
        let solved = kept.map_or(0, |kept| kept.solved(lesson));
        let summary = ui.painter().layout(
            lesson.summary.clone(),
            egui::FontId::proportional(theme::UI),
            theme::color(theme, Ink::Muted),
            width - 32.0,
        );
        let minutes = *self.minutes.entry(lesson.id.clone()).or_insert_with(|| today::minutes(lesson));
        let (rect, response) = ui.allocate_exact_size(vec2(width, PICTURE + 168.0), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Open {}", lesson.title)));
        let edge = if response.hovered() || response.has_focus() { Ink::Accent } else { Ink::Faint };
        ui.painter().rect_filled(rect, 8.0, theme::color(theme, Ink::Raised));
        let stroke = egui::Stroke::new(1.0, theme::color(theme, edge));
        ui.painter().rect_stroke(rect, 8.0, stroke, egui::StrokeKind::Inside);
        let picture = Rect::from_min_size(rect.min, vec2(width, PICTURE)).shrink(8.0);
        self.picture(ui, state, lesson, picture, response.hovered());
        let text = rect.min + vec2(16.0, PICTURE + 4.0);
        let title = lesson.title.as_str();
        ui.painter().text(text, egui::Align2::LEFT_TOP, title, theme::prose_bold(19.0), theme::color(theme, Ink::Text));
        let clip = Rect::from_min_size(text + vec2(0.0, 30.0), vec2(width - 32.0, 72.0));
        ui.painter_at(clip).galley(clip.min, summary, theme::color(theme, Ink::Muted));
        let said = match (read, solved) {
            (0, 0) => counted(lesson.steps.len() as u64, "step"),
            (read, 0) => format!("{read} of {} steps read", lesson.steps.len()),
            (read, _) if lesson.exercises.len() == 1 => {
                format!("{read} of {} steps read, exercise solved", lesson.steps.len())
            }
            (read, solved) => {
                let (steps, exercises) = (lesson.steps.len(), lesson.exercises.len());
                format!("{read} of {steps} steps read, {solved} of {exercises} exercises solved")
            }
        };
        let foot = egui::pos2(text.x, rect.max.y - 20.0);
        let font = egui::FontId::proportional(theme::SMALL);
        let after = presupposed(state, lesson);
        let after = if after.is_empty() { format!("{minutes} min") } else { format!("{minutes} min, after {after}") };
        let whole = after.clone();
        let after = egui::text::LayoutJob {
            wrap: egui::text::TextWrapping::truncate_at_width(width - 32.0),
            ..egui::text::LayoutJob::simple_singleline(after, font.clone(), theme::color(theme, Ink::Muted))
        };
        let after = ui.painter().layout_job(after);
        let response = if after.elided { response.on_hover_text(whole) } else { response };
        ui.painter().galley(foot - vec2(0.0, 18.0 + after.size().y / 2.0), after, theme::color(theme, Ink::Muted));
        ui.painter().text(foot, egui::Align2::LEFT_CENTER, said, font, theme::color(theme, Ink::Muted));
        #[expect(clippy::cast_precision_loss, reason = "a bar")]
        let share = read as f32 / lesson.steps.len().max(1) as f32;
        let bar = Rect::from_min_size(egui::pos2(text.x, rect.max.y - 8.0), vec2((width - 32.0) * share, 3.0));
        ui.painter().rect_filled(bar, 1.0, theme::color(theme, Hue::Accent.ink()));
        response.clicked()
    }

    /// The lesson's picture, which plays while the pointer is on it; nothing until it is traced.
    fn picture(&mut self, ui: &Ui, state: &State, lesson: &Lesson, rect: Rect, hovered: bool) {
        let Some(cover) = state.covers.of(&lesson.id) else { return };
        let ticks = cover.ticks.saturating_sub(cover.empty);
        let moves = hovered && !state.saved.still && ticks > 0;
        if moves {
            let fresh = || Player { playing: true, looping: true, ..Player::default() };
            let playing = self.playing.take().filter(|(id, _)| *id == lesson.id).map(|(_, player)| player);
            let mut player = playing.unwrap_or_else(fresh);
            player.advance(ui.input(|i| i.stable_dt), ticks, &[]);
            ui.ctx().request_repaint();
            self.playing = Some((lesson.id.clone(), player));
        }
        let playing = self.playing.as_ref().filter(|(id, _)| moves && *id == lesson.id);
        #[expect(clippy::cast_precision_loss, reason = "a timeline has at most a few hundred thousand events")]
        let position = match playing {
            Some((_, player)) => cover.empty as f32 + player.shown(ticks, &[]),
            None => cover.first as f32 + REST,
        };
        let size = [rect.width(), rect.height()];
        let Some(view) = cover.view(size, position) else { return };
        let drawn = cover.figure.draw(&view, self.kept.entry(lesson.id.clone()).or_default());
        let Ok(frame) = drawn else { return };
        paint::frame(&ui.painter_at(rect), theme::of(ui), rect.min, &frame);
    }
}

/// Shows a page in a column in the middle, scrolled as a whole: the scroll bar is at the window's edge.
fn scrolled(ui: &mut Ui, name: &str, column: Rect, show: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical().id_salt(name).auto_shrink(false).show(ui, |ui| {
        let top = ui.cursor().min.y;
        let room = Rect::from_x_y_ranges(column.x_range(), top..=f32::INFINITY);
        ui.scope_builder(UiBuilder::new().max_rect(room), |ui| {
            ui.set_width(column.width());
            show(ui);
            ui.add_space(32.0);
            tabbed::follow(ui);
        });
    });
}

/// The titles of the lessons that a reader should know before.
fn presupposed(state: &State, lesson: &Lesson) -> String {
    let title = |id: &String| {
        let known = state.library.pack.lessons.iter().find(|known| known.id == *id);
        known.map_or_else(|| id.clone(), |known| known.title.clone())
    };
    lesson.presupposes.iter().map(title).collect::<Vec<_>>().join(", ")
}

/// The title of a part of the page.
fn section(ui: &mut Ui, title: &str) {
    ui.label(RichText::new(title).font(theme::prose_bold(22.0)));
    ui.add_space(8.0);
}
