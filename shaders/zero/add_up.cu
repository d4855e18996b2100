// The ledger's sums: a rank's model state, which is the first
// five columns, and all that it has.
// A thread has one rank.
// Constant: RANKS.

extern "C" __global__ void __launch_bounds__(64)
add_up(const unsigned* __restrict__ ledger,
       unsigned* __restrict__ state,
       unsigned* __restrict__ all) {
    unsigned rank = blockIdx.x * 64 + threadIdx.x;
    if (rank >= RANKS) {
        return;
    }
    unsigned sum = 0;
    for (unsigned column = 0; column < 8; column++) {
        sum += ledger[rank * 8 + column];
        if (column == 4) {
            state[rank] = sum;
        }
    }
    all[rank] = sum;
}
