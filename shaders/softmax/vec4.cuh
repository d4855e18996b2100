// What WGSL has for its vectors: arithmetic by components, and
// the largest component and the sum of the components.
#pragma once

__device__ float4 operator*(float4 a, float4 b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w};
}

__device__ float4 operator*(float4 v, float s) {
    return {v.x * s, v.y * s, v.z * s, v.w * s};
}

__device__ float4 operator-(float4 a, float4 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

__device__ float4 operator-(float4 v, float s) {
    return {v.x - s, v.y - s, v.z - s, v.w - s};
}

__device__ float dot(float4 a, float4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// The exponential of each component. __expf is the hardware's
// approximation of it.
__device__ float4 exp(float4 v) {
    return {__expf(v.x), __expf(v.y), __expf(v.z), __expf(v.w)};
}

__device__ float max_component(float4 v) {
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

__device__ float sum_components(float4 v) {
    return v.x + v.y + v.z + v.w;
}
