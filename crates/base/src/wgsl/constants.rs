//! Giving a shader's constants their values: `const`s in the text itself, since an `override` cannot size an array that
//! a lane has of its own; `override`s are left to the code that makes the pipeline.

use std::ops::Range;

use super::declared::{Declared, Keyword, declared};
use crate::diag::{Diagnostic, nearest};
use crate::parts::in_part;

/// The types that a value can be given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// `f32`.
    F32,
    /// `bool`: any number but 0 is true.
    Bool,
    /// A whole number without a type of its own.
    Whole,
    /// A number without a type of its own.
    Number,
}

impl Scalar {
    /// The type called `name`.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "u32" => Self::U32,
            "i32" => Self::I32,
            "f32" => Self::F32,
            "bool" => Self::Bool,
            _ => return None,
        })
    }

    /// For people.
    fn describe(self) -> &'static str {
        match self {
            Self::U32 => "a u32, a whole number from 0 to 4294967295",
            Self::I32 => "an i32, a whole number from -2147483648 to 2147483647",
            Self::F32 => "an f32",
            Self::Bool => "a bool",
            Self::Whole => "a whole number",
            Self::Number => "a number",
        }
    }

    /// Whether it can be `value`.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        let whole = value.fract() == 0.0;
        match self {
            Self::U32 => whole && (0.0..=f64::from(u32::MAX)).contains(&value),
            Self::I32 => whole && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value),
            // Where it is used it becomes one of the two.
            Self::Whole => whole && (f64::from(i32::MIN)..=f64::from(u32::MAX)).contains(&value),
            Self::F32 => value.abs() <= f64::from(f32::MAX),
            Self::Bool | Self::Number => value.is_finite(),
        }
    }

    /// The literal for `value`, which it holds.
    fn literal(self, value: f64) -> String {
        match self {
            Self::U32 | Self::I32 | Self::Whole => format!("{}", if value == 0.0 { 0.0 } else { value }),
            Self::F32 | Self::Number => format!("{value:?}"),
            Self::Bool => (value != 0.0).to_string(),
        }
    }
}

/// How a shader's constant can be given a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting<'a> {
    /// It is an `override`, of this type where the text says so.
    Override(Option<&'a str>),
    /// It is a `const` of this type, set to a literal.
    Const(Scalar),
}

impl Setting<'_> {
    /// The type that a value has to be of; None if the text does not say.
    #[must_use]
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Override(ty) => ty.and_then(Scalar::named),
            Self::Const(scalar) => Some(*scalar),
        }
    }
}

/// How the constant `name` of `source` can be given a value.
///
/// # Errors
/// Why it cannot, and what to do about it; without a place.
pub fn settable<'a>(source: &'a str, name: &str) -> Result<Setting<'a>, Diagnostic> {
    let all = declared(source);
    let found = find(&all, name)?;
    match found.keyword {
        Keyword::Override => Ok(Setting::Override(found.ty)),
        Keyword::Const => Ok(Setting::Const(literal(source, &all, found)?.0)),
    }
}

/// A shader whose `const`s have their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The text: other literals in places of the same line, and nothing else changed.
    pub source: String,
    /// The values that it holds now, by name.
    pub consts: Vec<(String, f64)>,
    /// The values of its `override`s, by name: they are not in the text.
    pub overrides: Vec<(String, f64)>,
}

/// Puts `constants` in the place of the literals of the `const`s of their names.
///
/// # Errors
/// A name that the shader does not declare, a `const` that is not set to a plain literal, a value that its type does
/// not hold: each with its place in `file`.
pub fn settle(file: &str, source: &str, constants: &[(String, f64)]) -> Result<Settled, Vec<Diagnostic>> {
    let all = declared(source);
    // Whoever emptied the text is not helped by a list of the constants that it had.
    if all.is_empty() && !source.contains("@compute") {
        let error = Diagnostic::error("there is no compute entry point");
        return Err(vec![error.in_file(file).hint("mark a function with @compute @workgroup_size(…)")]);
    }
    let mut settled = Settled { source: source.to_owned(), consts: Vec::new(), overrides: Vec::new() };
    let (mut problems, mut edits): (Vec<Diagnostic>, Vec<(Range<usize>, String)>) = (Vec::new(), Vec::new());
    for (name, value) in constants {
        match find(&all, name) {
            Err(problem) => problems.push(problem.in_file(file)),
            Ok(found) if found.keyword == Keyword::Override => match override_type(source, found) {
                Some(scalar) if !scalar.holds(*value) => {
                    problems.push(unfit(name, scalar, *value).at(file, source, &(found.at..found.at)));
                }
                _ => settled.overrides.push((name.clone(), *value)),
            },
            Ok(found) => match literal(source, &all, found) {
                Err(problem) => problems.push(problem.at(file, source, &(found.at..found.at))),
                Ok((scalar, _)) if !scalar.holds(*value) => {
                    problems.push(unfit(name, scalar, *value).at(file, source, &(found.at..found.at)));
                }
                Ok((scalar, place)) => {
                    edits.push((place, scalar.literal(*value)));
                    settled.consts.push((name.clone(), *value));
                }
            },
        }
    }
    // From the end on, so that places before stay what they are.
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    for (place, text) in edits {
        settled.source.replace_range(place, &text);
    }
    if problems.is_empty() {
        return Ok(settled);
    }
    Err(problems.into_iter().map(|problem| in_part(problem, source)).collect())
}

