//! Reading how a program is split over processes: ranks, collectives, and the passes that wait for them.

use super::conditions::Wanted;
use super::document::Reader;
use super::fields::Node;
use super::mention::Of;
use super::records;
use super::split::{AwaitDecl, CollectiveDecl, PartDecl, Split};
use crate::ranks::measure::Collective;

/// The maximum number of ranks of a program.
const MOST: u64 = crate::ranks::world::MOST as u64;

impl Reader<'_> {
    /// The ranks of a program: `(number: "ranks", here: "ranks_here", first: "first_rank")`.
    pub(super) fn split(&mut self, program: &str, node: Node<'_>) -> Option<Split> {
        let fields = node.fields(&records::RANKS)?;
        let number = self.wanted(program, fields.get("number"), Wanted::Between(1, MOST));
        let [here, first] = ["here", "first"].map(|name| self.name(fields.text(name), Of::Value));
        fields.finish();
        Some(Split { number: number?, here: here?, first: first?, place: node.place() })
    }

    /// The collective that ranks run in a repetition's place:
    /// `AllGather(buffer: "weights", part: ("layer", "2"), meter: "meter")`.
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
        let fields = rest.fields(&records::COLLECTIVE)?;
        let of = || Of::Buffer(program.to_owned());
        let buffer = self.name(fields.text("buffer"), of());
        let meter = match fields.get("meter") {
            Some(node) => Some(self.name(node.text(), of())?),
            None => None,
        };
        let part = match fields.get("part") {
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

    /// A collective that a pass waits for: `All("reducing")`, or `Part("gathering", "layer")`.
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
