"""A step of the lesson One step as torch.compile compiles it, without a GPU: the kernels that Inductor writes for Triton, traced.

    python3 benches/peers/compiled_step.py path/to/warpbook DIR [--keep FILE] [--layers 2] [--width 64] [--heads 4] [--tokens 16] [--batch 4] [--vocab 256]

Compiles the forward and the backward pass of the model of `one_step_losses.py` for an H200 into DIR, as TORCHINDUCTOR_CACHE_DIR has them after a run,
has `warpbook trace` count them, and prints the runs of a profile (`assets/profiles/`): by part of the step, launches of Triton's kernels and the bytes of
the sectors that they touch, and the launches of libraries. Attention is left whole, as torch's fused one is. Dynamo has no part in it: AOTAutograd traces the function itself. Written for torch 2.15: without a GPU, Inductor is told of one by
replacing what it asks the driver.
"""

import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
from types import SimpleNamespace

H200 = dict(
    name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, total_memory=141 << 30, warp_size=32, max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65536, shared_memory_per_block=49152, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
    L2_cache_size=50 << 20, is_integrated=False, is_multi_gpu_board=False, gcnArchName="", uuid="0",
)  # fmt: skip


def pretend(torch):
    """Answers in the driver's place what Inductor and Triton ask of it. Nothing is launched."""
    import triton
    from triton.backends.compiler import GPUTarget

    properties = SimpleNamespace(**H200)
    answers = {
        torch.cuda: dict(
            is_available=True, device_count=1, current_device=0, get_device_capability=(9, 0), get_device_properties=properties,
            _get_device_properties=properties,
            get_device_name=H200["name"], _lazy_init=None, is_initialized=True, synchronize=None, _exchange_device=0, _maybe_exchange_device=0,
            get_rng_state=torch.zeros(16, dtype=torch.uint8), set_rng_state=None, manual_seed_all=None, manual_seed=None,
        ),
        torch._C: dict(_cuda_getDevice=0, _cuda_setDevice=None, _cuda_getDeviceCount=1, _cuda_getCurrentRawStream=0),
    }  # fmt: skip
    for module, values in answers.items():
        for name, value in values.items():
            setattr(module, name, lambda *_, value=value, **__: value)
    triton.runtime.driver.set_active(SimpleNamespace(
        get_current_target=lambda: GPUTarget("cuda", 90, 32),
        get_current_device=lambda: 0,
        get_active_torch_device=lambda: torch.device("cuda", 0),
        get_device_interface=lambda: torch.cuda,
        utils=SimpleNamespace(get_device_properties=lambda _: dict(max_shared_mem=232448, max_num_regs=65536, multiprocessor_count=132, warpSize=32)),
    ))  # fmt: skip
    # They ask when they are imported.
    from torch._inductor import config
    from torch._inductor.fx_passes import reinplace
    from torch._inductor.runtime import triton_helpers, triton_heuristics

    config.fx_graph_cache, config.triton.autotune_pointwise = False, False
    triton_helpers.set_driver_to_gpu = lambda: None
    triton_heuristics.CachingAutotuner._make_launchers = choose_first
    scatter = reinplace._inplace_generalized_scatter

    def without_copy(whole, *rest):
        try:
            return scatter(whole, *rest)
        except RuntimeError:  # Its copy asks for a stream. The shapes are right: the graph has run on the CPU.
            return whole

    reinplace._inplace_generalized_scatter = without_copy


def choose_first(tuner):
    """Writes down the first configuration as the fastest: none is timed. Removes the others."""
    from torch._inductor.runtime.runtime_utils import triton_hash_to_path_key

    first, *others = [triton_hash_to_path_key(result.kernel.hash) for result in tuner.compile_results]
    pathlib.Path(tuner.filename).with_suffix(".best_config").write_text(json.dumps({"triton_cache_hash": first}))
    triton = pathlib.Path(os.environ["TRITON_CACHE_DIR"])
    for other in others:
        shutil.rmtree(triton / other, ignore_errors=True)
    for file in triton.glob("*/*"):
        if file.suffix not in (".ptx", ".json", ".source") or file.name.startswith("__grp__"):
            file.unlink()


