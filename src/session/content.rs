//! What a buffer holds at some moment of a program's run, as the stage, a note and the start page show it.

use super::jobs::Params;
use super::run::Done;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::job::{self, BindingKind, BufferSpec, Job, Look, Moment};
use crate::lesson::scope::Env;
use crate::lesson::{Legend, Lesson, Meaning, Program, Step, When};
use crate::scene::contents::{Contents, Shape};

/// Elements of a buffer that are looked at, at most.
const LOOKED_AT: u64 = 1 << 16;

/// A matrix of more columns is shown as shades.
const NUMBERS: u64 = 16;

/// A buffer at some moment of a program's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// The buffer.
    pub buffer: String,
    /// When.
    pub at: Moment,
}

impl Glance {
    /// The buffer that is asked for after a launch of a pass; without such a buffer the first that the pass writes, else the first that it reads.
    #[must_use]
    pub fn after(job: &Job, (pass, launch): (usize, u64), asked: Option<&str>) -> Option<Self> {
        let touched: Vec<(usize, BindingKind)> = job.passes.get(pass)?.touched().collect();
        let chosen = asked.and_then(|name| job.buffers.iter().position(|b| b.name == name));
        let written = touched.iter().find(|(_, kind)| *kind == BindingKind::ReadWrite).or(touched.first());
        let buffer = chosen.or(written.map(|(buffer, _)| *buffer))?;
        Some(Self { buffer: job.buffers[buffer].name.clone(), at: Moment::After(pass, launch) })
    }

    /// When, in words; `launches` is how often the pass runs.
    #[must_use]
    pub fn when(&self, program: Option<&Program>, launches: u64) -> String {
        let Moment::After(place, launch) = self.at else { return "at the end".to_owned() };
        let pass = program.and_then(|program| program.passes().get(place).copied());
        let title = pass.map_or("?", |pass| pass.title.as_str());
        if launches > 1 {
            format!("after {title}, launch {} of {launches}", launch + 1)
        } else {
            format!("after {title}")
        }
    }
}

/// A part of what a buffer holds, from its start.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// The elements.
    pub tensor: Tensor,
    /// How many elements there are.
    pub count: u64,
    /// The columns of the matrix that it is.
    pub columns: Option<u64>,
    /// Whether its elements are the bytes of a text.
    pub is_text: bool,
    /// What its elements mean, with what other buffers hold at the same moment.
    pub meaning: Meaning<Tensor>,
    /// What its rows and columns stand for.
    pub legend: Legend,
}

impl Content {
    /// Runs the job and reads the buffer.
    ///
    /// # Errors
    /// Where there is no such buffer, the job does not run, or it never comes to that moment.
    pub fn read(
        mut job: Job,
        program: Option<&Program>,
        glance: &Glance,
        run: impl FnOnce(Job) -> Result<Done, Vec<Diagnostic>>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let place = |name: &str| job.buffers.iter().position(|buffer| buffer.name == name);
        let buffer = place(&glance.buffer)
            .ok_or_else(|| vec![Diagnostic::error(format!("there is no buffer `{}`", glance.buffer))])?;
        let declared = program.and_then(|p| p.buffers.iter().find(|b| b.name == glance.buffer));
        let mut others = Vec::new();
        let meaning = declared.and_then(|b| {
            b.meaning.map(|other, when| {
                others.push((place(other)?, if when == When::Now { glance.at } else { before(glance.at) }));
                Some(others.len() - 1)
            })
        });
        let look = |(buffer, at)| Look { buffer, at, from: 0, count: LOOKED_AT, file: None };
        job.looks = std::iter::once((buffer, glance.at)).chain(others).map(look).collect();
        let done = run(job)?;
        let BufferSpec { count, columns, ref content, .. } = done.job.buffers[buffer];
        let is_text = matches!(content, job::Content::Bytes(_));
        let mut looks = done.record.looks.into_iter();
        let tensor = looks.next().ok_or_else(|| {
            vec![Diagnostic::error("the program does not come to this moment").hint("choose an earlier round")]
        })?;
        let others: Vec<Tensor> = looks.collect();
        let meaning = meaning.and_then(|meaning| meaning.map(|i, _| others.get(*i).cloned())).unwrap_or_default();
        let legend = declared.map(|b| b.legend.clone()).unwrap_or_default();
        Ok(Self { tensor, count, columns, is_text, meaning, legend })
    }

