"""Counts, findings, contents, conditions and messages, of kernels in each language."""

import sysconfig

import numpy as np
import pytest
import warpbook

COPY = """__global__ void copy(const float *x, float *out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i * stride];
}"""
TRANSPOSE = """__global__ void transpose(const float *x, float *out) {
    __shared__ float tile[32 * 32];
    tile[threadIdx.x * 32 + threadIdx.y] = x[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y * 32 + threadIdx.x];
}"""
GATHER = "__global__ void gather(float *x, int *in, float *out) { out[threadIdx.x] = x[in[threadIdx.x]]; }"
SCALE = """struct Params { n: u32, a: f32 }
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(0) var<uniform> params: Params;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at: vec3u) {
    if at.x < params.n { y[at.x] *= params.a; }
}"""
ONES = np.ones(1024, "f4")


@pytest.mark.nvrtc
@pytest.mark.parametrize(("stride", "sectors"), [(1, 128), (2, 256), (8, 1024)])
def test_a_stride_takes_more_sectors(tmp_path, stride, sectors):
    (tmp_path / "copy.cu").write_text(COPY)
    trace = warpbook.trace(tmp_path / "copy.cu", 4, np.ones(8192, "f4"), ONES, stride=stride, block=256)
    assert (trace.load_sectors, trace["global.load.sectors"], trace["load.sectors"]) == (sectors,) * 3
    assert trace.sectors_per_request == sectors / 32 and trace.findings == [] and "copy.cu: 32 warps" in str(trace)


@pytest.mark.nvrtc
def test_check_names_the_lines_of_a_bank_conflict():
    trace = warpbook.trace(TRANSPOSE, 1, ONES, ONES.copy(), block=(32, 32))
    warpbook.check(trace, "sectors_per_request <= 4", "races == 0")
    with pytest.raises(AssertionError) as failed:
        warpbook.check(trace, "conflicts == 0", "load.sectors > 0")
    line = "  line 3: 992 conflicts: tile[threadIdx.x * 32 + threadIdx.y] = x[threadIdx.y * 32 + threadIdx.x];"
    assert str(failed.value) == f"kernel.cu: conflicts == 0 fails: conflicts is 992\n{line}"
    assert ">992<" in trace._repr_html_() and "<svg" in trace._repr_html_() and "load" in trace.film


@pytest.mark.nvrtc
def test_contents_are_passed_by_value():
    x, index, out = np.arange(1024, dtype="f4"), np.arange(32, dtype="i4") * 8 % 256, np.zeros(32, "f4")
    spread = warpbook.trace(GATHER, 1, x, index, out, block=32)
    near = warpbook.trace(GATHER, 1, x, np.arange(32, dtype="i4"), out, block=32)
    assert (spread.load_sectors, near.load_sectors) == (36, 8)
    assert (spread.buffers["out"] == x[index]).all() and not out.any()
    twice = warpbook.trace(GATHER, 1, x, np.arange(32, dtype="i4")[::-1].copy(), x, block=32)
    assert (twice.buffers["x"][:32] == x[:32][::-1]).all(), "an array that is given twice is one buffer"


@pytest.mark.nvrtc
def test_a_kernel_with_a_race_fails():
    race = "__global__ void last(int *out) {\n    out[0] = threadIdx.x;\n}"
    with pytest.raises(AssertionError, match=r"races == 0 fails: races is 1\n  line 2: race: "):
        warpbook.check(race, "races == 0", grid=1, args=[np.zeros(1, "i4")], block=32)


@pytest.mark.triton
def test_a_missing_mask_is_found_at_its_line_of_python():
    import kernels

    x, y = np.arange(100, dtype="f4"), np.ones(100, "f4")
    # A stride of 1 becomes a constant: the parameters after it keep their names.
    trace = warpbook.trace(
        kernels.add, lambda meta: meta["n"] // meta["BLOCK"] + 1, x, 1, y, np.zeros(100, "f4"), 100, BLOCK=64
    )
    line = 1 + next(i for i, text in enumerate(trace.source.splitlines()) if "mask is missing" in text)
    assert [(of.kind, of.line) for of in trace.findings] == [("out_of_bounds", line)]
    assert "`x`, which has 100 elements" in trace.findings[0].message and trace.file == "kernels.py"
    assert (trace.buffers["out"] == x + 1).all() and trace.warps == 8
    with pytest.raises(warpbook.Error, match="add: missing a required argument: 'y'"):
        warpbook.trace(kernels.add, 1, x, 1)


@pytest.mark.triton
def test_an_autotuned_kernel_has_its_first_configuration():
    import kernels
    import triton

    configs = [triton.Config({"BLOCK": size}, num_warps=2) for size in (32, 128)]
    tuned = triton.autotune(configs=configs, key=["n"])(kernels.add)
    x = np.ones(64, "f4")
    args = (x, 1, x.copy(), np.zeros(64, "f4"), 64)
    assert warpbook.trace(tuned, 2, *args).warps == 4
    assert warpbook.trace(tuned, 1, *args, BLOCK=64, num_warps=1).warps == 1


