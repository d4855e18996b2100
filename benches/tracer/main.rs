//! How fast the tracer is, beside what else runs such kernels on a CPU: Oclgrind, which interprets OpenCL, and the
//! machine's graphics driver, which compiles WGSL. Run with `cargo bench --bench tracer`;
//! `cargo bench --bench tracer -- own` leaves the others out. What was tried to make it fast, and what it gave, is in
//! NOTES.md beside this file.
#![expect(clippy::print_stdout, reason = "a benchmark's output")]

mod cases;
mod driver;
mod oclgrind;
mod program;

use std::time::Instant;

/// How often each of our own runs is repeated; the median counts.
const SAMPLES: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let peers = !std::env::args().any(|arg| arg == "own");
    println!("{:<22} {:>9} {:>9} {:>7} {:>10}   others", "kernel", "plain", "counted", "extra", "counted×2");
    for mut case in cases::all() {
        let plain = median(|| case.run(Some(1), false));
        let counted = median(|| case.run(Some(1), true));
        let both = median(|| case.run(None, true));
        let mut line = format!(
            "{:<22} {} {} {:>6.1}% {}",
            case.name,
            seconds(plain),
            seconds(counted),
            100.0 * (counted / plain - 1.0),
            format_args!("{:>10}", seconds(both).trim()),
        );
        if peers && let Some(source) = case.opencl {
            line += &match driver::time(&case) {
                Ok(theirs) => format!("   driver {}, {:.2}× ours on all cores", seconds(theirs).trim(), theirs / both),
                Err(why) => format!("   driver: {why}"),
            };
            line += &match oclgrind::time(&case, source) {
                Ok(theirs) => {
                    format!("   Oclgrind {}, {:.0}× ours, one thread each", seconds(theirs).trim(), theirs / counted)
                }
                Err(why) => format!("   Oclgrind: {why}"),
            };
        }
        println!("{line}");
    }
    let passes = program::Passes::new()?;
    for (races, what) in [(false, "counted"), (true, "with every check")] {
        passes.together(races)?;
        let together = median(|| passes.together(races).unwrap_or_default());
        let alone = median(|| passes.alone(races).unwrap_or_default());
        println!(
            "12 passes over 1 Mi elements, {what}: {} as a program, {} alone, {:.3}×",
            seconds(together).trim(),
            seconds(alone).trim(),
            together / alone
        );
    }
    let mut large = cases::tiled(1024);
    let start = Instant::now();
    large.run(None, true);
    println!(
        "{} in full: {}, at most {} MB of memory",
        large.name,
        seconds(start.elapsed().as_secs_f64()).trim(),
        peak_mb()?
    );
    let shown = median(|| large.run_shown());
    println!("{}, its first workgroup alone with every event and check: {}", large.name, seconds(shown).trim());
    Ok(())
}

/// The median time of a few runs, in seconds.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[SAMPLES / 2]
}

fn seconds(s: f64) -> String {
    let text = if s < 0.1 { format!("{:.2} ms", s * 1e3) } else { format!("{s:.3} s") };
    format!("{text:>9}")
}

/// The most memory that this process has had, as Linux reports it.
fn peak_mb() -> Result<u64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("the system does not say")?;
    let kilobytes: u64 = line.split_whitespace().nth(1).ok_or("the system does not say")?.parse()?;
    Ok(kilobytes / 1000)
}