/// That a constant's type does not hold a value.
#[must_use]
pub fn unfit(name: &str, scalar: Scalar, value: f64) -> Diagnostic {
    Diagnostic::error(format!("the constant `{name}` cannot be {value}: it is {}", scalar.describe()))
        .hint("change what it is set to, or a parameter that it depends on")
}

fn find<'d, 'a>(all: &'d [Declared<'a>], name: &str) -> Result<&'d Declared<'a>, Diagnostic> {
    all.iter().find(|d| d.goes_by(name)).ok_or_else(|| {
        let names = || all.iter().map(|d| d.name);
        let error = Diagnostic::error(format!("the shader declares no override or constant `{name}`"));
        match nearest(name, names()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None if all.is_empty() => error.hint(format!("it has none; add `override {name}: u32;` to it")),
            None => error.hint(format!("it has: {}", names().collect::<Vec<_>>().join(", "))),
        }
    })
}

/// The type of a `const`, and the bytes of its literal without the suffix that names the type.
fn literal(source: &str, all: &[Declared<'_>], found: &Declared<'_>) -> Result<(Scalar, Range<usize>), Diagnostic> {
    let name = found.name;
    let place = found.value.clone().unwrap_or(0..0);
    let text = &source[place.clone()];
    let Some((length, own)) = number(text) else {
        let parts: Vec<&str> = all.iter().map(|d| d.name).filter(|other| mentions(text, other)).collect();
        let error = Diagnostic::error(format!(
            "`const {name}` is set to `{text}`, and a value can only take the place of a plain number"
        ));
        return Err(match parts.as_slice() {
            [] => error.hint(format!("write `const {name}: u32 = 8;`")),
            parts => error.hint(format!("it follows from {}: give those their values", parts.join(" and "))),
        });
    };
    let scalar = match found.ty {
        None => own,
        Some(ty) => Scalar::named(ty).ok_or_else(|| {
            Diagnostic::error(format!(
                "`const {name}` is a {ty}, and only a u32, i32, f32 or bool can be given a value"
            ))
            .hint("give it one of those types")
        })?,
    };
    Ok((scalar, place.start..place.start + length))
}

/// The type of an `override`: its own, or that of the number it is set to.
fn override_type(source: &str, found: &Declared<'_>) -> Option<Scalar> {
    let literal = || number(&source[found.value.clone()?]).map(|(_, scalar)| scalar);
    found.ty.map_or_else(literal, Scalar::named)
}

/// Whether `text` contains `word` as a whole word.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// The length of the literal that is all of `text`, without its suffix, and what it is by itself.
fn number(text: &str) -> Option<(usize, Scalar)> {
    if matches!(text, "true" | "false") {
        return Some((text.len(), Scalar::Bool));
    }
    let digits = text.strip_prefix('-').unwrap_or(text).trim_start();
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let whole = |digits: &str| match hexadecimal {
        Some(_) => !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit()),
        None => !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()),
    };
    let body = hexadecimal.unwrap_or(digits);
    for (suffix, scalar) in [("u", Scalar::U32), ("i", Scalar::I32), ("", Scalar::Whole)] {
        if body.strip_suffix(suffix).is_some_and(whole) {
            return Some((text.len() - suffix.len(), scalar));
        }
    }
    let decimal = |digits: &str| {
        digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'))
            && digits.parse::<f64>().is_ok()
    };
    for (suffix, scalar) in [("f", Scalar::F32), ("", Scalar::Number)] {
        if hexadecimal.is_none() && body.strip_suffix(suffix).is_some_and(decimal) {
            return Some((text.len() - suffix.len(), scalar));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(source: &str, constants: &[(&str, f64)]) -> Result<Settled, String> {
        let constants: Vec<(String, f64)> = constants.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
        settle("k.wgsl", source, &constants)
            .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn a_value_takes_the_place_of_the_literal_and_of_nothing_else() {
        for (before, value, after) in [
            ("const A: u32 = 8;", 64.0, "const A: u32 = 64;"),
            ("const A = 8u ;", 64.0, "const A = 64u ;"),
            ("const A:u32=0x10u;", 4e9, "const A:u32=4000000000u;"),
            ("const A = 8;", -2.0, "const A = -2;"),
            ("const A: i32 = - 8i;", 3.0, "const A: i32 = 3i;"),
            ("const A: i32 = 8i;", -0.0, "const A: i32 = 0i;"),
            ("const A: f32 = 1;", 2.0, "const A: f32 = 2.0;"),
            ("const A = 1.5e-3f;", 0.1, "const A = 0.1f;"),
            ("const A = .5;", 1e-9, "const A = 1e-9;"),
            ("const A: bool = false;", 3.0, "const A: bool = true;"),
            (
                "/* const A = 1; */ const A // A = 2\n : u32 = /* A */ 8 /* 9 */;",
                5.0,
                "/* const A = 1; */ const A // A = 2\n : u32 = /* A */ 5 /* 9 */;",
            ),
            (
                "const B = 8; const A = 8; fn f() { const A = 8; }",
                5.0,
                "const B = 8; const A = 5; fn f() { const A = 8; }",
            ),
        ] {
            let expected =
                Settled { source: after.to_owned(), consts: vec![("A".to_owned(), value)], overrides: vec![] };
            assert_eq!(set(before, &[("A", value)]), Ok(expected), "{before}");
        }
    }

    #[test]
    fn overrides_are_left_to_the_pipeline() {
        let source = "@id(7) override N: u32; override M: u32 = 2; const T: u32 = 4; const U: u32 = 4;";
        let found = set(source, &[("U", 16.0), ("7", 1.0), ("T", 32.0), ("M", 3.0)]);
        let named = |pairs: &[(&str, f64)]| pairs.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect::<Vec<_>>();
        assert_eq!(
            found,
            Ok(Settled {
                source: source.replace("T: u32 = 4", "T: u32 = 32").replace("U: u32 = 4", "U: u32 = 16"),
                consts: named(&[("U", 16.0), ("T", 32.0)]),
                overrides: named(&[("7", 1.0), ("M", 3.0)]),
            })
        );
    }

    #[test]
    fn overrides_take_what_their_types_hold() {
        for (source, value, wanted) in [
            ("override N: u32 = 8;", 2.5, Some("k.wgsl:1:10: error: the constant `N` cannot be 2.5: it is a u32")),
            ("override N: u32;", -1.0, Some("cannot be -1")),
            ("override N = 8;", 2.5, Some("a whole number")),
            ("override N = 8.0;", 2.5, None),
            ("override N: f32;", 2.5, None),
        ] {
            let found = set(source, &[("N", value)]).err();
            assert!(found.as_deref().unwrap_or_default().contains(wanted.unwrap_or_default()), "{source}: {found:?}");
            assert_eq!(found.is_some(), wanted.is_some(), "{source}: {found:?}");
        }
    }

    #[test]
    fn what_cannot_be_set_says_why_and_where() {
        let source = "const BM: u32 = 8;\nconst BN: u32 = 8;\nconst T: u32 = BM * BN;\nconst S: i32 = 1;\nconst F: f32 = 1.0;\n\
                      const V: vec2u = 1;\nconst W: u32 = u32(8);\nconst H = 1.0h;";
        for (name, value, wanted) in [
            (
                "T",
                1.0,
                "k.wgsl:3:7: error: `const T` is set to `BM * BN`, and a value can only take the place of a plain number\n  hint: it follows from BM and BN",
            ),
            ("BM", 1.5, "k.wgsl:1:7: error: the constant `BM` cannot be 1.5: it is a u32, a whole number from 0"),
            ("BM", -1.0, "cannot be -1"),
            ("BN", 4_294_967_296.0, "cannot be 4294967296"),
            ("S", 2_147_483_648.0, "an i32"),
            ("F", 1e39, "an f32"),
            ("V", 1.0, "is a vec2u, and only a u32"),
            ("W", 1.0, "`u32(8)`"),
            ("H", 1.0, "plain number"),
            ("BNN", 1.0, "no override or constant `BNN`\n  hint: did you mean `BN`?"),
            ("ROWS", 1.0, "hint: it has: BM, BN, T"),
        ] {
            let found = set(source, &[(name, value)]).err().unwrap_or_default();
            assert!(found.contains(wanted), "{name} = {value}: {found}");
        }
        assert!(
            set("@compute @workgroup_size(1) fn f() {}", &[("N", 1.0)])
                .is_err_and(|e| e.contains("add `override N: u32;`"))
        );
        assert!(
            set("fn f() {}", &[("N", 1.0)])
                .is_err_and(|e| e.starts_with("k.wgsl:1:1: error: there is no compute entry point"))
        );
        assert!(set(source, &[("T", 1.0), ("ROWS", 1.0)]).is_err_and(|e| e.matches("error").count() == 2));
    }
}
