// Elements of A and B. Beyond the edges there are zeros, which
// add nothing to a sum.

fn load_a(row: u32, k: u32) -> f32 {
    if (row < M && k < K) { return a[row * K + k]; }
    return 0.0;
}

fn load_b(k: u32, column: u32) -> f32 {
    if (k < K && column < N) { return b[k * N + column]; }
    return 0.0;
}
