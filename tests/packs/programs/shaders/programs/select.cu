// Lists the places of all keys that three divides, in no order.
extern "C" __global__ void select(const unsigned int* keys, unsigned int* found, unsigned int* list) {
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N && keys[i] % 3 == 0) {
        list[atomicAdd(found, 1u)] = i;
    }
}
