//! The launches of a round one after another, each as wide as it takes, with the gaps between them; below, the sums by kernel.

use super::answers::{LaunchTime, Launches};
use super::ask;
use super::figure::{Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Key, MARGIN, Rows};
use super::palette::Ink;
use super::results::Missing;
use super::text;
use crate::base::units::{count, digits3, si};
use crate::device::Bound;

/// The least and the greatest distance between two rows.
const PITCH: [f32; 2] = [18.0, 30.0];
/// Height of a track, with its name.
const TRACK: f32 = 42.0;
/// Height of its bars.
const BAR: f32 = 18.0;
/// Size of the words on a row.
const SIZE: f32 = 12.0;
/// Time in which no thread runs.
const GAP: Ink = Ink::Conflict;

static CARD: Card = Card {
    name: "Launches",
    tab: "Launches",
    help: "The launches of a program's round one after another, as wide as they take, with the gaps between them",
    about: "the launches of a round, one after another",
    clock: Clock::Still,
    fits: |facts| facts.traced && facts.series,
    needs: "a program that can be traced and that records a series",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        view.ask(ask::Launches).map(|known| drawn(view.size, known))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let known = view.ask(ask::Launches).ok()?;
        match tag {
            Tag::Spot(i) => known.launches.get(i).map(|launch| {
                let LaunchTime { pass, gap_s, busy_s, .. } = launch;
                format!("{pass}\n{} busy, after a gap of {}", si(*busy_s, "s"), si(*gap_s, "s"))
            }),
            _ => None,
        }
    }
}

/// The colour of what bounds a launch's threads.
fn ink(bound: Option<Bound>) -> Ink {
    match bound {
        Some(Bound::Bytes | Bound::L2 | Bound::L1) => Ink::Series(0),
        Some(Bound::Instructions | Bound::Matrix | Bound::SharedMemory) => Ink::Series(2),
        _ => Ink::Series(3),
    }
}

/// A way to launch them: its name, and the gap before a launch.
type Track<'a> = (String, &'a dyn Fn(&LaunchTime) -> f64);

fn launches_of(number: u64) -> String {
    if number == 1 { "1 launch".to_owned() } else { format!("{} launches", count(number)) }
}

/// All launches of a kernel.
struct Sum<'a> {
    kernel: &'a str,
    launches: u64,
    gaps_s: f64,
    busy_s: f64,
    bound: Option<Bound>,
}

fn sums(launches: &[LaunchTime]) -> Vec<Sum<'_>> {
    let mut sums: Vec<Sum<'_>> = Vec::new();
    for LaunchTime { kernel, gap_s, busy_s, bound, .. } in launches {
        let known = match sums.iter().position(|sum| *sum.kernel == **kernel) {
            Some(known) => known,
            None => {
                sums.push(Sum { kernel, launches: 0, gaps_s: 0.0, busy_s: 0.0, bound: *bound });
                sums.len() - 1
            }
        };
        sums[known].launches += 1;
        sums[known].gaps_s += gap_s;
        sums[known].busy_s += busy_s;
    }
    sums.sort_by(|a, b| (b.gaps_s + b.busy_s).total_cmp(&(a.gaps_s + a.busy_s)));
    sums
}

