//! The text of a question: its values are those of the settings that the question is about, whatever the learner has
//! set on the page.

use crate::base::units::figure;
use crate::lesson::scope::Env;
use crate::lesson::{AnswerDecl, Inline, Lesson, Prediction, within};
use crate::session::jobs::{self, Params};

/// The settings that a question is about: the lesson's, with those in place that all runs which answer it share.
#[must_use]
pub fn settings(lesson: &Lesson, asked: &Prediction) -> Params {
    let mut params = jobs::defaults(lesson);
    let probes = asked.answer().map_or(&[][..], |decl| &decl.probes);
    let all = || probes.iter().flat_map(|probe| &probe.set);
    let shared = all().filter(|(id, value)| all().all(|(other, at)| other != id || at == value));
    params.extend(shared.cloned());
    params
}

/// The question, with its values in words.
#[must_use]
pub fn text(lesson: &Lesson, asked: &Prediction) -> Vec<Inline> {
    let params = settings(lesson, asked);
    filled(&asked.question, &Env::fixed(&lesson.params, &lesson.values, &params))
}

/// Whether the question says a parameter's value: other settings are then in its words.
#[must_use]
pub fn says(asked: &Prediction, param: &str) -> bool {
    let mut found = false;
    within(&asked.question, &mut |inline| {
        if let Inline::Value(expr, _) = inline {
            found |= expr.names().iter().any(|(name, _)| *name == param);
        }
    });
    found
}

/// Whether the question says the value of some setting of the runs that answer it.
#[must_use]
pub fn says_any(asked: &Prediction, decl: &AnswerDecl) -> bool {
    decl.probes.iter().flat_map(|probe| &probe.set).any(|(id, _)| says(asked, id))
}

fn filled(inlines: &[Inline], env: &Env<'_>) -> Vec<Inline> {
    let one = |inline: &Inline| match inline {
        Inline::Value(expr, unit) => match env.eval(expr) {
            Ok(value) => Inline::Text(figure(value, unit)),
            Err(_) => inline.clone(),
        },
        Inline::Emph(inner) => Inline::Emph(filled(inner, env)),
        Inline::Strong(inner) => Inline::Strong(filled(inner, env)),
        Inline::Link(url, inner) => Inline::Link(url.clone(), filled(inner, env)),
        Inline::Text(_)
        | Inline::Code(_)
        | Inline::Math(_)
        | Inline::Break
        | Inline::Preset(..)
        | Inline::Quote(_)
        | Inline::Control(_) => inline.clone(),
    };
    inlines.iter().map(one).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::lesson::{AnswerKind, PackFiles};

    fn words(inlines: &[Inline]) -> String {
        let word = |inline: &Inline| match inline {
            Inline::Text(text) => text.clone(),
            other => format!("{other:?}"),
        };
        inlines.iter().map(word).collect()
    }

    #[test]
    fn a_question_says_the_settings_that_it_is_about() {
        let (pack, _) = crate::session::load(&PackFiles::Embedded);
        let all = pack.lessons.iter().flat_map(|lesson| lesson.predictions.iter().map(move |asked| (lesson, asked)));
        let (lesson, asked) = all.clone().find(|(_, asked)| asked.id == "lanes_32").unwrap();
        assert!(words(&text(lesson, asked)).contains("65,536 load requests"));
        assert!(says(asked, "n") && !says(asked, "lanes"));
        let mut other = asked.clone();
        if let AnswerKind::Choice(_, decl) | AnswerKind::Number(_, decl) = &mut other.asks {
            decl.probes
                .iter_mut()
                .flat_map(|probe| &mut probe.set)
                .filter(|(id, _)| id == "n")
                .for_each(|at| at.1 *= 2.0);
        }
        let doubled = words(&text(lesson, &other));
        assert!(doubled.contains("131,072 load requests") && !doubled.contains("65,536"), "{doubled}");
        // A value that a question cannot know would be read as its formula.
        for (lesson, asked) in all {
            let open = text(lesson, asked).iter().any(|inline| matches!(inline, Inline::Value(..)));
            assert!(!open, "{}/{}: {}", lesson.id, asked.id, words(&text(lesson, asked)));
        }
    }
}
