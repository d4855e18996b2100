"""Packs that mean harm: deep, huge, repeated, cyclic or absurd; read by every command, and drawn."""

import os
import pathlib
import socket

from commands import small_pack
from program import Skipped

LESSON, TEXT, KERNEL, INDEX = "lessons/one/lesson.ron", "lessons/one/text.md", "shaders/one/copy.wgsl", "lessons/index.ron"

FORMULAS = [
    "x" * 100_000, "{" * 20_000 + "}" * 20_000, "\\frac{1}{" * 3000 + "}" * 3000, "\\sqrt{" * 5000 + "}" * 5000, "a\\hspace{1000em}b", "\\rule{5000em}{5000em}",
    "\\rule{-5em}{1e300em}", "\\kern1e999em x", "x^" * 1000 + "x", "\\def\\a{\\a\\a}\\a", "\\newcommand{\\b}{\\b}\\b", "\\left(" * 2000,
    "\\begin{matrix}" + "&" * 20_000 + "\\end{matrix}", "\\begin{matrix}" + "\\\\" * 20_000 + "\\end{matrix}", "\\unknown", "\\text{💥\u202e}", "\\href{javascript:x}{y}",
    "\\includegraphics{/etc/passwd}", "\\char\"FFFFFFFF", "%" * 1000, "\\" * 9999, "\\color{x}" * 5000, "\\raisebox{1e9em}{x}", "\\Huge" * 3000 + "x", "", " ",
]

EXPRESSIONS = [
    "(" * 50_000 + "1" + ")" * 50_000, "-" * 100_000 + "1", "1+" * 50_000 + "1", "2^" * 10_000 + "2", "1/0", "0/0", "1e308*1e308", "moved", "n" * 100_000, "ceil(" * 9000 + "1" + ")" * 9000,
    "n n", "", "9" * 100_000, "n % 0", "sqrt(-1)", "log2(0)", "\0", "n\u202e", "copy.time", "copy.nothing.at.all", "if(1,2,3)", "max()", "min(" + "1," * 20_000 + "1)",
]


def edit(file, *changes):
    """Replaces words of a file; each must be there."""

    def bend(pack):
        path = pack / file
        text = path.read_text()
        for words, other in changes:
            assert words in text, words
            text = text.replace(words, other, 1)
        path.write_text(text)

    return bend


def written(file, content):
    def bend(pack):
        path = pack / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return bend


def appended(file, content):
    def bend(pack):
        with open(pack / file, "a") as text:
            text.write(content)

    return bend


def instead(file, make):
    """Something that is no file in the place of a file."""

    def bend(pack):
        path = pack / file
        path.unlink()
        make(path)

    return bend


def a_socket(path):
    there = socket.socket(socket.AF_UNIX)
    folder = os.open(path.parent, os.O_RDONLY)
    # A socket's name is limited to about a hundred bytes.
    there.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


def a_hole(path):
    with open(path, "wb") as file:
        file.truncate(40 << 30)


NO_FILES = {
    "a pipe": os.mkfifo,
    "a device without end": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link out": lambda path: path.symlink_to("/etc/passwd"),
    "a folder": pathlib.Path.mkdir,
    "a socket": a_socket,
    "40 GiB of zeros": a_hole,
    "nothing": lambda path: None,
}

CONTENTS = {
    "empty": "", "bytes": b"\xff\xfe\0\0" * 1000, "zeros": "\0" * 100_000, "deep": "(" * 200_000, "deep lists": "(a:" + "[" * 100_000, "deep comments": "/*" * 100_000,
    "one long line": "a" * (7 << 20), "many lines": "\n" * (7 << 20), "too large": "a" * (9 << 20), "a torn string": '(format_version: 2, title: "' + "\\" * 99_999,
}


def many(count, item):
    return "".join(item.replace("#", str(index)) for index in range(count))


KERNEL_OF = """(id: "k#", title: "K", shader: "one/copy.wgsl", entry: "main", constants: {"BLOCK": "block"}, buffers: [
(name: "src", elem: F32, count: "n", init: Random), (name: "dst", elem: F32, count: "n", init: Poison)], grid: ("ceil(n / block)", "1", "1"), bytes: "moved"),
"""
PARAM = '(id: "p#", label: "p", default: 1, domain: Range(0, 9)),\n'
OPTION = '("o#", #),'
VALUE = '(id: "v#", label: "v", expr: "1"),\n'


def chain(count):
    return many(1, '(id: "v0", label: "v", expr: "1"),') + "".join(f'(id: "v{i}", label: "v", expr: "v{i - 1} + v{i - 1}"),\n' for i in range(1, count))


