//! Setting a paragraph: words, formulas, live values and controls on one baseline, broken at spaces.

use std::ops::Range;
use std::sync::Arc;

use egui::{Color32, FontId, Galley, Rect, Stroke, Ui, pos2, vec2};

use super::control;
use super::lines::{Kind, Line, Lines, Piece, break_lines};
use super::reading::Reading;
use super::selection::{Locate, Selection};
use crate::app::{terms, theme};
use crate::base::expr::Expr;
use crate::base::units::{figure, number};
use crate::figures::palette::{Hue, Ink};
use crate::lesson::{Inline, Quote};
use crate::session::desk::Command;

/// The height of a line of text above and below its baseline, relative to its size. Fonts ask for more, each
/// differently.
const ABOVE: f32 = 0.95;
const BELOW: f32 = 0.3;

/// How a run of inlines looks.
#[derive(Clone)]
pub struct Style {
    /// Size of the text in points.
    pub size: f32,
    /// Its colour.
    pub ink: Ink,
    /// Whether it is strong.
    pub bold: bool,
    /// Whether it is emphasised.
    pub italic: bool,
    /// From baseline to baseline, relative to the size.
    pub leading: f32,
}

impl Style {
    #[must_use]
    pub fn body() -> Self {
        Self { size: theme::BODY, ink: Ink::Text, bold: false, italic: false, leading: 1.55 }
    }

    #[must_use]
    pub fn heading(size: f32) -> Self {
        Self { size, bold: true, leading: 1.25, ..Self::body() }
    }

    fn font(&self) -> FontId {
        match (self.bold, self.italic) {
            (true, _) => theme::prose_bold(self.size),
            (_, true) => theme::prose_italic(self.size),
            _ => theme::prose(self.size),
        }
    }
}

/// Sets `inlines` into the width that is left, and returns what the reader asked for in it.
pub fn paragraph(ui: &mut Ui, reading: &mut Reading<'_>, inlines: &[Inline], style: &Style) -> Vec<Command> {
    let mut setter = Setter { ui, reading, pieces: Vec::new(), words: String::new() };
    setter.inlines(inlines, style, None);
    let Setter { pieces, words, .. } = setter;
    place(ui, reading, pieces, &words, style)
}

struct Setter<'a, 'b> {
    ui: &'a Ui,
    reading: &'a mut Reading<'b>,
    pieces: Vec<Piece>,
    /// The paragraph in plain words, for screen readers.
    words: String,
}

impl Setter<'_, '_> {
    fn inlines(&mut self, inlines: &[Inline], style: &Style, link: Option<&str>) {
        for inline in inlines {
            match inline {
                Inline::Text(text) => self.text(text, style, link),
                Inline::Emph(inner) => self.inlines(inner, &Style { italic: true, ..style.clone() }, link),
                Inline::Strong(inner) => self.inlines(inner, &Style { bold: true, ..style.clone() }, link),
                Inline::Link(url, inner) => self.inlines(inner, style, Some(url)),
                Inline::Code(code) => self.code(code, style),
                Inline::Math(latex) => self.formula(latex, style),
                Inline::Value(expr, unit) => self.value(expr, unit, style),
                Inline::Quote(quote) => self.quote(quote, style),
                Inline::Control(id) => self.control(id, style),
                Inline::Preset(words, settings) => self.preset(words, settings, style),
                Inline::Break => self.push(Kind::Break, 0.0, 0.0, 0.0),
            }
        }
    }

    /// Adds a piece whose words have been added.
    fn push(&mut self, kind: Kind, width: f32, ascent: f32, descent: f32) {
        let words = self.pieces.last().map_or(0, |piece| piece.words.end)..self.words.len();
        self.pieces.push(Piece { width, ascent, descent, kind, words });
    }

    fn galley(&self, text: &str, font: FontId) -> Arc<Galley> {
        self.ui.painter().layout_no_wrap(text.to_owned(), font, Color32::PLACEHOLDER)
    }

