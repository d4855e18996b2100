//! Operations on 64-bit values, which lie in two registers each: integers as CUDA's addresses are, and doubles.

use super::directed::{self, Eight};
use super::numerics::Direction;

/// The low and the high word of a 64-bit operand or result; a 32-bit one uses the first.
pub type Pair<T> = [T; 2];

/// An operation with its registers: those of its result, and of up to three operands.
#[derive(Clone, Copy, Debug)]
pub struct Wide<D, S> {
    /// The operation.
    pub op: WideOp,
    /// The result's registers; the second has a meaning if the result is wide.
    pub dst: Pair<D>,
    /// The operands' registers; see [`WideOp::words`].
    pub args: [Pair<S>; 3],
}

impl<D: Copy, S: Copy> Wide<D, S> {
    /// The registers that it reads.
    pub fn reads(&self) -> impl Iterator<Item = S> + '_ {
        self.args.iter().zip(self.op.words()).flat_map(|(arg, words)| arg.iter().copied().take(words))
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = D> + '_ {
        self.dst.iter().copied().take(self.op.results())
    }
}

fn s(x: u64) -> i64 {
    x.cast_signed()
}

fn u(x: i64) -> u64 {
    x.cast_unsigned()
}

fn f(x: u64) -> f64 {
    f64::from_bits(x)
}

fn b(x: f64) -> u64 {
    x.to_bits()
}

fn single(x: u64) -> f32 {
    f32::from_bits(low(x))
}

/// The low word.
pub fn low(x: u64) -> u32 {
    (x & 0xFFFF_FFFF) as u32
}

fn signed32(x: u64) -> i64 {
    i64::from(low(x).cast_signed())
}

