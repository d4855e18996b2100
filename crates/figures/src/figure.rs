//! A figure: its card, and how it is drawn at a moment from the results that it asks for.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::answers::Filled;
use super::ask::{self, Question};
use super::event::WarpView;
use super::frame::{Frame, Tag};
use super::mark::Mark;
use super::reel::{Moment, Reel};
use super::results::{Missing, Results};
use super::shape::Shape;
use crate::base::units::{count, number};
use crate::lesson::{ArgValue, Facts, Picture, Program};
use crate::trace::{Course, Timeline};

/// A kind of picture of a launch or a program. One file implements it, and one word of the list in `mod.rs` names it.
pub trait Figure: Sync {
    /// Its name, its words, its arguments, and what moves it.
    fn card(&self) -> &'static Card;

    /// The picture at the view's moment. `kept` is its own from frame to frame. All results are asked for before the first one that may be
    /// missing ends it, so that one run answers them.
    ///
    /// # Errors
    /// If a result is not known yet, or there is none.
    fn draw(&self, view: &View<'_>, kept: &mut Kept) -> Result<Frame, Missing>;

    /// The buffers whose contents it shows: unless it says otherwise, those that its arguments name.
    ///
    /// # Errors
    /// If that is not known before the program is compiled.
    fn film(&self, view: &View<'_>) -> Result<Vec<String>, Missing> {
        Ok(named_buffers(self.card().args, view.picture).collect())
    }

    /// A description of what the pointer is on; `event` is the timeline's index of the event on the stage.
    fn tip(&self, _view: &View<'_>, _kept: &Kept, _event: Option<usize>, _tag: Tag) -> Option<String> {
        None
    }

    /// The phases of a launch that are the ticks of its clock, each by its workgroup; all of them unless it says otherwise.
    fn ticks(&self, view: &View<'_>) -> Vec<u32> {
        view.course(&[])
            .map_or_else(|_| Vec::new(), |course| course.phases.iter().map(|phase| phase.workgroup).collect())
    }

    /// Whether each event is a picture of its own, so that a film needs only those that a step is about; else it shows them together.
    fn is_of_one_event(&self) -> bool {
        false
    }

    /// The element of a buffer that the pointer is on: a click asks where it came from.
    fn element(&self, _view: &View<'_>, _event: Option<usize>, _tag: Tag) -> Option<(String, u64)> {
        None
    }
}

/// A figure's names, its help and its arguments.
pub struct Card {
    /// Its name in `lesson.ron`.
    pub name: &'static str,
    /// Its name on the stage's tab.
    pub tab: &'static str,
    /// A sentence on what it shows.
    pub help: &'static str,
    /// The subject of the figure, for the caption in a note.
    pub about: &'static str,
    /// The clock that moves it.
    pub clock: Clock,
    /// Whether a pass has something to show.
    pub fits: fn(Facts) -> bool,
    /// The remedy if it has not: what the lesson has to say.
    pub needs: &'static str,
    /// The arguments that a lesson may give.
    pub args: &'static [Arg],
}

/// The clock that moves a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Nothing.
    Still,
    /// The learner's hand: it has handles to drag.
    Hand,
    /// A warp's events.
    Events,
    /// A program's launches.
    Launches,
    /// A launch's workgroups, a wave per tick.
    Waves,
    /// A program's rounds.
    Rounds,
    /// A launch's workgroups, one after the other.
    Workgroups,
    /// A launch's intervals between barriers, one workgroup after the other.
    Phases,
}

/// An argument of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: ArgKind,
    /// Whether the figure cannot be drawn without it; it has a tab only at steps that give it.
    pub required: bool,
    /// A sentence on its effect.
    pub help: &'static str,
}

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A number from 0 to less than 1.
    Share,
    /// Words.
    Text,
    /// A list of words.
    Texts,
    /// A list of live elements as they are in texts: `{{= 4 * n : B}}`, `{{= speed.copy.time[32] : s @ h200 cuda}}`.
    Amounts,
    /// A buffer of the step's program.
    Buffer,
    /// An expression of the lesson's parameters and values.
    Number,
    /// The same for something that the figure counts by, such as rows or ranks: from 0 to this. A figure has no other numbers that it makes room for.
    Count(u32),
    /// An experiment of the lesson.
    Experiment,
    /// A program of the lesson.
    Program,
    /// A whole number up to this.
    UpTo(u32),
}

