//! Random kernels: each follows from its seed alone, has one meaning in WGSL, and ends.
//!
//! Floats are kept *tame*: multiples of 1/8 in [-128, 128). What is computed from tame floats in one step fits the 24 bits of
//! an `f32`'s fraction, in any order and fused or not, so that every result is exact; `t1` to `t4` then make it tame
//! again. Signs of zeros, which WGSL leaves open, are dropped before bits are looked at.

mod expr;
mod stmt;
pub mod types;

use std::collections::BTreeSet;
use std::rc::Rc;

use types::{Scalar, Step, Ty};
use warpbook::base::rng;

/// A kernel: a function `k<id>` of the invocation's indices, which returns a digest of what it computed.
pub struct Kernel {
    /// What it was made from; also the `id` in its names.
    pub seed: u64,
    /// Its structures, variables and functions.
    pub text: String,
    /// The members of its storage buffer.
    pub stored: String,
    /// How many statements it was made of.
    pub statements: usize,
}

/// Something that expressions may read and, where it is writable, statements assign to.
#[derive(Clone)]
struct Place {
    text: String,
    ty: Ty,
    writable: bool,
    /// Whether `&text` may be given to a function.
    local: bool,
}

/// A function that a kernel may call.
#[derive(Clone)]
struct Helper {
    name: String,
    params: Vec<Ty>,
    /// What its last parameter points to.
    pointee: Option<Ty>,
    result: Ty,
}

/// An expression's text, and whether it is made of literals alone: WGSL computes these early and refuses overflows.
#[derive(Clone)]
struct Expr {
    text: String,
    constant: bool,
}

/// Writes one kernel.
struct Writer<'a> {
    seed: u64,
    drawn: u64,
    text: String,
    places: Vec<Place>,
    helpers: Vec<Helper>,
    structs: Vec<Ty>,
    names: usize,
    statements: usize,
    /// Statements to leave out.
    skip: &'a BTreeSet<usize>,
    /// Loops around the statement, which `continue` needs.
    loops: u32,
    /// Whether `break` has something to leave.
    breakable: bool,
    result: Ty,
    /// Whether atomics may be changed here.
    atomics: bool,
}

/// One kernel of so many has workgroup memory, barriers and atomics: drivers take three times as long to compile these.
const SHARING: u64 = 4;

/// What all kernels use.
const PRELUDE: &str = "
struct Input { u: array<u32, 64>, i: array<i32, 64>, f: array<vec4<f32>, 32>, m: array<mat3x3<f32>, 4>, v: array<vec3<u32>, 16> }
struct Uni { f: vec3<f32>, u: u32, i: vec2<i32>, m: mat2x4<f32> }
@group(0) @binding(0) var<storage, read> input: Input;
@group(0) @binding(1) var<uniform> uni: Uni;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage, read_write> store: Store;
fn digest(h: u32, x: u32) -> u32 { return (h ^ x) * 16777619u + (h >> 15u); }
fn fbits(x: f32) -> u32 { return select(bitcast<u32>(x), 0u, x == 0.0); }
fn t1(x: f32) -> f32 { let y = floor(x * 8.0) * 0.125; return y - 256.0 * floor(y * 0.00390625 + 0.5); }
fn t2(x: vec2<f32>) -> vec2<f32> { let y = floor(x * 8.0) * 0.125; return y - 256.0 * floor(y * 0.00390625 + 0.5); }
fn t3(x: vec3<f32>) -> vec3<f32> { let y = floor(x * 8.0) * 0.125; return y - 256.0 * floor(y * 0.00390625 + 0.5); }
fn t4(x: vec4<f32>) -> vec4<f32> { let y = floor(x * 8.0) * 0.125; return y - 256.0 * floor(y * 0.00390625 + 0.5); }
";

/// Words of the prelude's `Input`, those from the first to the second of which are floats, and of `Uni`.
pub const INPUT_WORDS: usize = 64 + 64 + 128 + 48 + 64;
/// Where `Input` holds floats.
pub const INPUT_FLOATS: std::ops::Range<usize> = 128..304;
/// Words of `Uni`.
pub const UNI_WORDS: usize = 16;
/// Where `Uni` holds floats.
pub const UNI_FLOATS: [std::ops::Range<usize>; 2] = [0..3, 8..16];

