// The start: each rank takes the part of the checkpoint that it
// updates, in f32. What is behind a layer's last parameter is
// padding, and stays 0.
// A thread has one element; y is the rank from FIRST on, z the
// layer.
// Constants: LAYERS; PARAMS, a layer's parameters; OWN, how
// many of them a rank updates; SHIFT, from this times its
// number on; FIRST, the rank of y = 0.

extern "C" __global__ void __launch_bounds__(256)
take(const float* __restrict__ checkpoint,
     float* __restrict__ master) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned rank = FIRST + blockIdx.y;
    unsigned layer = blockIdx.z;
    if (i >= OWN) {
        return;
    }
    unsigned element = rank * SHIFT + i;
    float value = 0.0f;
    if (element < PARAMS) {
        value = checkpoint[layer * PARAMS + element];
    }
    unsigned row = blockIdx.y * LAYERS + layer;
    master[row * OWN + i] = value;
}
