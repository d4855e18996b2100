//! The top of the start page: where to go on, what is due, and what was done last.

use egui::{RichText, Ui};

use super::theme;
use crate::base::day;
use crate::figures::palette::Ink;
use crate::lesson::{Block, Inline, Lesson, each_inline};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::learn::told;

/// The pages that are reached from the start page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    #[default]
    Lessons,
    /// The learner's knowledge by concept.
    Ledger,
    /// The items that are due.
    Review,
    /// The learner's work by day.
    History,
}

impl Page {
    /// Its title.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lessons => "Lessons",
            Self::Ledger => "Ledger",
            Self::Review => "Review",
            Self::History => "History",
        }
    }
}

/// The learner's choice.
pub enum Chosen {
    /// Another page.
    Page(Page),
    /// To read: the commands that open it.
    Read(Vec<Command>),
}

pub fn show(ui: &mut Ui, state: &State) -> Option<Chosen> {
    let mut chosen = None;
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let is_new =
        state.diary.story.items.is_empty() && state.diary.story.read.is_empty() && state.diary.story.days.is_empty();
    let due = state.diary.due.len();
    ui.label(RichText::new("Today").font(theme::prose_bold(22.0)));
    ui.add_space(6.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.y = 8.0;
        let open = state.place.lesson.as_ref().filter(|lesson| !is_new && state.saved.lessons.contains_key(&lesson.id));
        if let Some(lesson) = open {
            let page = state.place.step().map(|step| format!(", page {}: {}", state.place.step + 1, step.title));
            if ui.button(format!("Continue: {}{}", lesson.title, page.unwrap_or_default())).clicked() {
                chosen = Some(Chosen::Read(Vec::new()));
            }
        } else if let Some(first) = state.library.pack.lessons.iter().find(|lesson| !state.library.is_own(lesson))
            && ui.button(format!("Start here: {}", first.title)).clicked()
        {
            chosen = Some(Chosen::Read(vec![Command::OpenLesson(first.id.clone())]));
        }
        if due > 0 && ui.button(format!("Review: {due} due")).clicked() {
            chosen = Some(Chosen::Page(Page::Review));
        }
        for (page, name, help) in [
            (Page::Ledger, "Ledger", "What you know, concept by concept"),
            (Page::History, "History", "What you did, day by day"),
        ] {
            if ui.button(name).on_hover_text(help).clicked() {
                chosen = Some(Chosen::Page(page));
            }
        }
    });
    let today = day::of(state.diary.now);
    let last = state.diary.story.day_before(&today).map(|(name, done)| {
        let is_yesterday = day::of(state.diary.now.saturating_sub(86_400)) == *name;
        let when = if is_yesterday { "Yesterday".to_owned() } else { format!("On {name}") };
        format!("{when}: {}.", told::in_a_line(done))
    });
    let nothing = if is_new {
        "Nothing is due: reviews come a day or more after a prediction, an exercise or a Q: and A: in your words."
    } else {
        "Nothing is due."
    };
    let line = match (last, due) {
        (Some(last), 0) => format!("{last} {nothing}"),
        (Some(last), _) => last,
        (None, 0) => nothing.to_owned(),
        (None, _) => String::new(),
    };
    if !line.is_empty() {
        ui.add_space(4.0);
        ui.add(egui::Label::new(RichText::new(line).size(theme::UI).color(muted)).wrap());
    }
    chosen
}

/// The minutes that a lesson takes: 200 words of prose a minute, 1 minute a prediction, 10 an exercise.
pub fn minutes(lesson: &Lesson) -> usize {
    let mut words = 0;
    let mut see = |inline: &Inline| {
        if let Inline::Text(text) = inline {
            words += text.split_whitespace().count();
        }
    };
    lesson.steps.iter().for_each(|step| each_inline(&step.blocks, &mut see));
    let blocks = lesson.steps.iter().flat_map(|step| &step.blocks);
    let predictions = blocks.filter(|block| matches!(block, Block::Predict(_))).count();
    words / 200 + predictions + 10 * lesson.exercises.len()
}
