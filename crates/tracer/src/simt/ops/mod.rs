//! Arithmetic operations and their meaning: one table, from which the scalar and the warp-wide evaluators are made.
//!
//! A value is 32 bits, whatever its type; a `bool` is 0 or 1. Integers wrap, as WGSL says. Division by zero gives
//! the dividend and its remainder 0, as WGSL defines them at run time.

use super::numerics::{
    Direction, NAN, dot4, extract, field, field_mask, fma, fma_directed, frexp, ldexp, permute, saturate, sign_extend,
    signed_field, smoothstep,
};
use warpbook_base::half::{f16_to_f32, f32_to_f16};

/// An operand of a warp-wide operation: a scalar register, the same for all lanes, or a vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src(u32);

impl Src {
    const SCALAR: u32 = 1 << 31;

    /// Scalar register `r`.
    pub fn scalar(r: u32) -> Self {
        Self(r | Self::SCALAR)
    }

    /// Vector register `r`.
    pub fn vector(r: u32) -> Self {
        Self(r)
    }

    /// Whether it names a scalar register.
    pub fn is_scalar(self) -> bool {
        self.0 & Self::SCALAR != 0
    }

    /// The register's number in its file.
    pub fn reg(self) -> u32 {
        self.0 & !Self::SCALAR
    }
}

fn f(x: u32) -> f32 {
    f32::from_bits(x)
}

fn b(x: f32) -> u32 {
    x.to_bits()
}

fn s(x: u32) -> i32 {
    x.cast_signed()
}

fn u(x: i32) -> u32 {
    x.cast_unsigned()
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident => $body:expr;)*) => {
        /// Operations on one operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unary { $($(#[$doc])* $name,)* }

        impl Unary {
            /// The result for one lane.
            pub fn scalar(self, a: u32) -> u32 {
                match self { $(Self::$name => call1($body, a),)* }
            }

            /// The result for all lanes.
            pub fn lanes<const W: usize>(self, a: &[u32; W]) -> [u32; W] {
                match self { $(Self::$name => map1(a, $body),)* }
            }
        }
    };
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident => $body:expr;)*) => {
        /// Operations on two operands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Binary { $($(#[$doc])* $name,)* }

        impl Binary {
            /// The result for one lane.
            pub fn scalar(self, a: u32, b: u32) -> u32 {
                match self { $(Self::$name => call2($body, a, b),)* }
            }

            /// The result for all lanes.
            pub fn lanes<const W: usize>(self, files: Files<'_, W>, a: Src, b: Src) -> [u32; W] {
                match self { $(Self::$name => map2(files, a, b, $body),)* }
            }
        }
    };
}

