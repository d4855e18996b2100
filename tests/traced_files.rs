//! `warpbook trace FILE`: what a file's buffers begin with, what a grid leaves out, and files that are not WGSL.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use crate::common::{Run, warpbook, warpbook_in};
use serde_json::json;

/// Traces a text in a file of its own.
fn trace(text: &str, args: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.wgsl"), text).unwrap();
    warpbook_in(folder.path(), &[&["trace", "k.wgsl", "--grid", "1", "--json"], args].concat())
}

const MEMBERS: &str = "enable f16;
struct Part { b: vec2<f32>, c: u32 }
struct Params { n: u32, at: i32, size: vec3<f32>, parts: array<Part, 2> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> scale: f32;
@group(0) @binding(2) var<storage, read> sizes: array<u32, 4>;
@group(0) @binding(3) var<storage, read> halves: array<f16, 4>;
@group(0) @binding(4) var<storage, read_write> out: array<f32, 12>;
@compute @workgroup_size(1) fn main() {
    out[0] = f32(params.n);
    out[1] = f32(params.at);
    for (var i = 0; i < 3; i++) { out[2 + i] = params.size[i]; }
    out[5] = params.parts[0].b.x;
    out[6] = params.parts[1].b.y;
    out[7] = f32(params.parts[1].c);
    out[8] = scale;
    out[9] = f32(sizes[2]);
    out[10] = f32(halves[1]);
    out[11] = f32(halves[2]);
}";

#[test]
fn members_are_set_by_their_names() {
    let settings = [
        "params.n=64",
        "params.at=-3",
        "params.size=1,2.5,3",
        "params.parts[1].b.y=0.25",
        "params.parts[1].c=4294967295",
        "scale=-1.5",
        "sizes=7,8,9,10",
        "halves[1]=0.5",
        "halves[2]=2",
    ];
    let args: Vec<&str> = settings.iter().flat_map(|setting| ["--set-uniform", setting]).collect();
    let run = trace(MEMBERS, &[&args[..], &["--print", "out"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let out = &run.json()["printed"][0]["values"];
    assert_eq!(*out, json!([64.0, -3.0, 1.0, 2.5, 3.0, 0.0, 0.25, 4_294_967_296.0, -1.5, 9.0, 0.5, 2.0]));
    assert_eq!(run.err, "note: nothing sets `params.parts`: left at zeros\n");
    // The element that --buffer leaves: 3.0, as a u32.
    let run = trace(
        MEMBERS,
        &["--buffer", "params=20:1077936128", "--set-uniform", "params.size[1]=2", "--print", "out:2..5"],
    );
    assert_eq!((run.code, &run.json()["printed"][0]["values"]), (0, &json!([3.0, 2.0, 3.0])), "{}", run.err);
}

#[test]
fn what_nobody_gave_is_named_with_what_it_holds() {
    let run = trace(MEMBERS, &[]);
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(
        lines,
        [
            "note: the uniform `params` was not set and holds zeros: set it with --set-uniform params.n=… or --input params=FILE.npy",
            "note: the uniform `scale` was not set and holds zeros: set it with --set-uniform scale=… or --input scale=FILE.npy",
            "note: `sizes` was not set and holds random numbers: set it with --buffer sizes=4:iota or --input sizes=FILE.npy",
            "note: `halves` was not set and holds random numbers: set it with --buffer halves=4:iota or --input halves=FILE.npy",
        ],
        "`out` is only written"
    );
    let given = [
        "--set-uniform",
        "scale=1",
        "--buffer",
        "sizes=4:iota",
        "--buffer",
        "halves=4:zero",
        "--buffer",
        "params=20:zero",
    ];
    assert_eq!(trace(MEMBERS, &given).err, "");
}

#[test]
fn settings_that_fit_no_member_are_refused_with_those_that_there_are() {
    let members = "its members are n: u32, at: i32, size: vec3<f32>, parts: array<struct, 2>";
    let text = MEMBERS.replace("array<f16, 4>", "array<f16>");
    for (settings, said) in [
        (&["parans.n=1"][..], "did you mean `params`?"),
        (&["params.m=1"], "`params` is a struct, and has no `m`"),
        (&["params.m=1"], &format!("did you mean `n`? {members}")),
        (
            &["params=1"],
            &format!(
                "a struct of 11 numbers, not of 1\n  hint: write all with commas between, or set a part: {members}"
            ),
        ),
        (&["params.parts[2].c=1"], "its elements are params.parts[0] to params.parts[1]"),
        (&["params.parts[x].c=1"], "has no `[x]`"),
        (&["params.parts[1].d=1"], "`params.parts[1]` is a struct, and has no `d`"),
        (&["params.size=1,2"], "`params.size` is a vec3<f32> of 3 numbers, not of 2"),
        (&["params.size.q=1"], "its elements are params.size[0] to params.size[2]"),
        (&["params.n.x=1"], "`params.n` is a u32, and has no `x`"),
        (&["params.n=-1"], "`params.n` is of u32, which has no -1"),
        (&["params.n=0.5"], "`params.n` is of u32, which has no 0.5"),
        (&["params.at=2147483648"], "`params.at` is of i32, which has no 2147483648"),
        (&["halves[0]=1e5"], "`halves[0]` is of f16, which has no 100000"),
        (&["halves=1"], "the size of `halves`, an array<f16>, is its buffer's"),
        (&["halves[8]=1"], "`halves[8]` is past the end of its buffer"),
        (&["halves[99999999999999999999]=1"], "has no `[99999999999999999999]`"),
        (&["params.n=1", "params.n=1"], "`params.n` is set twice"),
        (&["params.size[0]=1", "params.size=1,2,3"], "`params.size` is set twice"),
        (&["params.n"], "expected BUFFER[.MEMBER]=N1[,N2,…]"),
        (&["params.n=nan"], "`nan` is not a finite number"),
        (&["params.n="], "`` is not a number"),
    ] {
        let args: Vec<&str> = settings.iter().flat_map(|setting| ["--set-uniform", setting]).collect();
        let run = trace(&text, &[&["--buffer", "halves=8"], &args[..]].concat());
        assert!(run.code == 2 && run.out.is_empty() && run.err.contains(said), "{settings:?}: {}", run.err);
    }
    let twice = trace(MEMBERS, &["--set-uniform", "scale=1", "--input", "scale=none.npy"]);
    assert!(twice.code == 2 && twice.err.contains("set by an --input and by --set-uniform"), "{}", twice.err);
    // A buffer that no machine has is refused before it is filled.
    let large = trace(&text, &["--buffer", "halves=4294967296", "--set-uniform", "halves[0]=1"]);
    assert!(large.code == 2 && large.err.contains("would take 8,589,934,592 bytes"), "{}", large.err);
    let lesson = warpbook(&["trace", "coalescing/copy", "--set-uniform", "params.n=1"]);
    assert!(lesson.code == 2 && lesson.err.contains("set the lesson's parameters with --set"), "{}", lesson.err);
}

/// A product of N x N in tiles of 16 (NVIDIA/cuda-samples#411).
const TILES: &str = "const N = 100u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) at: vec3u) {
    if (at.x >= N || at.y >= N) { return; }
    var sum = 0.0;
    for (var k = 0u; k < N; k++) { sum += a[at.y * N + k] * b[k * N + at.x]; }
    c[at.y * N + at.x] = sum;
}";

#[test]
fn elements_that_a_grid_leaves_out_are_counted_with_the_grid_that_reaches_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tiles.wgsl"), TILES).unwrap();
    let run = |grid: &str, c: &str| {
        let of = ["trace", "tiles.wgsl", "--json", "--buffer", "a=10000", "--buffer", "b=10000"];
        warpbook_in(folder.path(), &[&of[..], &["--buffer", c, "--grid", grid]].concat())
    };
    // A filling that nothing reads changes nothing.
    for c in ["c=10000", "c=10000:zero"] {
        let short = run("6,6", c);
        assert_eq!(short.code, 0, "{}", short.err);
        let reach = json!({"columns": 100, "rows": 100, "columns_written": 96, "rows_written": 96});
        let left = json!({
            "buffer": "c", "unwritten": 784, "elements": 10000, "first": [96, 97, 98, 99], "reach": reach, "grid": [7, 7, 1]
        });
        assert_eq!(short.json()["unwritten"], json!([left]));
        assert_eq!(
            short.err,
            "note: 784 of 10,000 elements of `c` were never written: c[96], c[97], c[98], c[99], …; the grid reaches 96 of 100 \
             columns and 96 of 100 rows; --grid 7,7 reaches all\n"
        );
    }
    let whole = run("7,7", "c=10000");
    assert_eq!((whole.code, whole.err.as_str(), &whole.json()["unwritten"]), (0, "", &json!([])));
}

#[test]
fn elements_are_those_of_the_array_and_states_are_left_out() {
    let kernel = |elem: &str, body: &str| {
        format!(
            "enable f16; @group(0) @binding(0) var<storage, read_write> a: {elem};
             @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {{ let i = id.x; {body} }}"
        )
    };
    let left = |elem: &str, body: &str, count: &str| {
        let run = trace(&kernel(elem, body), &["--buffer", count]);
        assert_eq!(run.code, 0, "{}", run.err);
        let json = run.json();
        json["unwritten"]
            .as_array()
            .unwrap()
            .iter()
            .map(|left| [&left["unwritten"], &left["elements"]].map(|n| n.as_u64().unwrap()))
            .collect::<Vec<_>>()
    };
    // The fourth word of each vec3 is padding, and a struct that is written in part counts as written.
    assert_eq!(left("array<vec3f>", "a[i] = vec3f(1.0);", "a=32"), Vec::<[u64; 2]>::new());
    assert_eq!(left("array<vec3f>", "a[i] = vec3f(1.0);", "a=40"), [[8, 40]]);
    assert_eq!(left("array<array<f32, 8>, 8>", "a[i / 8][i % 8] = 1.0;", "a=1"), [[32, 64]]);
    assert_eq!(left("array<f16>", "a[2 * i] = 1.0;", "a=64"), [[32, 64]]);
    // A buffer that is also read keeps its state, a counter its count, and a buffer that no lane reaches is no output.
    assert!(left("array<u32>", "a[i] = a[i] + 1;", "a=40").is_empty());
    assert!(left("array<atomic<u32>>", "atomicAdd(&a[i], 1);", "a=40").is_empty());
    assert!(left("array<u32>", "if (i > 99) { a[i] = 1; }", "a=40").is_empty());
}

#[test]
fn outputs_of_a_lessons_kernels_are_looked_at_too() {
    let run = warpbook(&["trace", "coalescing/copy", "--grid", "4095"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let said = "note: 256 of 1,048,576 elements of `dst` were never written: dst[1048320], dst[1048321], dst[1048322], dst[1048323], …; \
                the grid reaches the first 1,048,320; --grid 4096 reaches all\n";
    assert!(run.err.contains(said), "{}", run.err);
    assert_eq!(warpbook(&["trace", "coalescing/copy"]).err, "");
}

#[test]
fn a_file_that_is_not_wgsl_is_told_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let said = |file: &str, bytes: &[u8]| {
        fs::write(folder.path().join(Path::new(file)), bytes).unwrap();
        let run = warpbook_in(folder.path(), &["trace", file, "--grid", "1"]);
        assert!(run.code == 2 && run.out.is_empty(), "{file}: {}", run.err);
        run.err
    };
    for (file, text, expected) in [
        ("k.txt", "import triton\n@triton.jit\ndef f(x): pass\n", "k.txt:2:1: error: this is Triton"),
        ("k.comp", "#version 450\nvoid main() {}\n", "k.comp:1:1: error: this is GLSL"),
        ("k.hlsl", "float4 main() : SV_Target { return 0; }\n", "k.hlsl:1:1: error: this is HLSL"),
        ("k.ptx", ".version 8.0\n.target sm_90\n", "k.ptx:1:1: error: there is no kernel in this file"),
        ("k.wgsl", "const a = 1;\n#ifdef X\n#endif\n", "k.wgsl:2:1: error: `#ifdef` is not WGSL"),
        ("l.wgsl", "#import bevy_pbr::x\n", "l.wgsl:1:1: error: `#import` is not WGSL"),
        ("m.wgsl", "const a = {{ size }};\n", "m.wgsl:1:11: error: `{{` is not WGSL"),
    ] {
        let said = said(file, text.as_bytes());
        assert!(said.starts_with(expected) && said.contains("hint: "), "{said}");
    }
    assert!(said("k.spv", &[3, 2, 0x23, 7, 0, 0xFF]).contains("this is SPIR-V"));
    assert!(said("k.bin", &[0xFF]).contains("not UTF-8"));
    // A mistake in WGSL is a mistake in WGSL, and WGSL by another name is traced.
    assert!(said("n.wgsl", b"// __global__ #ifdef\nfn f() { let a = ; }").contains("n.wgsl:2:"));
    fs::write(folder.path().join("o.cu"), "@compute @workgroup_size(1) fn main() {}").unwrap();
    assert_eq!(warpbook_in(folder.path(), &["trace", "o.cu", "--grid", "1"]).code, 0);
}

#[test]
fn narrow_workgroups_are_predicted_to_be_slow() {
    // One lane a workgroup against 64: 6.0 times apart on an RTX 4090 (microsoft/onnxruntime#24129), whose latencies are not known here.
    let predicted = |lanes: u32| {
        let (size, grid) = (format!("SIZE={lanes}"), (60_000 / lanes + 1).to_string());
        let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/add.wgsl");
        let buffers = ["--buffer", "a=60000", "--buffer", "b=60000", "--buffer", "c=60000"];
        let run = warpbook(
            &[&["trace", kernel, "--const", &size, "--grid", &grid, "--device", "h200-sxm", "--json"], &buffers[..]]
                .concat(),
        );
        let found = run.json();
        ["low_s", "high_s"].map(|end| found["predicted"][end].as_f64().unwrap())
    };
    let ([slow, _], [_, fast]) = (predicted(1), predicted(64));
    assert!(slow > 3.0 * fast, "one lane takes {slow} s at least, 64 take {fast} s at most");
}

/// Loads a word of `table` for each thread of a block: the row in `rows` times 256, as an `int`.
const GATHER: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry gather(.param .u64 table, .param .u64 rows, .param .u64 out)
{
.reg .b32 %r<6>;
.reg .b64 %rd<8>;
ld.param.u64 %rd1, [table];
ld.param.u64 %rd2, [rows];
ld.param.u64 %rd3, [out];
mov.u32 %r1, %tid.x;
ld.global.u32 %r2, [%rd2];
mad.lo.s32 %r3, %r2, 256, %r1;
mul.wide.s32 %rd4, %r3, 4;
add.s64 %rd5, %rd1, %rd4;
ld.global.u32 %r4, [%rd5];
mul.wide.u32 %rd6, %r1, 4;
add.s64 %rd7, %rd3, %rd6;
st.global.u32 [%rd7], %r4;
ret;
}
";

#[test]
fn a_buffer_larger_than_memory_is_traced_where_it_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gather.ptx"), GATHER).unwrap();
    let run = |table: &str, row: u32| {
        let (table, rows) = (format!("param_0={table}"), format!("param_1=1:{row}"));
        let buffers = ["--buffer", &table, "--buffer", &rows, "--buffer", "param_2=256"];
        let launch = ["trace", "gather.ptx", "--grid", "1", "--block", "256"];
        warpbook_in(folder.path(), &[&launch[..], &buffers].concat())
    };
    // 12 GB: row 8,388,607 is the last whose elements are below 2^31.
    let inside = run("3000000000:zero", 8_388_607);
    assert!(inside.code == 0 && inside.out.contains("store"), "{}{}", inside.out, inside.err);
    let over = run("3000000000:u32", 8_388_608);
    let before = "index -2147483648 is before the start of `param_0`, which has 3000000000 elements";
    assert!(over.err.contains(before), "{}{}", over.out, over.err);
    // Of any type; bytes and doubles are words to a job.
    for large in ["12000000000:u8:zero", "12000000000:u8:7", "1500000000:f64:random"] {
        let run = run(large, 1);
        assert!(run.code == 0 && run.out.contains("store"), "{large}: {}{}", run.out, run.err);
    }
    // Elements that have an order are not made by pages, and there is an end to address space.
    let ordered = run("12000000000:u8:iota", 1);
    assert!(ordered.code == 2 && ordered.err.contains("held by the pages that a launch touches"), "{}", ordered.err);
    let long = run("20000000000:zero", 1);
    assert!(long.code == 2 && long.err.contains("up to 64 GiB"), "{}", long.err);
}

#[test]
fn launches_are_listed_without_a_compiler() {
    let text = "#include <cstdio>\n#define N 1000\ntemplate <typename T> __global__ void add(T* x, int n) {}\n\
                int main() { int block = 128; float* d; cudaMalloc(&d, N * sizeof(float)); add<<<(N + block - 1) / block, block>>>(d, N); }\n\
                void of_torch(torch::Tensor x) { add<<<x.size(0), 32>>>(x.data_ptr<float>(), 1); }\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.cu"), text).unwrap();
    let all = warpbook_in(folder.path(), &["launches", "k.cu", "--json"]).json();
    let kernel =
        json!({"name": "add", "signature": "add(T* x, int n)", "template": "typename T", "file": "k.cu", "line": 3});
    assert_eq!(all["kernels"], json!([kernel]));
    let (all, first) = (&all["launches"], &all["launches"][0]);
    assert_eq!(
        (&first["kernel"], &first["line"], &first["function"]),
        (&json!("add<float>"), &json!(4), &json!("main"))
    );
    assert_eq!((&first["grid"], &first["block"]), (&json!([8, 1, 1]), &json!([128, 1, 1])));
    assert_eq!((&first["arguments"][1]["type"], &first["arguments"][1]["from"]), (&json!("int"), &json!("N")));
    assert_eq!((&first["arguments"][0]["bytes"], &first["arguments"][1]["value"]), (&json!(4000), &json!("1000")));
    assert_eq!((&first["unknown"], &first["command"]), (&json!([]), &json!("warpbook trace k.cu --launch 1")));
    assert_eq!((&all[1]["unknown"], &all[1]["missed"]), (&json!(["x.size(0)"]), &json!("main does not call it")));
    let given = warpbook_in(folder.path(), &["launches", "k.cu", "--let", "x.size(0)=64", "--launch", "2"]);
    assert!(given.out.contains("grid 64,1,1 (x.size(0))  block 32,1,1 (32)"), "{}", given.out);
    let past = warpbook_in(folder.path(), &["launches", "k.cu", "--launch", "3"]);
    assert!(past.code == 2 && past.err.contains("there is no launch 3"), "{}", past.err);
    fs::write(folder.path().join("none.cu"), "__global__ void k() {}\n").unwrap();
    let none = warpbook_in(folder.path(), &["launches", "none.cu"]);
    assert!(none.code == 0 && none.err.contains("no launch was found"), "{}", none.err);
    let missing = warpbook_in(folder.path(), &["launches", "gone.cu"]);
    assert!(missing.code == 2 && missing.err.contains("cannot read gone.cu"), "{}", missing.err);
}

