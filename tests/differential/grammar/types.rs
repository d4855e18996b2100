//! The types that random kernels use.

use std::rc::Rc;

/// The type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `f32`.
    F32,
    /// `f16`.
    F16,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// In a function.
    Function,
    /// At module scope, one for each invocation.
    Private,
}

impl Space {
    /// Its name in WGSL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Private => "private",
        }
    }
}

impl Scalar {
    /// Its name in WGSL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::F16 => "f16",
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// A scalar (1 component) or a vector (2 to 4).
    Vec(u32, Scalar),
    /// A matrix of this many columns and rows.
    Mat(u32, u32),
    /// So many elements.
    Array(Rc<Ty>, u32),
    /// A named structure and its members' types; member `j` is called `mj`.
    Struct(Rc<str>, Rc<[Ty]>),
}

/// One step from a value into a part of it.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// To member `m0`, `m1`, …
    Member(usize),
    /// To one of this many elements, columns or components.
    Index(u32),
}

impl Ty {
    /// A scalar's type.
    pub fn scalar(scalar: Scalar) -> Self {
        Self::Vec(1, scalar)
    }

    /// Its name in WGSL.
    pub fn name(&self) -> String {
        match self {
            Self::Vec(1, s) => s.name().to_owned(),
            Self::Vec(n, s) => format!("vec{n}<{}>", s.name()),
            Self::Mat(c, r) => format!("mat{c}x{r}<f32>"),
            Self::Array(e, n) => format!("array<{}, {n}>", e.name()),
            Self::Struct(name, _) => (**name).to_owned(),
        }
    }

    /// How many scalars it is made of.
    pub fn components(&self) -> u32 {
        match self {
            Self::Vec(n, _) => *n,
            Self::Mat(c, r) => c * r,
            Self::Array(e, n) => e.components() * n,
            Self::Struct(_, members) => members.iter().map(Self::components).sum(),
        }
    }

    /// Every part of a value of this type, itself included, with the way there.
    pub fn parts(&self) -> Vec<(Vec<Step>, Ty)> {
        let mut all = vec![(Vec::new(), self.clone())];
        let mut add = |step: Step, ty: &Ty| {
            all.extend(ty.parts().into_iter().map(|(steps, part)| ([vec![step], steps].concat(), part)));
        };
        match self {
            Self::Vec(1, _) => {}
            Self::Vec(n, s) => add(Step::Index(*n), &Self::scalar(*s)),
            Self::Mat(c, r) => add(Step::Index(*c), &Self::Vec(*r, Scalar::F32)),
            Self::Array(e, n) => add(Step::Index(*n), e),
            Self::Struct(_, members) => members.iter().enumerate().for_each(|(j, m)| add(Step::Member(j), m)),
        }
        all
    }

    /// The part one step into it.
    pub fn at(&self, step: Step) -> Ty {
        match (self, step) {
            (Self::Struct(_, members), Step::Member(j)) => members[j].clone(),
            (Self::Array(e, _), _) => (**e).clone(),
            (Self::Mat(_, r), _) => Self::Vec(*r, Scalar::F32),
            (Self::Vec(_, s), _) => Self::scalar(*s),
            (Self::Struct(..), Step::Index(_)) => unreachable!("structures have no elements"),
        }
    }
}
