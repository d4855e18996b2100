//! Lowering: a WGSL module to [`Ir`], with calls inlined and composites split into registers. All of naga ends here.

mod cooperative;
mod expr;
mod globals;
mod layout;
mod math;
mod parse;
mod pointer;
mod stmt;
mod subgroup;
mod types;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Handle, Span, ir};

pub use parse::{EntryPoint, Override, entry_points, overrides};

use super::binding::Binding;
use super::builder::Builder;
use super::ir::{Inst, Ir, Reg};
use pointer::{Pointer, Root};
use warpbook_base::diag::Diagnostic;

/// Most registers that a program may have: past this, inlining or large values by copy went out of hand.
const MAX_REGS: usize = 1 << 20;

/// Most instructions, for the same reason. Less than a slice of fuel: a basic block has to fit in one.
const MAX_INSTS: usize = 1 << 20;

/// Words of arrays that a lane may have of its own, and of any one variable or value: 64 KiB.
const MAX_LOCAL_WORDS: u32 = 1 << 14;

/// Nesting depth of blocks, calls among them. Later passes walk from the inside out, again and again.
const MAX_DEPTH: u32 = 1 << 11;

/// Members that a struct may have, with those of its members.
const MAX_PARTS: u32 = 1 << 12;

/// Workgroup memory that a program may have, in bytes. No GPU has as much.
const MAX_SHARED_BYTES: u32 = 1 << 20;

/// Invocations that a workgroup may have. Most GPUs stop at 1024.
const MAX_INVOCATIONS: u64 = 1 << 14;

/// The result of lowering.
pub(super) struct Lowered {
    pub ir: Ir,
    pub workgroup_size: [u32; 3],
    pub bindings: Vec<Binding>,
}

/// Lowers entry point `entry` of `source` with the overrides' values `constants`.
pub(super) fn lower(
    file: &str,
    source: &str,
    entry: &str,
    constants: &[(String, f64)],
) -> Result<Lowered, Vec<Diagnostic>> {
    let (module, info) = parse::resolve(file, source, entry, constants)?;
    let missing = || vec![Diagnostic::error(format!("no compute entry point is named `{entry}`")).in_file(file)];
    let index = module.entry_points.iter().position(|e| e.name == entry).ok_or_else(missing)?;
    let point = &module.entry_points[index];
    let mut lower = Lower::new(file, source, &module, &info);
    lower.b.at_line(parse::entry_line(point, source));
    lower.limits(point).map_err(|e| vec![e])?;
    lower.sizes().map_err(|e| vec![e])?;
    let bindings = lower.globals(info.get_entry_point(index)).map_err(|e| vec![e])?;
    lower.entry(point, info.get_entry_point(index)).map_err(|e| vec![e])?;
    Ok(Lowered { ir: lower.b.ir, workgroup_size: point.workgroup_size, bindings })
}

/// The lowered value of an expression.
#[derive(Clone, Debug)]
enum Value {
    /// A register for each component.
    Regs(Vec<Reg>),
    /// A pointer.
    Pointer(Pointer),
}

/// The state of lowering one module.
struct Lower<'a> {
    file: &'a str,
    source: &'a str,
    module: &'a ir::Module,
    info: &'a ModuleInfo,
    /// Where each global variable lives, once it is known that the entry point uses it.
    globals: Vec<Option<Root>>,
    /// Blocks around what is lowered now.
    depth: u32,
    b: Builder,
}

/// One inlined function.
struct Frame<'a> {
    fun: &'a ir::Function,
    info: &'a FunctionInfo,
    args: Vec<Value>,
    /// By expression.
    values: Vec<Option<Value>>,
    /// By local variable.
    locals: Vec<Option<Root>>,
    /// The instruction that opened its body.
    home: u32,
    /// Where `return` puts its value.
    result: ReturnTo,
}

/// Where a function's `return` goes.
enum ReturnTo {
    /// The only one is at the end: its value is bound as it is.
    Tail(Option<Vec<Reg>>),
    /// To variables, from anywhere.
    Variables(Vec<Reg>),
}

impl Builder {
    /// Sets the line of the following instructions to that of `span`; an undefined one changes nothing.
    fn at(&mut self, span: Span) {
        if let Some(range) = span.to_range() {
            self.at_byte(range.start);
        }
    }
}

impl<'a> Lower<'a> {
    fn new(file: &'a str, source: &'a str, module: &'a ir::Module, info: &'a ModuleInfo) -> Self {
        Self {
            file,
            source,
            module,
            info,
            globals: vec![None; module.global_variables.len()],
            depth: 0,
            b: Builder::new(source),
        }
    }

    /// An error at `span`.
    fn error(&self, message: impl Into<String>, span: Span) -> Diagnostic {
        let error = Diagnostic::error(message);
        match span.to_range() {
            Some(range) => error.at(self.file, self.source, &range),
            None => Diagnostic { place: Some(self.b.place(self.file)), ..error },
        }
    }

