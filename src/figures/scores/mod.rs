//! The square of scores of queries and keys, tile by tile: which tile a workgroup has at the moment, what is in it, and the maximum, the
//! denominator and the row of the result that it keeps beside each of its queries.

mod draw;
mod square;
mod words;

use super::figure::{Arg, ArgKind, Asks, Card, Clock, Figure, Given, Kept, Subject, View};
use super::frame::{Frame, Tag};
use super::message;
use crate::lesson::Picture;
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

/// The arguments that name variables in workgroup memory, where they are none of the program's buffers.
const VARIABLES: [&str; 4] = ["scores", "max", "sum", "out"];

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn asks(&self, subject: &Subject<'_>) -> Asks {
        let named = |name: &&str| subject.picture.text(name).to_owned();
        let is_buffer = |name: &String| subject.job.buffers.iter().any(|buffer| buffer.name == *name);
        let variables = VARIABLES.iter().map(&named).filter(|name| !name.is_empty() && !is_buffer(name));
        let film = ["scores", "o"].iter().map(named).filter(is_buffer);
        Asks { course: Some(variables.collect()), film: film.collect(), ..Asks::default() }
    }

    fn ticks(&self, given: &Given, picture: &Picture) -> Vec<usize> {
        Square::of(given, picture).map(|square| square.ticks).unwrap_or_default()
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Frame {
        match Square::of(view.given, view.picture) {
            Ok(square) => draw::draw(&square, view),
            Err(why) => message::line(view.size, &why),
        }
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        Square::of(view.given, view.picture).ok()?.told(view, tag)
    }
}

#[cfg(test)]
mod tests;
