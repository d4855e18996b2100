//! The review: what is due, one after the other, with other parameters than in the lesson.

use egui::{Key, RichText, Ui};

use super::math::Formulas;
use super::{keys, page, theme};
use crate::base::units::{figure, number, read_figure};
use crate::figures::palette::{Hue, Ink};
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Inline, Lesson, Prediction};
use crate::session::desk::Command;
use crate::session::desk::ReviewCommand;
use crate::session::desk::diary::Review;
use crate::session::desk::state::State;
use crate::session::jobs;
use crate::session::learn::evidence::Evidence;
use crate::session::learn::graded::found_by;
use crate::session::learn::predict::{Grade, Guess};
use crate::session::learn::question;
use crate::session::learn::review::{Ask, Prompt};
use crate::session::learn::told;

/// The keys of the options, in their order.
const NUMBERS: [Key; 4] = [Key::Num1, Key::Num2, Key::Num3, Key::Num4];

/// The inputs of the prose.
#[derive(Clone, Copy)]
pub struct Set<'a> {
    /// The desk's state.
    pub state: &'a State,
    /// All results, by their names in expressions.
    pub results: &'a Results,
    pub formulas: &'a Formulas,
}

impl Set<'_> {
    fn body(&self, ui: &mut Ui, inlines: &[Inline]) {
        page::prose(ui, self.state, self.results, self.formulas, inlines);
    }
}

/// Shows it; true where the learner goes to an exercise's page.
pub fn show(ui: &mut Ui, set: Set<'_>, commands: &mut Vec<Command>) -> bool {
    let state = set.state;
    let Some(review) = &state.diary.review else {
        let due = &state.diary.due;
        if due.is_empty() {
            ui.label("Nothing is due.");
            return false;
        }
        for item in due {
            ui.label(told::item(&state.library.pack.lessons, item));
        }
        ui.add_space(8.0);
        if ui.button("Begin").on_hover_text("Space or Enter").clicked() || is_going_on(ui) {
            commands.push(Command::Review(ReviewCommand::Begin));
        }
        return false;
    };
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let Some(prompt) = &review.prompt else {
        if review.is_over() {
            ui.label(format!("{} of {} right at first.", review.done.1, review.done.0));
            if ui.button("Done").on_hover_text("Space or Enter").clicked() || is_going_on(ui) {
                commands.push(Command::Review(ReviewCommand::End));
            }
        } else {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("the tracer is answering…");
            });
        }
        return false;
    };
    let at = if review.is_second {
        "once more".to_owned()
    } else {
        format!("{} of {}", (review.done.0 + usize::from(review.given.is_none())).min(review.all), review.all)
    };
    let item = told::item(&state.library.pack.lessons, &prompt.item);
    ui.label(RichText::new(format!("{at} · {item}")).size(theme::SMALL).color(muted));
    ui.add_space(8.0);
    let mut opens = false;
    egui::Frame::new().fill(theme::color(theme::of(ui), Ink::Raised)).corner_radius(6.0).inner_margin(16).show(
        ui,
        |ui| {
            ui.set_width(ui.available_width());
            opens = asked(ui, set, (review, prompt), commands);
        },
    );
    opens
}

fn body(ui: &mut Ui, text: &str) {
    ui.add(egui::Label::new(RichText::new(text).font(theme::prose(theme::BODY))).wrap());
}

