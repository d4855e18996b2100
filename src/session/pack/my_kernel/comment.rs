//! The comment in which a file of CUDA C++ keeps a launch: `// warpbook: --grid 8 --block 128 --arg n=1000`.

use super::{Begins, DIMENSIONS, Setup};
use crate::base::diag::Diagnostic;
use crate::base::expr::{EvalError, Expr, Scope};
use crate::base::shell::{typed, words};

/// The beginning of the comment.
const COMMENT: &str = "// warpbook:";

/// The first such comment in a text: its line from 0, and its words; no words if a quote is not closed.
#[must_use]
pub fn kept(text: &str) -> Option<(usize, Option<Vec<String>>)> {
    let mut lines = text.lines().enumerate();
    lines.find_map(|(at, line)| Some((at, words(line.trim_start().strip_prefix(COMMENT)?))))
}

/// The options of a kept launch with their values, in order.
pub(super) fn options(text: &str) -> Vec<(String, String)> {
    let mut words = kept(text).and_then(|(_, words)| words).unwrap_or_default().into_iter();
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") => options.push((option.to_owned(), value.to_owned())),
            _ => options.extend(words.next().map(|value| (word, value))),
        }
    }
    options
}

/// Fills in what the file's comment gives for this kernel.
pub(super) fn fill(setup: &mut Setup, options: &[(String, String)]) {
    let value_of = |option: &str| options.iter().find(|(of, _)| of == option).map(|(_, value)| value.as_str());
    if value_of("--entry").is_some_and(|entry| entry != setup.entry) {
        return;
    }
    let axes = |text: &str| {
        let mut axes = text.split(',').map(|extent| extent.trim().to_owned());
        [(); 3].map(|()| axes.next().unwrap_or_else(|| "1".to_owned()))
    };
    if let Some(grid) = value_of("--grid") {
        setup.grid = axes(grid);
    }
    if let (Some(block), false) = (value_of("--block"), setup.is_block_fixed) {
        setup.block = Some(axes(block).map(|extent| extent.parse().unwrap_or(1).clamp(1, 1024)));
    }
    if let Some(bytes) = value_of("--shared") {
        setup.shared = match bytes.strip_suffix(['k', 'K']) {
            Some(kib) => format!("{kib} * 1024"),
            None => bytes.to_owned(),
        };
    }
    for (option, value) in options {
        let Some((name, value)) = value.split_once('=') else { continue };
        if option == "--arg"
            && let Some(number) = setup.numbers.iter_mut().find(|number| number.name == name)
        {
            value.clone_into(&mut number.value);
        }
        if option == "--buffer"
            && let Some(buffer) = setup.buffers.iter_mut().find(|buffer| buffer.name == name)
        {
            let mut parts = value.split(':');
            if let Some(count) = parts.next().filter(|count| !count.starts_with('@')) {
                buffer.count = count.replace('x', " * ");
            }
            for part in parts {
                if let Some(begins) = Begins::ALL.into_iter().find(|begins| begins.option() == part) {
                    buffer.begins = begins;
                }
            }
        }
    }
}

/// The numbers that sizes in a setup are made of.
struct Numbers<'a>(&'a Setup);

impl Scope for Numbers<'_> {
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        let of_block = DIMENSIONS.iter().position(|axis| *axis == name);
        if let (Some(at), Some(block)) = (of_block, self.0.block) {
            return Ok(f64::from(block[at]));
        }
        let number = self.0.numbers.iter().find(|number| number.name == name);
        let value = number.and_then(|number| number.value.trim().parse().ok());
        value.ok_or_else(|| EvalError::Missing(name.to_owned()))
    }
}