def model(torch, args):
    """The loss as a function of weights, ids and targets, with attention as one operation."""
    from one_step_losses import norm, turned
    from torch.nn import functional as F

    @torch.library.custom_op("library::attention", mutates_args=())
    def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return by_token(F.scaled_dot_product_attention(q, k, v, is_causal=True))

    @torch.library.custom_op("library::attention_gradient", mutates_args=())
    def gradient(
        up: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, o: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return by_token(q), by_token(k), by_token(v)  # Of the right shapes: the values decide nothing here.

    def by_token(tensor):
        """A copy in the order of torch's own attention: the heads of a token beside each other."""
        return tensor.transpose(1, 2).clone(memory_format=torch.contiguous_format).transpose(1, 2)

    def like(tensor):
        b, h, t, d = tensor.shape
        return torch.empty((b, t, h, d), dtype=tensor.dtype, device=tensor.device).transpose(1, 2)

    attention.register_fake(lambda q, k, v: like(v))
    gradient.register_fake(lambda up, q, k, v, o: (like(q), like(k), like(v)))
    attention.register_autograd(
        lambda ctx, up: gradient(up, *ctx.saved_tensors),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs, output),
    )

    def loss_of(embedding, matrices, ids, targets):
        x = embedding[ids]
        b, t, d = x.shape
        for qkv, projection, up, down in zip(*[iter(matrices)] * 4):
            q, k, v = (norm(x) @ qkv).view(b, t, 3, args.heads, d // args.heads).permute(2, 0, 3, 1, 4)
            o = attention(turned(q), turned(k), v)
            x = x + o.transpose(1, 2).reshape(b, t, d) @ projection
            x = x + F.gelu(norm(x) @ up, approximate="tanh") @ down
        return F.cross_entropy((norm(x) @ embedding.T).flatten(0, 1), targets.flatten())

    return loss_of


def graphs_of(torch, args):
    """The graphs of forward and backward, split as torch.compile splits them, each with its inputs."""
    from functorch.compile import aot_function, min_cut_rematerialization_partition
    from torch._inductor.decomposition import select_decomp_table
    from torch._inductor.fx_passes import fuse_attention, pad_mm
    from torch._inductor.fx_passes.joint_graph import joint_graph_passes

    # Two of the joint passes would time on a GPU, or make examples there: attention is one operation here, and no size asks for padding.
    fuse_attention._sfdp_init = pad_mm._pad_mm_init = lambda *_, **__: None

    graphs = []

    def take(graph, inputs):
        graphs.append((graph, inputs))
        return graph.forward

    d = args.width
    shapes = [(args.vocab, d)] + [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)] * args.layers
    embedding, *matrices = [(0.02 * torch.randn(shape)).requires_grad_() for shape in shapes]
    ids, targets = torch.randint(args.vocab, (2, args.batch, args.tokens))

    def split(graph, *rest, **options):
        is_available, torch.cuda.is_available = torch.cuda.is_available, lambda: False
        joint_graph_passes(graph, torch.device("cpu"))
        torch.cuda.is_available = is_available
        return min_cut_rematerialization_partition(graph, *rest, compiler="inductor", **options)

    compiled = aot_function(model(torch, args), take, take, partition_fn=split, decompositions=select_decomp_table())
    compiled(embedding, matrices, ids, targets).backward()
    return graphs


