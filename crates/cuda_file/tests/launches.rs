//! Launches as people write them, with sizes and arguments by hand.

use std::collections::BTreeMap;

use warpbook_cuda_file::{Launch, Missed, Size, Value, launches};

fn read(text: &str) -> Vec<Launch> {
    launches(&[text], &BTreeMap::new())
}

fn numbers(launch: &Launch) -> Vec<String> {
    launch
        .arguments
        .iter()
        .map(|argument| argument.number.as_ref().map_or_else(|unknown| format!("? {}", unknown.0), Value::to_string))
        .collect()
}

fn sizes(launch: &Launch) -> Vec<Option<Size>> {
    launch.arguments.iter().map(|argument| argument.buffer.as_ref()?.size.clone().ok()).collect()
}

#[test]
fn a_program_gives_grid_block_and_arguments() {
    let found = read(
        "#define N 1000\n__global__ void add(float* x, const float* y, int n, float a);\n\
         int main() {\n  const int block = 128;\n  float *x, *y; cudaMalloc(&x, N * sizeof(float)); cudaMalloc((void**)&y, sizeof(float) * N);\n\
         \n  add<<<(N + block - 1) / block, block>>>(x, y, N, 0.5f);\n}\n\
         __global__ void add(float* x, const float* y, int n, float a) {}\n",
    );
    let [launch] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((launch.kernel.as_str(), launch.place, launch.function.as_str()), ("add", (0, 6), "main"));
    assert_eq!((launch.grid.value.clone(), launch.block.value.clone()), (Ok([8, 1, 1]), Ok([128, 1, 1])));
    assert_eq!(numbers(launch)[2..], ["1000", "0.5"]);
    assert_eq!(sizes(launch)[..2], [Some(Size::Bytes(4000)); 2]);
    let names: Vec<_> =
        launch.parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.is_pointer)).collect();
    assert_eq!(names, [("x", true), ("y", true), ("n", false), ("a", false)]);
}

#[test]
fn dimensions_are_read_in_all_their_forms() {
    let found = read(
        "__global__ void k(int* x) {}\n\
         void a() { dim3 grid(2, 3); dim3 block{4, 5, 6}; k<<<grid, block, 48 << 10>>>(0); }\n\
         void b() { dim3 grid = {7}; k<<<grid, dim3(8, 9)>>>(0); }\n\
         void c() { int w = 100, h = 50; dim3 block(16, 16); dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y); k<<<grid, block>>>(0); }\n\
         void d() { dim3 block; k<<<ceil(1000 / 256.0), block>>>(0); }\n\
         void e() { void* args[] = {&x}; cudaLaunchKernel((void*)k, dim3(2), dim3(32), args, 128, 0); }\n",
    );
    let all: Vec<_> = found
        .iter()
        .map(|launch| (launch.grid.value.clone(), launch.block.value.clone(), launch.shared.value.clone()))
        .collect();
    let expected = [
        (Ok([2, 3, 1]), Ok([4, 5, 6]), Ok(49_152)),
        (Ok([7, 1, 1]), Ok([8, 9, 1]), Ok(0)),
        (Ok([7, 4, 1]), Ok([16, 16, 1]), Ok(0)),
        (Ok([4, 1, 1]), Ok([1, 1, 1]), Ok(0)),
        (Ok([2, 1, 1]), Ok([32, 1, 1]), Ok(128)),
    ];
    assert_eq!(all, expected);
}

#[test]
fn parameters_come_from_the_calls_up_to_main() {
    let found = read(
        "int ceil_div(int a, int b) { return (a + b - 1) / b; }\n\
         template <typename T, int N> __global__ void k(T* o, int n) {}\n\
         template <typename T> void launch(T* out, int n, int block) { k<T, 4><<<ceil_div(n, block), block>>>(out, n); }\n\
         int main(int argc, char** argv) {\n\
           int n = argc > 1 ? atoi(argv[1]) : 640;\n  int blocks[] = {32, 64};\n  double* d = 0;\n  cudaMalloc(&d, n * sizeof(double));\n\
           for (int j = 0; j < sizeof(blocks) / sizeof(int); j++) { int block = blocks[j]; launch(d, n, block); }\n}\n",
    );
    let [launch] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(launch.kernel, "k<double, 4>");
    assert_eq!((launch.grid.value.clone(), launch.block.value.clone()), (Ok([20, 1, 1]), Ok([32, 1, 1])));
    assert_eq!(sizes(launch)[0], Some(Size::Bytes(5120)));
    assert_eq!(launch.parameters[0].ty, "double");
}

