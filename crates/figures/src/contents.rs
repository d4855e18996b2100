//! The contents of a buffer: its elements as numbers, shades, bars or characters, or by their meaning.

use super::ask;
use super::bars;
use super::buffer::{Contents, HEAD, LEAST_ROW, Layout, Line, ROW, is_written};
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, NO_BUFFER, View, named_buffers};
use super::frame::{Anchor, Frame, Item, Tag};
use super::kit::MARGIN;
use super::kit::legend::{Key, legend};
use super::meanings::{self, Meaning, Meant};
use super::palette::{Hue, Ink};
use super::reel::Reel;
use super::results::Missing;
use super::shape::Shape;
use super::text;
use crate::base::tensor::Tensor;
use crate::base::units::count;
use crate::job::BindingKind;
use crate::lesson::Picture;

/// The maximum share of the first line for the words that say when, such as "after merge 3".
const BESIDE: f32 = 0.65;

/// The width of a text.
fn written(item: &Item) -> f32 {
    if let Item::Text { text, size, mono, .. } = item { text::width(text, *size, *mono) } else { 0.0 }
}

/// The picture.
fn frame(view: &View<'_>, of: &Looked<'_>) -> Frame {
    let contents = &of.contents;
    let mut frame = Frame::new(view.size);
    let layout = contents.layout(view.size);
    let title = format!("{} {}", contents.buffer, contents.when);
    // The lesson's own title says what the buffer is.
    match view.picture.text("title") {
        "" => frame.text([MARGIN, 18.0], 16.0, Anchor::Start, Ink::Text, title.clone()),
        // Of a single launch it says nothing.
        _ if of.reel.film.frames.len() < 2 => {}
        _ => {
            let room = (view.size[0] - 2.0 * MARGIN) * BESIDE;
            frame.fitted([MARGIN, 18.0], 12.0, Anchor::Start, Ink::Muted, room, contents.when);
        }
    }
    if contents.shape == Shape::Bars {
        let said = bars::draw(&mut frame, contents);
        frame.alt = format!("{title}: {said}");
        return frame;
    }
    let said = of.meaning().and_then(|(meaning, meant)| meaning.draw(&mut frame, &meant, view.hovered));
    if let Some(said) = said {
        frame.alt = format!("{title}: {said}");
        return frame;
    }
    let shown: Vec<usize> = contents.shown(layout.columns * layout.rows).collect();
    let values = shown.iter().filter_map(|i| contents.value(*i)).filter(|value| value.is_finite());
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let size = format!("{} × {}", count(contents.count), contents.tensor.elem.name());
    let spelling = contents.spelling();
    let about = match low <= high {
        true => format!("{size}, values from {} to {}", spelling(low), spelling(high)),
        false => size.clone(),
    };
    let blank = shown.iter().any(|i| contents.value(*i).is_none()) && contents.shape == Shape::Numbers;
    let about = if blank { format!("{about}, –: not written") } else { about };
    let framed = greatest(contents, &layout, view.picture.text("greatest"), &shown);
    // The value range, then the size too, is omitted if the title leaves no room.
    let room = view.size[0] - 3.0 * MARGIN - frame.items.iter().map(written).sum::<f32>();
    let name = view.picture.text("greatest");
    if !framed.is_empty() && text::width(name, 12.0, false) + 18.0 <= room {
        let left = view.size[0] - MARGIN - text::width(name, 12.0, false) - 18.0;
        legend(&mut frame, left, 18.0, room, &[Key::new(Ink::Panel, name).edge(Ink::Accent)]);
    } else if let Some(text) = [&about, &size].into_iter().find(|text| text::width(text, 12.0, false) <= room) {
        frame.text([view.size[0] - MARGIN, 18.0], 12.0, Anchor::End, Ink::Muted, text.clone());
    }
    heads(&mut frame, contents, &layout, shown.len());
    let share = |value: f64| if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    for (place, i) in shown.iter().copied().enumerate() {
        let (row, column) = (place / layout.columns, place % layout.columns);
        let [w, h] = layout.cell;
        let at = [layout.left + column as f32 * w, HEAD + row as f32 * h];
        if column == 0 && (h >= LEAST_ROW || (row as f32 * h) % ROW < h) {
            // The next line of a broken row has no name.
            let is_named = !contents.legend.rows.is_empty();
            let name = if is_named { contents.row_name(i as u64) } else { count(i as u64) };
            frame.text(
                [layout.left - 12.0, at[1] + if h >= LEAST_ROW { h } else { ROW } / 2.0 - 1.0],
                12.0,
                Anchor::End,
                Ink::Muted,
                name,
            );
        }
        let tag = Some(Tag::Word { buffer: 0, index: i as u64 });
        let rect = [at[0], at[1], w - 1.0, h - 1.0];
        let value = contents.value(i);
        let fill = match (value.filter(|value| value.is_finite()), contents.shape) {
            (None, _) | (_, Shape::Characters | Shape::Bars | Shape::Meant) => Ink::Raised,
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 255")]
            (Some(value), Shape::Shades) => Ink::Heat((share(value) * 255.0) as u8),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 40")]
            (Some(value), Shape::Numbers) if low < 0.0 => {
                // Of numbers of both signs, 0 is blank.
                let size = (value.abs() / high.max(-low)).clamp(0.0, 1.0);
                Ink::Tint(if value < 0.0 { Hue::Store } else { Hue::Load }, (size * 40.0) as u8)
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 40")]
            (Some(value), Shape::Numbers) => Ink::Tint(Hue::Load, (share(value) * 40.0) as u8),
        };
        let ring = view.hovered == tag || framed.contains(&i);
        match contents.shape {
            Shape::Shades if !ring => frame.fill(rect, 0.0, fill, tag),
            _ => frame.outline(rect, 2.0, Some(fill), if ring { Ink::Accent } else { fill }, tag),
        }
        let words = match contents.shape {
            Shape::Numbers => contents.word(spelling, i),
            Shape::Characters => value.map_or_else(|| "–".to_owned(), character),
            Shape::Shades | Shape::Bars | Shape::Meant => continue,
        };
        let ink = if value.is_some() { Ink::Text } else { Ink::Muted };
        frame.items.push(Item::Text {
            at: [at[0] + (w - 1.0) / 2.0, at[1] + h / 2.0 - 0.5],
            size: 12.0,
            anchor: Anchor::Middle,
            ink,
            text: words,
            mono: true,
            tag,
        });
    }
    frame.alt = format!("{title}: {about}.");
    frame
}

/// The numbers of the columns of a matrix whose rows are not broken, and the columns' name at their left.
fn heads(frame: &mut Frame, contents: &Contents<'_>, layout: &Layout, shown: usize) {
    let across = &contents.legend.across;
    let is_whole = contents.columns == Some(layout.columns as u64) && contents.shape == Shape::Numbers;
    if across.is_empty() || !is_whole || shown == 0 {
        return;
    }
    let y = HEAD - 7.0;
    frame.text([layout.left - 12.0, y], 12.0, Anchor::End, Ink::Muted, across.clone());
    for column in 0..layout.columns {
        let x = layout.left + (column as f32 + 0.5) * layout.cell[0];
        frame.text([x, y], 12.0, Anchor::Middle, Ink::Muted, column.to_string());
    }
}

/// The greatest element of each row that is shown whole, if the lesson names it.
fn greatest(contents: &Contents<'_>, layout: &Layout, name: &str, shown: &[usize]) -> Vec<usize> {
    let columns = layout.columns;
    if name.is_empty() || contents.columns != Some(columns as u64) || contents.shape != Shape::Numbers {
        return Vec::new();
    }
    // A row that is not written yet has none.
    let of_row = |row: &[usize]| -> Option<usize> {
        let values: Option<Vec<(usize, f64)>> = row.iter().map(|i| Some((*i, contents.value(*i)?))).collect();
        values?.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(i, _)| i)
    };
    shown.chunks_exact(columns.max(1)).filter_map(of_row).collect()
}

