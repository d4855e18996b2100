//! A device's limits, checked before a launch and reported in terms of what the learner can change.

use super::features;
use crate::base::diag::{Diagnostic, any_of};
use crate::base::units::count;
use crate::job::{BindingKind, BufferSpec, Code, Job, Launch, written_for_cuda};
use crate::trace::record::{Backend, Device};

/// The largest uniform binding that every device of the interface has, in bytes.
const MAX_UNIFORM_BYTES: u64 = 64 << 10;

/// The most blocks of a CUDA grid in x.
const CUDA_MOST_BLOCKS: u32 = (1 << 31) - 1;

/// The most shared memory of a CUDA block, in bytes, on the devices that have most: 227 KiB from compute capability 9.0
/// on.
const CUDA_MOST_SHARED: u32 = 227 << 10;

/// The most launches in one run of a program.
const MAX_LAUNCHES: u64 = 1 << 16;

/// Bytes of all buffers that the tracer holds: it runs in the program that has the learner's notes.
const MAX_TRACED_BYTES: u64 = 4 << 30;

/// Which larger buffers the tracer takes: [`Job::is_paged`].
const PAGED: &str = "larger ones, up to 64 GiB, are held by the pages that a launch touches: random numbers, zeros or one number, of which \
                     only counts and findings are asked, no contents and no origin";

/// Every way in which `job` does not fit `device`; empty where it fits. Each names the parameters to change and what
/// would fit.
#[must_use]
pub fn check(job: &Job, device: &Device) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for launch in job.launches() {
        if launch.cuda_only().is_some() && device.backend != Backend::Cuda {
            return vec![written_for_cuda(&launch.kernel, launch.file())];
        }
        if let Some(missing) = features::missing(launch, device) {
            return vec![missing.in_place(&launch.place())];
        }
    }
    let launches = job.most_launches();
    if launches > MAX_LAUNCHES {
        let (launches, most) = (count(launches), count(MAX_LAUNCHES));
        let message = format!("`{}` may come to {launches} launches, and {most} are the most", job.program);
        found.push(Diagnostic::error(message).hint("repeat less often").in_place(&job.place));
    }
    // A program of one kernel is in the kernel's file.
    let file = job.launches().next().filter(|_| job.is_single()).map(Launch::place);
    let problems = job.buffers.iter().enumerate().filter_map(|(i, buffer)| {
        let is_uniform = |launch: &Launch| {
            launch.bindings.iter().any(|binding| binding.buffer == i && binding.kind == BindingKind::Uniform)
        };
        if device.backend == Backend::Simt && job.is_paged(i) {
            return None;
        }
        let problem = oversized(job, buffer, job.launches().any(is_uniform), device)?;
        Some(problem.in_place(file.as_ref().or(buffer.place.as_ref()).unwrap_or(&job.place)))
    });
    found.extend(problems);
    found.extend(too_much(job, device));
    for launch in job.launches() {
        let mut of_launch = Vec::new();
        grid(launch, device, &mut of_launch);
        workgroup(launch, device, &mut of_launch);
        found.extend(of_launch.into_iter().map(|problem| problem.in_place(&launch.place())));
    }
    found
}

/// The bytes of all buffers that a device has room for. None where its interface does not tell.
fn room(device: &Device) -> Option<u64> {
    match device.backend {
        Backend::Simt => Some(MAX_TRACED_BYTES),
        Backend::Cuda => Some(device.max_buffer_bytes),
        Backend::Wgpu => None,
    }
}

/// The bytes of all buffers.
#[must_use]
pub fn bytes(buffers: &[BufferSpec]) -> u64 {
    buffers.iter().map(BufferSpec::bytes).fold(0, u64::saturating_add)
}

/// Whether a device has room for each of the buffers, and for all of them.
#[must_use]
pub fn has_room(buffers: &[BufferSpec], device: &Device) -> bool {
    let most = device.max_binding_bytes.min(device.max_buffer_bytes);
    buffers.iter().all(|buffer| buffer.bytes() <= most) && room(device).is_none_or(|room| bytes(buffers) <= room)
}

/// That a job's buffers together are more than a device has room for, with those that take the most.
fn too_much(job: &Job, device: &Device) -> Option<Diagnostic> {
    // The tracer holds some buffers by the pages that are touched.
    let takes = if device.backend == Backend::Simt { job.footprint() } else { bytes(&job.buffers) };
    let room = room(device)?;
    if takes <= room {
        return None;
    }
    let message = format!(
        "the buffers of `{}` would take {} bytes, and {} has room for {}",
        job.program,
        count(takes),
        device.name,
        count(room)
    );
    let mut largest: Vec<&BufferSpec> = job.buffers.iter().collect();
    largest.sort_by_key(|buffer| std::cmp::Reverse(buffer.bytes()));
    let largest = largest.iter().take(3).map(|buffer| format!("`{}` {}", buffer.name, count(buffer.bytes())));
    let hint = format!("the largest are {}", largest.collect::<Vec<_>>().join(", "));
    Some(Diagnostic::error(message).hint(hint).in_place(&job.place))
}