macro_rules! ternary {
    ($($(#[$doc:meta])* $name:ident => $body:expr;)*) => {
        /// Operations on three operands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Ternary { $($(#[$doc])* $name,)* }

        impl Ternary {
            /// The result for one lane.
            pub fn scalar(self, a: u32, b: u32, c: u32) -> u32 {
                match self { $(Self::$name => call3($body, a, b, c),)* }
            }

            /// The result for all lanes.
            pub fn lanes<const W: usize>(self, files: Files<'_, W>, a: Src, b: Src, c: Src) -> [u32; W] {
                match self { $(Self::$name => map3(files, a, b, c, $body),)* }
            }
        }
    };
}

unary! {
    /// The operand itself.
    Move => |a| a;
    /// Float negation.
    FNeg => |a| a ^ 0x8000_0000;
    /// Integer negation.
    INeg => |a| a.wrapping_neg();
    /// Logical not.
    Not => |a| a ^ 1;
    /// Bitwise complement.
    BitNot => |a| !a;
    /// Float absolute value.
    FAbs => |a| a & 0x7FFF_FFFF;
    /// Signed absolute value; the least integer stays itself.
    IAbs => |a| u(s(a).wrapping_abs());
    /// Float sign: -1, 0 or 1.
    FSign => |a| b(f32::from(i8::from(f(a) > 0.0) - i8::from(f(a) < 0.0)));
    /// Integer sign.
    ISign => |a| u(s(a).signum());
    /// Least integer not below.
    Ceil => |a| b(f(a).ceil());
    /// Greatest integer not above.
    Floor => |a| b(f(a).floor());
    /// Nearest integer, ties to even.
    Round => |a| b(f(a).round_ties_even());
    /// Integer part.
    Trunc => |a| b(f(a).trunc());
    /// `x - floor(x)`.
    Fract => |a| b(f(a) - f(a).floor());
    /// Square root.
    Sqrt => |a| b(f(a).sqrt());
    /// One over the square root.
    InverseSqrt => |a| b(1.0 / f(a).sqrt());
    /// e^x.
    Exp => |a| b(f(a).exp());
    /// 2^x.
    Exp2 => |a| b(f(a).exp2());
    /// Natural logarithm.
    Log => |a| b(f(a).ln());
    /// Logarithm to base 2.
    Log2 => |a| b(f(a).log2());
    /// Sine.
    Sin => |a| b(f(a).sin());
    /// Cosine.
    Cos => |a| b(f(a).cos());
    /// Tangent.
    Tan => |a| b(f(a).tan());
    /// Arc sine.
    Asin => |a| b(f(a).asin());
    /// Arc cosine.
    Acos => |a| b(f(a).acos());
    /// Arc tangent.
    Atan => |a| b(f(a).atan());
    /// Hyperbolic sine.
    Sinh => |a| b(f(a).sinh());
    /// Hyperbolic cosine.
    Cosh => |a| b(f(a).cosh());
    /// Hyperbolic tangent.
    Tanh => |a| b(f(a).tanh());
    /// Inverse hyperbolic sine.
    Asinh => |a| b(f(a).asinh());
    /// Inverse hyperbolic cosine.
    Acosh => |a| b(f(a).acosh());
    /// Inverse hyperbolic tangent. In f32 it would be off by more than WGSL allows.
    Atanh => |a| b(f64::from(f(a)).atanh() as f32);
    /// Clamped to [0, 1].
    Saturate => |a| b(saturate(f(a)));
    /// Rounded to half precision and back.
    QuantizeToF16 => |a| b(f16_to_f32(f32_to_f16(f(a))));
    /// Rounded to half precision: the end of an `f16` operation.
    RoundToHalf => |a| b(f16_to_f32(f32_to_f16(f(a))));
    /// To half precision, in the low 16 bits.
    ToHalf => |a| u32::from(f32_to_f16(f(a)));
    /// From half precision, in the low 16 bits.
    FromHalf => |a| b(f16_to_f32((a & 0xFFFF) as u16));
    /// Set bits.
    CountOneBits => |a| a.count_ones();
    /// Zero bits above the highest set one.
    CountLeadingZeros => |a| a.leading_zeros();
    /// Zero bits below the lowest set one.
    CountTrailingZeros => |a| a.trailing_zeros();
    /// Bits in opposite order.
    ReverseBits => |a| a.reverse_bits();
    /// Position of the lowest set bit; all ones where there is none.
    FirstTrailingBit => |a| if a == 0 { u32::MAX } else { a.trailing_zeros() };
    /// Position of the highest set bit; all ones where there is none.
    UFirstLeadingBit => |a| 31_u32.wrapping_sub(a.leading_zeros());
    /// Position of the highest bit that differs from the sign; all ones where there is none.
    IFirstLeadingBit => |a| 31_u32.wrapping_sub((a ^ u(s(a) >> 31)).leading_zeros());
    /// Float to signed; too large becomes the largest integer that is also an f32.
    FToI => |a| u((f(a) as i32).min(2_147_483_520));
    /// Float to unsigned; too large becomes the largest integer that is also an f32.
    FToU => |a| (f(a) as u32).min(4_294_967_040);
    /// Float to signed, at the ends of its range for what does not fit, as PTX has it.
    FToIClamped => |a| u(f(a) as i32);
    /// Float to unsigned, at the ends of its range for what does not fit, as PTX has it.
    FToUClamped => |a| f(a) as u32;
    /// To a bfloat16, in the low 16 bits.
    ToBf16 => |a| half::bf16::from_f32(f(a)).to_bits().into();
    /// Signed to float.
    IToF => |a| b(s(a) as f32);
    /// Unsigned to float.
    UToF => |a| b(a as f32);
    /// Integer to bool.
    IToB => |a| u32::from(a != 0);
    /// Float to bool.
    FToB => |a| u32::from(f(a) != 0.0);
    /// Not a number.
    IsNan => |a| u32::from(f(a).is_nan());
    /// Infinite.
    IsInf => |a| u32::from(f(a).is_infinite());
    /// The fraction in [0.5, 1) of `frexp`.
    FrexpFract => |a| b(frexp(f(a)).0);
    /// The exponent of `frexp`.
    FrexpExp => |a| u(frexp(f(a)).1);
}

binary! {
    /// Float addition.
    FAdd => |x, y| b(f(x) + f(y));
    /// Float subtraction.
    FSub => |x, y| b(f(x) - f(y));
    /// Float multiplication.
    FMul => |x, y| b(f(x) * f(y));
    /// Float division.
    FDiv => |x, y| b(f(x) / f(y));
    /// Float remainder, with the dividend's sign.
    FRem => |x, y| b(f(x) % f(y));
    /// Integer addition.
    IAdd => |x, y| x.wrapping_add(y);
    /// Integer subtraction.
    ISub => |x, y| x.wrapping_sub(y);
    /// Integer multiplication.
    IMul => |x, y| x.wrapping_mul(y);
    /// Signed division.
    IDiv => |x, y| if y == 0 { x } else { u(s(x).wrapping_div(s(y))) };
    /// Unsigned division.
    UDiv => |x, y| x.checked_div(y).unwrap_or(x);
    /// Signed remainder.
    IRem => |x, y| if y == 0 { 0 } else { u(s(x).wrapping_rem(s(y))) };
    /// Unsigned remainder.
    URem => |x, y| x.checked_rem(y).unwrap_or(0);
    /// Bitwise and, also the logical one.
    And => |x, y| x & y;
    /// Bitwise or, also the logical one.
    Or => |x, y| x | y;
    /// Bitwise exclusive or.
    Xor => |x, y| x ^ y;
    /// Left shift, by the low five bits.
    Shl => |x, y| x << (y & 31);
    /// Arithmetic right shift.
    IShr => |x, y| u(s(x) >> (y & 31));
    /// Logical right shift.
    UShr => |x, y| x >> (y & 31);
    /// Float equality.
    FEq => |x, y| u32::from(f(x) == f(y));
    /// Float inequality.
    FNe => |x, y| u32::from(f(x) != f(y));
    /// Float less-than.
    FLt => |x, y| u32::from(f(x) < f(y));
    /// Float less-or-equal.
    FLe => |x, y| u32::from(f(x) <= f(y));
    /// Equality of bits.
    IEq => |x, y| u32::from(x == y);
    /// Inequality of bits.
    INe => |x, y| u32::from(x != y);
    /// Signed less-than.
    ILt => |x, y| u32::from(s(x) < s(y));
    /// Signed less-or-equal.
    ILe => |x, y| u32::from(s(x) <= s(y));
    /// Unsigned less-than.
    ULt => |x, y| u32::from(x < y);
    /// Unsigned less-or-equal.
    ULe => |x, y| u32::from(x <= y);
    /// Float minimum; of a number and a NaN, the number.
    FMin => |x, y| b(f(x).min(f(y)));
    /// Float maximum; of a number and a NaN, the number.
    FMax => |x, y| b(f(x).max(f(y)));
    /// Float minimum; a NaN where one operand is one.
    FMinNan => |x, y| if f(x).is_nan() || f(y).is_nan() { NAN } else { b(f(x).min(f(y))) };
    /// Float maximum; a NaN where one operand is one.
    FMaxNan => |x, y| if f(x).is_nan() || f(y).is_nan() { NAN } else { b(f(x).max(f(y))) };
    /// The high word of a signed product.
    IMulHigh => |x, y| ((i64::from(s(x)) * i64::from(s(y))) >> 32) as u32;
    /// The high word of an unsigned product.
    UMulHigh => |x, y| ((u64::from(x) * u64::from(y)) >> 32) as u32;
    /// Signed minimum.
    IMin => |x, y| u(s(x).min(s(y)));
    /// Signed maximum.
    IMax => |x, y| u(s(x).max(s(y)));
    /// Unsigned minimum.
    UMin => |x, y| x.min(y);
    /// Unsigned maximum.
    UMax => |x, y| x.max(y);
    /// x^y.
    Pow => |x, y| b(f(x).powf(f(y)));
    /// The angle of the point (y, x).
    Atan2 => |y, x| b(f(y).atan2(f(x)));
    /// 1 where x is at least the edge, else 0.
    Step => |edge, x| b(f32::from(u8::from(f(edge) <= f(x))));
    /// x·2^y.
    Ldexp => |x, y| b(ldexp(f(x), s(y)));
    /// The products of four signed bytes each, added up: DP4A.
    IDot4 => |x, y| dot4(x, y, |byte| i32::from(byte.cast_signed()));
    /// The products of four unsigned bytes each, added up.
    UDot4 => |x, y| dot4(x, y, i32::from);
}

ternary! {
    /// The second operand where the first is true, else the third.
    Select => |c, x, y| if c != 0 { x } else { y };
    /// x·y + z, rounded once.
    Fma => |x, y, z| b(fma(f(x), f(y), f(z)));
    /// x·y + z, rounded after each step.
    FMulAdd => |x, y, z| b(f(x) * f(y) + f(z));
    /// x·y + z, rounded once, towards minus infinity.
    FmaDown => |x, y, z| b(fma_directed(f(x), f(y), f(z), Direction::Down));
    /// x·y + z, rounded once, towards plus infinity.
    FmaUp => |x, y, z| b(fma_directed(f(x), f(y), f(z), Direction::Up));
    /// x·y + z, rounded once, towards zero.
    FmaToZero => |x, y, z| b(fma_directed(f(x), f(y), f(z), Direction::Zero));
    /// Integer x·y + z.
    IMulAdd => |x, y, z| x.wrapping_mul(y).wrapping_add(z);
    /// `count` bits from `offset`, zero-extended.
    UExtract => extract;
    /// `count` bits from `offset`, sign-extended.
    IExtract => |e, offset, count| sign_extend(extract(e, offset, count), offset, count);
    /// `count` bits from `offset` by their low bytes, zero-extended, as PTX has it: bits that are not there are 0.
    UField => field;
    /// The same, sign-extended: bits that are not there are the sign.
    IField => signed_field;
    /// Four bytes out of eight, each chosen by four bits of a selector: PTX's `prmt`.
    Permute => permute;
    /// The high word of two words, the first low, moved left.
    FunnelLeft => |low, high, by| (((u64::from(high) << 32 | u64::from(low)) << (by & 31)) >> 32) as u32;
    /// The low word of two words, the first low, moved right.
    FunnelRight => |low, high, by| ((u64::from(high) << 32 | u64::from(low)) >> (by & 31)) as u32;
    /// Only `count` bits from `offset`, in their place.
    BitMask => |e, offset, count| e & field_mask(offset, count);
    /// Hermite interpolation between two edges.
    SmoothStep => |low, high, x| b(smoothstep(f(low), f(high), f(x)));
}

impl Unary {
    /// Whether it rounds its result to the type's precision.
    pub fn rounds(self) -> bool {
        use Unary as U;
        let powers = matches!(self, U::Fract | U::Sqrt | U::InverseSqrt | U::Exp | U::Exp2 | U::Log | U::Log2);
        let circular = matches!(self, U::Sin | U::Cos | U::Tan | U::Asin | U::Acos | U::Atan);
        powers || circular || matches!(self, U::Sinh | U::Cosh | U::Tanh | U::Asinh | U::Acosh | U::Atanh)
    }
}

impl Binary {
    /// Whether it rounds its result to the type's precision.
    pub fn rounds(self) -> bool {
        use Binary as B;
        matches!(self, B::FAdd | B::FSub | B::FMul | B::FDiv | B::Pow | B::Atan2 | B::Ldexp)
    }
}

impl Ternary {
    /// Whether it rounds its result to the type's precision.
    pub fn rounds(self) -> bool {
        matches!(self, Self::Fma | Self::FMulAdd | Self::SmoothStep)
    }
}

/// The register files that operands are read from.
#[derive(Clone, Copy)]
pub struct Files<'a, const W: usize> {
    /// Scalar registers.
    pub scalars: &'a [u32],
    /// Vector registers.
    pub vectors: &'a [[u32; W]],
}

impl<const W: usize> Files<'_, W> {
    /// A scalar operand's value.
    pub fn one(&self, src: Src) -> u32 {
        self.scalars[src.reg() as usize]
    }

    /// A vector operand's lanes.
    pub fn all(&self, src: Src) -> &[u32; W] {
        &self.vectors[src.reg() as usize]
    }
}

