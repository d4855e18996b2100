//! Parsing an expression to a tree, by precedence climbing; the tree's depth is bounded, so no text can exhaust the
//! stack.

use std::ops::Range;

use super::ExprError;
use crate::diag::nearest;

/// How deep an expression may nest; a chain of operators counts each.
pub const MAX_DEPTH: usize = 100;

/// The functions' names, for hints and documentation.
pub const FUNCTIONS: [&str; 15] =
    ["if", "ceil", "floor", "round", "min", "max", "log2", "sqrt", "abs", "gcd", "exp", "ln", "sin", "cos", SUM];

/// The function that binds a name: `sum(k, from, to, each)` adds `each` for every whole `k` from `from` to below `to`.
pub const SUM: &str = "sum";

/// A part of an expression and its bytes in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub span: Range<usize>,
    pub term: Term,
    depth: usize,
}

/// The kinds of part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Number(f64),
    Name(String),
    Negative(Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
    /// An element of a buffer: `x[i + 1]`.
    Element(String, Box<Node>),
    /// A sum: the name that it binds, from where, to where, and each term.
    Sum(String, [Box<Node>; 3]),
}

/// Operators with two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Or,
    And,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

/// Functions, each in the place of its name in [`FUNCTIONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    If,
    Ceil,
    Floor,
    Round,
    Min,
    Max,
    Log2,
    Sqrt,
    Abs,
    Gcd,
    Exp,
    Ln,
    Sin,
    Cos,
}

/// Each function by its place in [`FUNCTIONS`], with its least and greatest number of arguments.
/// [`SUM`], the last of them, is read by itself.
const SIGNATURES: [(Function, usize, usize); FUNCTIONS.len() - 1] = [
    (Function::If, 3, 3),
    (Function::Ceil, 1, 1),
    (Function::Floor, 1, 1),
    (Function::Round, 1, 1),
    (Function::Min, 2, usize::MAX),
    (Function::Max, 2, usize::MAX),
    (Function::Log2, 1, 1),
    (Function::Sqrt, 1, 1),
    (Function::Abs, 1, 1),
    (Function::Gcd, 2, 2),
    (Function::Exp, 1, 1),
    (Function::Ln, 1, 1),
    (Function::Sin, 1, 1),
    (Function::Cos, 1, 1),
];

/// Operators by their text (the longer of two with one beginning first) and their precedence.
const OPERATORS: [(&str, Op, u8); 14] = [
    ("||", Op::Or, 1),
    ("&&", Op::And, 2),
    ("==", Op::Equal, COMPARISON),
    ("!=", Op::NotEqual, COMPARISON),
    ("<=", Op::LessOrEqual, COMPARISON),
    (">=", Op::GreaterOrEqual, COMPARISON),
    ("<", Op::Less, COMPARISON),
    (">", Op::Greater, COMPARISON),
    ("+", Op::Add, 4),
    ("-", Op::Subtract, 4),
    ("*", Op::Multiply, 5),
    ("/", Op::Divide, 5),
    ("%", Op::Remainder, 5),
    ("^", Op::Power, POWER),
];
const COMPARISON: u8 = 3;
/// A minus sign binds looser than a power and tighter than a product: `-2 ^ 2` is -4.
const NEGATION: u8 = 6;
const POWER: u8 = 7;

