//! A buffer's rows as bars: as high as the sum of a row, in as many parts as it has elements, below or beyond a line.

use super::buffer::Contents;
use super::frame::{Anchor, Frame, Tag};
use super::kit::legend::{Key, legend};
use super::kit::{Columns, MARGIN, Room};
use super::palette::{Hue, Ink, SERIES};
use super::text;
use crate::base::units::{count, number, si};

/// Space around the bars; above them are the titles, below them the sums, the rows' numbers and the legend.
const HEAD: f32 = 52.0;
const FOOT: f32 = 64.0;
/// The most that a bar and its gap are wide, and the least.
const PITCH: [f32; 2] = [4.0, 112.0];
/// The least height at which a bar's part is separated from its neighbour.
const PART: f32 = 3.0;
/// The least height of a part that is more than nothing.
const LEAST: f32 = 2.0;

/// A row of the buffer.
struct Bar {
    /// Its first element.
    first: usize,
    /// The row's elements that were written; negative ones count as zero.
    parts: Vec<f64>,
}

impl Bar {
    fn sum(&self) -> f64 {
        self.parts.iter().sum()
    }
}

/// Rows that find room in a picture of this width.
pub(super) fn most(width: f32) -> usize {
    ((width - 2.0 * MARGIN) / PITCH[0]).max(1.0) as usize
}

/// The colour of a part that has a name; after the eighth comes the first again.
pub(super) fn ink(part: usize) -> Ink {
    match part % (SERIES as usize + 2) {
        6 => Hue::Conflict.tint(75),
        7 => Hue::Idle.tint(70),
        part => Ink::Series(part as u8),
    }
}

/// The colour of text on that of a part.
pub(super) fn on(part: usize) -> Ink {
    // A grey between light and dark.
    if ink(part) == Hue::Idle.tint(70) { Ink::Text } else { Ink::On }
}

/// A number with the buffer's unit.
fn measured(contents: &Contents<'_>, value: f64) -> String {
    match contents.legend.unit.as_str() {
        "" => number(value),
        unit => si(value, unit),
    }
}

/// Element `i` in words: the bar, the part and its size.
pub(super) fn told(contents: &Contents<'_>, i: usize) -> String {
    let each = contents.columns.and_then(|columns| usize::try_from(columns).ok()).unwrap_or(1).max(1);
    let part = contents.legend.parts.get(i % each).map_or("", String::as_str);
    let row = row(contents, i / each, true);
    let size = contents.value(i).map_or_else(|| "never written".to_owned(), |value| measured(contents, value));
    format!("{row}, {part}: {size}")
}

/// The name of a row, in full or without the word for all rows.
fn row(contents: &Contents<'_>, row: usize, in_full: bool) -> String {
    let number = count(row as u64);
    match (contents.legend.names.get(row), contents.legend.rows.as_str()) {
        (Some(name), _) => name.clone(),
        (None, "") if in_full => format!("row {number}"),
        (None, rows) if in_full => format!("{rows} {number}"),
        (None, _) => number,
    }
}

