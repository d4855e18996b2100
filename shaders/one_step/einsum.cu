// An einsum as a loop nest with strides. A thread has one element
// of the result: p, q and r are its letters, r the fastest, and
// s is the letter that is summed over.
// An operand is addressed by a stride for each letter: by how
// many elements it goes on when the letter goes on by one. The
// stride is 0 for a letter that the operand does not have.
// Constants: P, Q, R and S, how far each letter runs; A_P to A_S,
// strides of the first operand; B_P to B_S, of the second.

extern "C" __global__ void __launch_bounds__(64)
einsum(const float* __restrict__ a, const float* __restrict__ b,
       float* __restrict__ c) {
    unsigned element = blockIdx.x * 64 + threadIdx.x;
    if (element >= P * Q * R) {
        return;
    }
    unsigned r = element % R;
    unsigned q = element / R % Q;
    unsigned p = element / R / Q;
    float sum = 0.0f;
    for (unsigned s = 0; s < S; s++) {
        float of_a = a[p * A_P + q * A_Q + r * A_R + s * A_S];
        float of_b = b[p * B_P + q * B_Q + r * B_R + s * B_S];
        sum += of_a * of_b;
    }
    c[element] = sum;
}
