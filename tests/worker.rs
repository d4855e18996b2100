//! Workers that die, hang or talk nonsense cost one request; and a real device, where there is one, runs kernels right.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use warpbook::base::diag::Diagnostic;
use warpbook::base::tensor::{Elem, Init};
use warpbook::gpu::backend::Event;
use warpbook::gpu::client::{Client, NEVER, WorkerCommand};
use warpbook::gpu::protocol::{self, Reply, Request};
use warpbook::gpu::{fake, limits};
use warpbook::job::{Against, Binding, BindingKind, BufferSpec, Code, Content, Grid, Job, Launch, MeasureSpec, Wgsl};
use warpbook::lesson::PackFiles;
use warpbook::session::desk::{Command as Desire, Desk, Options, SettingCommand};
use warpbook::session::run::devices::Choice;
use warpbook::trace::record::{Backend, CacheState, Device, Record, WarningKind};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn command(args: &[&str], deadline: Duration) -> WorkerCommand {
    WorkerCommand {
        program: PathBuf::from(env!("CARGO_BIN_EXE_warpbook")),
        args: args.iter().map(Into::into).collect(),
        env: Vec::new(),
        deadline,
    }
}

fn scripted(deadline: Duration) -> Client {
    Client::new(command(&["worker", "--fake"], deadline))
}

fn run(client: &mut Client, job: &Job) -> Result<Record, Diagnostic> {
    client.run(job, &AtomicBool::new(false), &mut |_| ())
}

/// The error of a script, after which the same client must work again, on another process.
fn loses(client: &mut Client, script: &str) -> Result<String, Box<dyn std::error::Error>> {
    run(client, &fake::job("answers", 1024))?;
    let before = client.worker_id();
    let Err(diagnostic) = run(client, &fake::job(script, 1024)) else { return Err("it answered".into()) };
    assert!(diagnostic.message.contains(&format!("kernel `{script}`")), "{diagnostic}");
    assert!(diagnostic.hint.is_some(), "{diagnostic}");
    assert_eq!(run(client, &fake::job("answers", 1024))?.program, "answers");
    assert!(before.is_some() && client.worker_id() != before);
    Ok(diagnostic.to_string())
}

/// The launch of a job that has one.
fn launch(job: &mut Job) -> &mut Launch {
    fake::only_launch(job).expect("it has one launch")
}

/// The WGSL of a job that has one launch.
fn wgsl(job: &mut Job) -> &mut Wgsl {
    match &mut launch(job).code {
        Code::Wgsl(wgsl) => wgsl,
        Code::Cuda { .. } | Code::Ptx(_) => panic!("it is in WGSL"),
    }
}

