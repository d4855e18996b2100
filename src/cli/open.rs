//! `warpbook open`: a kernel's file or a lesson's page, as the commands that open it in the window.

use std::path::Path;

use crate::base::diag::{Diagnostic, nearest};
use crate::lesson::PackFiles;
use crate::session;
use crate::session::desk::{Command, KernelCommand};

/// The commands that open a kernel's file, or a lesson or LESSON/PAGE with these values of its parameters.
///
/// # Errors
/// If there is no such file, lesson, page, parameter or value: its hint names those that there are.
pub fn opening(files: &PackFiles, what: &Path, set: &[(String, f64)]) -> Result<Vec<Command>, Diagnostic> {
    if what.is_file() {
        return match set.first() {
            Some((id, _)) => Err(Diagnostic::error(format!("--set {id} is of a lesson, not of a file"))),
            None => Ok(vec![Command::Kernel(KernelCommand::Open(what.to_owned()))]),
        };
    }
    let (pack, _) = session::load(files);
    let named = what.display().to_string();
    let (id, page) = named.split_once('/').map_or((named.as_str(), None), |(id, page)| (id, Some(page)));
    let Some(lesson) = pack.lessons.iter().find(|lesson| lesson.id == id) else {
        let ids: Vec<&str> = pack.lessons.iter().map(|lesson| lesson.id.as_str()).collect();
        let near = nearest(id, ids.iter().copied()).map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
        let problem = Diagnostic::error(format!("there is no file and no lesson `{named}`{near}"));
        return Err(problem.hint(format!("the lessons are {}", ids.join(", "))));
    };
    let mut commands = vec![Command::OpenLesson(id.to_owned())];
    if let Some(page) = page {
        let pages = 1..=lesson.steps.len();
        let Some(number) = page.parse().ok().filter(|number| pages.contains(number)) else {
            let problem = Diagnostic::error(format!("`{id}` has no page `{page}`"));
            return Err(problem.hint(format!("its pages are 1 to {}", pages.end())));
        };
        commands.push(Command::GoTo(number - 1));
    }
    for (name, value) in set {
        let Some(param) = lesson.params.iter().find(|param| param.id == *name) else {
            let ids: Vec<&str> = lesson.params.iter().map(|param| param.id.as_str()).collect();
            let problem = Diagnostic::error(format!("`{id}` has no parameter `{name}`"));
            return Err(problem.hint(format!("its parameters are {}", ids.join(", "))));
        };
        if !param.domain.accepts(*value) {
            let problem = Diagnostic::error(format!("`{name}` cannot be {value}"));
            return Err(problem.hint(param.domain.describe()));
        }
        commands.push(Command::SetParam(name.clone(), *value));
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_opens_and_the_rest_is_named() {
        let asked = |what: &str, set: &[(String, f64)]| opening(&PackFiles::Embedded, Path::new(what), set);
        let stride = |value| [("stride".to_owned(), value)];
        let lesson = Command::OpenLesson("coalescing".to_owned());
        let set = Command::SetParam("stride".to_owned(), 8.0);
        let commands = |what: &str, set: &[(String, f64)]| format!("{:?}", asked(what, set));
        assert_eq!(commands("coalescing/3", &stride(8.0)), format!("Ok({:?})", [&lesson, &Command::GoTo(2), &set]));
        assert_eq!(commands("coalescing", &[]), format!("Ok({:?})", [&lesson]));
        for (what, set, said) in [
            ("coalescing/99", &[][..], "no page `99`"),
            ("coalescing/x", &[], "no page `x`"),
            ("coalescing/3", &[("nope".to_owned(), 8.0)], "no parameter `nope`"),
            ("coalescing/3", &stride(0.5), "`stride` cannot be 0.5"),
            ("nothing.cu", &[], "no file and no lesson `nothing.cu`"),
            ("tilling", &[], "did you mean `tiling`"),
        ] {
            let found = asked(what, set).map_err(|problem| problem.message);
            assert!(found.as_ref().is_err_and(|found| found.contains(said)), "{what}: {found:?}");
        }
    }
}
