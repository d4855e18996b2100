//! Predicates on a whole buffer, for results whose order is free or only partly determined.

use std::collections::HashMap;

use super::check::Seen;
use super::compare::Outcome;
use super::formula::{self, Allowance, Around, Stop};
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::base::units::number;
use crate::job::Predicate;

/// Whether a predicate holds for the first `count` elements of `output`; `content` gives the buffers that it needs. A
/// sum may differ by `tolerance` times the sum of its terms' magnitudes.
///
/// # Errors
/// Where a formula has no value, takes too long or is cancelled.
pub(super) fn holds<'a>(
    predicate: &'a Predicate,
    (output, count): (&'a Tensor, usize),
    tolerance: f64,
    content: &dyn Fn(usize, bool) -> Result<&'a Tensor, Diagnostic>,
    seen: &'a Seen<'_>,
    allowance: &mut Allowance<'_>,
) -> Result<Outcome, Stop> {
    let mut found = Outcome { elements: count, total: count, ..Outcome::default() };
    found.told = match predicate {
        Predicate::Every(formula) => {
            let around = Around::new(formula, content, seen.round).map_err(Stop::Over)?;
            let chosen = formula::chosen(&around, around.count(), allowance);
            (found.elements, found.total) = (chosen.len(), around.count());
            broken((&around, &chosen), output, allowance)?
        }
        Predicate::SortedBy(formula) => {
            let around = Around::new(formula, content, seen.round).map_err(Stop::Over)?;
            (found.elements, found.total) = (around.count(), around.count());
            unsorted(&around, allowance)?
        }
        Predicate::Permutation(of) | Predicate::EqualSets(of) => {
            let sets = matches!(predicate, Predicate::EqualSets(_));
            let wanted = &seen.buffers[*of];
            let has = usize::try_from(wanted.count).unwrap_or(usize::MAX);
            differs((output, count), (content(*of, true).map_err(Stop::Over)?, has), &wanted.name, sets)
        }
        Predicate::SumsTo(wanted) => {
            let (sum, size) = (0..count).fold((0.0, 0.0), |(sum, size): (f64, f64), i| {
                let value = output.get(i);
                (sum + value, size + value.abs())
            });
            let error = (sum - wanted).abs() / size.max(wanted.abs()).max(f64::MIN_POSITIVE);
            found.worst.error = if error.is_nan() { f64::INFINITY } else { error };
            (found.worst.error > tolerance)
                .then(|| format!("its elements add up to {}, and should to {}", number(sum), number(*wanted)))
        }
    };
    if found.told.is_some() && found.worst.error == 0.0 {
        found.worst.error = f64::INFINITY;
    }
    Ok(found)
}

/// The first of the chosen elements for which a formula is 0.
fn broken(
    (around, chosen): (&Around<'_>, &[usize]),
    output: &Tensor,
    allowance: &mut Allowance<'_>,
) -> Result<Option<String>, Stop> {
    let least = |a: Option<usize>, b: Option<usize>| [a, b].into_iter().flatten().min();
    let see = |first: &mut Option<usize>, i: usize, value: f64| {
        if value == 0.0 {
            *first = least(*first, Some(i));
        }
    };
    let first = around.find(chosen, allowance, &None, &see, least)?;
    Ok(first.map(|i| {
        let value = if i < output.len() { format!(" ({})", number(output.get(i))) } else { String::new() };
        format!("element {i}{value} does not meet its condition")
    }))
}

/// The first element whose formula is less than that of the element before.
fn unsorted(around: &Around<'_>, allowance: &mut Allowance<'_>) -> Result<Option<String>, Stop> {
    let (mut before, mut found) = (f64::NEG_INFINITY, None);
    around.in_turn(allowance, &mut |i, key| {
        if key < before {
            found = Some(format!("element {i} has the key {}, after one of {}", number(key), number(before)));
        }
        before = key;
        found.is_none()
    })?;
    Ok(found)
}

/// The first value whose count in `output` differs from that in `wanted`; with `sets`, the first one that occurs in
/// only one of them.
fn differs(output: (&Tensor, usize), wanted: (&Tensor, usize), name: &str, sets: bool) -> Option<String> {
    // Values are compared by bits, so that NaNs count as values.
    let mut balance: HashMap<u64, [u64; 2]> = HashMap::new();
    for (side, (tensor, len)) in [output, wanted].into_iter().enumerate() {
        for i in 0..len.min(tensor.len()) {
            balance.entry(tensor.get(i).to_bits()).or_default()[side] += 1;
        }
    }
    let wrong = |[has, wants]: &[u64; 2]| if sets { (*has == 0) != (*wants == 0) } else { has != wants };
    let odd = balance
        .iter()
        .filter(|(_, both)| wrong(both))
        .min_by(|a, b| f64::from_bits(*a.0).total_cmp(&f64::from_bits(*b.0)));
    let times = |n: u64| if n == 1 { "once".to_owned() } else { format!("{n} times") };
    odd.map(|(bits, [has, wants])| {
        let value = number(f64::from_bits(*bits));
        format!("the value {value} is there {}, and in `{name}` {}", times(*has), times(*wants))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::tensor::Elem;

    fn of(values: &[f64]) -> Tensor {
        Tensor::from_numbers(Elem::F32, values.iter().copied())
    }

    #[test]
    fn multisets_and_sets() {
        let says = |a: &[f64], b: &[f64], sets| differs((&of(a), a.len()), (&of(b), b.len()), "x", sets);
        assert_eq!(says(&[1.0, 2.0, 2.0], &[2.0, 1.0, 2.0], false), None);
        let told = says(&[1.0, 2.0, 1.0], &[2.0, 1.0, 2.0], false).unwrap_or_default();
        assert_eq!(told, "the value 1 is there 2 times, and in `x` once");
        assert_eq!(says(&[1.0, 2.0, 1.0], &[2.0, 1.0, 2.0], true), None);
        assert!(says(&[1.0, 3.0], &[1.0, 1.0], true).is_some_and(|told| told.contains("value 3 is there once")));
    }
}
