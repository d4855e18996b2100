//! Random expressions of floats and matrices of them.

use super::expr::AXES;
use super::types::{Scalar, Ty};
use super::{Expr, Writer};

impl Writer<'_> {
    /// `n` tame floats.
    pub(super) fn float(&mut self, n: u32, depth: u32) -> String {
        let ty = Ty::Vec(n, Scalar::F32);
        let scalar = Ty::scalar(Scalar::F32);
        let kinds = if n == 1 { 22 } else { 16 };
        let inner = match self.draw(kinds) {
            0 | 1 => {
                let op = self.pick(&["+", "-", "*"]);
                let right = if n > 1 && self.draw(3) == 0 { &scalar } else { &ty };
                format!("{} {op} {}", self.live(&ty, depth), self.expr(right, depth))
            }
            2 => format!("-{}", self.live(&ty, depth)),
            3 => {
                let fun = self.pick(&[
                    "abs",
                    "floor",
                    "ceil",
                    "round",
                    "trunc",
                    "fract",
                    "sign",
                    "saturate",
                    "quantizeToF16",
                ]);
                format!("{fun}({})", self.live(&ty, depth))
            }
            4 => {
                let fun = self.pick(&["min", "max", "step"]);
                format!("{fun}({}, {})", self.live(&ty, depth), self.live(&ty, depth))
            }
            5 => {
                // With its bounds in the wrong order, WGSL leaves a choice of results.
                let (e, bound) = (self.live(&ty, depth), self.live(&ty, 0));
                format!("clamp({e}, {bound}, {bound} + 3.0)")
            }
            6 => {
                let (x, y, z) = (self.live(&ty, depth), self.live(&ty, depth), self.live(&ty, 0));
                format!("fma({x}, {y}, {z})")
            }
            7 => {
                let (x, y) = (self.live(&ty, depth), self.live(&ty, depth));
                format!("mix({x}, {y}, {})", self.live(&scalar, 0))
            }
            8 => {
                let half = if self.features.half { Scalar::F16 } else { Scalar::U32 };
                let from = self.pick(&[Scalar::I32, Scalar::U32, Scalar::Bool, half]);
                let e = self.live(&Ty::Vec(n, from), depth);
                match from {
                    Scalar::Bool | Scalar::F16 => format!("{}({e})", ty.name()),
                    // Mesa moves a tame value's subtraction past the next one, `(x - y) - z` to `x - (y + z)`: so 8 bits stay free.
                    from => format!("{}({e} % {}(65535))", ty.name(), Ty::Vec(n, from).name()),
                }
            }
            9 => {
                let op = self.pick(&["/", "%"]);
                format!("{} {op} {}", self.live(&ty, depth), self.pick(&["2.0", "8.0", "-4.0", "0.5"]))
            }
            10 => {
                let part = self.pick(&["fract", "whole"]);
                format!("modf({}).{part}", self.live(&ty, depth))
            }
            11 => {
                let exponent = Ty::Vec(n, Scalar::I32);
                let mask = if n == 1 { "3".to_owned() } else { format!("vec{n}<i32>(3)") };
                format!("ldexp({}, {} & {mask})", self.live(&ty, depth), self.live(&exponent, 0))
            }
            12 if n > 1 => {
                let across = 2 + self.draw(3);
                let (m, v) = (self.live(&Ty::Mat(across, n), depth), self.live(&Ty::Vec(across, Scalar::F32), depth));
                format!("{m} * {v}")
            }
            13 if n > 1 => {
                let down = 2 + self.draw(3);
                let (v, m) = (self.live(&Ty::Vec(down, Scalar::F32), depth), self.live(&Ty::Mat(n, down), depth));
                format!("{v} * {m}")
            }
            12 | 13 => {
                let of = Ty::Vec(2 + self.draw(3), Scalar::F32);
                format!("dot({}, {})", self.live(&of, depth), self.live(&of, depth))
            }
            14 if n > 1 && self.draw(3) == 0 => {
                let (e, i, normal) = (self.live(&ty, 0), self.live(&ty, depth), self.live(&ty, depth));
                format!("faceForward({e}, {i}, {normal})")
            }
            14 if n == 3 => format!("cross({}, {})", self.live(&ty, depth), self.live(&ty, depth)),
            14 if n > 1 => {
                let small = |e: String| format!("trunc({e} * 0.0625)");
                let (e, normal) = (self.live(&ty, depth), self.live(&ty, depth));
                format!("reflect({}, {})", small(e), small(normal))
            }
            14 | 15 => {
                let part = self.pick(&["fract", "exp"]);
                let e = self.live(&ty, depth);
                if part == "exp" { format!("{}(frexp({e}).exp)", ty.name()) } else { format!("frexp({e}).fract") }
            }
            16 => {
                let side = 2 + self.draw(3);
                format!("determinant(small{side}({}))", self.live(&Ty::Mat(side, side), depth))
            }
            17 => {
                let axis = self.pick(&["x", "y"]);
                format!("unpack2x16float(pack2x16float({})).{axis}", self.live(&Ty::Vec(2, Scalar::F32), depth))
            }
            18 | 19 => {
                // Within 3 ULP of a multiple of 1 / scale.
                let (fun, scale, axes) = self.pick(&[
                    ("unpack4x8snorm", "127.0", 4),
                    ("unpack4x8unorm", "255.0", 4),
                    ("unpack2x16snorm", "32767.0", 2),
                    ("unpack2x16unorm", "65535.0", 2),
                ]);
                let axis = self.pick(&AXES[..axes]);
                format!("round({fun}({}).{axis} * {scale})", self.live(&Ty::scalar(Scalar::U32), depth))
            }
            20 => {
                // Halves from 0 to 16.
                let axis = self.pick(&["x", "y"]);
                format!("unpack2x16float({} & 0x4bff4bffu).{axis}", self.live(&Ty::scalar(Scalar::U32), depth))
            }
            _ => {
                let axis = self.pick(&AXES);
                let fun = self.pick(&["unpack4xI8", "unpack4xU8"]);
                format!("f32({fun}({}).{axis})", self.live(&Ty::scalar(Scalar::U32), depth))
            }
        };
        format!("t{n}({inner})")
    }

    /// Halves: whole numbers in [-16, 16), and steps that stay exact in 11 bits.
    pub(super) fn half(&mut self, n: u32, depth: u32) -> String {
        let ty = Ty::Vec(n, Scalar::F16);
        let inner = match self.draw(8) {
            0 | 1 => {
                let op = self.pick(&["+", "-", "*"]);
                format!("{} {op} {}", self.live(&ty, depth), self.expr(&ty, depth))
            }
            2 => format!("-{}", self.live(&ty, depth)),
            3 => {
                let fun = self.pick(&["abs", "floor", "ceil", "round", "trunc", "fract", "sign", "saturate"]);
                format!("{fun}({} * 0.5h)", self.live(&ty, depth))
            }
            4 => {
                let fun = self.pick(&["min", "max", "step"]);
                format!("{fun}({}, {})", self.live(&ty, depth), self.live(&ty, depth))
            }
            5 => {
                let (x, y, z) = (self.live(&ty, depth), self.live(&ty, depth), self.live(&ty, 0));
                format!("fma({x}, {y}, {z})")
            }
            6 if n > 1 => {
                let (x, y) = (self.live(&ty, depth), self.live(&ty, depth));
                format!("{}(dot({x}, {y}))", ty.name())
            }
            _ => {
                let from = self.pick(&[Scalar::I32, Scalar::U32, Scalar::Bool, Scalar::F32]);
                let wide = Ty::Vec(n, from).name();
                let e = self.live(&Ty::Vec(n, from), depth);
                match from {
                    Scalar::Bool | Scalar::F32 => format!("{}({e})", ty.name()),
                    _ => format!("{}({e} % {wide}(500))", ty.name()),
                }
            }
        };
        format!("q{n}({inner})")
    }

    /// A matrix of tame floats.
    pub(super) fn matrix(&mut self, c: u32, r: u32, depth: u32) -> Expr {
        let ty = Ty::Mat(c, r);
        let text = match self.draw(6) {
            0 => {
                let inner = 2 + self.draw(3);
                format!("{} * {}", self.live(&Ty::Mat(inner, r), depth), self.live(&Ty::Mat(c, inner), depth))
            }
            1 => {
                let op = self.pick(&["+", "-"]);
                format!("{} {op} {}", self.live(&ty, depth), self.live(&ty, depth))
            }
            2 => format!("{} * {}", self.live(&ty, depth), self.live(&Ty::scalar(Scalar::F32), depth)),
            3 => format!("transpose({})", self.live(&Ty::Mat(r, c), depth)),
            4 => match self.call(&ty, depth) {
                Some(call) => return Expr { text: call, constant: false },
                None => return self.leaf(&ty),
            },
            _ => return self.compose(&ty, depth),
        };
        Expr { text: format!("tm{c}{r}({text})"), constant: false }
    }
}
