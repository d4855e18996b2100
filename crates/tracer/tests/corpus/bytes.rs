//! Strings, bytes, bits, and numbers of many words.

use warpbook_base::tensor::{Elem, Tensor};

use crate::common::{Case, ints, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/bytes", entry, grid, block)
}

fn packed(bytes: &[u8]) -> Vec<u32> {
    let word = |four: &[u8]| four.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}

fn unpacked(tensor: &Tensor) -> Vec<u8> {
    tensor.words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn texts() {
    let text = b"the cat sat on the mat, then the dog sat on that.";
    let (length, n) = (text.len() as i32, text.len());
    let case = of("find", 1, 64).buffer(Elem::U32, packed(text)).int(length).buffer(Elem::U32, packed(b"the"));
    let (buffers, _) = case.int(3).ints(&[0]).clean();
    assert_eq!(ints(&buffers[2]), [4]);
    let (buffers, _) = of("upper", 1, 32).buffer(Elem::U32, packed(text)).int(length).clean();
    assert_eq!(unpacked(&buffers[0])[..n], text.to_ascii_uppercase());
    let digits = randoms(20, 10);
    let (buffers, _) = of("spell", 1, 32).ints(&digits).buffer(Elem::U32, vec![0; 40]).int(20).clean();
    let names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let wanted = digits
        .iter()
        .flat_map(|d| format!("{:.<8}", names[*d as usize].chars().rev().collect::<String>()).into_bytes());
    assert_eq!(unpacked(&buffers[1]), wanted.collect::<Vec<_>>());
}

#[test]
fn checksums() {
    let rows = randoms(5 * 36, 256);
    let bytes: Vec<u8> = rows.iter().map(|b| *b as u8).collect();
    let case = of("crc", 1, 32).buffer(Elem::U32, packed(&bytes)).ints(&[0; 5]).int(5).int(36);
    let (buffers, _) = case.clean();
    let wanted = bytes.chunks(36).map(|row| {
        !row.iter().fold(u32::MAX, |c, byte| {
            (0..8).fold(c ^ u32::from(*byte), |c, _| if c & 1 == 1 { c >> 1 ^ 0xEDB8_8320 } else { c >> 1 })
        })
    });
    assert_eq!(buffers[1].words, wanted.collect::<Vec<_>>());
}

fn words(count: usize) -> Vec<u32> {
    let mut state = 0x1234_5678_9ABC_DEF1_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 32) as u32
    };
    std::iter::repeat_with(next).take(count).collect()
}

#[test]
fn sums_with_carries() {
    let mut a = words(128);
    let mut b = words(256)[128..].to_vec();
    // One that carries through all words, and one that borrows.
    a[..4].copy_from_slice(&[u32::MAX; 4]);
    b[..4].copy_from_slice(&[1, 0, 0, 0]);
    a[4..8].copy_from_slice(&[0; 4]);
    let of_words = |w: &[u32]| w.iter().rev().fold(0_u128, |n, w| n << 32 | u128::from(*w));
    let to_words = |n: u128| [n as u32, (n >> 32) as u32, (n >> 64) as u32, (n >> 96) as u32];
    let zeros = vec![0; 128];
    let case = of("add_128", 1, 32).buffer(Elem::U32, a.clone()).buffer(Elem::U32, b.clone());
    let (buffers, _) = case.buffer(Elem::U32, zeros.clone()).buffer(Elem::U32, zeros).clean();
    let pairs: Vec<(u128, u128)> = a.chunks(4).zip(b.chunks(4)).map(|(a, b)| (of_words(a), of_words(b))).collect();
    let wanted =
        |of: fn(u128, u128) -> u128| pairs.iter().flat_map(|(a, b)| to_words(of(*a, *b))).collect::<Vec<u32>>();
    assert_eq!(buffers[2].words, wanted(u128::wrapping_add));
    assert_eq!(buffers[3].words, wanted(u128::wrapping_sub));
    let case = of("multiply_128", 1, 32).buffer(Elem::U32, a[..64].to_vec()).buffer(Elem::U32, b[..64].to_vec());
    let (buffers, _) = case.buffer(Elem::U32, vec![0; 128]).clean();
    let wide = |w: &[u32]| u128::from(w[0]) | u128::from(w[1]) << 32;
    let wanted = a[..64].chunks(2).zip(b[..64].chunks(2)).flat_map(|(a, b)| to_words(wide(a) * wide(b) + wide(a)));
    assert_eq!(buffers[2].words, wanted.collect::<Vec<_>>());
}