fn asked(ui: &mut Ui, set: Set<'_>, (review, prompt): (&Review, &Prompt), commands: &mut Vec<Command>) -> bool {
    let state = set.state;
    let lesson = &prompt.lesson;
    let mut send = |command| commands.push(Command::Review(command));
    let mut opens = false;
    match &prompt.ask {
        Ask::Options(question, options, unit, answer) => {
            set.body(ui, &filled(state, lesson, question));
            settings(ui, prompt);
            let nearest = match answer.grade(options) {
                Grade::Nearest(option) => Some(option),
                _ => None,
            };
            ui.horizontal_wrapped(|ui| {
                for (i, (label, _)) in options.iter().enumerate() {
                    let mine = matches!(&review.given, Some((Some(Guess::Choice(choice)), _)) if *choice == i);
                    let is_right = review.given.is_some() && nearest == Some(i);
                    let text = match (mine, is_right) {
                        (true, true) => format!("{label}  · yours, right"),
                        (true, false) => format!("{label}  · yours, wrong"),
                        (false, true) => format!("{label}  · right"),
                        (false, false) => label.clone(),
                    };
                    let button = egui::Button::new(text).selected(mine).min_size(egui::vec2(64.0, 32.0));
                    let clicked = ui.add_enabled(review.given.is_none(), button).clicked();
                    if review.given.is_none() && (clicked || NUMBERS.get(i).is_some_and(|key| keys::alone(ui, *key))) {
                        send(ReviewCommand::Answer(Guess::Choice(i)));
                    }
                }
            });
            answered(ui, (review, prompt), answer.traced.map(|traced| figure(traced, unit)));
        }
        Ask::Number(question, _, unit, answer) => {
            set.body(ui, &filled(state, lesson, question));
            settings(ui, prompt);
            if review.given.is_none() {
                number_field(ui, unit).into_iter().for_each(|given| send(ReviewCommand::Answer(Guess::Number(given))));
            } else if let Some((Some(Guess::Number(given)), _)) = &review.given {
                ui.label(format!("yours: {}", figure(*given, unit)));
            }
            answered(ui, (review, prompt), answer.traced.map(|traced| figure(traced, unit)));
        }
        Ask::Own(question, because) => {
            set.body(ui, &filled(state, lesson, question));
            own(ui, set, (review, prompt), &filled(state, lesson, because)).into_iter().for_each(&mut send);
        }
        Ask::Card(card) => {
            set.body(ui, &with_formulas(&card.question));
            own(ui, set, (review, prompt), &with_formulas(&card.answer)).into_iter().for_each(&mut send);
        }
        Ask::Exercise(_) => {
            body(ui, "Write this exercise's kernel again, from its starter. The solution that you found is kept.");
            ui.horizontal(|ui| {
                if ui.button("Open it from its starter").clicked() {
                    send(ReviewCommand::Exercise);
                    opens = true;
                }
                if ui.button("Later").clicked() {
                    send(ReviewCommand::Next);
                }
            });
        }
        Ask::Gone(problems) => {
            body(ui, "This can no longer be asked.");
            problems.iter().for_each(|problem| drop(ui.label(&problem.message)));
            if next(ui) {
                send(ReviewCommand::Next);
            }
        }
    }
    if let (Some((_, right)), Ask::Options(..) | Ask::Number(..)) = (&review.given, &prompt.ask)
        && let Some(asked) = lesson.predictions.iter().find(|asked| asked.id == prompt.item.id).filter(|_| !right)
    {
        ui.add_space(6.0);
        let because = filled(state, lesson, &asked.because);
        let words: Vec<Inline> = std::iter::once(Inline::Text("In the lesson: ".to_owned())).chain(because).collect();
        set.body(ui, &words);
    }
    if review.given.is_some() {
        ui.add_space(8.0);
        comes_back(ui, state, (review, prompt));
        if next(ui) {
            send(ReviewCommand::Next);
        }
    }
    opens
}

/// The button that goes on, with its keys.
fn next(ui: &mut Ui) -> bool {
    ui.button("Next").on_hover_text("Space or Enter").clicked() || is_going_on(ui)
}

fn is_going_on(ui: &Ui) -> bool {
    [Key::Space, Key::Enter].into_iter().any(|key| keys::alone(ui, key))
}

/// When the item is asked again; of a repeat, that it does not count.
fn comes_back(ui: &mut Ui, state: &State, (review, prompt): (&Review, &Prompt)) {
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let due = state.diary.story.items.get(&prompt.item).and_then(Evidence::due);
    let when = due.map_or_else(String::new, |due| format!("It comes back {}.", told::ahead(due - state.diary.now)));
    let repeat = if review.is_second { "This was practice: the solution was in sight. " } else { "" };
    ui.label(RichText::new(format!("{repeat}{when}")).size(theme::SMALL).color(muted));
    ui.add_space(6.0);
}

/// The parameters that are other than in the lesson.
fn settings(ui: &mut Ui, prompt: &Prompt) {
    // A question that says its numbers has the new ones in its words.
    let said = |id: &str| prompt.prediction().is_some_and(|asked| question::says(asked, id));
    let words: Vec<String> = prompt
        .set
        .iter()
        .map(|(id, [from, to])| {
            let label = prompt.lesson.param(id).map_or(id.as_str(), |param| param.label.as_str());
            format!("{label}: {} instead of {}", number(*to), number(*from))
        })
        .collect();
    let usual = prompt.set.iter().map(|(id, [from, _])| {
        let label = prompt.lesson.param(id).map_or(id.as_str(), |param| param.label.as_str());
        format!("{label} = {}", number(*from))
    });
    let usual: Vec<String> = usual.collect();
    ui.add_space(6.0);
    if !words.is_empty() && prompt.set.keys().all(|id| said(id)) {
        let muted = theme::color(theme::of(ui), Ink::Muted);
        ui.label(RichText::new(format!("In the lesson, {}.", usual.join(", "))).size(theme::SMALL).color(muted));
        ui.add_space(6.0);
    } else if !words.is_empty() {
        let accent = theme::color(theme::of(ui), Ink::Accent);
        let text = format!("This time, {}.", words.join(", and "));
        ui.add(egui::Label::new(RichText::new(text).font(theme::medium(theme::BODY)).color(accent)).wrap());
        ui.add_space(6.0);
    }
}