impl ArgKind {
    /// Whether it is an expression.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::Count(_))
    }

    /// Why a value of the expression is none that the figure draws; None if it is one.
    #[must_use]
    pub fn excess(self, value: f64) -> Option<String> {
        let Self::Count(most) = self else { return None };
        let is_countable = (0.0..=f64::from(most)).contains(&value);
        (!is_countable).then(|| format!("{} is no count from 0 to {}", number(value), count(u64::from(most))))
    }
}

impl Arg {
    /// One that may be left out.
    #[must_use]
    pub const fn optional(name: &'static str, kind: ArgKind, help: &'static str) -> Self {
        Self { name, kind, required: false, help }
    }

    /// One that may not.
    #[must_use]
    pub const fn required(name: &'static str, kind: ArgKind, help: &'static str) -> Self {
        Self { name, kind, required: true, help }
    }
}

/// The buffers that arguments name.
pub(super) fn named_buffers<'a>(args: &'a [Arg], picture: &'a Picture) -> impl Iterator<Item = String> {
    let named = args.iter().filter(|arg| arg.kind == ArgKind::Buffer).map(|arg| picture.text(arg.name));
    named.filter(|name| !name.is_empty()).map(ToOwned::to_owned)
}

/// How the learner reads a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// The first element; None for the figure's own.
    pub from: Option<usize>,
    /// How elements are shown; None for what suits them.
    pub shape: Option<Shape>,
}

/// Results, the moment, and the size of the picture.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The results.
    pub results: &'a Results<'a>,
    /// The figure's arguments.
    pub picture: &'a Picture,
    /// The program on the stage, as its lesson declares it; None in a picture that stands by itself.
    pub program: Option<&'a Program>,
    /// The pass on the stage, by its place in the program.
    pub pass: usize,
    /// The buffer that the learner chose.
    pub buffer: Option<&'a str>,
    /// How the learner reads a buffer.
    pub reading: Reading,
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// Warp within the workgroup.
    pub warp: u32,
    /// Ticks of the figure's clock before the present one, plus the present one's progress from 0 to 1.
    pub position: f32,
    /// The item under the pointer; its counterparts are lit.
    pub hovered: Option<Tag>,
    /// Elements that are ringed wherever they are in the picture.
    pub marked: &'a [Mark],
    /// Whether things are seen to move; otherwise each tick shows its end state.
    pub motion: bool,
    /// Width and height in points; meant for 420×300 and more.
    pub size: [f32; 2],
    /// Whether the lesson's title is above the picture.
    pub titled: bool,
}

impl<'a> View<'a> {
    /// The first tick of a figure.
    #[must_use]
    pub fn still(results: &'a Results<'a>, picture: &'a Picture, size: [f32; 2]) -> Self {
        Self {
            results,
            picture,
            program: None,
            pass: 0,
            buffer: None,
            reading: Reading::default(),
            workgroup: 0,
            warp: 0,
            position: 0.0,
            hovered: None,
            marked: &[],
            motion: false,
            size,
            titled: false,
        }
    }

