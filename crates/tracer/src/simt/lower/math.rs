//! Built-in functions, as operations on components.

use naga::Span;
use naga::ir::{MathFunction as M, TypeInner};

use super::super::ir::Reg;
use super::super::ops::{Binary, Ternary, Unary};
use super::Lower;
use super::types::Kind;
use warpbook_base::diag::Diagnostic;

impl Lower<'_> {
    /// `fun` of `args`, the first of which has type `ty` with components of `kind`.
    pub(super) fn math(
        &mut self,
        fun: M,
        kind: Kind,
        ty: &TypeInner,
        args: &[Vec<Reg>],
        span: Span,
    ) -> Result<Vec<Reg>, Diagnostic> {
        if let Some(op) = unary(fun, kind) {
            return Ok(args[0].iter().map(|a| self.b.un(op, *a)).collect());
        }
        if let Some(op) = binary(fun, kind) {
            return Ok(args[0].iter().zip(&args[1]).map(|(a, b)| self.b.bin(op, *a, *b)).collect());
        }
        if let Some(op) = ternary(fun, kind) {
            let rest = args[1].iter().zip(&args[2]);
            return Ok(args[0].iter().zip(rest).map(|(a, (b, c))| self.b.tri(op, *a, *b, *c)).collect());
        }
        Ok(match fun {
            M::Clamp => {
                let low = self.math(M::Max, kind, ty, &args[..2], span)?;
                self.math(M::Min, kind, ty, &[low, args[2].clone()], span)?
            }
            M::Radians => self.scaled(&args[0], std::f32::consts::PI / 180.0),
            M::Degrees => self.scaled(&args[0], 180.0 / std::f32::consts::PI),
            M::Abs | M::Sign => args[0].clone(),
            M::Mix => self.mix(&args[0], &args[1], &args[2]),
            M::Modf => {
                let whole: Vec<Reg> = args[0].iter().map(|a| self.b.un(Unary::Trunc, *a)).collect();
                let mut out: Vec<Reg> =
                    args[0].iter().zip(&whole).map(|(a, w)| self.b.bin(Binary::FSub, *a, *w)).collect();
                out.extend(whole);
                out
            }
            M::Frexp => {
                let mut out: Vec<Reg> = args[0].iter().map(|a| self.b.un(Unary::FrexpFract, *a)).collect();
                out.extend(args[0].iter().map(|a| self.b.un(Unary::FrexpExp, *a)).collect::<Vec<_>>());
                out
            }
            M::Dot => vec![self.dot(kind, &args[0], &args[1])],
            M::Cross => self.cross(&args[0], &args[1]),
            M::Length => vec![self.length(&args[0])],
            M::Distance => {
                let d: Vec<Reg> = args[0].iter().zip(&args[1]).map(|(a, b)| self.b.bin(Binary::FSub, *a, *b)).collect();
                vec![self.length(&d)]
            }
            M::Normalize => {
                let length = self.length(&args[0]);
                args[0].iter().map(|a| self.b.bin(Binary::FDiv, *a, length)).collect()
            }
            M::FaceForward => {
                let d = self.dot(Kind::Float, &args[1], &args[2]);
                let zero = self.b.float(0.0);
                let facing = self.b.bin(Binary::FLt, d, zero);
                args[0]
                    .iter()
                    .map(|a| {
                        let flipped = self.b.un(Unary::FNeg, *a);
                        self.b.tri(Ternary::Select, facing, *a, flipped)
                    })
                    .collect()
            }
            M::Reflect => self.reflect(&args[0], &args[1]),
            M::Refract => self.refract(&args[0], &args[1], args[2][0]),
            M::Outer => {
                let mut out = Vec::new();
                for b in &args[1] {
                    out.extend(args[0].iter().map(|a| self.b.bin(Binary::FMul, *a, *b)).collect::<Vec<_>>());
                }
                out
            }
            M::Transpose => match *ty {
                TypeInner::Matrix { columns, rows, .. } => (0..rows as usize)
                    .flat_map(|r| (0..columns as usize).map(move |c| c * rows as usize + r))
                    .map(|i| args[0][i])
                    .collect(),
                _ => return Err(self.unsupported("the transpose of this", span)),
            },
            M::Determinant => {
                let n = if let TypeInner::Matrix { columns, .. } = *ty { columns as usize } else { 0 };
                let all: Vec<usize> = (0..n).collect();
                vec![self.determinant(&args[0], n, &all, 0)]
            }
            M::ExtractBits => {
                let op = if kind == Kind::Int { Ternary::IExtract } else { Ternary::UExtract };
                args[0].iter().map(|a| self.b.tri(op, *a, args[1][0], args[2][0])).collect()
            }
            M::InsertBits => {
                let (offset, ones) = (args[2][0], self.b.constant(u32::MAX));
                let mask = self.b.tri(Ternary::BitMask, ones, offset, args[3][0]);
                let keep = self.b.un(Unary::BitNot, mask);
                args[0]
                    .iter()
                    .zip(&args[1])
                    .map(|(e, new)| {
                        let new = self.b.bin(Binary::Shl, *new, offset);
                        let (new, old) = (self.b.bin(Binary::And, new, mask), self.b.bin(Binary::And, *e, keep));
                        self.b.bin(Binary::Or, old, new)
                    })
                    .collect()
            }
            M::Pack4x8snorm => vec![self.pack_norm(&args[0], 8, -1.0, 127.0)],
            M::Pack4x8unorm => vec![self.pack_norm(&args[0], 8, 0.0, 255.0)],
            M::Pack2x16snorm => vec![self.pack_norm(&args[0], 16, -1.0, 32767.0)],
            M::Pack2x16unorm => vec![self.pack_norm(&args[0], 16, 0.0, 65535.0)],
            M::Pack2x16float => {
                let halves: Vec<Reg> = args[0].iter().map(|a| self.b.un(Unary::ToHalf, *a)).collect();
                vec![self.pack(&halves, 16)]
            }
            M::Pack4xI8 | M::Pack4xU8 => vec![self.pack(&args[0], 8)],
            M::Pack4xI8Clamp => vec![self.pack_clamped(&args[0], Binary::IMax, Binary::IMin, -128, 127)],
            M::Pack4xU8Clamp => vec![self.pack_clamped(&args[0], Binary::UMax, Binary::UMin, 0, 255)],
            M::Unpack4x8snorm => self.unpack_norm(args[0][0], 8, true, 127.0),
            M::Unpack4x8unorm => self.unpack_norm(args[0][0], 8, false, 255.0),
            M::Unpack2x16snorm => self.unpack_norm(args[0][0], 16, true, 32767.0),
            M::Unpack2x16unorm => self.unpack_norm(args[0][0], 16, false, 65535.0),
            M::Unpack2x16float => {
                let halves = self.fields(Ternary::UExtract, args[0][0], 16);
                halves.into_iter().map(|h| self.b.un(Unary::FromHalf, h)).collect()
            }
            M::Unpack4xI8 => self.fields(Ternary::IExtract, args[0][0], 8),
            M::Unpack4xU8 => self.fields(Ternary::UExtract, args[0][0], 8),
            other => return Err(self.unsupported(&format!("the built-in function {other:?}"), span)),
        })
    }

    fn scaled(&mut self, x: &[Reg], by: f32) -> Vec<Reg> {
        let by = self.b.float(by);
        x.iter().map(|x| self.b.bin(Binary::FMul, *x, by)).collect()
    }

    /// `x·(1-t) + y·t`, with one `t` for all components or one for each.
    fn mix(&mut self, x: &[Reg], y: &[Reg], t: &[Reg]) -> Vec<Reg> {
        let one = self.b.float(1.0);
        let rest: Vec<Reg> = t.iter().map(|t| self.b.bin(Binary::FSub, one, *t)).collect();
        let each = |v: &[Reg], i: usize| v[if v.len() == 1 { 0 } else { i }];
        (0..x.len())
            .map(|i| {
                let a = self.b.bin(Binary::FMul, x[i], each(&rest, i));
                let b = self.b.bin(Binary::FMul, y[i], each(t, i));
                self.b.bin(Binary::FAdd, a, b)
            })
            .collect()
    }

    fn length(&mut self, x: &[Reg]) -> Reg {
        if let [x] = *x {
            return self.b.un(Unary::FAbs, x);
        }
        let square = self.dot(Kind::Float, x, x);
        self.b.un(Unary::Sqrt, square)
    }

    fn cross(&mut self, x: &[Reg], y: &[Reg]) -> Vec<Reg> {
        [(1, 2), (2, 0), (0, 1)]
            .into_iter()
            .map(|(i, j)| {
                let (a, b) = (self.b.bin(Binary::FMul, x[i], y[j]), self.b.bin(Binary::FMul, x[j], y[i]));
                self.b.bin(Binary::FSub, a, b)
            })
            .collect()
    }

    /// `e - 2·dot(n, e)·n`.
    fn reflect(&mut self, e: &[Reg], n: &[Reg]) -> Vec<Reg> {
        let d = self.dot(Kind::Float, n, e);
        let twice = self.b.bin(Binary::FAdd, d, d);
        e.iter()
            .zip(n)
            .map(|(e, n)| {
                let part = self.b.bin(Binary::FMul, twice, *n);
                self.b.bin(Binary::FSub, *e, part)
            })
            .collect()
    }

    /// As WGSL defines it: `k = 1 - eta²·(1 - dot(n, e)²)`, zero where `k < 0`, else `eta·e - (eta·dot(n, e) + √k)·n`.
    fn refract(&mut self, e: &[Reg], n: &[Reg], eta: Reg) -> Vec<Reg> {
        let (zero, one) = (self.b.float(0.0), self.b.float(1.0));
        let d = self.dot(Kind::Float, n, e);
        let d2 = self.b.bin(Binary::FMul, d, d);
        let sine2 = self.b.bin(Binary::FSub, one, d2);
        let eta2 = self.b.bin(Binary::FMul, eta, eta);
        let bent = self.b.bin(Binary::FMul, eta2, sine2);
        let k = self.b.bin(Binary::FSub, one, bent);
        let total = self.b.bin(Binary::FLt, k, zero);
        let root = self.b.un(Unary::Sqrt, k);
        let along = self.b.bin(Binary::FMul, eta, d);
        let normal = self.b.bin(Binary::FAdd, along, root);
        e.iter()
            .zip(n)
            .map(|(e, n)| {
                let (a, b) = (self.b.bin(Binary::FMul, eta, *e), self.b.bin(Binary::FMul, normal, *n));
                let out = self.b.bin(Binary::FSub, a, b);
                self.b.tri(Ternary::Select, total, zero, out)
            })
            .collect()
    }

    /// Laplace's expansion of the minor of columns `columns` and the rows from `row` on.
    fn determinant(&mut self, m: &[Reg], n: usize, columns: &[usize], row: usize) -> Reg {
        if let [column] = *columns {
            return m[column * n + row];
        }
        let mut sum = None;
        for (i, column) in columns.iter().enumerate() {
            let others: Vec<usize> = columns.iter().copied().filter(|c| c != column).collect();
            let minor = self.determinant(m, n, &others, row + 1);
            let part = self.b.bin(Binary::FMul, m[column * n + row], minor);
            sum = Some(match sum {
                None => part,
                Some(sum) => self.b.bin(if i % 2 == 0 { Binary::FAdd } else { Binary::FSub }, sum, part),
            });
        }
        sum.unwrap_or_else(|| self.b.float(1.0))
    }

    /// The fields of `bits` bits of a word, lowest first.
    fn fields(&mut self, op: Ternary, word: Reg, bits: u32) -> Vec<Reg> {
        let count = self.b.constant(bits);
        (0..32 / bits)
            .map(|i| {
                let offset = self.b.constant(i * bits);
                self.b.tri(op, word, offset, count)
            })
            .collect()
    }

    /// The low `bits` bits of each part, lowest first, as one word.
    fn pack(&mut self, parts: &[Reg], bits: u32) -> Reg {
        let mask = self.b.constant(u32::MAX >> (32 - bits));
        let mut word = self.b.constant(0);
        for (i, part) in (0..).zip(parts) {
            let field = self.b.bin(Binary::And, *part, mask);
            let offset = self.b.constant(i * bits);
            let field = self.b.bin(Binary::Shl, field, offset);
            word = self.b.bin(Binary::Or, word, field);
        }
        word
    }

    fn pack_clamped(&mut self, parts: &[Reg], max: Binary, min: Binary, low: i32, high: i32) -> Reg {
        let (low, high) = (self.b.constant(low.cast_unsigned()), self.b.constant(high.cast_unsigned()));
        let clamped: Vec<Reg> = parts
            .iter()
            .map(|part| {
                let part = self.b.bin(max, *part, low);
                self.b.bin(min, part, high)
            })
            .collect();
        self.pack(&clamped, 8)
    }

    /// `floor(0.5 + scale·clamp(x, low, 1))` in each field.
    fn pack_norm(&mut self, parts: &[Reg], bits: u32, low: f32, scale: f32) -> Reg {
        let (low, one, half, scale) = (self.b.float(low), self.b.float(1.0), self.b.float(0.5), self.b.float(scale));
        let fields: Vec<Reg> = parts
            .iter()
            .map(|x| {
                let x = self.b.bin(Binary::FMax, *x, low);
                let x = self.b.bin(Binary::FMin, x, one);
                let x = self.b.bin(Binary::FMul, x, scale);
                let x = self.b.bin(Binary::FAdd, x, half);
                let x = self.b.un(Unary::Floor, x);
                self.b.un(Unary::FToI, x)
            })
            .collect();
        self.pack(&fields, bits)
    }

    /// `max(field / scale, -1)` of each field.
    fn unpack_norm(&mut self, word: Reg, bits: u32, signed: bool, scale: f32) -> Vec<Reg> {
        let op = if signed { Ternary::IExtract } else { Ternary::UExtract };
        let (scale, low) = (self.b.float(scale), self.b.float(-1.0));
        self.fields(op, word, bits)
            .into_iter()
            .map(|field| {
                let x = self.b.un(Unary::IToF, field);
                let x = self.b.bin(Binary::FDiv, x, scale);
                if signed { self.b.bin(Binary::FMax, x, low) } else { x }
            })
            .collect()
    }
}

