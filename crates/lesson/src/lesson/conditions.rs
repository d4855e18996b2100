//! Requirements of kernels on parameters: expressions that must have values, including those of shader constants, and
//! `requires`.

use std::sync::Arc;

use super::document::Reader;
use super::fields::{Node, Text};
use super::mention::Access;
use super::model::{Kernel, Lesson, Requirement, Variant};
use super::scope::{Env, Settings};
use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::base::wgsl::{Scalar, settable};

/// An expression that must have a value at all settings at which its kernel or program is run.
pub(super) struct RequiredValue {
    /// The kernel or the program.
    pub owner: String,
    pub expr: Expr,
    pub place: Place,
    pub wanted: Wanted,
}

/// The values allowed for it.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// Any finite number.
    Number,
    /// A finite number that is not negative.
    Amount,
    /// A whole number of at least this.
    Count(u64),
    /// A whole number from the first to the second.
    Between(u64, u64),
    /// A value that the shader's constant of this name and type can have.
    Constant(String, Scalar),
    /// At most the number of elements of the buffer of this name.
    BufferLength(String, Expr),
}

/// A requirement of a kernel.
pub(super) struct Condition {
    pub kernel: String,
    pub requirement: Requirement,
}

impl Reader<'_> {
    /// The values of a shader's constants, each of which the shader must declare as settable.
    pub(super) fn constants(
        &mut self,
        kernel: &str,
        shader: Option<&(String, Arc<str>)>,
        all: Vec<(Text<'_>, Node<'_>)>,
    ) -> Vec<(String, Expr)> {
        let shader = shader.filter(|(file, _)| file.ends_with(".wgsl"));
        let mut constants = Vec::new();
        for (name, node) in all {
            let wanted = match shader.map(|(_, source)| settable(source, &name.value)) {
                Some(Ok(setting)) => {
                    setting.scalar().map_or(Wanted::Number, |scalar| Wanted::Constant(name.value.clone(), scalar))
                }
                None => Wanted::Number,
                Some(Err(why)) => {
                    name.error(why.message, why.hint.unwrap_or_default());
                    Wanted::Number
                }
            };
            constants.extend(self.wanted(kernel, Some(node), wanted).map(|expr| (name.value, expr)));
        }
        constants
    }

    /// A condition and its description.
    pub(super) fn requirement(&mut self, kernel: &str, node: Node<'_>) -> Option<Requirement> {
        let [condition, text] = node.pair()?;
        let (expr, text) = (self.expr(Some(condition), &Access::Fixed), text.text());
        let place = condition.place();
        let requirement = Requirement { condition: expr?, text: text?.value, place };
        self.conditions.push(Condition { kernel: kernel.to_owned(), requirement: requirement.clone() });
        Some(requirement)
    }
}

impl Lesson {
    /// The first of a variant's requirements that is not met at some settings, or has no value there, with its kernel.
    #[must_use]
    pub fn unmet<'l>(&'l self, variant: &Variant, settings: &Settings) -> Option<(&'l Kernel, &'l Requirement)> {
        let env = Env::fixed(&self.params, &self.values, settings);
        let kernels = self.launched(variant).into_iter().flatten();
        let mut all = kernels.flat_map(|kernel| kernel.requires.iter().map(move |requirement| (kernel, requirement)));
        all.find(|(_, requirement)| !requirement.holds(&env))
    }
}

impl Requirement {
    /// Whether its condition has a nonzero value.
    pub(super) fn holds(&self, env: &Env<'_>) -> bool {
        env.eval(&self.condition).is_ok_and(|value| value != 0.0)
    }
}