def compile_for_gpu(torch, graph, inputs, is_backward):
    """Has Inductor write and compile the kernels of a graph whose tensors are said to be on a GPU."""
    from torch._functorch._aot_autograd.logging_utils import track_graph_compiling
    from torch._guards import TracingContext, tracing
    from torch._inductor.compile_fx import compile_fx_inner
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.passes.fake_tensor_prop import FakeTensorProp

    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        there = [torch.empty_strided(of.shape, of.stride(), dtype=of.dtype, device="cuda") for of in inputs]
        places = iter(there)
        for node in graph.graph.nodes:
            if node.op == "placeholder":
                node.meta["val"] = next(places)
            if "device" in node.kwargs:
                node.kwargs = {**node.kwargs, "device": torch.device("cuda", 0)}
        FakeTensorProp(graph, mode).propagate(*there)
        name = "backward" if is_backward else "forward"
        with tracing(TracingContext(mode)), track_graph_compiling(SimpleNamespace(aot_id=0), name):
            compile_fx_inner(graph, there, is_backward=is_backward, graph_id=0)


#: Parts of the step, each with words in the names of its kernels: the first that fits.
PARTS = {
    "loss": ("nll_loss", "log_softmax"),
    "gelu": ("gelu",),
    "rotary": ("cos", "stack", "clone_transpose"),
    "norms": ("mean", "mul_neg"),
    "embedding": ("new_zeros",),
}


def part_of(kernel):
    return next(part for part, words in PARTS.items() if any(word in kernel for word in words))


def counted(warpbook, folder):
    """The runs of a profile: by part, the number and the unit of each counter."""
    ran = subprocess.run([warpbook, "trace", folder, "--json"], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"warpbook failed: {ran.stderr}")
    runs = {part: {"launches": (0, ""), "bytes": (0, "B")} for part in PARTS}
    for launch in json.loads(ran.stdout)["passes"]:
        sectors = sum(launch["trace"]["global"][kind]["sectors"] for kind in ("load", "store", "atomic"))
        part = runs[part_of(launch["kernel"])]
        part["launches"] = (part["launches"][0] + 1, "")
        part["bytes"] = (part["bytes"][0] + 32 * sectors, "B")
    libraries = sum(
        line.count("extern_kernels.") + line.count(" = torch.ops.library.")
        for wrapper in pathlib.Path(folder).glob("*/*.py")
        if "def call(" in (text := wrapper.read_text())
        for line in text.splitlines()
        if "import" not in line
    )
    return {**runs, "libraries": {"launches": (libraries, "")}}


def keep(folder, file):
    """Writes the folder's files as one, without the place where they were made."""
    here = pathlib.Path(folder)
    packages = sysconfig.get_paths()["purelib"] + "/"
    files = [path for path in sorted(here.rglob("*")) if path.is_file()]
    texts = {str(path.relative_to(here)): path.read_text().replace(str(here), "cache").replace(packages, "") for path in files}
    file.write_bytes(gzip.compress(json.dumps(texts, indent=0).encode(), mtime=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpbook")
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE", help="write DIR as one file, as tests/compiled_step.json.gz")
    sizes = dict(layers=2, width=64, heads=4, tokens=16, batch=4, vocab=256)
    for name, value in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    args = parser.parse_args()
    # Both are read when torch is imported.
    os.environ |= dict(TORCHINDUCTOR_CACHE_DIR=args.folder, TRITON_CACHE_DIR=f"{args.folder}/triton/0", TORCHINDUCTOR_COMPILE_THREADS="1")
    import torch

    pretend(torch)
    torch.manual_seed(1)
    for at, (graph, inputs) in enumerate(graphs_of(torch, args)):
        compile_for_gpu(torch, graph, inputs, is_backward=at == 1)
    chosen = ", ".join(f'"{name}": {getattr(args, name)}' for name in sizes)
    if args.keep:
        keep(args.folder, args.keep)
    print(f"torch {torch.__version__}")
    for part, counters in counted(args.warpbook, args.folder).items():
        counts = ", ".join(f'("{name}", {value}, "{unit}")' for name, (value, unit) in counters.items())
        print(f'(id: "{part}", kernel: "{part}, as torch.compile has it", set: {{{chosen}}}, counters: [{counts}]),')


if __name__ == "__main__":
    main()
