//! The date format of notes, recordings and the journal.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today's date in UTC, as YYYY-MM-DD.
#[must_use]
pub fn today() -> String {
    of(now())
}

/// Seconds since 1970 by the system's clock; 0 if that is set before.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// The date in UTC of some seconds since 1970; the first or the last one of this form if it is out of range.
#[must_use]
pub fn of(seconds: i64) -> String {
    u64::try_from(seconds).map_or_else(|_| day(0), day)
}

/// The day of some seconds since 1970; of those after the year 9999, which has no date of this form, the last one that
/// has.
fn day(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| time::OffsetDateTime::from_unix_timestamp(seconds).ok());
    time.map_or(time::Date::MAX, time::OffsetDateTime::date).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_clock_has_a_day() {
        let days = [0, 1_763_769_600, 253_402_300_799, 253_402_300_800, u64::MAX].map(day);
        assert_eq!(days, ["1970-01-01", "2025-11-22", "9999-12-31", "9999-12-31", "9999-12-31"]);
        assert_eq!([i64::MIN, 86_400, i64::MAX].map(of), ["1970-01-01", "1970-01-02", "9999-12-31"]);
    }
}