/// What `torch.compile` writes of a model with two softmaxes, around a kernel of Triton's.
const WRAPPER: &str = "# AOT ID: ['0_inference']
async_compile = AsyncCompile()
# kernel path: /elsewhere/ab/kernels.py
# Topologically Sorted Source Nodes: [softmax], Original ATen: [aten._softmax]
#   softmax => div
row_softmax = async_compile.triton('row_softmax', '''
    triton_meta={'signature': {'x': '*fp32', 'out': '*fp32', 'columns': 'i32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': 0},
    inductor_meta={'grid_type': 'Grid1D', 'num_load': 1}
''', device_str='cuda')
class Runner:
    def call(self, args):
        arg0_1, = args
        assert_size_stride(arg0_1, (8, 64), (64, 1))
        with torch.cuda._DeviceGuard(0):
            buf0 = empty_strided_cuda((8, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [softmax], Original ATen: [aten._softmax]
            row_softmax.run(arg0_1, buf0, 64, 64, stream=stream0)
            del arg0_1
            extern_kernels.mm(buf0, buf0, out=buf0)
            buf1 = empty_strided_cuda((8, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [softmax_1], Original ATen: [aten._softmax]
            row_softmax.run(reinterpret_tensor(buf0, (8, 64), (64, 1), 0), buf1, 64, 64, stream=stream0)
        return (buf1, )
";

#[test]
fn a_compiled_models_kernels_are_passes_with_the_lines_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let triton = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/tracer/tests/ptx/triton");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let graph = "# File: /m/model.py:7 in forward, code: y = softmax(x)\ndiv: \"f32[8, 64]\" = torch.ops.aten.div.Tensor(a, b)\n\n\
                 # File: /m/model.py:9 in forward, code: return softmax(z)\nsoftmax_1 = torch.ops.aten.div.Tensor(a, b)\n";
    write("cache/xy/model.py", WRAPPER);
    write("cache/xy/model.debug/fx_graph_readable.py", graph);
    let run = |what: &[&str]| warpbook_in(folder.path(), &[&["trace", "cache"], what].concat());
    let missing = run(&[]);
    assert!(missing.code == 2 && missing.err.contains("no compiled kernel"), "{}", missing.err);
    write("cache/ab/kernels.py", &fs::read_to_string(triton.join("kernels.py")).unwrap());
    write("cache/triton/0/H/row_softmax.ptx", &fs::read_to_string(triton.join("row_softmax.ptx")).unwrap());
    write("cache/triton/0/H/row_softmax.json", "{\"num_warps\": 4, \"shared\": 16}");
    let unknown = run(&[]);
    assert!(unknown.code == 2 && unknown.err.contains("model.py:17"), "{}", unknown.err);
    write("cache/triton/0/H/row_softmax.source", "  %xoffset_1 = arith.constant 8 : i32\n");
    let traced = run(&["--json"]);
    assert_eq!(traced.code, 0, "{}", traced.err);
    assert!(traced.err.contains("1 of extern_kernels.mm"), "{}", traced.err);
    let trace = traced.json();
    let passes = trace["passes"].as_array().unwrap();
    let figures =
        |pass: &serde_json::Value| (pass["computes"]["lines"][0]["line"].clone(), pass["trace"]["warps"].clone());
    assert_eq!(passes.iter().map(figures).collect::<Vec<_>>(), [(7.into(), 32.into()), (9.into(), 32.into())]);
    // The second reads what the first wrote: of 64 shares each is at most 1.
    let printed = run(&["--print", "0_inference.buf1:0..64"]);
    assert!(printed.out.contains("model.py:9") && printed.out.contains("0.01"), "{}", printed.out);
}
