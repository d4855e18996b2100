//! Detecting other languages where WGSL is expected, by the text's signs or the file's name, with advice.

use std::path::Path;

use super::diag::Diagnostic;
use super::wgsl::tokens;

/// A language that is not WGSL.
struct Language {
    /// The name of the language.
    name: &'static str,
    /// How its files' names end.
    endings: &'static [&'static str],
    /// Tokens in a row that WGSL does not have, and this language does.
    signs: &'static [&'static [&'static str]],
    /// The advice to the user.
    advice: &'static str,
}

const FROM_CUDA: &str = "trace it in a file whose name ends in .cu";
const FROM_NUMBA: &str = "write its PTX to a .ptx file (`kernel.inspect_asm()`), and trace that with --source FILE.py";
const FROM_TRITON: &str = "compile it to PTX, which needs no GPU, and trace the .ptx with --source FILE.py: docs/src/cuda.md has the ten lines";
const FROM_GLSL: &str = "translate it with `naga in.comp out.wgsl` (`cargo install naga-cli`), and trace the .wgsl";
const FROM_HLSL: &str = "translate it with `dxc -spirv -T cs_6_0 -E main in.hlsl -Fo out.spv` and `naga out.spv out.wgsl`, and trace the .wgsl";
const FROM_SPIR_V: &str = "translate it with `naga in.spv out.wgsl` (`cargo install naga-cli`), and trace the .wgsl";
const FROM_BINARY: &str = "trace the source of the kernel, or its PTX";
const FROM_PTX: &str = "trace it in a file whose name ends in .ptx";

const LANGUAGES: [Language; 9] = [
    Language {
        name: "Triton",
        endings: &[],
        signs: &[&["@", "triton", ".", "jit"], &["tl", ".", "program_id"]],
        advice: FROM_TRITON,
    },
    Language { name: "Numba", endings: &[], signs: &[&["@", "cuda", ".", "jit"]], advice: FROM_NUMBA },
    Language {
        name: "CUDA C++",
        endings: &["cu", "cuh"],
        signs: &[&["__global__"], &["__device__"], &["__syncthreads"], &["<", "<", "<"]],
        advice: FROM_CUDA,
    },
    Language {
        name: "PTX",
        endings: &["ptx"],
        signs: &[&[".", "visible", ".", "entry"], &[".", "address_size"]],
        advice: FROM_PTX,
    },
    Language {
        name: "GLSL",
        endings: &["comp", "glsl"],
        signs: &[&["#", "version"], &["gl_GlobalInvocationID"], &["gl_LocalInvocationID"]],
        advice: FROM_GLSL,
    },
    Language { name: "HLSL", endings: &["hlsl"], signs: &[&["[", "numthreads", "("]], advice: FROM_HLSL },
    Language {
        name: "Metal's language",
        endings: &["metal"],
        signs: &[&["kernel", "void"], &["using", "namespace", "metal"]],
        advice: "write the kernel in WGSL: threadgroup is var<workgroup>, threadgroup_barrier() workgroupBarrier()",
    },
    Language {
        name: "OpenCL C",
        endings: &["cl"],
        signs: &[&["__kernel"]],
        advice: "write the kernel in WGSL: __local is var<workgroup>, barrier() workgroupBarrier()",
    },
    Language {
        name: "Python",
        endings: &["py"],
        signs: &[],
        advice: "trace the kernel that it runs: WGSL or CUDA C++ in a file of its own, Triton as PTX with --source FILE.py",
    },
];

/// Template and preprocessor syntax in WGSL: its marks, its tool, and the advice to the user.
const MIXED: [(&[&[&str]], &str, &str); 3] = [
    (
        &[&["#", "import"], &["#", "define_import_path"]],
        "naga_oil's",
        "resolve the imports first, and trace what comes out: Bevy's `naga_oil` composes them, `wesl` those of WESL",
    ),
    (
        &[
            &["#", "include"],
            &["#", "define"],
            &["#", "ifdef"],
            &["#", "ifndef"],
            &["#", "if"],
            &["#", "undef"],
            &["#", "pragma"],
            &["#", "else"],
            &["#", "endif"],
        ],
        "a preprocessor's",
        "run the preprocessor first, such as `cpp -P -DNAME=VALUE in.wgsl out.wgsl`, and trace what comes out; for a file that kernels \
         share, write `// #include \"part.wgsl\"`",
    ),
    (&[&["{", "{"], &["{", "%"], &["$", "{"]], "a template's", "render the template first, and trace what comes out"),
];

/// A diagnostic that names the language of a text that is not WGSL; None if nothing in it points to another language.
#[must_use]
pub fn foreign(file: &str, text: &str) -> Option<Diagnostic> {
    let all: Vec<&str> = tokens(text).collect();
    let by_sign = LANGUAGES.iter().find_map(|language| Some((language, first(text, &all, language.signs, true)?.0)));
    if let Some((language, at)) = by_sign.or_else(|| Some((by_name(file)?, 0))) {
        let problem = Diagnostic::error(format!(
            "this is {}, and the tracer reads WGSL, CUDA C++ (.cu) and PTX (.ptx)",
            language.name
        ));
        return Some(problem.at(file, text, &(at..text.len())).hint(language.advice));
    }
    MIXED.iter().find_map(|(signs, whose, advice)| {
        let (at, sign) = first(text, &all, signs, false)?;
        let problem = Diagnostic::error(format!("`{}` is not WGSL, but {whose}", sign.concat()));
        Some(problem.at(file, text, &(at..text.len())).hint(*advice))
    })
}

