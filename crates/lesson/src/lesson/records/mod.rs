//! The records of `lesson.ron` with their fields: what a reader takes, and what the reference says.
//!
//! A field that is required is reported where it is missing, unless its record is not read that far. Fields of which that depends on
//! others are optional here, and say so.

mod lesson;
mod program;
mod small;

pub(super) use self::lesson::*;
pub(super) use self::program::*;
pub(super) use self::small::*;

/// A record: its fields, in the order of the reference.
#[derive(Clone, Copy, Debug)]
pub struct Record(pub &'static [Field]);

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its meaning; empty where a field of another record says it.
    pub help: &'static str,
    /// Whether the record cannot do without it.
    pub required: bool,
}

impl Record {
    /// The field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.0.iter().find(|field| field.name == name)
    }
}

const fn required(name: &'static str, help: &'static str) -> Field {
    Field { name, help, required: true }
}

const fn optional(name: &'static str, help: &'static str) -> Field {
    Field { name, help, required: false }
}

/// The records that the reference has a table of, by the name that it has for them.
pub const RECORDS: &[(&str, Record)] = &[
    ("lesson", LESSON),
    ("parameter", PARAMETER),
    ("value", VALUE),
    ("kernel", KERNEL),
    ("experiment", EXPERIMENT),
    ("curve", CURVE),
    ("step", STEP),
    ("prediction", PREDICTION),
    ("drawn curve", DRAWN_CURVE),
    ("probe", PROBE),
    ("exercise", EXERCISE),
    ("part of a goal", GOAL_PART),
    ("wrong kernel", WRONG_KERNEL),
    ("program", PROGRAM),
    ("buffer", BUFFER),
    ("pass", PASS),
    ("ranks", RANKS),
    ("collective", COLLECTIVE),
    ("words", WORDS),
    ("series", SERIES),
    ("check", CHECK),
];
