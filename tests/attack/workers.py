"""The worker, the process that owns a device, killed in the middle of a run. tests/worker.rs has what a worker itself can do wrong."""

import os
import pathlib
import signal
import time

from commands import small_pack
from program import Skipped, children

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS]


def alive(pid):
    """Whether the process runs; one that only waits to be reaped does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def killed(program, count, random):
    """A signal to the worker, sooner or later; and to the program itself, which must take its worker along."""
    for index in range(count):
        which, delay, whole = SIGNALS[index % len(SIGNALS)], random.choice([0, 0.02, 0.05, 0.1, 0.2, 0.3]), index % 4 == 3

        def case(folder, which=which, delay=delay, whole=whole):
            small_pack(program, folder)
            seen = []

            def strike(process):
                end = time.monotonic() + 8
                while not seen and time.monotonic() < end and alive(process.pid):
                    seen.extend(children(process.pid))
                    time.sleep(0.005)
                time.sleep(delay)
                for pid in [process.pid] if whole else seen:
                    try:
                        os.kill(pid, signal.SIGKILL if whole else which)
                    except ProcessLookupError:
                        pass

            ran = program.run(["--pack", "pack", "run", "one", "--backend", "wgpu", "--json"], folder, meanwhile=strike)
            if b"driver" in ran.err and b"missing" in ran.err:
                raise Skipped("no graphics driver: no worker to kill")
            found = ran.faults(codes=(0, 1, 2, -signal.SIGKILL) if whole else (0, 1, 2), output=not whole)
            if not seen:
                found.append(f"no worker was seen: {ran.told()}")
            if ran.code == 0 and not whole and not ran.err.strip() and delay == 0:
                found.append(f"the worker was killed at once, and nobody says so: {ran.told()}")
            time.sleep(0.5)
            found += [f"the worker {pid} outlived the program" for pid in seen if alive(pid)]
            return found

        yield f"{'the program' if whole else which.name} after {delay} s", case
