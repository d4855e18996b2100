//! When to ask again: FSRS-6, the Free Spaced Repetition Scheduler, with its published default weights.
//!
//! The source of the formulas and of the figures in the tests is the crate `fsrs` 6.6.2 (`src/model_v6.rs` in
//! github.com/open-spaced-repetition/fsrs-rs). That crate also trains weights, for which it needs matrices and threads;
//! this is its inference.

use serde::Serialize;

/// The default weights.
const W: [f64; 21] = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629,
    1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
];

/// Bounds of the stability, in days, and of the difficulty.
const STABILITY: (f64, f64) = (0.001, 36_500.0);
const DIFFICULTY: (f64, f64) = (1.0, 10.0);

/// How an answer was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rating {
    /// Wrong, or forgotten.
    Again = 1,
    /// Right, with much effort.
    Hard = 2,
    /// Right.
    Good = 3,
    /// Right at once.
    Easy = 4,
}

impl Rating {
    /// The rating of an answer that is right or wrong.
    #[must_use]
    pub fn of(right: bool) -> Self {
        if right { Self::Good } else { Self::Again }
    }

    fn number(self) -> f64 {
        f64::from(self as u8)
    }
}

/// The state of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Memory {
    /// Days until the chance to recall it is 90%.
    pub stability: f64,
    /// From 1 to 10.
    pub difficulty: f64,
}

impl Memory {
    /// The memory after the first answer.
    #[must_use]
    pub fn first(rating: Rating) -> Self {
        Self {
            stability: W[rating as usize - 1],
            difficulty: first_difficulty(rating.number()).clamp(DIFFICULTY.0, DIFFICULTY.1),
        }
    }

    /// The memory after another answer, some days after the one before. Days are rounded, as FSRS-6 does.
    #[must_use]
    pub fn after(self, days: f64, rating: Rating) -> Self {
        let days = days.max(0.0).round();
        let (s, r) = (self.stability, self.recall(days));
        let stability = match rating {
            _ if days == 0.0 => short_term(s, rating),
            Rating::Again => forgotten(s, self.difficulty, r),
            _ => recalled(s, self.difficulty, r, rating),
        };
        Self {
            stability: stability.clamp(STABILITY.0, STABILITY.1),
            difficulty: next_difficulty(self.difficulty, rating.number()).clamp(DIFFICULTY.0, DIFFICULTY.1),
        }
    }

    /// The chance to recall it after some days.
    #[must_use]
    pub fn recall(self, days: f64) -> f64 {
        let factor = 0.9_f64.powf(-1.0 / W[20]) - 1.0;
        (1.0 + factor * days.max(0.0) / self.stability).powf(-W[20])
    }
}

fn first_difficulty(rating: f64) -> f64 {
    W[4] - (W[5] * (rating - 1.0)).exp() + 1.0
}

fn next_difficulty(difficulty: f64, rating: f64) -> f64 {
    let moved = difficulty - W[6] * (rating - 3.0) * (10.0 - difficulty) / 9.0;
    W[7] * first_difficulty(4.0) + (1.0 - W[7]) * moved
}

fn recalled(s: f64, difficulty: f64, r: f64, rating: Rating) -> f64 {
    let by = match rating {
        Rating::Hard => W[15],
        Rating::Easy => W[16],
        Rating::Again | Rating::Good => 1.0,
    };
    s * (1.0 + W[8].exp() * (11.0 - difficulty) * s.powf(-W[9]) * ((W[10] * (1.0 - r)).exp() - 1.0) * by)
}

fn forgotten(s: f64, difficulty: f64, r: f64) -> f64 {
    let new = W[11] * difficulty.powf(-W[12]) * ((s + 1.0).powf(W[13]) - 1.0) * (W[14] * (1.0 - r)).exp();
    new.min(s / (W[17] * W[18]).exp())
}

/// The stability after another answer on the same day.
fn short_term(s: f64, rating: Rating) -> f64 {
    let grows = (W[17] * (rating.number() - 3.0 + W[18])).exp() * s.powf(-W[19]);
    s * if rating as u8 >= 2 { grows.max(1.0) } else { grows }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATINGS: [Rating; 4] = [Rating::Again, Rating::Hard, Rating::Good, Rating::Easy];

    fn near(found: f64, published: f64) {
        assert!((found - published).abs() <= 1e-5 * published.abs().max(1.0), "{found}, not {published}");
    }

    #[test]
    fn the_forgetting_curve_is_the_published_one() {
        let published = [
            (0.0, 1.0, 1.0),
            (1.0, 2.0, 0.9403443),
            (2.0, 3.0, 0.9253786),
            (3.0, 4.0, 0.9185229),
            (4.0, 4.0, 0.9),
            (5.0, 2.0, 0.8261359),
        ];
        for (days, stability, recall) in published {
            near(Memory { stability, difficulty: 5.0 }.recall(days), recall);
        }
    }

    #[test]
    fn two_answers_give_the_published_states() {
        let published = [
            (Rating::Again, 1.0, 0.10088589, 8.806304),
            (Rating::Hard, 1.0, 3.2494123, 6.7404594),
            (Rating::Good, 1.0, 7.3153, 2.1112142),
            (Rating::Easy, 1.0, 18.014914, 1.0),
            (Rating::Again, 2.0, 0.112798266, 8.806304),
            (Rating::Hard, 2.0, 4.4694576, 6.7404594),
        ];
        for (rating, days, stability, difficulty) in published {
            let memory = Memory::first(rating).after(days, rating);
            near(memory.stability, stability);
            near(memory.difficulty, difficulty);
        }
    }

    #[test]
    fn parts_are_the_published_ones() {
        let difficulties = [8.341763, 6.6659956, 4.990228, 3.3144615];
        let recall = [25.602541, 28.226582, 58.656002, 127.226685];
        let forget = [1.0525396, 1.1894329, 1.3680838, 1.584989];
        for (i, rating) in RATINGS.into_iter().enumerate() {
            near(next_difficulty(5.0, rating.number()), difficulties[i]);
            let (difficulty, r) = (rating.number(), 0.9 - 0.1 * (rating.number() - 1.0));
            near(recalled(5.0, difficulty, r, rating), recall[i]);
            near(forgotten(5.0, difficulty, r), forget[i]);
        }
    }

    #[test]
    fn any_clock_gives_a_finite_memory() {
        for days in [f64::MIN, -1.0, 0.0, 1e9, f64::MAX, f64::INFINITY] {
            let memory = RATINGS.iter().fold(Memory::first(Rating::Good), |memory, rating| memory.after(days, *rating));
            assert!(memory.stability.is_finite() && memory.difficulty.is_finite(), "{days}: {memory:?}");
        }
    }
}
