//! `warpbook film`

use std::process::ExitCode;
use std::sync::Arc;

use super::args::FilmArgs;
use super::{Context, DONE, FAILED, out};
use crate::base::diag::Diagnostic;
use crate::base::store::write_atomic;
use crate::gpu::simt;
use crate::job::Language;
use crate::session::ask::{Answers, At, Inline};
use crate::session::jobs;
use crate::session::jobs::setting::Setting;
use crate::session::run;
use crate::session::show::moving;
use crate::session::show::stage::Stage;
use crate::session::show::staged::Sources;

pub(super) fn film(context: &Context, args: &FilmArgs) -> Result<ExitCode, ExitCode> {
    let pack = context.pack()?;
    let lesson = run::lesson(&pack, &args.lesson).map_err(out::misused)?;
    let step = args.step.checked_sub(1).and_then(|index| lesson.steps.get(index)).ok_or_else(|| {
        let problem = Diagnostic::error(format!("lesson `{}` has no step {}", lesson.id, args.step));
        out::misused(problem.hint(format!("it has {} steps, from 1", lesson.steps.len())))
    })?;
    let setting = Arc::new(Setting {
        lesson: lesson.clone(),
        plain: lesson.clone(),
        params: jobs::with(&jobs::defaults(lesson), &step.set),
        seed: 1,
        bounds_checks: true,
        warp_width: args.warp,
        language: Language::default(),
    });
    let (at, device, models) = (At::traced(&setting, &step.variant), simt::device(), context.models());
    let store = Inline::new(Answers::default(), &context.cancel);
    let sources = Sources { models: &models, ..Sources::of_device(&device) };
    #[expect(clippy::cast_precision_loss, reason = "a picture's size")]
    let size = args.size.map(|points| points as f32);
    let stage = Stage::of_step(&at, step);
    let answered = stage.as_ref().and_then(|stage| Some((stage, stage.answer(&store, &sources)?)));
    let picture = answered.and_then(|(stage, answered)| moving::picture(&answered, stage, step, size));
    let problems = store.problems();
    out::problems(&problems);
    let Some(picture) = picture else {
        if problems.is_empty() {
            let problem = Diagnostic::error(format!("the picture of the step `{}` does not move", step.id));
            out::problems(&[problem.hint("`warpbook shot` draws the window with it")]);
        }
        return Ok(FAILED);
    };
    write_atomic(&args.output, picture.svg.as_bytes()).map_err(|problem| {
        out::problems(&[problem]);
        FAILED
    })?;
    out::line(&args.output.display().to_string());
    Ok(DONE)
}