    /// The answer to a question about the launch on the stage.
    ///
    /// # Errors
    /// If it is not known yet, or there is none.
    pub fn ask<Q: Question>(&self, question: Q) -> Result<&'a Arc<Q::Answer>, Missing> {
        self.results.ask(question)
    }

    /// The value of an argument that is an expression; None if it is not given.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.results.numbers.values.get(name).copied()
    }

    /// The texts of an argument with the values of their live elements; none if it is not given.
    ///
    /// # Errors
    /// If a value is not known yet.
    pub fn filled(&self, name: &str) -> Result<&'a Arc<Vec<Filled>>, Missing> {
        self.ask(ask::Filled(name.to_owned()))
    }

    /// A text of the lesson, with the values of its live elements as far as they are known; empty if it is not given.
    #[must_use]
    pub fn words(&self, name: &str) -> String {
        self.texts(name).into_iter().next().unwrap_or_default()
    }

    /// The same for a list of texts.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<String> {
        let plain = || match self.picture.arg(name) {
            Some(ArgValue::Text(text)) => vec![text.clone()],
            Some(ArgValue::Texts(texts)) => texts.clone(),
            Some(ArgValue::Live(live)) => live.iter().map(|live| live.plain.clone()).collect(),
            Some(ArgValue::Number(_)) | None => Vec::new(),
        };
        match self.picture.arg(name) {
            Some(ArgValue::Live(_)) => match self.filled(name) {
                Ok(filled) => filled.iter().map(|filled| filled.text.clone()).collect(),
                Err(_) => plain(),
            },
            _ => plain(),
        }
    }

    /// Nothing if the figure's arguments have values that can be drawn.
    ///
    /// # Errors
    /// Why one of them has none.
    pub(super) fn within(&self) -> Result<(), Missing> {
        self.results.numbers.beyond.as_deref().map_or(Ok(()), |why| Err(why.into()))
    }

    /// The accesses of the workgroup on the stage.
    ///
    /// # Errors
    /// If they are not known yet, or there are none.
    pub fn timeline(&self) -> Result<&'a Arc<Timeline>, Missing> {
        self.ask(ask::Accesses).map(|accesses| &accesses.timeline)
    }

    pub(super) fn warp_view(&self) -> Result<WarpView<'a>, Missing> {
        let Self { workgroup, warp, position, hovered, marked, motion, size, .. } = *self;
        Ok(WarpView { timeline: self.timeline()?, workgroup, warp, position, hovered, marked, motion, size })
    }

    /// The contents of the buffers of a figure, and the moment among them.
    ///
    /// # Errors
    /// If they are not known yet, there are none, or the figure's arguments cannot be drawn.
    pub fn reel(&self, figure: &dyn Figure) -> Result<(&'a Arc<Reel>, Moment), Missing> {
        let reel = figure.film(self).and_then(|buffers| match buffers.is_empty() {
            true => Err(NO_BUFFER.into()),
            false => self.ask(ask::Film(buffers)),
        });
        self.within()?;
        reel.map(|reel| (reel, reel.moment(self.position, self.motion)))
    }

    /// The intervals of the launch's workgroups between barriers, with the contents of these workgroup variables.
    ///
    /// # Errors
    /// As [`Self::reel`].
    pub(super) fn course(&self, variables: &[&str]) -> Result<&'a Arc<Course>, Missing> {
        let course = self.ask(ask::Course(variables.iter().map(|name| (*name).to_owned()).collect()));
        self.within()?;
        course
    }
}

/// The phases that load rows of any of these buffers, by their places in the course; names of no buffer are ignored.
pub(super) fn loading(course: &Course, names: &[&str]) -> Vec<usize> {
    let known: Vec<u16> = names.iter().filter(|name| !name.is_empty()).filter_map(|name| course.find(name)).collect();
    let loads = |at: &usize| course.phases[*at].loads.iter().any(|rows| known.contains(&rows.buffer));
    (0..course.phases.len()).filter(loads).collect()
}

/// Why a figure is not drawn that names no buffer of the program.
pub(super) const NO_BUFFER: &str = "There is no such buffer.";

/// Experts that are counted at most, each by itself.
pub(super) const MOST_EXPERTS: u32 = 4096;

/// The phase, among `ticks`, at which a figure opens: at the share that it is given, or else the last.
#[must_use]
pub fn opening_phase(ticks: usize, picture: &Picture) -> usize {
    let last = ticks.saturating_sub(1);
    picture.number("at").map_or(last, |share| ((ticks as f64 * share) as usize).min(last))
}

/// State that a figure keeps from frame to frame.
#[derive(Default)]
pub struct Kept(Option<Box<dyn Any + Send>>);

impl Kept {
    /// A figure's own; a new one if another figure was drawn before.
    pub fn own<T: Default + Send + 'static>(&mut self) -> &mut T {
        if self.get::<T>().is_none() {
            self.0 = Some(Box::<T>::default());
        }
        match self.0.as_mut().and_then(|kept| kept.downcast_mut()) {
            Some(own) => own,
            None => unreachable!("it was made of this type just now"),
        }
    }

    /// A figure's own, if it was drawn last.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}