macro_rules! wide {
    ($($(#[$doc:meta])* $name:ident ($a:literal $b:literal $c:literal -> $r:literal) $body:expr;)*) => {
        /// Operations on values of 64 bits.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum WideOp { $($(#[$doc])* $name,)* }

        impl WideOp {
            /// Words of each operand: 2 of a value of 64 bits, 1 of one of 32, 0 if it takes none.
            pub fn words(self) -> [usize; 3] {
                match self { $(Self::$name => [$a, $b, $c],)* }
            }

            /// Words of the result.
            pub fn results(self) -> usize {
                match self { $(Self::$name => $r,)* }
            }

            /// The result for one lane.
            pub fn scalar(self, a: u64, b: u64, c: u64) -> u64 {
                match self { $(Self::$name => call($body, a, b, c),)* }
            }

            /// The results for all lanes.
            pub fn lanes<const W: usize>(self, a: &[u64; W], b: &[u64; W], c: &[u64; W]) -> [u64; W] {
                match self { $(Self::$name => map($body, a, b, c),)* }
            }
        }
    };
}

wide! {
    /// Integer addition.
    Add (2 2 0 -> 2) |a, b, _| a.wrapping_add(b);
    /// Integer subtraction.
    Sub (2 2 0 -> 2) |a, b, _| a.wrapping_sub(b);
    /// The low 64 bits of a product.
    Mul (2 2 0 -> 2) |a, b, _| a.wrapping_mul(b);
    /// The high 64 bits of an unsigned product.
    UMulHigh (2 2 0 -> 2) |a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as u64;
    /// The high 64 bits of a signed product.
    IMulHigh (2 2 0 -> 2) |a, b, _| ((i128::from(s(a)) * i128::from(s(b))) >> 64) as u64;
    /// The product of two unsigned words.
    UMulWide (1 1 0 -> 2) |a, b, _| u64::from(low(a)) * u64::from(low(b));
    /// The product of two signed words.
    IMulWide (1 1 0 -> 2) |a, b, _| u(signed32(a) * signed32(b));
    /// Signed division; by zero all ones, as PTX leaves open.
    IDiv (2 2 0 -> 2) |a, b, _| if b == 0 { u64::MAX } else { u(s(a).wrapping_div(s(b))) };
    /// Unsigned division; by zero all ones.
    UDiv (2 2 0 -> 2) |a, b, _| a.checked_div(b).unwrap_or(u64::MAX);
    /// Signed remainder; by zero the dividend.
    IRem (2 2 0 -> 2) |a, b, _| if b == 0 { a } else { u(s(a).wrapping_rem(s(b))) };
    /// Unsigned remainder; by zero the dividend.
    URem (2 2 0 -> 2) |a, b, _| a.checked_rem(b).unwrap_or(a);
    /// Integer negation.
    Neg (2 0 0 -> 2) |a, _, _| a.wrapping_neg();
    /// Signed absolute value.
    IAbs (2 0 0 -> 2) |a, _, _| u(s(a).wrapping_abs());
    /// Bitwise and.
    And (2 2 0 -> 2) |a, b, _| a & b;
    /// Bitwise or.
    Or (2 2 0 -> 2) |a, b, _| a | b;
    /// Bitwise exclusive or.
    Xor (2 2 0 -> 2) |a, b, _| a ^ b;
    /// Bitwise complement.
    Not (2 0 0 -> 2) |a, _, _| !a;
    /// Left shift; 0 from 64 bits on.
    Shl (2 1 0 -> 2) |a, b, _| a.checked_shl(low(b)).unwrap_or(0);
    /// Logical right shift; 0 from 64 bits on.
    UShr (2 1 0 -> 2) |a, b, _| a.checked_shr(low(b)).unwrap_or(0);
    /// Arithmetic right shift; the sign from 64 bits on.
    IShr (2 1 0 -> 2) |a, b, _| u(s(a) >> low(b).min(63));
    /// Signed minimum.
    IMin (2 2 0 -> 2) |a, b, _| u(s(a).min(s(b)));
    /// Signed maximum.
    IMax (2 2 0 -> 2) |a, b, _| u(s(a).max(s(b)));
    /// Unsigned minimum.
    UMin (2 2 0 -> 2) |a, b, _| a.min(b);
    /// Unsigned maximum.
    UMax (2 2 0 -> 2) |a, b, _| a.max(b);
    /// Equality of bits.
    IEq (2 2 0 -> 1) |a, b, _| u64::from(a == b);
    /// Signed less-than.
    ILt (2 2 0 -> 1) |a, b, _| u64::from(s(a) < s(b));
    /// Unsigned less-than.
    ULt (2 2 0 -> 1) |a, b, _| u64::from(a < b);
    /// The second operand where the first, a word, is true, else the third.
    Select (1 2 2 -> 2) |c, x, y| if low(c) != 0 { x } else { y };
    /// Set bits.
    CountOneBits (2 0 0 -> 1) |a, _, _| a.count_ones().into();
    /// Zero bits above the highest set one.
    CountLeadingZeros (2 0 0 -> 1) |a, _, _| a.leading_zeros().into();
    /// Bits in opposite order.
    ReverseBits (2 0 0 -> 2) |a, _, _| a.reverse_bits();
    /// A signed word, extended.
    Extend (1 0 0 -> 2) |a, _, _| u(signed32(a));
    /// Double addition.
    FAdd (2 2 0 -> 2) |x, y, _| b(f(x) + f(y));
    /// Double subtraction.
    FSub (2 2 0 -> 2) |x, y, _| b(f(x) - f(y));
    /// Double multiplication.
    FMul (2 2 0 -> 2) |x, y, _| b(f(x) * f(y));
    /// Double division.
    FDiv (2 2 0 -> 2) |x, y, _| b(f(x) / f(y));
    /// x·y + z, rounded once.
    Fma (2 2 2 -> 2) |x, y, z| b(f(x).mul_add(f(y), f(z)));
    /// Double minimum; of a number and a NaN, the number.
    FMin (2 2 0 -> 2) |x, y, _| b(f(x).min(f(y)));
    /// Double maximum; of a number and a NaN, the number.
    FMax (2 2 0 -> 2) |x, y, _| b(f(x).max(f(y)));
    /// Double negation.
    FNeg (2 0 0 -> 2) |x, _, _| x ^ 1 << 63;
    /// Double absolute value.
    FAbs (2 0 0 -> 2) |x, _, _| x & (u64::MAX >> 1);
    /// Square root.
    Sqrt (2 0 0 -> 2) |x, _, _| b(f(x).sqrt());
    /// Nearest integer, ties to even.
    Round (2 0 0 -> 2) |x, _, _| b(f(x).round_ties_even());
    /// Integer part.
    Trunc (2 0 0 -> 2) |x, _, _| b(f(x).trunc());
    /// Greatest integer not above.
    Floor (2 0 0 -> 2) |x, _, _| b(f(x).floor());
    /// Least integer not below.
    Ceil (2 0 0 -> 2) |x, _, _| b(f(x).ceil());
    /// Double equality.
    FEq (2 2 0 -> 1) |x, y, _| u64::from(f(x) == f(y));
    /// Double less-than.
    FLt (2 2 0 -> 1) |x, y, _| u64::from(f(x) < f(y));
    /// Double less-or-equal.
    FLe (2 2 0 -> 1) |x, y, _| u64::from(f(x) <= f(y));
    /// Not a number.
    IsNan (2 0 0 -> 1) |x, _, _| u64::from(f(x).is_nan());
    /// From a single.
    FromSingle (1 0 0 -> 2) |x, _, _| b(f64::from(single(x)));
    /// To a single.
    ToSingle (2 0 0 -> 1) |x, _, _| u64::from((f(x) as f32).to_bits());
    /// To a half, in the low 16 bits, rounded once.
    ToHalf (2 0 0 -> 1) |x, _, _| half::f16::from_f64(f(x)).to_bits().into();
    /// To a bfloat16, in the low 16 bits, rounded once.
    ToBf16 (2 0 0 -> 1) |x, _, _| half::bf16::from_f64(f(x)).to_bits().into();
    /// From a signed word.
    FromI32 (1 0 0 -> 2) |x, _, _| b(f64::from(low(x).cast_signed()));
    /// From an unsigned word.
    FromU32 (1 0 0 -> 2) |x, _, _| b(f64::from(low(x)));
    /// From a signed integer.
    FromI64 (2 0 0 -> 2) |x, _, _| b(s(x) as f64);
    /// From an unsigned integer.
    FromU64 (2 0 0 -> 2) |x, _, _| b(x as f64);
    /// To a signed word, at its ends for what does not fit; of a NaN the top bit.
    ToI32 (2 0 0 -> 1) |x, _, _| if f(x).is_nan() { 1 << 31 } else { u64::from((f(x) as i32).cast_unsigned()) };
    /// To an unsigned word, the same.
    ToU32 (2 0 0 -> 1) |x, _, _| if f(x).is_nan() { 1 << 31 } else { u64::from(f(x) as u32) };
    /// To a signed integer, the same.
    ToI64 (2 0 0 -> 2) |x, _, _| if f(x).is_nan() { 1 << 63 } else { u(f(x) as i64) };
    /// To an unsigned integer, the same.
    ToU64 (2 0 0 -> 2) |x, _, _| if f(x).is_nan() { 1 << 63 } else { f(x) as u64 };
    /// A signed integer to a single.
    I64ToSingle (2 0 0 -> 1) |x, _, _| u64::from((s(x) as f32).to_bits());
    /// An unsigned integer to a single.
    U64ToSingle (2 0 0 -> 1) |x, _, _| u64::from((x as f32).to_bits());
    /// A single to a signed integer, the same.
    SingleToI64 (1 0 0 -> 2) |x, _, _| if single(x).is_nan() { 1 << 63 } else { u(single(x) as i64) };
    /// A single to an unsigned integer, the same.
    SingleToU64 (1 0 0 -> 2) |x, _, _| if single(x).is_nan() { 1 << 63 } else { single(x) as u64 };
    /// To a single, in a direction: that of the second operand, see [`direction`].
    ToSingleBy (2 1 0 -> 1) |x, by, _| u64::from(directed::single(f(x), direction(by)).to_bits());
    /// To a half, in a direction.
    ToHalfBy (2 1 0 -> 1) |x, by, _| directed::to_half(f(x), direction(by)).into();
    /// To a bfloat16, in a direction.
    ToBf16By (2 1 0 -> 1) |x, by, _| directed::to_bfloat(f(x), direction(by)).into();
    /// A signed integer to a single, in a direction.
    I64ToSingleBy (2 1 0 -> 1) |x, by, _| u64::from(directed::whole_to_single(s(x).into(), direction(by)).to_bits());
    /// An unsigned integer to a single, in a direction.
    U64ToSingleBy (2 1 0 -> 1) |x, by, _| u64::from(directed::whole_to_single(x.into(), direction(by)).to_bits());
    /// A signed integer to a double, in a direction.
    FromI64By (2 1 0 -> 2) |x, by, _| b(directed::whole_to_double(s(x).into(), direction(by)));
    /// An unsigned integer to a double, in a direction.
    FromU64By (2 1 0 -> 2) |x, by, _| b(directed::whole_to_double(x.into(), direction(by)));
    /// x·y + z downward.
    FmaDown (2 2 2 -> 2) |x, y, z| b(directed::fma(f(x), f(y), f(z), Direction::Down));
    /// x·y + z upward.
    FmaUp (2 2 2 -> 2) |x, y, z| b(directed::fma(f(x), f(y), f(z), Direction::Up));
    /// x·y + z toward zero.
    FmaZero (2 2 2 -> 2) |x, y, z| b(directed::fma(f(x), f(y), f(z), Direction::Zero));
    /// Double division, in the direction of the third operand.
    FDivBy (2 2 1 -> 2) |x, y, by| b(directed::divide(f(x), f(y), direction(by)));
    /// Square root, in the direction of the second operand.
    SqrtBy (2 1 0 -> 2) |x, by, _| b(directed::root(f(x), direction(by)));
    /// A single with the fraction of a tf32, ties away from zero.
    ToTf32 (1 0 0 -> 1) |x, _, _| directed::to_tf32(low(x)).into();
    /// A single with the fraction of a tf32, ties to even.
    ToTf32Even (1 0 0 -> 1) |x, _, _| directed::to_tf32_even(low(x)).into();
    /// Two singles as two floats of 8 bits in the low half, the first one above.
    ToE4m3 (1 1 0 -> 1) |x, y, _| eights(Eight::E4m3, x, y);
    /// The same as e5m2.
    ToE5m2 (1 1 0 -> 1) |x, y, _| eights(Eight::E5m2, x, y);
    /// A float of 8 bits, in the low byte, as a half.
    FromE4m3 (1 0 0 -> 1) |x, _, _| half::f16::from_f32(Eight::E4m3.value(low(x) as u8)).to_bits().into();
    /// The same of e5m2.
    FromE5m2 (1 0 0 -> 1) |x, _, _| half::f16::from_f32(Eight::E5m2.value(low(x) as u8)).to_bits().into();
    /// A power of two, as the bits of its exponent in the low byte, as a bfloat16.
    FromE8m0 (1 0 0 -> 1) |x, _, _| match low(x) & 0xFF {
        0 => 0x0040,
        0xFF => 0x7FFF,
        exponent => u64::from(exponent) << 7,
    };
    /// The product of two signed halves of a word and the low two signed bytes of another; see [`dot2`].
    IDot2 (1 1 0 -> 1) |a, b, _| dot2(a, b, true, true);
    /// Of unsigned ones.
    UDot2 (1 1 0 -> 1) |a, b, _| dot2(a, b, false, false);
    /// Of signed halves and unsigned bytes.
    IUDot2 (1 1 0 -> 1) |a, b, _| dot2(a, b, true, false);
    /// Of unsigned halves and signed bytes.
    UIDot2 (1 1 0 -> 1) |a, b, _| dot2(a, b, false, true);
    /// The field from bit b, of c bits.
    UField (2 1 1 -> 2) |a, at, len| field(a, low(at), low(len));
    /// The same, extended by its sign.
    IField (2 1 1 -> 2) |a, at, len| signed_field(a, low(at), low(len));
    /// |a - b| + c of unsigned words.
    USad (1 1 1 -> 1) |a, b, c| low(a).abs_diff(low(b)).wrapping_add(low(c)).into();
    /// |a - b| + c of signed words.
    ISad (1 1 1 -> 1) |a, b, c| low(a).cast_signed().abs_diff(low(b).cast_signed()).wrapping_add(low(c)).into();
    /// The product of two words' signed bytes.
    IDot4 (1 1 0 -> 1) |a, b, _| dot4(a, b, true, true);
    /// Of unsigned bytes.
    UDot4 (1 1 0 -> 1) |a, b, _| dot4(a, b, false, false);
    /// Of signed and unsigned bytes.
    IUDot4 (1 1 0 -> 1) |a, b, _| dot4(a, b, true, false);
    /// Of unsigned and signed bytes.
    UIDot4 (1 1 0 -> 1) |a, b, _| dot4(a, b, false, true);
    /// The differences of four unsigned bytes, without signs.
    UAbsDiff4 (1 1 0 -> 1) |a, b, _| bytes(a, b, u8::abs_diff);
    /// Of four signed bytes.
    IAbsDiff4 (1 1 0 -> 1) |a, b, _| bytes(a, b, |a, b| a.cast_signed().abs_diff(b.cast_signed()));
    /// The sum of four bytes.
    BytesSum (1 0 0 -> 1) |a, _, _| low(a).to_le_bytes().into_iter().map(u64::from).sum();
    /// The place of a set bit: the c-th from bit b on upward, or downward if c is negative; all ones if there is none.
    FindNthSet (1 1 1 -> 1) |a, b, c| find_nth_set(low(a), low(b), low(c).cast_signed()).into();
}

/// The direction of a rounding as an operand has it.
fn direction(by: u64) -> Direction {
    match low(by) {
        0 => Direction::Zero,
        1 => Direction::Down,
        _ => Direction::Up,
    }
}

fn eights(format: Eight, x: u64, y: u64) -> u64 {
    u64::from(format.of(single(x))) << 8 | u64::from(format.of(single(y)))
}

/// The sum of two products, of halves of the first word and bytes of the second.
fn dot2(a: u64, b: u64, first: bool, second: bool) -> u64 {
    let half = |n: u32| {
        let bits = (low(a) >> (16 * n) & 0xFFFF) as u16;
        if first { i32::from(bits.cast_signed()) } else { i32::from(bits) }
    };
    let byte = |n: u32| {
        let bits = (low(b) >> (8 * n) & 0xFF) as u8;
        if second { i32::from(bits.cast_signed()) } else { i32::from(bits) }
    };
    let sum = (half(0).wrapping_mul(byte(0))).wrapping_add(half(1).wrapping_mul(byte(1)));
    sum.cast_unsigned().into()
}

fn field(a: u64, at: u32, len: u32) -> u64 {
    let mask = 1_u64.checked_shl(len & 0xFF).map_or(u64::MAX, |end| end - 1);
    a.checked_shr(at & 0xFF).unwrap_or(0) & mask
}

fn signed_field(a: u64, at: u32, len: u32) -> u64 {
    let (at, len) = (at & 0xFF, len & 0xFF);
    if len == 0 {
        return 0;
    }
    let sign = (at + len - 1).min(63);
    let ones = if a >> sign & 1 == 1 { u64::MAX } else { 0 };
    let mask = 1_u64.checked_shl(len).map_or(u64::MAX, |end| end - 1);
    field(a, at, len) & (u64::MAX >> at.min(63)) | ones & !(mask & u64::MAX.checked_shr(at).unwrap_or(0))
}

fn bytes(a: u64, b: u64, op: impl Fn(u8, u8) -> u8) -> u64 {
    let (a, b) = (low(a).to_le_bytes(), low(b).to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|i| op(a[i], b[i]))).into()
}

fn dot4(a: u64, b: u64, first: bool, second: bool) -> u64 {
    let of = |byte: u8, signed: bool| if signed { i32::from(byte.cast_signed()) } else { i32::from(byte) };
    let pairs = low(a).to_le_bytes().into_iter().zip(low(b).to_le_bytes());
    let sum = pairs.fold(0_i32, |sum, (a, b)| sum.wrapping_add(of(a, first) * of(b, second)));
    sum.cast_unsigned().into()
}

fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let base = base & 31;
    let at = |place: &u32| mask >> place & 1 == 1;
    let found = match offset {
        0 => Some(base).filter(at),
        1.. => (base..32).filter(at).nth(offset as usize - 1),
        _ => (0..=base).rev().filter(at).nth(offset.unsigned_abs() as usize - 1),
    };
    found.unwrap_or(u32::MAX)
}

