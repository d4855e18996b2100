//! How the constant cache serves the lanes of a warp that read a uniform buffer: the tracer's passes beside an H100's,
//! which `uniform.py` reads.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use warpbook::base::diag::Diagnostic;
use warpbook::base::tensor::{Elem, Tensor};
use warpbook::simt::{Options, Program, run};

use super::cases::json;

/// The contents of `uniform.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    /// Device, date, command and counter.
    head: BTreeMap<String, String>,
    blocks: u32,
    threads: u32,
    /// Reads of each active lane.
    reads: u32,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Floats that a lane reads at once.
    components: u32,
    /// Neighbours that read one place; 0 for a whole block.
    group: u32,
    /// From one group's place to the next one's.
    stride: u32,
    /// Active lanes of each warp.
    active: u32,
    /// The passes that the hardware counted.
    passes: u64,
}

impl Row {
    fn name(&self) -> String {
        let Self { components, group, stride, active, .. } = self;
        let bytes = 4 * components;
        match group {
            0 => format!("all lanes of a block at one place, {bytes} bytes"),
            1 => format!("each lane at its own place, {bytes} bytes, stride {stride}, {active} of 32 lanes"),
            n => format!("{n} lanes at one place, {bytes} bytes, stride {stride}, {active} of 32 lanes"),
        }
    }

    /// The tracer's passes.
    fn traced(&self, of: &Measured) -> Result<u64, String> {
        let value = match self.components {
            1 => "table[place].x",
            2 => "dot(table[place].v, vec2(1.0))",
            _ => "dot(table[place], vec4(1.0))",
        };
        // Elements of a uniform array are 16 bytes apart.
        let element = if self.components == 2 { "Pair" } else { "vec4<f32>" };
        let at = if self.group == 0 {
            "g.x".to_owned()
        } else {
            format!("(g.x * {}u + i) / {}u * {}u", of.threads, self.group, self.stride)
        };
        let source = format!(
            "struct Pair {{ @size(16) v: vec2<f32> }}
            @group(0) @binding(0) var<uniform> table: array<{element}, 4096>;
            @group(0) @binding(1) var<storage, read_write> out: array<f32>;
            @compute @workgroup_size({}) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3<u32>) {{
            var sum = 0.0;
            if (i % 32u < {}u) {{
                for (var k = 0u; k < {}u; k++) {{ let place = ({at} + k) % 4096u; sum += {value}; }}
            }}
            out[g.x * {}u + i] = sum;
            }}",
            of.threads, self.active, of.reads, of.threads,
        );
        let program = Program::compile("uniform.wgsl", &source, "main", &[])
            .map_err(|found| found.iter().map(Diagnostic::to_string).collect::<String>())?;
        let zeros = |words: u32| Tensor { elem: Elem::F32, words: vec![0; words as usize] };
        let mut buffers = [zeros(4 * 4096), zeros(of.blocks * of.threads)];
        let grid = [of.blocks, 1, 1];
        let outcome = run(&program, &mut buffers, grid, &Options::default(), &AtomicBool::new(false), &|_, _| {});
        Ok(outcome.map_err(|problem| problem.to_string())?.trace.uniform.load.passes)
    }
}

/// The section of `TABLE.md`.
pub fn markdown() -> Result<String, String> {
    let measured: Measured = json("uniform.json")?;
    let head: Vec<String> = measured.head.iter().map(|(what, said)| format!("{what} `{said}`")).collect();
    let mut out = format!(
        "\n## Uniform buffers\n\nPasses through the constant cache, of `__constant__` memory in CUDA ({}). wgpu shows no counters: that Vulkan's uniform buffers take the same way is \
         inferred.\n\n| row | hardware | tracer | why |\n| --- | --- | --- | --- |\n",
        head.join(", ")
    );
    for row in &measured.rows {
        let traced = row.traced(&measured)?;
        let (shown, why) = match (traced == row.passes, row.group) {
            (true, _) => ("=".to_owned(), ""),
            (false, 0) => {
                let why = "The address is the same for all lanes: nvcc reads 16 bytes in two halves here, and where it can through the uniform \
                           datapath, which is not counted. The tracer counts one pass.";
                (traced.to_string(), why)
            }
            (false, _) => (traced.to_string(), "not explained"),
        };
        writeln!(out, "| {} | {} | {shown} | {why} |", row.name(), row.passes).ok();
    }
    Ok(out)
}

#[test]
fn passes_of_lanes_at_their_own_places_are_the_hardwares() -> Result<(), String> {
    let measured: Measured = json("uniform.json")?;
    assert!(measured.rows.iter().filter(|row| row.group > 0).count() >= 24);
    for row in measured.rows.iter().filter(|row| row.group > 0) {
        assert_eq!(row.traced(&measured)?, row.passes, "{}", row.name());
    }
    Ok(())
}
