//! Looks figures up, checks whether what a lesson says of one can be drawn, and evaluates it within the figure's bounds.

use std::collections::BTreeMap;

use super::FIGURES;
use super::figure::{Arg, ArgKind, Clock, Figure};
use super::meanings::{self, MEANINGS};
use super::titled::COMMON;
use crate::base::diag::{Diagnostic, Place, did_you_mean};
use crate::lesson::{ArgValue, Buffer, Env, Expr, Facts, Lesson, Picture, PictureArg, Program, Settings, Step};

/// The figure of a name; None if there is none.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Figure> {
    FIGURES.iter().copied().find(|figure| figure.card().name == name)
}

/// The figures that a pass has something for, in the order of the tabs. One that takes arguments is there if `own`, the step's, is it.
pub fn fitting(facts: Facts, own: Option<&Picture>) -> impl Iterator<Item = &'static dyn Figure> {
    FIGURES.iter().copied().filter(move |figure| {
        let card = figure.card();
        let is_own = own.is_some_and(|own| own.name == card.name);
        (card.fits)(facts) && (is_own || card.args.iter().all(|arg| !arg.required))
    })
}

/// Mistakes in a step's figure; `facts` describes its pass, if that is known.
#[must_use]
pub fn judge(lesson: &Lesson, step: &Step, facts: Option<Facts>) -> Vec<Diagnostic> {
    let picture = &step.figure;
    let place = picture.place.as_ref().unwrap_or(&step.place);
    let error = |message: String, hint: String| Diagnostic::error(message).in_place(place).hint(hint);
    let Some(figure) = find(&picture.name) else {
        let names = FIGURES.iter().map(|figure| figure.card().name);
        return vec![error(format!("there is no figure `{}`", picture.name), did_you_mean(&picture.name, names))];
    };
    let card = figure.card();
    let mut problems = Vec::new();
    if facts.is_some_and(|facts| !(card.fits)(facts)) {
        let message = format!("the step `{}` has nothing to show as {}", step.id, card.name);
        problems.push(error(message, card.needs.to_owned()));
    }
    let program = lesson.program(&step.variant.program);
    let args: Vec<Arg> = card.args.iter().chain(&COMMON).copied().collect();
    let of = Of { lesson, program, settings: defaults(lesson).chain(step.set.iter().cloned()).collect() };
    problems.extend(arguments(&of, ("figure", card.name), &args, picture, place));
    problems
}

/// The values of a figure's arguments that are expressions; and why one of them cannot be drawn, which has none then.
#[must_use]
pub fn numbers(picture: &Picture, env: &Env<'_>) -> (BTreeMap<String, f64>, Option<String>) {
    let args = find(&picture.name).map_or(&[][..], |figure| figure.card().args);
    let (mut numbers, mut beyond) = (BTreeMap::new(), None);
    for arg in args.iter().filter(|arg| arg.kind.is_number()) {
        let expr = picture.expressions(&[arg.name]).next().map(|(_, expr)| expr);
        let Some(value) = expr.and_then(|expr| env.eval(&expr).ok()) else { continue };
        match arg.kind.excess(value) {
            Some(why) => beyond = Some(format!("{}: {why}.", arg.name)),
            None => drop(numbers.insert(arg.name.to_owned(), value)),
        }
    }
    (numbers, beyond)
}

/// The lesson and the settings that arguments are judged with.
struct Of<'a> {
    lesson: &'a Lesson,
    program: Option<&'a Program>,
    settings: Settings,
}

fn defaults(lesson: &Lesson) -> impl Iterator<Item = (String, f64)> {
    lesson.params.iter().map(|param| (param.id.clone(), param.default))
}

/// Mistakes in the meanings of a program's buffers.
#[must_use]
pub fn judge_meanings(lesson: &Lesson, program: &Program) -> Vec<Diagnostic> {
    let of_buffer = |buffer: &Buffer| {
        let Some(means) = &buffer.means else { return Vec::new() };
        let place = means.place.as_ref().unwrap_or(&buffer.place);
        let Some(meaning) = meanings::find(&means.name) else {
            let names = MEANINGS.iter().map(|meaning| meaning.card().name);
            let problem = Diagnostic::error(format!("there is no meaning `{}`", means.name)).in_place(place);
            return vec![problem.hint(did_you_mean(&means.name, names))];
        };
        let card = meaning.card();
        let of = Of { lesson, program: Some(program), settings: defaults(lesson).collect() };
        arguments(&of, ("meaning", card.name), card.args, means, place)
    };
    program.buffers.iter().flat_map(of_buffer).collect()
}

