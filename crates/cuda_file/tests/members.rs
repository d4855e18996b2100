//! The members of structures that kernels take, and the kernels of a file.

use warpbook_cuda_file::{kernels, members};

/// Members as `path@offset:bytes`, with a `*` for pointers.
fn of(text: &str, kernel: &str) -> Vec<Option<(Vec<String>, i64)>> {
    let words = |member: &warpbook_cuda_file::Member| {
        let star = if member.is_pointer { "*" } else { "" };
        format!("{}{star}@{}:{}", member.path, member.offset, member.bytes)
    };
    let all = members(&[text], kernel).into_iter();
    all.map(|of| of.map(|(members, bytes)| (members.iter().map(words).collect(), bytes))).collect()
}

#[test]
fn members_lie_where_c_puts_them() {
    let text = "constexpr int D = 3;
struct Inner { float scale; int flags[2]; };
struct Params {
  static constexpr int R = 4;
  const float *x, *__restrict__ out;
  char tag; int n;
  Inner inner[2];
  float bias[D];
  float3 at;
  double last = 1.0;
  int size() const { return n; }
};
__global__ void k(Params p, int add, const Params* q) {}
";
    let found = of(text, "k");
    let (members, bytes) = found[0].clone().unwrap_or_default();
    let wanted = "x*@0:8 out*@8:8 tag@16:1 n@20:4 inner[0].scale@24:4 inner[0].flags[0]@28:4 inner[0].flags[1]@32:4 \
                  inner[1].scale@36:4 inner[1].flags[0]@40:4 inner[1].flags[1]@44:4 bias[0]@48:4 bias[1]@52:4 bias[2]@56:4 \
                  at.x@60:4 at.y@64:4 at.z@68:4 last@72:8";
    assert_eq!((members.join(" ").as_str(), bytes), (wanted, 80));
    assert_eq!(found[1..], [None, None]);
}

#[test]
fn arrays_of_the_standard_library_have_elements_and_spans_a_pointer_and_a_size() {
    let text = "struct P { char c; std::array<short, 3> a; std::span<const float> s; };\n__global__ void k(P p, std::array<float, 2> w) {}\n";
    let found = of(text, "k");
    let of = |at: usize| found[at].clone().map(|(members, bytes)| (members.join(" "), bytes));
    assert_eq!(of(0), Some(("c@0:1 a[0]@2:2 a[1]@4:2 a[2]@6:2 s.data*@8:8 s.size@16:8".to_owned(), 24)));
    assert_eq!(of(1), Some(("[0]@0:4 [1]@4:4".to_owned(), 8)));
}

#[test]
fn a_layout_that_is_not_understood_is_none() {
    for of_class in [
        "struct P { int n; float f; }; namespace b { struct P { float f; int n; }; }",
        "typedef int T; struct P { using T = float; T n; };",
        "struct P : Base { int n; };",
        "struct P { int a : 3; };",
        "struct P { alignas(16) int a; };",
        "struct P { std::vector<int> a; };",
    ] {
        let found = of(&format!("{of_class}\n__global__ void k(P p) {{}}\n"), "k");
        assert!(found == [None], "{of_class}: {found:?}");
    }
}

#[test]
fn kernels_are_listed_with_their_templates() {
    let text = "template <typename T, int N>\n__global__ void __launch_bounds__(256) scale(T* x,\n  int n) {}\nvoid host() {}\n\
                extern \"C\" __global__ void plain() {}\n";
    let found: Vec<_> =
        kernels(&[text]).into_iter().map(|of| (of.name, of.signature, of.template, of.place.1)).collect();
    let scale = ("scale".to_owned(), "scale(T* x, int n)".to_owned(), Some("typename T, int N".to_owned()), 1);
    assert_eq!(found, [scale, ("plain".to_owned(), "plain()".to_owned(), None, 4)]);
}
