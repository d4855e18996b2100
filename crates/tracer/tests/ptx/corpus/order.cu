// What orders threads, and what does not.

// ---- Plain accesses beside atomics.
extern "C" __global__ void clear_then_add(int* out) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    atomicAdd(&s, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s;
}
extern "C" __global__ void clear_meet_add(int* out) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s;
}
extern "C" __global__ void add_unset(int* out) {
    __shared__ int s;
    atomicAdd(&s, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s;
}
extern "C" __global__ void add_then_read(int* out) {
    if (threadIdx.x == 0 && blockIdx.x == 0) out[1] = out[0];
    atomicAdd(&out[0], 1);
}
// The last to add resets: its result says that it is the last.
extern "C" __global__ void last_resets(unsigned* count, int* out) {
    if (atomicAdd(count, 1) == gridDim.x * blockDim.x - 1) {
        out[0] = 1;
        *count = 0;
    }
}
// One that is last only here.
extern "C" __global__ void one_resets(unsigned* count) {
    atomicAdd(count, 1);
    if (threadIdx.x == 127) *count = 0;
}

// ---- Masks.
extern "C" __global__ void outside_its_mask(int* out) {
    out[threadIdx.x] = __shfl_sync(0x0000ffff, (int)threadIdx.x, 0);
}
extern "C" __global__ void half_comes(int* out) {
    int r = 0;
    if (threadIdx.x < 16) r = __shfl_down_sync(0xffffffff, (int)threadIdx.x, 1, 8);
    out[threadIdx.x] = r;
}
extern "C" __global__ void half_left(int* out) {
    if (threadIdx.x >= 16) return;
    out[threadIdx.x] = __shfl_down_sync(0xffffffff, (int)threadIdx.x, 1, 8);
}
extern "C" __global__ void halves(int* out) {
    unsigned mine = threadIdx.x < 16 ? 0x0000ffff : 0xffff0000;
    out[threadIdx.x] = __shfl_xor_sync(mine, (int)threadIdx.x, 1) + __popc(__ballot_sync(mine, threadIdx.x & 1));
}
extern "C" __global__ void half_a_warp_meets(int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(0xffff);
    out[t] = s[t ^ 16];
}
extern "C" __global__ void halves_meet(int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(t < 16 ? 0xffff : 0xffff0000);
    out[t] = s[t ^ 8];
}
extern "C" __global__ void votes_in_a_branch(int* out) {
    int all = 0;
    if (threadIdx.x & 1) all = __all_sync(0xffffffff, threadIdx.x > 3);
    out[threadIdx.x] = all;
}

// ---- Fences and flags.
extern "C" __global__ void fence_alone(int* x, int* out) {
    int t = threadIdx.x;
    x[blockIdx.x * 32 + t] = t;
    __threadfence();
    out[blockIdx.x * 32 + t] = x[(blockIdx.x ^ 1) * 32 + t];
}
// Block 0 hands a value to block 1. FIRST and SECOND are the fences.
template <bool FIRST, bool SECOND> __device__ void hand_over(int* value, int* flag, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *value = 42;
        if (FIRST) __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        if (SECOND) __threadfence();
        out[0] = *value;
    }
}
extern "C" __global__ void handed_over(int* value, int* flag, int* out) { hand_over<true, true>(value, flag, out); }
extern "C" __global__ void not_released(int* value, int* flag, int* out) { hand_over<false, true>(value, flag, out); }
extern "C" __global__ void not_acquired(int* value, int* flag, int* out) { hand_over<true, false>(value, flag, out); }
// A fence of the block is too narrow.
extern "C" __global__ void narrow_fence(int* value, int* flag, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        out[0] = *value;
    }
}
// By accesses that release and acquire themselves, after a barrier of the block and before one.
extern "C" __global__ void released(int* values, int* flag, int* out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        values[t] = t;
        __syncthreads();
        if (t == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" :: "l"(flag) : "memory");
    } else {
        if (t == 0) {
            int seen = 0;
            while (!seen) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        }
        __syncthreads();
        out[t] = values[t ^ 1];
    }
}

// ---- Locks.
__device__ int lock;
template <bool ACQUIRE, bool RELEASE> __device__ void add_locked(int* sum, int by) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    if (ACQUIRE) __threadfence();
    sum[0] += by;
    if (RELEASE) __threadfence();
    atomicExch(&lock, 0);
}
extern "C" __global__ void warps_lock(int* sum) {
    if (threadIdx.x % 32 == 0) add_locked<true, true>(sum, threadIdx.x);
}
extern "C" __global__ void blocks_lock(int* sum) {
    if (threadIdx.x == 0) add_locked<true, true>(sum, blockIdx.x);
}
extern "C" __global__ void unlocked_early(int* sum) {
    if (threadIdx.x == 0) add_locked<true, false>(sum, blockIdx.x);
}

