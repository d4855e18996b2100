"""Attacks the program: hostile input of every kind, made from a seed. python3 tests/attack/attack.py path/to/warpbook [--only KIND] [--seed N] [--jobs 2]"""

import argparse
import collections
import pathlib
import random
import resource
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import commands
import journal
import kernels
import lessons
import notes
import packs
import saving
import workers
from program import Program, Skipped

# Kinds of attack: name, how many attacks at least, and what makes the cases of it. A case is a name, a function of an empty folder that gives
# the faults found, and how many attacks it makes (one where that is left out). A function that cannot attack here raises `Skipped`.
KINDS = [
    ("commands", 171, commands.lines),
    ("streams", 27, commands.streams),
    ("homes", 7, commands.homes),
    ("packs", 439, packs.read),
    ("drawings", 42, packs.drawn),
    ("lessons", 590, lessons.mutated),
    ("injections", 50, notes.injected),
    ("kernels", 2600, kernels.mutated),
    ("threads", 120, kernels.threads),
    ("workers", 17, workers.killed),
    ("states", 28, saving.damaged),
    ("kills", 16, saving.killed),
    ("windows", 4, saving.shared),
    ("journals", 25, journal.damaged),
    ("full", 5, journal.full),
    ("appends", 2, journal.shared),
]
# No run may take more address space than this: it ends in an abort, which is a fault, and this machine lives on.
ADDRESSES = 24 << 30


def attempt(case, base):
    """The faults of a case, in a folder of its own."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=base))
    try:
        return case(folder), None
    except Skipped as why:
        return [], str(why)
    except Exception as error:
        return [f"the attack itself failed: {type(error).__name__}: {error}"], None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--only", action="append", choices=[name for name, _, _ in KINDS])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    program = Program(asked.program)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="warpbook-attack-") as base, ThreadPoolExecutor(asked.jobs) as pool:
        for kind, count, make in KINDS:
            if asked.only and kind not in asked.only:
                continue
            began = time.monotonic()
            cases = list(make(program, count, random.Random(f"{asked.seed} {kind}")))
            results = list(pool.map(lambda case: attempt(case[1], base), cases))
            runs = sum(case[2] if len(case) > 2 else 1 for case in cases)
            skipped = collections.Counter(why for _, why in results if why)
            faults = [(case[0], fault) for case, (found, _) in zip(cases, results) for fault in found]
            failed += len(faults)
            print(f"{kind:<10} {runs:>5} attacks  {len(faults):>3} faults  {time.monotonic() - began:>5.0f} s  ({program.tally()})", flush=True)
            for why, number in skipped.items():
                print(f"    SKIPPED {number}: {why}", flush=True)
            for name, fault in faults:
                print(f"    FAULT in {name}: {fault}", flush=True)
            if not skipped and runs < count:
                print(f"    FAULT: {runs} are fewer than the {count} intended", flush=True)
                failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
