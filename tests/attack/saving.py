"""State files that are damaged, windows that are killed while they save, and two windows on one file. The windows need Xvfb and xdotool."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

from program import MEMORY, Skipped, stop

STATE = ".local/share/warpbook/state.ron"
WORDS = "what the learner wrote in their own words"
GOOD = f"""(format_version: 1, value: (lesson: Some("one_loop"), lessons: {{
    "one_loop": (step: "loop", params: {{}}, words: {{"loop": "{WORDS}"}}, predictions: {{}}, drawn: {{}}, exercises: {{}}, edits: [], explored: None, seen: []),
}}, backend: Auto, theme: Dark, still: true, model: None, recording: Auto, room: (page: None, stage: None, source: None)))"""


def changed(words, other, encoding="utf-8"):
    """The good file with other words, as bytes."""
    assert words in GOOD, words
    return GOOD.replace(words, other).encode(encoding)


def opened(step, more, lesson="one_loop"):
    """The good file, with that step of a lesson open, and more of what is kept of the lesson."""
    here = f'"{lesson}": (step: "{step}", {more})' if lesson != "one_loop" else f'"one_loop": (step: "{step}", words: {{"loop": "{WORDS}"}}, {more})'
    kept_too = "" if lesson == "one_loop" else f', "one_loop": (words: {{"loop": "{WORDS}"}})'
    return f'(format_version: 1, value: (lesson: Some("{lesson}"), lessons: {{{here}{kept_too}}}))'.encode()


# Files that are not understood, or not as a whole: as they are, they must still be there afterwards.
DAMAGED = [
    b"", b"\0" * 5000, b"\xff\xfe", b"(", b"(" * 200_000, b"[" * 200_000, b"(format_version: 1)", b"(format_version: 99, value: ())",
    b"(format_version: -1, value: ())", b"(format_version: 1e999, value: ())", b"a" * (65 << 20), b"// " + b"a" * 100_000, b'"' + b"\\" * 99_999,
    GOOD.encode()[:100], GOOD.encode()[:300], GOOD.encode()[:-1], GOOD.encode() + b")", GOOD.encode() * 2, changed("still: true", "still: 7"),
    changed("still: true", "still: true, newer: Some([1])"), changed("own", "own \xff", "latin-1"), changed("theme: Dark", "theme: Purple"),
    changed("words: {", "words: {7: \"x\", "), changed("format_version: 1", "format_version: 1, format_version: 1"),
    b"\xef\xbb\xbf" + GOOD.encode(),
]
# Files that are odd, and understood: what the learner wrote must be in the file that is saved next.
ODD = [
    changed("params: {}", 'params: {"n": NaN}'), changed("params: {}", 'params: {"n": 1e999}'), changed('step: "loop"', 'step: "gone"'), changed('"one_loop"', '"a lesson that is gone"'),
    changed("page: None, stage: None", "page: Some(-1e30), stage: Some(inf)"), changed("page: None, stage: None, source: None", "page: Some(NaN), stage: Some(NaN), source: Some(NaN)"),
    changed(WORDS, WORDS * 20_000), changed("\n", "\r\n"), changed("edits: []", "edits: [(), ()]"), changed("edits: []", 'edits: [(id: "loop", pass: "gone", source: "fn", of: (program: "loop", rungs: {}))]'),
    opened("trace", 'drawn: {"draw_runs": [(NaN, inf), (1.0, NaN), (-1e308, 1e308)]}'), opened("trace", 'predictions: {"all_lanes": (choice: 99, answer: Some((measured: Some(NaN), traced: Some(inf), device: None)))}'),
    opened("trace", 'predictions: {"draw_runs": (guess: Some(Curve([(inf, NaN)])))}'), opened("divergence", 'predictions: {"both_loads": (guess: Some(Number(NaN)))}'),
    opened("loop", 'predictions: {"lanes_32": (guess: Some(Curve([(1, 2)])))}'), opened("loop", 'exercises: {"left_over": (source: Some("fn"), solution: Some(""))}'),
    opened("softmax", "explored: Some((logits: [NaN], direction: [], temperature: 0, shift: inf, target: 99))", "softmax"),
    opened("jacobian", "explored: Some((logits: [1e308, -1e308], temperature: -1, weight: NaN))", "softmax"), opened("view", f"explored: Some((ops: [{'Tail, EverySecond, Expand, ' * 3000}]))", "coalescing"),
    opened("formats", "explored: Some((number: NaN, group: 0, wave: 18446744073709551615, lane: 99999, block: (0, 99999)))", "tensor_cores"),
]



class Display:
    """A display of its own for the windows of a case."""

    def __enter__(self):
        if not (shutil.which("Xvfb") and shutil.which("xdotool")):
            raise Skipped("no Xvfb or no xdotool: no window was opened")
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-noreset", "-screen", "0", "1280x900x24"], pass_fds=[writer], stderr=subprocess.DEVNULL, start_new_session=True
        )
        os.close(writer)
        with os.fdopen(reader) as numbers:
            self.name = ":" + numbers.readline().strip()
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    def tool(self, *words):
        done = subprocess.run(["xdotool", *words], env={**os.environ, "DISPLAY": self.name}, capture_output=True, text=True)
        return done.stdout.split()

    def window(self, process, log, patience=20):
        """The window of the process, once it is there."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if process.poll() is not None:
                break
            found = self.tool("search", "--onlyvisible", "--pid", str(process.pid))
            if found:
                return found[0]
            time.sleep(0.1)
        said = log.read_text(errors="replace")
        if "no graphics driver" in said:
            raise Skipped("no graphics driver: no window was opened")
        raise AssertionError(f"no window: {said[:700]}")

    def press(self, window, *keys):
        # Without a window manager nobody gives a window the keys.
        self.tool("windowfocus", window, "key", "--delay", "15", *keys)


