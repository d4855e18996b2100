//! The expressions of lessons: a small language over numbers, whose mistakes have places.
//!
//! Numbers (`12`, `0.5`, `1e9`), names (`n`, `strided.load_sectors`), `+ - * / % ^`, comparisons, `&&`, `||`
//! and the functions of [`FUNCTIONS`]. A comparison is 1 or 0; anything but 0 counts as true. Where there are buffers,
//! their elements too: `x[i + 1]`.

mod parse;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use parse::{FUNCTIONS, MAX_DEPTH, SUM};
use parse::{Function, Node, Op, Term};

/// Terms of a sum at most.
const MAX_TERMS: f64 = 16_777_216.0;

/// Arguments of a call that are kept without an allocation.
const FEW: usize = 4;

/// The greatest number up to which f64 counts by one: 2^53.
const MAX_COUNTED: f64 = 9_007_199_254_740_992.0;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Expr {
    source: String,
    root: Node,
}

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// The message: a sentence without its full stop.
    pub message: String,
    /// Advice on it.
    pub hint: Option<String>,
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.span.start)
    }
}

impl std::error::Error for ExprError {}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum EvalError {
    /// Nothing goes by this name, or its result is not in yet.
    Missing(String),
    /// The part with this source came out infinite or undefined.
    NotFinite(String),
    /// The element of a buffer with this source is infinite or not a number.
    ElementNotFinite(String),
    /// The expression with this source should be a whole number of at least `least`, and is this.
    NotWhole {
        /// The expression's source.
        source: String,
        /// Its value.
        value: f64,
        /// The least value that would do.
        least: u64,
    },
    /// Values refer to one another, the last through this name, more often than anyone needs.
    TooDeep(String),
    /// The buffer of this name has no element of this index.
    NoElement(String, f64),
    /// A sum of this many terms would not end.
    TooLong(f64),
    /// A sum counts to this number, where adding one changes nothing.
    Uncounted(f64),
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "`{name}` is not known"),
            Self::NotFinite(source) | Self::ElementNotFinite(source) => write!(f, "`{source}` is not a finite number"),
            Self::NotWhole { source, value, least } => {
                write!(f, "`{source}` is {value}, and should be a whole number of at least {least}")
            }
            Self::TooDeep(name) => write!(f, "too many values refer to one another on the way to `{name}`"),
            Self::TooLong(terms) => write!(f, "a sum of {terms} terms takes too long: {MAX_TERMS} are the most"),
            Self::Uncounted(bound) => {
                write!(
                    f,
                    "a sum counts from or to {bound}, and {MAX_COUNTED} is the greatest number that it can count to"
                )
            }
            Self::NoElement(name, index) => write!(f, "`{name}` has no element {index}"),
        }
    }
}

impl std::error::Error for EvalError {}

/// Where names get their numbers.
pub trait Scope {
    /// The number that goes by `name`.
    ///
    /// # Errors
    /// [`EvalError::Missing`] where there is none; what went wrong on the way where it is itself computed.
    fn get(&self, name: &str) -> Result<f64, EvalError>;

    /// Element `index` of the buffer `name`; by default there are no buffers.
    ///
    /// # Errors
    /// [`EvalError::Missing`] where there is no such buffer, [`EvalError::NoElement`] where it has no such element.
    fn element(&self, name: &str, _index: f64) -> Result<f64, EvalError> {
        Err(EvalError::Missing(name.to_owned()))
    }
}

/// Where no name has a number.
struct Nameless;

impl Scope for Nameless {
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        Err(EvalError::Missing(name.to_owned()))
    }
}

/// The scope of a sum's terms: one name more.
struct Counting<'a> {
    name: &'a str,
    value: f64,
    outer: &'a dyn Scope,
}

impl Scope for Counting<'_> {
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        if name == self.name { Ok(self.value) } else { self.outer.get(name) }
    }

    fn element(&self, name: &str, index: f64) -> Result<f64, EvalError> {
        self.outer.element(name, index)
    }
}

impl TryFrom<String> for Expr {
    type Error = ExprError;

    fn try_from(text: String) -> Result<Self, ExprError> {
        Self::parse(&text)
    }
}

