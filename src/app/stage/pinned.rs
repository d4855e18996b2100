//! The picture on the stage as one to pin: of the size that a note's pictures have, and in colours for both themes.

use super::{Drawn, Stage, events};
use crate::app::stage::ticks::Ticks;
use crate::base::units::count;
use crate::figures::Results;
use crate::figures::explore::{self, ExploreView};
use crate::figures::frame::Frame;
use crate::figures::{Clock, Kept, View, svg, titled};
use crate::lesson::Picture;
use crate::session::desk::state::State;
use crate::session::learn::pins::Pin;
use crate::session::note::{EXPLORER, STAGE};

/// The names of the pictures of a kernel and of what it was before its change.
const OF_A_CHANGE: [&str; 2] = ["The picture now", "The picture before"];

impl Stage {
    /// The names of the pictures that can be pinned: of the program on the bench, and of those beside it.
    #[must_use]
    pub fn pinnable(state: &State) -> Vec<String> {
        let bench = &state.place.bench;
        let Some(lesson) = state.place.lesson.as_ref().filter(|_| has_beside(state)) else {
            return vec!["The picture".to_owned()];
        };
        if !state.is_race() {
            return OF_A_CHANGE.map(str::to_owned).to_vec();
        }
        let all = std::iter::once(&bench.variant).chain(&bench.beside);
        all.map(|variant| format!("The picture of {}", lesson.title_of(variant))).collect()
    }

    /// A picture as it is now, with the moment in words: of the program on the bench, or of the one at `which - 1`
    /// beside it. None before there is one.
    #[must_use]
    pub fn pinned(&self, state: &State, which: usize) -> Option<Pin> {
        let (figure, picture) = (state.shown_figure(), state.picture());
        let card = figure.card();
        let title = picture.text("title");
        if card.clock == Clock::Hand {
            let explorer = explore::find(state.place.step()?.explorer()?)?;
            let at = state.explored();
            let frame = explore::picture(&ExploreView { explorer, at: &at, spelled: (0, 0), width: EXPLORER }).frame;
            let page = state.place.step().map_or("", |step| step.title.as_str());
            let caption = format!("{}, at my own settings", if title.is_empty() { page } else { title });
            return Some(Pin { caption, picture: Some(svg::adaptive(&frame)), ..Pin::default() });
        }
        state.with_results(&picture, |results| self.pinned_with(state, (&picture, results), which))
    }

    fn pinned_with(&self, state: &State, (picture, results): (&Picture, &Results<'_>), which: usize) -> Option<Pin> {
        let figure = state.shown_figure();
        let seen = state.view(picture, results);
        let (card, title) = (figure.card(), seen.words("title"));
        let timeline = seen.timeline().cloned().unwrap_or_default();
        let of_warp = events(&timeline, state.place.stage.workgroup, self.warp);
        let ticks = Ticks::of(figure, &seen, &of_warp);
        let player = self.player_of(card.clock);
        let tick = player.event(ticks.count);
        let when = match (card.clock, tick) {
            (Clock::Events, Some(tick)) => {
                let line = of_warp.get(tick).and_then(|event| timeline.events.get(*event)).map(|event| event.line);
                line.map(|line| at_line(line, self.warp, state.place.stage.workgroup))
            }
            (Clock::Launches, _) => Some(self.launches.said(seen.reel(figure).ok().map(|(reel, _)| &**reel))),
            (Clock::Still, _) | (_, None) => None,
            (_, Some(tick)) => {
                Some(format!("{} {} of {}", ticks.names[0], count(tick as u64 + 1), count(ticks.count as u64)))
            }
        };
        let drawn = Drawn {
            state,
            figure,
            picture,
            results,
            position: player.shown(ticks.count, &ticks.quiet),
            events: of_warp.len(),
            lit: None,
        };
        if let Some(at) = which.checked_sub(1) {
            return self.pinned_beside(&drawn, at);
        }
        let view = View { hovered: None, marked: &[], ..self.view(&drawn, STAGE.into()) };
        let frame: Frame = titled::draw(figure, &view, &mut Kept::default());
        let caption = captioned(&title, when, card.about);
        state.pinned_picture(&caption, svg::adaptive(&frame), &state.place.bench.variant)
    }

    /// The picture of a program beside the bench's.
    fn pinned_beside(&self, drawn: &Drawn<'_>, at: usize) -> Option<Pin> {
        let variant = drawn.state.place.bench.beside.get(at)?;
        let results = Self::results_beside(drawn.state, variant)?;
        let view = self.view_beside(drawn, variant, &results, STAGE);
        let timeline = view.timeline().ok()?;
        let of_warp = events(timeline, view.workgroup, view.warp);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position among the events")]
        let event = of_warp.get(view.position as usize).and_then(|event| timeline.events.get(*event));
        let when = event.map(|event| at_line(event.line, view.warp, view.workgroup));
        let frame = titled::draw(drawn.figure, &view, &mut Kept::default());
        let caption = captioned(&view.words("title"), when, drawn.figure.card().about);
        drawn.state.pinned_picture(&caption, svg::adaptive(&frame), variant)
    }
}

/// Whether the stage has pictures of programs beside that of the bench.
fn has_beside(state: &State) -> bool {
    !state.place.bench.beside.is_empty() && state.shown_figure().card().clock == Clock::Events
}

/// The moment of an event.
fn at_line(line: u32, warp: u32, workgroup: u32) -> String {
    format!("line {line}, warp {warp} of workgroup {}", count(u64::from(workgroup)))
}

/// A picture's title and moment; the phrase for its figure if it has neither.
fn captioned(title: &str, when: Option<String>, about: &str) -> String {
    match when {
        Some(when) if title.is_empty() => sentence(&when),
        Some(when) => format!("{title}, {when}"),
        None if title.is_empty() => sentence(about),
        None => title.to_owned(),
    }
}

/// A phrase as the beginning of a sentence.
fn sentence(phrase: &str) -> String {
    let mut rest = phrase.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}
