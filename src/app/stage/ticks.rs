//! The ticks of a figure's clock: how many there are, and what one is called.

use super::launches;
use crate::figures::{self, Clock, Figure, View, ask};
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
    pub(super) fn of(figure: &dyn Figure, view: &View<'_>, events: &[usize]) -> Self {
        match figure.card().clock {
            Clock::Events => {
                let timeline = view.timeline();
                let is_barrier = |at: &usize| {
                    timeline.as_ref().is_ok_and(|timeline| timeline.events[events[*at]].kind == EventKind::Barrier)
                };
                let stops = (0..events.len()).filter(is_barrier).collect();
                Ticks { count: events.len(), stops, names: ["event", "barrier"], plural: "events", ..Ticks::default() }
            }
            Clock::Launches => view.reel(figure).map(|(reel, _)| launches::ticks(reel)).unwrap_or_default(),
            Clock::Waves => {
                let spread = view.ask(ask::Spread).ok();
                let count = spread.map_or(0, |spread| usize::try_from(spread.ticks()).unwrap_or(usize::MAX));
                let (tick, plural) = match spread.and_then(|spread| spread.tiles) {
                    Some(_) => ("tile", "tiles"),
                    None => ("wave", "waves"),
                };
                Ticks { count, names: [tick, tick], plural, ..Ticks::default() }
            }
            Clock::Rounds => {
                let count = view.ask(ask::Rounds).map_or(0, |rounds| figures::count_rounds(rounds));
                Ticks { count, names: ["round", "round"], plural: "rounds", ..Ticks::default() }
            }
            Clock::Workgroups => {
                let count = view.ask(ask::Heat).map_or(0, |heat| heat.footprints.len());
                Ticks { count, names: ["workgroup", "workgroup"], plural: "workgroups", ..Ticks::default() }
            }
            Clock::Phases => {
                let workgroups = figure.ticks(view);
                let stops = (0..workgroups.len()).filter(|at| *at == 0 || workgroups[*at] != workgroups[at - 1]);
                Ticks {
                    count: workgroups.len(),
                    stops: stops.collect(),
                    names: ["phase", "workgroup"],
                    plural: "phases",
                    ..Ticks::default()
                }
            }
            Clock::Still | Clock::Hand => Ticks::default(),
        }
    }
}
