// Random numbers between 0 and 1: a hash of a counter each, the
// last step of the generator PCG (RXS M XS). The same counter
// gives the same number, on every device and in every order.
// A thread has one number.
// Constants: N, how many numbers; SEED.

extern "C" __global__ void __launch_bounds__(256)
chance(const unsigned* __restrict__ picks,
       float* __restrict__ chance) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    unsigned counter = picks[0] * N + i;
    unsigned seed = unsigned(SEED) << 24;
    unsigned state = (counter ^ seed) * 747796405u + 2891336453u;
    unsigned moved = state >> ((state >> 28) + 4);
    unsigned word = (moved ^ state) * 277803737u;
    unsigned hash = (word >> 22) ^ word;
    // 23 bits and a half: never 0 and never 1.
    chance[i] = (float(hash >> 9) + 0.5f) / 8388608.0f;
}
