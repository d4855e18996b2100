//! `warpbook rerun`: runs a note's experiments here, and says what differs from what it recorded.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use super::args::{BackendArg, Command, IoArgs, OutArgs, RerunArgs, RunArgs, RunCommand, SweepArgs, parsed};
use super::run::options;
use super::{Context, DONE, FAILED, out};
use crate::base::diag::Diagnostic;
use crate::base::units::si;
use crate::lesson::{Pack, PackFiles};
use crate::notes::read::{self, Data, Repeatable};
use crate::session::experiment::sweep;
use crate::session::note::rerun::{Compared, compare};
use crate::session::run::{self, RunOptions, table};

/// A command of the note, run here.
#[derive(Debug, Default, Serialize)]
struct Repeated {
    /// The command as the note has it.
    command: String,
    /// The device that ran it here; None if it was not run.
    device: Option<String>,
    /// Whether all checks pass; None if it was not run.
    ok: Option<bool>,
    /// The reason that it was not run, or what was otherwise than in the note.
    said: Vec<String>,
    /// The recorded values beside those here; None if the note has no data for it.
    #[serde(flatten)]
    compared: Option<Compared>,
}

pub(super) fn rerun(context: &Context, args: &RerunArgs) -> Result<ExitCode, ExitCode> {
    let noted = read::read(&args.note).map_err(out::misused)?;
    let pack = context.pack()?;
    let each = noted.commands.iter().map(|command| {
        let done = repeat(context, &pack, args, command);
        if !args.json {
            show(&done);
        }
        done
    });
    if !args.json && !noted.made_with.is_empty() {
        let made = noted.made_with.iter().map(|(name, value)| format!("{name} {value}"));
        out::line(&format!("the note: {}", made.collect::<Vec<_>>().join(", ")));
    }
    let each: Vec<Repeated> = each.collect();
    if args.json {
        out::json(&serde_json::json!({ "note": noted.made_with, "commands": each }));
    }
    let is_as_recorded = |done: &Repeated| {
        done.ok == Some(true) && done.compared.as_ref().is_none_or(|c| c.differs.iter().all(|d| !d.is_count))
    };
    Ok(if each.iter().all(is_as_recorded) { DONE } else { FAILED })
}

/// Runs a command of a note. Of all commands only `run` and `sweep` are, and of their options only those that say what
/// to compute: nothing is read or written elsewhere.
fn repeat(context: &Context, pack: &Pack, args: &RerunArgs, command: &Repeatable) -> Repeated {
    let mut done = Repeated { command: command.words.join(" "), ..Repeated::default() };
    let data = command.data.as_deref();
    let result = match parsed(&command.words) {
        Ok((Some(Command::Run(run)), named)) => {
            done.said.extend(left_out(context, named.as_deref(), &run));
            run_again(context, pack, args, (&run.run, data), &mut done)
        }
        Ok((Some(Command::Sweep(swept)), named)) => {
            done.said.extend(other_pack(context, named.as_deref()));
            sweep_again(context, pack, args, (&swept, data), &mut done)
        }
        Ok(_) => Err("it is not a command that a note repeats: those are run and sweep".to_owned()),
        Err(why) => Err(format!("it is no command of this program: {why}")),
    };
    done.said.extend(result.err());
    done
}

/// The pack of a command, where it is another than the one that it is run on.
fn other_pack(context: &Context, named: Option<&Path>) -> Option<String> {
    let here = match &context.files {
        PackFiles::Folder(folder) => Some(folder.as_path()),
        _ => None,
    };
    let named = named.filter(|named| here != Some(named))?;
    let here = here.map_or("the built-in one".to_owned(), |pack| pack.display().to_string());
    Some(format!("--pack {} is left out: run on {here} (give --pack before rerun for another)", named.display()))
}

/// The options of a command that are left out, since a note may neither read nor write files, nor start processes.
fn left_out(context: &Context, named: Option<&Path>, run: &RunCommand) -> Vec<String> {
    let RunCommand { io: IoArgs { inputs, out: OutArgs { dumps, prints } }, over, save, resume, .. } = run;
    let options = [
        ("--input", !inputs.is_empty(), "the lesson's own contents were used, and the numbers are of these"),
        ("--resume", resume.is_some(), "the lesson's own contents were used, and the numbers are of these"),
        ("--save", save.is_some(), "nothing was written"),
        ("--dump", !dumps.is_empty(), "nothing was written"),
        ("--print", !prints.is_empty(), "nothing was printed"),
        ("--over", over.is_some(), "the ranks ran in one process"),
    ];
    let said = options.into_iter().filter(|(_, is_there, _)| *is_there);
    let said = said.map(|(option, _, why)| format!("{option} is left out: {why}"));
    other_pack(context, named).into_iter().chain(said).collect()
}

