//! The list above a kernel: what was found while it was traced, and remarks.

use egui::{RichText, Ui};

use super::theme;
use crate::base::diag::Diagnostic;
use crate::figures::palette::{Hue, Ink};

/// The most lines of the list.
const LISTED: usize = 3;

/// Shows problems and remarks, a line each; those without room are counted, and in the tooltip.
pub fn show(ui: &mut Ui, problems: &[Diagnostic], remarks: &[String]) {
    let told = problems.iter().map(|problem| (words(problem), Hue::Conflict.ink()));
    let all: Vec<(String, Ink)> = told.chain(remarks.iter().map(|remark| (remark.clone(), Ink::Muted))).collect();
    for (text, ink) in all.iter().take(LISTED) {
        ui.add(theme::lines(ui, text.lines().next().unwrap_or_default(), *ink, 2)).on_hover_text(text);
    }
    let rest = all.get(LISTED..).unwrap_or_default();
    if !rest.is_empty() {
        let texts: Vec<&str> = rest.iter().map(|(text, _)| text.as_str()).collect();
        ui.label(RichText::new(format!("and {} more", rest.len())).size(theme::SMALL)).on_hover_text(texts.join("\n"));
    }
}

/// A problem with its line and its hint.
fn words(problem: &Diagnostic) -> String {
    let line = problem.place.as_ref().map_or_else(String::new, |place| format!("line {}: ", place.line));
    let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!("\n{hint}"));
    format!("{line}{}{hint}", problem.message)
}