    /// How it is shown unless the learner says otherwise: by what its elements mean, with a limit as bars, a text as one, a wide matrix as shades.
    #[must_use]
    pub fn shape(&self, limit: Option<f64>) -> Shape {
        match () {
            () if self.meaning != Meaning::Plain => Shape::Meant,
            () if limit.is_some() => Shape::Bars,
            () if self.is_text => Shape::Characters,
            () if self.columns.is_some_and(|columns| columns > NUMBERS) => Shape::Shades,
            () => Shape::Numbers,
        }
    }

    /// The element that a share of the buffer begins with.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 elements")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of them")]
    pub fn first(&self, share: f64) -> usize {
        ((share * self.tensor.len() as f64) as usize).min(self.tensor.len().saturating_sub(1))
    }

    /// Its picture, from an element on; bars have a line at `limit`.
    #[must_use]
    pub fn shown<'a>(
        &'a self,
        (buffer, when): (&'a str, &'a str),
        shape: Shape,
        from: usize,
        limit: Option<f64>,
    ) -> Contents<'a> {
        Contents {
            buffer,
            when,
            tensor: &self.tensor,
            count: self.count,
            columns: self.columns,
            meaning: self.meaning.map(|other, _| Some(other)).unwrap_or_default(),
            legend: &self.legend,
            shape,
            from,
            limit,
        }
    }
}

/// The moment before the launch that another moment is after.
fn before(at: Moment) -> Moment {
    match at {
        Moment::After(pass, launch) => Moment::Before(pass, launch),
        other => other,
    }
}

/// What a step's stage shows of a buffer at first.
pub struct Opening {
    glance: Glance,
    when: String,
    content: Content,
    limit: Option<f64>,
    from: usize,
}

impl Opening {
    /// Reads it. `launches` is how often the step's pass runs, as far as that is known.
    ///
    /// # Errors
    /// As [`Content::read`], and where the program has no such pass.
    pub fn of(
        (lesson, step, params): (&Lesson, &Step, &Params),
        job: Job,
        launches: Option<u64>,
        run: impl FnOnce(Job) -> Result<Done, Vec<Diagnostic>>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let program = lesson.program(&step.variant.program);
        let place = program.and_then(|program| program.place_of(&step.pass));
        let launch = launches.unwrap_or(u64::MAX).min(step.launch).saturating_sub(1);
        let glance = place.and_then(|place| Glance::after(&job, (place, launch), step.buffer.as_deref()));
        let glance = glance.ok_or_else(|| vec![Diagnostic::error(format!("there is no pass `{}`", step.pass))])?;
        let content = Content::read(job, program, &glance, run)?;
        let limit =
            step.limit.as_ref().and_then(|limit| Env::fixed(&lesson.params, &lesson.values, params).eval(limit).ok());
        let (when, from) = (glance.when(program, launches.unwrap_or(1)), content.first(step.at));
        Ok(Self { glance, when, content, limit, from })
    }

    /// Its picture.
    #[must_use]
    pub fn contents(&self) -> Contents<'_> {
        let (named, shape) = ((self.glance.buffer.as_str(), self.when.as_str()), self.content.shape(self.limit));
        self.content.shown(named, shape, self.from, self.limit)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::gpu::simt;
    use crate::session::jobs::{self, Purpose};
    use crate::session::run;
    use crate::trace::record::Backend;

    #[test]
    fn what_a_launch_changed_does_not_begin_with_the_program() {
        let (pack, _) = crate::session::load(&crate::lesson::PackFiles::Embedded);
        let lesson = pack.lessons.iter().find(|lesson| lesson.id == "zero").unwrap();
        let step = lesson.steps.iter().find(|step| step.id == "all_reduce").unwrap();
        let params = jobs::with(&jobs::defaults(lesson), &step.set);
        let purpose = Purpose { check: false, trace: None, ..run::purpose(Backend::Simt, 1, true) };
        let sent = |launch: u64| {
            let job = jobs::build(lesson, &step.variant, &params, &purpose).unwrap();
            let step = Step { launch, ..step.clone() };
            let run = |job: Job| {
                let record = simt::run(&job, &std::sync::atomic::AtomicBool::new(false), &mut |_| {}).unwrap();
                Ok(Done { job, record })
            };
            let opening = Opening::of((lesson, &step, &params), job, Some(3), run).unwrap();
            let Meaning::Links { meter, meter_before, .. } = &opening.content.meaning else { return None };
            let [now, before] = [meter, meter_before].map(|meter| meter.words.iter().sum::<u32>());
            Some((before, now))
        };
        // Four ranks have a chunk of two halves each. They have added three times before.
        assert_eq!([1, 2, 3].map(sent), [(48, 64), (64, 80), (80, 96)].map(Some));
    }
}
