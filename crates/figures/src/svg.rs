//! A frame as SVG text: self-contained, and the same text for the same frame on any machine.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::frame::{Anchor, Frame, Item};
use super::palette::{Ink, Theme};
use crate::base::xml::{escape, number};

const SANS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const MONO: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";

/// The frame in one theme, on its panel.
#[must_use]
pub fn svg(frame: &Frame, theme: Theme) -> String {
    Writer { theme, classes: None }.whole(frame)
}

/// The frame in the theme that its reader's system prefers: light unless it says dark.
/// Programs that know no media queries show the light one.
#[must_use]
pub fn adaptive(frame: &Frame) -> String {
    Writer::adaptive().whole(frame)
}

/// Fewer cells beside each other stay elements of their own.
const LEAST_ROW: usize = 4;

/// The cells at the head of a list of items that lie beside each other, from left to right: rectangles of one height without edges.
fn cells_of_row(items: &[Item]) -> Vec<([f32; 4], Ink)> {
    let mut row: Vec<([f32; 4], Ink)> = Vec::new();
    for item in items {
        let Item::Rect { rect, radius: 0.0, fill: Some(fill), stroke: None, .. } = item else { break };
        if let Some(([x, y, w, h], _)) = row.last()
            && (rect[1] != *y || rect[3] != *h || rect[0] < x + w - 0.01)
        {
            break;
        }
        row.push((*rect, *fill));
    }
    row
}

/// Writes items, and gathers the colours in use.
pub(super) struct Writer {
    theme: Theme,
    /// For each ink in use, its class, when the picture is to adapt. Keyed by what the ink becomes in both themes.
    classes: Option<BTreeMap<[String; 2], ()>>,
}

impl Writer {
    /// A writer whose colours follow the system.
    pub(super) fn adaptive() -> Self {
        Self { theme: Theme::Light, classes: Some(BTreeMap::new()) }
    }

    /// The items of a frame on its panel, each as an element.
    pub(super) fn items(&mut self, frame: &Frame) -> Vec<String> {
        let (w, h, ground) = (number(frame.width), number(frame.height), self.fill(Ink::Panel));
        let panel = format!("<rect width=\"{w}\" height=\"{h}\" {ground}/>\n");
        let item = |item: &Item| {
            let mut out = String::new();
            self.item(&mut out, item);
            out
        };
        std::iter::once(panel).chain(frame.items.iter().map(item)).filter(|item| !item.is_empty()).collect()
    }

    /// As [`Self::items`], with the cells of a row as one element, a path for each colour.
    pub(super) fn packed(&mut self, frame: &Frame) -> Vec<String> {
        let mut items = Vec::new();
        let mut rest = frame.items.as_slice();
        while let Some(item) = rest.first() {
            let row = cells_of_row(rest);
            if row.len() < LEAST_ROW {
                let mut out = String::new();
                self.item(&mut out, item);
                items.push(out);
                rest = &rest[1..];
                continue;
            }
            items.push(self.row(&row));
            rest = &rest[row.len()..];
        }
        let (w, h, ground) = (number(frame.width), number(frame.height), self.fill(Ink::Panel));
        items.insert(0, format!("<rect width=\"{w}\" height=\"{h}\" {ground}/>\n"));
        items.retain(|item| !item.is_empty());
        items
    }

    /// The cells of a row: lines as wide as the row is high.
    fn row(&mut self, row: &[([f32; 4], Ink)]) -> String {
        let mut inks: Vec<(Ink, String)> = Vec::new();
        for ([x, y, w, h], ink) in row {
            let line = format!("M{} {}h{}", number(*x), number(y + h / 2.0), number(*w));
            match inks.iter_mut().find(|(known, _)| known == ink) {
                Some((_, lines)) => lines.push_str(&line),
                None => inks.push((*ink, line)),
            }
        }
        let high = row.first().map_or(0.0, |([_, _, _, high], _)| *high);
        let path = |(ink, lines): (Ink, String)| format!("<path d=\"{lines}\" {}/>", self.stroke(ink, high));
        inks.into_iter().map(path).collect::<String>() + "\n"
    }

    fn whole(mut self, frame: &Frame) -> String {
        let body = self.items(frame).concat();
        self.document(frame, &body, "")
    }