// ---- Stores of one value.
extern "C" __global__ void all_store_one(int* out) { out[0] = 7; }
extern "C" __global__ void all_store_their_own(int* out) { out[0] = threadIdx.x; }

// ---- Reading and storing is no addition.
extern "C" __global__ void add_by_store(int* out) { out[threadIdx.x % 4] += 1; }

// ---- Asynchronous copies.
__device__ void copy4(int* to, const int* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void never_waits(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    copy4(&s[t], &in[t]);
    __syncthreads();
    out[t] = s[t ^ 1];
}
extern "C" __global__ void waits_late(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    copy4(&s[t], &in[t]);
    __syncthreads();
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = s[t ^ 1];
}
extern "C" __global__ void waits_first(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    copy4(&s[t], &in[t]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[t] = s[t ^ 1];
}

// ---- Barriers of some warps.
extern "C" __global__ void two_warps_meet(int* out) {
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = s[(t + 32) % 64];
}
extern "C" __global__ void rounds(int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    #pragma unroll 1
    for (int k = 0; k < 3; k++) s[t] = s[(t + 32) % 64] + 1;
    out[t] = s[t];
}

// ---- Volatile orders nothing.
extern "C" __global__ void volatile_tail(const float* in, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile float* v = s;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
    }
    if (t == 0) out[0] = s[0];
}
extern "C" __global__ void volatile_across(const float* in, float* out) {
    volatile __shared__ float s[128];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 32) % 128];
}

// ---- A loop around a compare-exchange begins with a plain load, which it checks.
extern "C" __global__ void largest(const int* in, int* most) {
    int value = in[threadIdx.x], old = *most;
    while (value > old) {
        int seen = atomicCAS(most, old, value);
        if (seen == old) break;
        old = seen;
    }
}

// ---- Lanes of one store.
extern "C" __global__ void halves_differ(int* out) {
    __shared__ int s;
    s = threadIdx.x / 16;
    __syncthreads();
    out[threadIdx.x] = s;
}
extern "C" __global__ void the_last_differs(int* out) {
    out[0] = threadIdx.x == 31;
}

// ---- A thread that has left is not ordered by barriers that it does not meet.
extern "C" __global__ void leaves_after_a_store(const int* in, int* out, int n) {
    __shared__ int s[2];
    int t = threadIdx.x, w = t / 32;
    if (t >= n) { s[w] = -1; return; }
    if (t % 32 == 0) s[w] = in[t];
    __syncthreads();
    if (t == 0) s[0] += s[1];
    __syncthreads();
    out[t] = s[0];
}
extern "C" __global__ void leaves_after_a_barrier(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t >= n) return;
    out[t] = s[63 - t];
    __syncthreads();
    s[t] = out[t];
    __syncthreads();
    out[t] += s[(t + 1) % n] + s[63];
}

// ---- Sums of all blocks, read by the last one.
__device__ unsigned arrived;
extern "C" __global__ void sums_without_fences(const int* in, int* sum, int* out) {
    __shared__ unsigned ticket;
    int t = threadIdx.x;
    atomicAdd(&sum[t], in[blockIdx.x * blockDim.x + t]);
    __syncthreads();
    if (t == 0) ticket = atomicAdd(&arrived, 1);
    __syncthreads();
    if (ticket == gridDim.x - 1) out[t] = sum[t];
}
extern "C" __global__ void sums_with_fences(const int* in, int* sum, int* out) {
    __shared__ unsigned ticket;
    int t = threadIdx.x;
    atomicAdd(&sum[t], in[blockIdx.x * blockDim.x + t]);
    __threadfence();
    __syncthreads();
    if (t == 0) ticket = atomicAdd(&arrived, 1);
    __syncthreads();
    __threadfence();
    if (ticket == gridDim.x - 1) out[t] = sum[t];
}
extern "C" __global__ void sums_with_weaker_fences(const int* in, int* sum, int* out) {
    __shared__ unsigned ticket;
    int t = threadIdx.x;
    atomicAdd(&sum[t], in[blockIdx.x * blockDim.x + t]);
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __syncthreads();
    if (t == 0) ticket = atomicAdd(&arrived, 1);
    __syncthreads();
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (ticket == gridDim.x - 1) out[t] = sum[t];
}
extern "C" __global__ void parts_without_a_barrier(const int* in, int* part, int* out) {
    __shared__ unsigned ticket;
    int t = threadIdx.x;
    part[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t];
    if (t == 0) {
        __threadfence();
        ticket = atomicAdd(&arrived, 1);
        __threadfence();
    }
    __syncthreads();
    if (ticket == gridDim.x - 1) out[t] = part[t];
}
// Its result is used, but does not say that it is the last.
extern "C" __global__ void resets_too_early(unsigned* count, int* out) {
    out[threadIdx.x] = atomicAdd(count, 1);
    if (threadIdx.x == 127) *count = 0;
}

