//! How the values of a buffer are spread: how many elements lie in each of some even intervals, their mean and standard deviation.

use super::buffer::is_written;
use super::contents::looked_at;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, NO_BUFFER, View};
use super::frame::{Frame, Tag};
use super::kit::axis::{nice, trimmed};
use super::kit::{Board, Columns};
use super::palette::Ink;
use super::results::Missing;
use crate::base::tensor::Tensor;
use crate::base::units::{count, counted, digits3};

/// The range is divided into this many intervals at most, rounded to a width that reads well.
const INTERVALS: f64 = 24.0;

static CARD: Card = Card {
    name: "Values",
    tab: "Values",
    help: "How a buffer's values are spread: a histogram, with their mean and standard deviation",
    about: "how a buffer's values are spread after the pass",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "any pass",
    args: &[Arg::optional("buffer", ArgKind::Buffer, "the buffer at first; the one that the pass writes if left out")],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn film(&self, view: &View<'_>) -> Result<Vec<String>, Missing> {
        looked_at(view).map(|name| name.into_iter().collect())
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        let (reel, moment) = view.reel(&Fig)?;
        let buffer = reel.buffers.first().ok_or(NO_BUFFER)?;
        let tensor = reel.after(&buffer.name, moment.settled()).ok_or(NO_BUFFER)?;
        let title = format!("{} {}", buffer.name, reel.when(moment.settled()));
        Ok(drawn(view, &title, &Spread::of(tensor), buffer.count))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Word { index, .. } = tag else { return None };
        let (reel, moment) = view.reel(&Fig).ok()?;
        let spread = Spread::of(reel.after(&reel.buffers.first()?.name, moment.settled())?);
        let (at, found) = (usize::try_from(index).ok()?, *spread.counts.get(usize::try_from(index).ok()?)?);
        let [from, to] = [-0.5, 0.5].map(|half| spelled(spread.middle(at) + half * spread.width));
        match spread.is_whole && spread.width == 1.0 {
            true => Some(format!("{} {}", counted(found, "value"), spelled(spread.middle(at)))),
            false => Some(format!("{} from {from} to less than {to}", counted(found, "value"))),
        }
    }
}

/// Values by interval. An interval's middle is a multiple of its width.
#[derive(Debug, Default, PartialEq)]
struct Spread {
    counts: Vec<u64>,
    /// The first interval's middle, in widths.
    first: f64,
    width: f64,
    /// Whether all values are whole numbers.
    is_whole: bool,
    least: f64,
    most: f64,
    mean: f64,
    deviation: f64,
    /// Finite values.
    finite: u64,
    /// Values that are infinite or no number.
    not_finite: u64,
    /// Elements that nothing wrote.
    unwritten: u64,
}

impl Spread {
    fn of(tensor: &Tensor) -> Self {
        let written = || (0..tensor.len()).filter(|i| is_written(tensor, *i)).map(|i| tensor.get(i));
        let values: Vec<f64> = written().filter(|value| value.is_finite()).collect();
        let (finite, all) = (values.len() as u64, written().count() as u64);
        let rest = Self { finite, not_finite: all - finite, unwritten: tensor.len() as u64 - all, ..Self::default() };
        if values.is_empty() {
            return rest;
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_whole = values.iter().all(|value| value.fract() == 0.0);
        let step = (most - least) / INTERVALS;
        let width = match is_whole {
            true => nice(step.max(1.0)).max(1.0),
            false if step > 0.0 => nice(step),
            // All are one fraction.
            false => least.abs(),
        };
        let interval = |value: f64| (value / width).round();
        let first = interval(least);
        let mut counts = vec![0; (interval(most) - first) as usize + 1];
        values.iter().for_each(|value| counts[(interval(*value) - first) as usize] += 1);
        let mean = values.iter().sum::<f64>() / finite as f64;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / finite as f64).sqrt();
        Self { counts, first, width, is_whole, least, most, mean, deviation, ..rest }
    }

    /// The middle of an interval.
    fn middle(&self, interval: usize) -> f64 {
        (self.first + interval as f64) * self.width
    }

