//! A figure: its card, the results that it asks for, and how it is drawn at a moment.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::answers::{Metered, River, Roofline, Spread, Waits};
use super::event::WarpView;
use super::frame::{Frame, Tag};
use super::mark::Mark;
use super::plot::Plot;
use super::reel::{Moment, Reel};
use super::ring::Ring;
use super::shape::Shape;
use crate::base::units::{count, number};
use crate::job::Job;
use crate::lesson::{Facts, Picture, Program};
use crate::trace::{Course, Heat, Timeline};

/// A kind of picture of a launch or a program. One file implements it, and one word of the list in `mod.rs` names it.
pub trait Figure: Sync {
    /// Its name, its words, its arguments, and what moves it.
    fn card(&self) -> &'static Card;

    /// The results that it is drawn from: unless it says otherwise, the buffers that its arguments name.
    fn asks(&self, subject: &Subject<'_>) -> Asks {
        let known = |name: &String| subject.job.buffers.iter().any(|buffer| buffer.name == *name);
        Asks { film: named_buffers(self.card().args, subject.picture).filter(known).collect(), ..Asks::default() }
    }

    /// The picture at the view's moment. `kept` is its own from frame to frame.
    fn draw(&self, view: &View<'_>, kept: &mut Kept) -> Frame;

    /// A description of what the pointer is on; `event` is the timeline's index of the event on the stage.
    fn tip(&self, _view: &View<'_>, _kept: &Kept, _event: Option<usize>, _tag: Tag) -> Option<String> {
        None
    }

    /// The phases of a launch that are the ticks of its clock, by their places in the course; of all workgroups unless it says otherwise.
    fn ticks(&self, given: &Given, _: &Picture) -> Vec<usize> {
        given.course().map_or_else(|_| Vec::new(), |course| (0..course.phases.len()).collect())
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

/// The program that a figure is of.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The figure's arguments.
    pub picture: &'a Picture,
    /// The buffer that the learner chose.
    pub buffer: Option<&'a str>,
    /// The program.
    pub program: &'a Program,
    /// It at the parameters, with its shaders compiled.
    pub job: &'a Job,
    /// The pass on the stage, by its place.
    pub pass: usize,
}

/// The results that a figure is drawn from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// Single accesses of the workgroup on the stage.
    pub timeline: bool,
    /// Asynchronous operations of the workgroup on the stage, if the program is traced: the figure can do without.
    pub transfers: bool,
    /// How often elements are fetched.
    pub heat: bool,
    /// How the grid spreads over a device.
    pub spread: bool,
    /// The waits of a warp for memory, with the latencies of a device.
    pub waits: bool,
    /// Where the bytes go.
    pub river: bool,
    /// Where the kernels of the ladder are under a device's ceilings.
    pub roofline: bool,
    /// The program's series by round.
    pub rounds: bool,
    /// The curves of an experiment of the lesson.
    pub curves: bool,
    /// The workgroups' intervals between barriers, with the contents of these workgroup variables.
    pub course: Option<Vec<String>>,
    /// The bytes that the buffers of the program move, and those of these programs.
    pub meters: Option<Vec<String>>,
    /// The contents of these buffers after each launch.
    pub film: Vec<String>,
}

impl Asks {
    /// Single accesses alone.
    #[must_use]
    pub fn timeline() -> Self {
        Self { timeline: true, ..Self::default() }
    }

    /// Whether something of that comes from a trace.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        let launches = self.heat || self.course.is_some() || self.meters.is_some() || !self.film.is_empty();
        self.timeline || self.waits || self.river || self.rounds || launches
    }
}

/// Results, as far as they are there.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Single accesses of the workgroup on the stage.
    pub timeline: Arc<Timeline>,
    /// How often elements were fetched.
    pub heat: Option<Arc<Heat>>,
    /// How the grid spreads over a device.
    pub spread: Option<Spread>,
    /// The waits of a warp for memory.
    pub waits: Option<Waits>,
    /// Where the bytes go.
    pub river: Option<River>,
    /// The ring of places that the kernel's tiles go through.
    pub ring: Option<Ring>,
    /// Where the kernels of the ladder are.
    pub roofline: Option<Roofline>,
    /// The program's series by round.
    pub rounds: Vec<Plot>,
    /// The curves of the experiment that the figure names.
    pub curves: Option<Plot>,
    /// The workgroups' intervals between barriers, or why they are not known.
    pub course: Option<Result<Arc<Course>, String>>,
    /// The bytes that programs' buffers move: the one on the stage, then those that the figure names; or why they are not known.
    pub meters: Option<Result<Vec<Metered>, String>>,
    /// The contents of buffers after each launch, or why there are none.
    pub reel: Option<Result<Arc<Reel>, String>>,
    /// Values of the figure's arguments that are expressions.
    pub numbers: BTreeMap<String, f64>,
    /// Why one of them has no value that the figure draws: nothing is counted by it then.
    pub beyond: Option<String>,
}

impl Given {
    /// Nothing if the figure's arguments have values that can be drawn; else what to say instead.
    pub(super) fn within(&self) -> Result<(), &str> {
        self.beyond.as_deref().map_or(Ok(()), Err)
    }

    /// The course of the launch; else what to say instead.
    pub(super) fn course(&self) -> Result<&Course, &str> {
        self.within()?;
        match &self.course {
            None => Err(RUNNING),
            Some(Err(why)) => Err(why),
            Some(Ok(course)) => Ok(course),
        }
    }

    /// The phases that load rows of any of these buffers, by their places in the course; names that are none are ignored.
    pub(super) fn loading(&self, names: &[&str]) -> Vec<usize> {
        let Ok(course) = self.course() else { return Vec::new() };
        let known: Vec<u16> =
            names.iter().filter(|name| !name.is_empty()).filter_map(|name| course.find(name)).collect();
        let loads = |at: &usize| course.phases[*at].loads.iter().any(|rows| known.contains(&rows.buffer));
        (0..course.phases.len()).filter(loads).collect()
    }

    /// Accesses alone.
    #[must_use]
    pub fn of(timeline: &Arc<Timeline>) -> Self {
        Self { timeline: timeline.clone(), ..Self::default() }
    }
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
    pub given: &'a Given,
    /// The figure's arguments.
    pub picture: &'a Picture,
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
    pub fn still(given: &'a Given, picture: &'a Picture, size: [f32; 2]) -> Self {
        Self {
            given,
            picture,
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

    pub(super) fn warp_view(&self) -> WarpView<'a> {
        let Self { workgroup, warp, position, hovered, marked, motion, size, .. } = *self;
        WarpView { timeline: &self.given.timeline, workgroup, warp, position, hovered, marked, motion, size }
    }

    /// The buffers' contents and the moment among them; else what to say instead.
    pub(super) fn reel(&self) -> Result<(&'a Reel, Moment), &'a str> {
        self.given.within()?;
        match &self.given.reel {
            None => Err(RUNNING),
            Some(Err(why)) => Err(why),
            Some(Ok(reel)) => Ok((reel, reel.moment(self.position, self.motion))),
        }
    }
}

/// Experts that are counted at most, each by itself.
pub(super) const MOST_EXPERTS: u32 = 4096;

/// Said until a program's results are there.
pub(super) const RUNNING: &str = "The program is being run…";

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
