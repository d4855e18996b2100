//! Which accesses happen before which, by hand.

use super::*;

const FULL: u64 = 0xFFFF_FFFF;

fn order(threads: u32) -> Order {
    let mut order = Order::new(threads, 32);
    order.start(0);
    order
}

#[test]
fn a_barrier_of_two_warps_orders_only_these() {
    let mut order = order(96);
    let [first, second, third] = [0, 32, 64].map(|lane| order.thread(lane));
    let begun = order.now();
    assert!(!order.is_past(second, first, begun) && !order.is_past(first, second, begun));
    order.meet(0, FULL, Meet::Arrives(8));
    // Later than the arrival.
    let after = order.now();
    order.meet(1, FULL, Meet::Arrives(8));
    order.meet(1, FULL, Meet::Completes(8));
    order.meet(1, FULL, Meet::Passes(8));
    assert!(order.is_past(second, first, begun) && !order.is_past(third, first, begun));
    assert!(!order.is_past(second, first, after));
    // By way of another barrier.
    order.meet(1, FULL, Meet::Arrives(9));
    order.meet(2, FULL, Meet::Completes(9));
    order.meet(2, FULL, Meet::Passes(9));
    assert!(order.is_past(third, first, begun));
    order.all_meet();
    assert!(order.is_past(third, first, after) && order.now() > after);
}

#[test]
fn those_that_arrive_for_the_next_phase_are_not_known_in_this() {
    let mut order = order(64);
    let [first, second] = [0, 32].map(|lane| order.thread(lane));
    order.meet(0, FULL, Meet::Arrives(8));
    order.meet(0, FULL, Meet::Completes(8));
    let next = order.now();
    order.meet(0, FULL, Meet::Arrives(8));
    order.meet(1, FULL, Meet::Passes(8));
    assert!(order.is_past(second, first, next - 1) && !order.is_past(second, first, next));
}

#[test]
fn lanes_of_a_mask_meet_alone() {
    let mut order = order(32);
    let begun = order.now();
    order.meet(0, 0xFFFF, Meet::Lanes);
    let [in_mask, also, outside] = [0, 15, 16].map(|lane| order.thread(lane));
    assert!(order.is_past(in_mask, also, begun) && !order.is_past(in_mask, outside, begun));
    assert!(!order.is_past(outside, in_mask, begun));
    assert!(!order.is_past(in_mask, also, order.now()));
}

#[test]
fn a_thread_that_has_left_is_known_as_before_the_barrier() {
    let mut order = order(64);
    let [first, gone] = [0, 40].map(|lane| order.thread(lane));
    let begun = order.now();
    order.all_meet();
    let last = order.now();
    for _ in 0..2 {
        order.meet(1, 1 << 8, Meet::Misses);
        order.all_meet();
    }
    assert!(order.is_past(first, gone, begun) && !order.is_past(first, gone, last) && order.is_parted());
    assert!(order.is_past(first, order.thread(41), last));
    // One that waited elsewhere, and comes to the next.
    order.all_meet();
    assert!(order.is_past(first, gone, last) && !order.is_parted());
}

#[test]
fn a_release_is_known_after_its_value_is_acquired() {
    let mut order = order(64);
    let [first, second] = [0, 32].map(|lane| order.thread(lane));
    let begun = order.now();
    // Without a fence a strong write publishes nothing.
    assert_eq!(order.published(first, false, true), [None, None]);
    order.meet(0, FULL, Meet::Fence(Fence::full(true)));
    let after = order.now();
    let [wide, _] = order.published(first, false, true);
    let read = Arc::new(wide.unwrap_or_default());
    order.pend(second, &read, true);
    assert!(!order.is_past(second, first, begun) && order.lacks_a_fence(second, 0, first, begun));
    // Neither a fence of the block nor one that releases alone acquires it.
    order.meet(1, FULL, Meet::Fence(Fence::full(false)));
    order.meet(1, FULL, Meet::Fence(Fence { acquires: false, ..Fence::full(true) }));
    assert!(!order.is_past(second, first, begun));
    order.meet(1, FULL, Meet::Fence(Fence { releases: false, ..Fence::full(true) }));
    assert!(order.is_past(second, first, begun) && !order.is_past(second, first, after));
    // Its neighbour has read nothing.
    assert!(!order.is_past(order.thread(33), first, begun));
}

#[test]
fn a_fence_of_the_block_publishes_within_it_alone() {
    let mut order = order(32);
    let first = order.thread(0);
    order.meet(0, FULL, Meet::Fence(Fence::full(false)));
    let [wide, narrow] = order.published(first, false, true);
    assert!(wide.is_none() && narrow.is_some());
    let [wide, narrow] = order.published(first, true, true);
    assert!(wide.is_some() && narrow.is_some());
}
