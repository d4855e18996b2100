"""The launches in a report of NVIDIA's profiler, as JSON: `warpbook counters` runs it, with ncu's own reader of reports (pip: ncu-report)."""

import json
import sys

import ncu_report


def launches(path):
    """Each profiled launch: its kernel, the blocks of its grid, the threads of a block, and its metrics that are numbers."""
    report = ncu_report.load_report(path)
    for number in range(report.num_ranges()):
        profiled = report.range_by_idx(number)
        for place in range(profiled.num_actions()):
            action = profiled.action_by_idx(place)
            values = {}
            for name in action.metric_names():
                value = action.metric_by_name(name).value()
                if isinstance(value, (int, float)) and value == value:
                    values[name] = value
            sizes = [[values.get(f"launch__{of}_dim_{axis}") for axis in "xyz"] for of in ("grid", "block")]
            yield {"kernel": action.name(), "shape": [size if None not in size else None for size in sizes], "values": values}


try:
    answer = {"launches": list(launches(sys.argv[1]))}
except Exception as wrong:
    answer = {"error": f"{type(wrong).__name__}: {wrong}"}
print("\n" + json.dumps(answer))