fn oversized(job: &Job, buffer: &BufferSpec, is_uniform: bool, device: &Device) -> Option<Diagnostic> {
    let program = &job.program;
    let BufferSpec { name, blame, .. } = buffer;
    if buffer.count == 0 {
        let message = format!("buffer `{name}` of `{program}` would be empty");
        return Some(Diagnostic::error(message).hint(turn("raise", blame, "it needs at least 1 element")));
    }
    let most = device.max_binding_bytes.min(device.max_buffer_bytes);
    let most = if is_uniform { most.min(MAX_UNIFORM_BYTES) } else { most };
    // Counts come from lessons, so their product with the element's size may be anything.
    let bytes = buffer.bytes();
    (bytes > most).then(|| {
        let (takes, binds) = (count(bytes), count(most));
        let message = format!(
            "buffer `{name}` of `{program}` would take {takes} bytes, and {} binds at most {binds}",
            device.name
        );
        let each = buffer.elem.bytes();
        let fits = format!("the buffer can have {} elements of {each} bytes at most", count(most / each));
        let traces_cuda =
            device.backend == Backend::Simt && job.launches().all(|launch| matches!(launch.code, Code::Ptx(_)));
        let hint = turn("lower", blame, &fits);
        Diagnostic::error(message).hint(if traces_cuda { format!("{hint}; {PAGED}") } else { hint })
    })
}

fn grid(launch: &Launch, device: &Device, found: &mut Vec<Diagnostic>) {
    let blame = &launch.blame.grid;
    // CUDA's grids are longer than WebGPU's (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
    let max_grid =
        if matches!(launch.code, Code::Ptx(_)) { [CUDA_MOST_BLOCKS, 65_535, 65_535] } else { device.max_grid };
    for ((axis, groups), most) in ["x", "y", "z"].iter().zip(launch.grid.most()).zip(max_grid) {
        if groups == 0 {
            let message = format!("kernel `{}` would be launched with no workgroups in {axis}", launch.kernel);
            found.push(Diagnostic::error(message).hint(turn("raise", blame, "at least 1 workgroup is needed")));
        } else if groups > most {
            let message = format!(
                "kernel `{}` would be launched with {} workgroups in {axis}, and {} allows {}",
                launch.kernel,
                count(groups.into()),
                device.name,
                count(most.into())
            );
            let fits = format!("at most {} fit in this dimension", count(most.into()));
            // More of them can be had by larger workgroups as well as by less work.
            found.push(Diagnostic::error(message).hint(turn("change", blame, &fits)));
        }
    }
}

fn workgroup(launch: &Launch, device: &Device, found: &mut Vec<Diagnostic>) {
    let Some(shape) = launch.workgroup else { return };
    let blame = &launch.blame.workgroup;
    let invocations = shape.size.iter().fold(1_u64, |product, &n| product.saturating_mul(n.into()));
    let [x, y, z] = shape.size;
    let too_many = invocations > device.max_workgroup_invocations.into();
    if too_many {
        let most = count(device.max_workgroup_invocations.into());
        let message = format!(
            "a workgroup of kernel `{}` would have {x} x {y} x {z} = {} invocations, and {} allows {most}",
            launch.kernel,
            count(invocations),
            device.name
        );
        // Larger divisors make it smaller, too.
        found.push(Diagnostic::error(message).hint(turn("change", blame, &format!("at most {most} invocations fit"))));
    }
    for ((axis, &size), &most) in ["x", "y", "z"].iter().zip(&shape.size).zip(&device.max_workgroup_size) {
        if size > most && !too_many {
            let message = format!(
                "a workgroup of kernel `{}` would be {size} wide in {axis}, and {} allows {most}",
                launch.kernel, device.name
            );
            found.push(Diagnostic::error(message).hint(turn(
                "change",
                blame,
                &format!("at most {most} fit in {axis}"),
            )));
        }
    }
    let max_shared = if matches!(launch.code, Code::Ptx(_)) { CUDA_MOST_SHARED } else { device.max_shared_bytes };
    if shape.shared_bytes > max_shared {
        let message = format!(
            "a workgroup of kernel `{}` would take {} bytes of workgroup memory, and {} has {}",
            launch.kernel,
            count(shape.shared_bytes.into()),
            device.name,
            count(max_shared.into())
        );
        let fits = format!("at most {} bytes fit", count(max_shared.into()));
        found.push(Diagnostic::error(message).hint(turn("lower", &launch.blame.shared, &fits)));
    }
}

/// "lower `n`, `m` or `block`: at most …"; only what fits where no parameter is to blame.
fn turn(verb: &str, blame: &[String], fits: &str) -> String {
    if blame.is_empty() {
        return fits.to_owned();
    }
    format!("{verb} {}: {fits}", any_of(blame))
}

#[cfg(test)]
mod tests {
    use super::super::fake;
    use super::*;
    use crate::job::{Blame, Grid, Node, Repeat, WorkgroupShape};

    fn with_launch(job: &mut Job, change: impl FnOnce(&mut Launch)) {
        fake::only_launch(job).map(change);
    }