impl From<Expr> for String {
    fn from(expr: Expr) -> Self {
        expr.source
    }
}

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first mistake, with its place in `text`.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        Ok(Self { source: text.to_owned(), root: parse::parse(text)? })
    }

    /// The text it was read from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names it uses and the bytes of each, from left to right, with repetitions. Not those of buffers, nor those
    /// that a sum counts with.
    #[must_use]
    pub fn names(&self) -> Vec<(&str, Range<usize>)> {
        let mut found = Vec::new();
        self.root.visit(&mut Vec::new(), &mut |node, bound| {
            if let Term::Name(name) = &node.term
                && !bound.contains(&name.as_str())
            {
                found.push((name.as_str(), node.span.clone()));
            }
        });
        found
    }

    /// The buffers whose elements it uses, as [`Expr::names`] gives names.
    #[must_use]
    pub fn buffers(&self) -> Vec<(&str, Range<usize>)> {
        let mut found = Vec::new();
        self.root.visit(&mut Vec::new(), &mut |node, _| {
            if let Term::Element(name, _) = &node.term {
                found.push((name.as_str(), node.span.start..node.span.start + name.len()));
            }
        });
        found
    }

    /// The elements it uses: the buffer, the index if it depends on no name, and the bytes of each, from left to right.
    #[must_use]
    pub fn elements(&self) -> Vec<(&str, Option<f64>, Range<usize>)> {
        let mut found = Vec::new();
        self.root.visit(&mut Vec::new(), &mut |node, _| {
            if let Term::Element(name, index) = &node.term {
                found.push((name.as_str(), self.node(index, &Nameless, &Cell::new(0.0)).ok(), node.span.clone()));
            }
        });
        found
    }

    /// Whether an index of an element depends on another element, so that a buffer's contents decide whether there is
    /// one.
    #[must_use]
    pub fn has_nested_elements(&self) -> bool {
        let mut found = false;
        self.root.visit(&mut Vec::new(), &mut |node, _| {
            if let Term::Element(_, index) = &node.term {
                index.visit(&mut Vec::new(), &mut |inner, _| found |= matches!(inner.term, Term::Element(..)));
            }
        });
        found
    }

    /// Where it uses a buffer's element or a sum, which only makes sense beside buffers.
    #[must_use]
    pub fn about_elements(&self) -> Option<Range<usize>> {
        let mut found = None;
        self.root.visit(&mut Vec::new(), &mut |node, _| {
            if let Term::Element(..) | Term::Sum(..) = &node.term {
                found.get_or_insert(node.span.clone());
            }
        });
        found
    }

    /// Its value.
    ///
    /// Only the branch that `if` chooses is evaluated, and `&&` and `||` stop where the answer is known.
    ///
    /// # Errors
    /// A name without a number, or an operation whose result is not finite.
    pub fn eval(&self, scope: &dyn Scope) -> Result<f64, EvalError> {
        self.eval_and_count(scope).map(|(value, _)| value)
    }

    /// The value, and how many terms sums added up for it.
    ///
    /// # Errors
    /// As [`Expr::eval`].
    pub fn eval_and_count(&self, scope: &dyn Scope) -> Result<(f64, f64), EvalError> {
        let terms = Cell::new(0.0);
        Ok((self.node(&self.root, scope, &terms)?, terms.get()))
    }

    fn node(&self, node: &Node, scope: &dyn Scope, terms: &Cell<f64>) -> Result<f64, EvalError> {
        let value = match &node.term {
            Term::Number(value) => *value,
            Term::Name(name) => scope.get(name)?,
            Term::Negative(of) => -self.node(of, scope, terms)?,
            Term::Binary(Op::And, a, b) => {
                truth(self.node(a, scope, terms)? != 0.0 && self.node(b, scope, terms)? != 0.0)
            }
            Term::Binary(Op::Or, a, b) => {
                truth(self.node(a, scope, terms)? != 0.0 || self.node(b, scope, terms)? != 0.0)
            }
            Term::Binary(op, a, b) => binary(*op, self.node(a, scope, terms)?, self.node(b, scope, terms)?),
            Term::Call(Function::If, args) => match args.as_slice() {
                [condition, yes, no] => {
                    self.node(if self.node(condition, scope, terms)? == 0.0 { no } else { yes }, scope, terms)?
                }
                _ => f64::NAN,
            },
            Term::Element(name, index) => {
                let value = scope.element(name, self.node(index, scope, terms)?)?;
                if !value.is_finite() {
                    return Err(EvalError::ElementNotFinite(self.source[node.span.clone()].to_owned()));
                }
                value
            }
            Term::Sum(name, [from, to, each]) => {
                let (mut value, to) = (self.node(from, scope, terms)?.ceil(), self.node(to, scope, terms)?);
                if let Some(bound) = [value, to].into_iter().find(|bound| bound.abs() > MAX_COUNTED) {
                    return Err(EvalError::Uncounted(bound));
                }
                // Sums within sums count with all their terms.
                terms.set(terms.get() + (to - value).max(0.0));
                if terms.get() > MAX_TERMS {
                    return Err(EvalError::TooLong(terms.get()));
                }
                let mut sum = 0.0;
                while value < to {
                    sum += self.node(each, &Counting { name, value, outer: scope }, terms)?;
                    value += 1.0;
                }
                sum
            }
            Term::Call(function, args) => {
                // A formula's calls are evaluated for each element: few arguments need no allocation.
                let mut few = [0.0; FEW];
                let Some(few) = few.get_mut(..args.len()) else {
                    let args = args.iter().map(|arg| self.node(arg, scope, terms)).collect::<Result<Vec<_>, _>>()?;
                    return self.finite(node, call(*function, &args));
                };
                for (value, arg) in few.iter_mut().zip(args) {
                    *value = self.node(arg, scope, terms)?;
                }
                call(*function, few)
            }
        };
        self.finite(node, value)
    }

    fn finite(&self, node: &Node, value: f64) -> Result<f64, EvalError> {
        if value.is_finite() { Ok(value) } else { Err(EvalError::NotFinite(self.source[node.span.clone()].to_owned())) }
    }
}