def bends():
    """Each pack's name, and what makes it of a good one."""
    for file in (LESSON, TEXT, KERNEL, INDEX):
        for name, make in NO_FILES.items():
            yield f"{file} is {name}", instead(file, make)
        for name, content in CONTENTS.items():
            yield f"{file} is {name}", written(file, content)
    for formula in FORMULAS:
        yield f"the formula {formula[:20]}", appended(TEXT, f"\nA formula: ${formula}$ and\n\n$$\n{formula}\n$$\n")
    for expression in EXPRESSIONS:
        quoted = expression.replace("\0", "\\u{0}")
        yield f"the value {expression[:20]!r}", edit(LESSON, ('expr: "8 * n"', f'expr: "{quoted}"'))
        yield f"the grid {expression[:20]!r}", edit(LESSON, ("ceil(n / block)", quoted))
        yield f"the count {expression[:20]!r}", edit(LESSON, ('name: "dst", elem: F32, count: "n"', f'name: "dst", elem: F32, count: "{quoted}"'))
        yield f"the text has {expression[:20]!r}", appended(TEXT, f"\nA value: {{{{= {expression} : B}}}}\n")
    for number in ("0", "-1", "0.5", "NaN", "inf", "1e999", "4294967296", "18446744073709551616", "9007199254740993", '"n"', "[]", "()"):
        yield f"the default {number}", edit(LESSON, ("default: 1024", f"default: {number}"))
        yield f"the bounds {number}", edit(LESSON, ("PowersOfTwo(1024, 4194304)", f"Range({number}, 9007199254740992)"))
        yield f"the version {number}", edit(LESSON, ("format_version: 2", f"format_version: {number}"))
        yield f"the tolerance {number}", edit(LESSON, ("tolerance: 0", f"tolerance: {number}"))
        yield f"the experiment over {number}", edit(LESSON, ("values: [1024, 2048]", f"values: [1024, {number}]"))
    for words, other in [
        ('id: "block"', 'id: "n"'), ('id: "copy", title', 'id: "n", title'), ('(id: "copy", kernel', '(id: "copy", kernel: "copy"), (id: "copy", kernel'), ('entry: "main"', 'entry: "nothing"'),
        ('"one/copy.wgsl"', '"../../../etc/passwd"'), ('"one/copy.wgsl"', '"/etc/passwd"'), ('"one/copy.wgsl"', '"one/../one/copy.wgsl"'), ('"one/copy.wgsl"', '"one\\u{0}.wgsl"'),
        ('"one/copy.wgsl"', '"/dev/zero"'), ("strided_copy", "no_such_thing"), ('"stride": "1"', '"stride": "n"'), ('output: "dst"', 'output: "src"'), ("elem: F32", "elem: F64"),
        ("init: Random", "init: Poison"), ('kernels: ["copy"]', "kernels: []"), ('over: "n"', 'over: "block"'), ("values: [1024, 2048]", f"values: [{'1024,' * 50_000}]"),
        ('measured: "twice.time / once.time"', 'measured: "0/0"'), ('traced: "twice.load_sectors / once.load_sectors"', 'traced: "1/0"'), ("params: [", f"params: [{many(3000, PARAM)}"),
        ("params: [", f"params: [{many(900, PARAM)}"), ("values: [\n", f"values: [\n{many(900, VALUE)}"), ("values: [\n", f"values: [\n{chain(900)}"), ("values: [\n", f"values: [\n{many(50_000, VALUE)}"),
        ("values: [\n", f"values: [\n{VALUE * 999}"), ('expr: "8 * n"', 'expr: "w"), (id: "w", label: "w", expr: "moved"'), ("kernels: [\n", f"kernels: [\n{many(900, KERNEL_OF)}"),
        ("kernels: [\n", f"kernels: [\n{many(10_000, KERNEL_OF)}"), ('title: "One"', f'title: "{"long " * 200_000}"'), ('unit: "B"', f'unit: "{"B" * 100_000}"'), ('label: "elements"', 'label: ""'),
        ('options: [("as long", 1)', f'options: [{many(2000, OPTION)}("as long", 1)'), ('title: "One"', 'title: "\\u{0}\\u{1b}[2J\\u{202e}"'), ('help: "', 'help: "\\u{1b}]0;x\\u{7}'),
        ("steps: [", "steps: [" + many(2000, '(id: "s#", kernel: "copy"),')), ("steps: [", "steps: [], no_such_field: ["), ('"BLOCK": "block"', '"BLOCK": "2.5"'),
        ('"BLOCK": "block"', '"BLOCK": "0"'), ('"BLOCK": "block"', '"BLOCK": "65536"'), ('"BLOCK": "block"', many(5000, '"C#": "1",')), ('("ceil(n / block)", "1", "1")', '("65535", "65535", "65535")'),
        ('("ceil(n / block)", "1", "1")', '("1", "1", "1", "1")'), ('count: "n", init: Random', 'count: "2^40", init: Random'), ('count: "n", init: Random', 'count: "2^30", init: Random'),
    ]:
        yield f"{words[:24]} becomes {other[:24]}", edit(LESSON, (words, other))
    for text in [
        "{{n}} " * 32_000, "{{= moved : B}} " * 5000, "{{" * 100_000, "{{predict double}}\n\n" * 5000, "{{nothing}}", "{{= n : nothing}}", "## Copy {#copy}\n" * 3000, "# " * 50_000, "> " * 50_000, "- " * 50_000,
        "  " * 50_000 + "- a", "*" * 100_000, "[" * 100_000, "![" * 50_000, "[a](" * 50_000, "<" * 100_000, "`" * 100_001, "```\n" * 20_001, "|" * 50_000 + "\n" + "|-" * 50_000, "&" * 100_000, "\\" * 100_001, "$" * 50_001,
        "$$\n" * 20_001, "[a]: b\n" * 50_000, "[^1]: [^1]\n" * 20_000, "{#copy}" * 20_000, "a" * 1_000_000, "a " * 1_000_000, "<details>" * 20_000, "{{exercise nothing}}\n", "## Other {#other}\n", "\r" * 50_000, "\u2028" * 50_000,
    ]:
        yield f"the text {text[:16]!r}", appended(TEXT, f"\n{text}\n")
    for text in ["", "fn main() {}", "@compute @workgroup_size(4294967295) fn main() {}", "@compute @workgroup_size(32) fn main() { loop {} }", "enable f16;" * 10_000, "//#include \"copy.wgsl\"\n" * 100]:
        yield f"the kernel {text[:24]}", written(KERNEL, text)
    yield "a kernel that never ends", edit(KERNEL, ("fn main(", "fn forever() { var i = 0u; loop { i += 1u; if i == 0u { break; } } }\nfn main("), ("{\n", "{\n forever();\n"))
    for order in ['"one", "one"', '"two"', '"../one"', '"one", ' * 200_000, '"' + "a" * 100_000 + '"', '"\\u{0}"', '""', '"one/../one"', "1", ""]:
        yield f"the index has {order[:24]}", written(INDEX, f"(format_version: 1, order: [{order}])")
    for name in ("assets/devices/odd.ron", "assets/recordings/odd.ron", "assets/profiles/odd.ron"):
        for content in ("(", b"\xff", "(" * 100_000, "", "(format_version: 4294967296, value: ())", "\0" * (9 << 20)):
            yield f"{name} is {content[:8]!r}", written(name, content)
        yield f"{name} is a pipe", lambda pack, name=name: (os.makedirs((pack / name).parent), os.mkfifo(pack / name))


