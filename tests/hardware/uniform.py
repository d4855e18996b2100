#!/usr/bin/env python3
"""Reads how a GPU's constant cache serves lanes, and writes uniform.json: python3 tests/hardware/uniform.py

It needs an NVIDIA GPU whose counters may be read, `nvcc` and `ncu` on the path. A uniform buffer's CUDA twin is `__constant__` memory. Each case is a kernel
whose lanes read a table of float4 or of float: all lanes of the grid at one place, or `group` neighbours at one place, places `stride` apart, with `active`
lanes of each warp. `idc__requests` counts the cache's passes, those for kernel parameters too: the same kernel with `reads` = 0 is subtracted.
`cargo test --test hardware` sets the passes beside the tracer's.
"""

import csv
import datetime
import json
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BLOCKS, THREADS, READS = 64, 128, 16
METRIC = "idc__requests.sum"
CASES = [
    {"components": components, "group": group, "stride": stride, "active": active}
    for components in (1, 2, 4)
    for group, stride, active in ((1, 1, 32), (2, 1, 32), (8, 1, 32), (32, 1, 32), (1, 1, 16), (1, 1, 5), (1, 7, 32), (4, 16, 32))
] + [{"components": 4, "group": 0, "stride": 1, "active": 32}]

SOURCE = """
#include <cstdio>
__constant__ float table[8192];
template <int N> struct alignas(4 * N) Aligned { float v[N]; };
// Reads of `N` floats at an address: a group of 0 is the whole grid.
template <int N, int GROUP, int STRIDE, int ACTIVE, int READS> __global__ void read(float *out, int zero) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (threadIdx.x % 32 < ACTIVE) {
        #pragma unroll 1
        for (unsigned i = zero; i < READS; i++) {
            unsigned place = ((GROUP == 0 ? blockIdx.x : at / (GROUP == 0 ? 1 : GROUP) * STRIDE) + i) % (8192 / N);
            Aligned<N> value = ((const Aligned<N> *)table)[place];
            for (int k = 0; k < N; k++) sum += value.v[k];
        }
    }
    out[at] = sum;
}
int main() {
    float *out;
    cudaMalloc(&out, BLOCKS * THREADS * sizeof(float));
    LAUNCHES
    printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""


def launches(reads):
    names = (f"read<{c['components']}, {c['group']}, {c['stride']}, {c['active']}, {reads}>" for c in CASES)
    return " ".join(f"{name}<<<BLOCKS, THREADS>>>(out, 0);" for name in names)


def measured(reads):
    """The metric of each case, in order."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "uniform.cu", Path(folder) / "uniform"
        text = SOURCE.replace("LAUNCHES", launches(reads)).replace("BLOCKS", str(BLOCKS)).replace("THREADS", str(THREADS))
        source.write_text(text)
        subprocess.run(["nvcc", "-O3", "-arch=native", "-o", program, source], check=True)
        command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--metrics", METRIC, str(program)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = list(csv.reader(line for line in said.splitlines() if line.startswith('"')))
    column = rows[0].index(METRIC)
    values = [int(row[column].replace(",", "")) for row in rows[2:]]
    assert len(values) == len(CASES), said
    return values


def main():
    device = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], check=True, capture_output=True, text=True)
    passes = [some - none for some, none in zip(measured(READS), measured(0))]
    head = {"device": device.stdout.splitlines()[0], "date": str(datetime.date.today()), "command": "python3 tests/hardware/uniform.py", "metric": METRIC}
    body = {"head": head, "blocks": BLOCKS, "threads": THREADS, "reads": READS, "rows": [case | {"passes": n} for case, n in zip(CASES, passes)]}
    (HERE / "uniform.json").write_text(json.dumps(body, indent=1) + "\n")
    print(json.dumps(body))


main()
