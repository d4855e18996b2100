//! Mixture of experts at awkward sizes: the results are right on every backend, and what cannot be is skipped with its
//! reason.
use crate::common::warpbook;

#[test]
fn experts_are_right_at_awkward_sizes() {
    let sizes = [
        "tokens=1 experts=8 k=2 steps=2",
        "tokens=127 experts=1 k=1 steps=2",
        "tokens=127 experts=3 k=3 score=1 steps=2",
        "tokens=300 experts=257 k=8 score=2 d=8 f=16 steps=2",
        "tokens=8191 experts=3 k=1 skew=400 capacity=0 d=4 f=8 steps=1",
    ];
    // A software driver takes its time: two of them are enough there.
    for (backend, sizes) in [("simt", &sizes[..]), ("auto", &sizes[..2])] {
        for size in sizes {
            let mut args = vec!["run", "moe", "--json", "--backend", backend];
            args.extend(size.split(' ').flat_map(|set| ["--set", set]));
            let run = warpbook(&args);
            assert_eq!(run.code, 0, "{backend}, {size}: {}", run.err);
            let values = &run.json()["values"];
            for id in ["drops", "max_violation", "aux_loss", "z_loss", "padding_waste", "all_to_all_bytes"] {
                assert!(values[id].is_number(), "{backend}, {size}: {id} in {values}");
            }
        }
    }
}

#[test]
fn more_choices_than_experts_are_skipped_with_the_reason() {
    let run = warpbook(&["run", "moe", "--backend", "simt", "--set", "experts=2", "--set", "k=3"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let skipped = format!("{}{}", run.out, run.err);
    assert!(skipped.contains("a token cannot go to more experts than there are"), "{skipped}");
}
