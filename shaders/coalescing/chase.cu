// Pointer chase: each lane follows a chain, from a line of its
// own, for HOPS hops. The index of a load is the value that the
// load before it returned, so a lane has one load on its way at
// a time.
// Constants: NODES, the lines of the working set; HOPS of each
// lane; BLOCK, the workgroup size.

constexpr unsigned LINE = 32;    // elements of a line

extern "C" __global__ void
chase(const unsigned* __restrict__ next,
      unsigned* __restrict__ end) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned at = gid_x % NODES * LINE;
    for (unsigned hop = 0; hop < HOPS; hop++) {
        at = next[at];
    }
    end[gid_x] = at;
}