fn unary(fun: M, kind: Kind) -> Option<Unary> {
    Some(match (fun, kind) {
        (M::Abs, Kind::Float) => Unary::FAbs,
        (M::Abs, Kind::Int) => Unary::IAbs,
        (M::Sign, Kind::Float) => Unary::FSign,
        (M::Sign, Kind::Int) => Unary::ISign,
        (M::Saturate, _) => Unary::Saturate,
        (M::Cos, _) => Unary::Cos,
        (M::Cosh, _) => Unary::Cosh,
        (M::Sin, _) => Unary::Sin,
        (M::Sinh, _) => Unary::Sinh,
        (M::Tan, _) => Unary::Tan,
        (M::Tanh, _) => Unary::Tanh,
        (M::Acos, _) => Unary::Acos,
        (M::Asin, _) => Unary::Asin,
        (M::Atan, _) => Unary::Atan,
        (M::Asinh, _) => Unary::Asinh,
        (M::Acosh, _) => Unary::Acosh,
        (M::Atanh, _) => Unary::Atanh,
        (M::Ceil, _) => Unary::Ceil,
        (M::Floor, _) => Unary::Floor,
        (M::Round, _) => Unary::Round,
        (M::Fract, _) => Unary::Fract,
        (M::Trunc, _) => Unary::Trunc,
        (M::Exp, _) => Unary::Exp,
        (M::Exp2, _) => Unary::Exp2,
        (M::Log, _) => Unary::Log,
        (M::Log2, _) => Unary::Log2,
        (M::Sqrt, _) => Unary::Sqrt,
        (M::InverseSqrt, _) => Unary::InverseSqrt,
        (M::QuantizeToF16, _) => Unary::QuantizeToF16,
        (M::CountTrailingZeros, _) => Unary::CountTrailingZeros,
        (M::CountLeadingZeros, _) => Unary::CountLeadingZeros,
        (M::CountOneBits, _) => Unary::CountOneBits,
        (M::ReverseBits, _) => Unary::ReverseBits,
        (M::FirstTrailingBit, _) => Unary::FirstTrailingBit,
        (M::FirstLeadingBit, Kind::Int) => Unary::IFirstLeadingBit,
        (M::FirstLeadingBit, _) => Unary::UFirstLeadingBit,
        _ => return None,
    })
}

fn binary(fun: M, kind: Kind) -> Option<Binary> {
    Some(match (fun, kind) {
        (M::Min, Kind::Float) => Binary::FMin,
        (M::Min, Kind::Int) => Binary::IMin,
        (M::Min, _) => Binary::UMin,
        (M::Max, Kind::Float) => Binary::FMax,
        (M::Max, Kind::Int) => Binary::IMax,
        (M::Max, _) => Binary::UMax,
        (M::Atan2, _) => Binary::Atan2,
        (M::Pow, _) => Binary::Pow,
        (M::Step, _) => Binary::Step,
        (M::Ldexp, _) => Binary::Ldexp,
        (M::Dot4I8Packed, _) => Binary::IDot4,
        (M::Dot4U8Packed, _) => Binary::UDot4,
        _ => return None,
    })
}

fn ternary(fun: M, kind: Kind) -> Option<Ternary> {
    Some(match (fun, kind) {
        (M::Fma, _) => Ternary::Fma,
        (M::SmoothStep, _) => Ternary::SmoothStep,
        _ => return None,
    })
}