/// Replaces a part of its source; gives the new one.
fn rewrite(job: &mut Job, from: &str, to: &str) -> String {
    let source = wgsl(job).source.replace(from, to);
    wgsl(job).source = source.as_str().into();
    source
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn a_worker_answers_and_stays() -> Outcome {
    let mut client = scripted(LONG);
    assert_eq!(client.worker_id(), None);
    let mut events = Vec::new();
    let record = client.run(&fake::job("answers", 2048), &AtomicBool::new(false), &mut |e| events.push(e))?;
    assert_eq!(record.check().map(|c| c.elements), Some(2048));
    assert!(events.iter().any(|e| matches!(e, Event::Checked(check) if check.ok)));
    let id = client.worker_id();
    assert_eq!(client.device()?.name, fake::device().name);
    assert_eq!(client.ceilings(&NEVER)?.launch_s, Some(1e-6));
    assert_eq!(client.parts()?, []);
    let compiled = client.compile(&fake::job("answers", 1024), &NEVER);
    assert!(compiled.is_err_and(|d| d.message.contains("cannot be compiled apart")));
    // A failure in good order leaves the worker as it is.
    let unknown = run(&mut client, &fake::job("unheard of", 1024));
    assert!(unknown.is_err_and(|d| d.message.contains("there is no script `unheard of`")));
    assert_eq!(client.worker_id(), id);
    Ok(())
}

#[test]
fn a_worker_that_dies_says_how() -> Outcome {
    let mut client = scripted(LONG);
    let crashed = loses(&mut client, "crashes")?;
    if cfg!(unix) {
        assert!(crashed.contains("signal 6 (SIGABRT)"), "{crashed}");
    }
    let exited = loses(&mut client, "exits")?;
    assert!(exited.contains("exit code 3") && exited.contains("the driver gave up"), "{exited}");
    let mut unchecked = fake::job("crashes", 1024);
    unchecked.bounds_checks = false;
    let advice = run(&mut client, &unchecked).err().and_then(|d| d.hint);
    assert!(advice.is_some_and(|hint| hint.contains("leave `--unchecked` away")));
    Ok(())
}

#[test]
fn nonsense_is_called_nonsense() -> Outcome {
    let mut client = scripted(LONG);
    for script in ["garbage", "huge"] {
        let text = loses(&mut client, script)?;
        assert!(text.contains("sent an invalid answer"), "{text}");
    }
    assert!(loses(&mut client, "torn")?.contains("ended with exit code 0"));
    Ok(())
}

#[test]
fn ceilings_that_take_long_are_cancelled() {
    let mut client = Client::new(command(&["worker", "--fake-slow"], LONG));
    let cancelled = client.ceilings(&AtomicBool::new(true));
    assert!(cancelled.is_err_and(|why| why.message.contains("was cancelled")));
    assert_eq!(client.worker_id(), None);
}

#[test]
fn silence_has_a_deadline_and_events_extend_it() -> Outcome {
    let mut client = scripted(Duration::from_millis(400));
    let start = Instant::now();
    let text = loses(&mut client, "hangs")?;
    assert!(text.contains("did not answer for 0.4 s") && text.contains("loop"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(10));
    let mut samples = 0;
    client.run(&fake::job("slow", 1024), &AtomicBool::new(false), &mut |e| {
        samples += u32::from(matches!(e, Event::Sample(_)));
    })?;
    assert_eq!(samples, 20);
    Ok(())
}

/// On a machine that is too slow for it, a window goes on without its device's best rates: a word in its status line,
/// and no message.
#[test]
fn a_device_that_cannot_be_rated_is_no_message_over_the_page() {
    let worker = command(&["worker", "--fake-slow"], Duration::from_millis(300));
    let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(|| {});
    let clock = Arc::new(|| 0);
    let mut desk = Desk::open(Options { files: PackFiles::Embedded, state_path: None, worker, seed: 1, clock, wake });
    desk.command(Desire::Set(SettingCommand::Backend(Choice::Only(Backend::Wgpu))));
    let start = Instant::now();
    while desk.state().unrated().is_none() {
        assert!(start.elapsed() < LONG, "{:?}", desk.state().status.notices);
        desk.poll();
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(desk.state().status.notices.is_empty(), "{:?}", desk.state().status.notices);
}

#[test]
fn cancelling_ends_what_listens_and_what_does_not() -> Outcome {
    let mut client = scripted(LONG);
    run(&mut client, &fake::job("answers", 1024))?;
    let id = client.worker_id();
    for (script, kept) in [("patient", true), ("hangs", false)] {
        let cancel = AtomicBool::new(false);
        let start = Instant::now();
        // Cancelled from within: the event says that the script has begun.
        let ended = client.run(&fake::job(script, 1024), &cancel, &mut |_| cancel.store(true, Ordering::SeqCst));
        assert!(ended.is_err_and(|d| d.message.contains("cancelled")), "{script}");
        assert!(start.elapsed() < Duration::from_secs(5), "{script}");
        assert_eq!(client.worker_id() == id, kept, "{script}");
        run(&mut client, &fake::job("answers", 1024))?;
    }
    Ok(())
}

#[test]
fn an_idle_worker_that_was_killed_is_replaced_in_silence() -> Outcome {
    let mut client = scripted(LONG);
    client.device()?;
    let id = client.worker_id().ok_or("no worker")?;
    if cfg!(unix) {
        assert!(Command::new("kill").args(["-9", &id.to_string()]).status()?.success());
        // The process is gone when its parent can see it, which takes a moment.
        std::thread::sleep(Duration::from_millis(100));
        client.device()?;
        assert_ne!(client.worker_id(), Some(id));
    }
    // A fatal failure takes the worker along, and says what happened in its own words.
    let lost = run(&mut client, &fake::job("fatal", 1024));
    assert!(lost.is_err_and(|d| d.message == "the device was lost"));
    assert_eq!(client.worker_id(), None);
    client.device()?;
    Ok(())
}

#[test]
fn other_programs_and_other_versions_are_refused() {
    let refused = |command| Client::new(command).device().err().map(|d| d.to_string()).unwrap_or_default();
    let other_version = refused(command(&["worker", "--fake-version"], LONG));
    assert!(other_version.contains("another version") && other_version.contains("restart"), "{other_version}");
    let no_worker = refused(command(&["no such command"], LONG));
    assert!(no_worker.contains("ended with exit code 2"), "{no_worker}");
    let missing = WorkerCommand { program: "/no/such/program".into(), ..command(&[], LONG) };
    assert!(refused(missing).contains("cannot start the worker process /no/such/program"));
}

#[test]
fn a_worker_ends_with_its_client() -> Outcome {
    for script in [None, Some("hangs")] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_warpbook"))
            .args(["worker", "--fake"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().ok_or("no stdin")?;
        protocol::write_hello(&mut stdin)?;
        if let Some(script) = script {
            protocol::write(&mut stdin, &Request::Run(Box::new(fake::job(script, 1024))))?;
            let mut stdout = child.stdout.take().ok_or("no stdout")?;
            protocol::read_hello(&mut stdout)?;
            // It is at work.
            protocol::read::<Reply>(&mut stdout)?;
        }
        drop(stdin);
        let start = Instant::now();
        while child.try_wait()?.is_none() {
            if start.elapsed() > Duration::from_secs(10) {
                child.kill()?;
                return Err(format!("an orphan: {script:?}").into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}

#[test]
fn a_machine_without_drivers_says_what_to_install() -> Outcome {
    let mut bare = command(&["worker"], LONG);
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_DRIVERS_PATH"] {
        bare.env.push((name.into(), "/no/such/folder/driver.json".into()));
    }
    let mut client = Client::new(bare);
    match client.device() {
        Err(diagnostic) => {
            assert!(diagnostic.message.contains("no graphics driver"), "{diagnostic}");
            assert!(diagnostic.hint.is_some_and(|hint| hint.contains("Vulkan")));
            Ok(())
        }
        // Systems that find drivers without a loader's files (macOS, Windows) cannot be made bare this way.
        Ok(device) if cfg!(target_os = "linux") => Err(format!("found {} all the same", device.name).into()),
        Ok(_) => Ok(()),
    }
}

/// A client of the machine's own device; none where there is no driver, which `WARPBOOK_REQUIRE_GPU=1` forbids.
fn real() -> Result<Option<(Client, Device)>, Box<dyn std::error::Error>> {
    let mut client = Client::new(command(&["worker"], Duration::from_secs(60)));
    match client.device() {
        Ok(device) => Ok(Some((client, device))),
        Err(diagnostic) if std::env::var_os("WARPBOOK_REQUIRE_GPU").is_some_and(|v| v == "1") => Err(diagnostic.into()),
        Err(diagnostic) => {
            assert!(diagnostic.message.contains("no graphics driver"), "{diagnostic}");
            writeln!(std::io::stderr(), "no device here, so no kernel was run: {diagnostic}")?;
            Ok(None)
        }
    }
}

#[test]
fn a_real_device_copies_right_and_is_timed() -> Outcome {
    let Some((mut client, device)) = real()? else { return Ok(()) };
    let mut job = fake::job("copy", 1 << 16);
    job.measure = Some(MeasureSpec { budget_s: 0.05, min_samples: 6, ..MeasureSpec::default() });
    let mut events = Vec::new();
    let record = client.run(&job, &AtomicBool::new(false), &mut |e| events.push(e))?;
    assert_eq!(record.check().map(|c| (c.ok, c.elements)), Some((true, 1 << 16)));
    let timing = record.timing.ok_or("no timing")?;
    assert_eq!(timing.cache, CacheState::Cold);
    assert_eq!(timing.device_clock, device.timestamps);
    assert!(timing.samples.len() >= 6 && timing.samples.iter().all(|s| (1e-7..1.0).contains(s)), "{timing:?}");
    // Checked before it was timed.
    let checked = events.iter().position(|e| matches!(e, Event::Checked(_)));
    let sampled = events.iter().rposition(|e| matches!(e, Event::Stage(s) if s == "measuring"));
    assert!(checked.is_some() && checked < sampled, "{events:?}");
    let kinds: Vec<WarningKind> = record.warnings.iter().map(|w| w.kind).collect();
    assert_eq!(kinds.contains(&WarningKind::SoftwareDevice), device.software);
    assert!(kinds.contains(&WarningKind::BoundsChecks));
    // Without guards the result is the same, and the warning is gone.
    let record = run(&mut client, &Job { bounds_checks: false, ..job.clone() })?;
    assert!(record.check().is_some_and(|c| c.ok));
    assert!(record.warnings.iter().all(|w| w.kind != WarningKind::BoundsChecks));
    // Warm is the other experiment.
    job.measure = Some(MeasureSpec { cold: false, budget_s: 0.02, min_samples: 6, ..MeasureSpec::default() });
    let record = run(&mut client, &job)?;
    assert_eq!(record.timing.map(|t| t.cache), Some(CacheState::Warm));
    assert!(record.warnings.iter().any(|w| w.kind == WarningKind::FitsInCache));
    Ok(())
}

#[test]
fn a_kernel_that_fails_its_check_gets_no_time() -> Outcome {
    let Some((mut client, _)) = real()? else { return Ok(()) };
    let mut job = fake::job("copy", 4096);
    job.measure = Some(MeasureSpec::default());
    rewrite(&mut job, "dst[i] = src[i]", "if (i != 7u) { dst[i] = src[i]; }");
    let record = run(&mut client, &job)?;
    let check = record.check().ok_or("no check")?;
    assert!(!check.ok && check.max_rel_error == f64::INFINITY, "{check:?}");
    assert_eq!(check.first_wrong.map(|(i, _, _)| i), Some(28));
    assert_eq!(record.timing, None);
    Ok(())
}

#[test]
fn compilers_complaints_come_with_their_place() -> Outcome {
    let Some((mut client, _)) = real()? else { return Ok(()) };
    let mut job = fake::job("copy", 1024);
    let source = rewrite(&mut job, "src[i];", "nothing[i];");
    let line = source.lines().position(|l| l.contains("nothing")).ok_or("no such line")? + 1;
    let Err(diagnostic) = run(&mut client, &job) else { return Err("it compiled".into()) };
    let place = diagnostic.place.as_ref().ok_or("no place")?;
    assert_eq!((place.file.as_str(), place.line, place.column), (job.place.file.as_str(), u32::try_from(line)?, 14));
    assert!(diagnostic.message.contains("nothing"), "{diagnostic}");
    // A binding that the job does not describe is the pipeline's complaint, and names the kernel.
    let mut job = fake::job("copy", 1024);
    launch(&mut job).bindings[1].binding = 5;
    let Err(diagnostic) = run(&mut client, &job) else { return Err("it ran".into()) };
    assert!(diagnostic.message.contains("kernel `copy`"), "{diagnostic}");
    Ok(())
}

#[test]
fn uniforms_constants_gaps_and_changing_buffers() -> Outcome {
    let Some(_) = real()? else { return Ok(()) };
    let mut client = Client::new(command(&["worker"], LONG));
    let mut job = fake::job("once", 1 << 16);
    // A launch that finds `turns` as the one before left it never ends, so this is only timed if the buffers are restored.
    wgsl(&mut job).source = "
        override factor: u32 = 0u;
        @group(0) @binding(0) var<storage, read> src: array<f32>;
        @group(0) @binding(4) var<storage, read_write> dst: array<f32>;
        @group(2) @binding(1) var<uniform> scale: vec4<u32>;
        @group(2) @binding(3) var<storage, read_write> turns: array<atomic<u32>>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            while (atomicLoad(&turns[id.x]) != 5u) {}
            atomicAdd(&turns[id.x], 1u);
            dst[id.x] = src[id.x] * f32(scale.x * factor);
        }"
    .into();
    wgsl(&mut job).overrides = vec![("factor".into(), 1.0)];
    let of = |name: &str, buffer, group, binding, kind| Binding { name: name.into(), buffer, group, binding, kind };
    let launch = launch(&mut job);
    launch.grid = Grid::Fixed([1024, 1, 1]);
    launch.bindings = vec![
        of("src", 0, 0, 0, BindingKind::ReadOnly),
        of("dst", 1, 0, 4, BindingKind::ReadWrite),
        of("scale", 2, 2, 1, BindingKind::Uniform),
        of("turns", 3, 2, 3, BindingKind::ReadWrite),
    ];
    let filled = |name: &str, count, value| BufferSpec {
        name: name.into(),
        elem: Elem::U32,
        count,
        content: Content::Made(Init::Value(value)),
        ..job.buffers[0].clone()
    };
    let (scale, turns) = (filled("scale", 4, 1.0), filled("turns", 1 << 16, 5.0));
    job.buffers.extend([scale, turns]);
    for cold in [true, false] {
        job.measure = Some(MeasureSpec { cold, budget_s: 0.02, min_samples: 6, ..MeasureSpec::default() });
        let record = run(&mut client, &job)?;
        assert!(record.check().is_some_and(|c| c.ok));
        let expected = if cold { CacheState::Cold } else { CacheState::Warm };
        assert_eq!(record.timing.map(|t| t.cache), Some(expected));
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_said_before_the_launch() -> Outcome {
    let Some((mut client, device)) = real()? else { return Ok(()) };
    let mut job = fake::job("copy", 1024);
    launch(&mut job).grid = Grid::Fixed([device.max_grid[0], device.max_grid[1], 0]);
    (job.buffers[0].count, job.buffers[0].blame) = (u64::MAX / 8, vec!["`n`".into()]);
    let Err(diagnostic) = run(&mut client, &job) else { return Err("it ran".into()) };
    assert_eq!(Some(&diagnostic), limits::check(&job, &device).first());
    assert!(diagnostic.hint.is_some_and(|hint| hint.starts_with("lower `n`: the buffer can have")));
    // A reference that does not exist is a failure in good order.
    let mut job = fake::job("copy", 1024);
    let nowhere = Against::Reference { name: "nowhere".into(), args: Vec::new(), inputs: Vec::new() };
    job.checks[0].against = nowhere;
    assert!(run(&mut client, &job).is_err_and(|d| d.message.contains("nowhere")));
    Ok(())
}

#[test]
fn an_endless_kernel_costs_one_worker() -> Outcome {
    let Some((_, _)) = real()? else { return Ok(()) };
    let mut client = Client::new(command(&["worker"], Duration::from_secs(60)));
    client.device()?;
    let mut endless = fake::job("endless", 1024);
    let body = "var x = src[i]; loop { x = x * 0.5 + vec4(1.0); if (x.x > 1e30) { break; } } dst[i] = x";
    rewrite(&mut endless, "dst[i] = src[i]", body);
    let cancel = AtomicBool::new(false);
    let start = Instant::now();
    let ended = client.run(&endless, &cancel, &mut |e| {
        cancel.fetch_or(matches!(e, Event::Stage(s) if s == "running"), Ordering::SeqCst);
    });
    assert!(ended.is_err_and(|d| d.message.contains("cancelled")));
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(run(&mut client, &fake::job("copy", 1024))?.check().is_some_and(|c| c.ok));
    Ok(())
}

#[test]
fn ceilings_are_measured_and_plausible() -> Outcome {
    let Some((mut client, _)) = real()? else { return Ok(()) };
    let start = Instant::now();
    let ceilings = client.ceilings(&NEVER)?;
    writeln!(std::io::stderr(), "{ceilings:?} in {:?}", start.elapsed())?;
    for bandwidth in [ceilings.device_copy_bytes_per_s, ceilings.copy_bytes_per_s] {
        assert!(bandwidth.is_some_and(|b| (1e8..1e14).contains(&b)), "{ceilings:?}");
    }
    assert!(ceilings.fma_flops_per_s.is_some_and(|f| (1e6..1e16).contains(&f)), "{ceilings:?}");
    assert!(ceilings.launch_s.is_some_and(|s| (1e-8..0.1).contains(&s)), "{ceilings:?}");
    Ok(())
}

/// A worker whose stream ends after its first answer: the rest of a run is still an output.
#[test]
#[cfg(unix)]
fn a_worker_lost_while_ceilings_are_measured_is_a_warning() -> Outcome {
    use warpbook::session::run::devices::{Choice, Devices};
    use warpbook::session::run::{self, RunOptions};

    let mut first = Vec::new();
    protocol::write_hello(&mut first)?;
    protocol::write(&mut first, &Reply::Event(Event::Stage("opening the device".to_owned())))?;
    protocol::write(&mut first, &Reply::Device(fake::device()))?;
    let script = format!("'{}' worker --fake | head -c {}", env!("CARGO_BIN_EXE_warpbook"), first.len());
    // The kernel waits that long for an answer that is cut off.
    let deadline = Duration::from_secs(5);
    let devices = Devices::new(WorkerCommand { program: "sh".into(), ..command(&["-c", &script], deadline) });
    let folder = tempfile::tempdir()?;
    warpbook::session::pack::new_lesson::create(folder.path(), "one")?;
    let (pack, _) = warpbook::session::load(&PackFiles::Folder(folder.path().into()));
    let options = RunOptions { backend: Choice::Only(Backend::Wgpu), ..RunOptions::default() };
    let output = run::run(&devices, &pack, "one", &options, None, &AtomicBool::new(false), &mut |_, _| ())?;
    let kinds: Vec<WarningKind> = output.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!((kinds, output.kernels.len()), (vec![WarningKind::LostDevice], 1));
    Ok(())
}
