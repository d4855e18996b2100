//! What a device allows, said before a launch and in terms of what the learner can turn.

use super::needs;
use crate::base::diag::{Diagnostic, any_of};
use crate::base::units::count;
use crate::job::{BindingKind, Job, written_for_cuda};
use crate::trace::record::{Backend, Device};

/// The largest uniform binding that every device of the interface has, in bytes.
const MAX_UNIFORM_BYTES: u64 = 64 << 10;

/// Every way in which `job` does not fit `device`; empty where it fits. Each names the parameters to change and what would fit.
#[must_use]
pub fn check(job: &Job, device: &Device) -> Vec<Diagnostic> {
    if job.cuda_only.is_some() && device.backend != Backend::Cuda {
        return vec![written_for_cuda(&job.kernel, &job.file)];
    }
    if let Some(missing) = needs::missing(job, device) {
        return vec![missing.in_file(&job.file)];
    }
    let mut found = Vec::new();
    buffers(job, device, &mut found);
    grid(job, device, &mut found);
    workgroup(job, device, &mut found);
    found.into_iter().map(|d| d.in_file(&job.file)).collect()
}

fn buffers(job: &Job, device: &Device, found: &mut Vec<Diagnostic>) {
    for (i, buffer) in job.buffers.iter().enumerate() {
        let blame = job.blame.buffers.get(i).map_or(&[][..], Vec::as_slice);
        let name = &buffer.name;
        if buffer.count == 0 {
            let message = format!("buffer `{name}` of kernel `{}` would be empty", job.kernel);
            found.push(Diagnostic::error(message).hint(turn("raise", blame, "it needs at least 1 element")));
            continue;
        }
        let most = device.max_binding_bytes.min(device.max_buffer_bytes);
        let most = if buffer.kind == BindingKind::Uniform { most.min(MAX_UNIFORM_BYTES) } else { most };
        // Counts come from lessons, so their product with the element's size may be anything.
        let bytes = buffer.bytes();
        if bytes > most {
            let message = format!(
                "buffer `{name}` of kernel `{}` would take {} bytes, and {} binds at most {}",
                job.kernel,
                count(bytes),
                device.name,
                count(most)
            );
            let each = buffer.elem.bytes();
            let fits = format!("the buffer can have {} elements of {each} bytes at most", count(most / each));
            found.push(Diagnostic::error(message).hint(turn("lower", blame, &fits)));
        }
    }
}

fn grid(job: &Job, device: &Device, found: &mut Vec<Diagnostic>) {
    let blame = &job.blame.grid;
    for (axis, &groups) in ["x", "y", "z"].iter().zip(&job.grid) {
        if groups == 0 {
            let message = format!("kernel `{}` would be launched with no workgroups in {axis}", job.kernel);
            found.push(Diagnostic::error(message).hint(turn("raise", blame, "at least 1 workgroup is needed")));
        } else if groups > device.max_grid {
            let message = format!(
                "kernel `{}` would be launched with {} workgroups in {axis}, and {} allows {}",
                job.kernel,
                count(groups.into()),
                device.name,
                count(device.max_grid.into())
            );
            let fits = format!("at most {} fit in one dimension", count(device.max_grid.into()));
            // More of them can be had by larger workgroups as well as by less work.
            found.push(Diagnostic::error(message).hint(turn("change", blame, &fits)));
        }
    }
}

fn workgroup(job: &Job, device: &Device, found: &mut Vec<Diagnostic>) {
    let Some(shape) = job.workgroup else { return };
    let blame = &job.blame.workgroup;
    let invocations = shape.size.iter().fold(1_u64, |product, &n| product.saturating_mul(n.into()));
    let [x, y, z] = shape.size;
    let too_many = invocations > device.max_workgroup_invocations.into();
    if too_many {
        let most = count(device.max_workgroup_invocations.into());
        let message = format!(
            "a workgroup of kernel `{}` would have {x} x {y} x {z} = {} invocations, and {} allows {most}",
            job.kernel,
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
                job.kernel, device.name
            );
            found.push(Diagnostic::error(message).hint(turn(
                "change",
                blame,
                &format!("at most {most} fit in {axis}"),
            )));
        }
    }
    if shape.shared_bytes > device.max_shared_bytes {
        let message = format!(
            "a workgroup of kernel `{}` would take {} bytes of workgroup memory, and {} has {}",
            job.kernel,
            count(shape.shared_bytes.into()),
            device.name,
            count(device.max_shared_bytes.into())
        );
        let fits = format!("at most {} bytes fit", count(device.max_shared_bytes.into()));
        found.push(Diagnostic::error(message).hint(turn("lower", &job.blame.shared, &fits)));
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
    use crate::job::WorkgroupShape;

    fn texts(change: impl FnOnce(&mut Job)) -> Vec<String> {
        let mut job = fake::job("copy", 1024);
        job.blame.buffers = vec![vec!["`n`".into()], vec!["`n`".into(), "`stride`".into()]];
        job.blame.grid = vec!["`n`".into()];
        job.blame.workgroup = vec!["`block`".into()];
        job.blame.shared = vec!["`bm`".into(), "`bn`".into(), "`bk`".into()];
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
            large[0]
                .starts_with("shaders/ceilings/copy.wgsl:1:1: error: buffer `dst` of kernel `copy` would take 4,398,046,511,104 bytes"),
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
            job.buffers[0].kind = BindingKind::Uniform;
            job.buffers[0].count = 20_000;
        });
        assert!(uniform[0].contains("the buffer can have 16,384 elements"), "{}", uniform[0]);
        let grid = texts(|job| job.grid = [70_000, 1, 0]);
        assert_eq!(grid.len(), 2);
        assert!(grid[0].contains("70,000 workgroups in x") && grid[0].contains("change `n`: at most 65,535 fit"));
        let shape = |size, shared_bytes| texts(move |job| job.workgroup = Some(WorkgroupShape { size, shared_bytes }));
        assert!(shape([64, 64, 1], 0)[0].contains("64 x 64 x 1 = 4,096 invocations"));
        assert!(shape([64, 64, 1], 0)[0].contains("change `block`: at most 1,024 invocations fit"));
        assert!(shape([1, 1, 128], 0)[0].contains("at most 64 fit in z"));
        assert!(shape([u32::MAX; 3], 0)[0].contains("invocations"));
        assert!(shape([32, 1, 1], 40_000)[0].contains("lower `bm`, `bn` or `bk`: at most 32,768 bytes fit"));
    }

    #[test]
    fn without_blame_the_number_stands_alone() {
        let text = texts(|job| {
            job.blame = crate::job::Blame::default();
            job.grid = [70_000, 1, 1];
        });
        assert!(text[0].ends_with("hint: at most 65,535 fit in one dimension"), "{}", text[0]);
    }
}