// These give the table's closures their types.
fn call1(body: impl Fn(u32) -> u32, a: u32) -> u32 {
    body(a)
}

fn call2(body: impl Fn(u32, u32) -> u32, a: u32, b: u32) -> u32 {
    body(a, b)
}

fn call3(body: impl Fn(u32, u32, u32) -> u32, a: u32, b: u32, c: u32) -> u32 {
    body(a, b, c)
}

#[inline(always)]
fn map1<const W: usize>(a: &[u32; W], body: impl Fn(u32) -> u32) -> [u32; W] {
    let mut out = [0; W];
    for (out, a) in out.iter_mut().zip(a) {
        *out = body(*a);
    }
    out
}

#[inline(always)]
fn map2<const W: usize>(files: Files<'_, W>, a: Src, b: Src, body: impl Fn(u32, u32) -> u32) -> [u32; W] {
    let mut out = [0; W];
    match (a.is_scalar(), b.is_scalar()) {
        (false, false) => {
            let (a, b) = (files.all(a), files.all(b));
            for l in 0..W {
                out[l] = body(a[l], b[l]);
            }
        }
        (true, false) => {
            let (a, b) = (files.one(a), files.all(b));
            for l in 0..W {
                out[l] = body(a, b[l]);
            }
        }
        (false, true) => {
            let (a, b) = (files.all(a), files.one(b));
            for l in 0..W {
                out[l] = body(a[l], b);
            }
        }
        (true, true) => out = [body(files.one(a), files.one(b)); W],
    }
    out
}

