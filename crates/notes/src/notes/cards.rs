//! Questions in the learner's words: from a line's `Q:` to `A:`, and the answer from there to the next empty line or
//! question.

/// The beginning of an answer's line.
pub(super) const ANSWER: &str = "A:";

/// The questions in some words, with their answers; one without an answer is none. Both may be in one line.
#[must_use]
pub fn in_words(words: &str) -> Vec<(String, String)> {
    let mut found: Vec<[String; 2]> = Vec::new();
    // The side of the last card that the next line goes on with.
    let mut side = None;
    for line in words.lines().map(str::trim) {
        if let Some(question) = line.strip_prefix("Q:") {
            let (question, answer) = question.split_once(" A:").unwrap_or((question, ""));
            found.push([question, answer].map(|text| text.trim().to_owned()));
            side = Some(usize::from(!answer.is_empty()));
        } else if let (Some(answer), Some(card)) = (line.strip_prefix(ANSWER), found.last_mut()) {
            answer.trim().clone_into(&mut card[1]);
            side = Some(1);
        } else if line.is_empty() {
            side = None;
        } else if let (Some(side), Some(card)) = (side, found.last_mut()) {
            card[side].push('\n');
            card[side].push_str(line);
        }
    }
    found.retain(|card| card.iter().all(|side| !side.is_empty()));
    found.into_iter().map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_its_answer() {
        let words = "Q: How wide is a sector,\nin bytes?\nA: 32 bytes,\nfour to a line.\n\nNot of it.\nQ: open\nQ:  Why?  \nA: Because.\nA:\n";
        let found = in_words(words);
        assert_eq!(found, [("How wide is a sector,\nin bytes?".to_owned(), "32 bytes,\nfour to a line.".to_owned())]);
        assert_eq!(in_words("Q: Why?\n\nA: Because."), [("Why?".to_owned(), "Because.".to_owned())]);
        assert_eq!(in_words("Q: Why? A: Because\nof it."), [("Why?".to_owned(), "Because\nof it.".to_owned())]);
        assert!(in_words("A: no question").is_empty());
    }
}