    fn text(&mut self, text: &str, style: &Style, link: Option<&str>) {
        let theme = theme::of(self.ui);
        let ink = if link.is_some() { Ink::Accent } else { style.ink };
        let color = theme::color(theme, ink);
        let space = self.galley(" ", style.font()).size().x;
        let mut first = true;
        let mut words = text.split(|c: char| c.is_whitespace() && c != '\u{a0}').peekable();
        while let Some(word) = words.next() {
            if !first {
                self.words.push(' ');
                self.push(Kind::Space, space, 0.0, 0.0);
            }
            first = false;
            if !word.is_empty() {
                self.words.push_str(word);
                let galley = self.galley(word, style.font());
                let (ascent, descent) = around_baseline(&galley);
                let width = galley.size().x;
                // Where a word is strong, the text itself is about to say what it means.
                let term = terms::told(word, words.peek().unwrap_or(&"")).filter(|_| link.is_none() && !style.bold);
                let kind = match term {
                    Some((term, meaning)) => {
                        let is_first = !self.reading.told.contains(&term);
                        self.reading.told.extend(is_first.then_some(term));
                        Kind::Term { color, meaning, is_first, galley }
                    }
                    None => Kind::Text { color, ground: None, link: link.map(str::to_owned), galley },
                };
                self.push(kind, width, ascent, descent);
            }
        }
    }

    fn code(&mut self, code: &str, style: &Style) {
        let theme = theme::of(self.ui);
        let font = theme::mono(style.size * theme::INLINE_CODE);
        let ground = Some(theme::color(theme, Ink::Faint).gamma_multiply(0.7));
        let color = theme::color(theme, Ink::Text);
        // Long code may break at its own spaces; short code stays whole, on one ground.
        let words: Vec<&str> = if code.chars().count() > 28 { code.split(' ').collect() } else { vec![code] };
        let space = self.galley(" ", font.clone()).size().x;
        for (i, word) in words.into_iter().enumerate() {
            if i > 0 {
                self.words.push(' ');
                self.push(Kind::Space, space, 0.0, 0.0);
            }
            self.words.push_str(word);
            let galley = self.galley(word, font.clone());
            let (ascent, descent) = around_baseline(&galley);
            let width = galley.size().x;
            self.push(Kind::Text { color, ground, link: None, galley }, width, ascent, descent);
        }
    }

    fn formula(&mut self, latex: &str, style: &Style) {
        match self.reading.formulas.get(self.ui.ctx(), latex, false, style.size) {
            Some(formula) => {
                self.words.extend(["$", latex, "$"]);
                let color = theme::color(theme::of(self.ui), style.ink);
                let (width, height, depth) = (formula.width, formula.height, formula.depth);
                self.push(Kind::Formula(formula, color), width, height - depth, depth);
            }
            // A formula that cannot be typeset is shown as it is written: the reader loses nothing.
            None => self.code(latex, style),
        }
    }

    fn value(&mut self, expr: &Expr, unit: &str, style: &Style) {
        let value = self.reading.state.evaluate(expr, self.reading.results);
        let (text, ink) = match value {
            Some(value) => (figure(value, unit), Hue::Load.ink()),
            None => (self.reading.absence(expr).to_owned(), Ink::Muted),
        };
        self.figure(&text, ink, self.reading.explain(expr), style);
    }

    fn quote(&mut self, quote: &Quote, style: &Style) {
        let (text, ink, from) = match self.reading.state.quote(quote) {
            Some(quoted) => (quoted.text, Hue::Load.ink(), quoted.from.join("\n")),
            None => ("not recorded".to_owned(), Ink::Muted, format!("there is no figure of {}", quote.source)),
        };
        let explanation = format!("= {}\n{from}", quote.expr.source());
        match text.split_once(" to ") {
            Some((low, high)) => {
                self.figure(&format!("{low} to"), ink, explanation.clone(), style);
                self.text(" ", style, None);
                self.figure(high, ink, explanation, style);
            }
            None => self.figure(&text, ink, explanation, style),
        }
    }

    /// A figure that says where it is from when it is pointed at.
    fn figure(&mut self, text: &str, ink: Ink, explanation: String, style: &Style) {
        self.words.push_str(text);
        let galley = self.galley(text, theme::medium(style.size * theme::VALUE));
        let (ascent, descent) = around_baseline(&galley);
        let color = theme::color(theme::of(self.ui), ink);
        let kind = Kind::Value { color, explanation, galley: galley.clone() };
        self.push(kind, galley.size().x, ascent, descent);
    }

