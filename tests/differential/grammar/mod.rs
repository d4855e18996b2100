//! Random kernels: each follows from its seed alone, has one meaning in WGSL, and ends.
//!
//! Floats are kept *tame*: multiples of 1/8 in
//! [-128, 128). What is computed from tame floats in one step fits the 24 bits of an `f32`'s fraction, in any order and fused or not, so that every result is exact; `t1` to `t4` then make it tame again. For `f16` these are whole numbers in [-16, 16), and `q1` to `q4`. Signs of zeros, which WGSL leaves open, are dropped before bits are looked at.

mod expr;
mod float;
mod frame;
mod globals;
mod stmt;
mod subgroup;
mod types;

use std::collections::BTreeSet;
use std::rc::Rc;

pub use frame::{INPUT_FLOATS, INPUT_WORDS, Kernel, UNI_FLOATS, UNI_WORDS};

use frame::Shape;
use types::{Scalar, Space, Step, Ty};
use warpbook::base::rng;

/// Features that kernels may use beyond the core of WGSL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Subgroup operations.
    pub subgroups: bool,
    /// `f16`.
    pub half: bool,
}

/// Something that expressions may read and, where it is writable, statements assign to.
#[derive(Clone)]
struct Place {
    text: String,
    ty: Ty,
    writable: bool,
    /// Where it is, if `&text` may be given to a function.
    space: Option<Space>,
    /// Whether expressions of it alone are computed before the kernel runs.
    constant: bool,
}

/// A function that a kernel may call.
#[derive(Clone)]
struct Helper {
    name: String,
    params: Vec<Ty>,
    /// The type that its last parameter points to.
    pointee: Option<(Space, Ty)>,
    result: Ty,
}

/// An expression's text, and whether it is made of constants alone: WGSL computes these early and refuses overflows.
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
    features: Features,
}

/// One kernel of this many has workgroup memory, barriers and atomics: drivers take three times as long to compile
/// these. (The processes of a run take every second seed, so an odd number shares these among them.)
const SHARING: u64 = 5;

/// Components of a type, at most: compilers take long over larger ones.
const LARGEST: u32 = 40;

/// The kernel of `seed`, without the statements numbered in `skip`.
pub fn kernel(seed: u64, features: Features, skip: &BTreeSet<usize>) -> Kernel {
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
        features,
    };
    let shape = Shape::of(seed, features.subgroups);
    let shares = seed.is_multiple_of(SHARING);
    let (stored, mut constants) = writer.kernel(shape, shares);
    // Workgroup memory may be sized by an override.
    let sized_late = shares && shape.is_line() && writer.draw(3) == 0;
    if sized_late {
        constants.push(("SIZE".to_owned(), f64::from(shape.group())));
    }
    Kernel { features, shape, constants, sized_late, stored, statements: writer.statements, text: writer.text }
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
        let half = if self.features.half { Scalar::F16 } else { Scalar::I32 };
        self.pick(&[Scalar::I32, Scalar::U32, Scalar::F32, Scalar::U32, Scalar::F32, half])
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

    /// Any type that is not too large.
    fn any(&mut self, bools: bool) -> Ty {
        let ty = self.any_size(bools);
        if ty.components() <= LARGEST { ty } else { self.simple(bools) }
    }

    fn any_size(&mut self, bools: bool) -> Ty {
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
        self.places.push(Place { text: text.into(), ty, writable, space: None, constant: false });
    }

    /// A variable, whose address a function may be given.
    fn variable_at(&mut self, text: impl Into<String>, ty: Ty, space: Space) {
        self.places.push(Place { text: text.into(), ty, writable: true, space: Some(space), constant: false });
    }

    /// Adds each scalar part of `root` to the digest `h`: its first element and the last of each array.
    fn digest(&mut self, root: &str, ty: &Ty) {
        for (steps, part) in ty.parts() {
            self.digest_part(root, &steps, &part);
        }
    }

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
                Scalar::F16 => format!("fbits(f32({text}))"),
                _ => format!("u32({text})"),
            };
            self.text += &format!("  h = digest(h, {bits});\n");
            if steps.iter().all(|s| matches!(s, Step::Member(_))) {
                break;
            }
        }
    }

    fn helper(&mut self, name: String, private: &Ty) {
        let params: Vec<Ty> = (0..1 + self.draw(2)).map(|_| self.any(true)).collect();
        let pointee = match self.draw(4) {
            0 | 1 => Some((Space::Function, self.any(true))),
            2 => Some((Space::Private, private.clone())),
            _ => None,
        };
        let result = self.simple(true);
        let mut list = Vec::new();
        for (n, ty) in params.iter().enumerate() {
            list.push(format!("x{n}: {}", ty.name()));
            self.place(format!("x{n}"), ty.clone(), false);
        }
        if let Some((space, ty)) = &pointee {
            list.push(format!("ptr: ptr<{}, {}>", space.name(), ty.name()));
            self.place("(*ptr)", ty.clone(), true);
        }
        self.text += &format!("fn {name}({}) -> {} {{\n", list.join(", "), result.name());
        self.result = result.clone();
        self.body(1);
        self.text += "}\n";
        self.helpers.push(Helper { name, params, pointee, result });
    }
}
