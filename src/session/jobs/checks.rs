//! A job's checks.

use super::Builder;
use super::evaluate::Place;
use crate::base::diag::Diagnostic;
use crate::base::expr::{Expr, Scope};
use crate::job::{Against, BufferSpec, CheckSpec, Formula, Predicate};
use crate::lesson::{AgainstDecl, BEFORE, CheckDecl};
use crate::reference;

impl Builder<'_> {
    fn place_of<'p>(&self, check: &'p CheckDecl) -> Place<'p> {
        Place { owner: &check.output, place: &check.place }
    }

    /// The program's checks that are made at these parameters.
    pub(super) fn checks(&self) -> Result<Vec<&CheckDecl>, Vec<Diagnostic>> {
        let mut found = Vec::new();
        for check in &self.program.checks {
            let when = check.when.as_ref().map(|when| self.values.number(when, self.place_of(check), "the condition"));
            if when.transpose()? != Some(0.0) {
                found.push(check);
            }
        }
        Ok(found)
    }

    pub(super) fn check(&self, check: &CheckDecl) -> Result<CheckSpec, Vec<Diagnostic>> {
        let at = self.place_of(check);
        let output = self.named(&check.output, at)?;
        let formula = |expr: &Expr, count: &Option<Expr>| self.formula(expr, count.as_ref(), output, at);
        let against = match &check.against {
            AgainstDecl::Reference(name, args, inputs) => {
                let signatures = reference::signatures();
                let known = signatures.iter().find(|known| known.name == name).map_or(&[][..], |known| known.inputs);
                let inputs = known.iter().map(|input| {
                    let renamed = inputs.iter().find(|(own, _)| own == input).map(|(_, buffer)| buffer.as_str());
                    Ok(((*input).to_owned(), self.named(renamed.unwrap_or(input), at)?))
                });
                let inputs = inputs.collect::<Result<_, Vec<Diagnostic>>>()?;
                Against::Reference { name: name.clone(), args: self.values.named(args, at)?, inputs }
            }
            AgainstDecl::Kernel(declared) => Against::Kernel(Box::new(self.plain(declared, at)?.1)),
            AgainstDecl::Formula(expr, count) => Against::Formula(formula(expr, count)?),
            AgainstDecl::Every(expr, count) => Against::Predicate(Predicate::Every(formula(expr, count)?)),
            AgainstDecl::SortedBy(expr, count) => Against::Predicate(Predicate::SortedBy(formula(expr, count)?)),
            AgainstDecl::Permutation(of) => Against::Predicate(Predicate::Permutation(self.named(of, at)?)),
            AgainstDecl::EqualSets(with) => Against::Predicate(Predicate::EqualSets(self.named(with, at)?)),
            AgainstDecl::SumsTo(sum) => Against::Predicate(Predicate::SumsTo(self.values.number(sum, at, "the sum")?)),
        };
        let scale = check.scale.as_ref().map_or(Ok(0.0), |scale| self.values.number(scale, at, "the scale"))?;
        if scale < 0.0 {
            return Err(vec![at.error(format!("the scale is {scale}")).hint("give the size of the terms: 1, say")]);
        }
        let CheckDecl { tolerance, after, place, .. } = check;
        let (after, place) = (after.clone(), Some(place.clone()));
        Ok(CheckSpec { output, against, tolerance: *tolerance, scale, after, place })
    }

    /// Compiles the plain kernel that a check compares with, if it compares with one.
    pub(super) fn bind_check(
        &self,
        check: &mut CheckSpec,
        declared: &CheckDecl,
        buffers: &[BufferSpec],
    ) -> Result<(), Vec<Diagnostic>> {
        let (Against::Kernel(launch), AgainstDecl::Kernel(of)) = (&mut check.against, &declared.against) else {
            return Ok(());
        };
        let at = self.place_of(declared);
        let (kernel, _) = self.plain(of, at)?;
        launch.wgsl().map_err(|problem| vec![problem.hint("name a kernel in WGSL: the tracer runs it")])?;
        self.compile(launch, kernel, of, buffers, at)
    }

    fn formula(
        &self,
        expr: &Expr,
        count: Option<&Expr>,
        output: usize,
        at: Place<'_>,
    ) -> Result<Formula, Vec<Diagnostic>> {
        let elements = self.buffer_spec(&self.program.buffers[output])?.count;
        let count = match count {
            Some(count) => self.values.whole(count, at, "the count")?,
            None => elements,
        };
        if count > elements {
            let message = format!("this check speaks of {count} elements, and `{}` has {elements}", at.owner);
            return Err(vec![at.error(message).hint("give `count` no more than there are")]);
        }
        let mut names: Vec<(String, f64)> = Vec::new();
        for (name, _) in expr.names() {
            if !matches!(name, "i" | "round") && !names.iter().any(|(known, _)| known == name) {
                let value = self.values.env.get(name);
                let problem = |why| vec![at.error(format!("`{name}` has no value: {why}"))];
                names.push((name.to_owned(), value.map_err(problem)?));
            }
        }
        let mut buffers: Vec<(String, usize, bool)> = Vec::new();
        for (name, _) in expr.buffers() {
            if !buffers.iter().any(|(known, ..)| known == name) {
                let bare = name.strip_prefix(BEFORE);
                buffers.push((name.to_owned(), self.named(bare.unwrap_or(name), at)?, bare.is_some()));
            }
        }
        Ok(Formula { expr: expr.clone(), names, buffers, count })
    }
}
