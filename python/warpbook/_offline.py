"""Compiles functions of Triton, Gluon and cuTile without a GPU. `warpbook trace FILE.py::NAME` runs this file by itself: it imports no other of
this package."""

import ast
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Modules that a file's definitions may import.
MODULES = {"triton", "cuda", "math", "typing", "__future__"}
#: Functions of these that a definition may call; their names are of no other module's.
CALLS = {"Config", "constexpr", "autotune", "heuristics", "jit", "kernel", "cdiv", "next_power_of_2"}
CALLS |= {"BlockedLayout", "SliceLayout", "DotOperandLayout", "NVMMADistributedLayout", "NVMMASharedLayout", "SwizzledSharedLayout"}
#: What would run code of the file's own while it is compiled.
AT_COMPILE_TIME = {"constexpr_function", "static_eval"}
#: Expressions that are evaluated where only definitions are taken: none of them runs code of the file's.
PLAIN = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.UnaryOp, ast.BinOp, ast.Compare, ast.IfExp, ast.Subscript)
PLAIN += (ast.Attribute, ast.Name, ast.Call, ast.keyword, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context)


@dataclass
class Compiled:
    """A kernel as PTX. `parameters` are those that did not become constants, in order."""

    ptx: str
    warps: int
    shared: int
    parameters: list[str]
    #: All arguments by name, with defaults.
    full: dict[str, Any]
    #: Arguments that follow from others, such as the sizes of an array, by the names of their parameters.
    derived: dict[str, int] = field(default_factory=dict)
    #: What was chosen without being asked for.
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Pointer:
    """A pointer to elements of a type, as Triton's specialization looks at one; and the shape of its array."""

    dtype: str
    shape: tuple[int, ...] = ()

    def data_ptr(self) -> int:
        """A buffer of its own begins at a multiple of 16."""
        return 0


def compiled(kernel: Any, values: dict[str, Any], target: str, options: dict[str, int]) -> Compiled:
    """The kernel as Triton's own launch would compile it for these arguments. TypeError if they are not its own."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend
    from triton.runtime.jit import create_function_from_signature

    gpu = GPUTarget("cuda", int(re.sub(r"\D", "", target)), 32)
    backend = make_backend(gpu)
    bind = create_function_from_signature(kernel.signature, kernel.params, backend)
    full, specialized, _ = bind(**values, **options)
    settings, types, constants, hints = kernel._pack_args(backend, options, full, specialized, None)
    source = ast_source(kernel)(kernel, types, constants, hints)
    # What Triton's cache has of the same text in another file has the lines of that one.
    with patched("TRITON_ALWAYS_COMPILE", "1"):
        made = triton.compile(source, target=gpu, options=settings.__dict__)
    left = [parameter for parameter, ty in types.items() if ty != "constexpr"]
    return Compiled(made.asm["ptx"], made.metadata.num_warps, made.metadata.shared, left, full)


@contextmanager
def patched(name: str, value: str) -> Iterator[None]:
    """A variable of the environment with another value for a while."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def ast_source(kernel: Any) -> Any:
    """The class of sources of a kernel: Gluon has its own."""
    from triton.compiler import ASTSource

    if not getattr(kernel, "is_gluon", lambda: False)():
        return ASTSource
    from triton.experimental.gluon._runtime import GluonASTSource

    return GluonASTSource


