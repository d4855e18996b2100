#!/usr/bin/env python3
"""Predicted times beside measured ones, at sizes that no recording has.

    python3 tests/hardware/fresh.py path/to/warpbook [DEVICE] > fresh.txt

Runs kernels and programs of attention, tensor_cores and moe on this machine's NVIDIA GPU, and has the model of DEVICE (h200-sxm) predict
them. No constant of the model was fitted to these points.
"""

import json
import subprocess
import sys

# Lesson, kernels or programs (with rungs), settings.
POINTS = [
    *[("tensor_cores", ["--kernel", kernel], {"n": n})
      for n in (384, 768, 1280, 1536, 3072) for kernel in ("fragment", "cooperative", "double_buffered", "persistent")],
    *[("attention", ["--program", "flash", *rung], {"heads": heads, "kv_heads": heads, "seq": seq, "d": d, "batch": 2})
      for heads, seq, d in ((3, 384, 32), (6, 768, 64), (4, 1280, 64))
      for rung in ([], ["--rung", "attend=flash_regs"], ["--rung", "attend=flash_row"])],
    *[("attention", ["--program", "unfused"], {"heads": 3, "kv_heads": 3, "seq": seq, "d": 32}) for seq in (96, 384, 640)],
    *[("attention", ["--program", "decode", *rung], {"batch": 3, "heads": 8, "kv_heads": 2, "d": 64, "cache": cache, "splits": splits})
      for cache, splits in ((768, 3), (3072, 12), (12288, 24)) for rung in ([], ["--rung", "split=decode_group"])],
    *[("moe", ["--program", program], {"tokens": tokens, "experts": experts, "k": 3, "d": 192, "f": 320, "skew": skew})
      for tokens, experts, skew in ((640, 12, 25), (2560, 48, 75), (6144, 24, 150))
      for program in ("route", "permute", "permute_atomic", "padded", "listed", "layer")],
]


def run(binary, device, lesson, what, settings):
    """The id, measured and predicted seconds of one point; None in place of what there is not."""
    sets = [f"--set={name}={value}" for name, value in settings.items()]
    command = [binary, "run", lesson, *what, "--backend", "cuda", "--device", device, "--json", *sets]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        output = json.loads(done.stdout)
        found = (output["kernels"] + output["programs"])[0]
    except (subprocess.TimeoutExpired, json.JSONDecodeError, IndexError) as problem:
        return None, None, type(problem).__name__
    time, predicted = found["time"], found["predicted"]
    why = found.get("error") or found.get("skipped") or ("" if predicted else "not traced")
    return time and time["median_s"], predicted and predicted.get("point_s"), why


def main():
    binary, device = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "h200-sxm"
    errors, off = [], 0
    for lesson, what, settings in POINTS:
        measured, predicted, why = run(binary, device, lesson, what, settings)
        name = f"{lesson} {' '.join(what[1::2])} {','.join(f'{k}={v}' for k, v in settings.items())}"
        if measured and predicted:
            errors.append(abs(predicted / measured - 1))
            off += not 1 / 3 <= predicted / measured <= 3
            print(f"{name}: {measured * 1e6:.2f} us, predicted {predicted * 1e6:.2f} us ({100 * (predicted / measured - 1):+.0f} %)", flush=True)
        else:
            print(f"{name}: measured {measured}, predicted {predicted} {why}", flush=True)
    errors.sort()
    if errors:
        print(f"{len(errors)} of {len(POINTS)} points: mean error {100 * sum(errors) / len(errors):.1f} %, "
              f"median {100 * errors[len(errors) // 2]:.1f} %, {off} more than 3 times off")


if __name__ == "__main__":
    main()
