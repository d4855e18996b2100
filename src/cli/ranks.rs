//! `warpbook ranks`: collectives between processes.

use std::collections::HashSet;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::args::{OverArg, RanksArgs};
use super::{DONE, FAILED, MISUSED, note, out, problems, reexec};
use crate::base::diag::Diagnostic;
use crate::base::units::si;
use crate::gpu::ranks::{Between, join};
use crate::gpu::toolkit::missing_setting;
use crate::ranks::launch::{end_with_launcher, launch};
use crate::ranks::measure::{COLLECTIVES, Row, Transport, measure};
use crate::ranks::meeting::Meeting;
use crate::ranks::ring::Ring;
use crate::ranks::world::World;
use crate::trace::record::Backend;

/// A row of the JSON output.
#[derive(Serialize)]
struct Timed {
    collective: &'static str,
    over: &'static str,
    ranks: usize,
    bytes: u64,
    seconds: f64,
    algorithm_bytes_per_s: f64,
    bus_bytes_per_s: f64,
}

pub(super) fn ranks(args: &RanksArgs) -> Result<ExitCode, ExitCode> {
    if args.over.iter().any(|over| *over != OverArg::Host)
        && let Some(setting) = missing_setting(Backend::Cuda)
    {
        return reexec::with(setting).map_err(out::misused);
    }
    let world = World::from(|name| std::env::var(name).ok()).map_err(out::misused)?;
    let done = match (world, args.ranks) {
        (Some(world), Some(asked)) if world.size != usize::from(asked) => {
            let message =
                format!("the environment says that there are {} ranks, and --ranks asks for {asked}", world.size);
            let hint = "leave --ranks out; to start ranks here instead, unset the launcher's variables, such as RANK or SLURM_PROCID";
            return Err(out::misused(Diagnostic::error(message).hint(hint)));
        }
        (Some(world), _) => one(args, world).map(|()| DONE),
        (None, Some(ranks)) => all(usize::from(ranks)),
        (None, None) => {
            problems(&[Diagnostic::error("the number of ranks is not given")
                .hint("give --ranks N, or start this with torchrun, srun or mpirun")]);
            return Err(MISUSED.into());
        }
    };
    done.map_err(|problem| {
        problems(&[problem]);
        FAILED
    })
}

/// Starts this program once for each rank, with the same arguments.
pub(super) fn all(ranks: usize) -> Result<ExitCode, Diagnostic> {
    let program = std::env::current_exe()
        .map_err(|error| Diagnostic::error(format!("this program cannot find itself: {error}")))?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // A line that all ranks print is printed once.
    let heard = Mutex::new(HashSet::new());
    launch(&program, &arguments, ranks, |rank, line| {
        if heard.lock().unwrap_or_else(PoisonError::into_inner).insert(line.to_owned()) {
            note(&format!("rank {rank}: {line}"));
        }
    })
    .map(ExitCode::from)
}

fn one(args: &RanksArgs, world: World) -> Result<(), Diagnostic> {
    let [patience, long] = [args.patience, args.seconds].map(Duration::from_secs_f64);
    let speaks = world.rank == 0;
    let ranks = world.size;
    end_with_launcher();
    let mut meeting = Meeting::join(world, patience)?;
    let RanksArgs { over, bytes, seconds, patience, .. } = args;
    meeting.agree(&[
        format!("--over {over:?}"),
        format!("--bytes {bytes:?}"),
        format!("--seconds {seconds}"),
        format!("--patience {patience}"),
    ])?;
    let mut rows = Vec::new();
    let most = usize::try_from(args.bytes.iter().copied().max().unwrap_or(0) / 4).unwrap_or(usize::MAX);
    if ranks == 1 {
        note("one rank has no other to exchange numbers with: results are checked, and no time is shown");
    }
    if speaks && !args.json {
        out::line(&format!(
            "{:>14} {:>6} {:>12} {:>10} {:>12} {:>12}",
            "collective", "over", "bytes", "time", "algorithm", "bus"
        ));
    }
    for over in &args.over {
        let mut transport: Box<dyn Transport> = match over {
            OverArg::Host => Box::new(Ring::join(&mut meeting)?),
            OverArg::Nccl => join(Between::Nccl, most, &mut meeting)?,
            OverArg::Peer => join(Between::Peers, most, &mut meeting)?,
        };
        if let Some(remark) = transport.remark().filter(|_| speaks) {
            note(&remark);
        }
        for bytes in &args.bytes {
            let count = usize::try_from(bytes / 4).unwrap_or(usize::MAX);
            for what in COLLECTIVES {
                let row = measure(transport.as_mut(), what, count, long, &mut meeting)?;
                if ranks == 1 {
                    continue;
                }
                if speaks && !args.json {
                    out::line(&told(&row));
                }
                rows.push(row);
            }
        }
        transport.leave(&mut meeting)?;
    }
    meeting.leave()?;
    if speaks && args.json {
        let timed = |row: &Row| Timed {
            collective: row.what.name(),
            over: row.over,
            ranks,
            bytes: row.bytes,
            seconds: row.seconds,
            algorithm_bytes_per_s: row.algorithm,
            bus_bytes_per_s: row.bus,
        };
        out::json(&rows.iter().map(timed).collect::<Vec<_>>());
    }
    Ok(())
}

fn told(row: &Row) -> String {
    let Row { what, over, bytes, seconds, algorithm, bus } = row;
    let [algorithm, bus] = [algorithm, bus].map(|rate| si(*rate, "B/s"));
    format!("{:>14} {over:>6} {bytes:>12} {:>10} {algorithm:>12} {bus:>12}", what.name(), si(*seconds, "s"))
}
