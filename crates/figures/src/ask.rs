//! Questions about the launch on a stage. Each is a type with its answer; a figure asks by `view.ask(Heat)?`.
//!
//! `session/ask` answers those to the tracer and to devices, `session/show` those that follow from these.

use std::sync::Arc;

use super::answers;
use super::plot::Plot;
use super::reel::Reel;
use crate::trace::provenance;
use crate::trace::record::{self, Record};
use crate::trace::{self, Course as Phases};

/// A question with its answer. The answer depends on nothing but the question and its [`Scope`].
pub trait Question: Clone + Into<AnyQuestion> {
    /// The type of its answer.
    type Answer;
    /// Where its answer comes from.
    const BY: By;
    /// The part of the stage that its answer depends on.
    const SCOPE: Scope;
    /// The answer among those of all questions; None if it is another question's.
    fn of(answer: &AnyAnswer) -> Option<&Arc<Self::Answer>>;
    /// Its answer as one of those of all questions.
    fn any(answer: impl Into<Arc<Self::Answer>>) -> AnyAnswer;
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The compilers of the kernels.
    Compiler,
    /// A run of the tracer, which answers others at the same place as well.
    Tracer,
    /// A run of the tracer for this question alone.
    Explainer,
    /// A device.
    Device,
    /// Other answers, and what is known of devices.
    Others {
        /// Whether the picture is of a trace.
        traced: bool,
    },
}

/// The part of the stage that an answer depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The device alone.
    Device,
    /// The program at its settings.
    Program,
    /// One launch of it.
    Launch,
    /// One workgroup of a launch.
    Workgroup,
}

macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident $(($($(#[$field_doc:meta])* $field:ty),*))? : $scope:ident by $by:expr => $answer:ty;)*) => {
        $($(#[$doc])* #[derive(Clone, Debug, PartialEq, Eq, Hash)] pub struct $name $(($($(#[$field_doc])* pub $field),*))?;

        impl Question for $name {
            type Answer = $answer;
            const BY: By = $by;
            const SCOPE: Scope = Scope::$scope;
            fn of(answer: &AnyAnswer) -> Option<&Arc<$answer>> {
                match answer {
                    AnyAnswer::$name(answer) => Some(answer),
                    _ => None,
                }
            }
            fn any(answer: impl Into<Arc<$answer>>) -> AnyAnswer {
                AnyAnswer::$name(answer.into())
            }
        }

        impl From<$name> for AnyQuestion {
            fn from(question: $name) -> Self {
                Self::$name(question)
            }
        })*

        /// One of all questions.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum AnyQuestion {
            $($(#[$doc])* $name($name)),*
        }

        /// The answer to one of all questions.
        #[derive(Clone, Debug)]
        pub enum AnyAnswer {
            $($(#[$doc])* $name(Arc<$answer>)),*
        }

        impl AnyQuestion {
            /// Where its answer comes from.
            #[must_use]
            pub fn by(&self) -> By {
                match self {
                    $(Self::$name(_) => $name::BY),*
                }
            }

            /// The part of the stage that its answer depends on.
            #[must_use]
            pub fn scope(&self) -> Scope {
                match self {
                    $(Self::$name(_) => $name::SCOPE),*
                }
            }
        }
    };
}

questions! {
    /// The program with its shaders compiled.
    Build: Program by By::Compiler => answers::Built;
    /// The counts of all launches.
    Counts: Program by By::Tracer => answers::Traced;
    /// The single accesses of the workgroup on the stage.
    Accesses: Workgroup by By::Tracer => answers::Accesses;
    /// How often the launch fetches each element of its matrices.
    Heat: Launch by By::Tracer => trace::Heat;
    /// The workgroups' intervals between barriers.
    Course(
        /// The workgroup variables whose contents are kept.
        Vec<String>
    ): Launch by By::Tracer => Phases;
    /// The bytes that the buffers of the program move.
    Moved: Program by By::Tracer => answers::Metered;
    /// The contents of buffers after each launch.
    Film(
        /// The buffers, by name. Names of no buffer are ignored.
        Vec<String>
    ): Program by By::Tracer => Reel;
    /// The origin of an element of a buffer.
    Origin(
        /// The buffer's name.
        String,
        /// The element's index, counted in 32-bit words.
        u64
    ): Program by By::Explainer => provenance::Origin;
    /// The machine code of the launch's kernel in CUDA C++.
    Machine: Launch by By::Explainer => answers::Machine;
    /// The program's time on a device, if its check passed.
    Time: Program by By::Device => Record;
    /// A device's ceilings.
    Ceilings: Device by By::Device => record::Ceilings;
    /// How the grid spreads over a device.
    Spread: Launch by By::Others { traced: false } => answers::Spread;
    /// The waits of a warp for memory, with the latencies of a device.
    Waits: Launch by By::Others { traced: true } => answers::Waits;
    /// The predicted time of the launch, with its parts.
    TimeParts: Launch by By::Others { traced: true } => answers::TimeParts;
    /// The predicted times of a round's launches.
    Launches: Program by By::Others { traced: true } => answers::Launches;
    /// The passes of the program under a device's ceilings.
    PassRoofline: Program by By::Others { traced: true } => answers::Roofline;
    /// Where the bytes go.
    River: Launch by By::Others { traced: true } => answers::River;
    /// The ring of places that the kernel's tiles go through.
    Ring: Launch by By::Others { traced: false } => answers::Ring;
    /// The kernels of the ladder under a device's ceilings.
    Roofline: Launch by By::Others { traced: false } => answers::Roofline;
    /// The program's series by round.
    Rounds: Program by By::Others { traced: true } => Vec<Plot>;
    /// The curves of an experiment of the lesson.
    Curves(
        /// The experiment's id.
        String
    ): Program by By::Others { traced: false } => Plot;
    /// The texts of an argument of the figure, with the values of their live elements.
    Filled(
        /// The argument's name.
        String
    ): Program by By::Others { traced: false } => Vec<answers::Filled>;
    /// The bytes that the buffers of the program move, and those of other programs.
    Meters(
        /// The other programs, by id.
        Vec<String>
    ): Program by By::Others { traced: true } => Vec<answers::Metered>;
}
