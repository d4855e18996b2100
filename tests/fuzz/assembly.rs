//! PTX: random changes of kernels that compilers wrote, and hostile texts of known shapes.

use std::path::Path;

use warpbook::base::rng;

/// Lines that are damaged in few places keep their meaning; these are put in the places of others.
const PIECES: [&str; 40] = [
    "\tret;",
    "\ttrap;",
    "\tbar.sync \t0;",
    "\tbar.sync \t1, 64;",
    "\tbar.warp.sync \t-1;",
    "\tbra.uni \t$L__BB0_1;",
    "\t@%p1 bra \t$L__BB0_2;",
    "\t@!%p1 ret;",
    "$L__BB0_1:",
    "$L__BB0_2:",
    "$L__BB9_9:",
    "\tmov.u32 \t%r1, %tid.x;",
    "\tmov.u32 \t%r1, %clock;",
    "\tmov.u32 \t%r1, %frobnicate;",
    "\tmov.u64 \t%rd1, %globaltimer;",
    "\tmov.b64 \t%rd1, {%r1, %r2};",
    "\tmov.b64 \t{%r1, %r2}, %rd1;",
    "\tld.global.u32 \t%r1, [%rd1+-4];",
    "\tld.volatile.global.u32 \t%r1, [%rd1];",
    "\tld.shared.v4.f32 \t{%f1, %f2, %f3, %f4}, [%r1];",
    "\tst.global.u8 \t[%rd1+3], %rs1;",
    "\tst.local.u8 \t[%rd1], %rs1;",
    "\tatom.global.add.u64 \t%rd2, [%rd1], 1;",
    "\tatom.global.cas.b16 \t%rs1, [%rd1], %rs2, %rs3;",
    "\tred.global.add.f64 \t[%rd1], %fd1;",
    "\tshfl.sync.idx.b32 \t%r1|%p1, %r2, %r3, 31, -1;",
    "\tmatch.any.sync.b32 \t%r1, %r2, -1;",
    "\tdiv.u64 \t%rd1, %rd2, %rd3;",
    "\trem.s32 \t%r1, %r2, 0;",
    "\tadd.cc.u32 \t%r1, %r2, %r3;",
    "\taddc.u32 \t%r1, %r2, %r3;",
    "\tcvt.rz.f32.f64 \t%f1, %fd1;",
    "\tfma.rn.f16x2 \t%r1, %r2, %r3, %r4;",
    "\tprmt.b32 \t%r1, %r2, %r3, %r4;",
    "\tfrobnicate.s32 \t%r1, %r2;",
    "\tcall.uni (retval0), \n\t_Z5outeriPKi, \n\t(\n\tparam0, \n\tparam1\n\t);",
    "\tcall.uni \tvprintf, (param0, param1);",
    "\t.reg .b32 %r<99>;",
    "\t.shared .align 4 .b8 more[16];",
    "\t.local .align 4 .b8 own[16];",
];

/// Numbers at the edges of things.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "31",
    "32",
    "64",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "9223372036854775807",
    "0x7fffffffffffffff",
    "0f7FC00000",
    "0d7FF0000000000000",
    "0f80000000",
];