    fn control(&mut self, id: &str, style: &Style) {
        let value = self.reading.state.place.params.get(id).copied().unwrap_or_default();
        let lesson = self.reading.state.place.lesson.as_ref();
        let param = lesson.and_then(|lesson| lesson.params.iter().find(|param| param.id == id));
        let text = param.map_or_else(|| number(value), |param| param.words(value));
        self.words.push_str(&text);
        let galley = self.galley(&text, theme::medium(style.size * theme::VALUE));
        let (ascent, descent) = around_baseline(&galley);
        let width = galley.size().x + 2.0 * control::PADDING;
        self.push(Kind::Control { id: id.to_owned(), galley }, width, ascent, descent);
    }
}

impl Setter<'_, '_> {
    fn preset(&mut self, words: &str, settings: &[(String, f64)], style: &Style) {
        self.words.push_str(words);
        let galley = self.galley(words, style.font());
        let (ascent, descent) = around_baseline(&galley);
        let color = theme::color(theme::of(self.ui), Ink::Accent);
        let width = galley.size().x;
        self.push(Kind::Preset { galley, color, settings: settings.to_vec() }, width, ascent, descent);
    }
}

/// How far a galley of one row reaches above and below its baseline.
fn around_baseline(galley: &Galley) -> (f32, f32) {
    let ascent = galley.rows.first().and_then(|r| r.row.glyphs.first()).map_or(galley.size().y * 0.8, |g| g.pos.y);
    (ascent, galley.size().y - ascent)
}

/// Breaks pieces into lines and draws them.
fn place(ui: &mut Ui, reading: &mut Reading<'_>, pieces: Vec<Piece>, words: &str, style: &Style) -> Vec<Command> {
    let width = ui.available_width();
    let top = ui.cursor().min;
    let mut set = Lines { left: top.x, lines: break_lines(pieces, width) };
    let mut y = top.y;
    for line in &mut set.lines {
        let tall = |p: &&Piece| matches!(p.kind, Kind::Formula(..));
        let ascent = line.pieces.iter().filter(tall).map(|p| p.ascent).fold(style.size * ABOVE, f32::max);
        let descent = line.pieces.iter().filter(tall).map(|p| p.descent).fold(style.size * BELOW, f32::max);
        line.height = (ascent + descent).max(style.size * style.leading).round();
        line.baseline = (y + (line.height - ascent - descent) / 2.0 + ascent).round();
        line.top = y;
        y += line.height;
    }
    let response = Selection::allocate(ui, Rect::from_min_max(top, pos2(top.x + width, y)));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, words));
    let selected = reading.selection.paragraph(ui, &response, &set, words);
    let mut commands = Vec::new();
    // The id of a piece is its place in the paragraph: its place on the screen changes as the page scrolls.
    let mut place = 0;
    for line in &set.lines {
        let mut x = top.x;
        for piece in &line.pieces {
            if let Some(selected) = &selected {
                mark(ui, piece, (x, line), selected);
            }
            draw(ui, reading, piece, place, pos2(x, line.baseline), &mut commands);
            x += piece.width;
            place += 1;
        }
    }
    commands
}

/// Marks the part of a piece, at `x` of a line, that is selected.
fn mark(ui: &Ui, piece: &Piece, (x, line): (f32, &Line), selected: &Range<usize>) {
    let [from, to] = [selected.start, selected.end].map(|byte| x + piece.x_of(byte));
    if from < to {
        let rect = Rect::from_x_y_ranges(from..=to, line.top..=line.top + line.height);
        ui.painter().rect_filled(rect, 0.0, ui.visuals().selection.bg_fill);
    }
}

