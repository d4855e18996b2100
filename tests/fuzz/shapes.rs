//! Large texts of known shapes, of a size that any tool may be given: long, wide, deep, or growing at each level.

use warpbook::base::rng;

const MAIN: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n\
                    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {\n";

/// The shapes, each as a function of its size.
const SHAPES: [fn(u32) -> String; 18] = [
    // Statements in a row, on variables, values and memory.
    |n| main(n, |k| format!("x = x * {k}u + 1u;\n")),
    |n| main(n, |k| format!("let v{k} = x + {k}u;\n")),
    |n| main(n, |k| format!("out[x + {k}u] = x;\n")),
    |n| main(n, |k| format!("var v{k} = x; v{k} += 1u; x = v{k};\n")),
    |n| main(n / 4, |k| format!("if x > {k}u {{ x += 1u; }} else {{ x -= 1u; }}\n")),
    |n| main(n / 8, |k| format!("for (var k{k} = 0u; k{k} < 3u; k{k}++) {{ x += k{k}; }}\n")),
    |n| {
        main(n / 8, |k| format!("x = atomicAdd(&counter, {k}u);\n")).replacen(
            "@group(0)",
            "var<workgroup> counter: atomic<u32>;\n@group(0)",
            1,
        )
    },
    // Long expressions, to the left, to the right, and of unary operators.
    |n| main(1, |_| format!("x = x{};\n", "+x".repeat(n as usize))),
    |n| main(1, |_| format!("x = {}x{};\n", "(x+".repeat(n.min(180) as usize), ")".repeat(n.min(180) as usize))),
    |n| main(1, |_| format!("x = {}x;\n", "~".repeat(n as usize))),
    |n| main(1, |_| format!("x = u32(x > 0u{});\n", "&&x>1u".repeat(n as usize))),
    // Chains.
    |n| {
        main(1, |_| {
            format!("if x == 0u {{}}{}\n", (0..n / 4).map(|k| format!("else if x=={k}u{{x+=1u;}}")).collect::<String>())
        })
    },
    |n| {
        main(1, |_| {
            format!(
                "switch x {{ default {{}} {} }}\n",
                (0..n / 4).map(|k| format!("case {k}u {{ x = {k}u; }}")).collect::<String>()
            )
        })
    },
    |n| {
        format!(
            "fn f0(x: u32) -> u32 {{ return x; }}\n{}{}",
            (1..n / 4 + 2)
                .map(|k| format!("fn f{k}(x: u32) -> u32 {{ return f{}(x) + 1u; }}\n", k - 1))
                .collect::<String>(),
            main(1, |_| format!("x = f{}(x);\n", n / 4 + 1))
        )
    },
    |n| {
        format!(
            "fn f0(x: u32) -> u32 {{ if x > 3u {{ return 1u; }} return x; }}\n{}{}",
            (1..n / 4 + 2)
                .map(|k| format!("fn f{k}(x: u32) -> u32 {{ if x == {k}u {{ return 7u; }} return f{}(x); }}\n", k - 1))
                .collect::<String>(),
            main(1, |_| format!("x = f{}(x);\n", n / 4 + 1))
        )
    },
    // Texts that double at each level.
    |n| {
        format!(
            "const c0 = array(1u, 2u);\n{}{}",
            (1..n % 28 + 2).map(|k| format!("const c{k} = array(c{0}, c{0});\n", k - 1)).collect::<String>(),
            main(1, |_| format!("let a = c{}; x = u32(i);\n", n % 28 + 1))
        )
    },
    |n| {
        format!(
            "struct S0 {{ a: u32, b: u32 }}\n{}var<private> s: S{};\n{}",
            (1..n % 20 + 2).map(|k| format!("struct S{k} {{ a: S{0}, b: S{0} }}\n", k - 1)).collect::<String>(),
            n % 20 + 1,
            main(1, |_| "s.a.a = s.a.b;\n".to_owned())
        )
    },
    // An array of arrays of arrays.
    |n| {
        format!(
            "alias A0 = u32;\n{}var<private> a: A{};\n{}",
            (1..n % 40 + 2).map(|k| format!("alias A{k} = array<A{}, {}>;\n", k - 1, n % 3 + 1)).collect::<String>(),
            n % 40 + 1,
            main(1, |_| "var b = a; a = b;\n".to_owned())
        )
    },
];

/// An entry point with `n` pieces on `x`.
fn main(n: u32, piece: impl Fn(u32) -> String) -> String {
    format!("{MAIN}var x = i;\n{}out[i] = x;\n}}\n", (0..n.max(1)).map(piece).collect::<String>())
}

/// A text of the shape and the size that `seed` gives.
pub fn text(seed: u64) -> String {
    let n = [10, 100, 1000, 4000][(rng::word(seed, 1) % 4) as usize] + rng::word(seed, 2) % 100;
    SHAPES[(seed % SHAPES.len() as u64) as usize](n)
}
