//! Finds data races in the buffers of a launch whose workgroups may order each other by fences and atomics.
//! Workgroups run one after another, or take turns if one waits for another. Each access is checked in that order
//! against the vector clocks of its thread.
//!
//! A launch without releases needs none of this: nothing orders its workgroups, so it is enough to know which of them
//! touched a word ([`super::between`]).

use super::between::{Raced, Standing};
use super::deed::Conflict;
use super::fix::Fix;
use super::global::{Global, State};
use super::handed::{Handed, Passed};
use super::known::Known;
use super::order::Order;
use super::pair::Pair;
use super::parts::{strong_parts, touched};
use super::published::Published;
use super::word::{Far, Mark};
use super::{Access, Findings};

/// A warp accesses a buffer.
pub(super) fn access(
    global: &Global,
    access: &Access<'_>,
    (first, buffer): (u32, u16),
    mark: impl Fn(u32, u32, u32) -> Mark,
    order: &mut Order,
    known: &Known<'_>,
    findings: &mut Findings,
) {
    let mut state = global.state();
    let State { words, lists, published, handed, suspects } = &mut *state;
    let (block, memory, time) = (findings.workgroup, u32::from(buffer), order.now());
    let narrow = access.place.is_narrow();
    touched(access, known.grain, |lane, index| {
        let mark = mark(lane, access.value(lane, index * known.grain, known.grain), time);
        let by = Far { block, narrow, mark };
        let thread = order.thread(by.mark.lane.into());
        let of = |access: &Far| order.thread(access.mark.lane.into());
        let past = |access: &Far| match access.block == block {
            true => order.is_past(thread, of(access), access.mark.time),
            false => order.is_past_of(thread, access.block, of(access), access.mark.time),
        };
        let reach = |access: &Far| match access.block == block {
            true => u8::from(of(access).warp != thread.warp),
            false => 2,
        };
        let word = words.entry((memory, index)).or_default();
        let returns = |access: &Far| known.code.places[access.mark.site as usize].returns;
        let other = word.touch(by, (&mut *lists, (memory, index)), true, past, reach, returns);
        let line = access.place.line;
        if access.was.is_some()
            && !findings.is_contended(line)
            && word.is_contended(&by, (&mut *lists, (memory, index)), past)
        {
            findings.contend(line);
        }
        let Some(other) = other else { return };
        let is_between = other.access.block != block;
        if is_between && other.conflict != Conflict::Race {
            let standing = if other.conflict == Conflict::Word { Standing::Word } else { Standing::Value };
            let suspect = Raced { buffer, index, standing };
            if !suspects.contains(&suspect) {
                suspects.push(suspect);
            }
            return;
        }
        let fence = || missing_order(handed, published, known, order, ([&other.access, &by], (memory, index)));
        Pair { known, by, other: other.access, byte: index * known.grain }.report(other.conflict, fence, findings);
    });
    if !access.place.atomic {
        return;
    }
    for (lane, index, strong) in strong_parts(access, known.grain) {
        let word = (memory, index);
        published.access(word, order.thread(first + lane), strong, order);
        handed.add(word, Far { block, narrow, mark: mark(lane, 0, order.now()) });
    }
}

/// The change that would have ordered two accesses, if their threads handed a word over in between.
pub(super) fn missing_order(
    handed: &Handed,
    published: &Published,
    known: &Known<'_>,
    order: &Order,
    ([first, second], of): ([&Far; 2], (u32, u32)),
) -> Option<Fix> {
    let both = [first, second].map(|access| access.mark.lane);
    let left =
        both.into_iter().find(|lane| first.block == second.block && order.has_left(order.thread((*lane).into())));
    if let Some(left) = left {
        return Some(Fix::Left(left));
    }
    let passed = handed.passed(first, second, of)?;
    let Passed { word, given, taken } = passed;
    let within = first.block == second.block;
    let place = |mark: &Mark| &known.code.places[mark.site as usize];
    let [giver, taker, of_first] = [&given, &taken, &first.mark].map(|mark| order.thread(mark.lane.into()));
    if let Some(narrow) = [&given, &taken].into_iter().find(|mark| !within && !place(mark).sync.wide) {
        return Some(Fix::Scope(place(narrow).line));
    }
    let is_released = |thread| published.is_released(word, first.block, thread, first.mark.time);
    if given.lane != first.mark.lane && is_released(giver) && !is_released(of_first) {
        let (line, fence) = (place(&given).line, !place(&given).sync.releases);
        return Some(Fix::Meet { line, by: given.lane, before: true, fence });
    }
    if taken.lane != second.mark.lane && order.is_past_of(taker, first.block, of_first, first.mark.time) {
        return Some(Fix::Meet { line: place(&taken).line, by: taken.lane, before: false, fence: false });
    }
    let missing = match order.lacks_a_fence(taker, first.block, of_first, first.mark.time) {
        true => [false, true],
        false => [true, !order.has_fence_since(taker, taken.time)],
    };
    Some(passed.fence(known.code, within, missing))
}
