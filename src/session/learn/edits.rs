//! The learner's own versions (edits) of kernels: a lesson with each added beside its original kernel.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::job::{Language, Twin};
use crate::lesson::{Action, Code, Exercise, Kernel, Lesson, Node, Program, Variant};
use crate::session::jobs::own::YOURS;

/// A version of a kernel that the learner wrote. As a program it runs under its id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edit {
    /// The id of the program with it in its place, and of the kernel.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The program that it began in, with the kernels in its places.
    pub of: Variant,
    /// The pass whose kernel it is a version of.
    pub pass: String,
    pub language: Language,
    pub source: String,
}

/// The learner's attempts at an exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tried {
    /// The learner's version; None as long as it is the starter.
    pub source: Option<String>,
    /// The last version that reached the goal.
    pub solution: Option<String>,
    /// How many hints the learner opened; the one after the lesson's last hint is its solution.
    pub hints: usize,
}

impl Edit {
    /// Its program, with the other kernels that were chosen where it began.
    #[must_use]
    pub fn variant(&self) -> Variant {
        let rungs = self.of.rungs.iter().filter(|(pass, _)| **pass != self.pass);
        Variant { program: self.id.clone(), rungs: rungs.map(|(pass, id)| (pass.clone(), id.clone())).collect() }
    }

    /// An unused id for another version that begins in `of`: not one of `taken`.
    #[must_use]
    pub fn fresh_id(of: &Variant, taken: &[Self]) -> String {
        let free = |id: &String| taken.iter().all(|edit| edit.id != *id);
        (1..).map(|n| format!("{}+{n}", of.program)).find(free).unwrap_or_default()
    }
}

/// The kernel of an exercise as the learner left it, or as it starts, depending on which of the two has this `id`;
/// `tried` has the learner's attempts.
#[must_use]
pub fn exercise(lesson: &Lesson, id: &str, tried: &BTreeMap<String, Tried>) -> Option<Edit> {
    let exercise = lesson.exercises.iter().find(|exercise| id == exercise.yours() || id == exercise.starts())?;
    let source = tried.get(&exercise.id).and_then(|tried| tried.source.as_ref()).filter(|_| id == exercise.yours());
    let name = match (id == exercise.yours(), lesson.exercises.len()) {
        (true, 1) => "Your exercise".to_owned(),
        // Several exercises may begin as the same kernel.
        (true, _) => format!("Your exercise: {}", page_of(lesson, exercise)),
        (false, _) => "As it starts".to_owned(),
    };
    Some(Edit {
        id: id.to_owned(),
        name,
        of: exercise.variant.clone(),
        pass: exercise.pass.clone(),
        language: Language::Wgsl,
        source: source.map_or_else(|| exercise.starter.to_string(), Clone::clone),
    })
}

/// The title of the page that an exercise is on.
fn page_of(lesson: &Lesson, exercise: &Exercise) -> String {
    let step = lesson.steps.iter().find(|step| step.exercises().any(|id| id == exercise.id));
    step.map_or_else(|| lesson.title_of(&exercise.variant), |step| step.title.clone())
}

/// The exercise that a version is the learner's solution of; None for any other version.
#[must_use]
pub fn solves<'a>(lesson: &'a Lesson, id: &str) -> Option<&'a Exercise> {
    lesson.exercises.iter().find(|exercise| exercise.yours() == id)
}

/// The lesson with these versions added to its kernels and programs; versions of kernels that it lacks are left out.
#[must_use]
pub fn with(lesson: &Lesson, edits: &[Edit]) -> Lesson {
    let mut lesson = lesson.clone();
    let made: Vec<(Kernel, Program)> = edits.iter().filter_map(|edit| made(&lesson, edit)).collect();
    let (kernels, programs): (Vec<Kernel>, Vec<Program>) = made.into_iter().unzip();
    lesson.kernels.extend(kernels);
    lesson.programs.extend(programs);
    lesson
}

fn made(lesson: &Lesson, edit: &Edit) -> Option<(Kernel, Program)> {
    let program = lesson.program(&edit.of.program)?;
    let of = lesson.kernel(program.pass(&edit.pass)?.kernel(&edit.of)?)?;
    let mut code = of.code.clone();
    let source = Arc::from(edit.source.as_str());
    match (&mut code, edit.language) {
        (Code::Wgsl { file, source: text, twin, .. }, Language::Wgsl) => {
            (*file, *text, *twin) = (YOURS.to_owned(), source, None);
        }
        (Code::Cuda { twin, launch }, Language::Cuda) => {
            // A text that is PTX stays PTX.
            launch.ptx = launch.ptx.is_some().then(|| source.clone());
            launch.is_traced = true;
            *twin = typed(twin, source);
        }
        (Code::Wgsl { twin: Some(twin), .. }, Language::Cuda) => *twin = typed(twin, source),
        (Code::Wgsl { twin: None, .. }, Language::Cuda) | (Code::Cuda { .. }, Language::Wgsl) => return None,
    }
    let kernel = Kernel {
        id: edit.id.clone(),
        title: edit.name.clone(),
        ladder: String::new(),
        change: format!("Your version of: {}", of.title),
        code,
        library: None,
        ..of.clone()
    };
    let mut program = Program { id: edit.id.clone(), title: edit.name.clone(), ..program.clone() };
    launch(&mut program.body, edit);
    Some((kernel, program))
}

/// A twin with the text that the learner typed.
fn typed(twin: &Twin, source: Arc<str>) -> Twin {
    Twin { file: YOURS.to_owned(), source, entry: twin.entry.clone(), shipped: None }
}

/// Makes the pass of an edit launch the edit only.
fn launch(body: &mut [Node], edit: &Edit) {
    for node in body {
        match node {
            Node::Pass(pass) if pass.id == edit.pass => {
                if let Action::Launch(launch) = &mut pass.action {
                    launch.rungs = vec![edit.id.clone()];
                }
            }
            Node::Pass(_) => {}
            Node::Repeat(repeat) => launch(&mut repeat.body, edit),
        }
    }
}
