"""A kernel with its arguments as options of `warpbook trace`."""

import linecache
import numbers
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from ._arrays import Array, array
from ._program import Error, run
from ._offline import compiled

Sizes = int | Sequence[int]
Grid = Sizes | Callable[[Mapping[str, Any]], Sizes]

BINDING = re.compile(r"@group\((\d+)\)\s*@binding\((\d+)\)\s*var<[^>]*>\s*(\w+)\s*:\s*([^;]+);")
SCALARS = re.compile(r"array<\s*(atomic<)?\s*(f32|u32|i32|f16)\b")


@dataclass
class Launch:
    """A target of `warpbook trace` with its options. Its files exist as long as it does."""

    #: The path of the kernel's file; the file's name in messages, and its text.
    target: str = ""
    file: str = ""
    source: str = ""
    options: list[str] = field(default_factory=list)
    arrays: dict[str, Array] = field(default_factory=dict)
    #: Arrays that were given before under other names, by their names.
    again: dict[str, str] = field(default_factory=dict)
    folder: Any = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="warpbook-"))

    def write(self, name: str, text: str) -> str:
        """Writes a file and returns its path."""
        path = Path(self.folder.name, name)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def give(self, name: str, value: Any, size: Callable[[Array], str | None]) -> None:
        """Adds an argument. `size` gives COUNT[:TYPE] of an array's buffer, or None if the program knows it."""
        contents = array(name, value)
        if contents is None:
            self.options += ["--arg", f"{name}={number(name, value)}"]
            return
        for other, known in self.arrays.items():
            if (known.bytes, known.dtype) == (contents.bytes, contents.dtype):
                self.options += ["--buffer", f"{name}=@{other}"]
                self.again[name] = other
                return
            if max(contents.bytes[0], known.bytes[0]) < min(contents.bytes[1], known.bytes[1]):
                raise Error(f"`{name}` and `{other}` share memory\n  hint: pass copies, or the same array twice")
        self.arrays[name] = contents
        file = Path(self.folder.name, f"{name}.npy")
        contents.save(file)
        self.options += [f"--buffer={name}={sized}"] if (sized := size(contents)) else []
        self.options += ["--input", f"{name}={file}"]


    def point(self, name: str, values: Sequence[Any]) -> None:
        """Adds an array of pointers: each leads to the contents of one of `values`."""
        if not all(isinstance(array(name, value), Array) for value in values):
            raise Error(f"`{name}` is a {type(values).__name__} of numbers\n  hint: pass a NumPy array of the pointer's type")
        names = []
        for at, value in enumerate(values):
            own = f"{name}_{at}"
            self.give(own, value, lambda given: given.typed)
            # An array that is given twice is one buffer.
            is_alias = self.options[-2] == "--buffer" and self.options[-1].startswith(f"{own}=@")
            names.append(self.options.pop().split("@")[1] if is_alias else own)
            if is_alias:
                self.options.pop()
        self.options += ["--buffer", f"{name}=@[{','.join(names)}]"]


