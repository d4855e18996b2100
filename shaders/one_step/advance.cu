// A counter goes on: the layer, or the number of updates.
// ADD = 4294967295 takes 1 away.

extern "C" __global__ void __launch_bounds__(1)
advance(unsigned* __restrict__ counter) {
    counter[0] += ADD;
}
