// Rotary positions: the pair (i, i + D / 2) of a query or a key
// is turned by the angle position / 10000^(2 i / D). Scores then
// depend on distances only. SIGN = -1 turns back, which is what
// the gradient needs. In place.
// A thread has one pair of the queries, and the same of the
// keys.
// Constants: ROWS; TOKENS, rows of a sequence; WIDTH; D, numbers
// of a head; HELD, layers that `qkv` has; SIGN.

__device__ void turn(float* qkv, unsigned at, float c, float s) {
    float a = qkv[at];
    float b = qkv[at + D / 2];
    qkv[at] = a * c - b * s;
    qkv[at + D / 2] = a * s + b * c;
}

extern "C" __global__ void __launch_bounds__(256)
rope(const unsigned* __restrict__ layer,
     float* __restrict__ qkv) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    constexpr unsigned pairs = WIDTH / 2;
    if (i >= ROWS * pairs) {
        return;
    }
    unsigned row = i / pairs;
    unsigned pair = i % pairs;
    unsigned head = pair / (D / 2);
    unsigned j = pair % (D / 2);
    constexpr float LN = 9.210340371976184f;  // ln 10000
    float speed = expf(-LN * (2 * j) / D);
    float angle = row % TOKENS * speed;
    float s, c;
    sincosf(angle, &s, &c);
    s *= SIGN;
    unsigned kept = layer[0] % HELD * ROWS + row;
    unsigned at = kept * 3 * WIDTH + head * D + j;
    turn(qkv, at, c, s);
    turn(qkv, at + WIDTH, c, s);
}
