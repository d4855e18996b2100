// Elements of two bytes: one, two and four of them a lane, and through workgroup memory.
enable f16;

override STRIDE: u32 = 1;

@group(0) @binding(0) var<storage, read> src1: array<f16>;
@group(0) @binding(1) var<storage, read> src2: array<vec2<f16>>;
@group(0) @binding(2) var<storage, read> src4: array<vec4<f16>>;
@group(0) @binding(3) var<storage, read_write> dst1: array<f16>;
@group(0) @binding(4) var<storage, read_write> dst2: array<vec2<f16>>;
@group(0) @binding(5) var<storage, read_write> dst4: array<vec4<f16>>;

var<workgroup> cells: array<f16, 4096>;

@compute @workgroup_size(128)
fn copy1(@builtin(global_invocation_id) id: vec3<u32>) {
    dst1[id.x * STRIDE] = src1[id.x * STRIDE];
}

@compute @workgroup_size(128)
fn copy2(@builtin(global_invocation_id) id: vec3<u32>) {
    dst2[id.x * STRIDE] = src2[id.x * STRIDE];
}

@compute @workgroup_size(128)
fn copy4(@builtin(global_invocation_id) id: vec3<u32>) {
    dst4[id.x * STRIDE] = src4[id.x * STRIDE];
}

// Two lanes share a word of a bank.
@compute @workgroup_size(128)
fn shared_copy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    cells[lane * STRIDE] = src1[id.x];
    workgroupBarrier();
    dst1[id.x] = cells[(127u - lane) * STRIDE];
}
