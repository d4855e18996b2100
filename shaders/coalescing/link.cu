// The chain that the chases follow. The working set consists of
// lines of 128 bytes. Each element of a line holds the index at
// which the next line of the chain begins: JUMP lines further
// on, or as many from the front where the set ends before that.
// A lane writes four elements.
// Constants: NODES, the lines of the working set; JUMP, in
// lines; BLOCK, the workgroup size.

constexpr unsigned LINE = 32;    // elements of a line

extern "C" __global__ void
link(uint4* __restrict__ next) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned i = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    unsigned line = i / (LINE / 4);
    if (line < NODES) {
        unsigned to = (line + JUMP) % NODES * LINE;
        next[i] = make_uint4(to, to, to, to);
    }
}
