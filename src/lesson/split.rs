//! How a program is split over processes, one for each rank, as `lesson.ron` declares it.

use super::conditions::Wanted;
use super::document::Reader;
use super::fields::Node;
use super::mention::Of;
use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::ranks::measure::Collective;

/// The most ranks of a program.
const MOST: u64 = crate::ranks::world::MOST as u64;

/// The ranks of a program, each of which can be a process of its own.
#[derive(Clone, Debug)]
pub struct Split {
    /// How many there are.
    pub number: Expr,
    /// The lesson's value that is the number of ranks on a device: 1 for a process.
    pub here: String,
    /// The lesson's value that is the first of them.
    pub first: String,
    /// Where the lesson says so.
    pub place: Place,
}

/// A collective: what ranks that are processes do together, in the place of a repetition that does it on one device.
#[derive(Clone, Debug)]
pub struct CollectiveDecl {
    /// What they do.
    pub what: Collective,
    /// The buffer of whose part they do it.
    pub buffer: String,
    /// Which part of what a rank has of the buffer; None for all of it.
    pub part: Option<PartDecl>,
    /// The buffer of U32 that counts the bytes which a rank sends to each; None if nothing does.
    pub meter: Option<String>,
    /// Where the lesson says so.
    pub place: Place,
}

/// One of several equal parts of what a rank has of a buffer.
#[derive(Clone, Debug)]
pub struct PartDecl {
    /// The buffer whose first word is its number, counted from 0 and on from the last part to the first.
    pub number: String,
    /// How many parts there are.
    pub of: Expr,
}

/// What a pass of a process waits for. Collectives that a pass waits for go on beside the passes before it; all others are waited for at once.
#[derive(Clone, Debug)]
pub struct AwaitDecl {
    /// The repetition in whose place the collective is.
    pub repeat: String,
    /// The buffer whose first word is the number of the part that has to be there; None for all that were begun.
    pub number: Option<String>,
    /// Where the lesson says so.
    pub place: Place,
}

impl Reader<'_> {
    /// The ranks of a program: `(number: "ranks", here: "ranks_here", first: "first_rank")`.
    pub(super) fn split(&mut self, program: &str, node: Node<'_>) -> Option<Split> {
        let fields = node.fields()?;
        let number = self.wanted(program, fields.required("number"), Wanted::Between(1, MOST));
        let [here, first] = ["here", "first"].map(|name| self.name(fields.text(name), Of::Value));
        fields.finish();
        Some(Split { number: number?, here: here?, first: first?, place: node.place() })
    }

    /// What ranks that are processes do in a repetition's place: `AllGather(buffer: "weights", part: ("layer", "2"), meter: "meter")`.
    pub(super) fn collective(&mut self, program: &str, node: Node<'_>) -> Option<CollectiveDecl> {
        let (name, rest) = node.variant();
        let known = [
            ("AllGather", Collective::AllGather),
            ("ReduceScatter", Collective::ReduceScatter),
            ("AllReduce", Collective::AllReduce),
        ];
        let found = known.into_iter().find(|(known, _)| *known == name);
        let (Some((_, what)), Some(rest)) = (found, rest) else {
            node.error("this is no collective", "write AllGather(…), ReduceScatter(…) or AllReduce(…)");
            return None;
        };
        let fields = rest.fields()?;
        let of = || Of::Buffer(program.to_owned());
        let buffer = self.name(fields.text("buffer"), of());
        let meter = match fields.optional("meter") {
            Some(node) => Some(self.name(node.text(), of())?),
            None => None,
        };
        let part = match fields.optional("part") {
            Some(node) => {
                let [number, of_all] = node.pair()?;
                let number = self.name(number.text(), of());
                let of_all = self.wanted(program, Some(of_all), Wanted::Count(1));
                Some(PartDecl { number: number?, of: of_all? })
            }
            None => None,
        };
        fields.finish();
        Some(CollectiveDecl { what, buffer: buffer?, part, meter, place: node.place() })
    }
    /// What a pass waits for: `All("reducing")`, or `Part("gathering", "layer")`.
    pub(super) fn awaited(&mut self, program: &str, node: Node<'_>) -> Option<AwaitDecl> {
        let place = node.place();
        let (repeat, number) = match node.variant() {
            ("All", Some(rest)) => (rest.only()?, None),
            ("Part", Some(rest)) => rest.pair().map(|[repeat, number]| (repeat, Some(number)))?,
            _ => {
                node.error(
                    "this says not what to wait for",
                    "write All(\"REPETITION\") or Part(\"REPETITION\", \"BUFFER\")",
                );
                return None;
            }
        };
        let repeat = self.name(repeat.text(), Of::Part(program.to_owned()));
        let number = match number {
            Some(number) => Some(self.name(number.text(), Of::Buffer(program.to_owned()))?),
            None => None,
        };
        Some(AwaitDecl { repeat: repeat?, number, place })
    }
}
