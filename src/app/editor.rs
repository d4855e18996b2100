//! The kernel on the bench as text to type in: line numbers, each line's share of the work, what is wrong underlined at
//! its place. The files that it includes follow below it, folded; line numbers continue through them.

use std::sync::Arc;

use egui::text::{CCursor, LayoutJob};
use egui::text_edit::TextEditState;
use egui::{Align, Galley, Id, Margin, Rect, Shape, Stroke, TextEdit, Ui, pos2, vec2};

use super::lit::{self, GUTTER, LINE, Lit};
use super::parts::{Below, row};
use super::source;
use super::{glossary, theme};
use crate::base::diag::Diagnostic;
use crate::base::parts::{self, Part};
use crate::figures::palette::{Hue, Theme};
use crate::job::Language;
use crate::session::jobs::own::YOURS;
use crate::trace::Trace;

/// State that the editor keeps between frames.
#[derive(Default)]
pub struct Editor {
    /// Whose text it is, and what that is written in.
    of: (String, Language),
    /// The texts of the kernel and its parts that were coloured last, in which colours, and what came of it.
    coloured: Vec<Option<(String, Theme, LayoutJob)>>,
}

/// The text that it shows, with its annotations.
pub struct Shown<'a> {
    /// Whose text it is: a kernel's id, or that of a version of the learner's.
    pub of: &'a str,
    /// The language of the text.
    pub language: Language,
    /// The text, with its parts.
    pub text: &'a str,
    /// Parts of it that are open until they are folded, by their names without endings.
    pub open: &'a [String],
    /// Counts by line, if this text was traced.
    pub trace: Option<&'a Trace>,
    /// Lines to light.
    pub lit: &'a Lit,
    /// Mistakes in the text.
    pub problems: &'a [Diagnostic],
}

/// Actions of the learner in it.
#[derive(Default)]
pub struct Happened {
    /// The line under the pointer.
    pub hovered: Option<u32>,
    /// The text as it was changed.
    pub typed: Option<String>,
}

impl Editor {
    pub fn show(&mut self, ui: &mut Ui, shown: &Shown<'_>) -> Happened {
        ui.spacing_mut().item_spacing.y = 0.0;
        let parts = parts::parts(shown.text);
        self.forget(ui, (shown.of, shown.language), parts.len());
        let below = Below { trace: shown.trace, lit: shown.lit, open: shown.open };
        let mut happened = Happened::default();
        for (index, part) in parts.iter().enumerate() {
            if row(ui, part, &below) {
                let Happened { hovered, typed } = self.part(ui, shown, index, part);
                happened.hovered = happened.hovered.or(hovered);
                happened.typed = happened.typed.or(typed.map(|text| parts::replaced(shown.text, index, &text)));
            }
        }
        happened
    }

