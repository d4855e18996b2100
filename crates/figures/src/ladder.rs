//! The rungs of a ladder: what each kernel of an experiment reaches at one setting, beside the best of them or a library.

use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, MARGIN, Rows};
use super::palette::Ink;
use super::plot::{Plot, Series};
use super::results::Missing;
use super::text;
use crate::base::units::{digits3, number, si};

/// The least and the greatest distance between two rungs.
const PITCH: [f32; 2] = [22.0, 46.0];
/// Size of the numbers.
const SIZE: f32 = 13.0;
/// Height of the limit's name above the rungs.
const LIMIT: f32 = 20.0;

static CARD: Card = Card {
    name: "Ladder",
    tab: "Ladder",
    help: "What each kernel of an experiment reaches at one setting",
    about: "what each kernel reaches at one setting",
    clock: Clock::Still,
    fits: |_| true,
    needs: "name an experiment of the lesson",
    args: &[
        Arg::required("of", ArgKind::Experiment, "the experiment"),
        Arg::optional(
            "at",
            ArgKind::Number,
            "the value of what the experiment varies; the greatest that most kernels have, if left out",
        ),
        Arg::optional("rungs", ArgKind::Texts, "the ids of the curves to show, in this order; all if left out"),
        Arg::optional("notes", ArgKind::Texts, "words after each rung's numbers"),
        Arg::optional("limit", ArgKind::Amounts, "what none of them can exceed: a line through all bars"),
        Arg::optional("line", ArgKind::Text, "the line's name"),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Ladder::of(view).map(|ladder| ladder.draw(view.size))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Spot(i) = tag else { return None };
        let ladder = Ladder::of(view).ok()?;
        let rung = ladder.rungs.get(i)?;
        Some(format!("{}\n{}", rung.name, ladder.said(rung)))
    }
}

/// A kernel, or a library's call.
struct Rung {
    name: String,
    ink: Ink,
    value: f64,
    note: String,
    /// Whether it is the program on the stage.
    is_here: bool,
}

struct Ladder {
    rungs: Vec<Rung>,
    unit: String,
    /// The rung that the others are shares of, by its place.
    best: usize,
    /// What is measured, the setting, and the rung that has 100%.
    headline: String,
    /// The plot's title: where it was measured.
    title: String,
    /// The limit's name and value.
    limit: Option<(String, f64)>,
}

/// The id of a curve's kernel: recorded curves have a word before it.
fn kernel(series: &Series) -> &str {
    series.id.trim_start_matches("recorded ")
}

impl Ladder {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let (plot, limit) = (view.ask(ask::Curves(view.picture.text("of").to_owned())), view.filled("limit"));
        let (plot, limit) = (plot?, limit?);
        let at = view.number("at").or_else(|| common(plot)).ok_or("The experiment has no points yet.")?;
        let (shown, notes) = (view.texts("rungs"), view.texts("notes"));
        let place = |series: &Series| shown.iter().position(|id| id == kernel(series));
        let mut series: Vec<&Series> = plot.series.iter().collect();
        if !shown.is_empty() {
            series.retain(|series| place(series).is_some() || is_library(series));
            series.sort_by_key(|series| place(series).unwrap_or(usize::MAX));
        }
        let here = view.program.map_or("", |program| program.id.as_str());
        let rung = |(i, series): (usize, &&Series)| {
            let point = series.points.iter().find(|point| point.x == at && point.y > 0.0)?;
            let is_here = kernel(series) == here;
            let ink = if is_here {
                Ink::Accent
            } else if is_library(series) {
                Ink::Muted
            } else {
                Ink::Series(0)
            };
            let note = notes.get(i).cloned().unwrap_or_default();
            Some(Rung { name: series.name.clone(), ink, value: point.y, note, is_here })
        };
        let rungs: Vec<Rung> = series.iter().enumerate().filter_map(rung).collect();
        let is_time = plot.y.unit == "s";
        let better = |a: f64, b: f64| if is_time { a < b } else { a > b };
        let library = series.iter().position(|series| is_library(series)).filter(|i| *i < rungs.len());
        let best = (0..rungs.len()).reduce(|a, b| if better(rungs[b].value, rungs[a].value) { b } else { a });
        let best = library.or(best).ok_or("The experiment has no points there.")?;
        let whole = &rungs[best].name;
        let headline = format!("{}; {} {}; percent of {whole}", plot.y.label, plot.x.label, number(at));
        let limit =
            limit.first().and_then(|limit| Some((format!("{}: {}", view.words("line"), limit.text), limit.value?)));
        Ok(Self { rungs, unit: plot.y.unit.clone(), best, headline, title: plot.title.clone(), limit })
    }

    /// A rung's number, and its share of the best one.
    fn said(&self, rung: &Rung) -> String {
        let (value, best) = (si(rung.value, &self.unit), self.rungs[self.best].value);
        let share = if self.unit == "s" { best / rung.value } else { rung.value / best };
        let note = if rung.note.is_empty() { String::new() } else { format!("; {}", rung.note) };
        format!("{value}, {}%{note}", digits3(share * 100.0))
    }

    fn draw(&self, size: [f32; 2]) -> Frame {
        let mut board = Board::new(size);
        board.caption(&self.headline);
        board.footer(&self.title);
        if self.rungs.iter().any(|rung| rung.is_here) {
            board.legend(&[super::kit::Key::new(Ink::Accent, "this page's kernel")]);
        }
        let room = board.room().within([if self.limit.is_some() { LIMIT } else { 0.0 }, 0.0]);
        let mut rows = Rows::new(room, self.rungs.len(), PITCH);
        rows.names(&mut board.frame, "kernel", |row| self.rungs[row].name.clone());
        let said: Vec<String> = self.rungs.iter().map(|rung| self.said(rung)).collect();
        let wide = rows.right - rows.left;
        let numbers = said.iter().map(|said| text::width(said, SIZE, false) + 12.0).fold(0.0, f32::max).min(wide * 0.6);
        let values = self.rungs.iter().map(|rung| rung.value).chain(self.limit.as_ref().map(|(_, limit)| *limit));
        let most = values.fold(f64::MIN_POSITIVE, f64::max);
        let long = |value: f64| ((value / most) as f32 * (wide - numbers)).max(1.0);
        for (row, rung) in self.rungs.iter().enumerate().take(rows.shown) {
            let [left, top, _, high] = rows.rect(row);
            board.frame.fill([left, top, long(rung.value), high], 2.0, rung.ink, Some(Tag::Spot(row)));
        }
        if let Some((name, value)) = &self.limit {
            rows.limit(&mut board.frame, rows.left + long(*value), name);
        }
        for (row, rung) in self.rungs.iter().enumerate().take(rows.shown) {
            let at = [rows.left + long(rung.value) + 8.0, rows.middle(row)];
            let words = text::fit(&said[row], SIZE, false, (size[0] - MARGIN - at[0]).max(1.0));
            let behind = [at[0] - 3.0, at[1] - 9.0, text::width(&words, SIZE, false) + 6.0, 18.0];
            board.frame.fill(behind, 0.0, Ink::Panel, None);
            board.frame.text(at, SIZE, Anchor::Start, Ink::Text, words);
        }
        let all: Vec<String> =
            self.rungs.iter().zip(&said).map(|(rung, said)| format!("{}: {said}", rung.name)).collect();
        board.finish(format!("{}. {}.", self.headline, all.join(". ")))
    }
}