fn draw(
    ui: &mut Ui,
    reading: &mut Reading<'_>,
    piece: &Piece,
    place: usize,
    at: egui::Pos2,
    commands: &mut Vec<Command>,
) {
    let rect = Rect::from_min_size(pos2(at.x, at.y - piece.ascent), vec2(piece.width, piece.ascent + piece.descent));
    match &piece.kind {
        Kind::Space | Kind::Break => {}
        Kind::Text { galley, color, ground, link } => {
            if let Some(ground) = ground {
                ui.painter().rect_filled(rect.expand2(vec2(2.0, -1.0)), 3.0, *ground);
            }
            ui.painter().galley(rect.min, galley.clone(), *color);
            if let Some(url) = link {
                let id = ui.scope_id().with(("link", place));
                let response = ui.interact(rect, id, egui::Sense::click()).on_hover_text(url);
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Link, true, url));
                underline(ui, rect, *color);
                if response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
                    ui.ctx().open_url(egui::OpenUrl::new_tab(url));
                }
            }
        }
        Kind::Term { galley, color, meaning, is_first } => {
            ui.painter().galley(rect.min, galley.clone(), *color);
            if *is_first {
                dots(ui, rect);
            }
            let id = ui.scope_id().with(("term", place));
            ui.interact(rect, id, egui::Sense::hover()).on_hover_text(*meaning);
        }
        Kind::Value { galley, color, explanation } => {
            ui.painter().galley(rect.min, galley.clone(), *color);
            let id = ui.scope_id().with(("value", place));
            let response = ui.interact(rect, id, egui::Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, galley.text()));
            response.on_hover_text(explanation);
        }
        Kind::Formula(formula, color) => formula.paint(ui, rect.min, *color),
        Kind::Control { id, galley } => {
            if let Some(value) = control::inline(ui, reading, (id, place), rect, galley) {
                commands.push(Command::SetParam(id.clone(), value));
            }
        }
        Kind::Preset { galley, color, settings } => {
            ui.painter().galley(rect.min, galley.clone(), *color);
            underline(ui, rect, *color);
            let id = ui.scope_id().with(("preset", place));
            let response = ui.interact(rect, id, egui::Sense::click());
            let names = settings.iter().map(|(name, value)| format!("{name} = {}", number(*value)));
            let names = names.collect::<Vec<_>>().join(", ");
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, galley.text()));
            let response = response.on_hover_text(format!("set {names}"));
            if response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
                commands.extend(settings.iter().map(|(id, value)| Command::SetParam(id.clone(), *value)));
            }
        }
    }
}

fn underline(ui: &Ui, rect: Rect, color: Color32) {
    let y = rect.max.y - 2.0;
    ui.painter().line_segment([pos2(rect.min.x, y), pos2(rect.max.x, y)], Stroke::new(1.0, color.gamma_multiply(0.5)));
}

/// The mark of a word that has a tooltip.
fn dots(ui: &Ui, rect: Rect) {
    let y = rect.max.y - 2.0;
    let stroke = Stroke::new(1.0, theme::color(theme::of(ui), Ink::Idle));
    ui.painter().extend(egui::Shape::dashed_line(&[pos2(rect.min.x, y), pos2(rect.max.x, y)], stroke, 1.5, 2.5));
}

/// Something that is selected by its rows: nothing of it above its middle, all of it below, with the length of its
/// words.
struct Whole(Rect, usize);

impl Locate for Whole {
    fn byte_at(&self, at: egui::Pos2) -> usize {
        if at.y < self.0.center().y { 0 } else { self.1 }
    }
}

/// A formula on its own line, in the middle; one wider than the column is made smaller.
pub fn display_formula(ui: &mut Ui, reading: &mut Reading<'_>, latex: &str) {
    let room = ui.available_width();
    let mut size = theme::BODY * 1.05;
    let Some(mut formula) = reading.formulas.get(ui.ctx(), latex, true, size) else {
        ui.add(egui::Label::new(egui::RichText::new(latex).font(theme::mono(theme::UI))));
        return;
    };
    if formula.width > room {
        size *= room / formula.width;
        if let Some(smaller) = reading.formulas.get(ui.ctx(), latex, true, size) {
            formula = smaller;
        }
    }
    let rect = Rect::from_min_size(ui.cursor().min, vec2(room, formula.height + 8.0));
    let response = Selection::allocate(ui, rect);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, latex));
    let words = format!("$${latex}$$");
    if reading.selection.paragraph(ui, &response, &Whole(rect, words.len()), &words).is_some() {
        ui.painter().rect_filled(rect, 0.0, ui.visuals().selection.bg_fill);
    }
    let at = pos2((rect.center().x - formula.width / 2.0).round(), (rect.min.y + 4.0).round());
    formula.paint(ui, at, theme::color(theme::of(ui), Ink::Text));
}
