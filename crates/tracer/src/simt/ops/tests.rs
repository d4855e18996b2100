//! The operations' results at their edges.

use super::*;

#[test]
fn division_is_total() {
    assert_eq!(Binary::IDiv.scalar(7, 0), 7);
    assert_eq!(Binary::UDiv.scalar(7, 0), 7);
    assert_eq!(Binary::URem.scalar(7, 0), 0);
    assert_eq!(Binary::IDiv.scalar(0x8000_0000, u32::MAX), 0x8000_0000);
    assert_eq!(Binary::IRem.scalar(0x8000_0000, u32::MAX), 0);
}

#[test]
fn first_bits() {
    assert_eq!(Unary::UFirstLeadingBit.scalar(0), u32::MAX);
    assert_eq!(Unary::IFirstLeadingBit.scalar(u32::MAX), u32::MAX);
    assert_eq!(Unary::IFirstLeadingBit.scalar(0_u32.wrapping_sub(3)), 1);
}

#[test]
fn scalar_operands_are_the_same_in_all_lanes() {
    let vectors: Vec<[u32; 8]> = (0..3).map(|r| std::array::from_fn(|l| r * 100 + l as u32 * 7 + 1)).collect();
    let files = Files { scalars: &[3, 5, 9], vectors: &vectors };
    let get = |s: Src, l: usize| if s.is_scalar() { files.one(s) } else { files.all(s)[l] };
    for bits in 0..8 {
        let [a, b, c] = [0, 1, 2].map(|r| if bits >> r & 1 == 1 { Src::scalar(r) } else { Src::vector(r) });
        let three = Ternary::IMulAdd.lanes(files, a, b, c);
        let two = Binary::ISub.lanes(files, a, b);
        for l in 0..8 {
            assert_eq!(three[l], get(a, l).wrapping_mul(get(b, l)).wrapping_add(get(c, l)));
            assert_eq!(two[l], get(a, l).wrapping_sub(get(b, l)));
        }
    }
}
