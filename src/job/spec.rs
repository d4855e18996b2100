//! How to time a job.

use serde::{Deserialize, Serialize};

/// How long and in which state of the caches to measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureSpec {
    /// Cold: samples rotate among copies of the buffers that together exceed the last-level cache.
    pub cold: bool,
    /// Stop when the median's 95% confidence interval is this narrow, relative to the median.
    pub precision: f64,
    /// Stop after this many seconds of sampling in any case.
    pub budget_s: f64,
    /// Never fewer samples than this.
    pub min_samples: u32,
    /// Never more samples than this.
    pub max_samples: u32,
}

impl Default for MeasureSpec {
    fn default() -> Self {
        Self { cold: true, precision: 0.01, budget_s: 0.5, min_samples: 10, max_samples: 400 }
    }
}
