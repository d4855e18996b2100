//! Types as the tracer sees them: components in registers, and words at byte offsets in memory.

use naga::ir::{ArraySize, Scalar, ScalarKind, TypeInner, VectorSize};
use naga::proc::IndexableLength;
use naga::{Handle, ir};

use super::super::fragment;
use super::super::ir::Width;

/// How a component is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// 32-bit float.
    Float,
    /// 16-bit float: in registers an `f32` with a value that an `f16` can have.
    Half,
    /// Signed 32-bit integer.
    Int,
    /// Unsigned 32-bit integer.
    Uint,
    /// Truth value.
    Bool,
}

/// The kind of a scalar, or why there is none.
pub(super) fn kind_of(scalar: Scalar) -> Result<Kind, String> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 4) => Ok(Kind::Float),
        (ScalarKind::Sint, 4) => Ok(Kind::Int),
        (ScalarKind::Uint, 4) => Ok(Kind::Uint),
        (ScalarKind::Bool, _) => Ok(Kind::Bool),
        (ScalarKind::Float, 2) => Ok(Kind::Half),
        (kind, width) => {
            let what = match kind {
                ScalarKind::Sint => "signed integers",
                ScalarKind::Uint => "unsigned integers",
                _ => "floats",
            };
            Err(format!("{}-bit {what}", u32::from(width) * 8))
        }
    }
}

/// Components of a value of this type; 0 for runtime-sized arrays.
pub(super) fn components(module: &ir::Module, ty: &TypeInner) -> u32 {
    match *ty {
        TypeInner::Scalar(_) | TypeInner::Atomic(_) => 1,
        TypeInner::Vector { size, .. } => size as u32,
        TypeInner::Matrix { columns, rows, .. } => columns as u32 * rows as u32,
        // One lane's part of it.
        TypeInner::CooperativeMatrix { columns, .. } => fragment::held(columns as u32),
        TypeInner::Array { base, size, .. } => {
            array_len(module, size).unwrap_or(0).saturating_mul(components(module, &module.types[base].inner))
        }
        TypeInner::Struct { ref members, .. } => {
            members.iter().fold(0, |sum: u32, m| sum.saturating_add(components(module, &module.types[m.ty].inner)))
        }
        _ => 0,
    }
}

/// Elements of an array, with overrides resolved; None if it follows only from the buffer's size.
fn array_len(module: &ir::Module, size: ArraySize) -> Option<u32> {
    match size.resolve(module.to_ctx()) {
        Ok(IndexableLength::Known(len)) => Some(len),
        Ok(IndexableLength::Dynamic) | Err(_) => None,
    }
}

/// Bytes from one column of a matrix to the next: a vector of three takes as much as one of four.
fn column_stride(rows: VectorSize, scalar: Scalar) -> u32 {
    (rows as u32).next_power_of_two() * u32::from(width(scalar).bytes())
}

/// How wide a component is in memory. Truth values have no layout of their own.
fn width(scalar: Scalar) -> Width {
    if scalar.width == 2 { Width::Half } else { Width::Word }
}

/// One element of a composite.
pub(super) struct Element {
    /// Its type.
    pub ty: TypeInner,
    /// Where it starts in memory, in bytes.
    pub offset: u32,
    /// Where it starts among the components.
    pub component: u32,
    /// Bytes from one element to the next; for a struct meaningless.
    pub stride: u32,
    /// Components from one element to the next; for a struct meaningless.
    pub step: u32,
    /// How many elements; none for a runtime-sized array.
    pub len: Option<u32>,
}

/// Element `index` of a vector, matrix, array or struct.
pub(super) fn element(module: &ir::Module, ty: &TypeInner, index: u32) -> Option<Element> {
    let uniform = |inner: TypeInner, stride: u32, len: Option<u32>| {
        let step = components(module, &inner);
        // An index past the end of a runtime-sized array is found out later.
        let (offset, component) = (index.wrapping_mul(stride), index.wrapping_mul(step));
        Element { ty: inner, offset, component, stride, step, len }
    };
    match *ty {
        TypeInner::Vector { size, scalar } => {
            Some(uniform(TypeInner::Scalar(scalar), u32::from(width(scalar).bytes()), Some(size as u32)))
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            Some(uniform(TypeInner::Vector { size: rows, scalar }, column_stride(rows, scalar), Some(columns as u32)))
        }
        TypeInner::Array { base, size, stride } => {
            Some(uniform(module.types[base].inner.clone(), stride, array_len(module, size)))
        }
        TypeInner::Struct { ref members, .. } => {
            let member = members.get(index as usize)?;
            let before = &members[..index as usize];
            Some(Element {
                ty: module.types[member.ty].inner.clone(),
                offset: member.offset,
                component: before.iter().map(|m| components(module, &module.types[m.ty].inner)).sum(),
                stride: 0,
                step: 0,
                len: Some(u32::try_from(members.len()).unwrap_or(u32::MAX)),
            })
        }
        _ => None,
    }
}

