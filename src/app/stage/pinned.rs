//! The picture on the stage as one to pin: of the size that a note's pictures have, and in colours for both themes.

use super::{Drawn, Stage, events};
use crate::app::stage::ticks::Ticks;
use crate::base::units::count;
use crate::figures::explore::{self, ExploreView};
use crate::figures::frame::Frame;
use crate::figures::{Clock, Kept, View, svg, titled};
use crate::session::desk::state::State;
use crate::session::learn::pins::Pin;
use crate::session::note::{EXPLORER, STAGE};

impl Stage {
    /// The picture as it is now, with the moment in words; None before there is one.
    #[must_use]
    pub fn pinned(&self, state: &State) -> Option<Pin> {
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
        let asks = state.asks();
        let given = state.given(&asks, &picture);
        let of_warp = events(&given.timeline, state.place.stage.workgroup, self.warp);
        let ticks = Ticks::of(figure, &picture, &given, &of_warp);
        let player = self.player_of(card.clock);
        let tick = player.event(ticks.count);
        let when = match (card.clock, tick) {
            (Clock::Events, Some(tick)) => {
                let line =
                    of_warp.get(tick).and_then(|event| given.timeline.events.get(*event)).map(|event| event.line);
                let of = state.place.stage.workgroup;
                line.map(|line| format!("line {line}, warp {} of workgroup {}", self.warp, count(u64::from(of))))
            }
            (Clock::Launches, _) => Some(self.launches.said(&given)),
            (Clock::Still, _) | (_, None) => None,
            (_, Some(tick)) => {
                Some(format!("{} {} of {}", ticks.names[0], count(tick as u64 + 1), count(ticks.count as u64)))
            }
        };
        let drawn = Drawn {
            state,
            figure,
            picture: &picture,
            given: &given,
            position: player.shown(ticks.count, &ticks.quiet),
            events: of_warp.len(),
            lit: None,
        };
        let view = View { hovered: None, marked: &[], ..self.view(&drawn, STAGE.into()) };
        let frame: Frame = titled::draw(figure, &view, &mut Kept::default());
        let caption = match when {
            Some(when) if title.is_empty() => sentence(&when),
            Some(when) => format!("{title}, {when}"),
            None if title.is_empty() => sentence(card.about),
            None => title.to_owned(),
        };
        state.pinned_picture(&caption, svg::adaptive(&frame))
    }
}

/// A phrase as the beginning of a sentence.
fn sentence(phrase: &str) -> String {
    let mut rest = phrase.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}