/// Texts that a compiler would not write.
const SHAPES: [fn(u64) -> String; 22] = [
    |_| entry("\t.reg .b32 %r<4000000000>;\n\tmov.u32 %r3999999999, %tid.x;\n", ""),
    |n| entry(&(0..n).map(|k| format!("\t.reg .b32 %a{k}<999999999>;\n")).collect::<String>(), ""),
    |n| {
        entry(
            "\t.reg .b32 %r<1000000>;\n",
            &(0..n * 20).map(|k| format!("\tmov.u32 %r{k}, {k};\n")).collect::<String>(),
        )
    },
    |_| entry("\t.shared .align 4 .b8 s[1099511627776];\n\t.reg .b32 %r<2>;\n\tst.shared.u32 [s], %r1;\n", ""),
    |_| entry("\t.local .align 4 .b8 s[1099511627776];\n\t.reg .b32 %r<2>;\n\tst.local.u32 [s], %r1;\n", ""),
    |_| entry("\t.shared .align 4 .b8 s[4294967295][4294967295][4294967295];\n\tst.shared.u32 [s], 1;\n", ""),
    |_| format!(".global .align 4 .b8 g[1099511627776];\n{}", entry("", "\tst.global.u32 [g], 1;\n")),
    |_| entry("\t.shared .align 1073741824 .b8 s[4];\n\tst.shared.u32 [s], 1;\n", ""),
    // Labels and jumps.
    |n| {
        entry(
            "",
            &(0..n * 10)
                .map(|k| format!("$L{k}:\n\tbra $L{};\n", k + 1))
                .chain([format!("$L{}:\n", n * 10)])
                .collect::<String>(),
        )
    },
    |n| {
        entry(
            GUARD,
            &(0..n)
                .map(|k| format!("\t@%p1 bra $L{};\n$M{k}:\n", k * 7 % n))
                .chain((0..n).map(|k| format!("$L{k}:\n")))
                .collect::<String>(),
        )
    },
    |n| {
        entry(
            GUARD,
            &(0..n)
                .map(|k| format!("$L{k}:\n"))
                .chain((0..n).rev().map(|k| format!("\t@%p1 bra $L{k};\n")))
                .collect::<String>(),
        )
    },
    |n| entry(GUARD, &(0..n).map(|k| format!("$L{k}:\n\t@%p1 bra $L{};\n", (k * 13 + 5) % n)).collect::<String>()),
    |_| entry("", "$L:\n\tbra $L;\n"),
    |_| {
        entry(
            "\t.reg .b32 %r<2>;\n\t.reg .pred %p<2>;\n\t.shared .align 4 .b8 s[4];\n",
            "$L:\n\tld.volatile.shared.u32 %r1, [s];\n\tsetp.eq.s32 %p1, %r1, 0;\n\t@%p1 bra $L;\n",
        )
    },
    // Blocks in blocks, comments, and texts that do not end.
    |n| entry("", &format!("{}{}", "{".repeat(n as usize * 10), "}".repeat(n as usize * 10))),
    |n| format!("{}{}", "/* ".repeat(n as usize), entry("", "")),
    |n| format!("{}\n.file 1 \"{}", entry("", ""), "x".repeat(n as usize * 100)),
    |n| entry("", &format!("\tmov.b64 {}%r1{}, %rd1;\n", "{".repeat(n as usize), "}".repeat(n as usize))),
    // Versions, targets, addresses.
    |n| {
        [
            ".version 99.9\n.target sm_999\n",
            ".version x\n",
            ".target frob\n",
            ".address_size 32\n",
            ".target\n",
            ".version\n",
        ][(n % 6) as usize]
            .to_owned()
            + &entry("", "")
    },
    // Calls.
    |n| {
        let calls = |k: u64| format!("\tcall.uni f{k}, ();\n\tcall.uni f{k}, ();\n");
        let functions = (0..n.min(60))
            .map(|k| format!(".func f{k} ()\n{{\n{}\tret;\n}}\n", if k > 0 { calls(k - 1) } else { String::new() }));
        functions.collect::<String>() + &entry("", &calls(n.min(60) - 1))
    },
    |n| {
        let functions = (0..n).map(|k| format!(".func f{k} ()\n{{\n\tcall.uni f{}, ();\n\tret;\n}}\n", (k + 1) % n));
        functions.collect::<String>() + &entry("", "\tcall.uni f0, ();\n")
    },
    |n| {
        entry(
            GUARD,
            &format!(
                "{}\tbrx.idx %r1, list;\nlist: .branchtargets {};\n",
                (0..n).map(|k| format!("$L{k}:\n")).collect::<String>(),
                (0..n).map(|k| format!("$L{k}")).collect::<Vec<_>>().join(", ")
            ),
        )
    },
];

/// A predicate that differs by lane.
const GUARD: &str = "\t.reg .pred %p<2>;\n\t.reg .b32 %r<3>;\n\tmov.u32 %r1, %tid.x;\n\tsetp.lt.u32 %p1, %r1, 5;\n";