# What reads a pack.
READERS = [
    ["--pack", "pack", "list", "--json"], ["check", "pack"], ["--pack", "pack", "run", "one", "--backend", "simt", "--json"],
    ["--pack", "pack", "export", "one", "--backend", "simt", "--format", "md,html,csv", "-o", "notes"], ["--pack", "pack", "trace", "one/copy", "--json"], ["new", "two", "--pack", "pack"],
]
# The largest buffer that one of the packs asks for, in bytes, and its copies.
BUFFERS = 3 << 32


def read(program, count, random):
    """Each pack with `check` and one other command."""
    for name, bend in bends():
        chosen = [READERS[1], random.choice([READERS[0], *READERS[2:]])]

        def case(folder, name=name, bend=bend, chosen=chosen):
            small_pack(program, folder)
            bend(folder / "pack")
            buffers = BUFFERS if "2^30" in name or "count" in name else 0
            return [fault for args in chosen for fault in program.run(args, folder).faults(buffers=buffers)]

        yield name, case, len(chosen)


def drawn(program, count, random):
    """Packs whose files can be read, in the window off screen."""
    chosen = [bend for bend in bends() if bend[0].startswith(("the formula", "the text", "title", "unit", "label", "options", "params", "steps", "values"))]
    # About half of them are refused before anything is drawn.
    for name, bend in random.sample(chosen, min(len(chosen), 5 * count // 2)):

        def case(folder, name=name, bend=bend):
            small_pack(program, folder)
            bend(folder / "pack")
            ran = program.run(["--pack", "pack", "shot", "one", "--size", "640x480", "-o", "a.png"], folder)
            if b"no graphics driver" in ran.err:
                raise Skipped("no graphics driver: nothing was drawn")
            drawn_all = [] if ran.code != 0 or (folder / "a.png").read_bytes().startswith(b"\x89PNG") else [f"no picture: {ran.told()}"]
            return ran.faults() + drawn_all

        yield name, case