#[inline(always)]
fn map3<const W: usize>(files: Files<'_, W>, a: Src, b: Src, c: Src, body: impl Fn(u32, u32, u32) -> u32) -> [u32; W] {
    let splat = |x: Src| [files.one(x); W];
    let mut out = [0; W];
    match (a.is_scalar(), b.is_scalar(), c.is_scalar()) {
        (false, false, false) => {
            let (a, b, c) = (files.all(a), files.all(b), files.all(c));
            for l in 0..W {
                out[l] = body(a[l], b[l], c[l]);
            }
        }
        (true, false, false) => {
            let (a, b, c) = (files.one(a), files.all(b), files.all(c));
            for l in 0..W {
                out[l] = body(a, b[l], c[l]);
            }
        }
        (false, true, false) => {
            let (a, b, c) = (files.all(a), files.one(b), files.all(c));
            for l in 0..W {
                out[l] = body(a[l], b, c[l]);
            }
        }
        // The rest are rare enough to spread their scalars first.
        (sa, sb, sc) => {
            let a = if sa { splat(a) } else { *files.all(a) };
            let b = if sb { splat(b) } else { *files.all(b) };
            let c = if sc { splat(c) } else { *files.all(c) };
            for l in 0..W {
                out[l] = body(a[l], b[l], c[l]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
