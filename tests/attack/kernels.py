"""Kernels: changed copies of the shaders of this repository, and whole ones at many thread counts."""

import json
import pathlib
import re
import shutil

from changes import changed

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STORAGE = re.compile(r"var<storage[^>]*>\s*(\w+)\s*:\s*(\w+)\s*<")
# Elements of each buffer: enough for one workgroup of most kernels.
ELEMENTS = 4096


def shaders():
    return sorted((ROOT / "shaders").rglob("*.wgsl"))


def kernels():
    """The shaders that have an entry point."""
    return [path for path in shaders() if "@compute" in path.read_text()]


def arguments(name, text, grid="1"):
    """How `trace` is told to run it."""
    buffers = [f"{name}={ELEMENTS}" for name, kind in STORAGE.findall(text) if kind == "array"]
    entries = re.findall(r"@compute[^{]*?\bfn\s+(\w+)", text)
    entry = ["--entry", entries[0]] if len(entries) > 1 else []
    return ["trace", name, "--grid", grid, *entry, *(word for buffer in buffers for word in ("--buffer", buffer)), "--json"]


# Words that may stand for one another in a kernel that still compiles. Few of these make a loop endless, since waiting for such a kernel takes ten seconds.
ALIKE = [
    ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"], ["==", "!=", "<=", ">="], ["&&", "||"], ["u32", "i32", "f32"], ["min", "max"], ["x", "y", "z"],
    ["workgroupBarrier", "storageBarrier", "subgroupBarrier"], ["subgroupAdd", "subgroupMul", "subgroupMin", "subgroupMax"], ["exp", "log", "sqrt", "inverseSqrt", "sin", "round"],
    ["local_invocation_id", "global_invocation_id", "workgroup_id", "num_workgroups"], ["read", "read_write"], ["break", "continue", "return"], ["true", "false"],
    ["0u", "1u", "2u", "31u", "32u", "33u", "63u", "255u"],
]


def alike(text, random):
    """The text with some words, operators or numbers replaced by others of their sort: most of these compile."""
    for _ in range(random.choice([1, 1, 2, 4])):
        sort = random.choice(ALIKE)
        pattern = "|".join(rf"\b{word}\b" if word[0].isalnum() else rf"(?<=[\w)\] ]){re.escape(word)}(?=[\w( ])" for word in sorted(sort, key=len, reverse=True))
        if sort[0] == "0u":
            pattern = r"\b\d+u\b"
        places = list(re.finditer(pattern, text))
        if places:
            place = random.choice(places)
            text = text[: place.start()] + random.choice(sort) + text[place.end() :]
    return text


def mutated(program, count, random):
    """A changed kernel beside the files that it includes."""
    sources = kernels()
    for index in range(count):
        source = sources[index % len(sources)]
        text = random.choice([alike, alike, changed])(source.read_text(), random)

        def case(folder, source=source, text=text):
            for beside in source.parent.glob("*.wgsl"):
                shutil.copy(beside, folder)
            (folder / source.name).write_text(text)
            return program.run(arguments(source.name, text), folder).faults()

        yield f"{source.parent.name}/{source.name} changed", case


# Numbers of threads, and how many kernels are run with each.
THREADS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16]


def threads(program, count, random):
    """The same kernel with each number of threads: the same trace."""
    chosen = random.sample(kernels(), min(len(kernels()), -(-count // len(THREADS))))
    for source in chosen:

        def case(folder, source=source):
            for beside in source.parent.glob("*.wgsl"):
                shutil.copy(beside, folder)
            args = arguments(source.name, source.read_text(), grid="24")
            found, first = [], None
            for number in THREADS:
                ran = program.run(args, folder, env={"RAYON_NUM_THREADS": str(number)})
                found += ran.faults()
                if not ran.out:
                    found.append(f"nothing was traced: {ran.told()}")
                    break
                trace = json.loads(ran.out)
                trace.pop("seconds", None)
                first = first or trace
                if trace != first:
                    found.append(f"{number} threads count otherwise than one: {ran.told()}")
            return found

        yield f"{source.parent.name}/{source.name} on {len(THREADS)} thread counts", case, len(THREADS)
