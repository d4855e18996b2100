// runs

@group(0) @binding(0) var<storage, read> data: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    let a = data[i];
    let b = vec4<i32>(a) - 8;
    var s = abs(a) + min(a, a.yzwx) + max(a, a.wxyz) + clamp(a, vec4(2u), vec4(9u)) + countOneBits(a) + countLeadingZeros(a) + countTrailingZeros(a);
    s += reverseBits(a) + firstLeadingBit(a) + firstTrailingBit(a) + extractBits(a, 1u, 5u) + insertBits(a, s, 2u, 3u) + dot(a, s);
    var t = abs(b) + min(b, b.yzwx) + max(b, b.wxyz) + clamp(b, vec4(2), vec4(9)) + countOneBits(b) + countLeadingZeros(b) + countTrailingZeros(b);
    t += reverseBits(b) + firstLeadingBit(b) + firstTrailingBit(b) + extractBits(b, 1u, 5u) + insertBits(b, t, 2u, 3u) + dot(b, t) + sign(b);
    let p2 = abs(a.xy) + min(a.xy, a.zw) + countOneBits(a.xy) + reverseBits(a.zw) + firstLeadingBit(a.yx) + extractBits(a.xy, i, 3u);
    let p3 = abs(b.xyz) + max(b.xyz, b.wzy) + countLeadingZeros(b.xyz) + firstTrailingBit(b.xxx) + insertBits(b.xyz, b.yzw, i, 3u) + sign(b.zyx);
    out[i] = s + vec4<u32>(t) + vec4<u32>(p2, p2) + vec4<u32>(vec3<u32>(p3), 1u);
}
