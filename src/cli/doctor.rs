//! `warpbook doctor`

use std::process::ExitCode;

use super::{Context, DONE, out};
use crate::base::units::si;
use crate::session::run::doctor::{self, BackendReport};
use crate::trace::record::Device;

pub(super) fn doctor(context: &Context, json: bool) -> Result<ExitCode, ExitCode> {
    let report = doctor::examine(&context.devices, doctor::display());
    if json {
        out::json(&report);
        return Ok(DONE);
    }
    out::line(&format!("warpbook {}", report.version));
    for backend in &report.backends {
        out::line("");
        describe(backend);
    }
    for part in &report.cuda {
        out::line(&format!("  {}: {}, {}", part.name, if part.found { "found" } else { "missing" }, part.what));
        if let Some(hint) = &part.hint {
            out::line(&format!("    to get it: {hint}"));
        }
    }
    out::line("");
    out::line(&format!("display: {}, {}", if report.display.found { "found" } else { "missing" }, report.display.what));
    if let Some(hint) = &report.display.hint {
        out::line(&format!("  to get one: {hint}"));
    }
    Ok(DONE)
}

fn describe(report: &BackendReport) {
    match &report.device {
        Some(device) => {
            out::line(&format!("{}: {}", report.backend, device.name));
            for (name, value) in facts(device) {
                out::line(&format!("  {name}: {value}"));
            }
        }
        None => {
            out::line(&format!("{}: missing", report.backend));
            out::line(&format!("  {}", report.missing.as_deref().unwrap_or("no reason is known")));
            if let Some(hint) = &report.hint {
                out::line(&format!("  to get it: {hint}"));
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn facts(device: &Device) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if !device.driver.is_empty() {
        facts.push(("driver", format!("{} ({})", device.driver, device.api)));
        facts.push(("computes on", if device.software { "the CPU, in software" } else { "a GPU" }.to_owned()));
        facts.push(("clock", if device.timestamps { "its own" } else { "the host's" }.to_owned()));
        facts.push(("subgroup", format!("{} to {} lanes", device.subgroup[0], device.subgroup[1])));
    }
    facts.push(("largest binding", si(device.max_binding_bytes as f64, "B")));
    facts.push(("largest workgroup", format!("{} lanes", device.max_workgroup_invocations)));
    facts.push(("workgroup memory", si(f64::from(device.max_shared_bytes), "B")));
    facts.push(("16-bit floats", if device.f16 { "yes" } else { "no" }.to_owned()));
    let shapes: Vec<String> = device.cooperative.iter().map(ToString::to_string).collect();
    facts.push(("cooperative matrices", if shapes.is_empty() { "none".to_owned() } else { shapes.join("; ") }));
    facts
}
