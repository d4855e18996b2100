// The softmax's and the products' shares of attention's
// operations and bytes, in percent, for N queries and N keys of
// HEAD numbers.
// The first row of the result has the softmax's operations and
// the products', the second their bytes.
// Constants: N, the queries and the keys; HEAD, the numbers in
// each.

extern "C" __global__ void __launch_bounds__(1)
attention_bill(float* __restrict__ shares) {
    float n = float(N);
    float head = float(HEAD);
    // For each score: two multiplications and additions per
    // number of the head, and five operations of the softmax.
    float operations = 4.0f * head + 5.0f;
    shares[0] = 100.0f * 5.0f / operations;
    shares[1] = 100.0f * 4.0f * head / operations;
    // The softmax reads and writes each score, of 2 bytes. So
    // do the products, which also move Q, K, V and the result.
    float bytes = 8.0f * n + 8.0f * head;
    shares[2] = 100.0f * 4.0f * n / bytes;
    shares[3] = 100.0f * (4.0f * n + 8.0f * head) / bytes;
}
