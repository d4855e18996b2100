//! What `warpbook open` is asked for, before a window opens.

use std::path::Path;

use crate::base::diag::{Diagnostic, nearest};
use crate::lesson::PackFiles;
use crate::session;

/// Nothing if there is such a file, or such a page with these parameters.
///
/// # Errors
/// What there is not, and what there is.
pub fn can_open(files: &PackFiles, what: &Path, set: &[(String, f64)]) -> Result<(), Diagnostic> {
    if what.is_file() {
        return match set.first() {
            Some((id, _)) => Err(Diagnostic::error(format!("--set {id} is of a lesson, not of a file"))),
            None => Ok(()),
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
    let pages = 1..=lesson.steps.len();
    if let Some(page) = page.filter(|page| !page.parse().is_ok_and(|page: usize| pages.contains(&page))) {
        let problem = Diagnostic::error(format!("`{id}` has no page `{page}`"));
        return Err(problem.hint(format!("its pages are 1 to {}", pages.end())));
    }
    let known = |id: &str| lesson.params.iter().find(|param| param.id == *id);
    for (name, value) in set {
        let Some(param) = known(name) else {
            let ids: Vec<&str> = lesson.params.iter().map(|param| param.id.as_str()).collect();
            let problem = Diagnostic::error(format!("`{id}` has no parameter `{name}`"));
            return Err(problem.hint(format!("its parameters are {}", ids.join(", "))));
        };
        if !param.domain.accepts(*value) {
            let problem = Diagnostic::error(format!("`{name}` cannot be {value}"));
            return Err(problem.hint(param.domain.describe()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named() {
        let asked = |what: &str, set: &[(String, f64)]| can_open(&PackFiles::Embedded, Path::new(what), set);
        let stride = |value| [("stride".to_owned(), value)];
        assert_eq!(asked("coalescing/3", &stride(8.0)), Ok(()));
        assert_eq!(asked("coalescing", &[]), Ok(()));
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
