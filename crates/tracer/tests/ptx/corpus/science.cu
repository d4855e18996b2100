// Functions of mathematics, and kernels that use them.

extern "C" __global__ void functions(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], s, c;
    float* o = out + i * 20;
    o[0] = sinf(x * 10);
    o[1] = cosf(x * 10);
    o[2] = expf(x);
    o[3] = logf(fabsf(x) + 0.1f);
    o[4] = powf(fabsf(x) + 0.1f, 2.5f);
    o[5] = erff(x);
    o[6] = tanhf(x);
    sincosf(x * 3, &s, &c);
    o[7] = s * 2 + c;
    o[8] = fmodf(x * 100, 7.0f);
    o[9] = atan2f(x, 0.3f);
    o[10] = cbrtf(x);
    o[11] = hypotf(x, 2);
    o[12] = log1pf(fabsf(x));
    o[13] = expm1f(x);
    o[14] = roundf(x * 10) + floorf(x * 10) * 100 + ceilf(x * 10) * 10000;
    o[15] = lgammaf(fabsf(x) + 1);
    o[16] = exp2f(x) + log2f(fabsf(x) + 0.5f) + exp10f(x);
    o[17] = asinf(x) + acosf(x);
    o[18] = rsqrtf(fabsf(x) + 0.1f) + sqrtf(fabsf(x));
    o[19] = normcdff(x);
}

extern "C" __global__ void doubles(const double* in, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i];
    double* o = out + i * 6;
    o[0] = sin(x * 10);
    o[1] = exp(x);
    o[2] = log(fabs(x) + 0.1);
    o[3] = pow(fabs(x) + 0.1, 2.5);
    o[4] = sqrt(fabs(x)) / 3 + fmod(x * 100, 7.0);
    o[5] = erf(x);
}

// The rounding that a function names.
extern "C" __global__ void rounded(const float* in, float* out) {
    int i = threadIdx.x;
    float x = in[i], y = in[(i + 1) & 31];
    out[i * 6] = __fadd_rd(x, y);
    out[i * 6 + 1] = __fmul_ru(x, y);
    out[i * 6 + 2] = __fdiv_rz(x, y);
    out[i * 6 + 3] = __fsqrt_rd(fabsf(x));
    out[i * 6 + 4] = __double2float_ru((double)x * (double)y);
    out[i * 6 + 5] = __int2float_rz((int)(x * 2147483000.0f));
}

extern "C" __global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float rate = 0.02f, volatility = 0.3f;
    float s = price[i], k = strike[i], t = years[i];
    float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * sqrtf(t));
    float d2 = d1 - volatility * sqrtf(t), discount = expf(-rate * t);
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f);
    call[i] = s * n1 - k * discount * n2;
    put[i] = k * discount * (1 - n2) - s * (1 - n1);
}

extern "C" __global__ void bodies(const float4* at, float4* force, int n) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 own = i < n ? at[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += 64) {
        tile[threadIdx.x] = t + threadIdx.x < n ? at[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; j++) {
            float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float w = tile[j].w * inverse * inverse * inverse;
            sum.x += dx * w;
            sum.y += dy * w;
            sum.z += dz * w;
        }
        __syncthreads();
    }
    if (i < n) force[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

extern "C" __global__ void mandelbrot(int* out, int width, int height, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float cx = -2.0f + 2.5f * x / width, cy = -1.25f + 2.5f * y / height, zx = 0, zy = 0;
    int i = 0;
    while (i < most && zx * zx + zy * zy < 4.0f) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        i++;
    }
    out[y * width + x] = i;
}