/// A scalar or vector of a larger value, at byte `offset`.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub offset: u32,
    pub components: u8,
    pub width: Width,
}

/// Appends the scalars and vectors that a value at byte `offset` is made of, in the order of its components.
pub(super) fn leaves(module: &ir::Module, ty: &TypeInner, offset: u32, out: &mut Vec<Leaf>) {
    match *ty {
        TypeInner::Scalar(s) | TypeInner::Atomic(s) => out.push(Leaf { offset, components: 1, width: width(s) }),
        TypeInner::Vector { size, scalar } => {
            out.push(Leaf { offset, components: size as u8, width: width(scalar) });
        }
        _ => {
            let mut index = 0;
            while let Some(e) = element(module, ty, index) {
                if e.len.is_none_or(|len| index >= len) {
                    break;
                }
                leaves(module, &e.ty, offset + e.offset, out);
                index += 1;
            }
        }
    }
}

/// The scalar that a type's first component has.
pub(super) fn first_scalar(module: &ir::Module, ty: &TypeInner) -> Option<Scalar> {
    match *ty {
        TypeInner::Scalar(s)
        | TypeInner::Atomic(s)
        | TypeInner::Vector { scalar: s, .. }
        | TypeInner::Matrix { scalar: s, .. }
        | TypeInner::CooperativeMatrix { scalar: s, .. } => Some(s),
        TypeInner::Array { base, .. } => first_scalar(module, &module.types[base].inner),
        TypeInner::Struct { ref members, .. } => first_scalar(module, &module.types[members.first()?.ty].inner),
        _ => None,
    }
}

/// Whether an array is part of the type, so that a variable of it is indexed memory rather than registers.
pub(super) fn has_array(module: &ir::Module, ty: &TypeInner) -> bool {
    match *ty {
        TypeInner::Array { .. } => true,
        TypeInner::Struct { ref members, .. } => members.iter().any(|m| has_array(module, &module.types[m.ty].inner)),
        _ => false,
    }
}

/// Whether a cooperative matrix is part of the type. Memory that lanes share cannot hold one.
pub(super) fn has_cooperative(module: &ir::Module, ty: &TypeInner) -> bool {
    match *ty {
        TypeInner::CooperativeMatrix { .. } => true,
        TypeInner::Array { base, .. } => has_cooperative(module, &module.types[base].inner),
        TypeInner::Struct { ref members, .. } => {
            members.iter().any(|m| has_cooperative(module, &module.types[m.ty].inner))
        }
        _ => false,
    }
}

/// Whether a truth value is part of the type. WGSL gives it no place in memory that a host could see.
pub(super) fn has_bool(module: &ir::Module, ty: &TypeInner) -> bool {
    match *ty {
        TypeInner::Scalar(s) | TypeInner::Vector { scalar: s, .. } => s.kind == ScalarKind::Bool,
        TypeInner::Array { base, .. } => has_bool(module, &module.types[base].inner),
        TypeInner::Struct { ref members, .. } => members.iter().any(|m| has_bool(module, &module.types[m.ty].inner)),
        _ => false,
    }
}

/// The first scalar in the type that the tracer does not compute with, or another type that cannot be traced.
pub(super) fn unsupported(module: &ir::Module, ty: Handle<ir::Type>) -> Option<String> {
    match module.types[ty].inner {
        TypeInner::Scalar(s)
        | TypeInner::Atomic(s)
        | TypeInner::Vector { scalar: s, .. }
        | TypeInner::Matrix { scalar: s, .. }
        | TypeInner::CooperativeMatrix { scalar: s, .. } => kind_of(s).err(),
        TypeInner::Array { base, .. } => unsupported(module, base),
        TypeInner::Struct { ref members, .. } => members.iter().find_map(|m| unsupported(module, m.ty)),
        TypeInner::Image { .. } => Some("textures".to_owned()),
        TypeInner::Sampler { .. } => Some("samplers".to_owned()),
        TypeInner::BindingArray { .. } => Some("binding arrays".to_owned()),
        TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => Some("ray queries".to_owned()),
        TypeInner::Pointer { base, .. } => unsupported(module, base),
        TypeInner::ValuePointer { scalar, .. } => kind_of(scalar).err(),
    }
}