/// The comment that keeps a launch, with sizes as numbers.
///
/// # Errors
/// A size that is no number.
fn line(setup: &Setup) -> Result<String, Diagnostic> {
    let size = |text: &String| {
        let value = Expr::parse(text).ok().and_then(|expr| expr.eval(&Numbers(setup)).ok());
        value.ok_or_else(|| {
            Diagnostic::error(format!("`{text}` is no number here"))
                .hint("write a number, or a size of the form's numbers")
        })
    };
    let mut words = vec![COMMENT.to_owned(), format!("--entry {}", typed(&setup.entry))];
    let grid = setup.grid.iter().map(size).collect::<Result<Vec<f64>, _>>()?;
    words.push(format!("--grid {},{},{}", grid[0], grid[1], grid[2]));
    if let (Some([x, y, z]), false) = (setup.block, setup.is_block_fixed) {
        words.push(format!("--block {x},{y},{z}"));
    }
    let shared = size(&setup.shared)?;
    if shared > 0.0 {
        words.push(format!("--shared {shared}"));
    }
    for number in &setup.numbers {
        words.push(format!("--arg {}", typed(&format!("{}={}", number.name, number.value.trim()))));
    }
    for buffer in &setup.buffers {
        let count = size(&buffer.count)?;
        let text = format!("{}={count}:{}:{}", buffer.name, buffer.elem.option(), buffer.begins.option());
        words.push(format!("--buffer {}", typed(&text)));
    }
    Ok(words.join(" "))
}

/// The text of a file with the launch in its comment, in place of the one that it has, or as its first line.
///
/// # Errors
/// A size that is no number.
pub(super) fn keeping(text: &str, setup: &Setup) -> Result<String, Diagnostic> {
    let line = line(setup)?;
    let Some((at, _)) = kept(text) else { return Ok(format!("{line}\n{text}")) };
    let replaced = text.split_inclusive('\n').enumerate().map(|(number, old)| match number == at {
        true => format!("{line}{}", &old[old.trim_end_matches(['\r', '\n']).len()..]),
        false => old.to_owned(),
    });
    Ok(replaced.collect())
}

#[cfg(test)]
mod tests {
    use super::super::{BufferSetup, ElemName, Number};
    use super::*;

    fn setup() -> Setup {
        let number =
            Number { name: "n".into(), ty: "u32".into(), is_whole: true, value: "1000".into(), ..Number::default() };
        let buffer =
            BufferSetup { name: "x".into(), elem: ElemName::F16, count: "n * 2".into(), ..BufferSetup::default() };
        Setup {
            entry: "scale<int, 4>".into(),
            numbers: vec![number],
            buffers: vec![BufferSetup { begins: Begins::Iota, ..buffer }],
            grid: ["ceil(n / block_x)", "1", "1"].map(str::to_owned),
            block: Some([128, 1, 1]),
            shared: "0".into(),
            ..Setup::default()
        }
    }

    #[test]
    fn a_launch_is_written_and_read_again() {
        let text = "int x;\r\n  // warpbook: --grid 1\r\nint y;\r\n";
        let kept = keeping(text, &setup()).expect("its sizes are numbers");
        let line =
            "// warpbook: --entry 'scale<int, 4>' --grid 8,1,1 --block 128,1,1 --arg n=1000 --buffer x=2000:f16:iota";
        assert_eq!(kept, format!("int x;\r\n{line}\r\nint y;\r\n"));
        assert_eq!(keeping("int x;\n", &setup()), Ok(format!("{line}\nint x;\n")));
        let mut read = Setup { block: Some([1; 3]), ..setup() };
        read.numbers[0].value = "5".into();
        read.buffers[0].begins = Begins::Zero;
        fill(&mut read, &options(&kept));
        assert_eq!((read.grid, read.block), (["8", "1", "1"].map(str::to_owned), Some([128, 1, 1])));
        assert_eq!((read.numbers[0].value.as_str(), read.buffers[0].count.as_str()), ("1000", "2000"));
        assert_eq!(read.buffers[0].begins, Begins::Iota);
        let mut other = Setup { entry: "other".into(), ..setup() };
        fill(&mut other, &options(&kept));
        assert_eq!(other, Setup { entry: "other".into(), ..setup() });
    }

    #[test]
    fn a_size_that_is_no_number_is_an_error() {
        let wrong = Setup { shared: "m".into(), ..setup() };
        assert!(keeping("", &wrong).is_err_and(|problem| problem.message.contains("`m`")));
    }
}
