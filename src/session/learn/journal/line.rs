//! A line of the journal, as it is in the file: one JSON object.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::session::learn::predict::Guess;

/// Something that the learner did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// When, in seconds since 1970; None for what was done before there was a journal.
    #[serde(default)]
    pub time: Option<i64>,
    /// The lesson, by its id; empty if it was in none.
    #[serde(default)]
    pub lesson: String,
    /// The step, by its id; empty if it was on none.
    #[serde(default)]
    pub step: String,
    /// The action.
    #[serde(flatten)]
    pub did: Did,
}

/// An action of the learner. A newer program's lines may have others; they stay in the file and are passed over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
pub enum Did {
    /// Read a step to its end, or went on reading it.
    Read {
        /// How long, in seconds.
        seconds: u64,
    },
    /// Answered a prediction, and saw the solution.
    Predicted {
        /// The prediction, by its id.
        id: String,
        /// The kind of question; see [`kind`](crate::session::learn::graded::kind).
        kind: String,
        /// The parameters that the learner had moved; those of earlier versions are all of the page's.
        #[serde(default)]
        params: BTreeMap<String, f64>,
        guess: Guess,
        /// The figure that decided.
        #[serde(default)]
        answer: Option<f64>,
        /// Whether the guess was right; None if the answer did not decide.
        #[serde(default)]
        right: Option<bool>,
        /// The guess over the answer.
        #[serde(default)]
        off: Option<f64>,
    },
    /// Read on after a prediction's question without an answer: the solution is in sight from then on.
    Skipped {
        /// The prediction, by its id.
        id: String,
    },
    /// Tried an exercise, and did not solve it.
    Tried {
        /// The exercise, by its id.
        id: String,
        /// The checks that caught the kernel.
        caught: Vec<String>,
    },
    /// Solved an exercise.
    Solved {
        /// The exercise, by its id.
        id: String,
        /// How many hints were open.
        hints: usize,
        /// Whether the lesson's solution was open.
        shown: bool,
    },
    /// Changed a kernel.
    Changed {
        /// The version's name.
        kernel: String,
        /// The hash of the text that it began as.
        from: String,
        /// The hash of its text.
        to: String,
        /// The figures of both traces that differ: before, and after.
        #[serde(default)]
        figures: BTreeMap<String, [Option<f64>; 2]>,
        /// Whether its result is wrong.
        #[serde(default)]
        wrong: bool,
    },
    /// Measured an experiment.
    Measured {
        /// The experiment, by its id.
        id: String,
        device: String,
    },
    /// Measured a kernel whose time had been predicted for this device.
    Timed {
        /// The program, by its id.
        program: String,
        /// The pass, by its id.
        pass: String,
        device: String,
        /// In seconds.
        predicted_s: f64,
        /// The median, in seconds.
        measured_s: f64,
        /// Whether it lay between the ends of nine in ten.
        likely: bool,
    },
    /// Wrote words on the step.
    Wrote {
        /// The words as they were then, as a whole.
        words: String,
    },
    /// Was asked again.
    Reviewed {
        /// The kind of what was asked.
        kind: ItemKind,
        /// Its id in the lesson.
        id: String,
        /// Whether the answer was right.
        right: bool,
        /// The parameters that were other than in the lesson.
        #[serde(default)]
        set: BTreeMap<String, f64>,
    },
    /// Put a concept elsewhere in the ledger, by hand.
    Moved {
        concept: String,
        /// Where it is now; None for where the rule puts it.
        to: Option<Standing>,
        /// The learner's reason.
        why: String,
    },
}

/// Something that can come back for review.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Item {
    /// The lesson, by its id.
    pub lesson: String,
    pub kind: ItemKind,
    /// Its id in the lesson.
    pub id: String,
}

/// The kinds of what can come back for review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    Prediction,
    Exercise,
    /// A question in the learner's own words; its id is the hash of the question.
    Card,
}

/// Where a concept is in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The learner knows it.
    Mastered,
    /// The learner is at it.
    Developing,
    /// The learner was mostly wrong about it.
    BlindSpot,
}

impl Standing {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mastered => "Mastered",
            Self::Developing => "Developing",
            Self::BlindSpot => "Blind spots",
        }
    }
}

/// A text's hash: the first 12 hexadecimal digits of its SHA-256.
#[must_use]
pub fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() -> Result<(), serde_json::Error> {
        let own = |text: &str| text.to_owned();
        let predicted = Did::Predicted {
            id: own("p"),
            kind: own("curves"),
            params: [(own("n"), 1.5)].into(),
            guess: Guess::Curve(vec![(1.0, 2.0)]),
            answer: Some(3.0),
            right: None,
            off: Some(0.5),
        };
        let changed = Did::Changed {
            kernel: own("k"),
            from: hash("a"),
            to: hash("b"),
            figures: [(own("load sectors"), [Some(1.0), None])].into(),
            wrong: true,
        };
        let set = [(own("n"), 2.0)].into();
        let reviewed = Did::Reviewed { kind: ItemKind::Card, id: own("c"), right: true, set };
        let moved = Did::Moved { concept: own("c"), to: Some(Standing::BlindSpot), why: own("\n\"") };
        for (time, did) in [(None, predicted), (Some(-5), changed), (Some(i64::MAX), reviewed), (Some(0), moved)] {
            let line = Line { time, lesson: own("l"), step: own("s"), did };
            let text = serde_json::to_string(&line)?;
            assert!(!text.contains('\n'), "{text}");
            assert_eq!(serde_json::from_str::<Line>(&text)?, line);
        }
        Ok(())
    }
}
