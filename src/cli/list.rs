//! `warpbook list`

use std::process::ExitCode;

use serde::Serialize;

use super::{Context, DONE, out};
use crate::session::run;

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    title: &'a str,
    summary: &'a str,
    steps: usize,
    kernels: Vec<&'a str>,
    programs: Vec<&'a str>,
    params: Vec<&'a str>,
    needs: Vec<&'static str>,
}

pub(super) fn list(context: &Context, json: bool) -> Result<ExitCode, ExitCode> {
    let pack = context.pack()?;
    let entries: Vec<Entry> = pack
        .lessons
        .iter()
        .map(|lesson| Entry {
            id: &lesson.id,
            title: &lesson.title,
            summary: &lesson.summary,
            steps: lesson.steps.len(),
            kernels: lesson.kernels.iter().map(|k| k.id.as_str()).collect(),
            programs: lesson.programs.iter().filter(|p| !p.alone).map(|p| p.id.as_str()).collect(),
            params: lesson.params.iter().map(|p| p.id.as_str()).collect(),
            needs: run::needs(lesson),
        })
        .collect();
    if json {
        out::json(&entries);
    } else {
        for entry in entries {
            out::line(&format!("{}  {} ({} steps)", entry.id, entry.title, entry.steps));
            out::line(&format!("    {}", entry.summary));
            out::line(&format!("    needs: {}", entry.needs.join(", ")));
            out::line(&format!("    kernels: {}", entry.kernels.join(", ")));
            if !entry.programs.is_empty() {
                out::line(&format!("    programs: {}", entry.programs.join(", ")));
            }
            out::line(&format!("    parameters: {}", entry.params.join(", ")));
        }
    }
    Ok(DONE)
}
