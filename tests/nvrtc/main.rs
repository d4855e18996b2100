//! CUDA C++ files as people write them, compiled and traced: `cargo test --test nvrtc`. It needs NVRTC and its headers, by pip or from a
//! toolkit, and no GPU.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;

use std::fs;

use common::{Run, warpbook_in};
use warpbook::session::pack::my_kernel::{self, Kernels};

const PROGRAM: &str = r#"#include <cstdio>
#include <vector>
#include <cublas_v2.h>
#include <torch/extension.h>
#include "scale.cuh"
using namespace std;
struct Timer { string name; void stop() { printf("%s", name.c_str()); } };
template <typename T, int STRIDE>
__global__ void strided(T* x, const T* y, const float* bias, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * STRIDE;
    if (i < n) x[i] = twice(y[i]) + (bias != NULL ? bias[i] : 0);
}
__global__ void one(int* ids, std::true_type) { ids[threadIdx.x] = 1; }
template <int STRIDE> void run(float* x, float* y, int n, int block) {
    strided<float, STRIDE><<<(n + block - 1) / block, block>>>(x, y, nullptr, n);
}
int main(int argc, char** argv) {
    int n = 1000, block = 128;
    if (argc > 1) { n = atoi(argv[1]); }
    float *x, *y; int* ids;
    cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float)); cudaMalloc(&ids, 32 * sizeof(int));
    vector<float> h(n);
    run<2>(x, y, n, block);
    one<<<1, 32>>>(ids, std::true_type{});
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
}
"#;

const HEADER: &str = "#pragma once\n#include <iostream>\n__device__ float twice(float x);\n__device__ float twice(float x) { return x + x; }\n";

/// Runs the program in a folder with these files.
fn run(files: &[(&str, &str)], args: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    warpbook_in(folder.path(), args)
}

