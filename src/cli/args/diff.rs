//! Options of `warpbook diff`.

use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser};

use super::SettingArgs;

/// Options of `diff`.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The kernel before, as `trace` takes it.
    pub before: String,
    /// The kernel after.
    pub after: String,
    /// The launch of both.
    #[command(flatten)]
    pub setting: SettingArgs,
    /// Options of the launch that differ for the kernel after, in one word: --then "--grid 4 --define TILE=16".
    #[arg(long, value_name = "OPTIONS", default_value = "", allow_hyphen_values = true)]
    pub then: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The options in `--then`, as a command line of their own.
#[derive(Parser, Debug)]
#[command(name = "--then", no_binary_name = true, disable_help_flag = true)]
struct Then {
    #[command(flatten)]
    setting: SettingArgs,
}

impl DiffArgs {
    /// The launch of the kernel after: options in `--then` replace those of both.
    ///
    /// # Errors
    /// Options that a launch does not have, in words.
    pub fn setting_after(&self) -> Result<SettingArgs, String> {
        let mut then = Then { setting: self.setting.clone() };
        let matches = Then::command().try_get_matches_from(self.then.split_whitespace());
        let matches = matches.map_err(|wrong| wrong.to_string())?;
        then.update_from_arg_matches(&matches).map_err(|wrong| wrong.to_string())?;
        let mut setting = then.setting;
        let both = &self.setting;
        // A default does not replace what both were given.
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        if !is_given("seed") {
            setting.seed = both.seed;
        }
        if !is_given("warp") {
            setting.warp = both.warp;
        }
        if !is_given("shared") {
            setting.shared = both.shared;
        }
        if !is_given("language") {
            setting.language = both.language;
        }
        keep(&mut setting.buffers, &both.buffers, |buffer| &buffer.name);
        keep(&mut setting.arguments, &both.arguments, |(name, _)| name);
        keep(&mut setting.constants, &both.constants, |(name, _)| name);
        keep(&mut setting.members, &both.members, |(name, _)| name);
        keep(&mut setting.set, &both.set, |(name, _)| name);
        keep(&mut setting.inputs, &both.inputs, |(name, _)| name);
        Ok(setting)
    }
}

/// Adds those of both launches whose names the kernel after is not given anew.
fn keep<T: Clone>(after: &mut Vec<T>, both: &[T], name: impl Fn(&T) -> &String) {
    let others = both.iter().filter(|known| after.iter().all(|given| name(given) != name(known)));
    let others: Vec<T> = others.cloned().collect();
    after.extend(others);
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::{Cli, Command};

    #[test]
    fn options_for_the_kernel_after_replace_those_of_both() -> Result<(), String> {
        let line = [
            "warpbook",
            "diff",
            "a.cu",
            "b.cu",
            "--grid",
            "8",
            "--seed",
            "3",
            "--define",
            "T=1",
            "--define",
            "S=5",
            "--then",
            "--grid 4 --define T=2",
        ];
        let cli = Cli::try_parse_from(line).map_err(|wrong| wrong.to_string())?;
        let Some(Command::Diff(args)) = cli.command else { return Err("not a diff".to_owned()) };
        let after = args.setting_after()?;
        assert_eq!((args.setting.grid, after.grid), (Some([8, 1, 1]), Some([4, 1, 1])));
        assert_eq!(
            (after.seed, after.constants),
            (3, vec![("T".to_owned(), "2".to_owned()), ("S".to_owned(), "5".to_owned())])
        );
        Ok(())
    }
}