#[test]
fn macros_launch_and_name_kernels() {
    let found = read(
        "__global__ void relu_f32(float* x, int n) {}\n\
         #define BINDING(tag, T, per) \\\n  void relu_##tag(torch::Tensor x) { \\\n    int n = x.size(0); \\\n    relu_##tag<<<n / (per), 256>>>((T*)x.data_ptr(), n); \\\n  }\n\
         BINDING(f32, float, 4)\n",
    );
    let [launch] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((launch.kernel.as_str(), launch.place), ("relu_f32", (0, 6)));
    assert_eq!(launch.grid.value.as_ref().map_err(|unknown| unknown.0.as_str()), Err("x.size(0)"));
    let given = BTreeMap::from([("x.size(0)".to_owned(), 4096.0)]);
    let known = launches(
        &[
            "__global__ void k(float* x) {}\nvoid f(torch::Tensor x) { int n = x.size(0); k<<<n / 4, 256>>>(x.data_ptr<float>()); }\n",
        ],
        &given,
    );
    assert_eq!(known[0].grid.value, Ok([1024, 1, 1]));
}

#[test]
fn what_is_read_when_it_runs_is_named_and_not_guessed() {
    let found = read(
        "__global__ void k(float* x, int n) {}\nint read_it();\n\
         int main() { int n = read_it(); int m = 0; ask(&m); k<<<n, m>>>(make(), n + 1); }\n",
    );
    let [launch] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(launch.grid.value.as_ref().map_err(|unknown| unknown.0.as_str()), Err("read_it()"));
    assert_eq!(launch.block.value.as_ref().map_err(|unknown| unknown.0.as_str()), Err("m"));
    assert_eq!(numbers(launch)[1], "? read_it()");
}