/// The character of a byte, if it is printable.
fn character(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a byte, or shown as none")]
    match value as u8 {
        byte if f64::from(byte) != value => "?".to_owned(),
        b' ' => "␣".to_owned(),
        b'\n' => "¶".to_owned(),
        byte if byte.is_ascii_graphic() => char::from(byte).to_string(),
        _ => "·".to_owned(),
    }
}

/// The tip for the item under the pointer.
fn told(of: &Looked<'_>, tag: Tag) -> Option<String> {
    let contents = &of.contents;
    let Tag::Word { index, .. } = tag else { return None };
    let i = usize::try_from(index).ok()?;
    if let Some((meaning, meant)) = of.meaning() {
        return meaning.tip(&meant, i);
    }
    let place = match contents.columns {
        Some(columns) if columns > 0 => format!(", row {}, column {}", index / columns, index % columns),
        _ => String::new(),
    };
    if contents.shape == Shape::Bars && !contents.legend.parts.is_empty() {
        return Some(bars::told(contents, i));
    }
    let value = contents.value(i).map_or_else(|| "never written".to_owned(), |value| value.to_string());
    Some(format!("{}[{index}]{place}: {value}", contents.buffer))
}

static CARD: Card = Card {
    name: "Contents",
    tab: "Buffers",
    help: "What a buffer holds after each launch: numbers, shades or characters",
    about: "what a buffer holds after the pass",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "any pass",
    args: &[
        Arg::optional("buffer", ArgKind::Buffer, "the buffer at first; the one that the pass writes if left out"),
        Arg::optional("limit", ArgKind::Number, "where bars have a line, beyond which they have another colour"),
        Arg::optional("line", ArgKind::Text, "the name of a line that is no limit: \"a fair share\""),
        Arg::optional("top", ArgKind::Number, "the top of the bars' axis, for one scale over several pages"),
        Arg::optional("at", ArgKind::Share, "the share of the buffer at which the picture begins"),
        Arg::optional("greatest", ArgKind::Text, "the name of the greatest element of a row, which is framed"),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// The buffer comes first, then those that its meaning takes.
    fn film(&self, view: &View<'_>) -> Result<Vec<String>, Missing> {
        let Some(name) = looked_at(view)? else { return Ok(Vec::new()) };
        let declared = view.program.and_then(|program| program.buffers.iter().find(|buffer| buffer.name == name));
        let mut film = vec![name];
        if let Some(means) = declared.and_then(|buffer| buffer.means.as_ref())
            && let Some(meaning) = meanings::find(&means.name)
        {
            film.extend(named_buffers(meaning.card().args, means));
            film.dedup();
        }
        Ok(film)
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        shown(view, |of| frame(view, of))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        shown(view, |of| told(of, tag)).ok()?
    }

    fn element(&self, view: &View<'_>, _: Option<usize>, tag: Tag) -> Option<(String, u64)> {
        let Tag::Word { index, .. } = tag else { return None };
        shown(view, |of| (of.contents.buffer.to_owned(), index)).ok()
    }
}

/// The buffer that is looked at: the learner's, the lesson's, else the first that the pass writes, else the first that it reads.
pub(super) fn looked_at(view: &View<'_>) -> Result<Option<String>, Missing> {
    let job = &view.ask(ask::Build)?.job;
    let asked = [view.buffer.unwrap_or_default(), view.picture.text("buffer")];
    if let Some(name) = asked.into_iter().find(|name| job.buffers.iter().any(|buffer| buffer.name == *name)) {
        return Ok(Some(name.to_owned()));
    }
    let touched: Vec<(usize, BindingKind)> =
        job.passes.get(view.pass).into_iter().flat_map(|pass| pass.touched()).collect();
    let written = touched.iter().find(|(_, kind)| *kind == BindingKind::ReadWrite).or(touched.first());
    Ok(written.and_then(|(buffer, _)| Some(job.buffers.get(*buffer)?.name.clone())))
}

/// The first element that is shown, unless the learner has scrolled.
pub fn first_element(view: &View<'_>, elements: usize) -> usize {
    let share = view.picture.number("at").unwrap_or_default();
    let begins = ((share * elements as f64) as usize).min(elements.saturating_sub(1));
    view.reading.from.unwrap_or(begins).min(elements.saturating_sub(1))
}

/// Elements from this many on begin a row; None while the buffer is not there.
#[must_use]
pub fn row(view: &View<'_>) -> Option<usize> {
    shown(view, |of| of.contents.row(view.size)).ok()
}

/// Gives `show` the buffer as it is at the view's moment.
///
/// # Errors
/// The text to show instead.
fn shown<T>(view: &View<'_>, show: impl FnOnce(&Looked<'_>) -> T) -> Result<T, Missing> {
    let (reel, moment) = view.reel(&Fig)?;
    let buffer = reel.buffers.first().ok_or(NO_BUFFER)?;
    let means = buffer.means.as_ref().and_then(|means| Some((meanings::find(&means.name)?, means)));
    let travels = means.is_some_and(|(meaning, _)| meaning.card().travels);
    let before = moment.before;
    let limit = view.number("limit");
    let shape = view.reading.shape.unwrap_or_else(|| buffer.shape(limit.is_some()));
    // Chunks are on their way, and bars grow, from the beginning of a launch on.
    let now = if (travels || shape == Shape::Bars) && moment.share > 0.0 { before + 1 } else { moment.settled() };
    let tensor = reel.after(&buffer.name, now).ok_or(NO_BUFFER)?;
    let growing = reel.after(&buffer.name, before).filter(|_| shape == Shape::Bars && now > before);
    let growing = growing.map(|before| between(before, tensor, moment.eased()));
    let tensor = growing.as_ref().unwrap_or(tensor);
    let matrix = buffer.columns.and_then(|columns| usize::try_from(columns).ok()).unwrap_or(1);
    let contents = Contents {
        buffer: &buffer.name,
        when: &reel.when(now),
        tensor,
        count: buffer.count,
        columns: buffer.columns,
        row: means.map(|(meaning, _)| meaning.row(matrix)),
        legend: &buffer.legend,
        shape,
        from: first_element(view, tensor.len()),
        line: Line {
            at: limit,
            name: Some(view.picture.text("line")).filter(|name| !name.is_empty()),
            top: view.number("top"),
        },
        progress: moment.eased(),
    };
    Ok(show(&Looked { contents, means, reel, frames: [now, before] }))
}

/// Elements on the way from one buffer's contents to the next; what was not written before comes from 0.
fn between(before: &Tensor, now: &Tensor, share: f32) -> Tensor {
    let from = |i: usize| if is_written(before, i) { before.get(i) } else { 0.0 };
    let element = |i: usize| match is_written(now, i) {
        true if share < 1.0 => now.elem.encode(from(i) + (now.get(i) - from(i)) * f64::from(share)),
        _ => now.bits(i),
    };
    Tensor::from_bits(now.elem, (0..now.len()).map(element))
}

/// The buffer that is looked at, among the others.
struct Looked<'a> {
    contents: Contents<'a>,
    means: Option<(&'static dyn Meaning, &'a Picture)>,
    reel: &'a Reel,
    /// Frames of the film that are over, now and before the present launch.
    frames: [usize; 2],
}

impl Looked<'_> {
    /// The meaning of the elements, if they are shown by it.
    fn meaning(&self) -> Option<(&'static dyn Meaning, Meant<'_>)> {
        let (meaning, picture) = self.means.filter(|_| self.contents.shape == Shape::Meant)?;
        Some((meaning, Meant { contents: &self.contents, picture, reel: self.reel, frames: self.frames }))
    }
}
