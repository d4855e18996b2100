"""Compiles Triton's functions without a GPU. `warpbook trace FILE.py::NAME` runs this file by itself: it imports no other of this package."""

import ast
import builtins
import json
import re
import sys
from dataclasses import dataclass
from typing import Any

#: Modules that a file's definitions may import.
MODULES = {"triton", "math", "typing", "functools", "dataclasses", "__future__"}
#: Expressions that are evaluated where only definitions are taken.
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


@dataclass(frozen=True)
class Pointer:
    """A pointer to elements of a type, as Triton's specialization looks at one."""

    dtype: str

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
    source = ast_source(kernel)
    made = triton.compile(source(kernel, types, constants, hints), target=gpu, options=settings.__dict__)
    left = [parameter for parameter, ty in types.items() if ty != "constexpr"]
    return Compiled(made.asm["ptx"], made.metadata.num_warps, made.metadata.shared, left, full)


def ast_source(kernel: Any) -> Any:
    """The class of sources of a kernel: Gluon has its own."""
    from triton.compiler import ASTSource

    if not getattr(kernel, "is_gluon", lambda: False)():
        return ASTSource
    from triton.experimental.gluon._runtime import GluonASTSource

    return GluonASTSource


def definitions(path: str) -> dict[str, Any]:
    """The functions and constants that a file defines. Nothing else of it is executed: no loop, no call but of Triton's."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    known, kept = set(dir(builtins)) & {"True", "False", "None", "int", "float", "bool", "str", "range", "tuple"}, []

    def is_plain(node: ast.AST | None) -> bool:
        if node is None:
            return True
        if not isinstance(node, PLAIN) or (isinstance(node, ast.Name) and node.id not in known):
            return False
        # A call is of Triton's own, such as `triton.Config(…)` or `tl.constexpr(…)`.
        if isinstance(node, ast.Call) and not is_plain(node.func):
            return False
        return all(is_plain(child) for child in ast.iter_child_nodes(node))

    for node in tree.body:
        if isinstance(node, ast.Import):
            node.names = [name for name in node.names if name.name.split(".")[0] in MODULES]
            known |= {name.asname or name.name.split(".")[0] for name in node.names}
            kept += [node] if node.names else []
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] in MODULES:
            known |= {name.asname or name.name for name in node.names}
            kept.append(node)
        elif isinstance(node, ast.FunctionDef):
            node.decorator_list = [of for of in node.decorator_list if is_plain(of)]
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            for argument in every:
                argument.annotation = argument.annotation if is_plain(argument.annotation) else None
            node.returns = None
            if all(is_plain(default) for default in [*node.args.defaults, *node.args.kw_defaults]):
                known.add(node.name)
                kept.append(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and is_plain(node.value) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if all(isinstance(target, ast.Name) for target in targets):
                known |= {target.id for target in targets}
                kept.append(ast.copy_location(ast.Assign(targets, node.value), node))
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
    """The names of kernels: Triton's functions whose result nobody could take are not told apart."""
    return [name for name, value in names.items() if hasattr(inner(value), "arg_names")]


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
    names = (imported if request["run"] else definitions)(request["file"])
    found, name = kernels(names), request["name"]
    if name not in found:
        listed = ", ".join(found) or "none"
        message = f"there is no kernel `{name}`" if name else "name a kernel"
        raise Wrong(message, f"its functions of Triton are: {listed}; {request['file']}::NAME names one")
    kernel = inner(names[name])
    chosen = configured(names[name])
    options = {"num_warps": request["warps"] or chosen.pop("num_warps", None) or 4}
    stages = request["stages"] or chosen.pop("num_stages", None)
    options |= {"num_stages": stages} if stages else {}
    values: dict[str, Any] = {}
    missing = []
    for parameter in kernel.params:
        of = parameter.name
        if of in request["constants"]:
            values[of] = constant(request["constants"][of], names)
        elif of in request["buffers"]:
            values[of] = Pointer(request["buffers"][of])
        elif of in request["arguments"]:
            values[of] = constant(request["arguments"][of], {})
        elif of in chosen:
            values[of] = chosen[of]
        elif not parameter.has_default:
            kind = "--const {}=VALUE" if parameter.is_constexpr else "--arg {}=VALUE (a number) or --buffer {}=COUNT[:TYPE] (a pointer)"
            missing.append(kind.format(of, of))
    given = {**request["constants"], **request["buffers"], **request["arguments"]}
    for of in given:
        if of not in kernel.arg_names:
            raise Wrong(f"`{name}` has no parameter `{of}`", f"it takes {', '.join(kernel.arg_names)}")
    if missing:
        raise Wrong(f"`{name}` needs {len(missing)} more arguments" if len(missing) > 1 else f"`{name}` needs one more argument", "add " + ", ".join(missing))
    made = compiled(kernel, values, request["target"], options)
    return {"ptx": made.ptx, "warps": made.warps, "shared": made.shared, "parameters": made.parameters}


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
    first = next((text for text in str(wrong).splitlines()[::-1] if text.strip()), "")
    text = first if type(wrong).__name__ == "CompilationError" else f"{type(wrong).__name__}: {first}"
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
