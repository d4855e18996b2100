//! The arguments of `warpbook cost`.

use clap::Args;

/// Options of `cost`.
#[derive(Args, Debug)]
pub struct CostArgs {
    /// The model's shape and the switches, by the names of the lesson's parameters, such as `--layers 12 --width 768`; also `--device ID`,
    /// as assets/devices/ names it, and `--json`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "--PARAMETER VALUE")]
    rest: Vec<String>,
}

/// The parameters and options of a command line.
#[derive(Debug, Default, PartialEq)]
pub struct Asked {
    /// Values of parameters.
    pub set: Vec<(String, f64)>,
    /// The device, by its id.
    pub device: Option<String>,
    /// Whether to print JSON.
    pub json: bool,
}

impl CostArgs {
    /// The parameters, the device and the format.
    ///
    /// # Errors
    /// An option without a value, or with one that is no number.
    pub fn asked(&self) -> Result<Asked, String> {
        let mut asked = Asked::default();
        let mut words = self.rest.iter();
        while let Some(word) = words.next() {
            let option =
                word.strip_prefix("--").ok_or_else(|| format!("`{word}` is no option: write --PARAMETER VALUE"))?;
            if option == "json" {
                asked.json = true;
                continue;
            }
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None if words.as_slice().first().is_none_or(|next| next.starts_with("--")) => (option, None),
                None => (option, words.next().map(String::as_str)),
            };
            match (name, value) {
                ("device", Some(id)) => asked.device = Some(id.to_owned()),
                ("device", None) => return Err("--device needs the id of a device".to_owned()),
                // A switch alone is on.
                (name, None) => asked.set.push((name.to_owned(), 1.0)),
                (name, Some(value)) => {
                    let number = value.replace(['_', ','], "").parse();
                    let number: f64 = number.map_err(|_| format!("--{name}: `{value}` is no number"))?;
                    asked.set.push((name.to_owned(), number));
                }
            }
        }
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parameters_but_for_the_device_and_the_format() {
        let of = |words: &str| CostArgs { rest: words.split_whitespace().map(str::to_owned).collect() }.asked();
        let asked = of("--layers 12 --width=768 --recompute --device h100-sxm --json");
        let set =
            [("layers", 12.0), ("width", 768.0), ("recompute", 1.0)].map(|(name, value)| (name.to_owned(), value));
        assert_eq!(asked, Ok(Asked { set: set.to_vec(), device: Some("h100-sxm".to_owned()), json: true }));
        assert_eq!(of("--layers x"), Err("--layers: `x` is no number".to_owned()));
        assert_eq!(of("layers 12"), Err("`layers` is no option: write --PARAMETER VALUE".to_owned()));
        assert_eq!(of("--device --json"), Err("--device needs the id of a device".to_owned()));
    }
}
