#!/usr/bin/env python3
"""Reads the hardware's counters for every row of cases.json and writes them to counters.json.

    python3 tests/hardware/measure.py [--only PART_OF_A_NAME]... [--least]

It needs an NVIDIA GPU whose counters may be read, `nvcc` and `ncu` on the path, and nothing of Python beyond its own library.
Each row is one kernel with its constants. The CUDA twins, the lessons' own among them, are compiled with the constants before
their first line, as the program compiles them; a process under ncu then launches them in order, on the same inputs that the
tracer gets, and prints a checksum of what every buffer holds afterwards.
`cargo test --test main hardware::` sets the counters and the checksums beside the tracer's.
"""

import argparse
import csv
import ctypes
import datetime
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# What is compared, and the metrics whose sum it is: derived from the tracer's table of counters.
COUNTERS = json.loads((HERE / "metrics.json").read_text())

# Rows that one process launches: few enough to see progress.
PART = 100
POISON = 0x7FC0DEAD
HALF_POISON = 0x7EAD


def rows(cases):
    """Each case once for every choice of its constants, with a name that says which."""
    for case in cases:
        names = sorted(case["constants"])
        each = [v if isinstance(v, list) else [v] for v in (case["constants"][name] for name in names)]
        for values in itertools.product(*each):
            path = case.get("cuda", case["wgsl"])
            stem = re.sub(r"^(shaders|tests/hardware/patterns)/|\.\w+$", "", path)
            entry = [] if case["entry"] == "main" else [case["entry"]]
            name = " ".join(["/".join([stem, *entry]), *(f"{n}={v}" for n, v in zip(names, values))])
            yield {**case, "name": name, "constants": dict(zip(names, values))}


def constants(row):
    """C++ for the constants of a row and those `override`s that it leaves at their own values; other `const`s the twin has itself."""
    source = (ROOT / row["wgsl"]).read_text()
    declared = re.findall(r"^(override|const) (\w+)\s*:\s*(\w+)\s*=\s*([-\w.]+);", source, re.MULTILINE)
    types = {name: elem for _, name, elem, _ in declared}
    values = {name: value.rstrip("u") for keyword, name, _, value in declared if keyword == "override"} | row["constants"]

    def line(name, value):
        if types.get(name) == "f32":
            return f"constexpr float {name} = {float(value)}f;\n"
        return f"constexpr unsigned int {name} = {value}u;\n"

    return "".join(line(name, value) for name, value in sorted(values.items()))


def function(row, source):
    """The twin's name: the entry point's, or where that is `main`, which C++ keeps for itself, the file's only kernel's."""
    if row["entry"] != "main":
        return row["entry"]
    [name] = re.findall(r"__global__ void\s+(?:__launch_bounds__\(.*?\)\s+)?(\w+)\(", source.read_text())
    return name


def compile_all(all_rows, folder, arch):
    """Compiles each twin once for each set of constants; gives each row its cubin."""
    jobs = {}
    for row in all_rows:
        source = ROOT / row.get("cuda", re.sub(r"\.wgsl$", ".cu", row["wgsl"]))
        key = (source, constants(row))
        row["cubin"] = str(jobs.setdefault(key, folder / f"{len(jobs)}.cubin"))
        row["function"] = function(row, source)

    def build(job):
        (source, header), cubin = job
        before = Path(cubin).with_suffix(".h")
        before.write_text(header)
        command = ["nvcc", f"-arch=sm_{arch}", "-cubin", "--fmad=false", "-include", str(before), "-o", cubin, str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(build, jobs.items()))


def contents(elem, count, init):
    """A buffer as the tracer fills it."""
    if init in ("iota", "cycle"):
        values = [i % 13 for i in range(count)] if init == "cycle" else range(count)
        # Python's arrays know no halves: their bit patterns.
        return array("H", struct.pack(f"<{count}e", *values)) if elem == "f16" else array("f" if elem == "f32" else "I", values)
    if elem == "f16":
        return array("H", [{"zero": 0, "poison": HALF_POISON}[init]]) * count
    named = {"zero": 0, "one": 1, "poison": POISON}
    return array("I", [named.get(init, init)]) * count


def size(host):
    """The bytes of a buffer."""
    return host.itemsize * len(host)


