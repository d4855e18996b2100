//! `warpbook bench`

use std::process::ExitCode;
use std::sync::Arc;

use super::args::BenchArgs;
use super::{Context, DONE, FAILED, MISUSED, out};
use crate::base::diag::Diagnostic;
use crate::base::units::{count, digits3, figure, si};
use crate::lesson::Pack;
use crate::session::experiment::bench::{self, DeviceBench, Rung, Size, Traced};
use crate::session::run::{self, Which};
use crate::trace::record::Backend;

pub(super) fn bench(context: &Context, args: &BenchArgs) -> Result<ExitCode, ExitCode> {
    let mut pack = context.pack()?;
    keep_only(&mut pack, args).map_err(out::misused)?;
    let named = args.backend.named();
    let backends = named.map_or(vec![Backend::Wgpu, Backend::Cuda], |backend| vec![backend]);
    let (output, found) =
        bench::bench(&context.devices, &pack, &backends, !args.no_tracer, &context.cancel, &mut out::note);
    out::problems(&found);
    if args.json {
        out::json(&output);
    } else {
        out::line(&format!("warpbook {}", output.version));
        for missing in &output.missing {
            out::line("");
            out::line(&format!("{}: no device: {}", missing.backend.name(), missing.message));
            if let Some(hint) = &missing.hint {
                out::line(&format!("  to get it: {hint}"));
            }
        }
        output.devices.iter().for_each(device);
        tracer(&output.tracer);
    }
    Ok(match output.ok() {
        // The device that was asked for is not there.
        _ if named.is_some() && !output.missing.is_empty() => MISUSED.into(),
        true => DONE,
        false => FAILED,
    })
}

/// Leaves of a pack what is to be measured.
fn keep_only(pack: &mut Pack, args: &BenchArgs) -> Result<(), Diagnostic> {
    for id in &args.lessons {
        run::lesson(pack, id)?;
    }
    for (lesson, id) in &args.kernels {
        let lesson = run::lesson(pack, lesson)?;
        if lesson.program(id).is_none() {
            Which { kernels: vec![id.clone()], ..Which::default() }.of(lesson)?;
        }
    }
    let all = args.lessons.is_empty() && args.kernels.is_empty();
    for lesson in pack.lessons.iter_mut().map(Arc::make_mut) {
        let whole = all || args.lessons.contains(&lesson.id);
        let named = |id: &str| args.kernels.iter().any(|(of, kernel)| (of, kernel.as_str()) == (&lesson.id, id));
        lesson.programs.retain(|program| !args.ceilings && (whole || named(&program.id)));
    }
    Ok(())
}

fn device(found: &DeviceBench) {
    let device = &found.device;
    out::line("");
    out::line(&format!("{}: {}, driver {} ({})", device.backend.name(), device.name, device.driver, device.api));
    if device.software {
        out::line("  It computes on the CPU: its times say little about a GPU, and large sizes are left out.");
    }
    let c = &found.ceilings;
    let ceilings = [
        ("copy kernel", c.copy_bytes_per_s.map(|v| si(v, "B/s"))),
        ("driver's copy", c.device_copy_bytes_per_s.map(|v| si(v, "B/s"))),
        ("f32 multiply-adds", c.fma_flops_per_s.map(|v| si(v, "FLOP/s"))),
        ("empty launch", c.launch_s.map(|v| si(v, "s"))),
        ("launched by the host one by one", c.host_launch_s.map(|v| si(v, "s"))),
    ];
    let ceilings: Vec<String> =
        ceilings.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?))).collect();
    out::line(&format!("  ceilings: {}", ceilings.join(", ")));
    out::line("");
    let header =
        ["kernel", "largest buffer", "time", "p10–p90", "n", "throughput", "of ceiling", "library", "of library"];
    let mut rows = vec![header.iter().map(ToString::to_string).collect::<Vec<_>>()];
    rows.extend(found.kernels.iter().map(row));
    out::table(&rows);
}

fn row(rung: &Rung) -> Vec<String> {
    let dash = || "–".to_owned();
    let time = rung.time.as_ref();
    let size = match rung.size {
        Size::Default => String::new(),
        Size::Large => ", large".to_owned(),
        Size::Asked => rung.set.iter().map(|(id, value)| format!(", {id} = {value}")).collect(),
    };
    vec![
        format!("{}/{}{size}", rung.lesson, rung.kernel),
        mebibytes(rung.largest_buffer_bytes),
        time.map_or_else(|| "FAILED".to_owned(), |t| si(t.median_s, "s")),
        time.map_or_else(dash, |t| format!("{}–{}", si(t.p10_s, "s"), si(t.p90_s, "s"))),
        time.map_or_else(dash, |t| t.samples.to_string()),
        throughput(rung.bytes_per_s, rung.flops_per_s),
        rung.roofline.map_or_else(dash, |p| figure(p.fraction, "%")),
        rung.library.as_ref().map_or_else(dash, |l| {
            l.time.as_ref().map_or_else(|| "FAILED".to_owned(), |t| format!("{} {}", l.name, si(t.median_s, "s")))
        }),
        rung.of_library.map_or_else(dash, |f| figure(f, "%")),
    ]
}

/// Work a second, in the unit of which there is more: operations where each byte is used more than once.
fn throughput(bytes_per_s: Option<f64>, flops_per_s: Option<f64>) -> String {
    match (bytes_per_s, flops_per_s) {
        (Some(bytes), Some(flops)) if flops > 4.0 * bytes => si(flops, "FLOP/s"),
        (Some(bytes), _) => si(bytes, "B/s"),
        (None, _) => "–".to_owned(),
    }
}

/// Memory comes in powers of two.
fn mebibytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    format!("{} MiB", digits3(mebibytes))
}

fn tracer(rows: &[Traced]) {
    if rows.is_empty() {
        return;
    }
    out::line("");
    out::line("simt: the tracer, whole grids at the lessons' defaults, sectors and banks counted");
    let header = ["kernel", "lane operations", "time", "lane operations a second"];
    let mut lines = vec![header.iter().map(ToString::to_string).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|t| {
        let time = if t.ok { si(t.seconds, "s") } else { "FAILED".to_owned() };
        vec![format!("{}/{}", t.lesson, t.kernel), count(t.lane_ops), time, si(t.lane_ops_per_s, "")]
    }));
    out::table(&lines);
}
