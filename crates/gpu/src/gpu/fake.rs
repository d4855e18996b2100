//! A scripted device for tests: the kernel's id says what it does, so that a worker can hang, die or talk nonsense.
#![expect(clippy::disallowed_methods, reason = "a script that ends the process is what the client is tested with")]

use std::io::Write;
use std::time::Duration;

use super::backend::{Backend, Event, Failure, Sink};
use super::builtin_kernels;
use super::protocol::{self, FrameError, VERSION};
use crate::base::diag::Diagnostic;
use crate::base::units::Work;
use crate::job::{Action, Against, CheckSpec, Code, Grid, Job, Launch};
use crate::trace::record::{self, Ceilings, Check, Device, Record};

/// The device. Its scripts, by kernel id: `answers`, `slow` (1 s in all, with an event every 50 ms), `patient` (until
/// cancelled), `hangs`, `crashes` (by a signal), `exits` (with code 3, after a word on standard error), `garbage`,
/// `huge`, `torn`, `fatal`. Any other id fails in good order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fake {
    /// Whether it hangs where it is asked for its best rates.
    pub hangs_at_ceilings: bool,
}

impl Backend for Fake {
    fn describe(&mut self) -> Result<Device, Failure> {
        Ok(device())
    }

    fn ceilings(&mut self, _: &mut dyn Sink) -> Result<Ceilings, Failure> {
        if self.hangs_at_ceilings {
            std::thread::sleep(Duration::from_secs(3600));
        }
        Ok(Ceilings { launch_s: Some(1e-6), ..Ceilings::default() })
    }

    fn run(&mut self, job: &Job, sink: &mut dyn Sink) -> Result<Record, Failure> {
        sink.event(Event::Stage("running".to_owned()));
        match job.program.as_str() {
            "answers" => {}
            "slow" => {
                for _ in 0..20 {
                    std::thread::sleep(Duration::from_millis(50));
                    sink.event(Event::Sample(0.05));
                }
            }
            "patient" => {
                while !sink.cancelled() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                return Err(Diagnostic::error("cancelled").into());
            }
            "hangs" => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            "crashes" => std::process::abort(),
            "exits" => {
                let _ = writeln!(std::io::stderr(), "the driver gave up");
                std::process::exit(3);
            }
            "garbage" => say_raw(&[3, 0, 0, 0, 99, 98, 97]),
            "huge" => say_raw(&[255; 8]),
            "torn" => {
                say_raw(&[200, 0, 0, 0, 1, 2, 3]);
                std::process::exit(0);
            }
            "fatal" => return Err(Failure { diagnostic: Diagnostic::error("the device was lost"), fatal: true }),
            other => {
                return Err(Diagnostic::error(format!("there is no script `{other}`")).in_place(&job.place).into());
            }
        }
        let elements = job.buffers.last().map_or(0, |buffer| buffer.count);
        let check = Check {
            output: "dst".into(),
            reference: "strided_copy".into(),
            round: 0,
            max_rel_error: 0.0,
            elements,
            total: elements,
            ok: true,
            first_wrong: None,
            told: None,
        };
        sink.event(Event::Checked(check.clone()));
        Ok(Record {
            program: job.program.clone(),
            backend: record::Backend::Wgpu,
            passes: Vec::new(),
            rounds: Vec::new(),
            checks: vec![check],
            work: Work::default(),
            timing: None,
            series: Vec::new(),
            looks: Vec::new(),
            film: None,
            unwritten: Vec::new(),
            warnings: Vec::new(),
        })
    }
}

/// Puts bytes where the client expects frames.
fn say_raw(bytes: &[u8]) {
    let mut output = std::io::stdout();
    // When it cannot be written the client is gone, and so is the point.
    let _ = output.write_all(bytes).and_then(|()| output.flush());
}

/// The greeting of a worker of the next version of the protocol.
pub fn greet_as_another_version(mut output: impl Write) -> Result<(), FrameError> {
    protocol::write_hello_as(&mut output, VERSION + 1)
}

/// The description of the fake device: small limits, no clock.
#[must_use]
pub fn device() -> Device {
    Device {
        backend: record::Backend::Wgpu,
        name: "scripted device".into(),
        driver: String::new(),
        api: String::new(),
        software: true,
        timestamps: false,
        subgroup: [32, 32],
        max_binding_bytes: 128 << 20,
        max_buffer_bytes: 256 << 20,
        max_workgroup_invocations: 1024,
        max_workgroup_size: [1024, 1024, 64],
        max_grid: [65_535; 3],
        max_shared_bytes: 32 << 10,
        f16: false,
        cooperative: Vec::new(),
    }
}

/// A job that copies `count` floats, a multiple of 1,024, under the id `program`. Real devices can run it too.
#[must_use]
pub fn job(program: &str, count: u64) -> Job {
    let mut job = builtin_kernels::copy(count * 4);
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let args = vec![("n".to_owned(), count as f64), ("stride".to_owned(), 1.0), ("offset".to_owned(), 0.0)];
    let against = Against::Reference { name: "strided_copy".into(), args, inputs: vec![("src".into(), 0)] };
    job.program = program.into();
    job.bounds_checks = true;
    job.checks = vec![CheckSpec { output: 1, against, tolerance: 0.0, scale: 0.0, after: None, place: None }];
    if let Some(launch) = only_launch(&mut job) {
        launch.kernel = program.into();
        launch.grid = Grid::Fixed([u32::try_from(count / 1024).unwrap_or(u32::MAX).max(1), 1, 1]);
        launch.workgroup = None;
        if let Code::Wgsl(wgsl) = &mut launch.code {
            wgsl.twin = None;
        }
    }
    job
}

/// The launch of a job that has one.
pub fn only_launch(job: &mut Job) -> Option<&mut Launch> {
    match &mut job.passes.first_mut()?.action {
        Action::Launch(launch) => Some(launch),
        Action::Copy { .. } | Action::Fill { .. } => None,
    }
}
