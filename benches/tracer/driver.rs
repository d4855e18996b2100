//! The same kernel on the machine's graphics driver, as the program times it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use warpbook::base::tensor::{Elem, Init};
use warpbook::gpu::client::{Client, WorkerCommand};
use warpbook::job::{BindingKind, BufferSpec, Content, Job, MeasureSpec, Wgsl};
use warpbook::simt::Program;

use super::cases::Case;

/// The median time of a launch, in seconds, on as many cores as the driver takes.
///
/// # Errors
/// Why there is none; a driver that has a GPU is no peer of an interpreter on a CPU.
pub fn time(case: &Case) -> Result<f64, Box<dyn std::error::Error>> {
    let program = option_env!("CARGO_BIN_EXE_warpbook").map_or_else(|| "warpbook".into(), Into::into);
    let args = vec!["worker".into()];
    let mut client = Client::new(WorkerCommand { program, args, env: Vec::new(), deadline: Duration::from_secs(60) });
    let device = client.device()?;
    if !device.software {
        return Err(format!("{} is a GPU", device.name).into());
    }
    let record = client.run(&job(case)?, &AtomicBool::new(false), &mut |_| ())?;
    let timing = record.timing.ok_or("it gave no time")?;
    Ok(timing.median_s)
}

fn job(case: &Case) -> Result<Job, Box<dyn std::error::Error>> {
    let compiled = Program::compile("bench.wgsl", case.source, case.entry, &case.constants)
        .map_err(|errors| errors.first().map_or_else(String::new, ToString::to_string))?;
    let buffers = compiled.bindings().iter().zip(&case.counts).map(|(binding, count)| BufferSpec {
        name: binding.name.clone(),
        elem: Elem::F32,
        count: *count,
        content: Content::Made(if binding.kind == BindingKind::ReadOnly { Init::Random } else { Init::Poison }),
        columns: None,
        blame: Vec::new(),
        place: None,
    });
    let wgsl = Wgsl {
        file: "bench.wgsl".to_owned(),
        source: case.source.into(),
        entry: case.entry.to_owned(),
        overrides: case.constants.clone(),
        consts: Vec::new(),
        twin: None,
    };
    let launch = compiled.launch(&case.name, wgsl, case.grid);
    let measure = MeasureSpec { cold: false, budget_s: 5.0, min_samples: 7, ..MeasureSpec::default() };
    Ok(Job { measure: Some(measure), ..Job::of(launch, buffers.collect()) })
}
