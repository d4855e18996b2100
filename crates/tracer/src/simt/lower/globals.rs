//! Module-scope variables: bindings in order, workgroup memory laid out, private variables in registers.

use naga::ir::{AddressSpace, Expression, StorageAccess, TypeInner};
use naga::proc::Layouter;
use naga::valid::{FunctionInfo, GlobalUse};
use naga::{Handle, ir};

use super::super::binding::Binding;
use super::super::ir::{Extent, Mem, Variable};
use super::layout::layout;
use super::pointer::{Root, indexed_roots};
use super::types::{self, Kind};
use super::{Lower, MAX_SHARED_BYTES};
use crate::dispatch::BindingKind;
use crate::trace::Space;
use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::Elem;

impl Lower<'_> {
    /// Gives every global variable that the entry point uses its place, and returns the bindings.
    pub(super) fn globals(&mut self, used: &FunctionInfo) -> Result<Vec<Binding>, Diagnostic> {
        let mut layouter = Layouter::default();
        layouter
            .update(self.module.to_ctx())
            .map_err(|e| self.error(format!("the layout of a type cannot be computed: {e}"), naga::Span::UNDEFINED))?;
        let mut bound = Vec::new();
        let mut rest = Vec::new();
        for (handle, variable) in self.module.global_variables.iter() {
            if used[handle] == GlobalUse::empty() {
                continue;
            }
            if let Some(what) = types::unsupported(self.module, variable.ty) {
                return Err(self.unsupported(&what, self.module.global_variables.get_span(handle)));
            }
            let shared = variable.space != AddressSpace::Private;
            if shared && types::has_cooperative(self.module, self.type_inner(variable.ty)) {
                let span = self.module.global_variables.get_span(handle);
                return Err(self.unsupported("a cooperative matrix in memory", span));
            }
            match (variable.space, &variable.binding) {
                (AddressSpace::Uniform | AddressSpace::Storage { .. }, Some(at)) => {
                    bound.push(((at.group, at.binding), handle));
                }
                (AddressSpace::WorkGroup | AddressSpace::Private, _) => rest.push(handle),
                (space, _) => {
                    let what = format!("variables in the address space {space:?}");
                    return Err(self.unsupported(&what, self.module.global_variables.get_span(handle)));
                }
            }
        }
        bound.sort_by_key(|(at, _)| *at);
        let indexed = self.indexed_globals();
        let mut bindings = Vec::new();
        for ((group, binding), handle) in bound {
            bindings.push(self.binding(&layouter, handle, group, binding));
        }
        for handle in rest {
            let variable = &self.module.global_variables[handle];
            let root = if variable.space == AddressSpace::WorkGroup {
                let layout = layouter[variable.ty];
                let packed = types::has_bool(self.module, self.type_inner(variable.ty));
                let components = types::components(self.module, self.type_inner(variable.ty));
                let size = if packed { components.saturating_mul(4) } else { layout.size };
                let base = layout.alignment.round_up(self.b.ir.shared_bytes.next_multiple_of(4));
                if size > MAX_SHARED_BYTES - base.min(MAX_SHARED_BYTES) {
                    let span = self.module.global_variables.get_span(handle);
                    return Err(self
                        .error("the workgroup variables are too large", span)
                        .hint("GPUs have 16 to 227 KiB of workgroup memory"));
                }
                self.b.ir.shared_bytes = base + size;
                Root::Memory { mem: Mem::Shared, variable: self.add_variable(handle, size, base), base, packed }
            } else {
                let init = variable.init.map(|init| self.global_constant(init)).transpose()?;
                self.variable(variable.ty, None, init, indexed[handle.index()])?
            };
            self.globals[handle.index()] = Some(root);
        }
        Ok(bindings)
    }

    /// The global variables that any function indexes by what only the run knows, or whose address goes to a function that
    /// may do so.
    fn indexed_globals(&self) -> Vec<bool> {
        let mut indexed = vec![false; self.module.global_variables.len()];
        let entries = self.module.entry_points.iter().map(|e| &e.function);
        for fun in self.module.functions.iter().map(|(_, f)| f).chain(entries) {
            indexed_roots(
                fun,
                |_| true,
                |root| {
                    if let Expression::GlobalVariable(variable) = *root {
                        indexed[variable.index()] = true;
                    }
                },
            );
        }
        indexed
    }

    fn add_variable(&mut self, handle: Handle<ir::GlobalVariable>, bytes: u32, base: u32) -> u16 {
        let variable = &self.module.global_variables[handle];
        let name = variable.name.clone().unwrap_or_default();
        let elem = match types::first_scalar(self.module, self.type_inner(variable.ty)).map(types::kind_of) {
            Some(Ok(Kind::Int)) => Elem::I32,
            Some(Ok(Kind::Uint | Kind::Bool)) => Elem::U32,
            Some(Ok(Kind::Half)) => Elem::F16,
            _ => Elem::F32,
        };
        // The innermost of arrays in arrays are rows.
        let (mut columns, mut ty) = (None, variable.ty);
        while let TypeInner::Array { base, stride, .. } = *self.type_inner(ty) {
            if matches!(self.type_inner(base), TypeInner::Array { .. }) {
                columns = Some(u64::from(stride) / elem.bytes());
            }
            ty = base;
        }
        let space = match variable.space {
            AddressSpace::WorkGroup => Space::Shared,
            AddressSpace::Uniform => Space::Uniform,
            _ => Space::Global,
        };
        self.b.ir.variables.push(Variable { name, space, bytes, base, elem, columns });
        u16::try_from(self.b.ir.variables.len() - 1).unwrap_or(u16::MAX)
    }

    fn binding(
        &mut self,
        layouter: &Layouter,
        handle: Handle<ir::GlobalVariable>,
        group: u32,
        binding: u32,
    ) -> Binding {
        let variable = &self.module.global_variables[handle];
        let inner = self.type_inner(variable.ty);
        let index = self.add_variable(handle, 0, 0);
        self.globals[handle.index()] =
            Some(Root::Memory { mem: Mem::Buffer(index), variable: index, base: 0, packed: false });
        let kind = match variable.space {
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => BindingKind::ReadWrite,
            AddressSpace::Storage { .. } => BindingKind::ReadOnly,
            _ => BindingKind::Uniform,
        };
        let runtime = self.runtime_array(inner, index);
        Binding {
            name: variable.name.clone().unwrap_or_default(),
            group,
            binding,
            kind,
            elem: self.b.ir.variables[usize::from(index)].elem,
            // A runtime-sized array has at least one element.
            min_bytes: runtime.map_or(layouter[variable.ty].size, |r| r.offset + r.stride),
            stride: runtime.map(|r| r.stride),
            layout: layout(self.module, inner),
        }
    }

    /// The runtime-sized array that ends a buffer of this type.
    pub(super) fn runtime_array(&self, ty: &TypeInner, buffer: u16) -> Option<Extent> {
        match *ty {
            TypeInner::Array { size: ir::ArraySize::Dynamic, stride, .. } => Some(Extent { buffer, offset: 0, stride }),
            TypeInner::Struct { ref members, .. } => {
                let last = members.last()?;
                let inner = self.runtime_array(self.type_inner(last.ty), buffer)?;
                Some(Extent { offset: inner.offset + last.offset, ..inner })
            }
            _ => None,
        }
    }
}
