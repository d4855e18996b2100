//! References between the parts of a lesson, recorded while reading and resolved when all names are known.

use std::cell::RefCell;

use super::excerpt::Excerpt;
use super::prose::QuotedNumber;
use crate::base::diag::Place;
use crate::base::expr::Expr;

/// A name that some part of a lesson uses, and its place.
#[derive(Debug)]
pub(super) struct Mention {
    pub name: String,
    pub place: Place,
    pub of: Of,
}

/// The kind of thing that a mentioned name should be.
#[derive(Debug)]
pub(super) enum Of {
    /// A parameter.
    Param,
    /// A parameter that takes this value, which is at this place.
    Setting(f64, Place),
    Kernel,
    /// Something that can be run: a program, or a kernel that has buffers of its own.
    Program,
    /// A pass of this program.
    Pass(String),
    /// A buffer of this program.
    Buffer(String),
    /// A pass or a repetition of this program.
    Part(String),
    /// A kernel that this pass of this program can launch: the program, then the pass.
    Rung(String, String),
    Value,
    Experiment,
    /// A curve of this experiment.
    Curve(String),
    /// A prediction, which the text places here.
    Prediction,
    /// An exercise, which the text places here.
    Exercise,
    Explorer,
    /// Something that an expression may use.
    Name(Access),
}

/// Names that an expression may use, besides parameters and the values that follow from them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Access {
    /// No others: the size of a run cannot depend on its results.
    Fixed,
    /// Results of kernels and of the device, and all values.
    Results,
    /// Results of these probes: the name of each, with the program that it runs.
    Probes(Vec<(String, String)>),
    /// Results of these probes that do not depend on a clock.
    Counts(Vec<(String, String)>),
    /// Results of an exercise that is part of this program.
    Exercise(String),
}

/// All mentions of a lesson.
#[derive(Default)]
pub(super) struct Mentions(RefCell<Vec<Mention>>);

impl Mentions {
    /// Records one.
    pub fn add(&self, name: &str, place: Place, of: Of) {
        self.0.borrow_mut().push(Mention { name: name.to_owned(), place, of });
    }

    /// Parses an expression and records its names. A mistake is reported at its place, and None is returned.
    pub fn expr(&self, excerpt: Excerpt<'_>, access: &Access) -> Option<Expr> {
        let expr = self.formula(excerpt, access, &[])?;
        let Some(about) = expr.about_elements() else { return Some(expr) };
        let hint = "they stand in the formulas of checks; use parameters, values and results here";
        excerpt.error(about.start, "there are no elements of buffers here", hint);
        None
    }

    /// The same for an expression that may contain elements of buffers, and the names `own`, which are not recorded.
    pub fn formula(&self, excerpt: Excerpt<'_>, access: &Access, own: &[&str]) -> Option<Expr> {
        match Expr::parse(excerpt.text) {
            Ok(expr) => {
                for (name, span) in expr.names().into_iter().filter(|(name, _)| !own.contains(name)) {
                    self.add(name, excerpt.place(span.start), Of::Name(access.clone()));
                }
                Some(expr)
            }
            Err(error) => {
                let hint = error.hint.unwrap_or_else(|| "write a number, a name or a formula of them".to_owned());
                excerpt.error(error.span.start, error.message, hint);
                None
            }
        }
    }

    /// Parses arithmetic with quoted figures, and records the other names in it: parameters, and values that follow
    /// from parameters. Whether a source has the figures is not checked here.
    pub fn quoted(&self, excerpt: Excerpt<'_>) -> Option<(Expr, Vec<QuotedNumber>)> {
        let expr = Expr::parse(excerpt.text)
            .map_err(|error| {
                let hint = error.hint.unwrap_or_else(|| "write figures, such as experiment.kernel.time[32]".to_owned());
                excerpt.error(error.span.start, error.message, hint);
            })
            .ok()?;
        let mut figures = Vec::new();
        for (name, at, span) in expr.elements() {
            if at.is_none() {
                let hint = "write the value of the experiment's parameter as a number";
                excerpt.error(span.start, format!("where on `{name}` this is depends on a name"), hint);
                return None;
            }
            figures.push((span.start, QuotedNumber { name: name.to_owned(), at, place: excerpt.place(span.start) }));
        }
        for (name, span) in expr.names() {
            let place = excerpt.place(span.start);
            if name.contains('.') {
                figures.push((span.start, QuotedNumber { name: name.to_owned(), at: None, place }));
            } else {
                self.add(name, place, Of::Name(Access::Fixed));
            }
        }
        figures.sort_by_key(|(start, _)| *start);
        Some((expr, figures.into_iter().map(|(_, figure)| figure).collect()))
    }

    /// All of them, in the order in which they were read.
    pub fn finish(self) -> Vec<Mention> {
        self.0.into_inner()
    }
}
