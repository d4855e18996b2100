//! The ticks of a figure's clock: how many there are, and what one is called.

use super::launches;
use crate::figures::{self, Clock, Figure, Given};
use crate::lesson::Picture;
use crate::trace::EventKind;

/// The ticks of a figure's clock.
#[derive(Default)]
pub(super) struct Ticks {
    /// How many there are.
    pub(super) count: usize,
    /// Whether each changes nothing on the stage; empty where all of them change something.
    pub(super) quiet: Vec<bool>,
    /// Those that the keys jump to.
    pub(super) stops: Vec<usize>,
    /// The names of a tick and of a stop.
    pub(super) names: [&'static str; 2],
    /// The name of several ticks.
    pub(super) plural: &'static str,
}

impl Ticks {
    /// The ticks of a figure's clock; `events` has the indices of the warp's events in the timeline.
    pub(super) fn of(figure: &dyn Figure, picture: &Picture, given: &Given, events: &[usize]) -> Self {
        match figure.card().clock {
            Clock::Events => {
                let is_barrier = |index: &usize| given.timeline.events[*index].kind == EventKind::Barrier;
                let stops = (0..events.len()).filter(|at| is_barrier(&events[*at])).collect();
                Ticks { count: events.len(), stops, names: ["event", "barrier"], plural: "events", ..Ticks::default() }
            }
            Clock::Launches => launches::ticks(given),
            Clock::Waves => {
                let spread = given.spread.as_ref();
                let count = spread.map_or(0, |spread| usize::try_from(spread.ticks()).unwrap_or(usize::MAX));
                let (tick, plural) = match spread.and_then(|spread| spread.tiles) {
                    Some(_) => ("tile", "tiles"),
                    None => ("wave", "waves"),
                };
                Ticks { count, names: [tick, tick], plural, ..Ticks::default() }
            }
            Clock::Rounds => {
                let count = figures::count_rounds(&given.rounds);
                Ticks { count, names: ["round", "round"], plural: "rounds", ..Ticks::default() }
            }
            Clock::Workgroups => {
                let count = given.heat.as_ref().map_or(0, |heat| heat.footprints.len());
                Ticks { count, names: ["workgroup", "workgroup"], plural: "workgroups", ..Ticks::default() }
            }
            Clock::Phases => {
                let ticks = figure.ticks(given, picture);
                let workgroup =
                    |at: usize| Some(given.course.as_ref()?.as_ref().ok()?.phases.get(ticks[at])?.workgroup);
                let stops = (0..ticks.len()).filter(|at| *at == 0 || workgroup(*at) != workgroup(at - 1)).collect();
                Ticks { count: ticks.len(), stops, names: ["phase", "workgroup"], plural: "phases", ..Ticks::default() }
            }
            Clock::Still | Clock::Hand => Ticks::default(),
        }
    }
}