class Window:
    """A window of the program on a display, for as long as it takes."""

    def __init__(self, program, display, folder, name, args=()):
        self.display, self.log = display, folder / f"{name}.log"
        with open(self.log, "wb") as log:
            self.process = program.start(list(args), folder, env={"DISPLAY": display.name}, stdout=log, stderr=log)
        self.window = None

    def __enter__(self):
        try:
            self.window = self.display.window(self.process, self.log)
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_):
        self.kill()

    def press(self, *keys):
        self.display.press(self.window, *keys)

    def kill(self):
        stop(self.process)
        self.process.wait()

    def faults(self):
        """What must not have happened until now."""
        said = self.log.read_text(errors="replace")
        found = [f"a panic in the window: {said[-500:]!a}"] if "panicked at" in said else []
        if self.process.poll() not in (None, -signal.SIGKILL):
            found.append(f"the window closed by itself with {self.process.returncode}: {said[-500:]!a}")
        elif self.process.returncode is None:
            most = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())
            if most and int(most.group(1)) << 10 > MEMORY:
                found.append(f"the window took {int(most.group(1)) >> 10} MiB of memory")
        return found


def until(true, patience=10):
    """Whether it became true in time."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return bool(true())


def state_of(folder):
    path = folder / STATE
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def kept(path):
    """What the files beside the state file hold, and it itself."""
    return {file.name: file.read_bytes() for file in path.parent.glob("state.ron*") if file.is_file() and not file.name.endswith(".lock")}


def damaged(program, count, random):
    """A note leaves the damaged file as it was; a window begins a new one only where it keeps the old one aside."""
    for content in DAMAGED + ODD:

        def case(folder, content=content):
            path = state_of(folder)
            path.write_bytes(content)
            ran = program.run(["export", "one_loop", "--backend", "simt"], folder)
            found = ran.faults()
            if ran.code != 0:
                found.append(f"no note: {ran.told()}")
            if kept(path) != {"state.ron": content}:
                found.append(f"a note changed the state file: {ran.told()}")
            with Display() as display, Window(program, display, folder, "window") as window:
                time.sleep(1)
                window.press("Next", "Next", "Next")
                saved = until(lambda: path.exists() and path.read_bytes() != content, 5)
                time.sleep(0.3)
                found += window.faults()
            after = kept(path)
            if content in DAMAGED and content not in after.values():
                found.append(f"the damaged file is lost; there are {sorted(after)}")
            if content in ODD and WORDS.encode() not in after.get("state.ron", b""):
                found.append(f"the words are lost; there are {sorted(after)}")
            if not saved:
                found.append(f"nothing was saved afterwards; there are {sorted(after)}")
            return found

        yield f"the state {content[:24]!r} of {len(content)} bytes", case


def killed(program, count, random):
    """A window is killed while keys make it save: what it had is there, whole, and the next window reads it."""
    for index in range(count):
        delay, keys = random.uniform(0, 0.6), [random.choice(["Next", "Next", "Prior"]) for _ in range(40)]

        def case(folder, delay=delay, keys=keys):
            path = state_of(folder)
            path.write_text(GOOD)
            with Display() as display, Window(program, display, folder, "first") as window:
                window.press("Next")
                if not until(lambda: path.read_text() != GOOD):
                    return [f"nothing was saved before the kill: {window.log.read_text(errors='replace')[-300:]!a}"]
                presses = threading.Thread(target=window.press, args=keys)
                presses.start()
                time.sleep(delay)
                found = window.faults()
                window.kill()
                presses.join()
            text = path.read_text(errors="replace")
            if WORDS not in text:
                found.append(f"the words are gone: {text[-200:]!a}")
            ran = program.run(["export", "one_loop", "--backend", "simt"], folder)
            note = next(folder.glob("notes/*.md"), None)
            if ran.faults() or note is None or WORDS not in note.read_text() or b"state" in ran.err:
                found.append(f"the state is not read: {ran.told()}")
            return found + [f"{name} was kept aside" for name in kept(path) if ".kept" in name]

        yield f"killed {delay:.2f} s after the keys", case


def press_both(first, second, kill):
    """Turns pages in two windows at once; `kill` ends the first while it does."""
    presses = [threading.Thread(target=window.press, args=["Next", "Prior"] * 10 + ["Next"]) for window in (first, second)]
    for thread in presses:
        thread.start()
    if kill:
        time.sleep(0.2)
        first.kill()
    for thread in presses:
        thread.join()


def shared(program, count, random):
    """Two windows on one state file, both saving at once: neither loses what the other, or an earlier one, has written."""
    for index in range(count):
        kill = index % 2 == 1

        def case(folder, kill=kill):
            path = state_of(folder)
            path.write_text(GOOD)
            with Display() as display, Window(program, display, folder, "first") as first, Window(program, display, folder, "second") as second:
                press_both(first, second, kill)
                changed = until(lambda: path.read_text() != GOOD)
                time.sleep(0.5)
                found = first.faults() + second.faults()
            if not changed:
                found.append("nothing was saved")
            if WORDS not in path.read_text():
                found.append("the words are gone")
            return found + [f"{name} was kept aside" for name in kept(path) if ".kept" in name and WORDS not in (path.parent / name).read_text()]

        yield "two windows" + (", one killed" if kill else ""), case
