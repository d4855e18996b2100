//! The device's part of files as people write them.

use warpbook_cuda_file::device_parts;

/// The lines that are left of a text, without empty ones.
fn left(text: &str, instance: &str) -> Vec<String> {
    let is_known = |name: &str| ["cuda_fp16.h", "part.cuh"].contains(&name);
    let kept = device_parts(&[text], &is_known, instance).remove(0);
    assert_eq!(kept.len(), text.len(), "each byte stays at its place");
    assert_eq!(kept.matches('\n').count(), text.matches('\n').count(), "lines stay");
    kept.lines().map(str::trim).filter(|line| !line.is_empty() && *line != ";").map(str::to_owned).collect()
}

#[test]
fn a_program_leaves_its_kernel() {
    let text = "#include <cstdio>\n#include <vector>\n#include <cuda_fp16.h>\nusing namespace std;\n\
                __global__ void add(float* x, int n) {\n    if (threadIdx.x < n) x[threadIdx.x] += 1;\n}\n\
                int main() {\n    vector<float> v(10);\n    add<<<1, 32>>>(nullptr, 10);\n    printf(\"%f\", v[0]);\n}\n";
    let expected = [
        "#include <cuda_fp16.h>",
        "__global__ void add(float* x, int n) {",
        "if (threadIdx.x < n) x[threadIdx.x] += 1;",
        "}",
    ];
    assert_eq!(left(text, ""), expected);
}

#[test]
fn what_a_kernel_uses_is_kept_and_what_the_host_uses_is_not() {
    let text = "#define TILE 16\n\
                constexpr int wide = 2 * TILE;\nconst int deep = 8;\nenum Mode { FAST, SLOW };\n\
                struct Pair { float a, b; Pair() {} __device__ float sum() { return a + b; } };\n\
                struct Timer { std::string name; void start() {} };\n\
                __constant__ float table[wide];\n__device__ int unused(int x) { return x; }\n\
                template <typename T> __device__ T twice(T x) { return x + x; }\n\
                static void check(cudaError_t e) { if (e) exit(1); }\n\
                __global__ void k(Pair* p, float* o) { o[0] = twice(p->sum()) + table[deep]; }\n";
    let expected = [
        "#define TILE 16",
        "constexpr int wide = 2 * TILE;",
        "const int deep = 8;",
        "struct Pair { float a, b;           __device__ float sum() { return a + b; } };",
        "__constant__ float table[wide];",
        "template <typename T> __device__ T twice(T x) { return x + x; }",
        "__global__ void k(Pair* p, float* o) { o[0] = twice(p->sum()) + table[deep]; }",
    ];
    assert_eq!(left(text, ""), expected);
}

#[test]
fn attributes_and_macros_for_them_are_no_obstacle() {
    let text = "#define INLINE __device__ __forceinline__\n\
                struct __align__(16) Vec { float x[4]; };\n\
                INLINE float head(const Vec& v) { return v.x[0]; }\n\
                __noinline__ int of_host(int n) { return n; }\n\
                template <int N> __global__ void __launch_bounds__(256, 2) k(Vec* __restrict__ v, float* o) { o[N] = head(v[N]); }\n";
    let kept = left(text, "");
    assert_eq!(kept.len(), 4, "{kept:?}");
    assert!(kept[3].contains("__launch_bounds__(256, 2)"));
    assert!(!kept.iter().any(|line| line.contains("of_host")), "{kept:?}");
}

#[test]
fn an_instance_keeps_the_types_that_it_names() {
    let text = "typedef float real;\ntemplate <typename T> __global__ void k(T* x) { x[0] = 1; }\n";
    assert_eq!(left(text, "").len(), 1);
    assert_eq!(left(text, "k<real>").len(), 2);
}

#[test]
fn a_part_without_kernels_keeps_what_the_others_use() {
    let file = "#include \"part.cuh\"\n__global__ void k(int* x) { x[0] = one(); }\n";
    let part =
        "#pragma once\n#include <iostream>\n__device__ int one() { return 1; }\nint main() { std::cout << 1; }\n";
    let kept = device_parts(&[file, part], &|name| name == "part.cuh", "");
    assert_eq!(kept[0], file);
    assert!(kept[1].contains("one()") && !kept[1].contains("main") && !kept[1].contains("iostream"), "{}", kept[1]);
}

#[test]
fn text_that_does_not_parse_never_panics() {
    let text = "__global__ void k(int* x) { x[0] = 1; }\nint main( { <<< \u{e9} template < #if 0\n";
    let mut at = 0;
    while at <= text.len() {
        if let Some(part) = text.get(..at) {
            let kept = device_parts(&[part], &|_| false, "");
            assert_eq!(kept[0].len(), part.len());
        }
        at += 1;
    }
}

#[test]
fn a_comment_within_a_macro_is_no_end_of_it() {
    let text = "#define CHECK(call) \\\n  do { \\\n    if (call) { \\\n      /* one could reset here */ \\\n      exit(1); \\\n    } \\\n  } while (0)\n\
                template <typename T>\n__global__ void k(T* x) { x[0] = 1; }\n";
    let kept = left(text, "k<float>");
    assert!(kept.contains(&"template <typename T>".to_owned()), "{kept:?}");
}