    /// The kernel's own text, or that of one of its parts. What was typed is that text.
    fn part(&mut self, ui: &mut Ui, shown: &Shown<'_>, index: usize, part: &Part<'_>) -> Happened {
        let theme = theme::of(ui);
        // After the end of a text's last line comes the row of the next part, not an empty line.
        let is_followed = index + 1 < self.coloured.len();
        let shown_text = part.text.strip_suffix('\n').filter(|_| is_followed).unwrap_or(part.text);
        let mut text = shown_text.to_owned();
        let coloured = self.coloured[index].take().filter(|(of, with, _)| of == shown_text && *with == theme);
        let mut coloured = coloured.unwrap_or_else(|| (text.clone(), theme, source::colored(shown_text, theme)));
        // Items below the letters are painted before the letters are laid out.
        let ground = ui.painter().add(Shape::Noop);
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| -> Arc<Galley> {
            if coloured.0 != text.as_str() {
                coloured = (text.as_str().to_owned(), theme, source::colored(text.as_str(), theme));
            }
            ui.fonts_mut(|fonts| fonts.layout_job(coloured.2.clone()))
        };
        #[expect(clippy::cast_possible_truncation, reason = "a few points")]
        let margin = Margin { left: GUTTER as i8, right: 16, top: 0, bottom: 0 };
        // A click below the last line is one into the text.
        let above = ui.cursor().min.y - ui.min_rect().min.y;
        let room = if is_followed { 0.0 } else { (ui.clip_rect().height() - above).max(0.0) };
        let editor = TextEdit::multiline(&mut text)
            .id(id(index))
            .code_editor()
            .desired_width(f32::INFINITY)
            .min_size(vec2(0.0, room))
            .frame(egui::Frame::NONE.inner_margin(margin))
            .layouter(&mut layouter);
        let output = editor.show(ui);
        self.coloured[index] = Some(coloured);
        let response = &output.response.response;
        response.widget_info(|| egui::WidgetInfo {
            label: Some(
                part.name().map_or_else(|| "Source of the kernel".to_owned(), |name| format!("Source of {name}")),
            ),
            ..egui::WidgetInfo::text_edit(true, shown_text, &text, "")
        });
        let top = output.galley_pos.y;
        let letter = ui.fonts_mut(|fonts| fonts.glyph_width(&theme::mono(theme::CODE), 'm'));
        let count = u32::try_from(shown_text.lines().count()).unwrap_or(u32::MAX);
        let lines = part.before + 1..=part.before + count;
        let rect = |line: u32| {
            let y = top + (line - part.before - 1) as f32 * LINE;
            Rect::from_min_size(
                pos2(response.rect.min.x, y),
                vec2(response.rect.width().max(ui.clip_rect().width()), LINE),
            )
        };
        let hovered = response.hover_pos().map(|at| ((at.y - top) / LINE).floor()).filter(|line| *line >= 0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
        let hovered = hovered.map(|line| line as u32 + part.before + 1);
        let grounds = lit::grounds(theme, shown.lit, hovered);
        let grounds = grounds.iter().filter(|(line, _)| lines.contains(line));
        let grounds = grounds.map(|(line, fill)| fill.shape(rect(*line))).collect();
        ui.painter().set(ground, Shape::Vec(grounds));
        let most = lit::most(shown.trace);
        for line in lines.clone() {
            let rect = rect(line);
            if ui.is_rect_visible(rect) {
                // Beside the text wherever that is scrolled to.
                let rect = rect.with_min_x(ui.clip_rect().min.x.max(rect.min.x));
                cover(ui, rect);
                let counts = shown.trace.and_then(|trace| trace.lines.iter().find(|l| l.line == line));
                lit::gutter(ui, rect, line, counts, most);
            }
        }
        for problem in shown.problems {
            let line = line_of(shown, problem).filter(|line| lines.contains(line));
            if let Some(line) = line {
                underline(ui, &output.galley, output.galley_pos, shown_text, line - part.before, problem);
            }
        }
        keep_left(ui, &output);
        let followed = shown.lit.watched.or(shown.lit.executing).filter(|_| !shown.lit.stays);
        let followed = followed.map(|line| (line, Align::Center));
        // Without a line to follow it opens at the kernel, past the comments and functions before it.
        let begins = || Some((begins(part.text)? + part.before, Align::Min));
        let followed = followed.or_else(|| begins().filter(|_| index == 0 && !shown.lit.stays));
        if let Some((line, align)) = followed.filter(|(line, _)| lines.contains(line) && !response.has_focus()) {
            lit::follow(ui, rect(line), (shown.of.to_owned(), line), align);
        }
        let told = hovered.and_then(|line| {
            let pointer = response.hover_pos()?;
            let column = ((pointer.x - output.galley_pos.x) / letter).floor();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
            let column = (column >= 0.0).then_some(column as usize);
            told(shown, line, column)
        });
        let typed = (text != shown_text).then(|| text + &part.text[shown_text.len()..]);
        if let Some(told) = told.filter(|_| typed.is_none()) {
            output.response.response.on_hover_text_at_pointer(told);
        }
        Happened { hovered: hovered.filter(|line| lines.contains(line)), typed }
    }

    /// Another kernel's text cannot be undone into this one's; a version's begins with what its kernel's was.
    fn forget(&mut self, ui: &Ui, (of, language): (&str, Language), parts: usize) {
        self.coloured.resize(parts, None);
        let (before, same) = (self.of.0.as_str(), self.of.1 == language);
        if before == of && same {
            return;
        }
        let is_version = same && of.split_once('+').is_some_and(|(program, _)| program == before);
        for id in (0..parts).map(id) {
            let began = is_version && ui.memory(|m| m.has_focus(id));
            if let Some(mut state) = TextEditState::load(ui.ctx(), id).filter(|_| !began) {
                state.clear_undoer();
                state.store(ui.ctx(), id);
            }
        }
        self.of = (of.to_owned(), language);
    }
}

/// The line, from 1, with which the kernel in a text begins.
fn begins(text: &str) -> Option<u32> {
    const MARKS: [&str; 3] = ["@compute", "__global__", ".entry"];
    let is_kernel = |line: &str| !line.starts_with("//") && MARKS.iter().any(|mark| line.contains(mark));
    (1..).zip(text.lines()).find(|(_, line)| is_kernel(line)).map(|(number, _)| number)
}

/// Hides the letters that are scrolled below the numbers of a line.
fn cover(ui: &Ui, rect: Rect) {
    let gutter = Rect::from_min_size(rect.min, vec2(GUTTER - 4.0, rect.height()));
    if ui.clip_rect().min.x > ui.max_rect().min.x {
        ui.painter().rect_filled(gutter, 0.0, ui.visuals().panel_fill);
    }
}

/// Scrolls back to the left once the cursor, after it was moved, is in sight from there.
fn keep_left(ui: &Ui, output: &egui::text_edit::TextEditOutput) {
    let Some(cursor) = output.cursor_range.filter(|_| output.response.response.has_focus()) else { return };
    let id = output.response.response.id.with("cursor");
    if ui.data(|d| d.get_temp(id)) == Some(cursor) {
        return;
    }
    ui.data_mut(|d| d.insert_temp(id, cursor));
    let at = output.galley.pos_from_cursor(cursor.primary);
    if GUTTER + at.max.x + 16.0 < ui.clip_rect().width() {
        let left = pos2(output.response.response.rect.min.x, output.galley_pos.y + at.min.y);
        ui.scroll_to_rect(Rect::from_min_size(left, vec2(1.0, LINE)), None);
    }
}

/// The name that egui knows the text of a kernel's part by.
fn id(index: usize) -> Id {
    Id::unique("kernel editor").with(index)
}

/// The line that a problem with the learner's version is at.
fn line_of(shown: &Shown<'_>, problem: &Diagnostic) -> Option<u32> {
    parts::line_of(shown.text, YOURS, problem.place.as_ref()?)
}

/// The tooltip of a line: its mistakes, or the meaning of the word under the pointer; left of the text, the line's
/// counts.
fn told(shown: &Shown<'_>, line: u32, column: Option<usize>) -> Option<String> {
    let wrong = shown.problems.iter().find(|problem| line_of(shown, problem) == Some(line));
    if let Some(problem) = wrong {
        return Some(match &problem.hint {
            Some(hint) => format!("{}\n{hint}", problem.message),
            None => problem.message.clone(),
        });
    }
    let text = shown.text.lines().nth(line.saturating_sub(1) as usize)?;
    let word = column.and_then(|column| glossary::told(text, column));
    let word = word.map(|(word, meaning)| format!("{word}: {meaning}"));
    let trace = shown.trace.filter(|_| column.is_none());
    let counts = trace.and_then(|trace| trace.lines.iter().find(|counts| counts.line == line));
    let said: Vec<String> = word.into_iter().chain(counts.map(lit::explain)).collect();
    (!said.is_empty()).then(|| said.join("\n\n"))
}

/// Underlines the word that a problem is at, in the line of this number.
fn underline(ui: &Ui, galley: &Galley, at: egui::Pos2, text: &str, number: u32, problem: &Diagnostic) {
    let Some(place) = problem.place.as_ref() else { return };
    let Some(line) = text.lines().nth(number.saturating_sub(1) as usize) else { return };
    let before: usize = text.lines().take(number.saturating_sub(1) as usize).map(|line| line.chars().count() + 1).sum();
    let column = (place.column.saturating_sub(1) as usize).min(line.chars().count().saturating_sub(1));
    // Of a whole line its text, without what it is indented by.
    let column = column + line.chars().skip(column).take_while(|c| c.is_whitespace()).count();
    let word = line.chars().skip(column).take_while(|c| c.is_alphanumeric() || *c == '_').count().max(1);
    let from = galley.pos_from_cursor(CCursor::new(before + column));
    let to = galley.pos_from_cursor(CCursor::new(before + column + word));
    let stroke = Stroke::new(1.5, theme::color(theme::of(ui), Hue::Conflict.ink()));
    let y = at.y + from.max.y - 1.0;
    ui.painter().line_segment([pos2(at.x + from.min.x, y), pos2(at.x + to.min.x.max(from.min.x + 6.0), y)], stroke);
    let dot = pos2(at.x - GUTTER + 28.0, at.y + from.center().y);
    ui.painter().circle_filled(dot, 3.0, stroke.color);
}
