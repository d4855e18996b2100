//! The layouts of buffers' types.

use naga::ir;
use naga::ir::{ArraySize, TypeInner};

use super::super::layout::{Layout, Member, Shape};
use super::types::{Kind, element, kind_of};
use warpbook_base::tensor::Elem;

/// How a type lies in a buffer.
pub(super) fn layout(module: &ir::Module, ty: &TypeInner) -> Layout {
    if let TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) = *ty {
        let elem = elem(scalar);
        return Layout { ty: elem.name().to_owned(), shape: Shape::Scalar(elem) };
    }
    if let TypeInner::Struct { members, .. } = ty {
        let members = members.iter().map(|member| Member {
            name: member.name.clone().unwrap_or_default(),
            offset: member.offset,
            layout: layout(module, &module.types[member.ty].inner),
        });
        return Layout { ty: "struct".to_owned(), shape: Shape::Members(members.collect()) };
    }
    let Some(part) = element(module, ty, 0) else {
        return Layout { ty: "unknown".to_owned(), shape: Shape::Members(Vec::new()) };
    };
    let of = layout(module, &part.ty);
    let ty = match *ty {
        TypeInner::Vector { size, .. } => format!("vec{}<{}>", size as u32, of.ty),
        TypeInner::Matrix { columns, rows, scalar } => {
            format!("mat{}x{}<{}>", columns as u32, rows as u32, elem(scalar).name())
        }
        TypeInner::Array { size: ArraySize::Dynamic, .. } => format!("array<{}>", of.ty),
        _ => format!("array<{}, {}>", of.ty, part.len.unwrap_or(0)),
    };
    Layout { ty, shape: Shape::Elements { of: Box::new(of), stride: part.stride, len: part.len } }
}

/// The type of a scalar's elements in a buffer.
fn elem(scalar: ir::Scalar) -> Elem {
    match kind_of(scalar) {
        Ok(Kind::Int) => Elem::I32,
        Ok(Kind::Uint | Kind::Bool) => Elem::U32,
        Ok(Kind::Half) => Elem::F16,
        Ok(Kind::Float) | Err(_) => Elem::F32,
    }
}
