//! Tasks and insights in the learner's words, with their places.

use serde::Serialize;

use super::story::Story;

/// The kind of a gathered line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// `- [ ] …`
    Task,
    /// `- [x] …`
    Done,
    /// `Insight: …`
    Insight,
}

/// A task or an insight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gathered {
    pub lesson: String,
    /// The step, in whose words it is.
    pub step: String,
    pub kind: Kind,
    pub text: String,
}

/// All tasks and insights, by lesson and step, in the order of the words.
#[must_use]
pub fn gathered(story: &Story) -> Vec<Gathered> {
    let of_step = |((lesson, step), words): (&(String, String), &String)| {
        let found = words.lines().filter_map(read).map(|(kind, text)| Gathered {
            lesson: lesson.clone(),
            step: step.clone(),
            kind,
            text: text.to_owned(),
        });
        found.collect::<Vec<_>>()
    };
    story.words.iter().flat_map(of_step).collect()
}

/// The task or insight in a line; None if it is another line.
fn read(line: &str) -> Option<(Kind, &str)> {
    let line = line.trim();
    let item = line.strip_prefix("- ").or(line.strip_prefix("* ")).unwrap_or(line);
    let is_listed = item.len() < line.len();
    let found = match item.get(..3) {
        Some("[ ]") if is_listed => (Kind::Task, &item[3..]),
        Some("[x]" | "[X]") if is_listed => (Kind::Done, &item[3..]),
        _ => {
            let word = item.get(..8).filter(|word| word.eq_ignore_ascii_case("insight:"))?;
            (Kind::Insight, &item[word.len()..])
        }
    };
    Some((found.0, found.1.trim())).filter(|(_, text)| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_and_insights_are_found_in_any_words() {
        let mut story = Story::default();
        let words = "It is **bound** by bytes.\n- [ ] try 128 lanes\n  * [x] read the guide\nInsight: a sector is whole\n- [ ]\n[ ] no list\nQ: a\nInsight:\n- insight: also in a list";
        story.words.insert(("coalescing".to_owned(), "stride".to_owned()), words.to_owned());
        let found = gathered(&story);
        let found: Vec<(Kind, &str)> = found.iter().map(|of| (of.kind, of.text.as_str())).collect();
        let expected = [
            (Kind::Task, "try 128 lanes"),
            (Kind::Done, "read the guide"),
            (Kind::Insight, "a sector is whole"),
            (Kind::Insight, "also in a list"),
        ];
        assert_eq!(found, expected);
    }
}
