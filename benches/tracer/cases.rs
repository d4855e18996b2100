//! The kernels that are timed.

use std::sync::atomic::AtomicBool;

use warpbook::base::tensor::{Elem, Init, Tensor};
use warpbook::job::TraceSpec;
use warpbook::simt::{Options, Program, run};

/// A kernel with its buffers, ready to run.
pub struct Case {
    /// For the table.
    pub name: String,
    /// WGSL.
    pub source: &'static str,
    /// Its entry point.
    pub entry: &'static str,
    /// Values of its overrides.
    pub constants: Vec<(String, f64)>,
    /// Elements of each buffer, the output last; all are floats.
    pub counts: Vec<u64>,
    /// Workgroups.
    pub grid: [u32; 3],
    /// The same kernel in OpenCL, where it is compared with others.
    pub opencl: Option<&'static str>,
    program: Program,
    buffers: Vec<Tensor>,
}

/// All kernels of the table.
pub fn all() -> Vec<Case> {
    let naive = include_str!("../../tests/kernels/naive_matmul.wgsl");
    vec![
        tiled(512),
        Case::new("naive matmul 512³", naive, "x_is_row", &[("n", 512.0)], &[512 * 512; 3], [32, 32, 1], None),
        Case::new(
            "strided copy 1 Mi",
            include_str!("../../tests/kernels/strided.wgsl"),
            "copy",
            &[("stride", 2.0)],
            &[2 << 20, 1 << 20],
            [4096, 1, 1],
            Some(include_str!("strided.cl")),
        ),
    ]
}

/// A matmul of n³ through tiles of 32×32 in workgroup memory.
pub fn tiled(n: u32) -> Case {
    let (source, opencl) = (include_str!("../../tests/kernels/tiled_matmul.wgsl"), include_str!("tiled.cl"));
    let (size, side) = (u64::from(n * n), n / 32);
    let name = format!("tiled matmul {n}³");
    Case::new(&name, source, "tiled", &[("n", f64::from(n))], &[size; 3], [side, side, 1], Some(opencl))
}

impl Case {
    fn new(
        name: &str,
        source: &'static str,
        entry: &'static str,
        constants: &[(&str, f64)],
        counts: &[u64],
        grid: [u32; 3],
        opencl: Option<&'static str>,
    ) -> Self {
        let constants: Vec<(String, f64)> = constants.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect();
        match Program::compile("bench.wgsl", source, entry, &constants) {
            Ok(program) => {
                let (name, counts) = (name.to_owned(), counts.to_vec());
                let fill = |(i, n): (u64, &u64)| {
                    Tensor::new(Elem::F32, usize::try_from(*n).unwrap_or(usize::MAX), Init::Random, 1, i)
                };
                let buffers = (0..).zip(&counts).map(fill).collect();
                Self { name, source, entry, constants, counts, grid, opencl, program, buffers }
            }
            Err(errors) => panic!("{errors:?}"),
        }
    }

    /// Invocations of a workgroup.
    pub fn workgroup(&self) -> [u32; 3] {
        self.program.workgroup_size()
    }

    /// Runs the whole grid, on `threads` threads or all that the machine has.
    pub fn run(&mut self, threads: Option<usize>, count: bool) {
        self.run_with(&Options { threads, count, ..Options::default() });
    }

    /// Runs only the first workgroup, as the window does when a parameter turns.
    pub fn run_shown(&mut self) {
        let spec = TraceSpec {
            timeline_workgroups: vec![0],
            only_timeline_workgroups: true,
            races: true,
            ..TraceSpec::default()
        };
        self.run_with(&Options { spec, ..Options::default() });
    }

    fn run_with(&mut self, options: &Options) {
        let cancel = AtomicBool::new(false);
        if let Err(error) = run(&self.program, &mut self.buffers, self.grid, options, &cancel, &|_, _| {}) {
            panic!("{error}");
        }
    }
}
