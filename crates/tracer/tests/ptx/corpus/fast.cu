// The same with fast approximations.
// options: -lineinfo --use_fast_math

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