/// Mistakes in the arguments of a figure or a meaning: some are missing, unknown, or of another kind.
fn arguments(
    of: &Of<'_>,
    (kind, name): (&str, &str),
    args: &[Arg],
    picture: &Picture,
    place: &Place,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for missing in args.iter().filter(|arg| arg.required && picture.arg(arg.name).is_none()) {
        let problem = Diagnostic::error(format!("the {kind} {name} is missing `{}`", missing.name)).in_place(place);
        problems.push(problem.hint(format!("add `{}`: {}", missing.name, missing.help)));
    }
    for given in &picture.args {
        let wrong = |message: String, hint: String| Diagnostic::error(message).in_place(&given.place).hint(hint);
        match args.iter().find(|arg| arg.name == given.name) {
            None => {
                let hint = did_you_mean(&given.name, args.iter().map(|arg| arg.name));
                problems.push(wrong(format!("the {kind} {name} takes no `{}`", given.name), hint));
            }
            Some(arg) => problems.extend(argument(of, arg.kind, given).map(|(m, h)| wrong(m, h))),
        }
    }
    problems
}

/// The mistake in an argument, and the remedy.
fn argument(of: &Of<'_>, kind: ArgKind, given: &PictureArg) -> Option<(String, String)> {
    let Of { lesson, program, settings } = of;
    let name = &given.name;
    match (kind, &given.value) {
        (ArgKind::Share, ArgValue::Number(share)) if (0.0..1.0).contains(share) => None,
        (ArgKind::Share, _) => {
            Some((format!("`{name}` is no share"), "write a number from 0 to less than 1, such as 0.5".to_owned()))
        }
        (ArgKind::Text, ArgValue::Text(_)) | (ArgKind::Texts, ArgValue::Texts(_) | ArgValue::Live(_)) => None,
        (ArgKind::Text, ArgValue::Live(live)) if live.len() == 1 => None,
        (ArgKind::Amounts, ArgValue::Live(live)) if live.iter().all(|live| live.amount().is_some()) => None,
        (ArgKind::Amounts, _) => Some((
            format!("`{name}` is no list of amounts"),
            "write each as in a text: [\"{{= 4 * n : B}}\"]".to_owned(),
        )),
        (ArgKind::Text, _) => Some((format!("`{name}` is no text"), "write it in double quotes".to_owned())),
        (ArgKind::Texts, _) => Some((format!("`{name}` is no list of texts"), "write [\"one\", \"two\"]".to_owned())),
        (ArgKind::Buffer, ArgValue::Text(buffer)) => {
            let buffers: Vec<&str> = (*program)?.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
            (!buffers.contains(&buffer.as_str()))
                .then(|| (format!("there is no buffer `{buffer}`"), did_you_mean(buffer, buffers.iter().copied())))
        }
        (ArgKind::Buffer, _) => Some((format!("`{name}` is no buffer"), "write its name in double quotes".to_owned())),
        (ArgKind::Experiment, ArgValue::Text(id)) => {
            let experiments = || lesson.experiments.iter().map(|experiment| experiment.id.as_str());
            (!experiments().any(|known| known == id))
                .then(|| (format!("there is no experiment `{id}`"), did_you_mean(id, experiments())))
        }
        (ArgKind::Experiment, _) => {
            Some((format!("`{name}` is no experiment"), "write its id in double quotes".to_owned()))
        }
        (ArgKind::Program, ArgValue::Text(id)) => {
            let programs = || lesson.programs.iter().map(|program| program.id.as_str());
            (!programs().any(|known| known == id))
                .then(|| (format!("there is no program `{id}`"), did_you_mean(id, programs())))
        }
        (ArgKind::Program, _) => Some((format!("`{name}` is no program"), "write its id in double quotes".to_owned())),
        (ArgKind::UpTo(most), ArgValue::Number(n)) if n.fract() == 0.0 && (0.0..=f64::from(most)).contains(n) => None,
        (ArgKind::UpTo(most), _) => {
            Some((format!("`{name}` is no whole number up to {most}"), format!("write a number from 0 to {most}")))
        }
        (ArgKind::Number | ArgKind::Count(_), ArgValue::Number(value)) => beyond(kind, name, *value),
        (ArgKind::Number | ArgKind::Count(_), ArgValue::Text(text)) => {
            let env = Env::fixed(&lesson.params, &lesson.values, settings);
            let value = Expr::parse(text)
                .map_err(|e| e.to_string())
                .and_then(|expr| env.eval(&expr).map_err(|e| e.to_string()));
            match value {
                Ok(value) => beyond(kind, name, value),
                Err(why) => {
                    let hint = "write an expression of the lesson's parameters and values";
                    Some((format!("`{name}` cannot be computed: {why}"), hint.to_owned()))
                }
            }
        }
        (ArgKind::Number | ArgKind::Count(_), _) => {
            Some((format!("`{name}` is no number"), "write a number, or an expression in double quotes".to_owned()))
        }
    }
}

