#!/usr/bin/env python3
"""Reads a profiler's counters that lessons quote, and writes them to assets/profiles/DEVICE-ncu.ron.

    python3 tests/hardware/counters.py [-o FILE.ron]

It needs what measure.py needs. Each run is one launch of a kernel's CUDA twin under ncu: caches flushed before it, clocks not locked.
A lesson quotes a counter as {{= strided_8.dram_read_bytes : B @ h200 ncu}}.
"""

import argparse
import csv
import datetime
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import measure

# A counter's name in quotes, its metric in base units, and its unit.
COUNTERS = [
    ("time", "gpu__time_duration.sum", "s"),
    ("load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", ""),
    ("load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", ""),
    ("store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", ""),
    ("store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", ""),
    ("l2_read_sectors", "lts__t_sectors_op_read.sum", ""),
    ("l2_write_sectors", "lts__t_sectors_op_write.sum", ""),
    ("dram_read_bytes", "dram__bytes_read.sum", "B"),
    ("dram_write_bytes", "dram__bytes_write.sum", "B"),
]


def copy(run, kernel, n, loaded, constants, lanes=None, **params):
    """A kernel of the lesson on memory, whose source has `loaded` elements and whose result `n`."""
    blocks = (lanes or n) // 256
    return {
        "name": run, "lesson": "coalescing", "kernel": kernel, "set": {"n": n, **params},
        "wgsl": f"shaders/coalescing/{kernel}.wgsl", "entry": "main",
        "constants": {"N": n, "BLOCK": 256, **constants},
        "buffers": [["src", "f32", loaded, "zero"], ["dst", "f32", n, "poison"]],
        "grid": [min(blocks, 32768), -(-blocks // 32768), 1], "block": [256, 1, 1],
    }


def transpose(kernel, side):
    """A transpose of a square matrix."""
    constants = {"ROWS": side, "COLS": side} | ({"PAD": 1} if kernel == "transpose_padded" else {})
    row = copy(f"{kernel}_{side}", kernel, side * side, side * side, {})
    return row | {"constants": constants, "grid": [side // 32, side // 32, 1], "block": [32, 8, 1]}


def product(kernel, n, block, grid, **constants):
    """A kernel of the lesson on tiling: a product of square matrices."""
    return {
        "name": f"{kernel}_{n}", "lesson": "tiling", "kernel": kernel, "set": {"n": n},
        "wgsl": f"shaders/tiling/{kernel}.wgsl", "entry": "main",
        "constants": {"M": n, "N": n, "K": n, **constants},
        "buffers": [["a", "f32", n * n, "cycle"], ["b", "f32", n * n, "cycle"], ["c", "f32", n * n, "poison"]],
        "grid": [*grid, 1], "block": [*block, 1],
    }


def runs():
    """What is profiled."""
    small, large = 1 << 20, 1 << 26
    for stride in (1, 2, 4, 8, 16, 32):
        yield copy(f"strided_{stride}", "strided", small, small * stride, {"STRIDE": stride, "OFFSET": 0}, stride=stride, offset=0)
    for n in (1 << 24, large):
        for offset in (0, 1):
            name = f"offset_{offset}_{n}"
            yield copy(name, "strided", n, n + offset, {"STRIDE": 1, "OFFSET": offset}, stride=1, offset=offset)
    yield copy("copy_large", "copy", large, large, {})
    yield copy("vec4_large", "vec4", large, large, {"N": large // 4}, lanes=large // 4)
    yield copy("aos_field_large", "aos_field", large, 2 * large, {})
    for kernel in ("transpose_naive", "transpose_tiled", "transpose_padded"):
        yield transpose(kernel, 4096)
    yield copy("chunked", "chunked", 1 << 24, 1 << 24, {}, lanes=1 << 21)
    yield copy("copy_of_chunked", "copy", 1 << 24, 1 << 24, {})
    # The ladder of products at the settings of its recording.
    n = 4096
    for kernel in ("row", "column"):
        yield product(kernel, n, (16, 16), (n // 16, n // 16))
    yield product("shared_tile", n, (16, 16), (n // 16, n // 16), TILE=16)
    yield product("block_1d", n, (256, 1), (n // 64, n // 32), BM=32, BN=64, BK=16, TM=8)
    for kernel in ("block_2d", "vectorised", "swizzled", "double_buffered"):
        yield product(kernel, n, (128, 1), (n // 128, n // 128), BM=128, BN=128, BK=16, TM=8, TN=16)


def profiled(rows, folder):
    """Launches the rows under ncu; gives each row's counters."""
    plan, sums = folder / "plan.json", folder / "sums.json"
    plan.write_text(json.dumps(rows))
    metrics = ",".join(metric for _, metric, _ in COUNTERS)
    command = ["ncu", "--clock-control", "none", "--print-units", "base", "--csv", "--page", "raw", "--metrics", metrics]
    command += [sys.executable, str(measure.HERE / "measure.py"), "--launch", str(plan), str(sums)]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if done.returncode or not lines:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    units, *records = csv.DictReader(lines)
    if len(records) != len(rows):
        sys.exit(f"{len(rows)} kernels were launched and {len(records)} profiled\n{done.stdout}")
    scale = {"ns": 1e-9, "nsecond": 1e-9}
    for row, record in zip(rows, records):
        values = [(name, float(record[metric].replace(",", "")) * scale.get(units[metric], 1), unit) for name, metric, unit in COUNTERS]
        yield row, values


def main():
    """Profiles all runs and writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, help="where the profile goes")
    options = parser.parse_args()
    query = ("nvidia-smi", "-i", "0", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader")
    device, driver, arch = measure.said(*query).split(", ")
    ncu = re.search(r"Version (\S+)", measure.said("ncu", "--version"))[1]
    text = f"""(
    format_version: 1,
    device: {json.dumps(device)},
    driver: {json.dumps("NVIDIA " + driver)},
    date: "{datetime.date.today().isoformat()}",
    command: "python3 tests/hardware/counters.py",
    how: "Nsight Compute {ncu} on the CUDA twins, one launch each: caches flushed before it, clocks not locked.",
    runs: [
"""
    rows = list(runs())
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        measure.compile_all(rows, folder, arch.replace(".", ""))
        for row, values in profiled(rows, folder):
            set_to = ", ".join(f'"{name}": {value}' for name, value in row["set"].items())
            counters = ", ".join(f'("{name}", {value:.6g}, "{unit}")' if unit == "s" else f'("{name}", {value:.0f}, "{unit}")'
                                 for name, value, unit in values)
            text += f'        (id: "{row["name"]}", lesson: "{row["lesson"]}", kernel: "{row["kernel"]}", set: {{{set_to}}}, counters: [{counters}]),\n'
    name = re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")
    output = options.output or measure.ROOT / f"assets/profiles/{name}-ncu.ron"
    output.write_text(text + "    ],\n)\n")


if __name__ == "__main__":
    main()
