// What the parts of attention have of its operations and of its
// bytes, in percent, for N queries and N keys of HEAD numbers.
// A row of the result has the softmax's operations, the
// products', the softmax's bytes and the products': the first
// row has only operations, the second only bytes.
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
    shares[2] = 0.0f;
    shares[3] = 0.0f;
    // The softmax reads and writes each score, of 2 bytes. So
    // do the products, which also move Q, K, V and the result.
    float bytes = 8.0f * n + 8.0f * head;
    shares[4] = 0.0f;
    shares[5] = 0.0f;
    shares[6] = 100.0f * 4.0f * n / bytes;
    shares[7] = 100.0f * (4.0f * n + 8.0f * head) / bytes;
}
