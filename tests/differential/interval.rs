//! Intervals of the results that WGSL allows: each operation of f32 takes intervals to the interval of everything that
//! an implementation may give, whichever way it rounds and whether or not it flushes subnormal numbers to zero.

/// Between two numbers, both included, or anything at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

/// Where WGSL promises nothing: beyond a domain, after an overflow, from what is not finite.
pub const ANYTHING: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

const LARGEST: f64 = f32::MAX as f64;
const LEAST_NORMAL: f64 = f32::MIN_POSITIVE as f64;

/// The distance between the two f32 around `x` that are nearest to each other.
fn ulp(x: f64) -> f64 {
    let x = x.abs().max(LEAST_NORMAL);
    // At a power of two the f32 below is nearer than the one above.
    let exponent = x.log2().floor() - f64::from(u8::from(x.log2().fract() == 0.0 && x > LEAST_NORMAL));
    (exponent - 23.0).exp2()
}

/// The f32 next to `x` on either side, or `x` itself where it is one.
fn neighbours(x: f64) -> (f64, f64) {
    let near = x as f32;
    let there = f64::from(near);
    let below = if there > x { f64::from(near.next_down()) } else { there };
    let above = if there < x { f64::from(near.next_up()) } else { there };
    (below, above)
}

impl Interval {
    /// A number given to an operation. What is not finite makes everything possible.
    pub fn of(x: f32) -> Self {
        Self::rounded(f64::from(x), f64::from(x))
    }

    /// The operations that return `x` in every implementation.
    pub fn exactly(x: f64) -> Self {
        Self { low: x, high: x }
    }

    /// Exact results from `low` to `high`, rounded either way to f32.
    pub fn rounded(low: f64, high: f64) -> Self {
        if !(low >= -LARGEST && high <= LARGEST && low <= high) {
            return ANYTHING;
        }
        let (mut low, mut high) = (neighbours(low).0, neighbours(high).1);
        // A subnormal number may become zero.
        if low < LEAST_NORMAL && high > 0.0 {
            low = low.min(0.0);
        }
        if high > -LEAST_NORMAL && low < 0.0 {
            high = high.max(0.0);
        }
        Self { low, high }
    }

    /// Whether an implementation may give `x`.
    pub fn allows(self, x: f64) -> bool {
        self == ANYTHING || (self.low..=self.high).contains(&x)
    }

    /// The largest magnitude in it.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Whether all of it lies between these.
    pub fn within(self, low: f64, high: f64) -> bool {
        self.low >= low && self.high <= high
    }

    /// Whether it holds a single number: an argument that is not subnormal is one.
    pub fn is_one_number(self) -> bool {
        self.low == self.high
    }

    /// Whether it begins at zero, and what of it lies above the subnormal numbers.
    pub fn zero_and_rest(self) -> (bool, Option<Self>) {
        let rest = Self { low: LEAST_NORMAL, high: self.high.max(LEAST_NORMAL) };
        (self.low == 0.0, (self.high > 0.0).then_some(rest))
    }

    /// The product in exact arithmetic.
    pub fn times_exactly(self, other: Self) -> Self {
        self.corners(other, |a, b| a * b)
    }

    /// Everything that `self` or `other` allows.
    pub fn or(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Wider by `error` on both sides.
    pub fn absolute(self, error: f64) -> Self {
        Self::rounded(self.low - error, self.high + error)
    }

    /// Wider by this many units in the last place.
    pub fn ulps(self, count: f64) -> Self {
        Self::rounded(self.low - count * ulp(self.low), self.high + count * ulp(self.high))
    }

    /// A function that only grows, or only falls, in exact arithmetic.
    pub fn monotone(self, f: impl Fn(f64) -> f64) -> Self {
        let (a, b) = (f(self.low), f(self.high));
        if self == ANYTHING || a.is_nan() || b.is_nan() { ANYTHING } else { Self { low: a.min(b), high: a.max(b) } }
    }

    /// A function of two numbers whose extremes lie in the corners, in exact arithmetic.
    fn corners(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let all = [f(self.low, other.low), f(self.low, other.high), f(self.high, other.low), f(self.high, other.high)];
        if self == ANYTHING || other == ANYTHING || all.iter().any(|x| !x.is_finite()) {
            return ANYTHING;
        }
        let extreme = |pick: fn(f64, f64) -> f64| all.into_iter().reduce(pick).unwrap_or(f64::NAN);
        Self { low: extreme(f64::min), high: extreme(f64::max) }
    }

    /// `self + other`, correctly rounded.
    pub fn plus(self, other: Self) -> Self {
        let sum = self.corners(other, |a, b| a + b);
        // Where f64 rounded the sum, the exact one is beside it.
        let exact = |a: f64, b: f64, s: f64| s - a == b && s - b == a;
        let low = if exact(self.low, other.low, sum.low) { sum.low } else { sum.low.next_down() };
        let high = if exact(self.high, other.high, sum.high) { sum.high } else { sum.high.next_up() };
        Self::rounded(low, high)
    }

    /// `-self`.
    pub fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }

    /// `self - other`, correctly rounded.
    pub fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    /// `self * other`, correctly rounded.
    pub fn times(self, other: Self) -> Self {
        let product = self.corners(other, |a, b| a * b);
        Self::rounded(product.low, product.high)
    }

    /// `self / other`: 2.5 ULP for divisors of magnitudes from 2⁻¹²⁶ to 2¹²⁶.
    pub fn over(self, other: Self) -> Self {
        let range = 126.0_f64;
        if !(other.within((-range).exp2(), range.exp2()) || other.within(-range.exp2(), -(-range).exp2())) {
            return ANYTHING;
        }
        self.corners(other, |a, b| a / b).ulps(2.5)
    }

    /// The smaller of the two.
    pub fn min(self, other: Self) -> Self {
        self.corners(other, f64::min)
    }

    /// The larger of the two.
    pub fn max(self, other: Self) -> Self {
        self.corners(other, f64::max)
    }

    /// The angle of the point (`x`, `self`) in exact arithmetic, where neither passes through zero.
    pub fn atan2(self, x: Self) -> Self {
        self.corners(x, f64::atan2)
    }

    /// 1 where `self <= other`, else 0, and both where that depends on what was flushed.
    pub fn at_most(self, other: Self) -> Self {
        if self == ANYTHING || other == ANYTHING {
            return ANYTHING;
        }
        Self { low: f64::from(u8::from(self.high <= other.low)), high: f64::from(u8::from(self.low <= other.high)) }
    }
}

/// The sum of `terms` in any order: each of its n - 1 additions is off by a unit in the last place of all magnitudes
/// together, at most.
pub fn sum(terms: &[Interval]) -> Interval {
    if let [a, b] = *terms {
        return a.plus(b);
    }
    let total = |pick: fn(&Interval) -> f64| terms.iter().map(pick).sum::<f64>();
    let slack = (terms.len() - 1) as f64 * ulp(total(|t| t.magnitude()));
    Interval::rounded(total(|t| t.low) - slack, total(|t| t.high) + slack)
}
