// Where the chunks of a message begin and end: with padding all
// are as long, without they differ by one element.
// A thread has one chunk.
// Constants: RANKS; COUNT, elements of a rank.

// cuts: the track, the number, the beginning and the end.
extern "C" __global__ void __launch_bounds__(64)
cut_chunks(float4* __restrict__ cuts) {
    unsigned chunk = blockIdx.x * 64 + threadIdx.x;
    if (chunk >= RANKS) {
        return;
    }
    unsigned padded = (COUNT + RANKS - 1) / RANKS;
    cuts[chunk] = make_float4(
        0.0f, chunk, chunk * padded, (chunk + 1) * padded);
    cuts[RANKS + chunk] = make_float4(
        1.0f, chunk, chunk * COUNT / RANKS,
        (chunk + 1) * COUNT / RANKS);
}