/// Draws the bars below a heading, and says what they show.
pub(super) fn draw(frame: &mut Frame, contents: &Contents<'_>) -> String {
    let each = contents.columns.and_then(|columns| usize::try_from(columns).ok()).unwrap_or(1).max(1);
    let bar = |first: usize| {
        let elements = first..(first + each).min(contents.tensor.len());
        let parts = elements.map(|i| contents.value(i).filter(|value| value.is_finite()).unwrap_or(0.0).max(0.0));
        Bar { first, parts: parts.collect() }
    };
    // The text is about all rows, even if only some fit.
    let sums: Vec<f64> = (0..contents.tensor.len()).step_by(each).map(|first| bar(first).sum()).collect();
    let highest = sums.iter().copied().fold(0.0, f64::max);
    let mean = sums.iter().sum::<f64>() / sums.len().max(1) as f64;
    let beyond: f64 = contents.line.limit().map_or(0.0, |limit| sums.iter().map(|sum| (sum - limit).max(0.0)).sum());
    let rows = (contents.from / each * each..contents.tensor.len()).step_by(each).take(most(frame.width));
    let bars: Vec<Bar> = rows.map(bar).collect();
    let line = contents.line.at.unwrap_or(mean);
    let top = contents.line.top.unwrap_or(highest).max(highest).max(line).max(f64::MIN_POSITIVE);
    let room = [frame.width - 2.0 * MARGIN, (frame.height - HEAD - FOOT).max(16.0)];
    let base = frame.height - FOOT;
    let area = Room { left: MARGIN, top: HEAD, right: frame.width - MARGIN, bottom: base };
    let columns = Columns::new(area, bars.len(), PITCH[1]);
    let high = |value: f64| (value / top) as f32 * room[1];
    let named = !contents.legend.parts.is_empty();
    let written = |value: f64| measured(contents, value);
    let alone = bars.first().filter(|_| named && sums.len() == 1);
    if let Some(bar) = alone {
        lying(frame, contents, bar, (line, top));
    }
    let name_of = |bar: &Bar| {
        let in_full = !contents.legend.rows.is_empty() && columns.holds(&row(contents, bar.first / each, true));
        row(contents, bar.first / each, in_full)
    };
    for (place, bar) in bars.iter().enumerate().filter(|_| alone.is_none()) {
        let mut below = 0.0;
        for (i, part) in bar.parts.iter().enumerate() {
            let tag = Some(Tag::Word { buffer: 0, index: (bar.first + i) as u64 });
            let from = below;
            below += part;
            // A part that crosses the limit is of both.
            let within = contents.line.limit().map_or(below, |limit| below.min(limit.max(from)));
            for (low, end, hue) in [(from, within, Hue::Load), (within, below, Hue::Conflict)] {
                let bottom = base - high(low);
                // A small value is seen, too.
                let y = if end > low { (base - high(end)).min(bottom - LEAST) } else { bottom };
                let gap = if bottom - y >= PART && bar.parts.len() > 1 { 1.0 } else { 0.0 };
                if bottom > y {
                    let fill = if named { ink(i) } else { hue.tint(75) };
                    frame.fill(columns.bar(place, y + gap, bottom), 0.0, fill, tag);
                }
            }
        }
    }
    if alone.is_none() {
        columns.names(frame, base + 11.0, Ink::Text, |place| written(bars[place].sum()));
        columns.names(frame, base + 27.0, Ink::Muted, |place| name_of(&bars[place]));
    }
    // Rows of different things have no mean.
    let differ = !contents.legend.names.is_empty() && contents.line.at.is_none();
    if alone.is_none() && !differ {
        let y = base - high(line);
        frame.line([MARGIN, y], [columns.right(), y], 1.5, Ink::Accent, None);
    }
    let ratio = number(highest / line.max(f64::MIN_POSITIVE));
    let mut said = match (contents.line.at, contents.line.name) {
        (None, _) if differ => String::new(),
        (Some(_), Some(name)) if sums.len() == 1 => {
            format!("{} in all, {ratio} times {name}, which is {}.", written(highest), written(line))
        }
        (Some(_), Some(name)) if highest == line => format!("The highest is {name}."),
        // The line is the unit that bars are counted in.
        (Some(_), Some(name)) if line == 1.0 => format!("The highest is {} times {name}.", written(highest)),
        (Some(_), Some(name)) => {
            format!("Highest: {}. The line: {}, {name}.", written(highest), written(line))
        }
        (Some(limit), None) => format!(
            "Limit {}: {} beyond it. Highest {}, mean {}.",
            written(limit),
            written(beyond),
            written(highest),
            written(mean)
        ),
        (None, _) => format!("Highest {}, {ratio} times the mean of {}.", written(highest), written(mean)),
    };
    if bars.len() < sums.len() {
        let [shown, all] = [bars.len(), sums.len()].map(|n| count(n as u64));
        said.push_str(&format!(" {shown} of {all} are shown."));
    }
    frame.fitted([MARGIN, 38.0], 13.0, Anchor::Start, Ink::Text, room[0], &said);
    let line = contents.line.name.unwrap_or(if contents.line.at.is_some() { "limit" } else { "mean" });
    let row = Some(contents.legend.rows.as_str()).filter(|rows| !rows.is_empty()).unwrap_or("row");
    let within = match (each > 1, row) {
        (true, row) => {
            let part = Some(contents.legend.across.as_str()).filter(|part| !part.is_empty()).unwrap_or("element");
            format!("each {row}, a segment per {part}")
        }
        (false, "row") => "an element".to_owned(),
        (false, row) => format!("each {row}"),
    };
    let mut keys = vec![Key::new(Hue::Load.tint(75), &within)];
    keys.extend((!differ).then(|| Key::new(Ink::Accent, line)));
    if named {
        // Parts that no bar has need no key.
        let shown = |i: usize| bars.iter().any(|bar| bar.parts.get(i).is_some_and(|part| *part > 0.0));
        let parts = contents.legend.parts.iter().enumerate().filter(|(i, _)| shown(*i));
        keys.splice(..1, parts.map(|(i, name)| Key::new(ink(i), name)));
    } else if beyond > 0.0 {
        keys.insert(1, Key::new(Hue::Conflict.tint(75), "beyond the limit"));
    }
    legend(frame, MARGIN, frame.height - 14.0, room[0], &keys);
    said
}