def definitions(path: str) -> dict[str, Any]:
    """The functions and constants that a file defines. Nothing else of it is executed: no loop, no call but of Triton's."""
    with open(path, encoding="utf-8-sig") as file:
        tree = ast.parse(file.read(), path)
    known, modules, kept = {"int", "float", "bool", "str"}, set(), []

    def path_of(node: ast.AST) -> list[str]:
        """`triton.language.constexpr` as its names; none of another expression."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.insert(0, node.attr)
            node = node.value
        return [node.id, *names] if isinstance(node, ast.Name) else []

    def is_plain(node: ast.AST | None) -> bool:
        if node is None:
            return True
        if not isinstance(node, PLAIN):
            return False
        if isinstance(node, (ast.Attribute, ast.Name)):
            names = path_of(node)
            return bool(names) and names[0] in known and not any(name.startswith("_") for name in names[1:])
        if isinstance(node, ast.Call):
            names = path_of(node.func)
            is_known = bool(names) and names[0] in modules and names[-1] in CALLS and is_plain(node.func)
            return is_known and all(is_plain(of) for of in [*node.args, *(keyword.value for keyword in node.keywords)])
        return all(is_plain(child) for child in ast.iter_child_nodes(node))

    def is_decorator(node: ast.AST) -> bool:
        names = path_of(node.func if isinstance(node, ast.Call) else node)
        return bool(names) and names[0] in modules and names[-1] in CALLS and is_plain(node)

    for node in ast.walk(tree):
        name = getattr(node, "attr", getattr(node, "id", None))
        if name in AT_COMPILE_TIME:
            raise Wrong(f"line {node.lineno} runs code while it is compiled (`{name}`)", "--run allows it, and executes all of the file")
    for node in tree.body:
        if isinstance(node, ast.Import):
            node.names = [name for name in node.names if name.name.split(".")[0] in MODULES]
            modules |= {name.asname or name.name.split(".")[0] for name in node.names}
            kept += [node] if node.names else []
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] in MODULES:
            modules |= {name.asname or name.name for name in node.names}
            kept.append(node)
        elif isinstance(node, ast.FunctionDef):
            of = node.args
            node.decorator_list = [decorator for decorator in node.decorator_list if is_decorator(decorator)]
            every = [*of.posonlyargs, *of.args, *of.kwonlyargs, *filter(None, [of.vararg, of.kwarg])]
            for argument in every:
                argument.annotation = argument.annotation if is_plain(argument.annotation) else None
            node.returns = None
            # A function that is not taken leaves no other of its name in force.
            names_of_others = [other for other in kept if getattr(other, "name", None) == node.name]
            kept = [other for other in kept if other not in names_of_others]
            # One without a decorator is none that is compiled.
            if node.decorator_list and all(is_plain(default) for default in [*of.defaults, *of.kw_defaults]):
                kept.append(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names_of = [target.id for target in targets if isinstance(target, ast.Name)]
            # A value that is not taken leaves no older one in force.
            kept = [other for other in kept if not (isinstance(other, ast.Assign) and other.targets[0].id in names_of)]
            known -= set(names_of)
            if is_plain(node.value) and len(names_of) == len(targets) == 1:
                known.add(names_of[0])
                kept.append(ast.copy_location(ast.Assign(targets, node.value), node))
        known |= modules
    tree.body = kept
    names: dict[str, Any] = {"__name__": "kernels", "__file__": path}
    exec(compile(ast.fix_missing_locations(tree), path, "exec"), names)
    return names


def imported(path: str) -> dict[str, Any]:
    """What a file has after all of it was executed, as an import would."""
    import pathlib
    import runpy

    sys.path.insert(0, str(pathlib.Path(path).resolve().parent))
    return runpy.run_path(path, run_name="kernels")


def kernels(names: dict[str, Any]) -> list[str]:
    """The names of functions that are compiled. Those of Triton that only others call are among them."""
    return [name for name, value in names.items() if hasattr(inner(value), "arg_names") or is_cutile(value)]


def is_cutile(kernel: Any) -> bool:
    """Whether it is a kernel of cuTile."""
    return hasattr(kernel, "_annotated_function") and type(kernel).__module__.startswith("cuda.tile")


def inner(kernel: Any) -> Any:
    """The function within Triton's decorators, such as autotune."""
    while not hasattr(kernel, "arg_names") or hasattr(kernel, "configs"):
        if not hasattr(kernel, "fn") or kernel.fn is kernel:
            break
        kernel = kernel.fn
    return kernel


