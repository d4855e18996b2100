//! A report as cards that Anki imports as text: one for each question of the lesson, and for each `Q:` with its `A:` in
//! the learner's words. The question is the first field, by which Anki knows a card again and keeps its schedule.

use std::collections::HashSet;

use super::cards::in_words;
use super::html::{inline, is_svg};
use super::own_words;
use super::place::digest;
use super::report::{NoteBlock, Report, slug};
use crate::base::sanitize::harmless;
use crate::base::xml::escape;

/// How Anki reads the lines after these.
const HEADER: &str = "#separator:tab\n#html:true\n#notetype:Basic\n#deck column:3\n#tags column:4\n";
/// How the comment begins that says whose cards they are.
const MARK: &str = "#warpbook ";

/// A card: its front and its back, in HTML.
type Card = (String, String);

/// Writes the cards.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut seen: HashSet<String> = HashSet::new();
    let mut rows = String::new();
    // A deck's name has `::` between its levels.
    let deck = format!("Warpbook::{}", report.title.replace("::", ":"));
    for section in &report.sections {
        let tags = format!("warpbook warpbook::{} {}", slug(&report.lesson), slug(&section.id));
        for (front, back) in cards(&section.blocks) {
            if !seen.contains(&front) {
                let fields = [&front, &back, &escape(&deck), &tags].map(|text| field(text));
                rows.push_str(&format!("{}\n", fields.join("\t")));
                seen.insert(front);
            }
        }
    }
    format!("{HEADER}{MARK}{} {}\n{rows}", slug(&report.lesson), digest(&rows))
}

/// Whether a file has cards of a lesson.
pub(super) fn is_of(text: &str, lesson: &str) -> bool {
    mark(text).is_some_and(|(of, _)| of == lesson)
}

/// Whether a file has no card.
pub(super) fn is_empty(text: &str) -> bool {
    text.lines().all(|line| line.starts_with('#'))
}

/// Whether the cards are as they were written.
pub(super) fn is_as_written(text: &str) -> bool {
    let rows = text.split_inclusive('\n').filter(|line| !line.starts_with('#'));
    mark(text).is_some_and(|(_, written)| digest(&rows.collect::<String>()) == written)
}

fn mark(text: &str) -> Option<(&str, &str)> {
    text.lines().find_map(|line| line.strip_prefix(MARK)?.trim_end().split_once(' '))
}

/// The cards of some blocks. A picture after a question is on the back of its card.
fn cards(of: &[NoteBlock]) -> Vec<Card> {
    let mut cards: Vec<Card> = Vec::new();
    let mut open = false;
    for block in of {
        match block {
            // A card cannot be drawn on.
            NoteBlock::Prediction { is_drawn: true, .. } => open = false,
            NoteBlock::Prediction { question, options, answer, measured, traced, verdict, because, .. } => {
                let options: String = options.iter().map(|option| format!("<li>{}</li>", escape(option))).collect();
                let options = if options.is_empty() { options } else { format!("<ul>{options}</ul>") };
                let answer = answer.iter().map(|value| ("I said", value));
                let measured = measured.iter().map(|value| ("Measured", value));
                let traced = traced.iter().map(|[how, value]| (how.as_str(), value));
                let said = answer.chain(measured).chain(traced);
                let said = said.map(|(name, value)| format!("{name}: {}", escape(value)));
                let said: Vec<String> = said.chain(verdict.iter().map(|verdict| escape(verdict))).collect();
                let because = format!("<p>{}</p>", inline(because, set));
                let back = if said.is_empty() { because } else { format!("{because}<p>{}</p>", said.join("<br>")) };
                cards.push((format!("{}{options}", inline(question, set)), back));
                open = true;
            }
            NoteBlock::Figure { svg, caption, .. } if open && is_svg(svg) => {
                if let Some((_, back)) = cards.last_mut() {
                    back.push_str(&format!("{svg}<p>{}</p>", escape(caption)));
                }
                open = false;
            }
            NoteBlock::OwnWords { words, .. } => {
                cards.extend(asked(words));
                open = false;
            }
            NoteBlock::Prose(_)
            | NoteBlock::Figure { .. }
            | NoteBlock::Data { .. }
            | NoteBlock::Command(_)
            | NoteBlock::Source { .. } => {}
        }
    }
    cards
}

/// The cards in the learner's words.
fn asked(words: &str) -> Vec<Card> {
    let html = |side: &str| own_words::html(&no_list(side), set);
    in_words(words).iter().map(|(question, answer)| (html(question), html(answer))).collect()
}

/// A text that begins with a number and a dot, as Markdown that is no list: the answer "32." is a number.
fn no_list(text: &str) -> String {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    match rest.strip_prefix('.') {
        Some(after) if digits > 0 => format!("{number}\\.{after}"),
        _ => text.to_owned(),
    }
}

/// A formula between Anki's delimiters.
fn set(latex: &str, display: bool) -> String {
    let latex = escape(&latex.split_whitespace().collect::<Vec<_>>().join(" "));
    if display { format!("\\[{latex}\\]") } else { format!("\\({latex}\\)") }
}

/// A field, in quotes and on one line.
fn field(text: &str) -> String {
    let line = harmless(text).split(['\n', '\r', '\t']).map(str::trim_end).collect::<Vec<_>>().join(" ");
    format!("\"{}\"", line.trim().replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::report::tests::sample;

    #[test]
    fn questions_and_own_cards_are_rows_of_four_fields() {
        let mut report = sample();
        let words = "Q: What is $4s$?\nand \"why\"\nA: Sectors:\n$$a\n<b$$\n\nnot a part\n\nQ: no answer".to_owned();
        report.sections[1].blocks.push(NoteBlock::OwnWords { about: String::new(), words });
        let text = render(&report);
        let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(rows.len(), 2, "{text}");
        assert!(rows.iter().all(|row| row.split('\t').count() == 4), "{text}");
        assert!(rows[0].starts_with("\"Offset 1: 80% or 90%?<ul><li>80 %</li>"), "{}", rows[0]);
        assert!(
            rows[0].contains("I said: 90 %<br>Measured: 94.8 %, n=40") && rows[0].contains("Right."),
            "{}",
            rows[0]
        );
        assert!(rows[1].contains("\\(4s\\)") && rows[1].contains("\\[a &lt;b\\]"), "{}", rows[1]);
        assert!(!rows[1].contains("not a part"), "{}", rows[1]);
        assert!(is_of(&text, "coalescing") && !is_of(&text, "other") && is_as_written(&text));
        assert!(!is_as_written(&text.replace("Right.", "Wrong.")));
    }

    #[test]
    fn a_number_is_an_answer_and_no_list() {
        let cards = asked("Q: How many lanes? A: 32.\n\nQ: Which?\nA: 1. one\n2. two");
        assert_eq!(cards[0], ("<p>How many lanes?</p>\n".to_owned(), "<p>32.</p>\n".to_owned()));
        assert!(cards.len() == 2 && !cards[1].1.contains("<ol"), "{cards:?}");
    }

    #[test]
    fn a_question_is_one_card_with_its_picture() {
        let mut report = sample();
        let (asked, figure) = (report.sections[1].blocks[0].clone(), report.sections[0].blocks[1].clone());
        report.sections[1].blocks = vec![asked.clone(), figure.clone(), figure, asked];
        let text = render(&report);
        assert_eq!((text.matches("<svg").count(), text.matches("Offset 1").count()), (1, 1), "{text}");
    }
}
