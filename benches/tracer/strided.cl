// out[i] = in[i * stride]: tests/kernels/strided.wgsl in OpenCL.
kernel void run(global const float *input, global float *output, const uint stride) {
    const uint i = get_global_id(0);
    output[i] = input[i * stride];
}