def configured(kernel: Any) -> dict[str, Any]:
    """The first configuration of an autotuned kernel."""
    while kernel is not None:
        if getattr(kernel, "configs", None):
            return kernel.configs[0].all_kwargs()
        kernel = getattr(kernel, "fn", None)
    return {}


class Wrong(Exception):
    """What is wrong with a request, and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def constant(text: str, names: dict[str, Any]) -> Any:
    """A constant as the command line has it: a literal, a name of the file, or a type of Triton's such as `tl.float16`."""
    import triton.language as tl

    if text.lower() in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text.lower()]
    if text in names:
        return names[text]
    if (of := text.removeprefix("tl.").removeprefix("gl.")) != text and hasattr(tl, of):
        return getattr(tl, of)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def asked(request: dict[str, Any]) -> dict[str, Any]:
    """Compiles the kernel of a request: file, name, arguments, buffers, constants, warps, stages, target, run."""
    request["shaped"] = False
    names = (imported if request["run"] else definitions)(request["file"])
    found, name = kernels(names), request["name"]
    if name not in found:
        listed = ", ".join(found) or "none"
        message = f"there is no kernel `{name}`" if name else "name a kernel"
        raise Wrong(message, f"its functions of Triton and cuTile are: {listed}; {request['file']}::NAME names one")
    if is_cutile(names[name]):
        made = of_cutile(names, request)
    else:
        made = of_triton(names, request)
    return {key: getattr(made, key) for key in ("ptx", "warps", "shared", "parameters", "derived", "notes")}


def of_triton(names: dict[str, Any], request: dict[str, Any]) -> Compiled:
    """A function of Triton or Gluon, compiled for the arguments of a request."""
    kernel, chosen = inner(names[request["name"]]), configured(names[request["name"]])
    options = {"num_warps": request["warps"] or chosen.pop("num_warps", None) or 4}
    stages = request["stages"] or chosen.pop("num_stages", None)
    options |= {"num_stages": stages} if stages else {}
    of = {parameter.name: (parameter.is_constexpr, parameter.has_default) for parameter in kernel.params}
    values = given(of, chosen, names, request)
    made = compiled(kernel, values, request["target"] or "sm_80", options)
    taken = [f"{name}={chosen[name]}" for name in chosen if name in of and name not in request["constants"]]
    if taken:
        made.notes.append(f"the first configuration of {request['name']} is taken: {', '.join(taken)}, {made.warps} warps; --const and --warps give others")
    return made


def given(
    parameters: dict[str, tuple[bool, bool]], chosen: dict[str, Any], names: dict[str, Any], request: dict[str, Any]
) -> dict[str, Any]:
    """The values of parameters, of which each is a constant or not, and has a default or not."""
    values: dict[str, Any] = {}
    missing = []
    for name, (is_constant, has_default) in parameters.items():
        if name in request["constants"]:
            values[name] = constant(request["constants"][name], names)
        elif name in request["buffers"]:
            dtype, shape = request["buffers"][name]
            values[name] = Pointer(dtype, tuple(shape))
        elif name in request["arguments"]:
            values[name] = constant(request["arguments"][name], {})
        elif name in chosen:
            values[name] = chosen[name]
        elif not has_default:
            shape = "COUNTxCOUNT" if request["shaped"] else "COUNT"
            number_or_pointer = f"--arg {name}=VALUE (a number) or --buffer {name}={shape}[:TYPE] (an array)"
            missing.append(f"--const {name}=VALUE" if is_constant else number_or_pointer)
    for name in {**request["constants"], **request["buffers"], **request["arguments"]}:
        if name not in parameters:
            raise Wrong(f"`{request['name']}` has no parameter `{name}`", f"it takes {', '.join(parameters)}")
    if missing:
        more = "one more argument" if len(missing) == 1 else f"{len(missing)} more arguments"
        raise Wrong(f"`{request['name']}` needs {more}", "add " + ", ".join(missing))
    return values