#[test]
fn a_program_is_traced_by_its_name_alone() {
    let files = [("k.cu", PROGRAM), ("include/scale.cuh", HEADER)];
    let run = run(&files, &["trace", "k.cu", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("strided<float, 2>"), "{}", run.err);
    let trace = run.json();
    // 8 blocks of 4 warps; 500 lanes are below n, 8 bytes apart.
    assert_eq!((&trace["warps"], &trace["global"]["load"]["requests"]), (&32.into(), &16.into()), "{trace}");
    assert_eq!(trace["global"]["load"]["sectors"], 125);
    assert!(trace["machine"]["registers"].as_u64().unwrap() > 4, "{}", trace["machine"]);
    let lines: Vec<u64> = trace["lines"].as_array().unwrap().iter().filter_map(|line| line["line"].as_u64()).collect();
    assert!(lines.contains(&11), "{lines:?}: lines are those of the file");
}

#[test]
fn another_launch_and_other_sizes_are_asked_for_by_option() {
    let files = [("k.cu", PROGRAM), ("include/scale.cuh", HEADER)];
    let second = run(&files, &["trace", "k.cu", "--launch", "2", "--print", "ids:0..2"]);
    assert!(second.code == 0 && second.out.contains("ids[0..]: 1 1"), "{}{}", second.out, second.err);
    let smaller = run(&files, &["trace", "k.cu", "--let", "n=256", "--let", "typo=1", "--json"]).json();
    assert_eq!(smaller["warps"], 8);
    let followed = run(&files, &["trace", "k.cu", "--arg", "y=0"]);
    assert!(followed.code == 1 && followed.err.contains("the pointer `y` leads nowhere"), "{}", followed.err);
}

#[test]
fn machine_code_leads_to_the_lines_that_it_comes_from() {
    let text = "#include \"part.cuh\"\n__global__ void k(float* x) {\n    __shared__ float s[64];\n    s[threadIdx.x] = x[threadIdx.x];\n\
                    __syncthreads();\n    x[threadIdx.x] = root(s[63 - threadIdx.x]);\n}\n";
    let files = [("k.cu", text), ("part.cuh", "__device__ float root(float x) {\n    return sqrtf(x);\n}\n")];
    let launch = ["trace", "k.cu", "--grid", "1", "--block", "64", "--buffer", "x=64"];
    let machine = run(&files, &[&launch[..], &["--sass", "--json"]].concat()).json()["machine"].take();
    assert_eq!((&machine["target"], &machine["shared_bytes"]), (&"sm_90a".into(), &256.into()), "{machine}");
    assert_eq!((&machine["occupancy"], &machine["limited_by"]), (&1.0.into(), &"threads".into()));
    let at = |opcode: &str| {
        let rows = machine["listing"].as_array().unwrap().iter();
        let mut rows = rows.filter(|row| row["text"].as_str().is_some_and(|text| text.contains(opcode)));
        rows.next().map(|row| row["line"].as_u64().unwrap())
    };
    assert_eq!([at("LDG"), at("STS"), at("BAR.SYNC"), at("STG")], [Some(4), Some(4), Some(5), Some(6)], "{machine}");
    // Of a part: the kernel has 7 lines, and the part's name is one.
    assert_eq!(at("MUFU.RSQ"), Some(10));
    assert!(machine["instructions"]["lsu"].as_u64().unwrap() >= 4 && machine["instructions"]["xu"] == 2, "{machine}");
    let text = run(&files, &[&launch[..], &["--sass", "--target", "sm_80"]].concat()).out;
    assert!(text.contains("machine code for sm_80") && text.contains("part.cuh:2      return sqrtf(x);"), "{text}");
}

#[test]
fn structures_are_given_by_their_members_and_constants_by_their_names() {
    let text = "struct Inner { float scale; int flags[2]; };\nstruct Params { const float* x; float* out; int n; Inner inner; };\n\
                __constant__ float bias;\n__global__ void k(Params p, int add) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                    if (i < p.n) p.out[i] = p.x[i] * p.inner.scale + p.inner.flags[1] + bias + add;\n}\n\
                int main() { Params p; k<<<4, 64>>>(p, 3); }\n";
    let launch = "trace k.cu --arg p.n=200 --buffer p.x=200:iota --buffer p.out=200 --arg p.inner.scale=2 --arg bias=0.5 --print p.out:0..3";
    let given = run(&[("k.cu", text)], &launch.split(' ').collect::<Vec<_>>());
    assert!(given.code == 0 && given.out.contains("p.out[0..]: 3.5 5.5 7.5"), "{}{}", given.out, given.err);
    assert!(given.err.contains("these members are 0") && given.err.contains("`p.inner.flags[1]`"), "{}", given.err);
    let short = launch.replace("p.x=200:iota", "p.x=199:iota");
    let found = run(&[("k.cu", text)], &short.split(' ').collect::<Vec<_>>());
    assert!(found.code == 1 && found.err.contains("past the end of `p.x`"), "{}", found.err);
    let nowhere = run(&[("k.cu", text)], &["trace", "k.cu", "--arg", "p.n=1"]);
    assert!(nowhere.code == 1 && nowhere.err.contains("the pointer `p.x` leads nowhere"), "{}", nowhere.err);
    // A structure's bytes still do: a scale of 1, and n is 4.
    let text = "struct P { float scale; int n; };\n__global__ void k(float* x, P p) { if (threadIdx.x < p.n) x[threadIdx.x] = p.scale; }\n";
    let launch = "trace k.cu --grid 1 --block 32 --buffer x=32:zero --arg p=hex:0000803f04000000 --print x:2..6";
    let whole = run(&[("k.cu", text)], &launch.split(' ').collect::<Vec<_>>());
    assert!(whole.code == 0 && whole.out.contains("x[2..]: 1 1 0 0"), "{}{}", whole.out, whole.err);
    // Halves are numbers, as arguments and as members; a vector is no number.
    let text = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nstruct P { __half h; __nv_bfloat16 b; float2 v; };\n\
                __global__ void k(float* x, P p, __half h) { x[0] = __half2float(p.h); x[1] = __bfloat162float(p.b); x[2] = __half2float(h); x[3] = p.v.y; }\n";
    let launch =
        "trace k.cu --grid 1 --block 1 --buffer x=4 --arg p.h=1.5 --arg p.b=3 --arg h=-2 --arg p.v.y=7 --print x";
    let halves = run(&[("k.cu", text)], &launch.split(' ').collect::<Vec<_>>());
    assert!(halves.code == 0 && halves.out.contains("x[0..]: 1.5 3 -2 7"), "{}{}", halves.out, halves.err);
}

#[test]
fn arrays_and_spans_of_the_standard_library_have_elements_and_sizes() {
    let text = |w: &str, x: &str| {
        format!(
            "#include <array>\n#include <span>\n__global__ void k(float* out, std::array<float, 3> w, std::span<const float> x) {{\n    \
             int i = threadIdx.x;\n    if (i < x.size()) out[i] = w[i % 3] * x[i];\n}}\n\
             int main() {{ float *x, *out; cudaMalloc(&x, 128); cudaMalloc(&out, 128); {w} k<<<1, 32>>>(out, w, {x}); }}\n"
        )
    };
    let known = text("std::array<float, 3> w = {1, 10, 100};", "std::span<const float>(x, 8)");
    let taken = run(&[("k.cu", &known)], &["trace", "k.cu", "--json"]);
    assert!(taken.code == 0 && !taken.err.contains("are 0"), "{}{}", taken.out, taken.err);
    let own = "trace k.cu --buffer x.data=8:iota --arg w[2]=7 --buffer out=32:zero --print out:0..9";
    let own = run(&[("k.cu", &known)], &own.split(' ').collect::<Vec<_>>());
    assert!(own.code == 0 && own.out.contains("out[0..]: 0 10 14 3 40 35 6 70 0"), "{}{}", own.out, own.err);
    let asked = run(&[("k.cu", &text("std::array<float, 3> w; fill(w);", "rows()"))], &["trace", "k.cu"]);
    assert!(asked.code == 2 && asked.err.contains("--arg w[0]=VALUE"), "{}{}", asked.out, asked.err);
    assert!(asked.err.contains("--buffer x.data=COUNT --arg x.size=VALUE"), "{}", asked.err);
}

#[test]
fn a_summary_has_places_as_compilers_write_them() {
    let text = "__global__ void k(float* x) {\n    __shared__ float s[64];\n    s[threadIdx.x] = x[threadIdx.x];\n\
                    x[threadIdx.x] = s[63 - threadIdx.x];\n}\n";
    let launch = ["--grid", "1", "--block", "64", "--buffer", "x=64"];
    let brief = run(&[("k.cu", text)], &[&["trace", "k.cu", "--brief"], &launch[..]].concat());
    assert!(brief.code == 1 && brief.out.contains(" findings\nk.cu:3:5: error: threads "), "{}", brief.out);
    assert!(brief.out.lines().count() <= 40);
    let github = run(&[("k.cu", text)], &[&["assert", "k.cu", "races == 0", "--github"], &launch[..]].concat());
    assert!(
        github.code == 1 && github.out.contains("::error file=k.cu,line=3,col=5,title=races::threads"),
        "{}",
        github.out
    );
}

#[test]
fn conditions_know_registers_and_spills() {
    let files = [("k.cu", PROGRAM), ("include/scale.cuh", HEADER)];
    let held = run(&files, &["assert", "k.cu", "registers <= 255", "spills == 0", "races == 0"]);
    assert_eq!(held.code, 0, "{}{}", held.out, held.err);
}

#[test]
fn names_that_the_file_does_not_say_are_asked_for_at_the_launch() {
    let text = "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n\
                void f(torch::Tensor x) { k<<<x.size(0) / 32, 32>>>(x.data_ptr<float>(), x.size(1)); }\n";
    let asked = run(&[("k.cu", text)], &["trace", "k.cu"]);
    assert_eq!(asked.code, 2);
    assert!(asked.err.contains("k.cu:2:1: error: launch 1, `k`, needs `x.size(0)`, `x.size(1)`"), "{}", asked.err);
    assert!(asked.err.contains("--let 'x.size(0)=VALUE'"), "{}", asked.err);
    let given = run(&[("k.cu", text)], &["trace", "k.cu", "--let", "x.size(0)=64", "--let", "x.size(1)=9"]);
    assert!(given.code == 0 && given.err.contains("how large these are: `x`"), "{}", given.err);
}

#[test]
fn device_code_survives_the_cut() {
    let text = "#include <iostream>\n\
                #define DEF(name, op) __global__ void name(int* x) { x[threadIdx.x] = x[threadIdx.x] op 2; }\n\
                struct V { int a; __device__ int get() const; friend std::ostream& operator<<(std::ostream& o, const V& v) { return o << v.a; } };\n\
                __device__ int V::get() const { return a; }\n\
                enum class Mode { A = 1, B = 2 };\n\
                template <Mode M> __global__ void pick(int* x) { V v{int(M)}; x[threadIdx.x] = v.get(); }\n\
                DEF(add, +)\nint main() { int* x; cudaMalloc(&x, 128); add<<<1, 32>>>(x); pick<Mode::B><<<1, 32>>>(x); std::cout << 1; }\n";
    // A kernel that a macro defines has no names of parameters in the text.
    for (number, buffer) in [("1", "param_0"), ("2", "x")] {
        let (print, zeros) = (format!("{buffer}:0..1"), format!("{buffer}=32:i32:zero"));
        let args = ["trace", "k.cu", "--launch", number, "--print", &print, "--buffer", &zeros];
        let run = run(&[("k.cu", text)], &args);
        assert!(run.code == 0 && run.out.contains(&format!("{buffer}[0..]: 2")), "{number}: {}{}", run.out, run.err);
    }
}

#[test]
fn an_error_is_at_the_line_of_the_file_and_names_what_was_left_out() {
    let text = "#include <vector>\n#include \"missing.h\"\nint main() { std::vector<int> v; }\n__global__ void k(Gone* x) { x->a = 1; }\n";
    let run = run(&[("k.cu", text)], &["trace", "k.cu", "--grid", "1", "--block", "32"]);
    assert!(run.code == 2 && run.err.contains("k.cu:4:"), "{}", run.err);
    assert!(run.err.contains("missing.h"), "{}", run.err);
}

#[test]
fn a_launch_of_the_form_is_kept_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.cu");
    fs::write(&file, PROGRAM.replace("#include \"scale.cuh\"", HEADER.strip_prefix("#pragma once\n").unwrap()))
        .unwrap();
    let devices = common::devices();
    let propose = || {
        let Kernels { text, names } = my_kernel::kernels(&devices, &file).unwrap();
        my_kernel::propose(&devices, &file, &text, &names[0], None).unwrap()
    };
    let mut setup = propose();
    assert_eq!(setup.entry, "strided<float, 2>");
    setup.grid[0] = "ceil(n / block_x) + 1".to_owned();
    setup.numbers[0].value = "300".to_owned();
    my_kernel::keep(&setup).unwrap();
    let kept = fs::read_to_string(&file).unwrap();
    assert!(
        kept.starts_with("// warpbook: --entry 'strided<float, 2>' --grid 4,1,1 --block 128,1,1 --arg n=300 "),
        "{kept}"
    );
    let trace = warpbook_in(folder.path(), &["trace", "k.cu", "--json"]);
    assert_eq!(trace.code, 0, "{}", trace.err);
    assert_eq!(trace.json()["warps"], 16);
    // The form begins with it, and keeps another one in its place.
    let mut again = propose();
    assert_eq!((again.grid[0].as_str(), again.numbers[0].value.as_str()), ("4", "300"));
    again.grid[0] = "5".to_owned();
    my_kernel::keep(&again).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), kept.replace("--grid 4,1,1", "--grid 5,1,1"));
}

