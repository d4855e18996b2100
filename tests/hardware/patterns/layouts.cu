// Records in memory: the twin of layouts.wgsl.
struct Four {
    float a, b, c, d;
};

struct Three {
    float x, y, z;
};

struct alignas(16) Body {
    float3 place;
    float mass;
};

struct Wide {
    float4 place, speed;
};

struct Matrix {
    float4 columns[4];
};

struct Small {
    float2 columns[2];
};

__device__ unsigned id() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void one_field_of_four(const Four *fours, float *dst) {
    dst[id()] = fours[id()].c;
}

extern "C" __global__ void two_fields_of_four(const Four *fours, float *dst) {
    dst[id()] = fours[id()].a + fours[id()].b;
}

extern "C" __global__ void all_fields_of_four(const Four *fours, float *dst) {
    Four four = fours[id()];
    dst[id()] = four.a + four.b + four.c + four.d;
}

extern "C" __global__ void all_fields_of_three(const Three *threes, float *dst) {
    Three three = threes[id()];
    dst[id()] = three.x + three.y + three.z;
}

extern "C" __global__ void three_arrays(const float *xs, const float *ys, const float *zs, float *dst) {
    dst[id()] = xs[id()] + ys[id()] + zs[id()];
}

extern "C" __global__ void mass_of_body(const Body *bodies, float *dst) {
    dst[id()] = bodies[id()].mass;
}

extern "C" __global__ void whole_body(const Body *bodies, float *dst) {
    Body body = bodies[id()];
    dst[id()] = body.place.x + body.place.y + body.place.z + body.mass;
}

extern "C" __global__ void half_of_wide(const Wide *wides, float4 *out4) {
    out4[id()] = wides[id()].speed;
}

extern "C" __global__ void whole_wide(const Wide *wides, Wide *out) {
    out[id()] = wides[id()];
}

extern "C" __global__ void one_component(const float4 *vectors, float *dst) {
    dst[id()] = vectors[id()].y;
}

extern "C" __global__ void two_components(const float4 *vectors, float *dst) {
    dst[id()] = vectors[id()].x + vectors[id()].w;
}

extern "C" __global__ void swizzle(const float4 *vectors, float *dst) {
    float4 v = vectors[id()];
    dst[id()] = v.x + v.y;
}

extern "C" __global__ void store_component(const float *xs, float4 *out4) {
    out4[id()].z = xs[id()];
}

extern "C" __global__ void matrix_times_vector(const Matrix *matrices, float4 *out4) {
    Matrix m = matrices[id()];
    float4 sum = {0, 0, 0, 0};
    for (int c = 0; c < 4; c++) {
        float by = c + 1;
        sum.x += m.columns[c].x * by;
        sum.y += m.columns[c].y * by;
        sum.z += m.columns[c].z * by;
        sum.w += m.columns[c].w * by;
    }
    out4[id()] = sum;
}

extern "C" __global__ void small_matrix(const Small *small, float *dst) {
    Small m = small[id()];
    float x = m.columns[0].x + m.columns[1].x * 2;
    float y = m.columns[0].y + m.columns[1].y * 2;
    dst[id()] = x + y;
}