/// Whether the answer was right, and how the right one is found.
fn answered(ui: &mut Ui, (review, prompt): (&Review, &Prompt), found: Option<String>) {
    let Some((_, right)) = review.given else { return };
    let theme = theme::of(ui);
    let (word, ink) = if right { ("Right", Hue::Shared.ink()) } else { ("Wrong", Hue::Store.ink()) };
    let by = prompt.prediction().and_then(Prediction::answer).map_or("", found_by);
    let text = format!("{word}: {}, {by}.", found.unwrap_or_default());
    ui.add_space(6.0);
    ui.label(RichText::new(text).font(theme::medium(theme::BODY)).color(theme::color(theme, ink)));
}

/// A question that the learner grades: the answer is shown where it is asked for.
fn own(ui: &mut Ui, set: Set<'_>, (review, prompt): (&Review, &Prompt), answer: &[Inline]) -> Option<ReviewCommand> {
    let id = ui.scope_id().with(("turned", &prompt.item.lesson, &prompt.item.id));
    let mut turned = ui.data(|d| d.get_temp::<bool>(id)).unwrap_or(false);
    let mut command = None;
    ui.add_space(6.0);
    if !turned && review.given.is_none() {
        turned = ui.button("Show the answer").on_hover_text("Space").clicked() || keys::alone(ui, Key::Space);
        ui.data_mut(|d| d.insert_temp(id, turned));
        return None;
    }
    set.body(ui, answer);
    if review.given.is_none() {
        ui.horizontal(|ui| {
            for (name, right, key) in [("I knew it (1)", true, Key::Num1), ("I did not (2)", false, Key::Num2)] {
                if ui.button(name).clicked() || keys::alone(ui, key) {
                    command = Some(ReviewCommand::Grade(right));
                }
            }
        });
    }
    if command.is_some() {
        ui.data_mut(|d| d.remove_temp::<bool>(id));
    }
    command
}

/// A field for a number with its unit; the number, once it is given.
fn number_field(ui: &mut Ui, unit: &str) -> Option<f64> {
    let id = ui.scope_id().with("review number");
    let mut text = ui.data(|d| d.get_temp::<String>(id)).unwrap_or_default();
    let mut given = None;
    ui.horizontal(|ui| {
        let field = ui.add(egui::TextEdit::singleline(&mut text).desired_width(120.0).hint_text("a number"));
        // The field has the keyboard as soon as it is asked for, until the learner takes it elsewhere.
        let begun = id.with("begun");
        if !ui.data_mut(|d| std::mem::replace(d.get_temp_mut_or_default::<bool>(begun), true)) {
            field.request_focus();
        }
        field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Your number"));
        ui.label(if unit == "x" { "×" } else { unit });
        let read = read_figure(&text, unit);
        let clicked = ui.add_enabled(read.is_some(), egui::Button::new("Answer")).clicked();
        let confirmed = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        given = read.filter(|_| clicked || confirmed);
    });
    if given.is_some() {
        text.clear();
        ui.data_mut(|d| d.remove_temp::<bool>(id.with("begun")));
    }
    ui.data_mut(|d| d.insert_temp(id, text));
    given
}

/// Prose with the figures that are known at the lesson's defaults in place.
fn filled(state: &State, lesson: &Lesson, inlines: &[Inline]) -> Vec<Inline> {
    let params = jobs::defaults(lesson);
    let env = Env::fixed(&lesson.params, &lesson.values, &params);
    let missing = || "…".to_owned();
    let each = inlines.iter().map(|inline| match inline {
        Inline::Text(_) | Inline::Code(_) | Inline::Math(_) | Inline::Break => inline.clone(),
        Inline::Preset(words, _) => Inline::Text(words.clone()),
        Inline::Emph(inner) => Inline::Emph(filled(state, lesson, inner)),
        Inline::Strong(inner) => Inline::Strong(filled(state, lesson, inner)),
        Inline::Link(url, inner) => Inline::Link(url.clone(), filled(state, lesson, inner)),
        Inline::Value(expr, unit) => {
            Inline::Text(env.eval(expr).map_or_else(|_| missing(), |value| figure(value, unit)))
        }
        Inline::Quote(quote) => {
            let quoted = state.library.quotes.read(lesson, quote, &env);
            Inline::Text(quoted.map_or_else(missing, |quoted| quoted.text))
        }
        Inline::Control(id) => Inline::Text(params.get(id).map_or_else(String::new, |value| number(*value))),
    });
    each.collect()
}

/// The learner's text, with formulas between dollar signs.
fn with_formulas(text: &str) -> Vec<Inline> {
    let parts: Vec<&str> = text.split('$').collect();
    if parts.len().is_multiple_of(2) {
        return vec![Inline::Text(text.to_owned())];
    }
    let inline = |(i, part): (usize, &&str)| match i % 2 {
        0 => Inline::Text((*part).to_owned()),
        _ => Inline::Math((*part).to_owned()),
    };
    parts.iter().enumerate().map(inline).collect()
}