/// A diagnosis of a file that is no text, by its name or its first bytes; None if neither identifies it.
#[must_use]
pub fn binary(file: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let is_spir_v = bytes.starts_with(&SPIR_V.to_le_bytes()) || bytes.starts_with(&SPIR_V.to_be_bytes());
    let (name, advice) = match () {
        () if is_spir_v || ending(file).is_some_and(|ending| ending == "spv") => ("SPIR-V", FROM_SPIR_V),
        () if bytes.starts_with(b"\x7fELF") => ("a program or a compiled kernel", FROM_BINARY),
        () => return None,
    };
    Some(
        Diagnostic::error(format!("this is {name}, and the tracer reads WGSL, CUDA C++ (.cu) and PTX (.ptx)"))
            .in_file(file)
            .hint(advice),
    )
}

/// The word that a module of SPIR-V begins with.
const SPIR_V: u32 = 0x0723_0203;

fn ending(file: &str) -> Option<String> {
    Some(Path::new(file).extension()?.to_str()?.to_ascii_lowercase())
}

fn by_name(file: &str) -> Option<&'static Language> {
    let ending = ending(file)?;
    LANGUAGES.iter().find(|language| language.endings.contains(&ending.as_str()))
}

/// The first of the signs in the text, and the byte at which it begins. Its tokens may have blanks between them where
/// `spaced`.
fn first<'a>(text: &str, all: &[&str], signs: &[&'a [&'a str]], spaced: bool) -> Option<(usize, &'a [&'a str])> {
    let offset = |token: &str| token.as_ptr() as usize - text.as_ptr() as usize;
    let joined = |run: &[&str]| run.windows(2).all(|pair| offset(pair[0]) + pair[0].len() == offset(pair[1]));
    let found = |sign: &&'a [&'a str]| {
        let run = all.windows(sign.len()).find(|run| run == sign && (spaced || joined(run)))?;
        Some((offset(run[0]), *sign))
    };
    signs.iter().filter_map(found).min_by_key(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(file: &str, text: &str) -> String {
        foreign(file, text).map(|problem| problem.to_string()).unwrap_or_default()
    }

    #[test]
    fn languages_are_known_by_their_signs_and_then_by_the_name() {
        for (file, text, place, name) in [
            ("a.cu", "#include <cuda.h>\nextern \"C\" __global__ void f() {}", "a.cu:2:12:", "CUDA C++"),
            ("a.txt", "// a\n__global__ void f() {}", "a.txt:2:1:", "CUDA C++"),
            ("a.cuh", "constexpr int n = 1;", "a.cuh:1:1:", "CUDA C++"),
            ("a.py", "import triton\n@triton.jit\ndef f(): pass", "a.py:2:1:", "Triton"),
            ("a.txt", "@cuda.jit\ndef f(): pass", "a.txt:1:1:", "Numba"),
            ("a.py", "import torch", "a.py:1:1:", "Python"),
            ("a.comp", "#version 450\nvoid main() {}", "a.comp:1:1:", "GLSL"),
            ("a.glsl", "void main() {}", "a.glsl:1:1:", "GLSL"),
            ("a", "\n[numthreads(64, 1, 1)] void f() {}", "a:2:1:", "HLSL"),
            ("a.ptx", ".version 8.0\n.visible .entry f() {}", "a.ptx:2:1:", "PTX"),
            ("a.metal", "kernel void f() {}", "a.metal:1:1:", "Metal's language"),
            ("a.cl", "__kernel void f() {}", "a.cl:1:1:", "OpenCL C"),
        ] {
            let said = said(file, text);
            assert!(
                said.starts_with(&format!(
                    "{place} error: this is {name}, and the tracer reads WGSL, CUDA C++ (.cu) and PTX (.ptx)"
                )),
                "{said}"
            );
            assert!(said.contains("hint: "), "{said}");
        }
    }

    #[test]
    fn what_wgsl_is_mixed_with_is_found_at_its_line() {
        for (text, place, what) in [
            ("// a\n#import bevy::x\n#ifdef A", "2:1", "`#import` is not WGSL, but naga_oil's"),
            ("fn f() {}\n#ifdef A\n#endif", "2:1", "`#ifdef` is not WGSL, but a preprocessor's"),
            ("const n = {{ n }};", "1:11", "`{{` is not WGSL, but a template's"),
            ("const n = ${n};", "1:11", "`${` is not WGSL, but a template's"),
        ] {
            let said = said("a.wgsl", text);
            assert!(said.starts_with(&format!("a.wgsl:{place}: error: {what}\n")), "{said}");
        }
        for plain in ["// #include \"a.wgsl\"\nfn f() {", "fn f() { { }", "/* __global__ @triton.jit */ let a", ""] {
            assert_eq!(said("a.wgsl", plain), "", "{plain}");
        }
    }

    #[test]
    fn binaries_are_known_by_their_first_bytes() {
        let said =
            |file: &str, bytes: &[u8]| binary(file, bytes).map(|problem| problem.to_string()).unwrap_or_default();
        assert!(said("a", &[3, 2, 0x23, 7, 0, 0]).contains("SPIR-V") && said("a.spv", b"").contains("SPIR-V"));
        assert!(said("a.cubin", b"\x7fELF\x02").contains("compiled kernel"));
        assert_eq!(said("a.wgsl", &[0xFF]), "");
    }
}