#[test]
fn pointers_in_a_buffer_lead_to_buffers() {
    let kernel = "__global__ void sums(float* const* rows, float* out, int n) {\n    const float* row = rows[blockIdx.x];\n    float sum = 0;\n\
                  \x20   for (int i = 0; i < n; i++) sum += row[i];\n    out[blockIdx.x] = sum;\n}\n";
    let files = [("k.cu", kernel)];
    let of = |rows: &str, more: &[&str]| {
        let options = ["trace", "k.cu", "--block", "1", "--arg", "n=100", "--buffer", rows];
        let out: &[&str] = if more.contains(&"out=@[a]") { &[] } else { &["--buffer", "out=3"] };
        run(&files, &[&options, out, more].concat())
    };
    let sized = ["--grid", "3", "--buffer", "a=100:iota", "--buffer", "b=100:1", "--print", "out"];
    let right = of("rows=@a,b,a", &sized);
    assert!(right.code == 0 && right.out.contains("out[0..]: 4950 100 4950"), "{}{}", right.out, right.err);
    let short = of("rows=@a,b", &sized);
    assert!(short.code == 1 && short.err.contains("line 2: index 2 is past the end of `rows`"), "{}", short.err);
    let one = of("rows=@[a]", &["--grid", "1", "--buffer", "a=90:iota"]);
    assert!(one.err.contains("line 4: index 90 is past the end of `a`"), "{}", one.err);
    let unsized_ = of("rows=@a,b", &["--grid", "2", "--buffer", "a=100"]);
    assert!(unsized_.code == 2 && unsized_.err.contains("`b` has no size"), "{}", unsized_.err);
    let plain = of("rows=@a,b", &["--grid", "1", "--buffer", "out=@[a]", "--buffer", "a=3"]);
    assert!(plain.code == 2 && plain.err.contains("`out` has 1 `*`"), "{}", plain.err);
    let number = of("n=@a,b", &["--grid", "1"]);
    assert!(number.code == 2 && number.err.contains("`n` is no pointer of the kernel"), "{}", number.err);
}
