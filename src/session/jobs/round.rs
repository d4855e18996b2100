//! One round of a program: its passes in the order in which they run.

use crate::job::{Job, Node, Repeat};

/// Passes that are listed at most.
const MOST: usize = 20_000;

/// The passes of one round of the repetition with the most launches, by their indices; of a program that repeats nothing, all. Inner
/// repetitions have all their rounds.
#[must_use]
pub fn passes(job: &Job) -> Vec<usize> {
    let mut places = Vec::new();
    unroll(longest(job).map_or(&job.body, |repeat| &repeat.body), &mut places);
    places
}

/// The rounds of that repetition; 1 if nothing is repeated.
#[must_use]
pub fn rounds(job: &Job) -> u64 {
    longest(job).map_or(1, |repeat| repeat.times)
}

fn longest(job: &Job) -> Option<&Repeat> {
    let repeats = job.body.iter().filter_map(|node| match node {
        Node::Repeat(repeat) => Some(repeat),
        Node::Pass(_) => None,
    });
    repeats.max_by_key(|repeat| count(&repeat.body))
}

fn count(body: &[Node]) -> u64 {
    body.iter()
        .map(|node| match node {
            Node::Pass(_) => 1,
            Node::Repeat(repeat) => repeat.times.saturating_mul(count(&repeat.body)),
        })
        .fold(0, u64::saturating_add)
}

fn unroll(body: &[Node], places: &mut Vec<usize>) {
    for node in body {
        match node {
            _ if places.len() >= MOST => return,
            Node::Pass(place) => places.push(*place),
            Node::Repeat(repeat) => (0..repeat.times).for_each(|_| unroll(&repeat.body, places)),
        }
    }
}
