//! Playing a warp's events: a position on the timeline that moves with time, or by hand.

/// Where an event rests, between its start (0) and the next one's (1): all its accesses have landed.
pub const REST: f32 = 0.99;

/// Events per second at speed 1, of a trace of few.
const PACE: f32 = 1.6;

/// Seconds that a longer trace takes at speed 1, however long it is.
const WHOLE: f32 = 12.0;

/// The time that an event takes in which nothing changes, in that of another.
const QUIET: f32 = 0.1;

/// Events per second above which each is shown whole: halfway it would be gone before it is seen.
const BLUR: f32 = 10.0;

/// The speeds on offer.
pub const SPEEDS: [f32; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

/// Where the stage is in a warp's events.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// Events before the current one, plus the current one's progress from 0 to 1.
    pub position: f32,
    /// Whether it moves by itself.
    pub playing: bool,
    /// How fast, relative to the normal pace.
    pub speed: f32,
    /// Whether it begins again at the end.
    pub looping: bool,
}

impl Default for Player {
    fn default() -> Self {
        Self { position: REST, playing: false, speed: 1.0, looping: false }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a timeline has at most a few hundred thousand events")]
impl Player {
    /// Moves on by `seconds`; stops at the end of `events`, of which `quiet` ones change nothing. True while it moves.
    pub fn advance(&mut self, seconds: f32, events: usize, quiet: &[bool]) -> bool {
        let end = last_rest(events);
        self.position = self.position.clamp(0.0, end);
        if self.playing {
            // After a pause the first frame's time can be long: an animation must not jump.
            let mut left = seconds.min(0.1);
            while left > 0.0 && self.position < end {
                let pace = self.pace(events, quiet);
                let next = self.position.floor() + 1.0;
                let taken = ((next - self.position) / pace).min(left);
                self.position = if taken < left { next } else { self.position + taken * pace };
                left -= taken;
            }
            self.position = self.position.min(end);
            if self.looping && self.position >= end {
                self.position = 0.0;
            }
            self.playing = self.position < end;
        }
        self.playing
    }

    /// Events per second, at the one on the stage.
    fn pace(&self, events: usize, quiet: &[bool]) -> f32 {
        let quick = quiet.iter().filter(|quiet| **quiet).count();
        let usual = events.saturating_sub(quick) as f32 + quick as f32 * QUIET;
        let pace = self.speed * (usual / WHOLE).max(PACE);
        let is_quiet = self.event(events).and_then(|at| quiet.get(at)).is_some_and(|quiet| *quiet);
        if is_quiet { pace / QUIET } else { pace }
    }

    /// Where the picture is: on the way through an event, or at its end where they pass too quickly for that.
    #[must_use]
    pub fn shown(&self, events: usize, quiet: &[bool]) -> f32 {
        if self.playing && self.pace(events, quiet) > BLUR { self.position.floor() + REST } else { self.position }
    }

    /// To the end of the first of `stops` after the event on the stage, else of the last of `events`.
    pub fn next(&mut self, stops: &[usize], events: usize) {
        let here = self.event(events).unwrap_or(0);
        self.go_to(stops.iter().copied().find(|stop| *stop > here).unwrap_or(events.saturating_sub(1)));
    }

    /// To the end of the last of `stops` before the event on the stage, else of the first event.
    pub fn previous(&mut self, stops: &[usize], events: usize) {
        let here = self.event(events).unwrap_or(0);
        self.go_to(stops.iter().copied().rev().find(|stop| *stop < here).unwrap_or(0));
    }

    /// Plays or pauses; at the end it begins again.
    pub fn toggle(&mut self, events: usize) {
        if !self.playing && self.position >= last_rest(events) {
            self.position = 0.0;
        }
        self.playing = !self.playing && events > 0;
    }

    /// To the end of the next event.
    pub fn forward(&mut self, events: usize) {
        self.playing = false;
        // Short of its rest, the event on the stage comes to its end first.
        let next = if self.position.fract() < REST - 0.05 { 0.0 } else { 1.0 };
        self.position = (self.position.floor() + next + REST).min(last_rest(events));
    }

    /// To the end of the event before.
    pub fn back(&mut self) {
        self.playing = false;
        self.position = (self.position.floor() - 1.0).max(0.0) + REST;
    }

    /// To the end of event `index`.
    pub fn go_to(&mut self, index: usize) {
        self.playing = false;
        self.position = index as f32 + REST;
    }

    /// The event on the stage, from 0; none before the first.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and small")]
    pub fn event(&self, events: usize) -> Option<usize> {
        if events == 0 {
            return None;
        }
        Some((self.position.max(0.0) as usize).min(events - 1))
    }
}

/// The end of the last event.
#[expect(clippy::cast_precision_loss, reason = "a timeline has at most a few hundred thousand events")]
fn last_rest(events: usize) -> f32 {
    if events == 0 { 0.0 } else { (events - 1) as f32 + REST }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_at_the_end_and_starts_again() {
        let mut player = Player { position: 0.0, playing: true, speed: 4.0, looping: false };
        for _ in 0..100 {
            player.advance(0.1, 3, &[]);
        }
        assert_eq!((player.position, player.playing), (2.0 + REST, false));
        player.toggle(3);
        assert_eq!((player.position, player.playing), (0.0, true));
        player.toggle(3);
        assert!(!player.playing);
    }

    #[test]
    fn a_long_trace_takes_twelve_seconds_and_is_shown_event_by_event() {
        for events in [20, 1000, 50_000] {
            let mut player = Player { position: 0.0, playing: true, ..Player::default() };
            let mut seconds = 0.0;
            while player.advance(0.01, events, &[]) {
                seconds += 0.01;
            }
            assert!((10.0..14.0).contains(&seconds), "{events}: {seconds}");
        }
        let player = Player { position: 7.4, playing: true, ..Player::default() };
        assert_eq!((player.shown(1000, &[]), player.shown(10, &[])), (7.0 + REST, 7.4));
    }

    #[test]
    fn events_that_change_nothing_pass_quickly() {
        // Ten events, and after each of them eleven in which nothing changes.
        let quiet: Vec<bool> = (0..120).map(|at| at % 12 != 0).collect();
        let mut player = Player { position: 0.0, playing: true, ..Player::default() };
        let (mut seconds, mut loud) = (0.0, 0.0);
        while player.advance(0.01, 120, &quiet) {
            seconds += 0.01;
            loud += if quiet[player.event(120).unwrap_or_default()] { 0.0 } else { 0.01 };
        }
        assert!((11.0..14.0).contains(&seconds), "{seconds}");
        assert!(loud > 0.4 * seconds, "{loud} of {seconds}");
    }

    #[test]
    fn it_begins_again_when_it_loops() {
        let mut player = Player { position: 2.9, playing: true, looping: true, ..Player::default() };
        assert!(player.advance(0.1, 3, &[]));
        assert!(player.position < 0.1);
    }

    #[test]
    fn it_jumps_between_stops_and_to_the_ends() {
        let mut player = Player::default();
        let stops = [3, 7];
        for at in [3, 7, 9, 9] {
            player.next(&stops, 10);
            assert_eq!(player.event(10), Some(at));
        }
        for at in [7, 3, 0, 0] {
            player.previous(&stops, 10);
            assert_eq!(player.event(10), Some(at));
        }
    }

    #[test]
    fn steps_land_on_the_ends_of_events() {
        let mut player = Player { position: 1.4, ..Player::default() };
        assert_eq!(player.event(3), Some(1));
        player.forward(3);
        assert_eq!(player.position, 1.0 + REST);
        player.forward(3);
        assert_eq!((player.position, player.event(3)), (2.0 + REST, Some(2)));
        player.forward(3);
        assert_eq!(player.position, 2.0 + REST);
        player.back();
        assert_eq!((player.position, player.event(3)), (1.0 + REST, Some(1)));
        player.go_to(0);
        player.back();
        assert_eq!((player.position, player.event(3)), (REST, Some(0)));
        assert_eq!(player.event(0), None);
    }

    #[test]
    fn an_event_is_the_same_from_either_side() {
        // As many as a timeline keeps: a position must stay exact to the end.
        for events in [1, 2, 7, 100_000] {
            let mut player = Player::default();
            player.go_to(0);
            let mut forwards = vec![player.position];
            for _ in 1..events {
                player.forward(events);
                forwards.push(player.position);
            }
            for (index, position) in forwards.iter().enumerate().rev() {
                assert_eq!((player.position, player.event(events)), (*position, Some(index)));
                player.back();
            }
        }
    }

    #[test]
    fn a_long_pause_does_not_make_it_jump() {
        let mut player = Player { position: 0.0, playing: true, ..Player::default() };
        player.advance(60.0, 10, &[]);
        assert!(player.position < 0.5);
    }
}