fn is_library(series: &Series) -> bool {
    kernel(series).starts_with("library ")
}

/// The value of what is varied that most curves have; of several, the greatest.
fn common(plot: &Plot) -> Option<f64> {
    let xs = || plot.series.iter().flat_map(|series| series.points.iter().map(|point| point.x));
    let curves = |x: f64| plot.series.iter().filter(|series| series.points.iter().any(|point| point.x == x)).count();
    xs().max_by(|a, b| curves(*a).cmp(&curves(*b)).then(a.total_cmp(b)))
}

#[cfg(test)]
mod tests {
    use super::super::answers::Filled;
    use super::super::fixtures::{assert_tidy, drawn, picture_of};
    use super::super::frame::Item;
    use super::super::plot::{Axis, Point, Scale};
    use super::*;
    use crate::Results;
    use crate::lesson::ArgValue;

    #[test]
    fn rungs_are_shares_of_the_library_at_the_greatest_common_setting() {
        let axis = |label: &str, unit: &str| Axis {
            label: label.into(),
            unit: unit.into(),
            scale: Scale::Linear,
            ticks: Vec::new(),
            reach: None,
        };
        let series = |id: &str, points: &[(f64, f64)]| Series {
            id: id.into(),
            name: id.trim_start_matches("recorded ").into(),
            ink: Ink::Series(0),
            points: points.iter().map(|(x, y)| Point { x: *x, y: *y, low: *y, high: *y }).collect(),
            recorded: true,
        };
        let plot = Plot {
            title: "Recorded on a device".into(),
            x: axis("size", ""),
            y: axis("useful operations per second", "FLOP/s"),
            series: vec![
                series("recorded slow", &[(1024.0, 1e12), (2048.0, 2e12)]),
                series("recorded fast", &[(1024.0, 3e12), (2048.0, 8e12), (4096.0, 9e12)]),
                series("recorded library cuBLAS", &[(1024.0, 5e12), (2048.0, 1e13)]),
            ],
            ceilings: Vec::new(),
            current: None,
            trail: Vec::new(),
        };
        let results = Results::default().with(ask::Curves("speed".into()), plot).with(
            ask::Filled("limit".into()),
            vec![Filled { text: "12.0 TFLOP/s".into(), value: Some(1.2e13), ..Filled::default() }],
        );
        let picture = picture_of("Ladder", &[("of", ArgValue::Text("speed".into()))]);
        for size in [[320.0, 200.0], [650.0, 300.0], [1400.0, 700.0]] {
            let frame = drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            assert!(frame.alt.contains("size 2,048; percent of library cuBLAS"), "{}", frame.alt);
            assert!(frame.alt.contains("slow: 2.00 TFLOP/s, 20.0%. fast: 8.00 TFLOP/s, 80.0%."), "{}", frame.alt);
            let bars = frame.items.iter().filter(|item| matches!(item, Item::Rect { tag: Some(Tag::Spot(_)), .. }));
            assert_eq!(bars.count(), 3);
        }
    }
}