def launch(all_rows):
    """Launches each row's kernel once; gives the checksums of the buffers afterwards."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *arguments):
        status = getattr(cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: CUDA error {status}")

    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    sums = {}
    for row in all_rows:
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoad", ctypes.byref(module), row["cubin"].encode())
        call("cuModuleGetFunction", ctypes.byref(function), module, row["function"].encode())
        hosts, pointers = [], []
        for _, elem, count, init in row["buffers"]:
            host, pointer = contents(elem, count, init), ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size(host)))
            call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(host.buffer_info()[0]), ctypes.c_size_t(size(host)))
            hosts.append(host)
            pointers.append(pointer)
        arguments = (ctypes.c_void_p * len(pointers))(*(ctypes.addressof(p) for p in pointers))
        call("cuLaunchKernel", function, *row["grid"], *row["block"], 0, None, arguments, None)
        call("cuCtxSynchronize")
        checksum = 1
        for host, pointer in zip(hosts, pointers):
            call("cuMemcpyDtoH_v2", ctypes.c_void_p(host.buffer_info()[0]), pointer, ctypes.c_size_t(size(host)))
            call("cuMemFree_v2", pointer)
            checksum = zlib.adler32(host.tobytes(), checksum)
        call("cuModuleUnload", module)
        sums[row["name"]] = checksum
    return sums


def profile(all_rows, folder, metrics):
    """Launches the rows under ncu; gives each row's metrics and checksum."""
    plan, sums = folder / "plan.json", folder / "sums.json"
    plan.write_text(json.dumps(all_rows))
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(metrics)]
    command += [sys.executable, str(HERE / "measure.py"), "--launch", str(plan), str(sums)]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if done.returncode or not lines:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    # The first record holds the units.
    records = list(csv.DictReader(lines))[1:]
    if len(records) != len(all_rows):
        sys.exit(f"{len(all_rows)} kernels were launched and {len(records)} profiled\n{done.stdout}")
    checksums = json.loads(sums.read_text())
    for row, record in zip(all_rows, records):
        values = {metric: int(float(record[metric].replace(",", ""))) for metric in metrics}
        yield row["name"], values, checksums[row["name"]]


def said(*command):
    """What a program prints, less the space around it."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main():
    """Measures all rows, or launches those of a plan."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=HERE / "counters.json", help="where the counters go")
    parser.add_argument("--launch", nargs=2, type=Path, metavar=("PLAN", "SUMS"), help="what runs under ncu")
    parser.add_argument("--only", action="append", metavar="PART_OF_A_NAME", help="measure the rows whose names have it, and keep the others' counters")
    parser.add_argument("--least", action="store_true", help="keep the lesser of each counter and what counters.json has of it: of conflicts that come from timing, runs have more or less")
    options = parser.parse_args()
    if options.launch:
        plan, sums = options.launch
        sums.write_text(json.dumps(launch(json.loads(plan.read_text()))))
        return

    all_rows = list(rows(json.loads((HERE / "cases.json").read_text())))
    names = {row["name"] for row in all_rows}
    measured, kept = {}, json.loads((HERE / "counters.json").read_text())["rows"] if options.only or options.least else {}
    if options.only:
        chosen = {name for name in names if any(part in name for part in options.only)}
        all_rows = [row for row in all_rows if row["name"] in chosen]
        measured = {name: row for name, row in kept.items() if name in names - chosen}
    metrics = sorted({metric for sum_of in COUNTERS.values() for metric in sum_of})
    device, driver, arch = said("nvidia-smi", "-i", "0", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader").split(", ")
    head = {
        "device": device,
        "driver": driver,
        "nvcc": re.search(r"release .*", said("nvcc", "--version"))[0],
        "ncu": re.search(r"Version .*", said("ncu", "--version"))[0],
        "date": datetime.date.today().isoformat(),
        "command": "python3 tests/hardware/measure.py",
        "profiler": f"ncu --clock-control none --csv --page raw --metrics {','.join(metrics)}",
    }
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        compile_all(all_rows, folder, arch.replace(".", ""))
        for first in range(0, len(all_rows), PART):
            for name, values, checksum in profile(all_rows[first : first + PART], folder, metrics):
                counters = {counter: sum(values[metric] for metric in of) for counter, of in COUNTERS.items()}
                if options.least and kept.get(name, {}).get("checksum") == checksum:
                    counters = {counter: min(value, kept[name].get(counter, 0)) for counter, value in counters.items()}
                measured[name] = {"checksum": checksum} | {c: v for c, v in counters.items() if v}
            print(f"{len(measured)} of {len(names)}", file=sys.stderr, flush=True)
    lines = [f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in measured.items()]
    text = json.dumps({"head": head}, indent=2)[:-2] + ',\n  "rows": {\n' + ",\n".join(lines) + "\n  }\n}\n"
    options.output.write_text(text)


if __name__ == "__main__":
    main()
