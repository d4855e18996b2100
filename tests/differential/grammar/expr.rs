//! Random expressions of a wanted type.

use super::types::{Scalar, Step, Ty};
use super::{Expr, Place, Writer};

pub(super) const AXES: [&str; 4] = ["x", "y", "z", "w"];

fn computed(text: String) -> Expr {
    Expr { text, constant: false }
}

impl Writer<'_> {
    /// An expression of type `ty`; floats are tame.
    pub(super) fn expr(&mut self, ty: &Ty, depth: u32) -> String {
        self.typed(ty, depth).text
    }

    /// The same, computed when the kernel runs.
    pub(super) fn live(&mut self, ty: &Ty, depth: u32) -> String {
        for _ in 0..4 {
            let expr = self.typed(ty, depth);
            if !expr.constant {
                return expr.text;
            }
        }
        match *ty {
            Ty::Vec(n, s) => {
                let from = if self.draw(2) == 0 { "input.u[uni.u & 63u]" } else { "input.u[3]" };
                let scalar = match s {
                    Scalar::Bool => format!("({from} > 9u)"),
                    Scalar::F32 => format!("f32({from} & 127u)"),
                    Scalar::F16 => format!("f16({from} & 15u)"),
                    _ => format!("{}({from})", s.name()),
                };
                if n == 1 { scalar } else { format!("vec{n}<{}>({scalar})", s.name()) }
            }
            _ => self.compose(ty, 0).text,
        }
    }

    fn typed(&mut self, ty: &Ty, depth: u32) -> Expr {
        if depth == 0 || self.draw(4) == 0 {
            return self.leaf(ty);
        }
        match *ty {
            Ty::Vec(n, s) => self.vector(n, s, depth - 1),
            Ty::Mat(c, r) => self.matrix(c, r, depth - 1),
            _ => self.leaf(ty),
        }
    }

    pub(super) fn leaf(&mut self, ty: &Ty) -> Expr {
        if self.draw(5) > 0 {
            let found = self.part(ty, false);
            if let Some(part) = found {
                return part;
            }
        }
        self.compose(ty, 0)
    }

    /// A part of some place that has type `ty`.
    pub(super) fn part(&mut self, ty: &Ty, writable: bool) -> Option<Expr> {
        let mut all = Vec::new();
        for place in self.places.iter().filter(|p| p.writable || !writable) {
            let parts = place.ty.parts().into_iter().filter(|(_, part)| part == ty);
            all.extend(parts.map(|(steps, _)| (place.text.clone(), place.constant, steps)));
        }
        if all.is_empty() {
            return None;
        }
        let (mut text, constant, steps) = self.pick(&all);
        for step in steps {
            match step {
                Step::Member(j) => text += &format!(".m{j}"),
                Step::Index(n) if self.draw(2) == 0 => text += &format!("[{}]", self.draw(n)),
                Step::Index(n) => {
                    let index = self.index();
                    text += &format!("[{index} % {n}u]");
                }
            }
        }
        Some(Expr { text, constant })
    }

    /// A short `u32`.
    fn index(&mut self) -> String {
        let ty = Ty::scalar(Scalar::U32);
        let whole: Vec<String> =
            self.places.iter().filter(|p| p.ty == ty && !p.constant).map(|p| p.text.clone()).collect();
        let first = self.pick(&whole);
        match self.draw(3) {
            0 => format!("({first} + {}u)", self.draw(9)),
            1 => format!("({first} ^ {})", self.pick(&whole)),
            _ => first,
        }
    }

    /// A value made of its parts.
    pub(super) fn compose(&mut self, ty: &Ty, depth: u32) -> Expr {
        match ty {
            Ty::Vec(1, s) => self.literal(*s),
            Ty::Vec(n, s) => {
                let scalar = Ty::scalar(*s);
                let parts: Vec<Expr> = match self.draw(4) {
                    0 => vec![self.typed(&scalar, depth)],
                    1 if *n > 2 => {
                        let first = self.typed(&Ty::Vec(*n - 1, *s), depth);
                        vec![first, self.typed(&scalar, depth)]
                    }
                    2 if *n == 4 => (0..2).map(|_| self.typed(&Ty::Vec(2, *s), depth)).collect(),
                    _ => (0..*n).map(|_| self.typed(&scalar, depth)).collect(),
                };
                constructed(ty, &parts)
            }
            Ty::Mat(c, r) => {
                let parts: Vec<Expr> = (0..*c).map(|_| self.typed(&Ty::Vec(*r, Scalar::F32), depth)).collect();
                constructed(ty, &parts)
            }
            Ty::Array(e, n) => {
                let parts: Vec<Expr> = (0..*n).map(|_| self.typed(e, depth)).collect();
                constructed(ty, &parts)
            }
            Ty::Struct(_, members) => {
                let parts: Vec<Expr> = members.iter().map(|m| self.typed(m, depth)).collect();
                constructed(ty, &parts)
            }
        }
    }

    pub(super) fn literal(&mut self, scalar: Scalar) -> Expr {
        let text = match scalar {
            Scalar::Bool => ["true", "false"][self.draw(2) as usize].to_owned(),
            Scalar::U32 => match self.draw(5) {
                0 => "4294967295u".to_owned(),
                1 => format!("{}u", self.draw(u32::MAX)),
                2 => format!("{}u", 1_u32 << self.draw(32)),
                _ => format!("{}u", self.draw(12)),
            },
            Scalar::I32 => match self.draw(5) {
                0 => "i32(-2147483648)".to_owned(),
                1 => format!("i32({})", self.draw(u32::MAX).cast_signed()),
                _ => format!("i32({})", self.draw(20).cast_signed() - 10),
            },
            Scalar::F32 => format!("{:?}f", f64::from(self.draw(512).cast_signed() - 256) / 8.0),
            Scalar::F16 => format!("{:?}h", f64::from(self.draw(32).cast_signed() - 16)),
        };
        // A sign in front of a literal would make `--` after another.
        let text = if text.starts_with('-') { format!("({text})") } else { text };
        Expr { text, constant: true }
    }

    fn vector(&mut self, n: u32, s: Scalar, depth: u32) -> Expr {
        let ty = Ty::Vec(n, s);
        if self.features.subgroups && self.draw(8) == 0 {
            let operation = self.collective(n, s, depth);
            if let Some(text) = operation {
                return computed(text);
            }
        }
        match self.draw(12) {
            0 => self.compose(&ty, depth),
            1 => {
                let from = 2 + self.draw(3);
                let axes: String = (0..n).map(|_| AXES[self.draw(from) as usize]).collect();
                computed(format!("{}.{axes}", self.live(&Ty::Vec(from, s), depth)))
            }
            2 => {
                let (x, y) = (self.live(&ty, depth), self.live(&ty, depth));
                let wide = if self.draw(2) == 0 { 1 } else { n };
                computed(format!("select({x}, {y}, {})", self.live(&Ty::Vec(wide, Scalar::Bool), depth)))
            }
            3 => match self.call(&ty, depth) {
                Some(call) => computed(call),
                None => self.leaf(&ty),
            },
            _ => computed(match s {
                Scalar::Bool => self.boolean(n, depth),
                Scalar::F32 => self.float(n, depth),
                Scalar::F16 => self.half(n, depth),
                _ => self.integer(n, s, depth),
            }),
        }
    }

    /// A call of a function that gives `ty`, if there is one.
    pub(super) fn call(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        let fitting: Vec<_> = self.helpers.iter().filter(|h| h.result == *ty).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let helper = self.pick(&fitting);
        let mut args: Vec<String> = helper.params.iter().map(|p| self.expr(p, depth)).collect();
        if let Some((space, pointee)) = &helper.pointee {
            let fits = |p: &&Place| p.space == Some(*space) && p.ty == *pointee;
            let locals: Vec<String> = self.places.iter().filter(fits).map(|p| format!("&{}", p.text)).collect();
            if locals.is_empty() {
                return None;
            }
            args.push(self.pick(&locals));
        }
        Some(format!("{}({})", helper.name, args.join(", ")))
    }

    fn boolean(&mut self, n: u32, depth: u32) -> String {
        let ty = Ty::Vec(n, Scalar::Bool);
        match self.draw(9) {
            0 => format!("(!{})", self.live(&ty, depth)),
            1 if n == 1 => {
                let op = self.pick(&["&&", "||"]);
                format!("({} {op} {})", self.live(&ty, depth), self.live(&ty, depth))
            }
            1 | 2 => {
                let op = self.pick(&["&", "|", "==", "!="]);
                format!("({} {op} {})", self.live(&ty, depth), self.live(&ty, depth))
            }
            3 if n == 1 => {
                let (fun, wide) = (self.pick(&["all", "any"]), 2 + self.draw(3));
                format!("{fun}({})", self.live(&Ty::Vec(wide, Scalar::Bool), depth))
            }
            4 => {
                let from = self.numeric();
                format!("{}({})", ty.name(), self.live(&Ty::Vec(n, from), depth))
            }
            _ => {
                let (of, op) = (self.numeric(), self.pick(&["<", "<=", ">", ">=", "==", "!="]));
                let of = Ty::Vec(n, of);
                format!("({} {op} {})", self.live(&of, depth), self.expr(&of, depth))
            }
        }
    }

    fn integer(&mut self, n: u32, s: Scalar, depth: u32) -> String {
        let ty = Ty::Vec(n, s);
        let unsigned = Ty::Vec(n, Scalar::U32);
        let count = Ty::scalar(Scalar::U32);
        let kinds = if n == 1 { 15 } else { 13 };
        match self.draw(kinds) {
            0..=3 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^"]);
                // A scalar may be on one side of a vector.
                let right = if n > 1 && "+-*".contains(op) && self.draw(3) == 0 { Ty::scalar(s) } else { ty.clone() };
                format!("({} {op} {})", self.live(&ty, depth), self.expr(&right, depth))
            }
            4 => {
                let op = self.pick(&["/", "%"]);
                // A divisor that is put together with a literal 0 anywhere in it is refused by naga before it runs.
                let (e, x, y) = (self.live(&ty, depth), self.live(&ty, depth), self.live(&ty, 0));
                format!("({e} {op} ({x} ^ {y}))")
            }
            5 => {
                // Shifts by the width or more are modulo the width in WGSL, but not in the SPIR-V that naga makes of them.
                let (op, mask) =
                    (self.pick(&["<<", ">>"]), if n == 1 { "31u".into() } else { format!("vec{n}<u32>(31u)") });
                format!("({} {op} ({} & {mask}))", self.live(&ty, depth), self.live(&unsigned, depth))
            }
            6 => {
                let op = if s == Scalar::I32 { self.pick(&["~", "-"]) } else { "~" };
                format!("({op}{})", self.live(&ty, depth))
            }
            7 => {
                let fun = self.pick(&["min", "max"]);
                format!("{fun}({}, {})", self.live(&ty, depth), self.expr(&ty, depth))
            }
            8 => {
                let fun = self.pick(&[
                    "countOneBits",
                    "reverseBits",
                    "firstLeadingBit",
                    "firstTrailingBit",
                    "countLeadingZeros",
                    "countTrailingZeros",
                    "abs",
                ]);
                let fun = if s == Scalar::I32 && self.draw(5) == 0 { "sign" } else { fun };
                format!("{fun}({})", self.live(&ty, depth))
            }
            9 => {
                let (e, offset, bits) = (self.live(&ty, depth), self.live(&count, 0), self.live(&count, 0));
                if self.draw(2) == 0 {
                    format!("extractBits({e}, {offset} % 40u, {bits} % 40u)")
                } else {
                    format!("insertBits({e}, {}, {offset} % 40u, {bits} % 40u)", self.live(&ty, depth))
                }
            }
            10 => {
                let (e, low, high) = (self.live(&ty, depth), self.live(&ty, 0), self.live(&ty, 0));
                format!("clamp({e}, {low}, {high})")
            }
            11 => {
                let half = if self.features.half { Scalar::F16 } else { Scalar::F32 };
                let from = self.pick(&[Scalar::Bool, Scalar::I32, Scalar::U32, half]);
                format!("{}({})", ty.name(), self.live(&Ty::Vec(n, from), depth))
            }
            12 => {
                let from = if s == Scalar::I32 { Scalar::U32 } else { Scalar::I32 };
                format!("bitcast<{}>({})", ty.name(), self.live(&Ty::Vec(n, from), depth))
            }
            13 => {
                let of = Ty::Vec(2 + self.draw(3), s);
                format!("dot({}, {})", self.live(&of, depth), self.live(&of, depth))
            }
            _ => {
                let four = |s| Ty::Vec(4, s);
                let text = match self.draw(11) {
                    0 => format!("dot4U8Packed({}, {})", self.live(&count, depth), self.live(&count, depth)),
                    1 => format!("dot4I8Packed({}, {})", self.live(&count, depth), self.live(&count, depth)),
                    2 => format!("pack4xU8({})", self.live(&four(Scalar::U32), depth)),
                    3 => format!("pack4xI8({})", self.live(&four(Scalar::I32), depth)),
                    4 => format!("pack4xU8Clamp({})", self.live(&four(Scalar::U32), depth)),
                    5 => format!("pack4xI8Clamp({})", self.live(&four(Scalar::I32), depth)),
                    // Odd multiples of 1/1024 or 1/128 from -2 to 2: the fields are exact, and never half-way between two integers.
                    n @ 6..=7 => {
                        let fun = ["pack4x8snorm", "pack4x8unorm"][n as usize - 6];
                        let e = self.live(&four(Scalar::F32), depth);
                        format!("{fun}({e} * 0.015625 + 0.0009765625)")
                    }
                    n @ 8..=9 => {
                        let fun = ["pack2x16snorm", "pack2x16unorm"][n as usize - 8];
                        let e = self.live(&Ty::Vec(2, Scalar::F32), depth);
                        format!("{fun}(floor({e}) * 0.015625 + 0.0078125)")
                    }
                    _ => format!("fbits({})", self.live(&Ty::scalar(Scalar::F32), depth)),
                };
                format!("{}({text})", s.name())
            }
        }
    }
}

fn constructed(ty: &Ty, parts: &[Expr]) -> Expr {
    let list: Vec<&str> = parts.iter().map(|p| p.text.as_str()).collect();
    Expr { text: format!("{}({})", ty.name(), list.join(", ")), constant: parts.iter().all(|p| p.constant) }
}