// ---- A block waits for one that comes later, and nothing is released.
extern "C" __global__ void waits_for_the_next(const int* in, int* data, int* flag, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {}
        out[0] = data[0];
    } else {
        data[0] = in[0] * 2;
        atomicExch(flag, 1);
    }
}
extern "C" __global__ void polls_the_next(const int* in, int* data, volatile int* flag, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        while (*flag == 0) {}
        out[0] = data[0];
    } else {
        data[0] = in[0] * 2;
        *flag = 1;
    }
}

// ---- A release for all threads of a block.
__device__ int load_acquire(const int* at) {
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
extern "C" __global__ void releases_before_the_barrier(const int* in, int* acc, int* sem) {
    int t = threadIdx.x;
    if (t == 0) while (load_acquire(sem) != (int)blockIdx.x) {}
    __syncthreads();
    acc[t] += in[blockIdx.x * blockDim.x + t];
    if (t == 0) asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(sem), "r"((int)blockIdx.x + 1) : "memory");
}
extern "C" __global__ void acquires_without_a_barrier(const int* in, int* acc, int* sem) {
    int t = threadIdx.x;
    if (t == 0) while (load_acquire(sem) != (int)blockIdx.x) {}
    acc[t] += in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0) asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(sem), "r"((int)blockIdx.x + 1) : "memory");
}
extern "C" __global__ void releases_in_the_block(const int* in, int* data, int* flag, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = in[0];
        asm volatile("st.release.cta.global.s32 [%0], %1;" :: "l"(flag), "r"(1) : "memory");
    } else {
        int seen;
        do asm volatile("ld.acquire.cta.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory"); while (seen == 0);
        out[0] = data[0];
    }
}
// A plain semaphore: what is stored is not what was loaded.
extern "C" __global__ void stores_what_it_polled(const int* in, int* flag, int* out) {
    if (threadIdx.x == 0) out[blockIdx.x] = flag[0];
    if (threadIdx.x == 32) flag[0] = 1;
}
// ---- Both arms of a branch have the operation.
extern "C" __global__ void arms_meet(const int* in, int* out) {
    int t = threadIdx.x, v;
    if (t & 1) {
        v = __shfl_xor_sync(0xffffffff, in[t] * 2, 1);
    } else {
        v = __shfl_xor_sync(0xffffffff, in[t] + 100, 1);
        v += 7;
    }
    out[t] = v;
}
extern "C" __global__ void arms_stay_apart(const int* in, int* out) {
    int t = threadIdx.x, v;
    if (t & 1) {
        v = __shfl_xor_sync(0xaaaaaaaa, in[t] * 2, 2);
    } else {
        v = __shfl_xor_sync(0x55555555, in[t] + 100, 2);
        v += 7;
    }
    out[t] = v;
}

// ---- Atomics whose scope is one block.
extern "C" __global__ void counts_in_its_block(int* out) {
    atomicAdd_block(&out[threadIdx.x % 4], 1);
}
extern "C" __global__ void counts_its_own(int* out) {
    atomicAdd_block(&out[blockIdx.x * 4 + threadIdx.x % 4], 1);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x * 4] += 1;
}
extern "C" __global__ void counts_in_its_block_with_fences(int* out) {
    __threadfence();
    out[4 + blockIdx.x * 64 + threadIdx.x] = atomicAdd_block(&out[0], 1);
}

// ---- A compare-exchange at the address of a load that it does not check.
extern "C" __global__ void claims_what_others_read(int* slot, int* out) {
    if (blockIdx.x == 0) atomicCAS(&slot[threadIdx.x], 0, 7);
    else out[threadIdx.x] = slot[threadIdx.x];
}

// ---- Volatile data in a loop is no flag, and a volatile flag is one.
extern "C" __global__ void volatile_parts(const int* in, volatile int* part, int* out) {
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            int sum = 0;
            #pragma unroll 1
            for (int b = 0; b < gridDim.x; b++) sum += part[b];
            out[0] = sum;
        }
    }
}
extern "C" __global__ void volatile_ticket(const int* in, int* ticket, volatile int* serving, int* out) {
    if (threadIdx.x == 0) {
        int mine = atomicAdd(ticket, 1);
        while (*serving != mine) {}
        __threadfence();
        out[0] += in[blockIdx.x];
        __threadfence();
        *serving = mine + 1;
    }
}
