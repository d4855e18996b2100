// Pointer chase: each lane follows a chain, from a line of its
// own, for HOPS hops. The index of a load is the value that the
// load before it returned, so a lane has one load on its way at
// a time.

override NODES: u32 = 512;    // lines of the working set
override HOPS: u32 = 1024;    // hops of each lane
override BLOCK: u32 = 1;      // workgroup size

const LINE = 32u;             // elements of a line

@group(0) @binding(0) var<storage, read> next: array<u32>;
@group(0) @binding(1) var<storage, read_write> end: array<u32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    var at = gid.x % NODES * LINE;
    for (var hop = 0u; hop < HOPS; hop++) {
        at = next[at];
    }
    end[gid.x] = at;
}
