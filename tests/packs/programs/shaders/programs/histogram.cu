// How many keys of each block of 256 are even.
extern "C" __global__ void histogram(const unsigned int* keys, unsigned int* evens) {
    __shared__ unsigned int count;
    if (threadIdx.x == 0) {
        count = 0;
    }
    __syncthreads();
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N && keys[i] % 2 == 0) {
        atomicAdd(&count, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        evens[blockIdx.x] = count;
    }
}
