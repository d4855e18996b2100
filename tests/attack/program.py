"""Runs the program under attack once, and says what is wrong with how it answered."""

import collections
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import time

# Seconds without a word after which an input counts as a hang, and after which a run that said it is at work is ended.
SILENCE = 10
LONGEST = 11.5
# Bytes that a run may take beside the buffers that were asked for.
MEMORY = 1 << 30
# Exit codes that the command line documents: done, something failed its check, bad usage or input.
CODES = (0, 1, 2)
# What steers a terminal: control characters other than line feed and tab.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Variables that would lead the program to this machine's own state or display.
HIDDEN = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "DISPLAY", "WAYLAND_DISPLAY", "RAYON_NUM_THREADS")


class Skipped(Exception):
    """This attack needs what this machine does not have."""


class Ran:
    """What came of a run."""

    def __init__(self, args, code, out, err, seconds, memory, ended):
        self.args, self.code, self.out, self.err = args, code, out, err
        self.seconds, self.memory, self.ended = seconds, memory, ended

    def faults(self, buffers=0, codes=CODES, output=True):
        """What must never be, as sentences; `buffers` are the bytes asked for, `output` whether standard output was whole."""
        found = []
        if self.ended and not self.err.strip():
            found.append(f"no word for {self.seconds:.0f} s")
        if not self.ended and self.code not in codes:
            found.append(f"exit code {self.code}")
        if b"panicked at" in self.err or b"panicked at" in self.out:
            found.append("a panic")
        if self.memory > buffers + MEMORY:
            found.append(f"{self.memory >> 20} MiB of memory")
        if self.code == 2 and not self.err.strip() and not self.ended:
            found.append("exit code 2 without a word")
        for name, text in (("standard output", self.out), ("standard error", self.err)):
            try:
                steers = STEERS.search(text.decode("utf-8"))
            except UnicodeDecodeError:
                if not self.ended:
                    found.append(f"{name} is not UTF-8")
                continue
            if steers:
                found.append(f"{name} has the control character {steers.group()!r}")
        if "--json" in self.args and output and not self.ended:
            found += self.json_faults()
        return [f"{fault}: {self.told()}" for fault in found]

    def json_faults(self):
        if not self.out:
            return [] if self.code == 2 else ["no JSON"]
        try:
            json.loads(self.out, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
        except ValueError as error:
            return [f"standard output is no JSON ({error})"]
        return []

    def told(self):
        """The command line and the end of standard error, short enough for a report."""
        words = " ".join(arg if isinstance(arg, str) else repr(arg) for arg in self.args)
        words = words if len(words) < 300 else words[:300] + "…"
        return f"`{words!a}` after {self.seconds:.1f} s: {self.err[-400:].decode('utf-8', 'replace')!a}"


class Program:
    """The program, and what each run of it gets: a home of its own, and nothing of this machine's display or state."""

    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        self.ran = []

    def tally(self):
        """What the runs since the last call came to: how often which exit code, the slowest, and the most memory."""
        ran, self.ran = self.ran, []
        codes = collections.Counter("ended" if each.ended else f"exit {each.code}" for each in ran)
        most = max((each.memory for each in ran), default=0)
        return f"{', '.join(f'{n} {code}' for code, n in sorted(codes.items()))}; at most {max((r.seconds for r in ran), default=0):.1f} s, {most >> 20} MiB"

    def environment(self, home, more=None):
        names = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        return {**names, "HOME": str(home), "CUDA_VISIBLE_DEVICES": "-1", "RUST_BACKTRACE": "0", **(more or {})}

    def start(self, args, folder, env=None, home=None, **streams):
        """A process in a group of its own. Where no streams are named, they are files in the folder."""
        environment = self.environment(folder if home is None else home, env)
        environment = {name: value for name, value in environment.items() if value is not None}
        return subprocess.Popen(
            [self.path, *args], cwd=folder, env=environment, start_new_session=True, restore_signals=False, stdin=streams.pop("stdin", subprocess.DEVNULL), **streams
        )

    def run(self, args, folder, env=None, home=None, longest=LONGEST, meanwhile=None, **streams):
        """Runs it to its end, or until it is clear that it would take long. `meanwhile` gets the process once it has begun."""
        mark = f"{time.monotonic_ns():x}"
        paths = [pathlib.Path(folder) / f".{mark}.{name}" for name in ("out", "err")]
        files = [open(path, "wb") for path in paths]
        began = time.monotonic()
        chosen = {"stdout": files[0], "stderr": files[1], **streams}
        process = self.start(args, folder, env, home, **chosen)
        for file in files:
            file.close()
        if meanwhile:
            meanwhile(process)
        ended = not self.await_end(process, longest if meanwhile is None else longest + 10)
        if ended:
            stop(process)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out, err = (path.read_bytes() for path in paths)
        for path in paths:
            path.unlink()
        ran = Ran(list(args), process.returncode, out, err, seconds, usage.ru_maxrss << 10, ended)
        self.ran.append(ran)
        return ran

    @staticmethod
    def await_end(process, longest):
        """Whether it ended within so many seconds; it is not reaped."""
        handle = os.pidfd_open(process.pid)
        try:
            return bool(select.select([handle], [], [], longest)[0])
        finally:
            os.close(handle)


def stop(process):
    """Kills the process and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def children(pid):
    """The processes that it started."""
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    found = [int(word) for word in text.split()]
    if found:
        return found
    # Threads other than the first may have started them.
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            continue
    return found
