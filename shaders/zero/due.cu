// Whether the parameters of another layer are to be gathered
// now, and of which one: at most AHEAD layers before the one
// that is computed. If none is due, the grids of the passes
// that gather become empty.
// Constants: LAYERS; AHEAD; ADD, 1 on the way forward and
// 4294967295, which is -1, on the way back.

extern "C" __global__ void __launch_bounds__(1)
due(const unsigned* __restrict__ layer,
    unsigned* __restrict__ next, unsigned* __restrict__ plan) {
    unsigned wanted = next[0] + ADD;
    // Before the first layer the number wraps around.
    bool is_due =
        wanted < LAYERS && (wanted - layer[0]) * ADD <= AHEAD;
    if (is_due) {
        next[0] = wanted;
    }
    // The first three grids of the plan, or nothing.
    for (unsigned i = 0; i < 9; i++) {
        plan[21 + i] = is_due ? plan[i] : 0;
    }
}
