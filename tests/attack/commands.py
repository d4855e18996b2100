"""Command lines that make no sense, streams that are full or closed, and homes that are none."""

import os

from program import LONGEST

KERNEL = """override N: u32 = 4u;
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { a[id.x] = a[id.x] + f32(N); }
"""

VALUES = [
    "", " ", "-", "--", "-1", "0", "1.5", "1e999", "NaN", "-inf", "18446744073709551616", "4294967296", "4294967295,4294967295,4294967295",
    "a=b=c", "=", "n=", "n=1e308", "a[0]", "a[18446744073709551615]", "a:0..1", "a:5..99999999999", "one/copy", "one/copy/copy/copy", "../one",
    "/dev/zero", "/dev/full", ".", "s.wgsl", "\x1b[31m", "\u202eé💥", "a" * 100_000, "%s%n$(id)`id`", b"\xff\xfe", "[" * 5000,
]

# Where a value goes: a function of it, as text or as bytes.
FORMS = [
    ["{}"], ["--pack", "{}", "list"], ["list", "{}"], ["doctor", "{}"], ["check", "{}"], ["new", "{}", "--pack", "elsewhere"],
    ["--pack", "pack", "run", "{}", "--backend", "simt", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--set", "{}", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--set", "n={}", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--kernel", "{}", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--program", "{}", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--rung", "copy={}", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--seed", "{}", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--device", "{}", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--input", "src={}.npy", "--json"],
    ["--pack", "pack", "run", "one", "--backend", "simt", "--print", "{}"],
    ["--pack", "pack", "run", "one", "--backend", "{}"],
    ["--pack", "pack", "sweep", "one", "--backend", "simt", "--over", "{}", "--csv"],
    ["--pack", "pack", "sweep", "one", "--backend", "simt", "--over", "n=1024,{}", "--json"],
    ["trace", "{}", "--grid", "1", "--json"], ["--pack", "pack", "trace", "{}", "--json"],
    ["trace", "s.wgsl", "--buffer", "a=32", "--grid", "{}", "--json"],
    ["trace", "s.wgsl", "--grid", "1", "--buffer", "{}", "--json"], ["trace", "s.wgsl", "--grid", "1", "--buffer", "a={}", "--json"],
    ["trace", "s.wgsl", "--grid", "1", "--buffer", "a=32:{}", "--json"],
    ["trace", "s.wgsl", "--grid", "1", "--buffer", "a=32", "--const", "{}"], ["trace", "s.wgsl", "--grid", "1", "--buffer", "a=32", "--const", "N={}"],
    ["trace", "s.wgsl", "--grid", "1", "--buffer", "a=32", "--entry", "{}"], ["trace", "s.wgsl", "--grid", "1", "--buffer", "a=32", "--warp", "{}"],
    ["trace", "s.wgsl", "--grid", "1", "--buffer", "a=32", "--explain", "{}"], ["trace", "s.wgsl", "--grid", "1", "--buffer", "a=32", "--print", "{}"],
    ["--pack", "pack", "export", "{}", "-o", "notes"], ["--pack", "pack", "export", "one", "--backend", "simt", "--format", "{}"],
    ["--pack", "pack", "shot", "{}", "-o", "a.png"], ["--pack", "pack", "shot", "one", "--step", "{}", "-o", "none/a.png"],
    ["--pack", "pack", "shot", "one", "--size", "{}", "-o", "none/a.png"], ["bench", "--lesson", "{}", "--backend", "{}"],
    ["record", "--backend", "{}"],
]

# The whole of the command line's documentation, on a small pack, with what each may exit with.
DOCUMENTED = [
    (["list"], 0), (["list", "--json"], 0), (["doctor"], 0), (["doctor", "--json"], 0), (["--help"], 0), (["--version"], 0), (["check", "pack"], 0),
    (["--pack", "pack", "check"], 0), (["--pack", "pack", "run", "one", "--backend", "simt"], 0),
    (["--pack", "pack", "run", "one", "--kernel", "copy", "--set", "n=2048", "--backend", "simt", "--seed", "7", "--json"], 0),
    (["--pack", "pack", "sweep", "one", "--over", "n=1024,2048", "--backend", "simt", "--json"], 0),
    (["--pack", "pack", "sweep", "one", "--over", "n=1024,2048", "--backend", "simt", "--csv"], 0),
    (["--pack", "pack", "trace", "one/copy", "--json"], 0), (["--pack", "pack", "trace", "one/copy", "--explain", "dst[5]"], 0),
    (["trace", "s.wgsl", "--grid", "1,1,1", "--entry", "main", "--const", "N=2", "--buffer", "a=32:iota", "--warp", "16", "--json"], 0),
    (["trace", "s.wgsl", "--grid", "1", "--buffer", "a=32:zero", "--print", "a:0..4", "--dump", "a=a.npy"], 0),
    (["trace", "s.wgsl", "--grid", "2", "--buffer", "a=32", "--json"], 1),
    (["trace", "s.wgsl", "--grid", "65535,65535", "--buffer", "a=32", "--json"], 1),
    (["--pack", "pack", "export", "one", "--backend", "simt", "--format", "md,html,csv", "-o", "notes"], 0),
    (["--pack", "pack", "export", "--all", "--backend", "simt"], 0), (["new", "two", "--pack", "pack"], 0),
]


