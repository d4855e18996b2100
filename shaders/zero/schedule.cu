// When a step computes and when it sends, as a model: each
// bucket of the model is gathered, computed forward, gathered
// again, computed backward and reduced. A GPU computes one
// bucket at a time, and the link has one transfer at a time.
// A thread has one stage, in turn or overlapped.
// Constants: FORWARD, BACKWARD, seconds of a bucket; TRANSFER,
// of one transfer of it; BUCKETS; STAGE, whose spans are kept.

// Parts of a step. A row of `spans` has its place by them.
constexpr unsigned FORWARDS = 0;
constexpr unsigned BACKWARDS = 1;
constexpr unsigned GATHERS = 2;
constexpr unsigned REDUCES = 3;
constexpr unsigned AGAIN = 4;  // a bucket's second gather

struct Schedule {
    float4* spans;
    unsigned lane;
    // Until when the GPU computes, and the link sends.
    float gpu;
    float link;

    __device__ void keep(unsigned kind, unsigned k, float begin,
                         float end) {
        if (lane / 2 != STAGE) {
            return;
        }
        unsigned mode = lane % 2;
        unsigned sends = kind >= GATHERS;
        unsigned part = kind == AGAIN ? GATHERS : kind;
        unsigned row = (mode * 5 + kind) * BUCKETS + k;
        spans[row] =
            make_float4(2 * mode + sends, part, begin, end);
    }

    // Computes a bucket that is there at `ready`.
    __device__ float compute(unsigned kind, unsigned k,
                             float ready) {
        float begin = fmaxf(gpu, ready);
        gpu = begin + (kind == BACKWARDS ? BACKWARD : FORWARD);
        keep(kind, k, begin, gpu);
        return begin;
    }

    // Sends a bucket that can go at `ready`.
    __device__ float send(unsigned kind, unsigned k,
                          float ready) {
        float begin = fmaxf(link, ready);
        link = begin + TRANSFER;
        keep(kind, k, begin, link);
        if (lane % 2 == 0) {
            // In turn, the GPU waits for each transfer.
            gpu = link;
        }
        return link;
    }
};

// in_turn, overlapped: of each stage the seconds of arithmetic,
// and what is added while the GPU waits; spans: the track, the
// part, the beginning and the end of each.
extern "C" __global__ void __launch_bounds__(8)
schedule(float* __restrict__ in_turn,
         float* __restrict__ overlapped,
         float4* __restrict__ spans) {
    unsigned lane = threadIdx.x;
    unsigned stage = lane / 2;
    bool in_order = lane % 2 == 0;
    Schedule step = {spans, lane, 0.0f, 0.0f};
    // When the next bucket has been gathered.
    float there = 0.0f;
    if (stage == 3 || (in_order && stage > 0)) {
        there = step.send(GATHERS, 0, 0.0f);
    }
    for (unsigned k = 0; k < BUCKETS; k++) {
        if (stage > 0 && stage < 3 && !in_order) {
            // The parameters have room: no need to wait.
            there = step.send(GATHERS, k, 0.0f);
        }
        float begin = step.compute(FORWARDS, k, there);
        float ready = in_order ? step.gpu : begin;
        if (k + 1 < BUCKETS
            && (stage == 3 || (in_order && stage > 0))) {
            there = step.send(GATHERS, k + 1, ready);
        } else if (stage == 3) {
            there = step.send(AGAIN, k, ready);
        }
    }
    for (unsigned back = 0; back < BUCKETS; back++) {
        unsigned k = BUCKETS - 1 - back;
        float begin = step.compute(BACKWARDS, k, there);
        float done = step.gpu;
        if (stage == 3 && k > 0) {
            // Overlapped: while bucket k is computed.
            there = step.send(AGAIN, k - 1,
                              in_order ? done : begin);
        }
        float summed = step.send(REDUCES, k, done);
        if (stage == 0) {
            step.send(AGAIN, k, summed);
        }
    }
    float work = BUCKETS * (FORWARD + BACKWARD);
    float all = fmaxf(step.gpu, step.link);
    if (in_order) {
        in_turn[2 * stage] = work;
        in_turn[2 * stage + 1] = all - work;
    } else {
        overlapped[2 * stage] = work;
        overlapped[2 * stage + 1] = all - work;
    }
}