#[test]
fn conditions_choose_the_launch_that_is_reached() {
    let found = read(
        "template <int B> __global__ void k(int* x) {}\n\
         int main() { int b = 32; int* d; cudaMalloc(&d, 64); if (b == 16) k<16><<<1, 16>>>(d); else k<32><<<1, b>>>(d); }\n",
    );
    let reached: Vec<_> = found.iter().map(|launch| (launch.kernel.as_str(), launch.missed.is_none())).collect();
    assert_eq!(reached, [("k<16>", false), ("k<32>", true)]);
    let loops = read(
        "__global__ void k(int* x) {}\nint main() { int* x; while (false) k<<<1, 1>>>(x); for (int i = 0; i < 0; i++) k<<<2, 1>>>(x); for (int i = 0; i < 3; i++) k<<<3, 1>>>(x); }\n",
    );
    assert_eq!(loops.iter().map(|launch| launch.missed.is_none()).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn the_cases_and_the_callers_decide_as_well() {
    let text = "template <int W> __global__ void k(float* x) {}\n\
                void one(float* x) { k<1><<<1, 1>>>(x); }\nvoid two(float* x) { k<2><<<1, 2>>>(x); }\n\
                void pick(int which, float* x, int w) {\n  switch (which) { case 1: one(x); break; case 2: two(x); break; }\n\
                  switch (w) { case 3: case 4: k<4><<<1, 4>>>(x); break; default: k<0><<<1, 5>>>(x); }\n}\n\
                int main(int argc, char** argv) { int which = 1; int w = 3; if (argc > 1) { which = atoi(argv[1]); } float* x; pick(which, x, w); }\n";
    let reached = |given: &[(&str, f64)]| {
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let found = launches(&[text], &given).into_iter();
        found.filter(|launch| launch.missed.is_none()).map(|launch| launch.kernel).collect::<Vec<_>>()
    };
    assert_eq!(reached(&[]), ["k<1>", "k<4>"]);
    assert_eq!(reached(&[("which", 2.0), ("w", 9.0)]), ["k<2>", "k<0>"]);
}

#[test]
fn given_names_are_those_of_the_launch_and_not_of_helpers() {
    let text = "#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))\nint twice(int N) { return 2 * N; }\n\
                __global__ void k(int* x, int n) {}\n\
                void run(int M, int N) { dim3 grid(CEIL_DIV(M, 32), CEIL_DIV(N, 64)); k<<<grid, twice(16)>>>(0, N); }\n";
    let given = BTreeMap::from([("M".to_owned(), 256.0), ("N".to_owned(), 128.0), ("other".to_owned(), 1.0)]);
    let found = launches(&[text], &given);
    assert_eq!((found[0].grid.value.clone(), found[0].block.value.clone()), (Ok([8, 2, 1]), Ok([32, 1, 1])));
    assert_eq!(found[0].given, ["M", "N"]);
}

/// The grids of launches, or the names that are not known.
fn grids(text: &str) -> Vec<Result<i64, String>> {
    read(&format!("__global__ void k(int* x) {{}}\n{text}"))
        .into_iter()
        .map(|launch| launch.grid.value.map(|[x, ..]| x).map_err(|unknown| unknown.0))
        .collect()
}

#[test]
fn what_changes_a_variable_on_the_way_counts() {
    let main = |body: &str| grids(&format!("int main(int argc, char** argv) {{ int* x; {body} }}"));
    for (body, right) in [
        ("int n = 1000; int b = n / 256; if (n % 256) b++; k<<<b, 1>>>(x);", 4),
        ("int g = 4096; if (g > 1024) g = 1024; k<<<g, 1>>>(x);", 1024),
        ("int g = 64; if (g > 1024) { g = 1024; } k<<<g, 1>>>(x);", 64),
        ("int n = 0; if (argc == 2) { n = atoi(argv[1]); } else { n = 7; } k<<<n, 1>>>(x);", 7),
        ("int m = 2, b; switch (m) { case 1: b = 64; break; case 2: b = 128; break; } k<<<b, 1>>>(x);", 128),
        ("int n = 5; { n = 9; } k<<<n, 1>>>(x);", 9),
        ("int n = 5; { int n = 9; } k<<<n, 1>>>(x);", 5),
        ("for (int s = 8; s > 0; s >>= 1) k<<<s, 1>>>(x);", 8),
        ("int n = 1; n++; ++n; n += 2; n *= 3; k<<<n, 1>>>(x);", 15),
        ("dim3 g, b; b.x = 128; g.x = (1000 + b.x - 1) / b.x; k<<<g, b>>>(x);", 8),
        ("unsigned char c = 300; k<<<c, 1>>>(x);", 44),
        ("int n = 3; if (unknown_thing()) { n = 5; } else { k<<<n, 1>>>(x); }", 3),
        ("int n = 3; switch (ask()) { case 1: n = 5; break; case 2: k<<<n, 1>>>(x); }", 3),
        ("int n = 010; k<<<n, 1>>>(x);", 8),
    ] {
        assert_eq!(main(body), [Ok(right)], "{body}");
    }
    for (body, name) in [
        ("int n = 1; while (n < 100) n <<= 1; k<<<n, 1>>>(x);", "n"),
        ("int n = 1; int& r = n; r = 7; k<<<n, 1>>>(x);", "n"),
        ("int n = 1; int* p = &n; *p = 7; k<<<n, 1>>>(x);", "n"),
        ("int n = 1; ask((int*)&n); k<<<n, 1>>>(x);", "n"),
        ("int n = 1; std::cin >> n; k<<<n, 1>>>(x);", "n"),
        ("int s[2] = {1, 2}; s[0] = 10; k<<<s[0], 1>>>(x);", "s"),
        ("int n = 1; if (unknown_thing()) n = 2; k<<<n, 1>>>(x);", "n"),
        ("int n = 9; auto run = [&](int n) { k<<<n, 1>>>(x); }; run(5);", "n"),
    ] {
        assert_eq!(main(body), [Err(name.to_owned())], "{body}");
    }
}

#[test]
fn constants_of_types_are_found_behind_their_names() {
    let text = "typedef float real;\ntemplate <class E> struct Pack { static constexpr const int size = sizeof(int4) / sizeof(E); };\n\
                typedef Pack<real> pack;\nint main() { int* x; int n = 64; if (checkCmdLineFlag(0, 0, \"n\")) n = ask(); k<<<n / pack::size, 1>>>(x); }\n";
    assert_eq!(grids(text), [Ok(16)]);
}

#[test]
fn helpers_return_what_they_return() {
    let text = "int pick(int n) { if (n > 512) return 256; return 128; }\n\
                int pow2(int n) { int p = 1; while (p < n) p <<= 1; return p; }\n\
                int main() { int* x; k<<<pick(1024), 1>>>(x); k<<<pick(10), 1>>>(x); k<<<pow2(9), 1>>>(x); }\n";
    assert_eq!(grids(text), [Ok(256), Ok(128), Err("p".to_owned())]);
}

#[test]
fn the_preprocessor_decides_as_nvcc_has_it() {
    let text = "#define FAST 1\n#define N 5\n#if FAST && N > 3\nconst int a = 1;\n#else\nconst int a = 2;\n#endif\n\
                #ifdef __CUDACC__\nint main() { k<<<a, 1>>>(0); }\n#else\nint main() { k<<<9, 1>>>(0); }\n#endif\n";
    assert_eq!(grids(text), [Ok(1)]);
}

#[test]
fn functions_that_main_does_not_call_are_not_reached() {
    let found = read(
        "__global__ void k(int* x) {}\nvoid unused() { k<<<1, 1>>>(0); }\nint main() { if (false) unused(); k<<<2, 1>>>(0); }\nvoid lost() { k<<<3, 1>>>(0); }\n",
    );
    let missed: Vec<_> = found.iter().map(|launch| launch.missed.is_some()).collect();
    assert_eq!(missed, [true, false, true]);
}

#[test]
fn nothing_takes_long_or_ends_the_program() {
    let main = |body: &str| {
        read(&format!(
            "__global__ void k(int* x, int n) {{}}\nint main() {{ int* x; int n = 1; {body} k<<<n, 32>>>(x, n); }}"
        ))
    };
    main(&"n += 2; n = n > 5 ? n * 2 : n * n; n = n + n;".repeat(40));
    main(&format!("cudaMalloc(&x, {}1);", "1 + ".repeat(5000)));
    read(
        "typedef struct A A; struct A { float a, b, c; };\nusing B = C; using C = B;\n__global__ void k(A* x, B* y) {}\nint main() { A* x; cudaMalloc(&x, 10 * sizeof(A)); B* y; cudaMalloc(&y, sizeof(B)); k<<<1, 1>>>(x, y); }",
    );
    let calls: String =
        (1..9).map(|i| format!("void f{i}() {{ {} }}\n", format!("f{}(); ", i - 1).repeat(8))).collect();
    read(&format!("__global__ void k() {{}}\nvoid f0() {{ k<<<1, 1>>>(); }}\n{calls}"));
    read(
        "__global__ void k(int* x, int a) {}\n#define L(a) L(a a); k<<<1, 32>>>(x, a)\nint main() { int* x; L(1); }\n",
    );
    read(
        "int main() { auto t = torch::empty({4000000000, 4000000000}); k<<<1, 1>>>(t.data_ptr<float>()); int* c = (int*)calloc(4000000000, 4000000000); k<<<1, 1>>>(c); }",
    );
}

#[test]
fn buffers_are_found_behind_casts_vectors_and_functions() {
    let found = read(
        "__global__ void k(float* a, float4* b, int* c, float* d, float* e) {}\n\
         void make(float** p, size_t n) { cudaMalloc(p, n * sizeof(float)); }\n\
         int main() {\n  thrust::device_vector<float> a(10); float* raw; make(&raw, 20); int* c; cudaMalloc((void**)&c, 3 * sizeof *c);\n\
           float* list[2]; for (int i = 0; i < 2; i++) cudaMalloc(&list[i], 80);\n  auto t = torch::zeros({4, 8});\n\
           k<<<1, 1>>>(thrust::raw_pointer_cast(a.data()), (float4*)raw, c, list[1], t.data_ptr<float>());\n}\n",
    );
    let expected = [Size::Bytes(40), Size::Bytes(80), Size::Bytes(12), Size::Bytes(80), Size::Elements(32)];
    assert_eq!(sizes(&found[0]), expected.map(Some));
}

#[test]
fn text_that_does_not_parse_never_panics_and_recursion_ends() {
    let text = "int f(int n) { return f(n); }\n__global__ void k(int* x) {}\nint main() { int n = n; int m = f(m); k<<<n, f(m)>>>(x, 1 / 0, 1 << 99, -9223372036854775808); } é <<<";
    for at in 0..=text.len() {
        text.get(..at).map(read);
    }
    assert!(read(text)[0].grid.value.is_err());
}

#[test]
fn names_of_types_convert_as_their_types_do() {
    let found = read(
        "using FP = float;\ntypedef unsigned char Byte;\n__global__ void k(float* x, float a, float b, int c) {}\n\
         int main() { int n = 4; FP a = 1.f / sqrtf(static_cast<FP>(n)); const FP b = 1.f / 4; Byte c = 2.5f; Other d = 1.5f; \
         float* x; k<<<1, 32>>>(x, a, b, c); k<<<1, 32>>>(x, d, 1, 1); }\n",
    );
    assert_eq!(numbers(&found[0])[1..], ["0.5", "0.25", "2"]);
    assert_eq!(numbers(&found[1])[1], "? d", "a fraction in a type that is not known");
}

#[test]
fn a_variable_of_the_file_has_the_value_that_a_function_before_gave_it() {
    let text = |setup: &str| {
        format!(
            "int sms = 0;\nvoid setup(int argc) {{ {setup} }}\n__global__ void k(float* x, int n) {{}}\n\
             int main(int argc, char** argv) {{ setup(argc); float* x; k<<<sms, 32>>>(x, sms); }}\n"
        )
    };
    let of = |setup: &str| numbers(&read(&text(setup))[0])[1].clone();
    assert_eq!(of("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); sms = p.multiProcessorCount;"), "132");
    assert_eq!(of("if (argc > 1) { sms = 7; }"), "0");
    assert_eq!(of("sms = read_it();"), "? read_it()");
    assert_eq!(of("sms = 1; sms = 2;"), "? sms");
}

#[test]
fn what_the_preprocessor_leaves_out_calls_nothing() {
    let found = read(
        "#define HALF\n__global__ void one(float* x) {}\n__global__ void two(float* x) {}\n\
         void first(float* x) { one<<<1, 32>>>(x); }\nvoid second(float* x) { two<<<1, 32>>>(x); }\n\
         void pick(int w, float* x) {\n  switch (w) {\n#if !defined(HALF)\n    case 1: first(x); break;\n#endif\n    case 2: second(x); break;\n  }\n}\n\
         int main() { float* x; pick(2, x); }\n",
    );
    let reached: Vec<_> = found.iter().map(|launch| (launch.kernel.as_str(), launch.missed.clone())).collect();
    assert_eq!(reached, [("one", Some(Missed::Uncalled)), ("two", None)]);
}

#[test]
fn a_type_that_torch_dispatches_over_is_that_of_its_tensors() {
    let found = read(
        "template <typename scalar_t> __global__ void k(scalar_t* x, int n) {}\n\
         void run(torch::Tensor x) { AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"k\", ([&] { k<scalar_t><<<1, 32>>>(x.data_ptr<scalar_t>(), 5); })); }\n",
    );
    assert_eq!(found[0].kernel, "k<float>");
}

#[test]
fn a_function_that_sets_a_variable_more_than_once_or_later_leaves_it_unknown() {
    let of = |setter: &str, body: &str| {
        let text = format!(
            "int v = 1;\nvoid set(int by) {{ {setter} }}\n__global__ void k(float* x, int n) {{}}\n\
             int main(int argc, char** argv) {{ float* x; {body} }}\n"
        );
        numbers(&read(&text)[0])[1].clone()
    };
    let launch = "k<<<1, 32>>>(x, v);";
    assert_eq!(of("v = by;", &format!("set(6); {launch}")), "6");
    assert_eq!(of("v = by;", &format!("{launch} set(6);")), "1");
    assert_eq!(of("v = by;", &format!("set(4); set(6); {launch}")), "? v");
    assert_eq!(of("v = by;", &format!("set(6); if (argc > 1) set(100); {launch}")), "? v");
    assert_eq!(of("v += by;", &format!("set(6); {launch}")), "? v");
    assert_eq!(of("for (int i = 0; i < 4; i++) v = v * 2;", &format!("set(6); {launch}")), "? v");
    assert_eq!(of("v = by;", &format!("for (int i = 0; i < 4; i++) set(i); {launch}")), "? v");
}
