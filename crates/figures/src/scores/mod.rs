//! The square of scores of queries and keys, tile by tile: which tile a workgroup has at the moment, what is in it, and the maximum, the
//! denominator and the row of the result that it keeps beside each of its queries.

mod draw;
mod square;
mod words;

use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Frame, Tag};
use super::results::Missing;
use square::Square;

static CARD: Card = Card {
    name: "Scores",
    tab: "Scores",
    help: "The square of scores, tile by tile, with the maximum, the denominator and the result of each query",
    about: "which tile of the scores a workgroup has, and what it keeps for its queries",
    clock: Clock::Phases,
    fits: |facts| facts.traced && facts.buffers,
    needs: "show a kernel that can be traced and loads queries and keys",
    args: &[
        Arg::required("q", ArgKind::Buffer, "the queries, a row each, head by head"),
        Arg::required("k", ArgKind::Buffer, "the keys, a row each, head by head"),
        Arg::required("rows", ArgKind::Count(square::MOST), "queries of a head"),
        Arg::optional("keys", ArgKind::Count(square::MOST), "keys of a head; as many as queries if left out"),
        Arg::optional("head", ArgKind::Count(square::MOST), "the head of queries that is shown, from 0"),
        Arg::optional("v", ArgKind::Buffer, "the values, as the keys"),
        Arg::optional("o", ArgKind::Buffer, "the results, as the queries"),
        Arg::optional("scores", ArgKind::Text, "where the scores are: a variable in workgroup memory, or a buffer"),
        Arg::optional("max", ArgKind::Text, "the variable in workgroup memory with the maximum of each query's scores"),
        Arg::optional("sum", ArgKind::Text, "the variable with the sum of their exponentials"),
        Arg::optional("out", ArgKind::Text, "the variable with the sums of the values, a row per query"),
        Arg::optional("called", ArgKind::Texts, "what the rows and the columns are, where not queries and keys"),
        Arg::optional("elsewhere", ArgKind::Text, "a sentence on what is kept where no trace sees it, as in registers"),
        Arg::optional(
            "at",
            ArgKind::Share,
            "the share of the phases at which the picture begins; the last if left out",
        ),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn film(&self, view: &View<'_>) -> Result<Vec<String>, Missing> {
        Ok(["scores", "o"].map(|name| view.picture.text(name).to_owned()).into())
    }

    fn ticks(&self, view: &View<'_>) -> Vec<u32> {
        let Ok(square) = Square::of(view) else { return Vec::new() };
        square.ticks.iter().map(|at| square.course.phases[*at].workgroup).collect()
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        // The contents of buffers are asked for with the course, and may be missing.
        let _ = view.reel(&Fig);
        Square::of(view).map(|square| draw::draw(&square, view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        Square::of(view).ok()?.told(view, tag)
    }
}

#[cfg(test)]
mod tests;