fn entry(declared: &str, body: &str) -> String {
    format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n{declared}{body}\tret;\n}}\n")
}

/// Kernels, each as the lines of a text of its own.
pub struct Corpus(Vec<Vec<String>>);

impl Corpus {
    pub fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/tracer/tests/ptx");
        let files = [folder.clone(), folder.join("corpus")].into_iter().flat_map(std::fs::read_dir).flatten().flatten();
        let mut paths: Vec<_> = files.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "ptx"));
        paths.sort();
        let texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect();
        let kernels: Vec<Vec<String>> = texts.iter().flat_map(|text| kernels(text)).collect();
        assert!(kernels.len() > 50, "the corpus was not found");
        Self(kernels)
    }

    /// The text of a seed.
    pub fn text(&self, seed: u64) -> String {
        let mut next = 0;
        let mut below = |most: usize| {
            next += 1;
            rng::word(seed, next) as usize % most.max(1)
        };
        if below(10) == 0 {
            let n = [3, 30, 300, 1000][below(4)] + below(50) as u64;
            return SHAPES[below(SHAPES.len())](n);
        }
        let mut lines = self.0[below(self.0.len())].clone();
        let other = &self.0[below(self.0.len())];
        for _ in 0..[0, 1, 1, 1, 2, 3, 8][below(7)] {
            if lines.is_empty() {
                break;
            }
            let (at, to) = (below(lines.len()), below(lines.len()));
            match below(12) {
                0 => _ = lines.remove(at),
                1 => lines.insert(at, lines[to].clone()),
                2 => lines.swap(at, to),
                3 => lines.truncate(at),
                4 => lines.insert(at, PIECES[below(PIECES.len())].to_owned()),
                5 => lines[at] = PIECES[below(PIECES.len())].to_owned(),
                6 => lines.insert(at, other[below(other.len())].clone()),
                // Words of one line for another's.
                7 | 8 => {
                    let words: Vec<&str> =
                        lines[to].split([' ', '\t', ',', ';', '[', ']']).filter(|w| !w.is_empty()).collect();
                    let word = words.get(below(words.len())).copied().unwrap_or("_").to_owned();
                    lines[at] = with_word(&lines[at], &word, below(8));
                }
                9 | 10 => lines[at] = with_word(&lines[at], NUMBERS[below(NUMBERS.len())], below(8)),
                _ => {
                    let mut chars: Vec<char> = lines[at].chars().collect();
                    let noise = ['\0', '"', '@', '%', '{', '}', '(', ';', '.', '9', '\u{e9}', '\u{202e}'];
                    chars.insert(below(chars.len()), noise[below(noise.len())]);
                    lines[at] = chars.into_iter().collect();
                }
            }
        }
        lines.join("\n")
    }
}

/// `line` with its word number `n`, counted round, replaced.
fn with_word(line: &str, word: &str, n: usize) -> String {
    let is_mark = |c: char| " \t,;[]".contains(c);
    let starts: Vec<usize> = line
        .char_indices()
        .filter(|(i, c)| !is_mark(*c) && line[..*i].chars().last().is_none_or(is_mark))
        .map(|(i, _)| i)
        .collect();
    let Some(start) = starts.get(n % starts.len().max(1)) else { return word.to_owned() };
    let end = line[*start..].find(is_mark).map_or(line.len(), |n| start + n);
    format!("{}{word}{}", &line[..*start], &line[end..])
}

/// The kernels of a module, each with all that is outside of kernels.
fn kernels(text: &str) -> Vec<Vec<String>> {
    let (mut outside, mut kernels, mut open) = (Vec::new(), Vec::new(), None::<Vec<String>>);
    for line in text.lines() {
        if line.contains(".entry ") {
            open = Some(Vec::new());
        }
        match &mut open {
            Some(kernel) => {
                kernel.push(line.to_owned());
                if line == "}" {
                    kernels.extend(open.take());
                }
            }
            None => outside.push(line.to_owned()),
        }
    }
    kernels.into_iter().map(|kernel| [outside.clone(), kernel].concat()).collect()
}
