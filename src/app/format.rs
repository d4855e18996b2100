//! Figures as the window writes them, by unit.

use crate::base::units::{count, digits3, si};

/// `value` in `unit`: `%` is of a ratio, `x` a factor, empty a plain number, anything else takes an SI prefix.
#[must_use]
pub fn figure(value: f64, unit: &str) -> String {
    match unit {
        "%" => format!("{} %", digits3(value * 100.0)),
        "x" => format!("{}×", digits3(value)),
        "" => number(value),
        unit => si(value, unit),
    }
}

/// A plain number: whole ones with their thousands separated, others with three digits.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small whole number")]
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        let digits = count(value.abs() as u64);
        if value < 0.0 { format!("−{digits}") } else { digits }
    } else {
        digits3(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_unit() {
        assert_eq!(figure(0.8, "%"), "80.0 %");
        assert_eq!(figure(2.0, "x"), "2.00×");
        assert_eq!(figure(1_048_576.0, ""), "1,048,576");
        assert_eq!(figure(5.5, ""), "5.50");
        assert_eq!(figure(3.0e12, "B/s"), "3.00 TB/s");
    }
}
