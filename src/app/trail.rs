//! Where the learner's settings have been on a curve.

/// The points that they have been at, of one curve at otherwise equal settings.
#[derive(Default)]
pub struct Trail {
    of: String,
    points: Vec<(f64, f64)>,
}

impl Trail {
    /// Adds a point of a curve; points of another are forgotten.
    pub fn visit(&mut self, of: String, point: Option<(f64, f64)>) {
        if self.of != of {
            (self.of, self.points) = (of, Vec::new());
        }
        if let Some(point) = point.filter(|point| !self.points.contains(point)) {
            // The newest figure of a setting replaces the older ones.
            self.points.retain(|(x, _)| *x != point.0);
            self.points.push(point);
        }
    }

    /// The points, in the order in which they were visited.
    #[must_use]
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_one_point_and_another_curve_begins_anew() {
        let mut trail = Trail::default();
        for point in [Some((1.0, 4.0)), Some((2.0, 8.0)), None, Some((2.0, 8.0)), Some((1.0, 5.0))] {
            trail.visit("stride".to_owned(), point);
        }
        assert_eq!(trail.points(), [(2.0, 8.0), (1.0, 5.0)]);
        trail.visit("block".to_owned(), Some((32.0, 1.0)));
        assert_eq!(trail.points(), [(32.0, 1.0)]);
    }
}
