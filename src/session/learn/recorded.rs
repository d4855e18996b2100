//! The answer to a question about times where no GPU takes them: from a recording.

use super::predict::Answer;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{AnswerDecl, Lesson};
use crate::session::experiment::recording::{Recording, RecordingChoice};
use crate::session::jobs::{self, Params, cost};
use crate::session::run::output::TimeOutput;

impl Answer {
    /// The answer with recorded times, if the question is about times and no GPU took any here.
    #[must_use]
    pub fn or_recorded(
        self,
        decl: &AnswerDecl,
        (lesson, params): (&Lesson, &Params),
        (recordings, choice): (&[Recording], &RecordingChoice),
    ) -> Self {
        let Some(measured) = &decl.measured else { return self };
        let answer = Self { timed: true, ..self };
        if answer.measured.is_some() && !answer.software {
            return answer;
        }
        let is_chosen = |of: &&Recording| *choice == RecordingChoice::Only(of.id.clone());
        let (first, rest): (Vec<_>, Vec<_>) = recordings.iter().partition(is_chosen);
        let found = first.into_iter().chain(rest).find_map(|recording| {
            let mut probes = Vec::new();
            for probe in &decl.probes {
                let params = jobs::with(params, &probe.set);
                let time = recording.time_at(lesson, &probe.variant, &params)?;
                let work = cost::whole(&jobs::sketch(lesson, &probe.variant, &params)?);
                probes.push((probe.id.as_str(), time, work));
            }
            let value = |time: &dyn Fn(usize, &TimeOutput) -> f64| {
                let mut results = Results::default();
                for (i, (id, of, work)) in probes.iter().enumerate() {
                    results.insert_time(id, time(i, of), *work);
                }
                Env::new(lesson, params, &results).eval(measured).ok()
            };
            let ends = (0..1_u32 << probes.len().min(6))
                .filter_map(|corner| value(&|i, time| if corner >> i & 1 == 0 { time.p10_s } else { time.p90_s }));
            let range = ends.fold(None, |range: Option<[f64; 2]>, value| {
                let [low, high] = range.unwrap_or([value; 2]);
                Some([low.min(value), high.max(value)])
            });
            Some((value(&|_, time| time.median_s)?, range, recording))
        });
        let Some((value, range, recording)) = found else { return answer };
        Self {
            measured: Some(value),
            range,
            software: false,
            device: Some(recording.name()),
            recorded: Some(recording.date.clone()),
            ..answer
        }
    }
}