def put(form, value):
    """The form's words with the value in them; bytes where it is bytes."""
    if isinstance(value, str):
        return [word.replace("{}", value) for word in form]
    return [word.encode().replace(b"{}", value) for word in form]


def small_pack(program, folder):
    """A pack of one quick lesson, and a kernel, in the folder."""
    made = program.run(["new", "one", "--pack", "pack"], folder)
    assert made.code == 0, made.told()
    lesson = folder / "pack/lessons/one/lesson.ron"
    text = lesson.read_text().replace("default: 1048576", "default: 1024").replace("values: [65536, 262144, 1048576, 4194304]", "values: [1024, 2048]")
    lesson.write_text(text)
    (folder / "s.wgsl").write_text(KERNEL)


def lines(program, count, random):
    """What the documentation has, then every value in random places; each place gets some of them."""
    for args, code in DOCUMENTED:

        def documented(folder, args=args, code=code):
            small_pack(program, folder)
            ran = program.run(args, folder)
            return ran.faults() + ([f"exit code {ran.code} and not {code}: {ran.told()}"] if ran.code != code and not ran.ended else [])

        yield "the documentation", documented
    for form in FORMS:
        for value in random.sample(VALUES, max(5, -(-(count - len(DOCUMENTED)) // len(FORMS)))):

            def case(folder, form=form, value=value):
                small_pack(program, folder)
                return program.run(put(form, value), folder).faults()

            yield "a strange argument", case


STREAMED = [
    ["list"], ["list", "--json"], ["doctor", "--json"], ["check", "pack"], ["--pack", "pack", "run", "one", "--backend", "simt", "--json"],
    ["--pack", "pack", "sweep", "one", "--over", "n=1024,2048", "--backend", "simt", "--csv"], ["trace", "s.wgsl", "--grid", "2", "--buffer", "a=32", "--json"],
    ["--pack", "pack", "export", "one", "--backend", "simt"], ["--help"], ["dance"],
]


def streams(program, count, random):
    """Standard output or error full, closed, or read by nobody. What the other stream has is whole."""
    for args in STREAMED:
        for stream in ("stdout", "stderr"):
            for way in ("full", "closed", "unread"):

                def case(folder, args=args, stream=stream, way=way):
                    small_pack(program, folder)
                    usual = program.run(args, folder)
                    ran = spoilt(program, args, folder, stream, way)
                    found = ran.faults(output=stream == "stderr" and usual.code != 2)
                    if stream == "stderr" and ran.code != usual.code:
                        found.append(f"exit code {ran.code} and not {usual.code} without standard error: {ran.told()}")
                    if stream == "stdout" and way == "full" and usual.out and ran.code == 0:
                        found.append(f"nothing was written, and exit code 0: {ran.told()}")
                    return [fault for fault in found if "exit code 2 without a word" not in fault or stream == "stdout"]

                yield f"{stream} {way}", case


def spoilt(program, args, folder, stream, way):
    """A run with one of its streams spoilt."""
    if way == "closed":
        number = {"stdout": 1, "stderr": 2}[stream]
        shell = type(program)("/bin/sh")
        return shell.run(["-c", f'exec "$0" "$@" {number}>&-', program.path, *args], folder)
    if way == "full":
        with open("/dev/full", "wb") as full:
            return program.run(args, folder, **{stream: full})
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return program.run(args, folder, **{stream: writer})
    finally:
        os.close(writer)


def homes(program, count, random):
    """No home, or one that is a file, a device, a pipe, missing, relative or not text: a note is written all the same."""
    export = ["--pack", "pack", "export", "one", "--backend", "simt", "-o", "notes"]
    for home in ("nowhere/at/all", "s.wgsl", "/dev/full", "pipe", "", "relative/../relative", b"\xff\xfe", None, "/proc/self", "\x1b[31m", "loop"):

        def case(folder, home=home):
            small_pack(program, folder)
            os.mkfifo(folder / "pipe")
            os.symlink("loop", folder / "loop")
            where = folder / home if home and isinstance(home, str) and "relative" not in home else home
            ran = program.run(export, folder, env={"HOME": where if where is None or isinstance(where, bytes) else str(where)}, longest=LONGEST)
            return ran.faults() + ([f"no note: {ran.told()}"] if ran.code != 0 or not list(folder.glob("notes/*.md")) else [])

        yield f"the home {home!r}", case
