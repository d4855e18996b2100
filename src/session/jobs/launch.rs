//! A job's launches: constants, grids, tensor maps; and, once a shader is compiled, the buffers bound to its variables.

use std::sync::Arc;

use super::Builder;
use super::evaluate::{Evaluator, Place};
use super::feasible;
use crate::base::diag::{self, Diagnostic};
use crate::base::expr::Expr;
use crate::base::tensor::Elem;
use crate::base::units::Work;
use crate::base::wgsl::{self, Settled};
use crate::job::{
    self, Binding, BindingKind, Blame, BufferSpec, CudaLaunch, Grid, Launch, Library, Product, TensorMap, Wgsl,
    WorkgroupShape,
};
use crate::lesson::{Code, CudaOnly, GridDecl, Kernel, LaunchDecl, LibraryDecl, Pass};
use crate::simt::Program;

impl<'a> Builder<'a> {
    /// The kernel in a pass's place.
    pub(super) fn kernel_of(&self, pass: &Pass, declared: &LaunchDecl) -> Result<&'a Kernel, Vec<Diagnostic>> {
        let chosen = self.variant.rungs.get(&pass.id).or(declared.rungs.first());
        self.kernel(chosen.map(String::as_str).unwrap_or_default(), Place { owner: &pass.id, place: &pass.place })
    }

    fn kernel(&self, id: &str, at: Place<'_>) -> Result<&'a Kernel, Vec<Diagnostic>> {
        self.lesson.kernel(id).ok_or_else(|| vec![at.error(format!("`{}` launches no kernel `{id}`", at.owner))])
    }

    /// A launch of a check: of the kernel that it names.
    pub(super) fn plain(&self, declared: &LaunchDecl, at: Place<'_>) -> Result<(&'a Kernel, Launch), Vec<Diagnostic>> {
        let kernel = self.kernel(declared.rungs.first().map(String::as_str).unwrap_or_default(), at)?;
        Ok((kernel, self.launch(kernel, declared, at)?.0))
    }

    /// A kernel's constants; those given by the launch take precedence over its own.
    fn constants(kernel: &Kernel, declared: &LaunchDecl) -> Vec<(String, Expr)> {
        let given = |name: &str| declared.constants.iter().any(|(other, _)| other == name);
        let own = kernel.constants.iter().filter(|(name, _)| !given(name));
        own.chain(&declared.constants).cloned().collect()
    }

    /// A launch of a kernel as far as it is known before the shader is compiled, and what it needs.
    pub(super) fn launch(
        &self,
        kernel: &Kernel,
        declared: &LaunchDecl,
        at: Place<'_>,
    ) -> Result<(Launch, Work), Vec<Diagnostic>> {
        let constants = self.values.named(&Self::constants(kernel, declared), at)?;
        let mut blame = Blame::default();
        let (code, bindings, workgroup) = match &kernel.code {
            Code::Wgsl { file, source, entry, twin } => {
                let mine = self.written.filter(|written| written.pass == at.owner);
                let (file, source, twin) = match &mine {
                    Some(written) => (written.file, written.source, None),
                    None => (file.as_str(), source, twin.clone()),
                };
                let settled = wgsl::settle(file, source, &constants).map_err(|problems| {
                    // A constant that a pass gives and the shader does not declare has its place in the lesson.
                    let of_pass = mine.is_none() && !declared.constants.is_empty();
                    problems
                        .into_iter()
                        .map(|problem| if of_pass { in_lesson(problem, file, at) } else { problem })
                        .collect::<Vec<_>>()
                });
                let Settled { source, consts, overrides } = settled?;
                let (file, entry, source) = (file.to_owned(), entry.clone(), source.into());
                (job::Code::Wgsl(Wgsl { file, source, entry, overrides, consts, twin }), Vec::new(), None)
            }
            Code::Cuda { twin, launch: only } => {
                blame.workgroup = self.blamed(&mut only.block.iter());
                blame.shared = self.blamed(&mut std::iter::once(&only.shared));
                let size = self.values.sizes(&only.block, at, "the workgroup's size")?;
                let launch = self.cuda(only, at)?;
                // Shared memory given at launch does not count as declared by the kernel.
                let shape = WorkgroupShape { size, shared_bytes: 0 };
                let code = job::Code::Cuda { twin: twin.clone(), constants, launch };
                (code, self.parameters(only, declared, at)?, Some(shape))
            }
        };
        let Some(grid) = declared.grid.as_ref().or(kernel.grid.as_ref()) else {
            let problem = at.error(format!("`{}` has no grid: how many workgroups run is not given", kernel.id));
            return Err(vec![problem.hint("give the kernel or the pass a `grid`")]);
        };
        blame.grid = self.blamed(&mut grid.exprs());
        let launch = Launch {
            kernel: kernel.id.clone(),
            code,
            bindings,
            grid: self.grid(grid, at)?,
            workgroup,
            library: self.library(kernel, at)?,
            blame,
        };
        Ok((launch, self.values.work(declared.work.as_ref().unwrap_or(&kernel.work), at)?))
    }

    fn grid(&self, grid: &GridDecl, at: Place<'_>) -> Result<Grid, Vec<Diagnostic>> {
        let (buffer, first, most, place) = match grid {
            GridDecl::Fixed(sizes) => return Ok(Grid::Fixed(self.values.sizes(sizes, at, "the grid")?)),
            GridDecl::Words { buffer, at, most, place } => (buffer, at, most, place),
        };
        let at = Place { place, ..at };
        let (buffer, first) = (self.named(buffer, at)?, self.values.at_least(0, first, at, "the grid's first word")?);
        let spec = self.buffer_spec(&self.program.buffers[buffer])?;
        if spec.elem != Elem::U32 || first + 3 > spec.count {
            let message = format!(
                "a grid is three words of a buffer of U32, and `{}` has {} {:?}",
                spec.name, spec.count, spec.elem
            );
            return Err(vec![at.error(message).hint("give it 3 elements or more from `at` on")]);
        }
        Ok(Grid::Words { buffer, at: first, most: self.values.sizes(most, at, "the most workgroups")? })
    }

    /// The launch settings of a kernel in CUDA C++ only: shared memory, tensor maps, persistence.
    fn cuda(&self, only: &CudaOnly, at: Place<'_>) -> Result<CudaLaunch, Vec<Diagnostic>> {
        let values = &self.values;
        let maps = only.maps.iter().map(|map| {
            Ok::<_, Vec<Diagnostic>>(TensorMap {
                buffer: map.buffer.clone(),
                columns: values.whole(&map.columns, at, "the columns of a tensor map")?,
                rows: values.whole(&map.rows, at, "the rows of a tensor map")?,
                box_columns: values.size(1, &map.box_columns, at, "the columns of a tile")?,
                box_rows: values.size(1, &map.box_rows, at, "the rows of a tile")?,
                swizzle: map.swizzle,
            })
        });
        let maps = maps.collect::<Result<_, _>>()?;
        let shared_bytes = values.size(0, &only.shared, at, "the shared memory")?;
        let numbers = only.values.iter().map(|(place, name, value)| {
            Ok::<_, Vec<Diagnostic>>((
                *place,
                name.clone(),
                values.number(value, at, &format!("the argument `{name}`"))?,
            ))
        });
        let numbers = numbers.collect::<Result<_, _>>()?;
        let (persistent, ptx) = (only.persistent, only.ptx.clone());
        Ok(CudaLaunch { shared_bytes, maps, persistent, values: numbers, ptx, ..CudaLaunch::default() })
    }

    /// The buffers of a kernel in CUDA C++ only: its first parameters, in the lesson's order.
    fn parameters(
        &self,
        only: &CudaOnly,
        declared: &LaunchDecl,
        at: Place<'_>,
    ) -> Result<Vec<Binding>, Vec<Diagnostic>> {
        let each = only.parameters.iter().zip(0..).map(|((name, kind), binding)| {
            let buffer = self.bound(declared, name, at)?;
            Ok(Binding { name: name.clone(), buffer, group: 0, binding, kind: *kind })
        });
        each.collect()
    }

    /// The buffer that a variable is bound to.
    fn bound(&self, declared: &LaunchDecl, variable: &str, at: Place<'_>) -> Result<usize, Vec<Diagnostic>> {
        let given = declared.bind.iter().find(|(name, ..)| name == variable);
        self.named(given.map_or(variable, |(_, buffer, _)| buffer), at)
    }

    /// The library's call with its sizes.
    fn library(&self, kernel: &Kernel, at: Place<'_>) -> Result<Option<Library>, Vec<Diagnostic>> {
        Ok(match &kernel.library {
            None => None,
            Some(LibraryDecl::Copy(from, to)) => Some(Library::Copy(from.clone(), to.clone())),
            Some(LibraryDecl::Product(product)) => {
                let [a, b, c] = product.buffers.clone();
                let size = |i: usize| self.values.whole(&product.sizes[i], at, "a size of the library's product");
                let (m, n, k) = (size(0)?, size(1)?, size(2)?);
                Some(Library::Product(Product { a, b, c, m, n, k, b_transposed: product.b_transposed }))
            }
        })
    }

    /// Compiles a launch's shader, and binds its variables.
    pub(super) fn compile(
        &self,
        launch: &mut Launch,
        kernel: &Kernel,
        declared: &LaunchDecl,
        buffers: &[BufferSpec],
        at: Place<'_>,
    ) -> Result<(), Vec<Diagnostic>> {
        let job::Code::Wgsl(wgsl) = &launch.code else { return exclusive(launch, buffers, at) };
        let program = self.compiled(wgsl, kernel, declared, at)?;
        let known = |name: &str| program.bindings().iter().any(|binding| binding.name == name);
        let odd =
            declared.bind.iter().find(|(name, ..)| !known(name) && !self.used_by_another(name, kernel, declared, at));
        if let Some((odd, _, place)) = odd {
            let names: Vec<&str> = program.bindings().iter().map(|binding| binding.name.as_str()).collect();
            let message = format!("kernel `{}` uses no variable `{odd}`", kernel.id);
            return Err(vec![Place { place, ..at }.error(message).hint(format!("it uses: {}", names.join(", ")))]);
        }
        let mut bindings = Vec::new();
        for variable in program.bindings() {
            let name = &variable.name;
            let buffer = self.bound(declared, name, at).map_err(|_| {
                let hint = format!("add a buffer `{name}`, or say in `bind` which one it stands for");
                let at = wgsl::buffer(&wgsl.source, name).unwrap_or_default();
                let problem = Diagnostic::error(format!("the lesson gives no size for the buffer `{name}`"));
                vec![problem.at(&wgsl.file, &wgsl.source, &(at..at)).hint(hint)]
            })?;
            let (spec, at) = (&buffers[buffer], Place { place: &self.program.buffers[buffer].place, ..at });
            if spec.elem != variable.elem {
                let message =
                    format!("buffer `{}` is {:?} in the shader, and {:?} here", spec.name, variable.elem, spec.elem);
                return Err(vec![at.error(message).hint(format!("write elem: {:?}", variable.elem))]);
            }
            if spec.bytes() < u64::from(variable.min_bytes) {
                let (has, takes) = (spec.bytes(), variable.min_bytes);
                let message = format!("buffer `{}` has {has} bytes, and `{name}` takes at least {takes}", spec.name);
                return Err(vec![at.error(message).hint("give it a larger `count`")]);
            }
            let (group, binding, kind) = (variable.group, variable.binding, variable.kind);
            bindings.push(Binding { name: name.clone(), buffer, group, binding, kind });
        }
        let sizing = wgsl::sizing(&wgsl.source);
        let constants = Self::constants(kernel, declared);
        let set_by = |names: &[String]| {
            self.blamed(&mut constants.iter().filter(|(name, _)| names.contains(name)).map(|(_, value)| value))
        };
        (launch.blame.workgroup, launch.blame.shared) = (set_by(&sizing.size), set_by(&sizing.shared));
        launch.bindings = bindings;
        let (size, shared_bytes) = (program.workgroup_size(), program.shared_bytes());
        launch.workgroup = Some(WorkgroupShape { size, shared_bytes });
        exclusive(launch, buffers, at)
    }

    /// Whether another kernel that can take this one's place has such a variable: a pass binds those of all of them.
    fn used_by_another(&self, variable: &str, kernel: &Kernel, declared: &LaunchDecl, at: Place<'_>) -> bool {
        let others = declared.rungs.iter().filter(|id| **id != kernel.id).filter_map(|id| self.lesson.kernel(id));
        others.into_iter().any(|other| match &other.code {
            Code::Cuda { launch, .. } => launch.parameters.iter().any(|(name, _)| name == variable),
            Code::Wgsl { .. } => {
                let launch = self.launch(other, declared, at);
                let wgsl = launch.as_ref().ok().and_then(|(launch, _)| launch.wgsl().ok());
                let program = wgsl.and_then(|wgsl| self.compiled(wgsl, other, declared, at).ok());
                program.is_some_and(|program| program.bindings().iter().any(|binding| binding.name == variable))
            }
        })
    }

    /// The compiled shader, or its errors and the parameter that caused them.
    fn compiled(
        &self,
        wgsl: &Wgsl,
        kernel: &Kernel,
        declared: &LaunchDecl,
        at: Place<'_>,
    ) -> Result<Arc<Program>, Vec<Diagnostic>> {
        let Wgsl { file, source, entry, overrides, .. } = wgsl;
        Program::shared(file, source, entry, overrides).map_err(|mut problems| {
            let original = match self.written.filter(|written| written.pass == at.owner) {
                Some(written) => written.source,
                None => kernel.source(),
            };
            let constants = Self::constants(kernel, declared);
            let blamed = feasible::blamed(self.lesson, &constants, self.params, |params| {
                let values = Evaluator::new(self.lesson, params);
                let settled = values.named(&constants, at).and_then(|all| wgsl::settle(file, original, &all));
                settled.is_ok_and(|s| Program::shared(file, &s.source, entry, &s.overrides).is_ok())
            });
            if let (Some(first), Some(hint)) = (problems.first_mut(), blamed) {
                first.hint = Some(hint);
            }
            problems
        })
    }

    /// The parameters that expressions depend on, by the names shown to users.
    pub(super) fn blamed(&self, exprs: &mut dyn Iterator<Item = &Expr>) -> Vec<String> {
        let lesson = self.lesson;
        let mut ids: Vec<String> = exprs.flat_map(|e| lesson.blame(e)).collect();
        // In the lesson's order, which is the order shown to users.
        ids.sort_by_key(|id| lesson.params.iter().position(|param| param.id == *id));
        ids.dedup();
        ids.iter().map(|id| feasible::known_as(lesson, id)).collect()
    }
}

/// Fails if a buffer that a launch writes to is bound to two of its variables.
fn exclusive(launch: &Launch, buffers: &[BufferSpec], at: Place<'_>) -> Result<(), Vec<Diagnostic>> {
    for (i, binding) in launch.bindings.iter().enumerate() {
        let writes = |other: &Binding| [other.kind, binding.kind].contains(&BindingKind::ReadWrite);
        let twice = launch.bindings[..i].iter().find(|other| other.buffer == binding.buffer && writes(other));
        if let Some(other) = twice {
            let (name, kernel) = (&buffers[binding.buffer].name, &launch.kernel);
            let message = format!(
                "`{}` and `{}` of kernel `{kernel}` are both `{name}`, which it writes to",
                other.name, binding.name
            );
            return Err(vec![
                at.error(message).hint("bind one of them to another buffer, and copy it before or after"),
            ]);
        }
    }
    Ok(())
}

/// Moves an error of a whole shader to the place in the lesson that launches it.
fn in_lesson(problem: Diagnostic, file: &str, at: Place<'_>) -> Diagnostic {
    if problem.place == Some(diag::Place::start(file)) { problem.in_place(at.place) } else { problem }
}