def test_a_grid_is_whole():
    with pytest.raises(warpbook.Error, match="whole numbers, not 7.8125"):
        warpbook.trace(SCALE, 1000 / 128, {"n": 8}, ONES)


def test_wgsl_takes_a_structure_as_a_dict():
    trace = warpbook.trace(SCALE, 16, {"n": 1000, "a": 3.0}, ONES)
    assert (trace.buffers["y"] == np.where(np.arange(1024) < 1000, 3, 1)).all() and trace.divergent_branches == 1


def test_bad_arguments_are_named():
    for wrong, message in [
        ([{"n": 8}], r"kernel.wgsl: `y` is missing\n  hint: it takes params, y"),
        ([{"n": 8}, ONES, 3], r"3 arguments are given by position"),
        ([{"n": 8}, ONES[::2]], r"`y` is not contiguous"),
        ([{"n": 8}, ONES * 1j], r"`y` holds complex64"),
        ([{"n": 8}, ONES.astype("i4")], r"`y` holds '<i4', and the buffer '<f4'\n  hint: pass it with .astype"),
    ]:
        with pytest.raises(warpbook.Error, match=message):
            warpbook.trace(SCALE, 16, *wrong)


@pytest.mark.nvrtc
def test_the_compilers_message_has_its_place():
    with pytest.raises(warpbook.Error, match=r'^kernel.cu:2:5: error: identifier "y" is undefined'):
        warpbook.trace("__global__ void k(int *x) {\n    y = 1;\n}", 1, ONES, block=32)


def test_a_missing_program_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(warpbook.Error, match=r"`warpbook` is neither in .* nor on PATH\n  hint: .*pip install"):
        warpbook.trace(SCALE, 1, {}, ONES)


STRUCTURE = """struct Range { int from; float scale; float* out; int dims[2]; };
__global__ void k(Range r, const float* const* rows, int n) {
    int i = threadIdx.x;
    if (i < n) r.out[i] = r.scale * (rows[0][i + r.from] + rows[1][i]) + r.dims[1];
}"""


@pytest.mark.nvrtc
def test_a_structure_is_a_dict_and_pointers_are_a_list():
    first, second, out = np.arange(8, dtype=np.float32), np.ones(4, dtype=np.float32), np.zeros(4, dtype=np.float32)
    given = {"from": 2, "scale": 0.5, "out": out, "dims": [7, 10]}
    trace = warpbook.trace(STRUCTURE, 1, given, [first, second], 4, block=4)
    assert trace.buffers["r.out"].tolist() == [11.5, 12.0, 12.5, 13.0]
    assert not trace.findings
    twice = warpbook.trace(STRUCTURE, 1, given, [second, second], 2, block=4)
    assert [of.kind for of in twice.findings] == []
    with pytest.raises(warpbook.Error, match="there is no `r.to`; `r.from` is missing"):
        warpbook.trace(STRUCTURE, 1, {"to": 2}, [first], 4, block=4)
    array = warpbook.trace(STRUCTURE, 1, given | {"dims": np.array([7, 10], dtype=np.int32)}, [first, second], 4, block=4)
    assert array.buffers["r.out"].tolist() == [11.5, 12.0, 12.5, 13.0]


@pytest.mark.nvrtc
def test_a_file_with_its_own_launch_is_launched_as_it_is_asked_for():
    text = """__global__ void k(float* out, float4 v, int n) { if (threadIdx.x < n) out[threadIdx.x] = v.y; }
int main() { float* out; cudaMalloc(&out, 4096); k<<<8, 128>>>(out, float4{1, 2, 3, 4}, 1024); }
"""
    out = np.zeros(4, dtype=np.float32)
    trace = warpbook.trace(text, 1, out, np.array([1, 2, 3, 4], dtype=np.float32), 3, block=32)
    assert trace.warps == 1 and trace.buffers["out"].tolist() == [2, 2, 2, 0]
    assert trace.registers > 0 and trace["efficiency"] == trace.efficiency
    with pytest.raises(KeyError, match="list\\(trace\\)"):
        trace["secors"]
    with pytest.raises(warpbook.Error, match="pass a NumPy array"):
        warpbook.trace(text, 1, [0.0] * 4, np.zeros(4, dtype=np.float32), 3, block=32)
    again = warpbook.trace("__global__ void k(int* a, int* b) { a[0] = b[1]; }", 1, *[np.array([1, 2], dtype=np.int32)] * 2, block=1)
    assert again.buffers["b"].tolist() == [2, 2]


@pytest.mark.nvrtc
def test_a_loop_that_never_ends_is_stopped():
    text = "__global__ void k(volatile int* o) { while (true) o[0] = o[0] + 1; }"
    trace = warpbook.trace(text, 1, np.zeros(32, dtype=np.int32), block=32, limit=100_000)
    assert not trace.complete and "stopped after" in trace.messages


@pytest.mark.nvrtc
def test_messages_speak_of_arguments():
    with pytest.raises(warpbook.Error) as wrong:
        warpbook.trace("__global__ void k(float* x, int n) {}", 1, np.ones(4, dtype=np.float32), 4)
    assert "block=…" in str(wrong.value) and "--" not in str(wrong.value)
