#!/usr/bin/env python3
"""Reads what the caches of a GPU served for every row of cases.json, and writes it to caches.json.

    python3 tests/hardware/caches.py [-o FILE]

It needs what measure.py needs. ncu empties the caches before each kernel. `cargo test --test main hardware::caches` sets the
figures beside those of the tracer's caches.
"""

import argparse
import datetime
import json
import tempfile
from pathlib import Path

import measure

#: Sectors of 32 bytes, and bytes of DRAM, by their names in the trace.
METRICS = {
    "l1_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1_misses": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
    "l2_loads": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_stores": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "dram_load_bytes": "dram__bytes_read.sum",
    "dram_store_bytes": "dram__bytes_write.sum",
}


def main():
    """Measures all rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=measure.HERE / "caches.json", help="where the figures go")
    parser.add_argument("--only", action="append", metavar="PART_OF_A_NAME", help="measure the rows whose names have it, and keep the others' figures")
    options = parser.parse_args()
    output = options.output
    rows = list(measure.rows(json.loads((measure.HERE / "cases.json").read_text())))
    name, driver, capability = measure.said(
        "nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader", "-i", "0"
    ).split(", ")
    found = {}
    if options.only:
        chosen = [row for row in rows if any(part in row["name"] for part in options.only)]
        others = {row["name"] for row in rows} - {row["name"] for row in chosen}
        known = json.loads((measure.HERE / "caches.json").read_text())["rows"]
        rows, found = chosen, {name: served for name, served in known.items() if name in others}
    with tempfile.TemporaryDirectory() as folder:
        measure.compile_all(rows, Path(folder), capability.replace(".", ""))
        for first in range(0, len(rows), measure.PART):
            part = measure.profile(rows[first : first + measure.PART], Path(folder), sorted(METRICS.values()))
            for row, values, _ in part:
                found[row] = {short: values[metric] for short, metric in METRICS.items()}
            print(f"{len(found)} rows", flush=True)
    about = {"device": name, "driver": driver, "date": datetime.date.today().isoformat(), "command": "python3 tests/hardware/caches.py"}
    lines = [f"    {json.dumps(row)}: {json.dumps(served)}" for row, served in found.items()]
    output.write_text(json.dumps(about, indent=2)[:-2] + ',\n  "rows": {\n' + ",\n".join(lines) + "\n  }\n}\n")


if __name__ == "__main__":
    main()