    /// A document with the frame's size and description, and this body. The animation's style comes last, so that all items start at
    /// once even where a browser draws while it reads.
    pub(super) fn document(self, frame: &Frame, body: &str, moving: &str) -> String {
        let (w, h) = (number(frame.width), number(frame.height));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
             role=\"img\" font-family=\"{SANS}\">\n<title>{}</title>\n",
            escape(&frame.alt)
        );
        if let Some(classes) = &self.classes {
            out.push_str("<style>@media screen and (prefers-color-scheme:dark){");
            for [light, dark] in classes.keys() {
                let name = class(light, dark);
                let _ = write!(out, ".f{name}{{fill:#{dark}}}.s{name}{{stroke:#{dark}}}");
            }
            out.push_str("}</style>\n");
        }
        out.push_str(body);
        if !moving.is_empty() {
            let _ = writeln!(out, "<style>{moving}</style>");
        }
        out + "</svg>\n"
    }

    fn item(&mut self, out: &mut String, item: &Item) {
        // Writing to a String cannot fail.
        let _ = match item {
            Item::Rect { rect, radius, fill, stroke, tag: _ } => {
                let paint = match (fill, stroke) {
                    (None, None) => return,
                    (Some(fill), None) => self.fill(*fill),
                    (None, Some((ink, width))) => format!("fill=\"none\" {}", self.stroke(*ink, *width)),
                    (Some(fill), Some((ink, width))) => self.both(*fill, *ink, *width),
                };
                let [x, y, w, h] = rect.map(number);
                let round = if *radius > 0.0 { format!(" rx=\"{}\"", number(*radius)) } else { String::new() };
                writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"{round} {paint}/>")
            }
            Item::Line { from, to, width, ink, tag: _ } => {
                let ([x1, y1], [x2, y2]) = (from.map(number), to.map(number));
                let paint = self.stroke(*ink, *width);
                writeln!(out, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {paint}/>")
            }
            Item::Polyline { points, width, ink, tag: _ } => {
                let points: Vec<String> = points.iter().map(|p| format!("{},{}", number(p[0]), number(p[1]))).collect();
                let paint = self.stroke(*ink, *width);
                let points = points.join(" ");
                writeln!(out, "<polyline points=\"{points}\" fill=\"none\" stroke-linejoin=\"round\" {paint}/>")
            }
            Item::Dot { center, radius, ink, tag: _ } => {
                let ([x, y], r) = (center.map(number), number(*radius));
                let paint = self.fill(*ink);
                writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {paint}/>")
            }
            Item::Text { at, size, anchor, ink, text, mono, tag: _ } => {
                // Half the height of a digit below the middle is the baseline, for most faces.
                let (x, y) = (number(at[0]), number(at[1] + size * 0.36));
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let family = if *mono { format!(" font-family=\"{MONO}\"") } else { String::new() };
                let (size, paint, text) = (number(*size), self.fill(*ink), escape(text));
                writeln!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor}{family} {paint}>{text}</text>")
            }
        };
    }

    /// Notes that an ink is in use, and gives its class where the picture adapts.
    fn class(&mut self, ink: Ink) -> Option<String> {
        let classes = self.classes.as_mut()?;
        let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| theme.css(ink)[1..].to_owned());
        let name = class(&light, &dark);
        classes.insert([light, dark], ());
        Some(name)
    }

    fn fill(&mut self, ink: Ink) -> String {
        let color = self.theme.css(ink);
        match self.class(ink) {
            Some(name) => format!("class=\"f{name}\" fill=\"{color}\""),
            None => format!("fill=\"{color}\""),
        }
    }

    fn stroke(&mut self, ink: Ink, width: f32) -> String {
        let color = self.theme.css(ink);
        let plain = format!("stroke=\"{color}\" stroke-width=\"{}\"", number(width));
        match self.class(ink) {
            Some(name) => format!("class=\"s{name}\" {plain}"),
            None => plain,
        }
    }

    fn both(&mut self, fill: Ink, stroke: Ink, width: f32) -> String {
        let plain = format!(
            "fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"",
            self.theme.css(fill),
            self.theme.css(stroke),
            number(width)
        );
        match (self.class(fill), self.class(stroke)) {
            (Some(fill), Some(stroke)) => format!("class=\"f{fill} s{stroke}\" {plain}"),
            _ => plain,
        }
    }
}

/// The class of a pair of colours. It follows from the colours alone, so that pictures on one page agree.
fn class(light: &str, dark: &str) -> String {
    format!("{light}{dark}")
}

#[cfg(test)]
mod tests {
    use super::super::event::WarpView;
    use super::super::fixtures::all_kinds;
    use super::super::warp::frame;
    use super::*;

    fn pictures() -> Vec<Frame> {
        let timeline = std::sync::Arc::new(all_kinds(32));
        let size = [640.0, 420.0];
        (0..timeline.of_warp(0, 0).count())
            .map(|event| {
                let position = event as f32 + 0.5;
                frame(&WarpView {
                    timeline: &timeline,
                    workgroup: 0,
                    warp: 0,
                    position,
                    hovered: None,
                    marked: &[],
                    motion: true,
                    size,
                })
            })
            .collect()
    }

    #[test]
    fn every_picture_is_well_formed_and_describes_itself() -> Result<(), roxmltree::Error> {
        for frame in pictures() {
            for text in [svg(&frame, Theme::Dark), svg(&frame, Theme::Light), adaptive(&frame)] {
                let document = roxmltree::Document::parse(&text)?;
                let root = document.root_element();
                assert_eq!(root.attribute("role"), Some("img"));
                let title = root.children().find(|node| node.has_tag_name("title")).and_then(|node| node.text());
                assert_eq!(title, Some(frame.alt.as_str()));
            }
        }
        Ok(())
    }

    #[test]
    fn hostile_words_stay_words() -> Result<(), roxmltree::Error> {
        let hostile = "</text><script>alert('x')</script>&amp;\"\u{0}\u{b}]]>";
        let mut frame = Frame::new([100.0, 50.0]);
        frame.text([0.0, 20.0], 12.0, Anchor::Start, Ink::Text, hostile);
        frame.alt = hostile.to_owned();
        let text = adaptive(&frame);
        let document = roxmltree::Document::parse(&text)?;
        assert!(!document.descendants().any(|node| node.has_tag_name("script")));
        let shown = document.descendants().find(|node| node.has_tag_name("text")).and_then(|node| node.text());
        assert_eq!(shown, Some("</text><script>alert('x')</script>&amp;\"\u{fffd}\u{fffd}]]>"));
        Ok(())
    }

    #[test]
    fn an_adaptive_picture_knows_both_themes() {
        let mut frame = Frame::new([10.0, 10.0]);
        frame.outline([0.0, 0.0, 10.0, 10.0], 0.0, Some(Ink::Panel), Ink::Load, None);
        let text = adaptive(&frame);
        assert!(text.contains("stroke=\"#0072b2\"") && text.contains("{stroke:#56b4e9}"), "{text}");
        assert!(!svg(&frame, Theme::Dark).contains("<style>"));
    }
}
