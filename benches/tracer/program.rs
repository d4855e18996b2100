//! A program of many passes beside its passes traced alone: what it costs to keep buffers, and what is known of them,
//! from pass to pass.

use std::sync::atomic::AtomicBool;

use warpbook::base::tensor::{Elem, Init};
use warpbook::base::units::Work;
use warpbook::gpu::simt;
use warpbook::job::{Action, BufferSpec, Content, Job, Node, Pass, TraceSpec, Wgsl};
use warpbook::simt::Program;

/// Elements of each buffer.
const ELEMENTS: u64 = 1 << 20;
/// Passes.
const PASSES: usize = 12;

/// Passes that smooth one buffer into the other, to and fro.
pub struct Passes(Vec<Pass>);

impl Passes {
    /// Compiles the kernel.
    pub fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let source = include_str!("../../tests/packs/programs/shaders/programs/smooth.wgsl");
        #[expect(clippy::cast_precision_loss, reason = "a power of two")]
        let overrides = vec![("N".to_owned(), ELEMENTS as f64)];
        let program = Program::compile("smooth.wgsl", source, "main", &overrides)
            .map_err(|errors| errors.first().map_or_else(String::new, ToString::to_string))?;
        let pass = |number: usize| {
            let wgsl = Wgsl {
                file: "smooth.wgsl".to_owned(),
                source: source.into(),
                entry: "main".to_owned(),
                overrides: overrides.clone(),
                consts: Vec::new(),
                twin: None,
            };
            let mut launch = program.launch("smooth", wgsl, [u32::try_from(ELEMENTS / 256).unwrap_or(1), 1, 1]);
            for binding in &mut launch.bindings {
                // Every other pass goes the other way.
                binding.buffer = (binding.buffer + number) % 2;
            }
            Pass { id: format!("pass_{number}"), action: Action::Launch(Box::new(launch)), work: Work::default() }
        };
        Ok(Self((0..PASSES).map(pass).collect()))
    }

    fn run(&self, passes: &[Pass], races: bool) -> Result<(), Box<dyn std::error::Error>> {
        let Some(Action::Launch(first)) = passes.first().map(|pass| &pass.action) else { return Ok(()) };
        let buffer = |name: &str| BufferSpec {
            name: name.to_owned(),
            elem: Elem::F32,
            count: ELEMENTS,
            content: Content::Made(Init::Random),
            columns: None,
            blame: Vec::new(),
            place: None,
        };
        let job = Job::of((**first).clone(), vec![buffer("a"), buffer("b")]);
        let job = Job {
            body: (0..passes.len()).map(Node::Pass).collect(),
            passes: passes.to_vec(),
            trace: Some(TraceSpec { races, ..TraceSpec::default() }),
            ..job
        };
        let record = simt::run(&job, &AtomicBool::new(false), &mut |_| {}).map_err(|problem| problem.to_string())?;
        if record.complete() && record.passes.len() == passes.len() { Ok(()) } else { Err("not traced in full".into()) }
    }

    /// All of them as one program.
    pub fn together(&self, races: bool) -> Result<(), Box<dyn std::error::Error>> {
        self.run(&self.0, races)
    }

    /// One after the other, each as a program of its own.
    pub fn alone(&self, races: bool) -> Result<(), Box<dyn std::error::Error>> {
        self.0.chunks(1).try_for_each(|pass| self.run(pass, races))
    }
}