fn drawn(size: [f32; 2], known: &Launches) -> Frame {
    let mut board = Board::new(size);
    let busy_s: f64 = known.launches.iter().map(|launch| launch.busy_s).sum();
    let in_graph = |launch: &LaunchTime| launch.gap_s;
    let hosted = |launch: &LaunchTime| known.hosted_s.map_or(0.0, |each| (each - launch.busy_s).max(launch.gap_s));
    let mut tracks: Vec<Track<'_>> = vec![("in one graph".to_owned(), &in_graph)];
    if known.hosted_s.is_some() {
        tracks.insert(0, ("launched one by one".to_owned(), &hosted));
    }
    let all = known.launches.len() as u64;
    board.caption(&format!(
        "Predicted for {}: {}. Threads run for {} of the time.",
        known.device,
        launches_of(all),
        si(busy_s, "s")
    ));
    board.legend(&[
        Key::new(GAP, "gap: no thread runs"),
        Key::new(Ink::Series(0), "bound by memory"),
        Key::new(Ink::Series(2), "bound by arithmetic"),
        Key::new(Ink::Series(3), "bound by waiting"),
    ]);
    let whole: Vec<f64> = tracks.iter().map(|(_, gap)| known.launches.iter().map(gap).sum::<f64>() + busy_s).collect();
    let longest = whole.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let room = board.room();
    let wide = room.wide();
    let mut said = Vec::new();
    for (i, (name, gap)) in tracks.iter().enumerate() {
        let top = room.top + TRACK * i as f32;
        let share = digits3(100.0 * (1.0 - busy_s / whole[i]));
        let words = format!("{name}: {}, {share} % of it gaps", si(whole[i], "s"));
        board.frame.fitted([room.left, top + 8.0], SIZE, Anchor::Start, Ink::Text, wide, &words);
        said.push(words);
        let mut at = 0.0;
        let x = |seconds: f64| room.left + (seconds / longest) as f32 * wide;
        for (place, launch) in known.launches.iter().enumerate() {
            let (from, begin) = (at, at + gap(launch));
            at = begin + launch.busy_s;
            let tag = Some(Tag::Spot(place));
            let mut bar = |from: f64, to: f64, ink: Ink| {
                board.frame.fill([x(from), top + 18.0, (x(to) - x(from)).max(0.5), BAR], 0.0, ink, tag);
            };
            bar(from, begin, GAP);
            bar(begin, at, ink(launch.bound));
        }
    }
    let below = room.within([TRACK * tracks.len() as f32 + 22.0, 0.0]);
    let heading = [room.left, below.top - 12.0];
    board.frame.fitted(heading, SIZE, Anchor::Start, Ink::Muted, wide, "The launches in one graph, by kernel:");
    let sums = sums(&known.launches);
    let mut rows = Rows::new(below, sums.len(), PITCH);
    rows.names(&mut board.frame, "kernel", |row| sums[row].kernel.to_owned());
    let most = sums.iter().map(|sum| sum.gaps_s + sum.busy_s).fold(f64::MIN_POSITIVE, f64::max);
    let long = |seconds: f64| (seconds / most) as f32 * (rows.right - rows.left) * 0.55;
    for (row, Sum { kernel, launches, gaps_s, busy_s, bound }) in sums.iter().enumerate().take(rows.shown) {
        let [left, top, _, high] = rows.rect(row);
        board.frame.fill([left, top, long(*gaps_s), high], 0.0, GAP, None);
        board.frame.fill([left + long(*gaps_s), top, long(*busy_s).max(0.5), high], 0.0, ink(*bound), None);
        let words = format!("{}, {}", si(gaps_s + busy_s, "s"), launches_of(*launches));
        let at = [left + long(gaps_s + busy_s) + 8.0, rows.middle(row)];
        let room = (size[0] - MARGIN - at[0]).max(1.0);
        board.frame.fitted(at, SIZE, Anchor::Start, Ink::Text, room, &text::fit(&words, SIZE, false, room));
        said.push(format!("{kernel}: {words}"));
    }
    board.finish(format!("{}.", said.join(". ")))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, numbered, picture_of};
    use super::*;

    fn launch(kernel: &str, busy_s: f64) -> LaunchTime {
        let bound = Some(Bound::L2);
        LaunchTime { pass: format!("{kernel}, once").into(), kernel: kernel.into(), gap_s: 1e-6, busy_s, bound }
    }

    #[test]
    fn gaps_of_the_host_are_what_a_kernel_does_not_fill_and_sums_are_by_kernel() {
        let launches = vec![launch("product", 1e-6), launch("norm", 5e-6), launch("product", 2e-6)];
        let known = Launches { device: "H200".to_owned(), launches, hosted_s: Some(3e-6) };
        let all: Vec<(&str, u64)> = sums(&known.launches).iter().map(|sum| (sum.kernel, sum.launches)).collect();
        assert_eq!(all, [("norm", 1), ("product", 2)]);
        let results = numbered(&[]).with(ask::Launches, known);
        let picture = picture_of("Launches", &[]);
        for size in [[420.0, 260.0], [900.0, 600.0]] {
            let frame = drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default());
            assert_tidy(&frame, "launches");
            // 8 µs of threads: gaps of 2, 1 and 1 µs by the host, and of 1 µs each in a graph.
            assert!(
                frame.alt.starts_with("launched one by one: 12.0 µs, 33.3 % of it gaps. in one graph: 11.0 µs"),
                "{}",
                frame.alt
            );
        }
    }
}
