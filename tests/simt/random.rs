//! Random programs: 100 lanes in warps give what 100 workgroups of one lane give.
//!
//! In a workgroup of one everything is uniform, so the two runs share almost no way of executing: one has only scalars
//! and jumps, the other vectors and masks. Nor do the two walks back to where an element came from.

use super::provenance::ask;
use super::{Result, compile, every_way, words};
use warpbook::base::rng;
use warpbook::base::tensor::Tensor;

/// Writes random statements.
struct Writer {
    seed: u64,
    drawn: u64,
    text: String,
    loops: u32,
    names: u32,
}

impl Writer {
    fn draw(&mut self, below: u32) -> u32 {
        self.drawn += 1;
        rng::word(self.seed, self.drawn) % below
    }

    fn expression(&mut self, depth: u32) -> String {
        let kinds = if depth == 0 { 5 } else { 12 };
        let kind = self.draw(kinds);
        match kind {
            0 => "i".to_owned(),
            1 => format!("{}u", self.draw(7)),
            2 | 3 => format!("v{}", self.draw(4)),
            4 if self.loops > 0 => format!("k{}", self.draw(self.loops)),
            4 => "seven()".to_owned(),
            5 => format!("a[{} % 4u]", self.expression(depth - 1)),
            6 => format!("early({})", self.expression(depth - 1)),
            7 => format!("select({}, {}, {})", self.expression(0), self.expression(depth - 1), self.condition(0)),
            8 => format!("p.{}", ["x", "y"][self.draw(2) as usize]),
            kind => {
                let op = ["+", "*", "^", "-"][kind as usize - 9 + self.draw(2) as usize];
                format!("({} {op} {})", self.expression(depth - 1), self.expression(depth - 1))
            }
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        let left = self.expression(1);
        let right = self.expression(1);
        let op = ["<", "==", "!=", ">="][self.draw(4) as usize];
        let simple = format!("{left} % 5u {op} {right} % 5u");
        match self.draw(3) {
            0 if depth > 0 => format!("({simple} && {})", self.condition(depth - 1)),
            1 if depth > 0 => format!("({simple} || {})", self.condition(depth - 1)),
            _ => format!("({simple})"),
        }
    }

    fn block(&mut self, depth: u32) {
        self.text.push_str("{\n");
        for _ in 0..=self.draw(3) {
            self.statement(depth);
        }
        self.text.push_str("}\n");
    }

    fn statement(&mut self, depth: u32) {
        let kind = self.draw(if depth == 0 { 6 } else { 12 });
        match kind {
            0..=2 => {
                let (v, e) = (self.draw(4), self.expression(2));
                self.text.push_str(&format!("v{v} = {e};\n"));
            }
            3 => {
                let (at, e) = (self.expression(1), self.expression(1));
                self.text.push_str(&format!("a[{at} % 4u] = {e};\n"));
            }
            4 => {
                let (e, c, v) = (self.expression(1), ["x", "y"][self.draw(2) as usize], self.draw(4));
                let at = self.expression(1);
                // A pointer to an element: naga cannot make SPIR-V of one, so only the tracer runs these.
                self.text.push_str(&format!("p.{c} += {e}; bump(&v{v}); bump(&a[{at} % 4u]);\n"));
            }
            5 => {
                let (n, e) = (self.names, self.expression(2));
                self.names += 1;
                self.text
                    .push_str(&format!("let t{n} = v1; var u{n} = {e}; v1 = u{n}; u{n} += t{n}; v2 = u{n} ^ v2;\n"));
            }
            6 | 7 => {
                let c = self.condition(1);
                self.text.push_str(&format!("if {c} "));
                self.block(depth - 1);
                if self.draw(2) == 0 {
                    self.text.push_str("else ");
                    self.block(depth - 1);
                }
            }
            8 | 9 => {
                let (k, e) = (self.loops, self.expression(1));
                let bound = if self.draw(2) == 0 { "3u".to_owned() } else { format!("{e} % 5u") };
                self.text.push_str(&format!("for (var k{k} = 0u; k{k} < {bound}; k{k}++) "));
                self.loops += 1;
                self.block(depth - 1);
                self.loops -= 1;
            }
            10 => {
                let e = self.expression(1);
                self.text.push_str(&format!("switch ({e} % 4u) {{ case 0u: "));
                self.block(depth - 1);
                self.text.push_str("case 2u, 3u: ");
                self.block(depth - 1);
                self.text.push_str("default: ");
                self.block(depth - 1);
                self.text.push_str("}\n");
            }
            _ => {
                let c = self.condition(1);
                let way = match self.draw(3) {
                    0 if self.loops > 0 => "break",
                    1 if self.loops > 0 => "continue",
                    _ if self.draw(3) == 0 => "return v0 + v3",
                    _ => "v3 += 1u",
                };
                self.text.push_str(&format!("if {c} {{ {way}; }}\n"));
            }
        }
    }
}

/// A program with random statements, which changes variables that begin with words of `src`.
fn program(seed: u64) -> Writer {
    let mut writer = Writer { seed, drawn: 0, text: String::new(), loops: 0, names: 0 };
    for _ in 0..4 {
        writer.statement(3);
    }
    writer
}

impl Writer {
    /// Its WGSL, for workgroups of `size` and lanes that `index` tells apart.
    fn source(&self, size: &str, index: &str) -> String {
        format!(
            "@group(0) @binding(0) var<storage> src: array<u32>;
             @group(0) @binding(1) var<storage, read_write> out: array<u32>;
             var<private> calls: u32;
             fn seven() -> u32 {{ calls++; return 7u; }}
             fn early(x: u32) -> u32 {{ if (x % 3u == 1u) {{ return x + 2u; }} calls += x; return x * 2u; }}
             fn bump(v: ptr<function, u32>) {{ if (*v % 2u == 0u) {{ return; }} *v += 3u; }}
             fn body(i: u32) -> u32 {{
               var v0 = i + src[i]; var v1 = 1u + src[300]; var v2: u32; var v3 = 5u + src[301];
               var p = vec2<u32>(2u + src[302], i * 3u + src[i + 100u]);
               var a = array<u32, 4>(1u + src[303], 2u, 3u + src[i + 200u], 4u);
               {}
               return v0 + v1 * 3u + (v2 ^ v3) + a[1] * 5u + a[3] + p.x * 7u + p.y;
             }}
             @compute @workgroup_size({size})
             fn main(@builtin({index}) at: vec3<u32>) {{ out[at.x] = body(at.x) + calls * 1000u; }}",
            self.text
        )
    }
}

fn buffers() -> [Tensor; 2] {
    [words(&[0; 304]), words(&[0; 100])]
}

#[test]
fn lanes_in_warps_give_what_single_lanes_give() -> Result {
    for seed in 0..60 {
        let writer = program(seed);
        let together = writer.source("100", "local_invocation_id");
        let (warps, outcome) = every_way(&together, &buffers(), [1, 1, 1])?;
        let (single, _) = every_way(&writer.source("1", "workgroup_id"), &buffers(), [100, 1, 1])?;
        assert!(outcome.trace.complete);
        assert_eq!(warps[1].words, single[1].words, "seed {seed}:\n{}", writer.text);
    }
    Ok(())
}

#[test]
fn elements_come_from_the_same_words_either_way() -> Result {
    let mut seen = 0;
    for seed in 0..60 {
        let writer = program(seed);
        let together = compile(&writer.source("100", "local_invocation_id"), "main", &[])?;
        let single = compile(&writer.source("1", "workgroup_id"), "main", &[])?;
        for lane in [0, 1, 37, 99] {
            let sources = |program, grid, width| {
                let origin = ask(program, &buffers(), grid, ("out", lane), width)?;
                let mut sources: Vec<_> =
                    origin.writer.iter().flat_map(|w| &w.loads).map(|l| (l.index, l.role)).collect();
                sources.sort_unstable();
                sources.dedup();
                Ok::<_, String>(sources)
            };
            let alone = sources(&single, [100, 1, 1], 32)?;
            seen += alone.len();
            for width in [8, 64] {
                let among = sources(&together, [1, 1, 1], width)?;
                assert_eq!(among, alone, "seed {seed}, lane {lane}, width {width}:\n{}", writer.text);
            }
        }
    }
    assert!(seen > 500, "only {seen} sources");
    Ok(())
}