/// Draws the only bar on its side, with each part's name and size below it where they fit, and the line across it.
fn lying(frame: &mut Frame, contents: &Contents<'_>, bar: &Bar, (line, top): (f64, f64)) {
    let room = frame.width - 2.0 * MARGIN;
    let along = |value: f64| MARGIN + (value / top) as f32 * room;
    let high = (frame.height - HEAD - FOOT - 24.0).clamp(16.0, 72.0);
    let y = HEAD + 8.0;
    let mut below = 0.0;
    for (i, part) in bar.parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
        let (from, to) = (along(below), along(below + part));
        below += part;
        let tag = Some(Tag::Word { buffer: 0, index: (bar.first + i) as u64 });
        frame.fill([from, y, (to - from - 1.0).max(0.5), high], 2.0, ink(i), tag);
        let name = contents.legend.parts.get(i).map_or("", String::as_str);
        for (row, words, ink) in [(12.0, name, Ink::Text), (28.0, &measured(contents, *part), Ink::Muted)] {
            if text::width(words, 12.0, false) + 6.0 <= to - from && !words.is_empty() {
                frame.text([(from + to) / 2.0, y + high + row], 12.0, Anchor::Middle, ink, words);
            }
        }
    }
    let x = along(line);
    frame.line([x, y - 6.0], [x, y + high + 4.0], 2.0, Ink::Accent, None);
}

#[cfg(test)]
mod tests {
    use super::super::buffer::{Contents, Line};
    use super::super::fixtures::assert_tidy;
    use super::super::frame::Item;
    use super::super::shape::Shape;
    use super::*;
    use crate::base::tensor::{Elem, Init, Tensor};
    use crate::lesson::Legend;

    fn drawn(tensor: &Tensor, columns: Option<u64>, limit: Option<f64>, size: [f32; 2]) -> (Frame, String) {
        let count = tensor.len() as u64;
        let contents = Contents {
            buffer: "counts",
            when: "at the end",
            tensor,
            count,
            columns,
            row: None,
            legend: Legend::NONE,
            shape: Shape::Bars,
            from: 0,
            line: Line { at: limit, ..Line::default() },
            progress: 1.0,
        };
        let mut frame = Frame::new(size);
        let said = draw(&mut frame, &contents);
        frame.alt.clone_from(&said);
        (frame, said)
    }

    fn area(frame: &Frame, ink: Ink) -> f32 {
        let of = |item: &Item| match item {
            Item::Rect { rect, fill: Some(fill), tag: Some(_), .. } if *fill == ink => rect[2] * rect[3],
            _ => 0.0,
        };
        frame.items.iter().map(of).sum()
    }

    #[test]
    fn rows_are_summed_and_cut_at_the_limit() {
        // Rows of 0 + 1 + 2 + 3 and 4 + 5 + 6 + 7.
        let tensor = Tensor::new(Elem::U32, 8, Init::Iota, 1, 0);
        let (frame, said) = drawn(&tensor, Some(4), Some(14.0), [400.0, 300.0]);
        assert_eq!(said, "Limit 14: 8 beyond it. Highest 22, mean 14.");
        let (within, beyond) = (area(&frame, Hue::Load.tint(75)), area(&frame, Hue::Conflict.tint(75)));
        // 6 + 14 within, 8 beyond; gaps between parts take a little of both.
        assert!((beyond / within - 0.4).abs() < 0.04, "{within} {beyond}");
        let (frame, said) = drawn(&tensor, None, None, [400.0, 300.0]);
        assert_eq!(said, "Highest 7, 2 times the mean of 3.50.");
        assert_eq!(area(&frame, Hue::Conflict.tint(75)), 0.0);
    }

    #[test]
    fn all_rows_count_where_some_find_room() {
        let tensor = Tensor::new(Elem::U32, 5000, Init::Iota, 1, 0);
        let (_, said) = drawn(&tensor, None, None, [432.0, 300.0]);
        assert_eq!(said, "Highest 4,999, 2 times the mean of 2,500. 100 of 5,000 are shown.");
    }

    #[test]
    fn any_number_of_bars_fits() {
        for size in [[420.0, 200.0], [640.0, 320.0], [1400.0, 700.0]] {
            for (n, columns) in [(1, None), (8, None), (300, None), (2056, Some(8)), (5000, None)] {
                let tensor = Tensor::new(Elem::U32, n, Init::Iota, 1, 0);
                let (frame, _) = drawn(&tensor, columns, Some(3.0), size);
                assert_tidy(&frame, &format!("{n} in {size:?}"));
            }
        }
        let nothing = Tensor::new(Elem::F32, 4, Init::Poison, 1, 0);
        let (frame, said) = drawn(&nothing, None, None, [420.0, 200.0]);
        assert_tidy(&frame, "nothing");
        assert!(said.starts_with("Highest 0"), "{said}");
    }
}
