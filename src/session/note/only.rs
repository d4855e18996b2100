//! The part of a lesson's text that a note has, after what is the learner's own.

use crate::base::diag::{Diagnostic, nearest};
use crate::lesson::{Lesson, Step};
use crate::session::learn::saved::LessonSaved;

/// The steps whose text a note has. What is the learner's own is in every note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Only {
    /// Every step's.
    #[default]
    All,
    /// No step's: the note is the learner's own alone.
    Own,
    /// That of the steps that the learner has read.
    Read,
    /// That of these steps, by their ids.
    Steps(Vec<String>),
}

impl Only {
    /// The part that these words name: `own`, `read`, or steps by their ids or their numbers from 1; none for the whole
    /// lesson.
    ///
    /// # Errors
    /// When the lesson has no such step, or when steps are named beside `own` or `read`.
    pub fn of(words: &[String], lesson: &Lesson) -> Result<Self, Diagnostic> {
        match words {
            [] => return Ok(Self::All),
            [word] if word == "own" => return Ok(Self::Own),
            [word] if word == "read" => return Ok(Self::Read),
            _ => {}
        }
        let ids = words.iter().map(|word| {
            let number = word.parse::<usize>().ok().and_then(|number| lesson.steps.get(number.checked_sub(1)?));
            let found = lesson.steps.iter().find(|step| step.id == *word).or(number);
            found.map(|step| step.id.clone()).ok_or_else(|| no_step(word, lesson))
        });
        Ok(Self::Steps(ids.collect::<Result<_, _>>()?))
    }

    /// Whether a note has a step's text.
    #[must_use]
    pub fn has(&self, step: &Step, kept: &LessonSaved) -> bool {
        match self {
            Self::All => true,
            Self::Own => false,
            Self::Read => kept.is_read(step),
            Self::Steps(ids) => ids.contains(&step.id),
        }
    }
}

fn no_step(word: &str, lesson: &Lesson) -> Diagnostic {
    if ["own", "read"].contains(&word) {
        return Diagnostic::error(format!("`{word}` is the whole choice of `--only`"))
            .hint("leave out the steps beside it, or leave out that word");
    }
    let ids = || lesson.steps.iter().map(|step| step.id.as_str());
    let hint = match nearest(word, ids()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("choose `own`, `read` or steps among {}", ids().collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::error(format!("`{}` has no step `{word}`", lesson.id)).hint(hint)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::lesson::PackFiles;

    #[test]
    fn steps_are_named_by_id_or_number() {
        let (pack, _) = crate::session::load(&PackFiles::Embedded);
        let lesson = pack.lessons.first().unwrap();
        let [first, second] = [0, 1].map(|i| lesson.steps[i].id.clone());
        let of = |words: &[&str]| Only::of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), lesson);
        assert_eq!(of(&[]), Ok(Only::All));
        assert_eq!(of(&["own"]), Ok(Only::Own));
        assert_eq!(of(&["2", &first]), Ok(Only::Steps(vec![second, first.clone()])));
        for wrong in [vec!["own", &first], vec!["0"], vec!["999"], vec!["nothing-like-it"]] {
            assert!(of(&wrong).is_err_and(|why| why.hint.is_some()), "{wrong:?}");
        }
        let near = of(&[&format!("{first}x")]).unwrap_err();
        assert_eq!(near.hint, Some(format!("did you mean `{first}`?")));
    }

    #[test]
    fn a_step_is_in_a_note_that_asks_for_it() {
        let (pack, _) = crate::session::load(&PackFiles::Embedded);
        let lesson = pack.lessons.first().unwrap();
        let step = lesson.steps.iter().find(|step| step.exercises().next().is_none()).unwrap();
        let (unread, read) =
            (LessonSaved::default(), LessonSaved { seen: vec![step.id.clone()], ..Default::default() });
        let has = |only: Only| [&unread, &read].map(|kept| only.has(step, kept));
        assert_eq!(has(Only::All), [true; 2]);
        assert_eq!(has(Only::Own), [false; 2]);
        assert_eq!(has(Only::Read), [false, true]);
        assert_eq!(has(Only::Steps(vec![step.id.clone()])), [true; 2]);
    }
}
