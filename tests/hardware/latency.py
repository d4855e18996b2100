#!/usr/bin/env python3
"""Measures what a device's model needs and no data sheet gives: python3 tests/hardware/latency.py

It needs an NVIDIA GPU and `nvcc` on the path. One thread follows a chain of pointers, in cycles per step: in DRAM, in the L2 cache, in L1 and in shared
memory; then a chain of dependent multiply-adds. Grids of empty blocks of 32 to 1,024 threads run in a graph, in blocks per second. Warps add atomically, each warp to one
of 32 words, which lie side by side or apart. Each figure is the median of 21 runs. assets/devices/ quotes them.
"""

import json
import subprocess
import tempfile
from pathlib import Path

SOURCE = r"""
#include <algorithm>
#include <cstdio>
#include <vector>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; } } while (0)
__global__ void link(unsigned *next, unsigned n, unsigned step) {
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n / step; i += gridDim.x * blockDim.x)
        next[i * step] = (unsigned)((i * 1664525 + 1013904223) % (n / step)) * step; // a full period: n / step is a power of two
}
template <bool CACHED> __global__ void chase(const unsigned *next, unsigned steps, long long *cycles, unsigned *end) {
    unsigned at = 0;
    for (unsigned i = 0; i < 64; i++) at = CACHED ? __ldca(next + at) : __ldcg(next + at);
    long long before = clock64();
    for (unsigned i = 0; i < steps; i++) at = CACHED ? __ldca(next + at) : __ldcg(next + at);
    *cycles = clock64() - before;
    *end = at;
}
__global__ void chase_shared(unsigned steps, long long *cycles, unsigned *end) {
    __shared__ unsigned next[1024];
    for (unsigned i = 0; i < 1024; i++) next[i] = (i * 7 + 1) % 1024;
    unsigned at = 0;
    long long before = clock64();
    for (unsigned i = 0; i < steps; i++) at = next[at];
    *cycles = clock64() - before;
    *end = at;
}
__global__ void chain(float a, float b, unsigned steps, long long *cycles, float *end) {
    float x = a;
    long long before = clock64();
    #pragma unroll 16
    for (unsigned i = 0; i < steps; i++) x = x * a + b;
    *cycles = clock64() - before;
    *end = x;
}
__global__ void empty() {}
__global__ void add(unsigned *to, unsigned apart) { atomicAdd(to + threadIdx.x / 32 % 4 * apart + blockIdx.x % 8 * apart * 4, threadIdx.x); }
int main() {
    unsigned *memory; long long *cycles, seen; float *end; cudaStream_t stream; cudaEvent_t begin, done;
    const unsigned words = 1u << 30;
    CHECK(cudaMalloc(&memory, words * 4ull)); CHECK(cudaMalloc(&cycles, 8)); CHECK(cudaMalloc(&end, 4)); CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&begin)); CHECK(cudaEventCreate(&done));
    auto median = [](std::vector<double> v) { std::sort(v.begin(), v.end()); return v[v.size() / 2]; };
    auto cold = [&](const char *name, unsigned n, unsigned step, bool cached, int passes) {
        const unsigned steps = 20000;
        std::vector<double> all;
        for (int run = 0; run < 21; run++) {
            link<<<1024, 256>>>(memory, n, step);
            for (int pass = 0; pass < passes; pass++) {
                if (cached) chase<true><<<1, 1>>>(memory, steps, cycles, (unsigned *)end);
                else chase<false><<<1, 1>>>(memory, steps, cycles, (unsigned *)end);
            }
            cudaMemcpy(&seen, cycles, 8, cudaMemcpyDeviceToHost);
            all.push_back((double)seen / steps);
        }
        printf("{\"figure\": \"%s\", \"cycles\": %.1f}\n", name, median(all));
    };
    cold("dram, 4 GiB, a line of 128 bytes a step", words, 32, false, 1);
    cold("dram, 256 MiB", 1u << 26, 32, false, 1);
    cold("l2, 2 MiB", 1u << 19, 32, false, 2);
    cold("l1, 16 KiB", 1u << 12, 8, true, 1);
    std::vector<double> all;
    for (int run = 0; run < 21; run++) { chase_shared<<<1, 1>>>(20000, cycles, (unsigned *)end); cudaMemcpy(&seen, cycles, 8, cudaMemcpyDeviceToHost); all.push_back(seen / 2e4); }
    printf("{\"figure\": \"shared\", \"cycles\": %.1f}\n", median(all));
    all.clear();
    for (int run = 0; run < 21; run++) { chain<<<1, 1>>>(0.5f, 0.25f, 20000, cycles, end); cudaMemcpy(&seen, cycles, 8, cudaMemcpyDeviceToHost); all.push_back(seen / 2e4); }
    printf("{\"figure\": \"multiply-add\", \"cycles\": %.2f}\n", median(all));
    for (unsigned lanes : {32u, 64u, 128u, 256u, 1024u}) for (unsigned blocks : {132u, 1u << 15, 1u << 18}) {
        cudaGraph_t graph; cudaGraphExec_t exec; const int launches = 20;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < launches; i++) empty<<<blocks, lanes, 0, stream>>>();
        CHECK(cudaStreamEndCapture(stream, &graph)); CHECK(cudaGraphInstantiate(&exec, graph, 0));
        all.clear();
        for (int run = 0; run < 22; run++) {
            float ms; CHECK(cudaEventRecord(begin, stream)); CHECK(cudaGraphLaunch(exec, stream)); CHECK(cudaEventRecord(done, stream));
            CHECK(cudaEventSynchronize(done)); CHECK(cudaEventElapsedTime(&ms, begin, done)); if (run) all.push_back(ms * 1e-3 / launches);
        }
        double s = median(all);
        printf("{\"figure\": \"empty blocks\", \"lanes\": %u, \"blocks\": %u, \"seconds\": %.4g, \"blocks_per_s\": %.4g}\n", lanes, blocks, s, blocks / s);
    }
    for (unsigned apart : {0u, 1u, 8u, 32u, 128u, 1024u}) {
        cudaMemset(memory, 0, 1 << 20);
        all.clear();
        for (int run = 0; run < 22; run++) {
            float ms; CHECK(cudaEventRecord(begin, stream)); add<<<1 << 14, 128, 0, stream>>>(memory, apart); CHECK(cudaEventRecord(done, stream));
            CHECK(cudaEventSynchronize(done)); CHECK(cudaEventElapsedTime(&ms, begin, done)); if (run) all.push_back(ms * 1e-3);
        }
        double s = median(all);
        printf("{\"figure\": \"atomic adds of a warp to one word, 32 words %u bytes apart\", \"seconds\": %.4g, \"ns_per_lane\": %.3g}\n", apart * 4, s, s * 1e9 / (1 << 21));
    }
    CHECK(cudaDeviceSynchronize());
}
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "latency.cu", Path(folder) / "latency"
        source.write_text(SOURCE)
        subprocess.run(["nvcc", "-O3", "-arch=native", "-o", program, source], check=True)
        said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    name = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm", "--format=csv,noheader"], check=True, capture_output=True, text=True)
    print(json.dumps({"device": name.stdout.strip()}))
    print(said, end="")


main()
