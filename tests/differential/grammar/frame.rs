//! The module around a random kernel: its buffers, what it is called with, and its entry point.

use super::Features;
use super::types::Ty;

/// A kernel: a function `run` of the invocation's indices, which returns a digest of what it computed.
pub struct Kernel {
    pub features: Features,
    /// The workgroups it runs in.
    pub shape: Shape,
    /// Values of its overrides.
    pub constants: Vec<(String, f64)>,
    /// Whether the size of its workgroups is one of them.
    pub sized_late: bool,
    /// The members of its storage buffer.
    pub stored: String,
    /// How many statements it was made of.
    pub statements: usize,
    /// Its structures, variables and functions.
    pub text: String,
}

/// The workgroups of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Invocations of a workgroup in x, y, z.
    pub size: [u32; 3],
    /// Workgroups in x, y, z.
    pub grid: [u32; 3],
}

/// Whole warps, a warp cut off, fewer lanes than a warp; lines, planes and boxes.
const SHAPES: [Shape; 8] = [
    Shape { size: [64, 1, 1], grid: [2, 1, 1] },
    Shape { size: [48, 1, 1], grid: [1, 2, 1] },
    Shape { size: [100, 1, 1], grid: [2, 1, 1] },
    Shape { size: [20, 1, 1], grid: [3, 1, 1] },
    Shape { size: [8, 6, 1], grid: [2, 1, 1] },
    Shape { size: [4, 3, 5], grid: [1, 1, 2] },
    Shape { size: [1, 40, 1], grid: [1, 2, 2] },
    Shape { size: [16, 2, 2], grid: [2, 2, 1] },
];

impl Shape {
    /// That of the kernel of `seed`. Where workgroups are planes, naga knows no subgroups.
    pub fn of(seed: u64, subgroups: bool) -> Self {
        let lines = SHAPES.iter().filter(|shape| shape.is_line()).count();
        SHAPES[(seed / 4 % if subgroups { lines } else { SHAPES.len() } as u64) as usize]
    }

    /// Invocations of a workgroup.
    pub fn group(&self) -> u32 {
        self.size.iter().product()
    }

    /// Invocations of the grid.
    pub fn lanes(&self) -> u32 {
        self.group() * self.grid.iter().product::<u32>()
    }

    /// Whether no warp has lanes without an invocation.
    pub fn is_whole(&self) -> bool {
        self.group().is_multiple_of(64)
    }

    /// Whether a workgroup extends in x alone.
    pub fn is_line(&self) -> bool {
        self.size[1] * self.size[2] == 1
    }
}

/// Declarations that all kernels use.
const PRELUDE: &str = "
struct Input { u: array<u32, 64>, i: array<i32, 64>, f: array<vec4<f32>, 32>, m: array<mat3x3<f32>, 4>, v: array<vec3<u32>, 16> }
struct Uni { f: vec3<f32>, u: u32, i: vec2<i32>, m: mat2x4<f32> }
@group(0) @binding(0) var<storage, read> input: Input;
@group(0) @binding(1) var<uniform> uni: Uni;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage, read_write> store: Store;
var<private> gid: vec3<u32>;
var<private> lid: vec3<u32>;
var<private> wid: vec3<u32>;
var<private> nwg: vec3<u32>;
fn digest(h: u32, x: u32) -> u32 { return (h ^ x) * 16777619u + (h >> 15u); }
fn fbits(x: f32) -> u32 { return select(bitcast<u32>(x), 0u, x == 0.0); }
";

/// Words of the prelude's `Input`, those from the first to the second of which are floats, and of `Uni`.
pub const INPUT_WORDS: usize = 64 + 64 + 128 + 48 + 64;
/// Where `Input` holds floats.
pub const INPUT_FLOATS: std::ops::Range<usize> = 128..304;
/// Words of `Uni`.
pub const UNI_WORDS: usize = 16;
/// Where `Uni` holds floats.
pub const UNI_FLOATS: [std::ops::Range<usize>; 2] = [0..3, 8..16];

/// The functions that make floats tame again.
fn tamers(half: bool) -> String {
    let mut text = String::new();
    for n in 1..5 {
        let ty = if n == 1 { "f32".to_owned() } else { format!("vec{n}<f32>") };
        text += &format!(
            "fn t{n}(x: {ty}) -> {ty} {{ let y = floor(x * 8.0) * 0.125; return y - 256.0 * floor(y * 0.00390625 + 0.5); }}\n"
        );
        if half {
            let ty = ty.replace("f32", "f16");
            text += &format!(
                "fn q{n}(x: {ty}) -> {ty} {{ let y = floor(x); return y - 32.0h * floor(y * 0.03125h + 0.5h); }}\n"
            );
        }
    }
    for (c, r) in (2..5).flat_map(|c| (2..5).map(move |r| (c, r))) {
        let columns: Vec<String> = (0..c).map(|k| format!("t{r}(m[{k}])")).collect();
        let ty = Ty::Mat(c, r).name();
        text += &format!("fn tm{c}{r}(m: {ty}) -> {ty} {{ return {ty}({}); }}\n", columns.join(", "));
    }
    // Whole numbers up to 8: products of four of them, and sums of these, are exact.
    for n in 2..5 {
        let columns: Vec<String> = (0..n).map(|k| format!("trunc(m[{k}] * 0.0625)")).collect();
        let ty = Ty::Mat(n, n).name();
        text += &format!("fn small{n}(m: {ty}) -> {ty} {{ return {ty}({}); }}\n", columns.join(", "));
    }
    text
}

impl Kernel {
    /// The whole module.
    pub fn source(&self) -> String {
        let ([x, y, z], lanes) = (self.shape.size, self.shape.lanes());
        let enable = if self.features.half { "enable f16;" } else { "" };
        let (size, x) = if self.sized_late {
            ("override SIZE: u32;".to_owned(), "SIZE".to_owned())
        } else {
            (format!("const SIZE = {}u;", self.shape.group()), x.to_string())
        };
        let tamers = tamers(self.features.half);
        let (stored, text) = (&self.stored, &self.text);
        let [variables, inputs, copies] = if self.features.subgroups { super::subgroup::VALUES } else { [""; 3] };
        format!(
            "{enable}
{size}
const ALL = {lanes}u;{PRELUDE}{tamers}{variables}struct Store {{ {stored} }}
{text}
@compute @workgroup_size({x}, {y}, {z})
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>,
  @builtin(num_workgroups) n: vec3<u32>, @builtin(local_invocation_index) li: u32{inputs}) {{
  gid = g; lid = l; wid = w; nwg = n;{copies}
  let wg = w.x + n.x * (w.y + n.y * w.z);
  let i = wg * SIZE + li;
  out[i] = run(i, li, wg);
}}
"
        )
    }
}