/// A module that runs `kernel`, with `size` invocations a workgroup and `groups` of these.
pub fn module(kernel: &Kernel, size: u32, groups: u32) -> String {
    let mut text = PRELUDE.to_owned();
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
    text += &format!("struct Store {{ {} }}\n{}", kernel.stored, kernel.text);
    text += &format!(
        "@compute @workgroup_size(SIZE)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_index) li: u32, @builtin(workgroup_id) wg: vec3<u32>) {{
  out[at.x] = k{}(at.x, li, wg.x);
}}
",
        kernel.seed
    );
    text.replace("ALL", &(size * groups).to_string()).replace("SIZE", &size.to_string())
}

/// The kernel of `seed`, without the statements numbered in `skip`.
pub fn kernel(seed: u64, skip: &BTreeSet<usize>) -> Kernel {
    let mut writer = Writer {
        seed,
        drawn: 0,
        text: String::new(),
        places: Vec::new(),
        helpers: Vec::new(),
        structs: Vec::new(),
        names: 0,
        statements: 0,
        skip,
        loops: 0,
        breakable: false,
        result: Ty::scalar(Scalar::U32),
        atomics: false,
    };
    let stored = writer.kernel();
    Kernel { seed, text: writer.text, stored, statements: writer.statements }
}

impl Writer<'_> {
    fn draw(&mut self, below: u32) -> u32 {
        self.drawn += 1;
        rng::word(self.seed, self.drawn) % below
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.draw(from.len() as u32) as usize].clone()
    }

    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn numeric(&mut self) -> Scalar {
        self.pick(&[Scalar::I32, Scalar::U32, Scalar::F32, Scalar::U32])
    }

    /// A type without parts that need names: a scalar, a vector or a matrix.
    fn simple(&mut self, bools: bool) -> Ty {
        match self.draw(8) {
            0 => Ty::Mat(2 + self.draw(3), 2 + self.draw(3)),
            1 if bools => Ty::Vec(1 + self.draw(4), Scalar::Bool),
            2..=4 => Ty::Vec(2 + self.draw(3), self.numeric()),
            _ => Ty::scalar(self.numeric()),
        }
    }

    /// Any type.
    fn any(&mut self, bools: bool) -> Ty {
        match self.draw(6) {
            0 => Ty::Array(Rc::new(self.simple(bools)), 2 + self.draw(4)),
            1 if !self.structs.is_empty() => {
                let structs = self.structs.clone();
                self.pick(&structs)
            }
            2 if !self.structs.is_empty() && self.draw(3) == 0 => {
                let structs = self.structs.clone();
                Ty::Array(Rc::new(self.pick(&structs)), 2)
            }
            _ => self.simple(bools),
        }
    }

    fn place(&mut self, text: impl Into<String>, ty: Ty, writable: bool) {
        self.places.push(Place { text: text.into(), ty, writable, local: false });
    }

    /// Gives the kernel's part of the storage buffer.
    fn kernel(&mut self) -> String {
        let id = self.seed;
        for n in 0..2 {
            // A structure may hold the one before it.
            let members: Vec<Ty> = (0..2 + self.draw(3)).map(|_| self.any(false)).collect();
            let list: Vec<String> = members.iter().enumerate().map(|(j, m)| format!("m{j}: {}", m.name())).collect();
            self.text += &format!("struct S{id}_{n} {{ {} }}\n", list.join(", "));
            self.structs.push(Ty::Struct(format!("S{id}_{n}").into(), members.into()));
        }
        let private = self.any(true);
        let shared = self.any(false);
        let cell = self.structs[1].clone();
        self.text += &format!("var<private> p{id}: {};\n", private.name());
        let shares = id.is_multiple_of(SHARING);
        if shares {
            self.text += &format!("var<workgroup> w{id}: array<{}, SIZE>;\n", shared.name());
            self.text += &format!("var<workgroup> c{id}: array<atomic<u32>, 5>;\nvar<workgroup> d{id}: atomic<i32>;\n");
            self.text += &format!("var<workgroup> e{id}: array<atomic<u32>, SIZE>;\n");
        }
        let unsigned = Ty::scalar(Scalar::U32);
        let everywhere = |w: &mut Self| {
            w.places.clear();
            w.place(format!("p{id}"), private.clone(), true);
            w.place("input.u", Ty::Array(Rc::new(unsigned.clone()), 64), false);
            w.place("input.i", Ty::Array(Rc::new(Ty::scalar(Scalar::I32)), 64), false);
            w.place("input.f", Ty::Array(Rc::new(Ty::Vec(4, Scalar::F32)), 32), false);
            w.place("input.m", Ty::Array(Rc::new(Ty::Mat(3, 3)), 4), false);
            w.place("input.v", Ty::Array(Rc::new(Ty::Vec(3, Scalar::U32)), 16), false);
            w.place("uni.f", Ty::Vec(3, Scalar::F32), false);
            w.place("uni.u", unsigned.clone(), false);
            w.place("uni.i", Ty::Vec(2, Scalar::I32), false);
            w.place("uni.m", Ty::Mat(2, 4), false);
        };
        for n in 0..1 + u32::from(shares) {
            everywhere(self);
            self.helper(format!("h{id}_{n}"));
        }
        self.result = unsigned.clone();
        for phase in 0..1 + u32::from(shares) {
            everywhere(self);
            for index in ["i", "li", "wg"] {
                self.place(index, unsigned.clone(), false);
                // Said twice, so that lanes differ more often.
                self.place("i", unsigned.clone(), false);
            }
            self.place(format!("store.s{id}[i]"), cell.clone(), true);
            if phase == 0 && shares {
                self.place(format!("w{id}[li]"), shared.clone(), true);
            } else if shares {
                self.place(format!("w{id}[(li + 1u) % SIZEu]"), shared.clone(), false);
                self.place(format!("w{id}[(li * 7u + i) % SIZEu]"), shared.clone(), false);
                for n in 0..5 {
                    self.place(format!("atomicLoad(&c{id}[{n}])"), unsigned.clone(), false);
                }
                self.place(format!("atomicLoad(&d{id})"), Ty::scalar(Scalar::I32), false);
                self.place(format!("atomicLoad(&e{id}[(li + 5u) % SIZEu])"), unsigned.clone(), false);
            }
            self.atomics = phase == 0 && shares;
            self.text += &format!("fn f{id}_{phase}(i: u32, li: u32, wg: u32) -> u32 {{\n");
            self.body(3);
            self.text += "}\n";
        }
        self.atomics = false;
        self.text += &format!("fn k{id}(i: u32, li: u32, wg: u32) -> u32 {{\nvar h = f{id}_0(i, li, wg);\n");
        if shares {
            self.text += &format!(
                "  workgroupBarrier();
  h = digest(h, f{id}_1(i, li, wg));
  workgroupBarrier();
  for (var t = 0u; t < uni.u % 3u + 1u; t++) {{
    atomicStore(&e{id}[li], h + t);
    workgroupBarrier();
    h = digest(h, atomicLoad(&e{id}[(li + t * 37u + 11u) % SIZEu]));
    workgroupBarrier();
  }}
"
            );
        }
        for (steps, part) in private.parts() {
            self.digest_part(&format!("p{id}"), &steps, &part);
        }
        self.text += "  return h;\n}\n";
        format!("s{id}: array<S{id}_1, ALL>, a{id}: array<atomic<i32>, 4>, ")
    }

    /// Adds a scalar part of `root` to the digest `h`: its first element and the last of each array.
    fn digest_part(&mut self, root: &str, steps: &[Step], part: &Ty) {
        let Ty::Vec(1, scalar) = *part else { return };
        for last in [false, true] {
            let mut text = root.to_owned();
            for step in steps {
                match *step {
                    Step::Member(j) => text += &format!(".m{j}"),
                    Step::Index(n) => text += &format!("[{}]", if last { n - 1 } else { 0 }),
                }
            }
            let bits = match scalar {
                Scalar::F32 => format!("fbits({text})"),
                _ => format!("u32({text})"),
            };
            self.text += &format!("  h = digest(h, {bits});\n");
            if steps.iter().all(|s| matches!(s, Step::Member(_))) {
                break;
            }
        }
    }

    fn helper(&mut self, name: String) {
        let params: Vec<Ty> = (0..1 + self.draw(2)).map(|_| self.any(true)).collect();
        let pointee = (self.draw(2) == 0).then(|| self.any(true));
        let result = self.simple(true);
        let mut list = Vec::new();
        for (n, ty) in params.iter().enumerate() {
            list.push(format!("x{n}: {}", ty.name()));
            self.place(format!("x{n}"), ty.clone(), false);
        }
        if let Some(ty) = &pointee {
            list.push(format!("ptr: ptr<function, {}>", ty.name()));
            self.place("(*ptr)", ty.clone(), true);
        }
        self.text += &format!("fn {name}({}) -> {} {{\n", list.join(", "), result.name());
        self.result = result.clone();
        self.body(1);
        self.text += "}\n";
        self.helpers.push(Helper { name, params, pointee, result });
    }
}
