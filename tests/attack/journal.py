"""Journals that are damaged, a disk that is full, and two windows on one journal. The windows need Xvfb and xdotool."""

import json
import resource
import time

from commands import small_pack
from saving import GOOD, Display, Window, press_both, state_of, until

LINE = b'{"time":1764000000,"lesson":"one_loop","step":"loop","did":"wrote","words":"my words"}\n'
ODD = [
    b"", b"\n" * 5000, b"\0" * 5000, b"\xff\xfe\n", LINE, LINE[:-20], LINE + LINE[:30], LINE[:30] + b"\n" + LINE, LINE.replace(b"\n", b"\r\n"), b"[" * 100_000 + b"\n",
    b'{"a":' * 50_000 + b"\n", LINE.replace(b"1764000000", b"-9223372036854775808"), LINE.replace(b"1764000000", b"9223372036854775807"),
    LINE.replace(b"1764000000", b"1e400"), LINE.replace(b"1764000000", b"null"), LINE.replace(b"wrote", b"dreamt"), LINE.replace(b"my words", b"m" * (5 << 20)),
    LINE.replace(b"one_loop", b"../../x"), LINE.replace(b"my words", b"[[a|b]] {% x %} $y$ <script>alert(1)</script> ---"), LINE.replace(b"my words", b"\\u0000\\u001b[31m"),
    LINE.replace(b'"lesson"', b'"lesson":"x","lesson"'), b"".join(LINE.replace(b"1764000000", str(1764000000 - 86_400 * day).encode()) for day in range(4000)),
    b'{"time":1764000000,"lesson":"one_loop","step":"loop","did":"moved","concept":"warp","to":"mastered","why":"x"}\n' * 20_000,
    b'{"time":1764000000,"lesson":"one_loop","step":"loop","did":"read","seconds":18446744073709551615}\n' * 9,
]
# So large that holding it in memory would be seen.
HOLE = 512 << 20
# No file of the window may be longer, as on a disk that is full there. Its pictures are files in memory, and smaller.
FULL = 256 << 20
STATE = GOOD.replace('Some("one_loop")', 'Some("one")')


def beside(program, folder):
    """The journal's file beside a state with words, which has a lesson open whose page is in sight as a whole: after some seconds it is read."""
    small_pack(program, folder)
    path = state_of(folder)
    path.write_text(STATE)
    return path.with_name("journal.jsonl")


def opened(program, display, folder, name):
    """A window with that lesson."""
    return Window(program, display, folder, name, ["--pack", "pack"])


def whole(lines):
    """The lines that are JSON, parsed."""
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def appended(path, begin, size):
    """The faults of a journal that began so and had that size: its beginning has to be there, and a whole line after it."""
    with path.open("rb") as file:
        found = [] if file.read(len(begin)) == begin else ["what was in the journal is changed"]
        file.seek(size)
        added = file.read()
    return found if whole(added.splitlines()) else [*found, f"no whole line was added: {added[:200]!a}"]


def damaged(program, count, random):
    """Commands answer and leave the file as it is; a window adds to it and changes nothing that was there."""
    for content in [*ODD, HOLE]:

        def case(folder, content=content):
            path = beside(program, folder)
            if content == HOLE:
                path.write_bytes(LINE)
                with open(path, "r+b") as file:
                    file.truncate(HOLE)
            else:
                path.write_bytes(content)
            size, begin = path.stat().st_size, path.open("rb").read(1 << 20)
            found = []
            for args in (["ledger", "--json"], ["ledger"], ["worklog"], ["export", "one_loop", "--only", "own", "--backend", "simt"]):
                ran = program.run(args, folder)
                found += ran.faults()
                if ran.code != 0:
                    found.append(f"no answer: {ran.told()}")
            if path.stat().st_size != size or path.open("rb").read(1 << 20) != begin:
                found.append("a command changed the journal")
            with Display() as display, opened(program, display, folder, "window") as window:
                until(lambda: path.stat().st_size > size, 15)
                time.sleep(0.3)
                found += window.faults()
            return found + appended(path, begin, size)

        yield f"the journal {content[:24]!r} of {len(content)} bytes" if content != HOLE else "a journal of half a gigabyte", case


def full(program, count, random):
    """The disk is full in the middle of a line: the window lives on, and the next one's lines are whole."""
    for left in (0, 1, 7, 40, 90):

        def case(folder, left=left):
            path = beside(program, folder)
            path.write_bytes(LINE)
            with open(path, "r+b") as file:
                file.truncate(FULL - left - 1)
                file.seek(FULL - left - 1)
                file.write(b"\n")
            size = path.stat().st_size
            with Display() as display:
                with opened(program, display, folder, "first") as window:
                    resource.prlimit(window.process.pid, resource.RLIMIT_FSIZE, (FULL, FULL))
                    time.sleep(12)
                    found = window.faults()
                # The page is to be read once more.
                state_of(folder).write_text(STATE)
                with opened(program, display, folder, "second") as window:
                    until(lambda: path.stat().st_size > FULL, 15)
                    time.sleep(0.3)
                    found += window.faults()
            ran = program.run(["ledger", "--json"], folder)
            return found + appended(path, LINE, size) + ran.faults()

        yield f"a disk that is full after {left} bytes", case


def shared(program, count, random):
    """Two windows add to one journal at once: every line of both is whole."""
    for kill in (False, True):

        def case(folder, kill=kill):
            path = beside(program, folder)
            with Display() as display, opened(program, display, folder, "first") as first, opened(program, display, folder, "second") as second:
                press_both(first, second, kill)
                until(lambda: path.exists() and len(path.read_bytes().splitlines()) > 1)
                time.sleep(0.5)
                found = first.faults() + second.faults()
            lines = path.read_bytes().splitlines() if path.exists() else []
            torn = len(lines) - len(whole(lines))
            if not lines or torn > kill:
                found.append(f"{torn} of {len(lines)} lines are torn")
            return found

        yield "two windows on a journal" + (", one killed" if kill else ""), case
