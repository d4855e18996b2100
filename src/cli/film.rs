//! `warpbook film`

use std::process::ExitCode;
use std::sync::Arc;

use super::args::FilmArgs;
use super::{Context, DONE, FAILED, out};
use crate::base::diag::Diagnostic;
use crate::base::store::write_atomic;
use crate::figures::frame::Frame;
use crate::figures::moving::{MOMENT_S, moving};
use crate::figures::svg;
use crate::gpu::simt;
use crate::job::Language;
use crate::notes::picture;
use crate::session::ask::{Answers, At, Inline};
use crate::session::jobs;
use crate::session::jobs::setting::Setting;
use crate::session::run;
use crate::session::show::moving::Moments;
use crate::session::show::source::{Staged, prepare};
use crate::session::show::stage::{Drawing, Stage};
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
        params: jobs::begins(lesson, step),
        seed: 1,
        bounds_checks: true,
        warp_width: args.warp,
        language: Language::default(),
    });
    let (at, device, models) = (At::traced(&setting, &step.variant), simt::device(), context.models());
    let store = Inline::new(Answers::default(), &context.cancel);
    let recordings = context.recordings(&pack);
    let quotes = context.quotes(&pack, &recordings, &models);
    let sources =
        Sources { models: &models, recordings: &recordings, quotes: Some(&quotes), ..Sources::of_device(&device) };
    #[expect(clippy::cast_precision_loss, reason = "a picture's size")]
    let size = args.size.map(|points| points as f32);
    let moments = Stage::of_step(&at, step).and_then(|stage| {
        prepare(stage, &store, &sources);
        let staged = Staged { stage, store: &store, sources: &sources };
        Some(Moments::of(&Drawing::of(&staged)?, step, size))
    });
    let problems = store.problems();
    out::problems(&problems);
    let Some(Moments { frames, still, opening }) = moments.filter(|_| problems.is_empty()) else { return Ok(FAILED) };
    let ending = args.output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if frames.len() < 2 && ending != "png" {
        let problem = Diagnostic::error(format!("the picture of the step `{}` does not move", step.id));
        return Err(out::failed(problem.hint("write a still of it: -o FILE.png")));
    }
    let on_card = |svg: String| match args.card {
        true => picture::card(&svg, size, &step.title, &lesson.title, "Made with Warpbook from a trace of the kernel"),
        false => svg,
    };
    let stills = |frames: &[Frame]| frames.iter().map(|frame| on_card(svg::adaptive(frame))).collect::<Vec<_>>();
    let cannot = |why: String| out::failed(Diagnostic::error(format!("the picture cannot be drawn: {why}")));
    let bytes = match ending {
        "png" => picture::png(&stills(&[opening])).map_err(cannot)?,
        "apng" => picture::png(&stills(&frames)).map_err(cannot)?,
        _ => on_card(moving(&frames, still, MOMENT_S)).into_bytes(),
    };
    write_atomic(&args.output, &bytes).map_err(out::failed)?;
    out::line(&args.output.display().to_string());
    Ok(DONE)
}
