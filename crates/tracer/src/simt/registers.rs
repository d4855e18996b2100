//! Register allocation: a linear scan, so that a warp's registers fit in the CPU's caches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::code::{Code, Mention};

/// The stretch of operations during which a register's value matters.
#[derive(Clone, Copy)]
struct Span {
    reg: u32,
    first: u32,
    last: u32,
}

/// Renumbers the registers of `code`. Those with given values keep theirs, which come first.
pub fn allocate(code: &mut Code) {
    let mut ops = std::mem::take(&mut code.ops);
    let mut scalars: Vec<Option<Span>> = vec![None; code.scalars as usize];
    let mut vectors: Vec<Option<Span>> = vec![None; code.vectors as usize];
    for (i, op) in (0..).zip(&mut ops) {
        op.mentions(&mut code.places, &mut code.collectives, &mut |mention| {
            // An unused result still takes its register while it is written.
            let (spans, reg, last) = match mention {
                Mention::ReadOne(r) => (&mut scalars, *r, i),
                Mention::WriteOne(r) => (&mut scalars, *r, i + 1),
                Mention::Read(r) => (&mut vectors, *r, i),
                Mention::Write(r) => (&mut vectors, *r, i + 1),
            };
            let span = spans[reg as usize].get_or_insert(Span { reg, first: i, last });
            span.last = span.last.max(last);
        });
    }
    let given = (code.given_scalars.len(), code.given_vectors.len());
    let (scalar_map, scalar_count) = scan(scalars, given.0, &code.loops);
    let (vector_map, vector_count) = scan(vectors, given.1, &code.loops);
    for op in &mut ops {
        op.mentions(&mut code.places, &mut code.collectives, &mut |mention| match mention {
            Mention::ReadOne(r) | Mention::WriteOne(r) => *r = scalar_map[*r as usize],
            Mention::Read(r) | Mention::Write(r) => *r = vector_map[*r as usize],
        });
    }
    code.ops = ops;
    code.scalars = scalar_count;
    code.vectors = vector_count;
}

fn scan(spans: Vec<Option<Span>>, given: usize, loops: &[(u32, u32)]) -> (Vec<u32>, u32) {
    let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
    let mut map: Vec<u32> = (0..number(spans.len())).collect();
    let mut waiting: Vec<Span> = spans.into_iter().skip(given).flatten().collect();
    for span in &mut waiting {
        // A value that is read in a loop but written before it must last through all its rounds.
        for (start, end) in loops {
            if span.first < *start && (*start..=*end).contains(&span.last) {
                span.last = *end;
            }
        }
    }
    waiting.sort_by_key(|span| span.first);
    let mut count = number(given);
    // The spans that go on, by their ends.
    let mut active: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let mut free: Vec<u32> = Vec::new();
    for span in waiting {
        while let Some(Reverse((_, reg))) = active.peek().copied().filter(|Reverse((last, _))| *last <= span.first) {
            active.pop();
            free.push(map[reg as usize]);
        }
        map[span.reg as usize] = free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        });
        active.push(Reverse((span.last, span.reg)));
    }
    (map, count)
}