fn run_again(
    context: &Context,
    pack: &Pack,
    args: &RerunArgs,
    (of, data): (&RunArgs, Option<&Data>),
    done: &mut Repeated,
) -> Result<(), String> {
    let options = chosen(context, args, of, done)?;
    let ran = run::run(&context.devices, pack, &of.lesson, &options, None, &context.cancel, &mut |_, _| {});
    let output = ran.map_err(|problem| problem.message)?;
    (done.device, done.ok) = (Some(output.device.clone()), Some(output.ok()));
    let (header, rows) = table::of_output(&output);
    match data {
        Some(data) => done.compared = Some(compare(data, &Data { header, rows })),
        None => done.said.push("the note has no table of its numbers: nothing is compared".to_owned()),
    }
    Ok(())
}

fn sweep_again(
    context: &Context,
    pack: &Pack,
    args: &RerunArgs,
    (of, data): (&SweepArgs, Option<&Data>),
    done: &mut Repeated,
) -> Result<(), String> {
    let options = chosen(context, args, &of.run, done)?;
    let (over, values) = (of.over.0.as_str(), &of.over.1.0);
    let swept = sweep::sweep(
        &context.devices,
        pack,
        &of.run.lesson,
        (over, values),
        &options,
        &context.cancel,
        &mut |point, _| out::note(&format!("{over} = {}: {}: {}", point.x, point.kernel.id, point.kernel.outcome())),
    );
    let output = swept.map_err(|problem| problem.message)?;
    (done.device, done.ok) =
        (Some(output.device.clone()), Some(output.points.iter().all(|p| p.kernel.ok != Some(false))));
    let (header, rows) = sweep::csv_rows(&output.over, &output.points);
    match data {
        Some(data) => done.compared = Some(compare(data, &Data { header, rows })),
        None => done.said.push("the note has no data file for it: keep its folder of data beside it".to_owned()),
    }
    Ok(())
}

/// The options of a command, with the backend that is asked for. If the note's is not here, the tracer, which is
/// everywhere.
fn chosen(context: &Context, args: &RerunArgs, of: &RunArgs, done: &mut Repeated) -> Result<RunOptions, String> {
    let mut options = options(of).map_err(|_| "its options do not go together".to_owned())?;
    if let Some(backend) = args.backend {
        options.backend = backend.choice();
    } else if let Err(Diagnostic { message, .. }) = context.devices.resolve(options.backend) {
        done.said.push(format!("{message}: run on the tracer, which counts and has no clock"));
        options.backend = BackendArg::Simt.choice();
    }
    Ok(options)
}

fn show(done: &Repeated) {
    out::line(&done.command);
    for said in &done.said {
        out::line(&format!("  {said}"));
    }
    let Some(device) = &done.device else { return };
    let check = if done.ok == Some(true) { "all checks pass" } else { "a check fails" };
    let counted = done.compared.as_ref().map(|found| {
        let Compared { equal, differs, missing } = found;
        let missing = if *missing > 0 { format!(", {missing} not measured here") } else { String::new() };
        format!("; {equal} values as recorded, {} differ{missing}", differs.len())
    });
    out::line(&format!("  on {device}: {check}{}", counted.unwrap_or_default()));
    let differs = done.compared.iter().flat_map(|found| &found.differs);
    let table: Vec<Vec<String>> = differs
        .map(|d| {
            let value = |text: &str| match text.parse::<f64>() {
                Ok(value) if !d.is_count => si(value, "s"),
                _ => text.to_owned(),
            };
            let change = d.ratio.map(|ratio| format!("{ratio:.2}×")).unwrap_or_default();
            vec![d.at.clone(), d.kernel.clone(), d.what.clone(), value(&d.recorded), value(&d.here), change]
        })
        .collect();
    if !table.is_empty() {
        let header = ["  at", "kernel", "value", "recorded", "here", "change"].map(ToOwned::to_owned).to_vec();
        let rows = table.into_iter().map(|mut row| {
            row[0] = format!("  {}", row[0]);
            row
        });
        out::table(&[header].into_iter().chain(rows).collect::<Vec<_>>());
    }
}
