//! Pointers: where a variable lives, the way into it, and loads and stores through it.

use naga::ir::{AddressSpace, Expression, TypeInner};
use naga::{Handle, Span, ir};

use super::super::ir::{Extent, Inst, Joined, Len, Mem, Place, PlaceId, Reg, RegKind, Sync, Term, Width};
use super::types::{self, Leaf};
use super::{Frame, Lower, Value};
use warpbook_base::diag::Diagnostic;

/// Where a variable lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    /// Consecutive registers from this one, one for each component.
    Registers(Reg),
    /// Memory, from byte `base`. A `packed` variable holds its components in consecutive words, whatever WGSL's layout:
    /// local arrays, and workgroup variables with a `bool` in them, which has no layout.
    Memory { mem: Mem, variable: u16, base: u32, packed: bool },
}

/// A pointer into a variable.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub root: Root,
    /// Bytes; of registers and packed variables components.
    pub offset: u32,
    pub terms: Vec<Term>,
    /// The type that it points to.
    pub ty: TypeInner,
    /// Bytes of the vector that it points to a component of; 0 if it does not.
    pub vector: u8,
}

impl Pointer {
    /// Whether offsets count components rather than bytes.
    fn by_component(&self) -> bool {
        matches!(self.root, Root::Registers(_) | Root::Memory { packed: true, .. })
    }
}

impl<'a> Lower<'a> {
    /// A new function or private variable with its first value (zero without one). One that is indexed at run time
    /// becomes a local array, anything else registers.
    pub(super) fn variable(
        &mut self,
        ty: Handle<ir::Type>,
        home: Option<u32>,
        init: Option<Vec<Reg>>,
        indexed: bool,
    ) -> Result<Root, Diagnostic> {
        if let Some(what) = types::unsupported(self.module, ty) {
            return Err(self.unsupported(&what, self.module.types.get_span(ty)));
        }
        let inner = self.type_inner(ty);
        let count = types::components(self.module, inner);
        let array = indexed || types::has_array(self.module, inner);
        let most =
            if array { super::MAX_LOCAL_WORDS.saturating_sub(self.b.ir.local_words) } else { super::MAX_LOCAL_WORDS };
        if count > most {
            return Err(self
                .error("the variables of this program are too large to trace", Span::UNDEFINED)
                .hint("keep large arrays in workgroup memory or a storage buffer"));
        }
        if array {
            let first = self.b.ir.local_words;
            self.b.ir.local_words += count;
            self.b.push(Inst::ClearLocal { first, rows: count });
            let root = Root::Memory { mem: Mem::Local, variable: 0, base: first * 4, packed: true };
            if let Some(init) = init {
                let pointer = Pointer { root, offset: 0, terms: Vec::new(), ty: inner.clone(), vector: 0 };
                self.store(&pointer, &init);
            }
            return Ok(root);
        }
        let zero = self.b.constant(0);
        let first = u32::try_from(self.b.ir.regs.len()).unwrap_or(u32::MAX);
        // Constants of the initialiser exist already, so that the variable's registers are consecutive.
        for i in 0..count as usize {
            let init = init.as_ref().map_or(zero, |init| init[i]);
            self.b.var(home, init);
        }
        Ok(Root::Registers(first))
    }

    /// The scalars and vectors that a pointer points to: each as its place in memory.
    fn leaves(&self, pointer: &Pointer) -> Vec<Leaf> {
        let mut out = Vec::new();
        if pointer.by_component() {
            let count = types::components(self.module, &pointer.ty);
            out.extend((0..count).map(|i| Leaf { offset: i * 4, components: 1, width: Width::Word }));
        } else {
            types::leaves(self.module, &pointer.ty, 0, &mut out);
        }
        out
    }

    pub(super) fn place(&mut self, pointer: &Pointer, leaf: Leaf) -> PlaceId {
        let (mem, variable, base) = match pointer.root {
            Root::Memory { mem, variable, base, packed } => {
                (mem, variable, base + if packed { pointer.offset * 4 } else { pointer.offset })
            }
            // Callers handle registers themselves.
            Root::Registers(_) => (Mem::Local, 0, 0),
        };
        self.b.add_place(Place {
            mem,
            variable,
            offset: base + leaf.offset,
            terms: pointer.terms.clone(),
            whole: None,
            joined: Joined::default(),
            sync: Sync { wide: true, ..Sync::default() },
            updates: false,
            checked: false,
            returns: false,
            components: leaf.components,
            width: leaf.width,
            unit: leaf.width.bytes(),
            atomic: matches!(pointer.ty, TypeInner::Atomic(_)),
            vector: pointer.vector,
            line: 0,
        })
    }

    /// The place of the single word of a pointer to an atomic.
    pub(super) fn atomic_place(&mut self, pointer: &Pointer) -> PlaceId {
        self.place(pointer, Leaf { offset: 0, components: 1, width: Width::Word })
    }