    fn in_words(&self, count_of_all: u64) -> String {
        let values = match self.finite + self.not_finite + self.unwritten {
            known if known < count_of_all => format!("the first {} of {} values", count(known), count(count_of_all)),
            known => counted(known, "value"),
        };
        let spread = format!(
            ", from {} to {}, mean {}, standard deviation {}",
            spelled(self.least),
            spelled(self.most),
            spelled(self.mean),
            digits3(self.deviation)
        );
        let rest = [(self.not_finite, "infinite or no number"), (self.unwritten, "not written")];
        let rest = rest.into_iter().filter(|(found, _)| *found > 0);
        let rest: String = rest.map(|(found, which)| format!(", {} {which}", count(found))).collect();
        values + &if self.finite > 0 { spread } else { String::new() } + &rest
    }
}

/// Three digits, with a minus sign.
fn spelled(value: f64) -> String {
    format!("{}{}", if value < 0.0 { "−" } else { "" }, trimmed(value.abs()))
}

fn drawn(view: &View<'_>, title: &str, spread: &Spread, count_of_all: u64) -> Frame {
    let mut board = Board::new(view.size);
    board.title(view.titled, title);
    let words = spread.in_words(count_of_all);
    board.caption(&words);
    if spread.width != 1.0 && spread.finite > 0 {
        board.footer(&format!("value: the middle of each interval, which is {} wide", spelled(spread.width)));
    } else {
        board.footer("value");
    }
    let room = board.room();
    Columns::bars(&mut board.frame, room, &spread.counts, Ink::Load, |interval| spelled(spread.middle(interval)));
    board.finish(format!("{title}: {words}."))
}

#[cfg(test)]
mod tests {
    use super::super::ask;
    use super::super::fixtures::{assert_tidy, built, drawn, numbered, picture_of, reel_of};
    use super::*;
    use crate::base::tensor::Elem;
    use crate::lesson::ArgValue;

    fn spread(values: &[f32]) -> Spread {
        Spread::of(&Tensor::from_numbers(Elem::F32, values.iter().copied().map(f64::from)))
    }

    #[test]
    fn intervals_lie_around_multiples_of_a_round_width() {
        let found = spread(&[-1.2, -0.04, 0.04, 0.06, 1.19, f32::NAN, f32::INFINITY]);
        assert_eq!((found.width, found.first, found.counts.len()), (0.1, -12.0, 25));
        assert_eq!((found.counts[12], found.counts[13], found.not_finite), (2, 1, 2));
        assert_eq!((found.counts.iter().sum::<u64>(), found.finite), (5, 5));
        assert!((found.mean - 0.01).abs() < 1e-7, "{}", found.mean);
    }

    #[test]
    fn whole_numbers_have_an_interval_each_as_long_as_there_is_room() {
        assert_eq!((spread(&[3.0, 5.0, 3.0]).counts, spread(&[3.0, 5.0]).width), (vec![2, 0, 1], 1.0));
        let wide = spread(&[0.0, 100.0]);
        assert_eq!((wide.width, wide.counts.len()), (5.0, 21));
    }

    #[test]
    fn equal_values_and_none_are_spreads_too() {
        assert_eq!((spread(&[0.3; 4]).counts, spread(&[0.0]).counts), (vec![4], vec![1]));
        assert_eq!(spread(&[f32::NAN]).in_words(1), "1 value, 1 infinite or no number");
        assert_eq!(spread(&[]).counts, Vec::<u64>::new());
    }

    #[test]
    fn the_picture_keeps_to_its_room() {
        let reel = reel_of(&[("picks", 0, &[0, 2, 1, 2, 0, 2, 99])]);
        let picture = picture_of("Values", &[("buffer", ArgValue::Text("picks".to_owned()))]);
        let film = ask::Film(vec!["picks".to_owned()]);
        let results = numbered(&[]).with(ask::Build, built("picks")).with(film, reel);
        for size in [[320.0, 160.0], [420.0, 220.0], [690.0, 300.0], [1400.0, 700.0]] {
            let view = View { position: 1.0, ..View::still(&results, &picture, size) };
            let frame = drawn(&Fig, &view, &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            assert!(frame.alt.contains("7 values, from 0 to 99, mean 15.1"), "{}", frame.alt);
        }
    }
}
