// How many words of 4 bytes some buffers have: the buffers are
// asked themselves; these hold whole numbers.
// The first COUNT of eight are counted, and go into the ledger
// from FIRST on.

override FIRST: u32 = 0;
override COUNT: u32 = 8;
// What the lengths should be. The twin in CUDA C++ is not told
// how long a buffer is, and has only these.
override A_WORDS: u32 = 0;
override B_WORDS: u32 = 0;
override C_WORDS: u32 = 0;
override D_WORDS: u32 = 0;
override E_WORDS: u32 = 0;
override F_WORDS: u32 = 0;
override G_WORDS: u32 = 0;
override H_WORDS: u32 = 0;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read> d: array<u32>;
@group(0) @binding(4) var<storage, read> e: array<u32>;
@group(0) @binding(5) var<storage, read> f: array<u32>;
@group(0) @binding(6) var<storage, read> g: array<u32>;
@group(0) @binding(7) var<storage, read> h: array<u32>;
@group(0) @binding(8)
var<storage, read_write> ledger: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let words = array<u32, 8>(
        arrayLength(&a), arrayLength(&b),
        arrayLength(&c), arrayLength(&d),
        arrayLength(&e), arrayLength(&f),
        arrayLength(&g), arrayLength(&h),
    );
    for (var i = 0u; i < COUNT; i++) {
        ledger[FIRST + i] = words[i];
    }
}
