//! What orders threads, and what does not: barriers, masks, fences, flags, locks, asynchronous copies.

use warpbook_tracer::trace::{FindingKind, NoteKind};

use crate::common::{Case, ints};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/order", entry, grid, block)
}

fn out(entry: &'static str, grid: u32, block: u32, words: usize) -> Case {
    of(entry, grid, block).ints(&vec![0; words])
}

/// The messages of the findings, each after the text of its line.
fn said(case: Case) -> Vec<(FindingKind, String, String)> {
    let texts: Vec<String> = case.clone().found().into_iter().map(|(_, text)| text).collect();
    let (_, outcome) = case.run();
    let findings = outcome.trace.findings.into_iter().zip(texts);
    findings.map(|(finding, text)| (finding.kind, text, finding.message)).collect()
}

/// Asserts that there is one finding, of this kind, whose line and whose message contain these texts.
fn only(case: Case, kind: FindingKind, line: &str, message: &str) {
    let entry = case.entry;
    let found = said(case);
    let is_it =
        |(of, text, says): &(FindingKind, String, String)| *of == kind && text.contains(line) && says.contains(message);
    assert!(found.len() == 1 && found.iter().all(is_it), "{entry}: {found:#?}");
}

/// Asserts that a finding is of this kind, with these texts in its line and in its message.
fn among(case: Case, kind: FindingKind, line: &str, message: &str) {
    let entry = case.entry;
    let found = said(case);
    let is_it =
        |(of, text, says): &(FindingKind, String, String)| *of == kind && text.contains(line) && says.contains(message);
    assert!(found.iter().any(is_it), "{entry}: {found:#?}");
}

#[test]
fn plain_accesses_race_with_atomics() {
    let case = out("clear_then_add", 1, 128, 128);
    among(case, FindingKind::Race, "atomicAdd(&s, 1)", "does an atomicAdd");
    assert_eq!(ints(&out("clear_meet_add", 1, 128, 128).clean().0[0])[0], 128);
    only(out("add_unset", 1, 128, 128), FindingKind::Uninitialized, "atomicAdd(&s, 1)", "shared memory holds anything");
    among(out("add_then_read", 2, 64, 2), FindingKind::Race, "atomicAdd(&out[0], 1)", "thread 0 of block 0 read it");
}

#[test]
fn a_counter_may_be_reset_by_the_thread_that_knows_it_is_the_last() {
    let (buffers, _) = of("last_resets", 4, 64).ints(&[0]).ints(&[0]).clean();
    assert_eq!([ints(&buffers[0])[0], ints(&buffers[1])[0]], [0, 1]);
    let says = "a plain access beside atomics of others is a race";
    among(out("one_resets", 1, 128, 1), FindingKind::Race, "*count = 0", says);
    let case = of("resets_too_early", 1, 128).ints(&[0]).ints(&[0; 128]);
    among(case, FindingKind::Race, "*count = 0", "in another order the results are others");
}

#[test]
fn masks_name_the_lanes_that_come() {
    let kind = FindingKind::InactiveLane;
    only(
        out("outside_its_mask", 1, 32, 32),
        kind,
        "__shfl_sync",
        "lane 16 gives __shfl_sync() does not name the lane itself",
    );
    only(out("half_comes", 1, 32, 32), kind, "__shfl_down_sync", "names lanes 16 to 31, which took another way");
    out("half_left", 1, 32, 32).clean();
    out("halves", 1, 32, 32).clean();
    among(out("half_a_warp_meets", 1, 32, 32), kind, "__syncwarp(0xffff)", "does not name the lane itself");
    among(out("half_a_warp_meets", 1, 32, 32), FindingKind::Race, "s[t ^ 16]", "no __syncwarp()");
    out("halves_meet", 1, 32, 32).clean();
    only(out("votes_in_a_branch", 1, 32, 32), kind, "__all_sync", "names lanes 0, 2, 4");
}

#[test]
fn a_fence_alone_orders_nothing() {
    let case = of("fence_alone", 4, 32).ints(&[0; 128]).ints(&[0; 128]);
    among(case, FindingKind::Race, "x[(blockIdx.x ^ 1)", "blocks 0 and 1 race");
}