    fn texts(change: impl FnOnce(&mut Job)) -> Vec<String> {
        let mut job = fake::job("copy", 1024);
        job.buffers[0].blame = vec!["`n`".into()];
        job.buffers[1].blame = vec!["`n`".into(), "`stride`".into()];
        with_launch(&mut job, |launch| {
            launch.blame.grid = vec!["`n`".into()];
            launch.blame.workgroup = vec!["`block`".into()];
            launch.blame.shared = vec!["`bm`".into(), "`bn`".into(), "`bk`".into()];
        });
        change(&mut job);
        check(&job, &fake::device()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_fits_is_not_mentioned() {
        assert_eq!(texts(|_| ()), Vec::<String>::new());
    }

    #[test]
    fn each_limit_names_the_parameter_and_what_fits() {
        let large = texts(|job| job.buffers[1].count = 1 << 40);
        assert_eq!(large.len(), 1);
        assert!(
            large[0].starts_with(
                "shaders/ceilings/copy.wgsl:6:4: error: buffer `dst` of `copy` would take 4,398,046,511,104 bytes"
            ),
            "{}",
            large[0]
        );
        assert!(
            large[0].ends_with("lower `n` or `stride`: the buffer can have 33,554,432 elements of 4 bytes at most"),
            "{}",
            large[0]
        );
        assert!(texts(|job| job.buffers[0].count = u64::MAX)[0].contains("at most"));
        assert!(texts(|job| job.buffers[0].count = 0)[0].contains("raise `n`: it needs at least 1 element"));
        let uniform = texts(|job| {
            with_launch(job, |launch| launch.bindings[0].kind = BindingKind::Uniform);
            job.buffers[0].count = 20_000;
        });
        assert!(uniform[0].contains("the buffer can have 16,384 elements"), "{}", uniform[0]);
        let grid = texts(|job| with_launch(job, |launch| launch.grid = Grid::Fixed([70_000, 1, 0])));
        assert_eq!(grid.len(), 2);
        assert!(grid[0].contains("70,000 workgroups in x") && grid[0].contains("change `n`: at most 65,535 fit"));
        let shape = |size, shared_bytes| {
            let shape = Some(WorkgroupShape { size, shared_bytes });
            texts(move |job| with_launch(job, |launch| launch.workgroup = shape))
        };
        assert!(shape([64, 64, 1], 0)[0].contains("64 x 64 x 1 = 4,096 invocations"));
        assert!(shape([64, 64, 1], 0)[0].contains("change `block`: at most 1,024 invocations fit"));
        assert!(shape([1, 1, 128], 0)[0].contains("at most 64 fit in z"));
        assert!(shape([u32::MAX; 3], 0)[0].contains("invocations"));
        assert!(shape([32, 1, 1], 40_000)[0].contains("lower `bm`, `bn` or `bk`: at most 32,768 bytes fit"));
    }

    #[test]
    fn buffers_that_fit_one_by_one_may_be_too_much_together() {
        let mut job = fake::job("copy", 1 << 28);
        job.buffers[1].count = (1 << 28) + 1;
        let device = Device {
            backend: Backend::Cuda,
            max_binding_bytes: 1 << 31,
            max_buffer_bytes: 1 << 31,
            max_grid: [1 << 20; 3],
            ..fake::device()
        };
        let text = |job: &Job| check(job, &device).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(text(&job).len(), 1, "{:?}", text(&job));
        let said = "would take 2,147,483,652 bytes, and scripted device has room for 2,147,483,648";
        assert!(text(&job)[0].contains(said), "{:?}", text(&job));
        assert!(
            text(&job)[0].ends_with("the largest are `dst` 1,073,741,828, `src` 1,073,741,824"),
            "{:?}",
            text(&job)
        );
        job.buffers[1].count -= 1;
        assert_eq!(text(&job), Vec::<String>::new());
    }

    #[test]
    fn without_blame_the_number_stands_alone() {
        let text = texts(|job| {
            with_launch(job, |launch| {
                launch.blame = Blame::default();
                launch.grid = Grid::Fixed([70_000, 1, 1]);
            });
        });
        assert!(text[0].ends_with("hint: at most 65,535 fit in this dimension"), "{}", text[0]);
    }

    #[test]
    fn programs_have_an_end() {
        let text = texts(|job| {
            let body = std::mem::take(&mut job.body);
            job.body = vec![Node::Repeat(Repeat { id: "rounds".into(), times: 1 << 40, until: None, body })];
        });
        assert!(text[0].contains("may come to 1,099,511,627,776 launches, and 65,536 are the most"), "{}", text[0]);
        // Rounds without a launch take their time as well.
        let text = texts(|job| {
            let repeat = |times, body| vec![Node::Repeat(Repeat { id: "rounds".into(), times, until: None, body })];
            let body = std::mem::take(&mut job.body);
            job.body = repeat(1 << 20, repeat(1 << 20, repeat(0, body)));
        });
        assert!(text[0].contains("may come to 1,099,511,627,776 launches"), "{}", text[0]);
    }
}
