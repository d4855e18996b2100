//! The values that a parameter can take, for controls and for checks. All are whole numbers.

use super::model::Domain;

/// Whole numbers beyond this are not exact in an f64.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Domain {
    /// Checks that this is a valid domain.
    ///
    /// # Errors
    /// A sentence without its full stop: bounds that are not whole, out of order or not powers of two, or an empty
    /// choice.
    pub fn validate(&self) -> Result<(), String> {
        let numbers = match self {
            Self::Range { min, max } | Self::PowersOfTwo { min, max } => vec![*min, *max],
            Self::Choice(values) => values.clone(),
        };
        if let Some(odd) = numbers.iter().find(|v| v.fract() != 0.0 || v.abs() > EXACT) {
            return Err(format!("{odd} is not a whole number that can be told from its neighbours"));
        }
        match self {
            Self::Range { min, max } | Self::PowersOfTwo { min, max } if min > max => {
                Err(format!("the least value, {min}, is above the greatest, {max}"))
            }
            Self::PowersOfTwo { min, max } => match [min, max].into_iter().find(|v| !is_power_of_two(**v)) {
                Some(odd) => Err(format!("{odd} is not a power of two")),
                None => Ok(()),
            },
            Self::Choice(values) if values.is_empty() => Err("there is nothing to choose from".to_owned()),
            Self::Choice(values) => match values.iter().enumerate().find(|(i, v)| values[..*i].contains(v)) {
                Some((_, twice)) => Err(format!("{twice} is listed twice")),
                None => Ok(()),
            },
            Self::Range { .. } => Ok(()),
        }
    }

    /// Whether the parameter can be `value`.
    #[must_use]
    pub fn accepts(&self, value: f64) -> bool {
        match self {
            Self::Range { min, max } => value.fract() == 0.0 && (*min..=*max).contains(&value),
            Self::PowersOfTwo { min, max } => is_power_of_two(value) && (*min..=*max).contains(&value),
            Self::Choice(values) => values.contains(&value),
        }
    }

    /// The number of values.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, not negative, at most 2^54")]
    pub fn len(&self) -> usize {
        match self {
            Self::Range { min, max } => (max - min + 1.0).max(0.0) as usize,
            Self::PowersOfTwo { min, max } => (max.log2() - min.log2() + 1.0).max(0.0) as usize,
            Self::Choice(values) => values.len(),
        }
    }

    /// Whether there are no values; a domain that [validates](Self::validate) has at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `index` in order, so that a control can step through them.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "at most 2^54, and exact below 2^53")]
    pub fn nth(&self, index: usize) -> Option<f64> {
        if index >= self.len() {
            return None;
        }
        match self {
            Self::Range { min, .. } => Some(min + index as f64),
            Self::PowersOfTwo { min, .. } => Some(min * (index as f64).exp2()),
            Self::Choice(values) => values.get(index).copied(),
        }
    }

    /// The index of the value nearest to `value`; the first of two equally near ones.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the domain just before")]
    pub fn index_of(&self, value: f64) -> usize {
        let value = if value.is_nan() { 0.0 } else { value };
        match self {
            Self::Range { min, max } => (value.clamp(*min, max.max(*min)) - min).round() as usize,
            Self::PowersOfTwo { .. } | Self::Choice(_) => {
                let distance = |index: &usize| self.nth(*index).map_or(f64::INFINITY, |v| (v - value).abs());
                (0..self.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
            }
        }
    }

    /// All values in order.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.len()).map_while(|index| self.nth(index))
    }

    /// The value nearest to `value`.
    #[must_use]
    pub fn clamp(&self, value: f64) -> f64 {
        self.nth(self.index_of(value)).unwrap_or(value)
    }

    /// The nearest value below `value` and the nearest above it for which `is_good`. Of a long domain only the nearest
    /// few thousand are asked.
    #[must_use]
    pub fn neighbours(&self, value: f64, is_good: impl Fn(f64) -> bool) -> [Option<f64>; 2] {
        const MOST: usize = 4096;
        let sorted = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values
        };
        let near = match self {
            Self::Choice(values) => sorted(values.clone()),
            Self::Range { .. } | Self::PowersOfTwo { .. } => {
                let at = self.index_of(value);
                (at.saturating_sub(MOST)..=at.saturating_add(MOST)).map_while(|index| self.nth(index)).collect()
            }
        };
        let below = near.iter().rev().copied().filter(|near| *near < value).find(|near| is_good(*near));
        let above = near.iter().copied().filter(|near| *near > value).find(|near| is_good(*near));
        [below, above]
    }

    /// The values it takes, in words, with those that are nearest to one that it does not take.
    #[must_use]
    pub fn advice(&self, value: f64) -> String {
        let near = self.neighbours(value, |_| true).into_iter().flatten().map(|near| near.to_string());
        let near: Vec<String> = near.collect();
        let is_listed = matches!(self, Self::Choice(_)) || near.is_empty();
        let nearest = if is_listed { String::new() } else { format!("; next to {value}: {}", near.join(" and ")) };
        format!("it takes {}{nearest}", self.describe())
    }

    /// The domain in words: "a power of two from 32 to 1024".
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Range { min, max } => format!("a whole number from {min} to {max}"),
            Self::PowersOfTwo { min, max } => format!("a power of two from {min} to {max}"),
            Self::Choice(values) => {
                format!("one of {}", values.iter().map(f64::to_string).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

fn is_power_of_two(value: f64) -> bool {
    value >= 1.0 && value.log2().fract() == 0.0 && value.log2().exp2() == value
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Domain = Domain::Range { min: 1.0, max: 32.0 };
    const POWERS: Domain = Domain::PowersOfTwo { min: 1024.0, max: 67_108_864.0 };

    #[test]
    fn what_is_accepted() {
        assert!(RANGE.accepts(1.0) && RANGE.accepts(32.0) && !RANGE.accepts(33.0) && !RANGE.accepts(1.5));
        assert!(POWERS.accepts(2048.0) && !POWERS.accepts(3000.0) && !POWERS.accepts(512.0) && !POWERS.accepts(-1.0));
        let choice = Domain::Choice(vec![64.0, 32.0]);
        assert!(choice.accepts(32.0) && !choice.accepts(48.0) && !choice.accepts(f64::NAN));
    }

    #[test]
    fn controls_walk_the_values() {
        assert_eq!(POWERS.len(), 17);
        assert_eq!(POWERS.values().last(), Some(67_108_864.0));
        assert_eq!(POWERS.clamp(3100.0), 4096.0);
        assert_eq!(RANGE.clamp(99.0), 32.0);
        assert_eq!(RANGE.clamp(f64::NEG_INFINITY), 1.0);
        let choice = Domain::Choice(vec![64.0, 32.0, 128.0]);
        assert_eq!(choice.values().collect::<Vec<_>>(), [64.0, 32.0, 128.0]);
        assert!(POWERS.values().chain(RANGE.values()).all(|v| POWERS.accepts(v) || RANGE.accepts(v)));
    }

    #[test]
    fn what_is_refused_has_neighbours() {
        assert_eq!(POWERS.advice(3000.0), "it takes a power of two from 1024 to 67108864; next to 3000: 2048 and 4096");
        assert_eq!(RANGE.advice(99.0), "it takes a whole number from 1 to 32; next to 99: 32");
        assert_eq!(RANGE.advice(2.5), "it takes a whole number from 1 to 32; next to 2.5: 2 and 3");
        assert_eq!(RANGE.neighbours(12.0, |value| value % 5.0 == 0.0), [Some(10.0), Some(15.0)]);
        let choice = Domain::Choice(vec![64.0, 32.0, 128.0]);
        assert_eq!(choice.neighbours(48.0, |_| true), [Some(32.0), Some(64.0)]);
        assert_eq!(choice.advice(1.0), "it takes one of 64, 32, 128");
    }

    #[test]
    fn bad_domains_say_why() {
        for (domain, why) in [
            (Domain::Range { min: 2.0, max: 1.0 }, "above"),
            (Domain::Range { min: 0.5, max: 1.0 }, "whole"),
            (Domain::PowersOfTwo { min: 1.0, max: 10.0 }, "10 is not a power"),
            (Domain::PowersOfTwo { min: 0.0, max: 8.0 }, "0 is not a power"),
            (Domain::Choice(vec![]), "nothing"),
            (Domain::Choice(vec![1.0, 2.0, 1.0]), "twice"),
            (Domain::Choice(vec![f64::INFINITY]), "whole"),
        ] {
            assert!(domain.validate().is_err_and(|e| e.contains(why)), "{domain:?}");
        }
        assert_eq!(RANGE.validate(), Ok(()));
        assert_eq!(POWERS.validate(), Ok(()));
    }
}