#[test]
fn a_flag_hands_over_with_both_of_its_fences() {
    let case = |entry| of(entry, 2, 32).ints(&[0]).ints(&[0]).ints(&[0]);
    assert_eq!(ints(&case("handed_over").clean().0[2]), [42]);
    let line = "out[0] = *value";
    let between = "between the store and what follows";
    among(case("not_released"), FindingKind::Race, line, &format!("no __threadfence() {between}"));
    let second = "no __threadfence() between the atomic at line";
    among(case("not_acquired"), FindingKind::Race, line, second);
    among(case("narrow_fence"), FindingKind::Race, line, between);
    let (buffers, _) = of("released", 2, 64).ints(&[0; 64]).ints(&[0]).ints(&[0; 64]).clean();
    assert_eq!(ints(&buffers[2]), (0..64).map(|i| i ^ 1).collect::<Vec<i32>>());
}

#[test]
fn a_lock_orders_what_it_guards() {
    assert_eq!(ints(&of("warps_lock", 1, 128).ints(&[0]).clean().0[0]), [192]);
    assert_eq!(ints(&of("blocks_lock", 5, 32).ints(&[0]).clean().0[0]), [10]);
    among(of("unlocked_early", 5, 32).ints(&[0]), FindingKind::Race, "sum[0] += by", "between the store");
}

#[test]
fn stores_of_one_value_are_a_note() {
    for grid in [1, 3] {
        let (_, outcome) = out("all_store_one", grid, 64, 1).clean();
        let kinds: Vec<NoteKind> = outcome.trace.notes.iter().map(|note| note.kind).collect();
        assert_eq!(kinds, [NoteKind::SameValue], "{grid} blocks");
        only(out("all_store_their_own", grid, 64, 1), FindingKind::Race, "out[0] = threadIdx.x", "writes it here");
    }
}

#[test]
fn lanes_of_both_arms_of_a_branch_do_not_meet_here() {
    let case = |entry| of(entry, 1, 32).ints(&(0..32).collect::<Vec<_>>()).ints(&[0; 32]);
    let says = "waits for lanes 0, 2";
    among(case("arms_meet"), FindingKind::InactiveLane, "in[t] * 2", says);
    let (buffers, _) = case("arms_stay_apart").clean();
    let wanted: Vec<i32> = (0..32).map(|t: i32| if t & 1 == 1 { (t ^ 2) * 2 } else { (t ^ 2) + 107 }).collect();
    assert_eq!(ints(&buffers[1]), wanted);
}

#[test]
fn lanes_of_one_store_race_if_their_values_differ() {
    only(out("halves_differ", 1, 32, 32), FindingKind::Race, "s = threadIdx.x / 16", "16 writes it here");
    only(out("the_last_differs", 1, 32, 1), FindingKind::Race, "out[0] = threadIdx.x == 31", "31");
}

#[test]
fn barriers_do_not_order_a_thread_that_has_left() {
    let case = |entry, n| of(entry, 1, 64).ints(&(0..64).collect::<Vec<_>>()).ints(&[0; 64]).int(n);
    among(case("leaves_after_a_store", 63), FindingKind::Race, "s[w] = -1", "thread 63 has left");
    case("leaves_after_a_barrier", 40).clean();
}

#[test]
fn sums_of_all_blocks_are_read_after_a_fence() {
    let case = |entry| of(entry, 3, 64).ints(&[1; 192]).ints(&[0; 64]).ints(&[0; 64]);
    let (buffers, _) = case("sums_with_fences").clean();
    assert_eq!(ints(&buffers[2]), [3; 64]);
    // These order what each thread did itself, and the barrier comes after.
    let says = "with no __syncthreads() and then __threadfence() between that access and line 299, where thread 0 writes for all";
    among(case("sums_with_weaker_fences"), FindingKind::Race, "out[t] = sum[t]", says);
    among(case("sums_without_fences"), FindingKind::Race, "out[t] = sum[t]", "at the atomic's word (line 278)");
    let part = of("parts_without_a_barrier", 3, 64).ints(&[1; 192]).ints(&[0; 192]).ints(&[0; 64]);
    let says = "with no __syncthreads() and then __threadfence() between that access and line 310, where thread 0 writes for all";
    among(part, FindingKind::Race, "out[t] = part[t]", says);
}

#[test]
fn a_block_that_waits_for_a_later_one_needs_an_order() {
    for entry in ["waits_for_the_next", "polls_the_next"] {
        let case = of(entry, 2, 32).ints(&[21]).ints(&[0]).ints(&[0]).ints(&[0]);
        among(case, FindingKind::Race, "out[0] = data[0]", "0 reads it here");
    }
}