impl Node {
    /// Shows `see` this node and all below, from left to right, each with the names that sums around it bind.
    fn visit<'a>(&'a self, bound: &mut Vec<&'a str>, see: &mut dyn FnMut(&'a Self, &[&'a str])) {
        see(self, bound);
        match &self.term {
            Term::Number(_) | Term::Name(_) => {}
            Term::Negative(of) | Term::Element(_, of) => of.visit(bound, see),
            Term::Binary(_, a, b) => [a, b].into_iter().for_each(|side| side.visit(bound, see)),
            Term::Call(_, args) => args.iter().for_each(|arg| arg.visit(bound, see)),
            Term::Sum(name, [from, to, each]) => {
                from.visit(bound, see);
                to.visit(bound, see);
                bound.push(name);
                each.visit(bound, see);
                bound.pop();
            }
        }
    }
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

#[expect(clippy::float_cmp, reason = "`==` in a lesson means equal")]
fn binary(op: Op, a: f64, b: f64) -> f64 {
    match op {
        Op::Or | Op::And => f64::NAN, // Evaluated lazily, before their right side is.
        Op::Equal => truth(a == b),
        Op::NotEqual => truth(a != b),
        Op::Less => truth(a < b),
        Op::LessOrEqual => truth(a <= b),
        Op::Greater => truth(a > b),
        Op::GreaterOrEqual => truth(a >= b),
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a * b,
        Op::Divide => a / b,
        Op::Remainder => a % b,
        Op::Power => a.powf(b),
    }
}

/// The functions' values; the parser has made sure that there are enough arguments.
fn call(function: Function, args: &[f64]) -> f64 {
    let first = args.first().copied().unwrap_or(f64::NAN);
    match function {
        Function::If => f64::NAN, // Evaluated lazily, before its arguments are.
        Function::Ceil => first.ceil(),
        Function::Floor => first.floor(),
        Function::Round => first.round(),
        Function::Min => args.iter().copied().fold(first, f64::min),
        Function::Max => args.iter().copied().fold(first, f64::max),
        Function::Log2 => first.log2(),
        Function::Sqrt => first.sqrt(),
        Function::Abs => first.abs(),
        Function::Gcd => gcd(first, args.get(1).copied().unwrap_or(f64::NAN)),
        Function::Exp => first.exp(),
        Function::Ln => first.ln(),
        Function::Sin => first.sin(),
        Function::Cos => first.cos(),
    }
}

/// Euclid's algorithm on whole numbers; undefined (NaN) of others.
fn gcd(a: f64, b: f64) -> f64 {
    if a.fract() != 0.0 || b.fract() != 0.0 {
        return f64::NAN;
    }
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0.0 {
        (a, b) = (b, a % b);
    }
    a
}