    /// Loads the value that a pointer points to.
    pub(super) fn load(&mut self, pointer: &Pointer) -> Vec<Reg> {
        let count = types::components(self.module, &pointer.ty);
        if let Root::Registers(first) = pointer.root {
            return (0..count).map(|i| self.b.read(first + pointer.offset + i)).collect();
        }
        // A lane's part of a matrix is in registers, in an array too: a GPU would unroll its loops.
        self.b.uncounted = matches!(pointer.ty, TypeInner::CooperativeMatrix { .. });
        let mut regs = Vec::new();
        for leaf in self.leaves(pointer) {
            let place = self.place(pointer, leaf);
            let mut dst = [0; 4];
            for slot in &mut dst[..usize::from(leaf.components)] {
                *slot = self.b.temp();
                regs.push(*slot);
            }
            self.b.push(Inst::Load { place, dst });
        }
        self.b.uncounted = false;
        regs
    }

    /// Stores a value through a pointer.
    pub(super) fn store(&mut self, pointer: &Pointer, value: &[Reg]) {
        if let Root::Registers(first) = pointer.root {
            for (i, src) in (0..).zip(value) {
                self.b.write(first + pointer.offset + i, *src);
            }
            return;
        }
        self.b.uncounted = matches!(pointer.ty, TypeInner::CooperativeMatrix { .. });
        let mut rest = value;
        for leaf in self.leaves(pointer) {
            let (now, later) = rest.split_at(usize::from(leaf.components));
            rest = later;
            let place = self.place(pointer, leaf);
            let mut src = [now[0]; 4];
            src[..now.len()].copy_from_slice(now);
            self.b.push(Inst::Store { place, src });
        }
        self.b.uncounted = false;
    }

    /// The pointer to element `index` of what `base` points to.
    pub(super) fn element_pointer(&mut self, base: &Pointer, index: Index) -> Option<Pointer> {
        let at = if let Index::Constant(i) = index { i } else { 0 };
        let e = types::element(self.module, &base.ty, at)?;
        let components = base.by_component();
        let vector = match base.ty {
            // Components that lie in words of their own are no vector.
            TypeInner::Vector { size, scalar } if !components => size as u8 * scalar.width,
            _ => 0,
        };
        let mut out = Pointer { ty: e.ty, vector, ..base.clone() };
        match (index, e.len) {
            // One past the end of an array whose size an override gives is found out later.
            (Index::Constant(i), Some(len)) if i < len => out.offset += if components { e.component } else { e.offset },
            (_, len) => {
                let index = match index {
                    Index::Constant(i) => self.b.constant(i),
                    Index::Register(r) => r,
                };
                let len = match len {
                    Some(len) => Len::Const(len),
                    None => Len::Runtime(self.extent(base, e.stride)?),
                };
                // A packed component is a word of 4 bytes.
                let stride = if components { e.step * 4 } else { e.stride };
                out.terms.push(Term { index, stride: stride.into(), len });
            }
        }
        Some(out)
    }

    /// The runtime-sized array that `base` points to.
    fn extent(&self, base: &Pointer, stride: u32) -> Option<Extent> {
        match base.root {
            Root::Memory { mem: Mem::Buffer(buffer), .. } => Some(Extent { buffer, offset: base.offset, stride }),
            _ => None,
        }
    }

    /// The number of elements of the runtime-sized array that a pointer points to.
    pub(super) fn array_length(&mut self, pointer: &Pointer) -> Option<Reg> {
        let stride = types::element(self.module, &pointer.ty, 0)?.stride;
        let extent = self.extent(pointer, stride)?;
        Some(self.b.given(RegKind::Length(extent)))
    }

    /// The value of an expression as a pointer.
    pub(super) fn pointer(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Pointer, Diagnostic> {
        match self.value(frame, handle)? {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Regs(_) => {
                Err(self.error("this is used as a pointer but is a value", frame.fun.expressions.get_span(handle)))
            }
        }
    }

    /// The pointer that names global variable `handle`.
    pub(super) fn global_pointer(&self, handle: Handle<ir::GlobalVariable>, span: Span) -> Result<Pointer, Diagnostic> {
        let variable = &self.module.global_variables[handle];
        if variable.space == AddressSpace::Handle {
            let what = types::unsupported(self.module, variable.ty).unwrap_or_else(|| "resources".to_owned());
            return Err(self.unsupported(&what, span));
        }
        let root =
            self.globals[handle.index()].ok_or_else(|| self.error("this variable was taken to be unused", span))?;
        Ok(Pointer { root, offset: 0, terms: Vec::new(), ty: self.type_inner(variable.ty).clone(), vector: 0 })
    }
}

/// Which element of a composite.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index {
    /// Known now.
    Constant(u32),
    /// Known when it runs.
    Register(Reg),
}

/// Calls `visit` with the root of everything in `fun` that is indexed by a value known only at run time, and of each argument of a call
/// that `passes`: the function that is called may index it so.
pub(super) fn indexed_roots(
    fun: &ir::Function,
    passes: impl Fn(Handle<Expression>) -> bool,
    mut visit: impl FnMut(&Expression),
) {
    let mut from = |mut id: Handle<Expression>| {
        while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } = fun.expressions[id] {
            id = base;
        }
        visit(&fun.expressions[id]);
    };
    for (_, expression) in fun.expressions.iter() {
        if let Expression::Access { base, .. } = *expression {
            from(base);
        }
    }
    super::stmt::each_call(&fun.body, &mut |arguments| {
        arguments.iter().filter(|a| passes(**a)).for_each(|a| from(*a));
    });
}