pub(super) fn parse(text: &str) -> Result<Node, ExprError> {
    let mut parser = Parser { text, at: 0, nesting: 0 };
    let root = parser.expression(0)?;
    parser.space();
    match parser.rest().chars().next() {
        None => Ok(root),
        Some(closing @ (')' | ']')) => {
            let message = format!("this `{closing}` closes nothing");
            Err(parser.error_here(1, message).hint("remove it, or open it earlier"))
        }
        Some('=') => Err(parser.error_here(1, "`=` alone means nothing here").hint("compare with `==`")),
        Some('!') => Err(parser.error_here(1, "`!` alone means nothing here").hint("compare with `== 0`")),
        Some(c) => {
            let error = parser.error_here(c.len_utf8(), format!("expected an operator, and found `{c}`"));
            let known: Vec<&str> = OPERATORS.iter().rev().map(|(text, ..)| *text).collect();
            Err(error.hint(format!("operators are {}", known.join(" "))))
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    nesting: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Whether `symbol` comes next; if so, it is passed.
    fn passes(&mut self, symbol: &str) -> bool {
        self.space();
        let next = self.rest().starts_with(symbol);
        if next {
            self.at += symbol.len();
        }
        next
    }

    fn error_here(&self, length: usize, message: impl Into<String>) -> ExprError {
        ExprError { span: self.at..self.at + length, message: message.into(), hint: None }
    }

    /// An expression of operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<Node, ExprError> {
        // The stack is bounded here, before the tree's depth is known.
        self.nesting += 1;
        if self.nesting > MAX_DEPTH {
            return Err(self.too_deep());
        }
        let mut left = self.operand()?;
        let mut compared = false;
        loop {
            self.space();
            let rest = self.rest();
            let Some(&(symbol, op, precedence)) = OPERATORS.iter().find(|(symbol, ..)| rest.starts_with(symbol)) else {
                break;
            };
            if precedence < least {
                break;
            }
            if precedence == COMPARISON && std::mem::replace(&mut compared, true) {
                let error = self.error_here(symbol.len(), "comparisons cannot be chained");
                return Err(error.hint("join two comparisons with `&&`"));
            }
            self.at += symbol.len();
            // A power takes another power on its right, and even a sign: 2 ^ -1.
            let right = self.expression(if precedence == POWER { NEGATION } else { precedence + 1 })?;
            let span = left.span.start..right.span.end;
            left = self.node(span, Term::Binary(op, Box::new(left), Box::new(right)))?;
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Node, ExprError> {
        self.space();
        let start = self.at;
        let rest = self.rest();
        match rest.chars().next() {
            None => Err(self.error_here(0, "the expression ends where a number or a name should be")),
            Some('-') => {
                self.at += 1;
                let of = self.expression(NEGATION)?;
                self.node(start..of.span.end, Term::Negative(Box::new(of)))
            }
            Some('(') => {
                self.at += 1;
                let mut inner = self.expression(0)?;
                self.close(start, ")")?;
                inner.span = start..self.at;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.name_or_call(),
            Some(c) => {
                let error = self.error_here(c.len_utf8(), format!("expected a number or a name, and found `{c}`"));
                Err(error.hint("write a number, a name, a function or `(`"))
            }
        }
    }

    fn number(&mut self) -> Result<Node, ExprError> {
        let rest = self.rest();
        let digits = |from: usize| from + rest[from..].bytes().take_while(u8::is_ascii_digit).count();
        let mut end = digits(0);
        if rest[end..].starts_with('.') {
            end = digits(end + 1);
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        let suffix = rest[end..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).count();
        if suffix > 0 {
            let length: usize = rest[end..].chars().take(suffix).map(char::len_utf8).sum();
            let error = self.error_here(end + length, format!("`{}` is not a number", &rest[..end + length]));
            return Err(error.hint("write digits, with an exponent for large numbers: 2000, 0.5, 1e9"));
        }
        match rest[..end].parse::<f64>() {
            Ok(value) if value.is_finite() => {
                let span = self.at..self.at + end;
                self.at = span.end;
                self.node(span, Term::Number(value))
            }
            _ => Err(self.error_here(end, format!("`{}` is not a number", &rest[..end]))),
        }
    }

    fn name_or_call(&mut self) -> Result<Node, ExprError> {
        let start = self.at;
        let length = self.rest().bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')).count();
        let name = &self.rest()[..length];
        if name.split('.').any(|part| part.is_empty() || part.starts_with(|c: char| c.is_ascii_digit())) {
            let error = self.error_here(length, format!("`{name}` is not a name"));
            return Err(error.hint("write a dot between a run and one of its results: strided.time"));
        }
        self.at += length;
        if self.passes("[") {
            let opened = self.at - 1;
            let index = self.expression(0)?;
            self.close(opened, "]")?;
            return self.node(start..self.at, Term::Element(name.to_owned(), Box::new(index)));
        }
        if !self.passes("(") {
            self.at = start + length;
            return self.node(start..self.at, Term::Name(name.to_owned()));
        }
        let opened = self.at - 1;
        if name == SUM {
            return self.sum(start, opened);
        }
        let Some(index) = FUNCTIONS.iter().position(|function| *function == name) else {
            let hint = nearest(name, FUNCTIONS).map_or_else(
                || format!("functions are {}; a product is written with `*`", FUNCTIONS.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            self.at = start;
            return Err(self.error_here(length, format!("there is no function `{name}`")).hint(hint));
        };
        let (function, least, most) = SIGNATURES[index];
        let mut args = vec![self.expression(0)?];
        while self.passes(",") {
            args.push(self.expression(0)?);
        }
        self.close(opened, ")")?;
        if args.len() < least || args.len() > most {
            let wanted = if most == least { format!("{least}") } else { format!("at least {least}") };
            let message = format!("`{name}` takes {wanted} arguments, and has {}", args.len());
            return Err(ExprError { span: start..self.at, message, hint: None });
        }
        self.node(start..self.at, Term::Call(function, args))
    }

    /// A sum, whose name is at `start` and whose `(` at `opened` was passed.
    fn sum(&mut self, start: usize, opened: usize) -> Result<Node, ExprError> {
        const FORM: &str = "write sum(k, from, to, each): `each` is added for every whole k from `from` to below `to`";
        let bound = self.expression(0)?;
        let Term::Name(name) = bound.term else {
            let message = "a sum begins with the name that it counts with".to_owned();
            return Err(ExprError { span: bound.span, message, hint: None }.hint(FORM));
        };
        let mut part = || {
            if self.passes(",") {
                Ok(Box::new(self.expression(0)?))
            } else {
                Err(self.error_here(0, "a sum has four parts").hint(FORM))
            }
        };
        let parts = [part()?, part()?, part()?];
        self.close(opened, ")")?;
        self.node(start..self.at, Term::Sum(name, parts))
    }

    /// Passes the `closing` bracket of the one at `opened`.
    fn close(&mut self, opened: usize, closing: &str) -> Result<(), ExprError> {
        if self.passes(closing) {
            return Ok(());
        }
        if self.rest().is_empty() {
            let message = format!("this `{}` is never closed", &self.text[opened..=opened]);
            return Err(ExprError { span: opened..opened + 1, message, hint: Some(format!("add a `{closing}`")) });
        }
        let found = self.rest().chars().next().unwrap_or(' ');
        Err(self.error_here(found.len_utf8(), format!("expected an operator or `{closing}`, and found `{found}`")))
    }

    fn node(&self, span: Range<usize>, term: Term) -> Result<Node, ExprError> {
        let below = match &term {
            Term::Number(_) | Term::Name(_) => 0,
            Term::Negative(of) | Term::Element(_, of) => of.depth,
            Term::Binary(_, a, b) => a.depth.max(b.depth),
            Term::Call(_, args) => args.iter().map(|arg| arg.depth).max().unwrap_or(0),
            Term::Sum(_, parts) => parts.iter().map(|part| part.depth).max().unwrap_or(0),
        };
        if below >= MAX_DEPTH { Err(self.too_deep()) } else { Ok(Node { span, term, depth: below + 1 }) }
    }

    fn too_deep(&self) -> ExprError {
        self.error_here(0, format!("the expression nests more than {MAX_DEPTH} deep"))
            .hint("split it into several values")
    }
}

impl ExprError {
    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
