//! The content of a note, before it is written in any format.

use super::page::Playing;
use crate::lesson::{Block, Inline};

/// The name that the index of notes has where a note has its lesson's.
pub const INDEX: &str = "warpbook-lessons";

/// A note on one lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub title: String,
    /// The lesson's id; the note's file names begin with it.
    pub lesson: String,
    /// When it was made, as an ISO 8601 date or time.
    pub created: String,
    /// Settings that the figures depend on, in reading order: device, driver, backend, commit, seed, parameters.
    pub meta: Vec<(String, String)>,
    /// Its parts: the learner's own first, then the book's, then the small print.
    pub sections: Vec<Section>,
    /// The pictures that play in an HTML note. None if all of them are still.
    pub playing: Option<Playing>,
}

/// One part of a note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Its name within the note, which links lead to: a step's id, or `my-…` for what is the learner's own.
    pub id: String,
    /// Its heading; empty for none.
    pub title: String,
    pub blocks: Vec<NoteBlock>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NoteBlock {
    /// The lesson's prose, with its live values already put in as text.
    Prose(Vec<Block>),
    /// A picture.
    Figure {
        /// Its name within the note.
        id: String,
        /// Its caption, below it.
        caption: String,
        /// One `<svg>` element, self-contained.
        svg: String,
        /// Its description, for those who cannot see it.
        alt: String,
    },
    /// A table of figures, which is also written as CSV.
    Data {
        /// Its name within the note.
        id: String,
        /// Its caption, above it.
        caption: String,
        /// The columns' names, units included.
        header: Vec<String>,
        /// The rows, each as long as the header.
        rows: Vec<Vec<String>>,
    },
    /// The command line that gives the figures above again.
    Command(String),
    /// The learner's own text.
    OwnWords {
        /// The title of the step that it is about; empty if it goes on after a pinned picture.
        about: String,
        /// Markdown.
        words: String,
    },
    /// A question to answer before measuring.
    Prediction {
        question: Vec<Inline>,
        /// The answers to choose from; empty if a number or a curve is asked for.
        options: Vec<String>,
        /// The learner's answer; None if the question was passed over. The explanation is folded away then.
        answer: Option<String>,
        /// The measured result, with its unit; None if nothing was measured.
        measured: Option<String>,
        /// The result without a measurement, with its unit, after how it was found: from the trace alone, or by
        /// arithmetic.
        traced: Option<[String; 2]>,
        /// Whether a curve is asked for.
        is_drawn: bool,
        /// Whether the learner's answer is right, and by how much it is not; None if it was not graded.
        verdict: Option<String>,
        /// The explanation.
        because: Vec<Inline>,
    },
    /// A program's text.
    Source {
        /// Its name: the file's, as the lesson names it.
        file: String,
        /// The language, as the info string of fenced code has it.
        language: String,
        text: String,
        /// Whether a reader first sees its name only.
        folded: bool,
    },
}

/// `text` as a file name that every system takes: letters, digits, `-` and `_`; never empty.
#[must_use]
pub fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(80) {
        if c.is_ascii_alphanumeric() || c == '_' {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "note".to_owned() } else { out.to_owned() }
}

