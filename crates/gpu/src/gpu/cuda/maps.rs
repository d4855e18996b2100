//! Tensor maps: the hardware's requirements, reported in the learner's terms before the driver refuses.

use super::device::Gpu;
use crate::base::diag::{Diagnostic, any_of};
use crate::base::units::count;
use crate::gpu::backend::Failure;
use crate::job::{BufferSpec, Launch, TensorMap};

/// Bytes that rows of the matrix begin at multiples of, and rows of a tile have multiples of.
/// These three are from the CUDA driver API, `cuTensorMapEncodeTiled`.
const PIECE: u64 = 16;
/// Columns or rows that a tile has at most.
const MOST: u32 = 256;

/// The first architecture with tensor maps.
const FIRST: i32 = 90;

/// Says what of a launch's tensor maps cannot be.
///
/// # Errors
/// The first thing that is wrong, with its number.
pub(super) fn check(gpu: &Gpu, launch: &Launch, buffers: &[BufferSpec]) -> Result<(), Failure> {
    let Some(only) = launch.cuda_only() else { return Ok(()) };
    if !only.maps.is_empty() && gpu.architecture < FIRST {
        let message = format!(
            "kernel `{}` fetches tiles by tensor maps, which GPUs have from sm_90 on: this is sm_{}",
            launch.kernel, gpu.architecture
        );
        let problem = Diagnostic::error(message).in_file(launch.file()).hint("run a kernel without them").not_here();
        return Err(problem.into());
    }
    match only.maps.iter().find_map(|map| wrong(launch, buffers, map)) {
        Some(problem) => Err(problem.in_file(launch.file()).into()),
        None => Ok(()),
    }
}

/// The problem with one, if any.
fn wrong(launch: &Launch, buffers: &[BufferSpec], map: &TensorMap) -> Option<Diagnostic> {
    let Some(at) = launch.bound(&map.buffer) else {
        return Some(Diagnostic::error(format!(
            "kernel `{}` has no buffer `{}` for a tensor map",
            launch.kernel, map.buffer
        )));
    };
    let buffer = &buffers[at];
    let each = buffer.elem.bytes();
    let of = format!("the tensor map of `{}`", map.buffer);
    let turn = |fits: &str| match buffer.blame.as_slice() {
        [] => fits.to_owned(),
        blame => format!("change {}: {fits}", any_of(blame)),
    };
    let pitch = map.columns * each;
    let tile = u64::from(map.box_columns) * each;
    if !pitch.is_multiple_of(PIECE) {
        let message = format!("{of} has rows of {} bytes, and they have to be multiples of {PIECE}", count(pitch));
        let fits = format!("{} columns, say", count(map.columns.next_multiple_of(PIECE / each)));
        return Some(Diagnostic::error(message).hint(turn(&fits)));
    }
    if map.columns.checked_mul(map.rows).is_none_or(|needed| needed > buffer.count) {
        let message =
            format!("{of} has {} x {} elements, and the buffer {}", map.rows, map.columns, count(buffer.count));
        return Some(Diagnostic::error(message).hint("give the map the matrix's own rows and columns"));
    }
    if map.box_columns > MOST || map.box_rows > MOST {
        let message =
            format!("{of} has tiles of {} x {}, and {MOST} of either is the most", map.box_rows, map.box_columns);
        return Some(Diagnostic::error(message).hint("fetch a larger tile in several parts"));
    }
    if !tile.is_multiple_of(PIECE) || (map.swizzle != 0 && tile > map.swizzle.into()) {
        let most = if map.swizzle == 0 {
            String::new()
        } else {
            format!(", and of at most the {} that are mixed", map.swizzle)
        };
        let message = format!("{of} has tiles with rows of {tile} bytes: they have to be multiples of {PIECE}{most}");
        return Some(Diagnostic::error(message).hint("change `box_columns`, or the swizzle"));
    }
    None
}

/// Says how much shared memory the launch may give, where it asks for more than `most` bytes: what is left beside the
/// kernel's own.
///
/// # Errors
/// When it asks for more.
pub(super) fn check_shared(gpu: &Gpu, launch: &Launch, most: u32) -> Result<(), Failure> {
    let asked = launch.cuda_only().map_or(0, |only| only.shared_bytes);
    if asked <= most {
        return Ok(());
    }
    let (asked, most) = (count(asked.into()), count(most.into()));
    let message = format!(
        "a workgroup of kernel `{}` would take {asked} bytes of shared memory beside what it declares, and {} gives at most {most}",
        launch.kernel, gpu.description.name
    );
    let lower = match launch.blame.shared.as_slice() {
        [] => String::new(),
        blame => format!("lower {}: ", any_of(blame)),
    };
    Err(Diagnostic::error(message).in_file(launch.file()).hint(format!("{lower}at most {most} bytes fit")).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::tensor::Elem;
    use crate::gpu::fake;

    #[test]
    fn what_the_hardware_refuses_is_said_with_its_number() {
        let mut job = fake::job("copy", 128 * 100);
        job.buffers[0].elem = Elem::Bf16;
        job.buffers[0].blame = vec!["`k`".to_owned()];
        let buffer = job.buffers[0].name.clone();
        let Some(launch) = job.launches().next() else { unreachable!("it launches one") };
        let good = TensorMap { buffer, columns: 128, rows: 100, box_columns: 64, box_rows: 128, swizzle: 128 };
        let said = |map: TensorMap| wrong(launch, &job.buffers, &map).map(|d| d.to_string()).unwrap_or_default();
        assert_eq!(said(good.clone()), "");
        let odd = said(TensorMap { columns: 127, ..good.clone() });
        assert!(odd.contains("rows of 254 bytes") && odd.contains("change `k`: 128 columns"), "{odd}");
        assert!(said(TensorMap { rows: 101, ..good.clone() }).contains("101 x 128 elements"));
        assert!(said(TensorMap { box_rows: 257, ..good.clone() }).contains("tiles of 257 x 64"));
        assert!(said(TensorMap { swizzle: 64, ..good.clone() }).contains("rows of 128 bytes"));
        assert!(said(TensorMap { box_columns: 4, ..good.clone() }).contains("rows of 8 bytes"));
        assert!(said(TensorMap { buffer: "gone".into(), ..good }).contains("no buffer `gone`"));
    }
}
