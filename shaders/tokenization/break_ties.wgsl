// Several pairs may have the greatest count. Each position that
// holds one of them makes a key, and the greatest key wins:
// best[1]. RULE says what the key is made of.

override V: u32 = 288;  // tokens that there can be
// 0: the pair with the smallest ids.
// 1: the pair that is seen first.
// 2: the pair whose bytes are the greatest.
override RULE: u32 = 0;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> wall: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
@group(0) @binding(4) var<storage, read> counts: array<u32>;
// A token's place among all, by its bytes.
@group(0) @binding(5) var<storage, read> order: array<u32>;
@group(0) @binding(6)
var<storage, read_write> best: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i + 1u >= length[0]) {
        return;
    }
    if (wall[offset[i + 1u]] == 1u) {
        return;
    }
    let a = ids[i];
    let b = ids[i + 1u];
    if (counts[a * V + b] != atomicLoad(&best[0])) {
        return;
    }
    // The greatest key is the smallest pair, or position.
    var key = ~(a * V + b);
    if (RULE == 1u) {
        key = ~i;
    } else if (RULE == 2u) {
        key = order[a] * V + order[b];
    }
    atomicMax(&best[1], key);
}