/// `text` as a file name unlike all in `taken`, which it joins.
pub(super) fn unique(text: &str, taken: &mut Vec<String>) -> String {
    let name = slug(text);
    let fresh = std::iter::once(name.clone())
        .chain((2_u32..).map(|i| format!("{name}-{i}")))
        .find(|candidate| !taken.contains(candidate))
        .unwrap_or(name);
    taken.push(fresh.clone());
    fresh
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A note with every kind of block, and with text that would break a careless writer.
    pub fn sample() -> Report {
        let text = |text: &str| Inline::Text(text.to_owned());
        Report {
            title: "Coalescing: \"strides\" & <sectors>".into(),
            lesson: "coalescing".into(),
            created: "2026-11-20".into(),
            meta: vec![
                ("device".into(), "NVIDIA H100: 80GB # HBM3".into()),
                ("driver".into(), "580.1\nsecond: line".into()),
                ("seed".into(), "1".into()),
            ],
            playing: None,
            sections: vec![
                Section {
                    id: "request".into(),
                    title: "What one *request* moves".into(),
                    blocks: vec![
                        NoteBlock::Prose(vec![
                            Block::Paragraph(vec![
                                text("A warp's load of 4-byte words at stride s touches "),
                                Inline::Math(r"\min(4s, 32)".into()),
                                text(" sectors_of_32 <b>bytes</b>; see "),
                                Inline::Link("https://example.org/a(b)?c=d&e".into(), vec![text("a [page]")]),
                                text(" and `x`, "),
                                Inline::Code("a ` b".into()),
                                text(", "),
                                Inline::Strong(vec![Inline::Emph(vec![text("both")])]),
                                text("."),
                            ]),
                            Block::Math(r"\text{efficiency} = \frac{\text{asked}}{32 \cdot \text{sectors}}".into()),
                            Block::Heading(3, vec![text("Lists")]),
                            Block::List(
                                Some(3),
                                vec![
                                    vec![Block::Paragraph(vec![text("one")])],
                                    vec![
                                        Block::Paragraph(vec![text("two")]),
                                        Block::List(None, vec![vec![Block::Paragraph(vec![text("inner")])]]),
                                    ],
                                ],
                            ),
                            Block::Quote(vec![Block::Paragraph(vec![text("# not a heading")])]),
                            Block::Unfold("Why <so>".into(), vec![Block::Paragraph(vec![text("because")])]),
                            Block::Code("wgsl".into(), "let a = b[i]; // ``` \n".into()),
                            Block::Table(
                                vec![vec![text("s")], vec![text("a|b")]],
                                vec![vec![vec![text("1")], vec![text("<i>")]]],
                            ),
                        ]),
                        NoteBlock::Figure {
                            id: "stride".into(),
                            caption: "Bytes a second over stride".into(),
                            svg: "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 2\"><title>t</title></svg>"
                                .into(),
                            alt: "A falling ] curve".into(),
                        },
                        NoteBlock::Data {
                            id: "stride".into(),
                            caption: "The same".into(),
                            header: vec!["stride".into(), "B/s".into()],
                            rows: vec![vec!["1".into(), "3.00e12".into()], vec!["2, or \"two\"".into(), "1|5".into()]],
                        },
                        NoteBlock::Command("warpbook sweep LESSON --over stride=1,2".into()),
                    ],
                },
                Section {
                    id: String::new(),
                    title: String::new(),
                    blocks: vec![
                        NoteBlock::Prediction {
                            question: vec![text("Offset 1: 80% or 90%?")],
                            options: vec!["80 %".into(), "90 %".into()],
                            answer: Some("90 %".into()),
                            measured: Some("94.8 %, n=40".into()),
                            traced: Some(["From the trace alone".into(), "80 %".into()]),
                            is_drawn: false,
                            verdict: Some("Right.".into()),
                            because: vec![text("The fifth sector is in L2.")],
                        },
                        NoteBlock::OwnWords {
                            about: "What one *request* moves".into(),
                            words: "I **learned** $x^2$.\n\n<script>alert(1)</script>\n\n[go](javascript:alert(2))"
                                .into(),
                        },
                        NoteBlock::Source {
                            file: "shaders/a.wgsl".into(),
                            language: "wgsl".into(),
                            text: "fn main() { a < b; }\n".into(),
                            folded: true,
                        },
                    ],
                },
            ],
        }
    }

    #[test]
    fn names_are_safe_and_unlike() {
        assert_eq!(slug("../../etc/Passwd x"), "etc-passwd-x");
        assert_eq!(slug("///"), "note");
        assert_eq!(slug("2026-11-20T10:00:00Z"), "2026-11-20t10-00-00z");
        let mut taken = Vec::new();
        let names = ["a", "A", "a"].map(|name| unique(name, &mut taken));
        assert_eq!(names, ["a", "a-2", "a-3"]);
    }
}