// These give the table's closures their types.
fn call(body: impl Fn(u64, u64, u64) -> u64, a: u64, b: u64, c: u64) -> u64 {
    body(a, b, c)
}

#[inline(always)]
fn map<const W: usize>(body: impl Fn(u64, u64, u64) -> u64, a: &[u64; W], b: &[u64; W], c: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|lane| body(a[lane], b[lane], c[lane]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_and_signs() {
        assert_eq!(WideOp::Add.scalar(0xFFFF_FFFF, 1, 0), 1 << 32);
        assert_eq!(WideOp::IMulWide.scalar(0xFFFF_FFFF, 4, 0), (-4_i64).cast_unsigned());
        assert_eq!(WideOp::UMulWide.scalar(0xFFFF_FFFF, 4, 0), 0x3_FFFF_FFFC);
        assert_eq!(WideOp::IShr.scalar(1 << 63, 200, 0), u64::MAX);
        assert_eq!(WideOp::UShr.scalar(1 << 63, 64, 0), 0);
        assert_eq!(WideOp::ILt.scalar(u64::MAX, 0, 0), 1);
        assert_eq!(WideOp::ToSingle.scalar(1.5_f64.to_bits(), 0, 0), u64::from(1.5_f32.to_bits()));
        assert_eq!(WideOp::IMulHigh.scalar(u64::MAX, 2, 0), u64::MAX);
    }
}
