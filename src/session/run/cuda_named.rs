//! A kernel's parameters by the names of its source.

use super::pointee::Pointee;
use super::signature::Declared;
use crate::job::Twin;
use crate::simt::Parameter;

/// A kernel's parameter with the name that people know it by.
pub struct Named {
    /// The name in the source, if that declares as many parameters; else by its place.
    pub name: String,
    /// The parameter as the PTX has it.
    pub parameter: Parameter,
    pub(super) declared: Option<Declared>,
}

impl Named {
    /// Whether it is a member of a structure that the kernel takes.
    #[must_use]
    pub fn is_member(&self) -> bool {
        !self.path().is_empty()
    }

    /// The name of the parameter in the source: of a member, the structure's.
    pub(super) fn base(&self) -> &str {
        self.name.split(['.', '[']).next().unwrap_or_default()
    }

    /// The path from a structure to its member, such as `.inner.scale` or `[2]`; empty if it is no member.
    pub(super) fn path(&self) -> &str {
        self.name.strip_prefix(self.base()).unwrap_or_default()
    }

    /// Whether the source declares it.
    #[must_use]
    pub fn is_declared(&self) -> bool {
        self.declared.is_some()
    }

    /// The elements that a pointer leads to by its declaration; None if that names no known type.
    #[must_use]
    pub fn declared_pointee(&self) -> Option<Pointee> {
        self.declared.as_ref()?.pointee
    }
}

impl Named {
    /// The elements that the pointers of an array of pointers lead to, None if they are of no known type; or that it is no such array.
    pub(super) fn pointed(&self) -> Result<Option<Pointee>, usize> {
        match self.declared.as_ref().and_then(|declared| declared.stars) {
            Some((2, elements)) => Ok(elements),
            Some((count, _)) => Err(count),
            None => Ok(None),
        }
    }
}

/// Whether a kernel was compiled from Python by Triton.
pub(super) fn is_triton(twin: &Twin) -> bool {
    twin.file.ends_with(".py")
}
