//! `warpbook run` and `record` as one of several ranks, or as the process that starts them.

use std::process::ExitCode;
use std::time::Duration;

use super::args::{OverArg, RunCommand};
use super::{note, out, problems, ranks, reexec};
use crate::base::diag::Diagnostic;
use crate::gpu::ranks::{Between, gpus};
use crate::gpu::toolkit::missing_setting;
use crate::lesson::{Pack, Variant};
use crate::ranks::launch::end_with_launcher;
use crate::ranks::meeting::Meeting;
use crate::ranks::world::World;
use crate::session::run::devices::Choice;
use crate::session::run::ranks_run::{self, Together};
use crate::session::run::{self, RunOptions};
use crate::trace::record::Backend;

/// The role of this process.
pub(super) enum Role {
    /// It runs all by itself.
    Alone,
    /// It is one of several ranks.
    Rank(Box<Together>),
    /// It started them, and they have ended.
    Launcher(ExitCode),
}

/// The role of this process, by its arguments and its environment. `options` get the backend that ranks need.
pub(super) fn role(pack: &Pack, command: &RunCommand, options: &mut RunOptions) -> Result<Role, ExitCode> {
    let lesson = run::lesson(pack, &command.run.lesson).map_err(out::misused)?;
    let chosen = options.which.of(lesson).map_err(out::misused)?;
    options.io.fits(&chosen.iter().map(|(program, _)| *program).collect::<Vec<_>>()).map_err(out::misused)?;
    let chosen: Vec<Variant> = chosen.into_iter().map(|(_, variant)| variant).collect();
    let params = run::params(lesson, &options.set).map_err(out::misused)?;
    let ranks = ranks_run::ranks(lesson, &chosen, &params).map_err(|found| {
        problems(&found);
        super::MISUSED
    })?;
    let Some(ranks) = ranks else {
        if command.over.is_none() {
            return Ok(Role::Alone);
        }
        let message = format!("nothing that is to run of `{}` is made for several processes", lesson.id);
        return Err(out::misused(Diagnostic::error(message).hint("leave --over out")));
    };
    of_ranks(ranks, command.over, &mut options.backend, (command.patience, &said(command)))
}

/// The role of this process if there are `ranks` ranks. All of them have to have the same `said`.
pub(super) fn of_ranks(
    ranks: usize,
    over: Option<OverArg>,
    backend: &mut Choice,
    (patience, said): (f64, &[String]),
) -> Result<Role, ExitCode> {
    let world = World::from(|name| std::env::var(name).ok()).map_err(out::misused)?;
    let world = world.filter(|world| world.size > 1 || over.is_some());
    let is_cuda = *backend == Choice::Only(Backend::Cuda);
    let has_gpus = || is_cuda && ranks > 1 && gpus() >= ranks;
    if over.is_none() && world.is_none() && !has_gpus() {
        return Ok(Role::Alone);
    }
    let over = over.unwrap_or(if is_cuda { OverArg::Nccl } else { OverArg::Host });
    let between = match over {
        OverArg::Host => None,
        OverArg::Nccl => Some(Between::Nccl),
        OverArg::Peer => Some(Between::Peers),
    };
    match *backend {
        Choice::Auto if between.is_some() => *backend = Choice::Only(Backend::Cuda),
        Choice::Only(Backend::Simt | Backend::Wgpu) if between.is_some() => {
            let message = "only ranks on GPUs that run CUDA exchange numbers over nccl or peer";
            return Err(out::misused(Diagnostic::error(message).hint("use --backend cuda, or --over host")));
        }
        _ => {}
    }
    let Some(world) = world else {
        if between.is_some() && gpus() == 0 {
            let message = "CUDA's driver is missing here, or sees no GPU";
            return Err(out::misused(Diagnostic::error(message).hint("use --over host")));
        }
        return launched(ranks).map(Role::Launcher);
    };
    if world.size != ranks {
        let message = format!("the environment says that there are {} ranks, and the lesson has {ranks}", world.size);
        let hint = format!("start {ranks} ranks, or make {} the lesson's number of ranks", world.size);
        return Err(out::misused(Diagnostic::error(message).hint(hint)));
    }
    if *backend == Choice::Only(Backend::Cuda)
        && let Some(setting) = missing_setting(Backend::Cuda)
    {
        return reexec::with(setting).map(Role::Launcher).map_err(out::misused);
    }
    end_with_launcher();
    met(world, patience, said, (over, between)).map(|together| Role::Rank(Box::new(together))).map_err(failed)
}

/// Starts the ranks, and waits for them.
fn launched(ranks: usize) -> Result<ExitCode, ExitCode> {
    ranks::all(ranks).map_err(failed)
}

/// Settings that have to be the same on all ranks of a run.
fn said(command: &RunCommand) -> Vec<String> {
    let args = &command.run;
    let mut set: Vec<String> = args.set.iter().map(|(id, value)| format!("--set {id}={value}")).collect();
    set.sort();
    let named = |option: &str, ids: &[String]| ids.iter().map(|id| format!("--{option} {id}")).collect::<Vec<_>>();
    let rungs = args.rungs.iter().map(|(pass, kernel)| format!("--rung {pass}={kernel}"));
    let io = &command.io;
    let files = [("input", &io.inputs), ("dump", &io.out.dumps)].into_iter().flat_map(|(option, files)| {
        files.iter().map(move |(buffer, file)| format!("--{option} {buffer}={}", file.display()))
    });
    let others = [
        args.lesson.clone(),
        format!("--backend {:?}", args.backend),
        format!("--seed {}", args.seed),
        format!("--warp {}", args.warp),
        format!("--patience {}", command.patience),
        format!("--print {:?}", io.out.prints),
    ];
    let all = set.into_iter().chain(named("kernel", &args.kernels)).chain(named("program", &args.programs));
    all.chain(rungs).chain(files).chain(others).collect()
}

/// Meets the other ranks.
fn met(
    world: World,
    patience: f64,
    said: &[String],
    (over, between): (OverArg, Option<Between>),
) -> Result<Together, Diagnostic> {
    let mut meeting = Meeting::join(world, Duration::from_secs_f64(patience))?;
    let all = said.iter().cloned().chain([format!("--over {over:?}")]);
    meeting.agree(&all.collect::<Vec<_>>())?;
    let together = Together::new(meeting, between);
    if together.reports() {
        let ranks = together.output();
        let have = if ranks.number == 1 { "rank has" } else { "ranks have" };
        note(&format!("{} {have} met, to exchange numbers over {}", ranks.number, ranks.over));
    }
    Ok(together)
}

fn failed(problem: Diagnostic) -> ExitCode {
    problems(&[problem]);
    super::FAILED
}
