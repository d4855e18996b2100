//! A launch that a kernel's file keeps in a comment: `// warpbook: --grid 8 --block 128 --arg n=1000`. It is data, and may only have the
//! options of a launch.

use std::path::Path;

use super::args::kept;
use super::out;
use crate::base::diag::Diagnostic;
use crate::base::files;
use crate::session::pack::my_kernel::comment;
use crate::session::run::cuda_file;
use crate::session::run::shader_file::TraceOptions;

/// The options that it may have.
const OPTIONS: [&str; 11] = [
    "--entry", "--grid", "--block", "--warps", "--shared", "--arg", "--buffer", "--define", "--const", "--let",
    "--launch",
];

/// The options with those of the first such comment in a file of CUDA C++ where they give no launch themselves.
///
/// # Errors
/// A comment with other options, or with values that these do not take: at its line.
pub(super) fn with_kept(target: &str, options: &TraceOptions) -> Result<TraceOptions, Diagnostic> {
    if options.grid.is_some() || options.launch.is_some() || !cuda_file::is_cuda(target) {
        return Ok(options.clone());
    }
    let text = files::read_text(Path::new(target)).unwrap_or_default();
    let Some((at, words)) = comment::kept(&text) else { return Ok(options.clone()) };
    let problem = |message: String| {
        let mut problem = Diagnostic::error(message).in_file(target);
        if let Some(place) = &mut problem.place {
            place.line = u32::try_from(at + 1).unwrap_or(1);
        }
        problem.hint(format!("such a line has {}", OPTIONS.join(", ")))
    };
    let words = words.ok_or_else(|| problem("a quote is not closed".to_owned()))?;
    let name = |word: &str| word.split('=').next().unwrap_or_default().to_owned();
    if let Some(other) = words
        .iter()
        .find(|word| word.starts_with('-') && word.parse::<f64>().is_err() && !OPTIONS.contains(&name(word).as_str()))
    {
        return Err(problem(format!("`{other}` is no option of a launch")));
    }
    let kept = kept(&words).map_err(problem)?.options();
    out::note(&format!("note: line {} of {target} gives the launch", at + 1));
    let mut whole = options.clone();
    whole.grid = kept.grid;
    whole.launch = kept.launch;
    whole.entry = options.entry.clone().or(kept.entry);
    if options.block.is_none() && options.warps.is_none() {
        (whole.block, whole.warps) = (kept.block, kept.warps);
    }
    if options.shared_bytes == 0 {
        whole.shared_bytes = kept.shared_bytes;
    }
    let is_buffer = |name: &String| {
        options.buffers.iter().any(|(given, ..)| given == name) || options.shared.iter().any(|(given, _)| given == name)
    };
    let has = |given: &[(String, String)], name: &String| given.iter().any(|(of, _)| of == name);
    whole.arguments.extend(kept.arguments.into_iter().filter(|(name, _)| !has(&options.arguments, name)));
    whole.constants.extend(kept.constants.into_iter().filter(|(name, _)| !has(&options.constants, name)));
    whole.lets.extend(kept.lets.into_iter().filter(|(name, _)| !options.lets.iter().any(|(given, _)| given == name)));
    whole.types.extend(kept.types.into_iter().filter(|(name, _)| !is_buffer(name)));
    whole.buffers.extend(kept.buffers.into_iter().filter(|(name, ..)| !is_buffer(name)));
    whole.shared.extend(kept.shared.into_iter().filter(|(name, _)| !is_buffer(name)));
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, options: &TraceOptions) -> Result<TraceOptions, String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("k.cu");
        std::fs::write(&file, text).expect("it is writable");
        with_kept(&file.display().to_string(), options).map_err(|problem| problem.message)
    }

    #[test]
    fn a_comment_gives_what_the_options_do_not() {
        let text = "int x;\n  // warpbook: --grid 8,2 --block 128 --arg n=1000 --arg a=2 --let 'x.size(0)=4'\n// warpbook: --grid 1\n";
        let options = TraceOptions { arguments: vec![("a".to_owned(), "3".to_owned())], ..TraceOptions::default() };
        let whole = read(text, &options).expect("it is read");
        assert_eq!((whole.grid, whole.block), (Some([8, 2, 1]), Some([128, 1, 1])));
        assert_eq!(
            whole.arguments,
            [("a", "3"), ("n", "1000")].map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(whole.lets, [("x.size(0)".to_owned(), 4.0)]);
        let own = TraceOptions { grid: Some([3, 1, 1]), ..TraceOptions::default() };
        assert_eq!(read(text, &own).expect("it is left alone").block, None);
    }

    #[test]
    fn other_options_and_wrong_values_are_refused() {
        let refused = |line: &str| read(&format!("// warpbook: {line}\n"), &TraceOptions::default()).expect_err(line);
        assert_eq!(refused("--grid 8 --input x=/etc/passwd.npy"), "`--input` is no option of a launch");
        assert!(refused("--grid eight").contains("--grid"));
        assert_eq!(refused("-h"), "`-h` is no option of a launch");
        assert!(refused("stray words").contains("stray"));
        assert_eq!(refused("--entry 'k --grid 8"), "a quote is not closed");
    }
}