#[test]
fn bits() {
    let a = words(32);
    let (buffers, _) = of("bits", 1, 32).buffer(Elem::U32, a.clone()).buffer(Elem::U32, vec![0; 512]).clean();
    for (i, got) in buffers[1].words.chunks(16).enumerate() {
        let (x, y, n) = (a[i], a[(i + 1) % 32], i as u32);
        let (bx, by) = (x.to_le_bytes(), y.to_le_bytes());
        let each = |of: fn(u8, u8) -> u8| u32::from_le_bytes(std::array::from_fn(|i| of(bx[i], by[i])));
        let both = u64::from(y) << 32 | u64::from(x);
        let dot: i32 = bx.iter().zip(by).map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed())).sum();
        let bytes = [bx, by].concat();
        let nth = (n..32).filter(|b| x >> b & 1 == 1).nth(1).unwrap_or(u32::MAX);
        let signed = y.cast_signed();
        let wanted = [
            x.count_ones(),
            x.leading_zeros(),
            x.reverse_bits(),
            x.trailing_zeros() + 1,
            ((both << n) >> 32) as u32,
            (both >> (n + 16).min(32)) as u32,
            u32::from_le_bytes([0, 6, 1, 7].map(|at| bytes[at])),
            (dot + 3).cast_unsigned(),
            x.abs_diff(y) + 5,
            each(u8::abs_diff),
            nth,
            ((u64::from(x) * u64::from(y)) >> 32) as u32,
            each(u8::wrapping_add),
            (x.count_ones() + y.count_ones()) + (x >> 9).leading_zeros(),
            ((u64::from(x) << 32 | u64::from(y)).reverse_bits() >> 20) as u32,
            (x % 7).wrapping_add(x / 1000).wrapping_add((signed / 17 + signed % 13).cast_unsigned()),
        ];
        for (k, (got, wanted)) in got.iter().zip(wanted).enumerate() {
            assert_eq!(*got, wanted, "{k} of lane {i}: {x:#x} {y:#x}");
        }
    }
}

#[test]
fn shorts() {
    let a: Vec<i16> = words(32).iter().map(|w| *w as i16).collect();
    let u: Vec<u16> = words(64)[32..].iter().map(|w| *w as u16).collect();
    let pack = |v: &[u16]| v.chunks(2).map(|p| u32::from(p[0]) | u32::from(p[1]) << 16).collect::<Vec<u32>>();
    let bits: Vec<u16> = a.iter().map(|x| x.cast_unsigned()).collect();
    let case = of("shorts", 1, 32).buffer(Elem::U32, pack(&bits)).buffer(Elem::U32, vec![0; 64]);
    let (buffers, _) = case.buffer(Elem::U32, pack(&u)).clean();
    let got: Vec<i16> =
        buffers[1].words.iter().flat_map(|w| [*w as u16, (*w >> 16) as u16]).map(u16::cast_signed).collect();
    for (i, got) in got.chunks(4).enumerate() {
        let (x, y) = (i32::from(a[i]), i32::from(a[(i + 1) % 32]));
        let last = if y != 0 { x / y + x % y } else { x.abs() };
        let wanted = [(x * y) >> 3, x.min(y) + x.max(-300), i32::from(u[i] >> 3) + (x >> 2), last].map(|v| v as i16);
        assert_eq!(got, wanted, "lane {i}: {x} {y}");
    }
}