    /// An error for something that WGSL has and the tracer does not.
    fn unsupported(&self, what: &str, span: Span) -> Diagnostic {
        self.error(format!("{what} cannot be traced"), span)
            .hint("the tracer knows i32, u32, f32, f16 and bool in buffers, workgroup memory and variables")
    }

    fn type_inner(&self, ty: Handle<ir::Type>) -> &'a ir::TypeInner {
        &self.module.types[ty].inner
    }

    /// Refuses types with more than [`MAX_PARTS`] parts: lowering walks over types repeatedly.
    fn sizes(&self) -> Result<(), Diagnostic> {
        // Types come after those that they are made of.
        let mut parts: Vec<u32> = Vec::new();
        for (handle, ty) in self.module.types.iter() {
            let count = match &ty.inner {
                ir::TypeInner::Struct { members, .. } => {
                    members.iter().fold(1, |sum: u32, m| sum.saturating_add(parts[m.ty.index()]))
                }
                ir::TypeInner::Array { base, .. } | ir::TypeInner::BindingArray { base, .. } => 1 + parts[base.index()],
                _ => 1,
            };
            if count > MAX_PARTS {
                let error = self.error(
                    format!("a type of {count} parts is too large to trace"),
                    self.module.types.get_span(handle),
                );
                return Err(error.hint("use arrays instead of members, or fewer of them"));
            }
            parts.push(count);
        }
        Ok(())
    }

    /// Refuses a value of `components` more registers where the program would become too large by it.
    fn room(&self, components: u32, span: Span) -> Result<(), Diagnostic> {
        if components > MAX_LOCAL_WORDS {
            let error = self.error(format!("a value of {components} numbers is too large to trace"), span);
            return Err(error.hint("use the elements that are needed, instead of the whole"));
        }
        if self.b.ir.regs.len() + components as usize > MAX_REGS || self.b.ir.insts.len() > MAX_INSTS {
            let error = self.error("the program is too large to trace once its calls are inlined", span);
            return Err(error.hint("call large functions from fewer places, and copy large values less often"));
        }
        Ok(())
    }

    /// Refuses workgroups that no GPU would run.
    fn limits(&self, point: &ir::EntryPoint) -> Result<(), Diagnostic> {
        let count: u64 = point.workgroup_size.iter().fold(1, |n, x| n.saturating_mul(u64::from(*x)));
        if (1..=MAX_INVOCATIONS).contains(&count) {
            return Ok(());
        }
        let [x, y, z] = point.workgroup_size;
        let error = self.error(format!("a workgroup of {x} × {y} × {z} has {count} invocations"), Span::UNDEFINED);
        Err(error.hint("GPUs run workgroups of 1 to 1024 invocations"))
    }

    /// Lowers the entry point's own body.
    fn entry(&mut self, point: &'a ir::EntryPoint, info: &'a FunctionInfo) -> Result<(), Diagnostic> {
        let mut args = Vec::new();
        for argument in &point.function.arguments {
            args.push(Value::Regs(self.builtins(argument.ty, argument.binding.as_ref())?));
        }
        let result = ReturnTo::Variables(Vec::new());
        let home = self.b.push(Inst::Open);
        self.body(&point.function, info, args, home, result)?;
        self.b.push(Inst::Close);
        Ok(())
    }

    /// The registers of an entry point's argument: a built-in, or a struct of them.
    fn builtins(&mut self, ty: Handle<ir::Type>, binding: Option<&ir::Binding>) -> Result<Vec<Reg>, Diagnostic> {
        use super::ir::Builtin as B;
        let each = |b: fn(u8) -> B| (0..3).map(b).collect::<Vec<_>>();
        let inputs = match binding {
            Some(ir::Binding::BuiltIn(builtin)) => match builtin {
                ir::BuiltIn::LocalInvocationIndex => vec![B::LocalIndex],
                ir::BuiltIn::LocalInvocationId => each(B::LocalId),
                ir::BuiltIn::GlobalInvocationId => each(B::GlobalId),
                ir::BuiltIn::WorkGroupId => each(B::WorkgroupId),
                ir::BuiltIn::NumWorkGroups => each(B::NumWorkgroups),
                ir::BuiltIn::SubgroupInvocationId => vec![B::Lane],
                ir::BuiltIn::SubgroupId => vec![B::Warp],
                ir::BuiltIn::SubgroupSize => vec![B::WarpWidth],
                ir::BuiltIn::NumSubgroups => vec![B::WarpCount],
                other => {
                    let what = format!("the built-in {other:?}");
                    return Err(self.unsupported(&what, Span::UNDEFINED));
                }
            },
            _ => {
                let ir::TypeInner::Struct { members, .. } = self.type_inner(ty) else {
                    return Err(self.unsupported("an argument without a built-in", Span::UNDEFINED));
                };
                let mut regs = Vec::new();
                for member in members {
                    regs.extend(self.builtins(member.ty, member.binding.as_ref())?);
                }
                return Ok(regs);
            }
        };
        Ok(inputs.into_iter().map(|b| self.b.builtin(b)).collect())
    }
}
