//! Tests of the values of expressions, and of the places of their mistakes.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{EvalError, Expr, ExprError, MAX_DEPTH, Scope};

impl Scope for BTreeMap<&str, f64> {
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        BTreeMap::get(self, name).copied().ok_or_else(|| EvalError::Missing(name.to_owned()))
    }
}

fn eval(text: &str) -> Result<f64, EvalError> {
    let scope = BTreeMap::from([("n", 1000.0), ("block", 256.0), ("strided.load_sectors", 8.0), ("zero", 0.0)]);
    #[expect(clippy::unwrap_used, reason = "the tests below evaluate expressions that parse")]
    Expr::parse(text).unwrap().eval(&scope)
}

#[test]
fn arithmetic_follows_the_usual_precedence() {
    for (text, value) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("7 - 2 - 1", 4.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("2 * -3", -6.0),
        ("- - 3", 3.0),
        ("7 % 4", 3.0),
        ("1e9 / 2.5E+2", 4e6),
        (".5 + 1.", 1.5),
        ("ceil(n / block)", 4.0),
        ("strided.load_sectors*32", 256.0),
        ("min(3, 1, 2) + max(3, 1)", 4.0),
        ("log2(8) + sqrt(16) + abs(-1) + floor(1.9) + round(1.5)", 11.0),
        ("gcd(12, -18)", 6.0),
        ("1 < 2 && 2 <= 2 && 3 != 4 && 3 >= 3 && 4 > 3", 1.0),
        ("1 == 2 || 1 > 2", 0.0),
        ("1 + 1 == 2", 1.0),
        ("0 && 0 || 1", 1.0),
    ] {
        assert_eq!(eval(text), Ok(value), "{text}");
    }
}

#[test]
fn only_what_decides_is_evaluated() {
    assert_eq!(eval("if(n > 1, 5, 1 / zero)"), Ok(5.0));
    assert_eq!(eval("if(n < 1, nowhere, 6)"), Ok(6.0));
    assert_eq!(eval("zero != 0 && 1 / zero > 1"), Ok(0.0));
    assert_eq!(eval("zero == 0 || nowhere"), Ok(1.0));
}

#[test]
fn what_has_no_value_says_why() {
    assert_eq!(eval("1 + nowhere.time"), Err(EvalError::Missing("nowhere.time".to_owned())));
    assert_eq!(eval("2 * (1 / zero)"), Err(EvalError::NotFinite("(1 / zero)".to_owned())));
    assert_eq!(eval("gcd(1.5, 2)"), Err(EvalError::NotFinite("gcd(1.5, 2)".to_owned())));
    assert_eq!(eval("if(1 / zero > 3, 1, 2)"), Err(EvalError::NotFinite("1 / zero".to_owned())));
}

#[test]
fn mistakes_have_places_and_hints() {
    for (text, at, message, hint) in [
        ("n +", 3, "ends where", ""),
        ("n * (1 + 2", 4, "never closed", "add a `)`"),
        ("n)", 1, "closes nothing", ""),
        ("ciel(n)", 0, "no function `ciel`", "`ceil`"),
        ("2k", 0, "`2k` is not a number", "1e9"),
        ("2n", 0, "`2n` is not a number", ""),
        ("1 < 2 < 3", 6, "chained", "&&"),
        ("n = 3", 2, "alone", "=="),
        ("n 3", 2, "expected an operator", ""),
        ("ceil(1, 2)", 0, "takes 1 arguments, and has 2", ""),
        ("min(1)", 0, "at least 2", ""),
        ("a..b", 0, "not a name", "dot"),
        ("§", 0, "expected a number or a name", ""),
        ("n § 2", 2, "expected an operator", ""),
        ("", 0, "ends where", ""),
        ("1e999", 0, "not a number", ""),
    ] {
        let Err(error) = Expr::parse(text) else { panic!("`{text}` parsed") };
        assert_eq!(error.span.start, at, "{text}: {error:?}");
        assert!(error.message.contains(message), "{text}: {error:?}");
        assert!(error.hint.as_deref().unwrap_or("").contains(hint), "{text}: {error:?}");
    }
}

