// When a step computes and when it sends, as a model: each
// bucket of the model is gathered, computed forward, gathered
// again, computed backward and reduced. A GPU computes one
// bucket at a time, and the link has one transfer at a time.
// A lane has one stage, in turn or overlapped.

override FORWARD: f32 = 0.5;   // seconds of a bucket, forward
override BACKWARD: f32 = 1.0;  // and backward
override TRANSFER: f32 = 0.4;  // of one transfer of a bucket
override BUCKETS: u32 = 4;
override STAGE: u32 = 3;       // the one whose spans are kept

// Of each stage the seconds of arithmetic, and what is added
// while the GPU waits.
@group(0) @binding(0)
var<storage, read_write> in_turn: array<f32>;
@group(0) @binding(1)
var<storage, read_write> overlapped: array<f32>;
// A span: its track, its part, its beginning and its end.
@group(0) @binding(2)
var<storage, read_write> spans: array<vec4<f32>>;

// Parts of a step. A row of `spans` has its place by them.
const FORWARDS = 0u;
const BACKWARDS = 1u;
const GATHERS = 2u;
const REDUCES = 3u;
const AGAIN = 4u;  // the second gather of a bucket

// Until when the GPU computes, and the link sends.
var<private> gpu: f32;
var<private> link: f32;

fn keep(lane: u32, kind: u32, k: u32, begin: f32, end: f32) {
    if (lane / 2u != STAGE) {
        return;
    }
    let mode = lane % 2u;
    let sends = kind >= GATHERS;
    let part = select(kind, GATHERS, kind == AGAIN);
    let row = (mode * 5u + kind) * BUCKETS + k;
    spans[row] = vec4(
        f32(2u * mode + u32(sends)), f32(part), begin, end);
}

// Computes a bucket that is there at `ready`; its beginning.
fn compute(lane: u32, kind: u32, k: u32, ready: f32) -> f32 {
    let begin = max(gpu, ready);
    gpu = begin + select(FORWARD, BACKWARD, kind == BACKWARDS);
    keep(lane, kind, k, begin, gpu);
    return begin;
}

// Sends a bucket that can go at `ready`; when it has arrived.
fn send(lane: u32, kind: u32, k: u32, ready: f32) -> f32 {
    let begin = max(link, ready);
    link = begin + TRANSFER;
    keep(lane, kind, k, begin, link);
    if (lane % 2u == 0u) {
        // In turn, the GPU waits for each transfer.
        gpu = link;
    }
    return link;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
    let stage = lane / 2u;
    let in_order = lane % 2u == 0u;
    gpu = 0.0;
    link = 0.0;
    // When the next bucket has been gathered.
    var there = 0.0;
    if (stage == 3u || (in_order && stage > 0u)) {
        there = send(lane, GATHERS, 0u, 0.0);
    }
    for (var k = 0u; k < BUCKETS; k++) {
        if (stage > 0u && stage < 3u && !in_order) {
            // The parameters have room: no need to wait.
            there = send(lane, GATHERS, k, 0.0);
        }
        let begin = compute(lane, FORWARDS, k, there);
        let ready = select(begin, gpu, in_order);
        if (k + 1u < BUCKETS && (stage == 3u
            || (in_order && stage > 0u))) {
            there = send(lane, GATHERS, k + 1u, ready);
        } else if (stage == 3u) {
            there = send(lane, AGAIN, k, ready);
        }
    }
    for (var back = 0u; back < BUCKETS; back++) {
        let k = BUCKETS - 1u - back;
        let begin = compute(lane, BACKWARDS, k, there);
        let done = gpu;
        if (stage == 3u && k > 0u) {
            // Overlapped: while bucket k is computed.
            there = send(lane, AGAIN, k - 1u,
                select(begin, done, in_order));
        }
        let summed = send(lane, REDUCES, k, done);
        if (stage == 0u) {
            _ = send(lane, AGAIN, k, summed);
        }
    }
    let work = f32(BUCKETS) * (FORWARD + BACKWARD);
    let all = max(gpu, link);
    if (in_order) {
        in_turn[2u * stage] = work;
        in_turn[2u * stage + 1u] = all - work;
    } else {
        overlapped[2u * stage] = work;
        overlapped[2u * stage + 1u] = all - work;
    }
}
