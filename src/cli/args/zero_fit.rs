//! The arguments of `warpbook zero-fit`.

use clap::Args;

/// Options of `zero-fit`.
#[derive(Args, Debug)]
pub struct ZeroFitArgs {
    /// Parameters of the model: 7500000000, 7.5e9 or 7.5B.
    #[arg(long = "params", value_name = "N", value_parser = parameters)]
    pub parameters: u64,
    /// GPUs that share them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub ranks: u64,
    /// Sliced state: 0 nothing, 1 the optimizer's state, 2 the gradients too, 3 the parameters too.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub stage: u8,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// More than any model has, and few enough that 16 bytes each can be counted.
const MOST: f64 = 1e18;

fn parameters(text: &str) -> Result<u64, String> {
    let suffixes = [("K", 1e3), ("M", 1e6), ("B", 1e9), ("T", 1e12)];
    let upper = text.to_uppercase();
    let found = suffixes.iter().find_map(|(suffix, factor)| Some((upper.strip_suffix(suffix)?, *factor)));
    let (digits, factor) = found.unwrap_or((&upper, 1.0));
    // Whole numbers stay exact.
    let number = match digits.parse::<u64>() {
        Ok(whole) if factor == 1.0 => return in_range(whole as f64).map(|_| whole),
        _ => digits.parse::<f64>().map_err(|_| format!("`{text}` is no number: write 7500000000, 7.5e9 or 7.5B"))?,
    };
    in_range((number * factor).round())
}

fn in_range(number: f64) -> Result<u64, String> {
    if (1.0..=MOST).contains(&number) {
        Ok(number as u64)
    } else {
        Err(format!("a model has between 1 and {MOST:e} parameters"))
    }
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn parameters_are_whole_and_may_have_a_unit() {
        for (text, value) in [
            ("7500000000", 7_500_000_000),
            ("7.5e9", 7_500_000_000),
            ("7.5B", 7_500_000_000),
            ("175b", 175_000_000_000),
        ] {
            assert_eq!(parameters(text), Ok(value));
        }
        assert_eq!(parameters("999999999999999999"), Ok(999_999_999_999_999_999));
        for text in ["0", "-1", "nan", "inf", "many", "1e19", "", "B"] {
            assert!(parameters(text).is_err(), "{text}");
        }
    }
}
