//! Timing options of a job: cache state, precision and time limit.

use serde::{Deserialize, Serialize};

/// Duration of a measurement, and the state of the caches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureSpec {
    /// Cold: samples rotate among copies of the buffers that together exceed the last-level cache.
    pub cold: bool,
    /// Stop when the median's 95% confidence interval is this narrow, relative to the median.
    pub precision: f64,
    /// Always stop after this many seconds of sampling.
    pub budget_s: f64,
    /// The minimum number of samples.
    pub min_samples: u32,
    /// The maximum number of samples.
    pub max_samples: u32,
}

impl Default for MeasureSpec {
    fn default() -> Self {
        Self { cold: true, precision: 0.01, budget_s: 0.5, min_samples: 10, max_samples: 400 }
    }
}