/// The mistake in an argument's value, and the remedy.
fn beyond(kind: ArgKind, name: &str, value: f64) -> Option<(String, String)> {
    let why = kind.excess(value)?;
    Some((format!("`{name}`: {why}"), "the figure draws no more; bound it with min and max".to_owned()))
}

/// Whether it plays: something moves it.
#[must_use]
pub fn plays(figure: &dyn Figure) -> bool {
    !matches!(figure.card().clock, Clock::Still | Clock::Hand)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::picture_of;
    use super::*;
    use crate::Results;

    #[test]
    fn what_a_figure_counts_by_is_bounded() {
        let settings = Settings::default();
        let env = || Env::fixed(&[], &[], &settings);
        // Whatever the figure, and whatever counts in it.
        let mut counts = 0;
        for figure in FIGURES {
            let card = figure.card();
            for arg in card.args {
                let ArgKind::Count(most) = arg.kind else { continue };
                counts += 1;
                for (value, is_drawn) in [
                    ("1e15".to_owned(), false),
                    ("0 - 1".to_owned(), false),
                    (format!("{most} + 1"), false),
                    (most.to_string(), true),
                    ("0".to_owned(), true),
                ] {
                    let picture = picture_of(card.name, &[(arg.name, ArgValue::Text(value.clone()))]);
                    let (numbers, beyond) = numbers(&picture, &env());
                    assert_eq!((numbers.contains_key(arg.name), beyond.is_none()), (is_drawn, is_drawn), "{value}");
                }
                let picture = picture_of(card.name, &[(arg.name, ArgValue::Number(1e15))]);
                let (_, beyond) = numbers(&picture, &env());
                assert!(beyond.is_some_and(|why| why.starts_with(arg.name) && why.contains("is no count from 0 to")));
            }
        }
        assert!(counts > 15, "{counts}");
        // A limit or an axis counts nothing.
        let picture = picture_of("Contents", &[("limit", ArgValue::Text("1e15".to_owned()))]);
        assert_eq!(numbers(&picture, &env()).0["limit"], 1e15);
    }

    #[test]
    fn a_figure_says_what_it_cannot_count_to() {
        let numbers = crate::Numbers { beyond: Some("ranks: too many.".to_owned()), ..crate::Numbers::default() };
        let results = Results::of(numbers);
        for figure in FIGURES {
            let card = figure.card();
            // A warp's place is a number of the timeline, of which nothing is made.
            if card.name == "Warp" || !card.args.iter().any(|arg| matches!(arg.kind, ArgKind::Count(_))) {
                continue;
            }
            let picture = picture_of(card.name, &[]);
            let view = super::super::View::still(&results, &picture, [420.0, 300.0]);
            let drawn = figure.draw(&view, &mut super::super::Kept::default());
            assert_eq!(drawn, Err("ranks: too many.".into()), "{}", card.name);
        }
    }
}
