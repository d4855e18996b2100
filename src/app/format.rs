//! Words for states, as the window writes them.

use crate::trace::record::CacheState;

#[must_use]
pub fn cache(state: CacheState) -> &'static str {
    match state {
        CacheState::Cold => "cold",
        CacheState::Warm => "warm",
    }
}