#[test]
fn a_hint_names_what_is_missing() {
    let semaphore = |entry| of(entry, 3, 64).ints(&[1; 192]).ints(&[0; 64]).ints(&[0]);
    let before = "with no __syncthreads() between that access and line";
    among(semaphore("releases_before_the_barrier"), FindingKind::Race, "acc[t] +=", before);
    let after = "where thread 0 acquires for all, and this access";
    among(semaphore("acquires_without_a_barrier"), FindingKind::Race, "acc[t] +=", after);
    let case = of("releases_in_the_block", 2, 32).ints(&[7]).ints(&[0]).ints(&[0]).ints(&[0]);
    among(case, FindingKind::Race, "out[0] = data[0]", "is one block; it takes one of the device");
    let case = of("stores_what_it_polled", 2, 64).ints(&[0]).ints(&[0]).ints(&[0, 0]);
    for (_, text, message) in said(case) {
        assert!(!message.contains("store it changed"), "{text}: {message}");
    }
}

#[test]
fn what_reads_and_stores_needs_an_atomic() {
    only(out("add_by_store", 1, 64, 4), FindingKind::Race, "+= 1", "do it by atomicAdd()");
    among(out("add_by_store", 2, 64, 4), FindingKind::Race, "+= 1", "do it by atomicAdd()");
}

#[test]
fn an_asynchronous_copy_is_there_when_it_was_waited_for() {
    let case = |entry| of(entry, 1, 64).ints(&(0..64).collect::<Vec<_>>()).ints(&[0; 64]);
    let read = "out[t] = s[t ^ 1]";
    only(case("never_waits"), FindingKind::EarlyRead, read, "has not been waited for");
    only(case("waits_late"), FindingKind::Race, read, "no barrier between the wait for the copy and this");
    case("waits_first").clean();
}

#[test]
fn barriers_of_some_warps_order_these() {
    only(out("two_warps_meet", 1, 96, 96), FindingKind::Race, "s[(t + 32) % 64]", "no __syncthreads()");
}

#[test]
fn a_race_between_rounds_names_them() {
    let says = "32 reads it here in round 1, 0 wrote it at line 203 in round 3";
    among(out("rounds", 1, 64, 64), FindingKind::Race, "s[t] = s[(t + 32) % 64] + 1", says);
}

#[test]
fn volatile_orders_nothing() {
    let case = |entry| of(entry, 1, 128).floats(&[1.0; 128]).floats(&[0.0; 128]);
    let tail = || of("volatile_tail", 1, 64).floats(&[1.0; 64]).floats(&[0.0]);
    among(tail(), FindingKind::Race, "v[t] += v[t + 16]", "volatile orders nothing");
    among(case("volatile_across"), FindingKind::Race, "s[(threadIdx.x + 32) % 128]", "volatile orders nothing");
    among(case("volatile_across"), FindingKind::Uninitialized, "s[(threadIdx.x + 32) % 128]", "");
}

#[test]
fn a_compare_exchange_checks_what_a_plain_load_saw() {
    let (buffers, _) = of("largest", 1, 64).ints(&(0..64).collect::<Vec<_>>()).ints(&[5]).clean();
    assert_eq!(ints(&buffers[1]), [63]);
}

#[test]
fn the_scope_of_a_block_ends_with_it() {
    let says = "is one block; it takes one of the device";
    among(out("counts_in_its_block", 2, 64, 4), FindingKind::Race, "atomicAdd_block", says);
    among(out("counts_in_its_block_with_fences", 2, 64, 132), FindingKind::Race, "atomicAdd_block", says);
    out("counts_in_its_block", 1, 64, 4).clean();
    assert_eq!(ints(&out("counts_its_own", 2, 64, 8).clean().0[0]), [17, 16, 16, 16, 17, 16, 16, 16]);
}

#[test]
fn a_compare_exchange_checks_what_it_compares_with() {
    let case = of("claims_what_others_read", 2, 32).ints(&[0; 32]).ints(&[0; 32]);
    only(case, FindingKind::Race, "= slot[threadIdx.x]", "0 did an atomicCAS");
}

#[test]
fn a_volatile_word_is_a_flag_where_a_loop_waits_for_it() {
    let case = of("volatile_parts", 3, 32).ints(&[1, 2, 3]).ints(&[0; 3]).ints(&[0]);
    among(case, FindingKind::Race, "sum += part[b]", "reads it here");
    let case = of("volatile_ticket", 3, 32).ints(&[1, 2, 3]).ints(&[0]).ints(&[0]).ints(&[0]);
    assert_eq!(ints(&case.clean().0[3]), [6]);
}