#[test]
fn names_keep_their_places() -> Result<(), ExprError> {
    let expr = Expr::parse("n + if(a.time > 2, -n, min(b, 1))")?;
    assert_eq!(expr.names(), [("n", 0..1), ("a.time", 7..13), ("n", 20..21), ("b", 27..28)]);
    assert_eq!(expr.source(), "n + if(a.time > 2, -n, min(b, 1))");
    Ok(())
}

/// A buffer of squares, `n` = 3 and nothing else.
struct Squares;

impl Scope for Squares {
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        if name == "n" { Ok(3.0) } else { Err(EvalError::Missing(name.to_owned())) }
    }

    fn element(&self, name: &str, index: f64) -> Result<f64, EvalError> {
        match name {
            "x" if index < 10.0 => Ok(index * index),
            "x" => Err(EvalError::NoElement(name.to_owned(), index)),
            _ => Err(EvalError::Missing(name.to_owned())),
        }
    }
}

#[test]
fn elements_and_sums() -> Result<(), ExprError> {
    for (text, value) in [
        ("x[2]", 4.0),
        ("x[n + 1] - x[n]", 7.0),
        ("x[x[2]]", 16.0),
        ("sum(k, 0, n, x[k])", 5.0),
        ("sum(k, n, n, 1 / 0)", 0.0),
        ("sum(i, 0, 2, sum(k, 0, n, x[k] * (i + 1)))", 15.0),
        ("sum(n, 0, 2, n) + n", 4.0),
        ("exp(ln(5))", 5.0),
    ] {
        assert_eq!(Expr::parse(text)?.eval(&Squares).map(|v| (v * 1e9).round() / 1e9), Ok(value), "{text}");
    }
    let expr = Expr::parse("n + sum(k, 0, m, x[k] * k) + y.before[i]")?;
    assert_eq!(expr.names(), [("n", 0..1), ("m", 14..15), ("i", 38..39)]);
    assert_eq!(expr.buffers(), [("x", 17..18), ("y.before", 29..37)]);
    assert_eq!(expr.about_elements(), Some(4..26));
    assert_eq!(Expr::parse("x[10]")?.eval(&Squares), Err(EvalError::NoElement("x".to_owned(), 10.0)));
    assert!(matches!(Expr::parse("sum(k, 0, 1e12, k)")?.eval(&Squares), Err(EvalError::TooLong(_))));
    // Where adding one changes nothing, a sum would not end.
    for text in ["sum(k, 2^53, 2^53 + 4, 1)", "sum(k, -1e300, 1 - 1e300, 1)"] {
        assert!(matches!(Expr::parse(text)?.eval(&Squares), Err(EvalError::Uncounted(_))), "{text}");
    }
    assert_eq!(Expr::parse("sum(k, 2^53 - 2, 2^53, 1)")?.eval(&Squares), Ok(2.0));
    for (text, why) in [
        ("x[1", "never closed"),
        ("sum(1, 2)", "begins with the name"),
        ("sum(k, 2)", "four parts"),
        ("x]", "closes nothing"),
    ] {
        assert!(Expr::parse(text).is_err_and(|error| error.message.contains(why)), "{text}");
    }
    Ok(())
}

#[test]
fn depth_is_bounded() {
    for text in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        format!("1{}", "+1".repeat(100_000)),
        format!("1{}", "^1".repeat(100_000)),
        "abs(".repeat(100_000),
    ] {
        let deep = Expr::parse(&text);
        assert!(deep.is_err_and(|error| error.message.contains(&MAX_DEPTH.to_string())));
    }
    assert!(Expr::parse(&format!("1{}", "+1".repeat(90))).is_ok());
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = Expr::parse(&text);
    }

    #[test]
    fn no_text_of_the_alphabet_panics(text in "[-+*/%^()\\[\\]<>=!&|,. 0-9a-eé]{0,40}|(if|min|gcd|ceil|n)[(,)0-9n+^-]{0,20}") {
        match Expr::parse(&text) {
            Ok(expr) => {
                let _ = expr.eval(&BTreeMap::from([("n", 3.0), ("a", 0.0)]));
            }
            Err(error) => {
                // A span can be shown: it lies in the text, on whole characters.
                prop_assert!(error.span.end <= text.len());
                prop_assert!(text.get(error.span).is_some());
            }
        }
    }
}
