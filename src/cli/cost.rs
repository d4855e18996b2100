//! `warpbook cost`

use std::process::ExitCode;

use super::args::CostArgs;
use super::{Context, DONE, FAILED, out};
use crate::base::diag::Diagnostic;
use crate::base::units::{digits3, number, si};
use crate::gpu::simt;
use crate::session::run::bill::{self, Bill};
use crate::session::run::{self, model};

/// Buffers that are printed at most; JSON has all.
const LINES: usize = 12;

pub(super) fn cost(context: &Context, args: &CostArgs) -> Result<ExitCode, ExitCode> {
    let asked = args.asked().map_err(|problem| out::misused(Diagnostic::error(problem)))?;
    let pack = context.pack()?;
    let lesson = bill::lesson(&pack).map_err(out::misused)?;
    let params = run::params(lesson, &asked.set).map_err(out::misused)?;
    let models = context.models();
    let chosen = model::choose(&models, asked.device.as_deref(), &simt::device()).map_err(out::misused)?;
    let Some(chosen) = chosen else {
        return Err(out::misused(Diagnostic::error("this pack has no models of devices")));
    };
    let bill = bill::bill(lesson, &params, &chosen, &context.devices, &context.cancel).map_err(|problems| {
        super::problems(&problems);
        FAILED
    })?;
    if asked.json {
        out::json(&bill);
    } else {
        show(&bill);
    }
    Ok(DONE)
}

fn bytes(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for three digits")]
    si(count as f64, "B")
}

fn show(bill: &Bill) {
    let Bill { parameters, flops, peak_bytes, device, .. } = bill;
    out::line(&format!("{} parameters, {} a step", number(*parameters), si(*flops, "FLOP")));
    let memory = match bill.memory_bytes {
        Some(memory) if memory >= *peak_bytes => format!(" of {} of {device}", bytes(memory)),
        Some(memory) => format!(", and {device} has {}", bytes(memory)),
        None => String::new(),
    };
    out::line(&format!("{} in all buffers{memory}", bytes(*peak_bytes)));
    let words = |name: &Option<String>, none: &str| name.clone().unwrap_or_else(|| none.to_owned());
    let mut rows = vec![["buffer", "bytes", "from", "to"].map(str::to_owned).to_vec()];
    rows.extend(bill.tensors.iter().take(LINES).map(|tensor| {
        vec![
            tensor.name.clone(),
            bytes(tensor.bytes),
            words(&tensor.from, "before the step"),
            words(&tensor.to, "kept"),
        ]
    }));
    out::table(&rows);
    if let (Some(memory), Some(largest)) = (bill.memory_bytes, bill.tensors.first())
        && memory < *peak_bytes
    {
        out::line(&format!("It does not fit. The largest buffer is `{}`.", largest.name));
    }
    for switch in &bill.switches {
        let (name, value) = (&switch.parameter, number(switch.value));
        out::line(&format!("with --{name} {value}: {}", bytes(switch.peak_bytes)));
    }
    let how = if bill.traced { "predicted from a trace" } else { "the least that the device's rates allow" };
    if let Some(seconds) = bill.seconds {
        let share =
            bill.mfu.map_or_else(String::new, |mfu| format!(", MFU {} % (of its peak in f32)", digits3(100.0 * mfu)));
        out::line(&format!("{} a step, {how}{share}", si(seconds, "s")));
    }
}