def of_cutile(names: dict[str, Any], request: dict[str, Any]) -> Compiled:
    """A kernel of cuTile. Its machine code carries the PTX that it was made of, and the lines of both."""
    import cuda.tile as ct
    from cuda.tile.compilation import CallingConvention, KernelSignature, ScalarConstraint, export_kernel

    kernel, request["shaped"] = names[request["name"]], True
    function = kernel._annotated_function
    leaves = zip(function.pysig.parameters.items(), function.parameter_annotations, strict=True)
    of = {key: (getattr(leaf, "constant", False), False) for (key, _), leaf in leaves}
    values = given(of, {}, names, request)
    target = re.sub(r"[af]$", "", request["target"] or "sm_80")
    if int(target.removeprefix("sm_")) >= 90:
        raise Wrong(
            f"cuTile's code for {target} takes tensor maps that its launch makes, and they are not traced",
            "leave --target out, for sm_80, or name sm_86 or sm_89",
        )
    constraints, parameters, derived = [], [], {}
    for key, value in values.items():
        if isinstance(value, Pointer):
            constraints.append(array_constraint(value))
            strides = [math.prod(value.shape[i + 1 :]) for i in range(len(value.shape))]
            sizes = {f"{key}.shape[{i}]": size for i, size in enumerate(value.shape)}
            sizes |= {f"{key}.strides[{i}]": stride for i, stride in enumerate(strides)}
            parameters += [key, *sizes]
            derived |= sizes
        elif of[key][0]:
            constraints.append(value)
        else:
            constraints.append(ScalarConstraint(ct.float32 if isinstance(value, float) else ct.int32))
            parameters.append(key)
    convention = CallingConvention.cutile_python_v1()
    out = io.BytesIO()
    export_kernel(kernel, [KernelSignature(constraints, convention)], out, gpu_code=target, output_format="cubin")
    ptx = ptx_of(out.getvalue(), request["file"])
    block = re.search(r"\.reqntid\s+(\d+)", ptx)
    return Compiled(ptx, int(block[1]) // 32 if block else 1, 0, parameters, values, derived)


def array_constraint(array: Pointer) -> Any:
    """What a compiler may take for granted of an array: rows behind each other, multiples of 16 where they are."""
    import cuda.tile as ct
    from cuda.tile.compilation import ArrayConstraint

    rank, bytes_of = len(array.shape), int(re.sub(r"\D", "", array.dtype)) // 8
    strides = [math.prod(array.shape[i + 1 :]) for i in range(rank)]
    each = max(16 // bytes_of, 1)
    return ArrayConstraint(
        getattr(ct, array.dtype),
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=[1 if stride == 1 else None for stride in strides],
        stride_divisible_by=[each if stride % each == 0 else 1 for stride in strides],
        shape_divisible_by=[16 if size % 16 == 0 else 1 for size in array.shape],
        base_addr_divisible_by=256,
    )


def ptx_of(cubin: bytes, file: str) -> str:
    """The PTX in machine code that carries it, with the lines of the Python file."""
    text = section(cubin, ".nv_debug_ptx_txt").replace(b"\0", b"\n").decode()
    rows = text.split(".nv_intermediate_source_section")[0].rstrip().split("\n")
    lines, line = lines_of_ptx(cubin, file), 0
    out, inside = [], False
    for number, row in enumerate(rows, 1):
        at = lines.get(number, line)
        # Directives and labels are of no line.
        if inside and at != line and row.strip() and row[0] not in ".}{$":
            out.append(f"\t.loc 1 {at} 0")
            line = at
        inside = (inside or row.startswith("{")) and not row.startswith("}")
        out.append(row)
    head = next((i for i, row in enumerate(out) if row.startswith(".address_size")), -1)
    out.insert(head + 1, f'.file 1 "{Path(file).name}"')
    return "\n".join(out) + "\n"


def lines_of_ptx(cubin: bytes, file: str) -> dict[int, int]:
    """The line of the file by the line of PTX, of those that machine code was made of."""
    folders = [path / "bin" for path in Path(sysconfig.get_path("purelib"), "nvidia").glob("cu*")]
    found = [shutil.which("nvdisasm", path=str(folder)) for folder in folders] + [shutil.which("nvdisasm")]
    program = next((path for path in found if path), None)
    if program is None:
        raise Wrong(
            "nvdisasm is missing, which has the lines of cuTile's code", "pip install nvidia-cuda-nvdisasm, and try again"
        )
    with tempfile.TemporaryDirectory(prefix="warpbook-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        shown = subprocess.run([program, "-g", "-gp", "-c", path], capture_output=True, text=True, check=True).stdout
    lines: dict[int, int] = {}
    of_file = of_ptx = 0
    for row in shown.splitlines():
        if place := re.match(r'\s*//## File "([^"]*)", line (\d+)', row):
            if place[1] == ".nv_debug_ptx_txt":
                of_ptx = int(place[2])
            elif Path(place[1]).name == Path(file).name:
                of_file = int(place[2])
        elif re.match(r"\s*/\*[0-9a-f]+\*/", row) and of_ptx:
            lines.setdefault(of_ptx, of_file)
    return lines


def section(elf: bytes, name: str) -> bytes:
    """A section of a 64-bit ELF file (its layout: <https://refspecs.linuxfoundation.org/elf/elf.pdf>)."""

    def number(at: int, size: int) -> int:
        return int.from_bytes(elf[at : at + size], "little")

    table, count, names = number(40, 8), number(60, 2), number(62, 2)
    text = number(table + 64 * names + 24, 8)
    for header in range(table, table + 64 * count, 64):
        start = text + number(header, 4)
        if elf[start : elf.index(b"\0", start)].decode() == name:
            offset, size = number(header + 24, 8), number(header + 32, 8)
            return elf[offset : offset + size]
    raise Wrong(f"the machine code has no {name}, which carries its PTX", "another version of cuda-tile may have it")


def main() -> None:
    """Answers the request that is the only argument, as the last line of output."""
    request = json.loads(sys.argv[1])
    try:
        answer = asked(request)
    except Wrong as wrong:
        answer = {"error": str(wrong), "hint": wrong.hint}
    except Exception as wrong:  # noqa: BLE001, a file may raise anything
        answer = failure(wrong, request)
    print("\n" + json.dumps(answer))


def failure(wrong: BaseException, request: dict[str, Any]) -> dict[str, Any]:
    """An exception as an answer, with the line of the file that it is about."""
    line = getattr(getattr(wrong, "node", None), "lineno", None)
    rows = [row.strip() for row in str(wrong).splitlines() if row.strip()] or [""]
    # Triton's own message begins with the source, and ends with what is wrong.
    text = rows[-1] if type(wrong).__name__ == "CompilationError" else f"{type(wrong).__name__}: {rows[0]}"
    if (cause := wrong.__cause__) is not None:
        text = f"{type(cause).__name__}: {cause}"
    is_unknown = isinstance(wrong, (NameError, ImportError)) or "NameError" in text or "is not defined" in text
    hint = "only definitions of the file are taken; --run executes all of it, as an import does"
    hint = hint if is_unknown and not request["run"] else ""
    if isinstance(wrong, SyntaxError):
        line = wrong.lineno
    elif line is not None and hasattr(wrong, "src"):
        line = line_of(request["file"], wrong.src, line)
    return {"error": text, "hint": hint, "line": line}


def line_of(path: str, source: str, line: int) -> int | None:
    """The line of a file at which a line of one of its functions is."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    at = text.find(source.strip())
    return text.count("\n", 0, at) + line if at >= 0 else None


if __name__ == "__main__":
    main()
