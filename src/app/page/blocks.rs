//! Blocks of prose, one below the other.

use std::time::Instant;

use egui::{Frame, Margin, RichText, Ui};

use super::flow::{self, Style};
use super::{Reading, exercise, predict, unfold};
use crate::app::{explore, theme};
use crate::figures::palette::{Hue, Ink};
use crate::lesson::{Block, Inline, Step};
use crate::session::desk::Command;
use crate::session::learn::journal::{Item, ItemKind};

/// The space between the columns of a table.
const CELL_GAP: f32 = 8.0;
/// The width of a quoted figure in a table: three digits and a unit.
const QUOTED: f32 = 68.0;

/// Between two paragraphs.
const GAP: f32 = 12.0;

/// Shows blocks and returns what the reader asked for in them.
pub fn show(ui: &mut Ui, reading: &mut Reading<'_>, blocks: &[Block]) -> Vec<Command> {
    show_within(ui, reading, blocks, None).0
}

/// As [`show`], adding no block after `deadline` to those that the frame before showed; the second part says whether
/// all are shown.
pub fn show_until(ui: &mut Ui, reading: &mut Reading<'_>, blocks: &[Block], deadline: Instant) -> (Vec<Command>, bool) {
    let id = ui.scope_id().with("blocks shown");
    let before = ui.data(|d| d.get_temp::<usize>(id)).unwrap_or(0);
    let (commands, shown) = show_within(ui, reading, blocks, Some((before, deadline)));
    ui.data_mut(|d| d.insert_temp(id, shown));
    (commands, shown == blocks.len())
}

fn show_within(
    ui: &mut Ui,
    reading: &mut Reading<'_>,
    blocks: &[Block],
    limit: Option<(usize, Instant)>,
) -> (Vec<Command>, usize) {
    let mut commands = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        // An exercise's editor fills a frame by itself, and so does an explorer's first picture.
        let heavy = matches!(block, Block::Exercise(_) | Block::Explore(_));
        if limit.is_some_and(|(before, deadline)| index > before && (heavy || Instant::now() > deadline)) {
            return (commands, index);
        }
        if index > 0 {
            ui.add_space(if matches!(block, Block::Heading(..)) { 2.0 * GAP } else { GAP });
        }
        ui.push_id(index, |ui| commands.extend(one(ui, reading, block)));
        if let Block::Predict(id) = block
            && limit.is_some()
            && index + 1 < blocks.len()
            && is_folded(reading, id)
        {
            ui.add_space(GAP);
            if ui.button("Read on without an answer").clicked() {
                commands.push(Command::Skip(id.clone()));
            }
            return (commands, blocks.len());
        }
    }
    (commands, blocks.len())
}

/// Whether what follows a question is folded: until it is answered, or the learner reads on without an answer.
fn is_folded(reading: &Reading<'_>, id: &str) -> bool {
    let lesson = reading.state.place.lesson.as_ref().map(|lesson| lesson.id.clone()).unwrap_or_default();
    let item = Item { lesson, kind: ItemKind::Prediction, id: id.to_owned() };
    let skipped = reading.state.diary.story.items.get(&item).is_some_and(|answers| answers.skipped);
    !skipped && !reading.state.kept().predictions.contains_key(id)
}

fn one(ui: &mut Ui, reading: &mut Reading<'_>, block: &Block) -> Vec<Command> {
    match block {
        Block::Heading(level, text) => {
            let size = if *level <= 3 { 20.0 } else { theme::BODY };
            flow::paragraph(ui, reading, text, &Style::heading(size))
        }
        Block::Paragraph(text) => flow::paragraph(ui, reading, text, &Style::body()),
        Block::List(start, items) => list(ui, reading, *start, items),
        Block::Quote(inner) => aside(ui, reading, inner),
        Block::Code(_, text) => {
            code(ui, text);
            Vec::new()
        }
        Block::Math(latex) => {
            flow::display_formula(ui, reading, latex);
            Vec::new()
        }
        Block::Table(header, rows) => table(ui, reading, header, rows),
        Block::Predict(id) => predict::show(ui, reading, id),
        Block::Exercise(id) => exercise::show(ui, reading, id),
        Block::Explore(name) if reading.staged && reading.state.place.step().and_then(Step::explorer) == Some(name) => {
            let text = "The picture is on the stage: try it there.";
            ui.label(RichText::new(text).color(theme::color(theme::of(ui), Ink::Muted)));
            Vec::new()
        }
        Block::Explore(name) => explore::show(ui, reading.state, name).into_iter().collect(),
        Block::Unfold(title, inner) => unfold::show(ui, reading, title, inner),
    }
}

fn list(ui: &mut Ui, reading: &mut Reading<'_>, start: Option<u64>, items: &[Vec<Block>]) -> Vec<Command> {
    let mut commands = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            ui.add_space(GAP / 2.0);
        }
        let mark = match start {
            Some(first) => format!("{}.", first + index as u64),
            None => "•".to_owned(),
        };
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let (rect, _) = ui.allocate_exact_size(egui::vec2(24.0, theme::BODY * 1.5), egui::Sense::hover());
            let color = theme::color(theme::of(ui), Ink::Muted);
            ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, mark, theme::prose(theme::BODY), color);
            ui.vertical(|ui| {
                ui.set_width(ui.available_width());
                ui.push_id(index, |ui| commands.extend(show(ui, reading, item)));
            });
        });
    }
    commands
}

