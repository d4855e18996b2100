//! The memory layout of a buffer's type: where a named member or an element begins.

use warpbook_base::tensor::Elem;

/// A type as it lies in a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How WGSL writes the type; a struct is `struct`.
    pub ty: String,
    /// Its parts.
    pub shape: Shape,
}

/// The parts of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Scalar(Elem),
    /// Equal parts: of a vector, a matrix or an array.
    Elements {
        /// One of them.
        of: Box<Layout>,
        /// Bytes from one to the next.
        stride: u32,
        /// How many; None if it follows from the buffer's size.
        len: Option<u32>,
    },
    /// Parts with names.
    Members(Vec<Member>),
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Where it begins in the struct, in bytes.
    pub offset: u32,
    /// Its type.
    pub layout: Layout,
}

impl Layout {
    /// How many numbers it holds; None if it follows from the buffer's size.
    #[must_use]
    pub fn numbers(&self) -> Option<u64> {
        match &self.shape {
            Shape::Scalar(_) => Some(1),
            Shape::Elements { of, len, .. } => of.numbers()?.checked_mul((*len)?.into()),
            Shape::Members(members) => {
                members.iter().try_fold(0_u64, |sum, member| sum.checked_add(member.layout.numbers()?))
            }
        }
    }

    /// Calls `visit` with each number that it holds from byte `offset` on: the number's own byte, and its type. Skips a part whose length
    /// only the buffer's size says.
    pub fn each_number(&self, offset: u64, visit: &mut dyn FnMut(u64, Elem)) {
        match &self.shape {
            Shape::Scalar(elem) => visit(offset, *elem),
            Shape::Elements { of, stride, len } => {
                (0..u64::from(len.unwrap_or(0))).for_each(|i| of.each_number(offset + i * u64::from(*stride), visit));
            }
            Shape::Members(members) => {
                members.iter().for_each(|m| m.layout.each_number(offset + u64::from(m.offset), visit));
            }
        }
    }

    /// The array that a kernel indexes: the byte at which it begins, and the bytes from one element to the next. Of an array of arrays it
    /// is the innermost, of a struct the one at its end whose length the buffer's size says. None if there is none.
    #[must_use]
    pub fn array(&self) -> Option<(u64, u64)> {
        match &self.shape {
            Shape::Elements { of, stride, .. } if self.ty.starts_with("array") => {
                Some(of.array().filter(|_| of.ty.starts_with("array")).unwrap_or((0, u64::from(*stride))))
            }
            Shape::Members(members) => {
                let last = members.last().filter(|last| last.layout.numbers().is_none())?;
                let (first, stride) = last.layout.array()?;
                Some((u64::from(last.offset) + first, stride))
            }
            Shape::Scalar(_) | Shape::Elements { .. } => None,
        }
    }
}