def plain(value: Any) -> Any:
    """A number of NumPy's as one of Python's, and others as they are."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def number(name: str, value: Any) -> str:
    """A number as the program reads it."""
    if isinstance(value, numbers.Real):
        return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))
    hint = "\n  hint: a pointer that leads nowhere is 0" if value is None else ""
    raise Error(f"`{name}` is a {type(value).__name__}: expected a NumPy array, a torch CPU tensor, an int or a float{hint}")


def sizes(of: Sizes) -> str:
    """A grid or a block: X[,Y[,Z]]."""
    each = of if isinstance(of, Iterable) and not isinstance(of, str) else (of,)
    each = [plain(size) for size in each]
    wrong = next((size for size in each if not isinstance(size, numbers.Integral)), None)
    if wrong is not None or not each or min(each) < 1:
        wrong = of if wrong is None else wrong
        raise Error(f"a grid or a block is one to three whole numbers, not {wrong!r}\n  hint: round up: (n + 127) // 128")
    return ",".join(str(int(size)) for size in each)


def of_file(kernel: str | PathLike[str], source: Any, args: Any, named: Any, options: list[str]) -> Launch:
    """The launch of the text or the path of a kernel, with the options that it is compiled with."""
    launch, text = Launch(options=options), str(kernel)
    is_text = isinstance(kernel, str) and any(sign in kernel for sign in "\n{;")
    kind = "ptx" if re.search(r"^\s*\.version\s", text, re.MULTILINE) else "wgsl" if "@compute" in text else "cu"
    launch.target = launch.write(f"kernel.{kind}", text) if is_text else text
    launch.options += [f"--source={source}"] if source else []
    shown = Path(source or launch.target)
    try:
        launch.file, launch.source = shown.name, shown.read_text(encoding="utf-8")
    except (OSError, ValueError) as wrong:
        raise Error(f"cannot read {shown}: {wrong}") from None
    if launch.target.endswith(".wgsl"):
        bindings = sorted(BINDING.findall(launch.source), key=lambda found: (int(found[0]), int(found[1])))
        types = {name: ty for _, _, name, ty in bindings}
        for name, value in by_name(launch.file, list(types), args, named).items():
            give_binding(launch, name, value, types[name])
    else:
        # A .cu file declares the types, and the program compares them with those of the arrays. PTX does not.
        def size(given: Array) -> str | None:
            return given.typed if launch.target.endswith(".ptx") else None

        known = parameters(launch)
        names = list(dict.fromkeys(re.split(r"[.\[]", name)[0] for name in known))
        for name, value in by_name(launch.file, names, args, named).items():
            parts = dict(members(name, value, known))
            own = [path for path in known if path == name or path.startswith((f"{name}.", f"{name}["))]
            unknown = [path for path in parts if path not in known]
            missing = [path for path in own if path not in parts]
            if unknown or missing:
                wrong = [f"there is no `{path}`" for path in unknown] + [f"`{path}` is missing" for path in missing]
                raise Error(f"{launch.file}: {'; '.join(wrong)}\n  hint: it takes {', '.join(known)}")
            for path, of in parts.items():
                if known[path] == "arg" and isinstance(contents := array(path, of), Array):
                    # A vector, such as a float4.
                    launch.options += ["--arg", f"{path}=hex:{contents.bits.tobytes().hex()}"]
                elif isinstance(of, Sequence) and not isinstance(of, str):
                    launch.point(path, of)
                else:
                    launch.give(path, of, size)
    return launch


def members(name: str, value: Any, known: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """The parts of an argument by their paths: members of a dict and elements of an array by value, as in `p.n`,
    `p.inner.scale`, `p.dims[1]`."""
    if isinstance(value, Mapping):
        for key, of in value.items():
            yield from members(f"{name}.{key}", of, known)
    elif f"{name}[0]" in known and isinstance(value, Iterable):
        for at, of in enumerate(value):
            yield f"{name}[{at}]", plain(of)
    else:
        yield name, value


def give_binding(launch: Launch, name: str, value: Any, ty: str) -> None:
    """Adds the contents of a WGSL binding: an array, a number, or a dict with the members of a structure."""
    contents = array(name, value)
    if contents is None:
        members = {f"{name}.{key}": of for key, of in value.items()} if isinstance(value, Mapping) else {name: value}
        for path, of in members.items():
            text = ",".join(number(path, each) for each in (of if isinstance(of, Iterable) else (of,)))
            launch.options += ["--set-uniform", f"{path}={text}"]
        return
    has_size = not ty.startswith("array<") or re.search(r",\s*\w+\s*>$", ty)
    count = contents.bits.size if SCALARS.match(ty) else len(contents.bits)
    launch.give(name, value, lambda _: None if has_size else str(count))


def parameters(launch: Launch) -> dict[str, str]:
    """A kernel's parameters, as the program lists them if they are missing: by their names, whether each is an `arg` or a `buffer`."""
    # With a grid the launch in the file is not taken.
    done = run(["trace", launch.target, *launch.options, "--grid", "1", "--arg", "?=0"], launch.folder.name)
    listed = re.search(r"hint: all of them: warpbook trace (.*)", done.stderr)
    if listed is None:
        raise Error(done.stderr)
    return {name: kind for kind, name in re.findall(r"--(arg|buffer) (\S+?)=", listed[1])}


def by_name(kernel: str, names: list[str], args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by the names of their parameters, each given once."""
    given = dict(zip(names, args))
    wrong = [f"{len(args)} arguments are given by position"] if len(args) > len(names) else []
    wrong += [f"it has no parameter `{name}`" for name in named if name not in names]
    wrong += [f"`{name}` is given twice" for name in named if name in given]
    wrong += [f"`{name}` is missing" for name in names if name not in given and name not in named]
    if wrong:
        raise Error(f"{kernel}: {'; '.join(wrong)}\n  hint: it takes {', '.join(names) or 'no arguments'}")
    return given | dict(named)


def of_triton(kernel: Any, grid: Grid, args: Any, named: Any, target: str, options: dict[str, int]) -> Launch:
    """The launch of a `@triton.jit` function, compiled as Triton's own launch would compile it for these arguments."""
    launch, name = Launch(), kernel.fn.__name__
    try:
        values = kernel.signature.bind(*args, **named).arguments
        made = compiled(kernel, {key: array(key, value) or plain(value) for key, value in values.items()}, target, options)
    except TypeError as wrong:
        raise Error(f"{name}: {wrong}\n  hint: it takes {', '.join(kernel.arg_names)}") from None
    except Error:
        raise
    except Exception as wrong:  # Triton raises many kinds.
        said = str(wrong).strip() or f"Triton refuses this target, num_warps or a constant: {type(wrong).__name__}"
        raise Error(f"{name}: {said.splitlines()[0]}") from wrong

    path = kernel.fn.__code__.co_filename
    lines = linecache.getlines(path)
    launch.file, launch.source = Path(path).name, "".join(lines)
    # Arguments that became constants, as an int of 1 does, are no parameters of the PTX: a file that declares just the
    # others gives those their names.
    left = made.parameters
    source = launch.write(launch.file, f"def {name}({', '.join(left)}):" + "\n" * len(lines))
    launch.target = launch.write(f"{name}.ptx", made.ptx)
    launch.options += ["--source", source, "--grid", sizes(grid(made.full) if callable(grid) else grid)]
    launch.options += ["--warps", str(made.warps), "--shared", str(made.shared)]
    for parameter in left:
        launch.give(parameter, values.get(parameter, made.full[parameter]), lambda given: given.typed)
    return launch