fn aside(ui: &mut Ui, reading: &mut Reading<'_>, blocks: &[Block]) -> Vec<Command> {
    let theme = theme::of(ui);
    let frame = Frame::new().fill(theme::color(theme, Ink::Raised)).corner_radius(4.0).inner_margin(Margin {
        left: 16,
        right: 12,
        top: 10,
        bottom: 10,
    });
    let response = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        show(ui, reading, blocks)
    });
    let rect = response.response.rect;
    let bar = egui::Rect::from_min_max(rect.min, egui::pos2(rect.min.x + 3.0, rect.max.y));
    ui.painter().rect_filled(bar, 1.5, theme::color(theme, Hue::Accent.ink()));
    response.inner
}

pub(super) fn code(ui: &mut Ui, text: &str) {
    let theme = theme::of(ui);
    Frame::new().fill(theme::color(theme, Ink::Raised)).corner_radius(4.0).inner_margin(12).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.add(egui::Label::new(RichText::new(text.trim_end()).font(theme::mono(14.0))).wrap());
    });
}

fn table(ui: &mut Ui, reading: &mut Reading<'_>, header: &[Vec<Inline>], rows: &[Vec<Vec<Inline>>]) -> Vec<Command> {
    let mut commands = Vec::new();
    let columns = header.len().max(1);
    let widths = column_widths(ui, header, rows, ui.available_width());
    let theme = theme::of(ui);
    let line = egui::Stroke::new(1.0, theme::color(theme, Ink::Faint));
    for (index, row) in std::iter::once(header).chain(rows.iter().map(Vec::as_slice)).enumerate() {
        let style = Style { size: theme::TABLE, bold: index == 0, ..Style::body() };
        let top = ui.cursor().min;
        ui.add_space(4.0);
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for (column, cell) in row.iter().take(columns).enumerate() {
                ui.vertical(|ui| {
                    ui.set_width(widths[column] - CELL_GAP);
                    ui.push_id((index, column), |ui| commands.extend(flow::paragraph(ui, reading, cell, &style)));
                });
                ui.add_space(CELL_GAP);
            }
        });
        ui.add_space(4.0);
        let y = ui.cursor().min.y;
        if index == 0 || index < rows.len() {
            let right = top.x + widths.iter().sum::<f32>();
            ui.painter().line_segment([egui::pos2(top.x, y), egui::pos2(right, y)], line);
        }
    }
    commands
}

/// Each column as wide as its widest cell. What is left over is shared; what is missing is taken where lines can break.
fn column_widths(ui: &Ui, header: &[Vec<Inline>], rows: &[Vec<Vec<Inline>>], room: f32) -> Vec<f32> {
    let widest = |column: usize, measure: fn(&Ui, &[Inline], bool) -> f32| {
        let cells = rows.iter().filter_map(|r| r.get(column)).map(|c| (c, false));
        let cells = cells.chain(header.get(column).map(|c| (c, true)));
        cells.map(|(cell, bold)| measure(ui, cell, bold)).fold(16.0, f32::max) + CELL_GAP
    };
    let natural: Vec<f32> = (0..header.len()).map(|c| widest(c, cell_width)).collect();
    let least: Vec<f32> = (0..header.len()).map(|c| widest(c, longest_word)).collect();
    let total: f32 = natural.iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "a table has few columns")]
    let count = natural.len().max(1) as f32;
    if total <= room {
        let share = ((room - total) / count).min(24.0);
        return natural.iter().map(|w| (w + share).floor()).collect();
    }
    let slack: f32 = natural.iter().zip(&least).map(|(n, l)| n - l).sum();
    let given = ((total - room) / slack.max(1.0)).min(1.0);
    let widths: Vec<f32> = natural.iter().zip(&least).map(|(n, l)| n - (n - l) * given).collect();
    // Where even the longest words do not fit, all columns give way alike: a table never leaves its column of text.
    let scale = (room / widths.iter().sum::<f32>().max(1.0)).min(1.0);
    widths.iter().map(|w| (w * scale).floor()).collect()
}

/// The width of the longest word, which no line break divides.
fn longest_word(ui: &Ui, inlines: &[Inline], bold: bool) -> f32 {
    let words = |text: &str| -> f32 {
        let word = |w: &str| cell_width(ui, &[Inline::Text(w.to_owned())], bold);
        text.split(|c: char| c.is_whitespace() && c != '\u{a0}').map(word).fold(0.0, f32::max)
    };
    inlines
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) | Inline::Preset(text, _) => words(text),
            Inline::Emph(inner) | Inline::Strong(inner) | Inline::Link(_, inner) => longest_word(ui, inner, true),
            // A range can break between its ends.
            Inline::Quote(_) => QUOTED,
            Inline::Code(_) | Inline::Math(_) | Inline::Value(..) | Inline::Control(_) | Inline::Break => {
                cell_width(ui, std::slice::from_ref(inline), bold)
            }
        })
        .fold(0.0, f32::max)
}

fn cell_width(ui: &Ui, inlines: &[Inline], bold: bool) -> f32 {
    let font = if bold { theme::prose_bold(theme::TABLE) } else { theme::prose(theme::TABLE) };
    // The sum of the glyphs' widths: near enough, and far cheaper than a layout of each cell.
    let of = |text: &str, font: egui::FontId| -> f32 {
        ui.fonts_mut(|fonts| text.chars().map(|c| fonts.glyph_width(&font, c)).sum())
    };
    inlines
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) | Inline::Preset(text, _) => of(text, font.clone()),
            Inline::Code(text) => of(text, theme::mono(theme::TABLE * theme::INLINE_CODE)),
            Inline::Math(text) => of(text, theme::prose_italic(theme::TABLE)),
            Inline::Emph(inner) | Inline::Strong(inner) | Inline::Link(_, inner) => cell_width(ui, inner, true),
            Inline::Value(..) | Inline::Control(_) => 80.0,
            Inline::Quote(quote) if quote.is_range() => 2.0 * QUOTED,
            Inline::Quote(_) => QUOTED,
            Inline::Break => 0.0,
        })
        .sum()
}
