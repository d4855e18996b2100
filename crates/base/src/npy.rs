//! Tensors as NumPy's `.npy` files, so that Python can read and write them.

use std::path::Path;

use npyz::{NpyFile, NpyHeader, Order, WriteOptions, WriterBuilder};

use super::diag::Diagnostic;
use super::files;
use super::store;
use super::tensor::{Elem, Tensor};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 4 << 30;

/// The shape of a file's array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<u64>);

impl Shape {
    /// Elements altogether.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().fold(1, |product, side| product.saturating_mul(*side))
    }
}

fn problem(path: &Path, what: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(format!("cannot read {}: {what}", path.display()))
        .hint("give a file that numpy.save wrote, of the buffer's type and length")
}

/// The type of the elements of a file as NumPy writes it, such as `<f2`; None if it cannot be read.
#[must_use]
pub fn type_of(path: &Path) -> Option<String> {
    let bytes = files::read_file(path, LARGEST).ok()?;
    Some(header_of(path, &bytes).ok()?.dtype().descr().trim_matches('\'').to_owned())
}

/// How NumPy calls a type of elements; bfloat16, which it has not, goes as its bits.
#[must_use]
pub fn dtype(elem: Elem) -> &'static str {
    match elem {
        Elem::F32 => "float32",
        Elem::U32 => "uint32",
        Elem::I32 => "int32",
        Elem::F16 => "float16",
        Elem::Bf16 => "uint16",
    }
}

/// The shape of the array in a file, whose elements are to be of this type.
///
/// # Errors
/// Where it cannot be read, is of another type or in columns.
pub fn shape(path: &Path, elem: Elem) -> Result<Shape, Diagnostic> {
    let bytes = files::read_file(path, LARGEST).map_err(|error| problem(path, error))?;
    let header = header_of(path, &bytes)?;
    fits(path, &header, elem)
}

/// True if nothing is nested in a file's header, as in that of a plain array: the library's parser takes exponential
/// time for brackets in brackets.
fn is_flat(bytes: &[u8]) -> bool {
    // Seven letters and a version; then the header's length, of four bytes from version 2 on.
    let header = match bytes {
        [_, _, _, _, _, _, 1, _, a, b, rest @ ..] => rest.get(..usize::from(u16::from_le_bytes([*a, *b]))),
        [_, _, _, _, _, _, _, _, a, b, c, d, rest @ ..] => {
            usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).ok().and_then(|length| rest.get(..length))
        }
        _ => None,
    };
    let times = |bracket: u8| header.unwrap_or_default().iter().filter(|byte| **byte == bracket).count();
    times(b'[') == 0 && times(b'(') <= 1 && times(b'{') <= 1
}

/// The header of a file; the library multiplies its numbers unchecked.
fn header_of(path: &Path, bytes: &[u8]) -> Result<NpyHeader, Diagnostic> {
    if !is_flat(bytes) {
        return Err(problem(path, "it holds no plain array of numbers"));
    }
    let too_large = || problem(path, "its shape is too large");
    let header = std::panic::catch_unwind(|| NpyHeader::from_reader(bytes)).map_err(|_| too_large())?;
    let header = header.map_err(|error| problem(path, error))?;
    let elements = header.shape().iter().try_fold(1_u64, |product, side| product.checked_mul(*side));
    elements.map(|_| header).ok_or_else(too_large)
}

fn fits(path: &Path, header: &NpyHeader, elem: Elem) -> Result<Shape, Diagnostic> {
    let wanted = match elem {
        Elem::F32 => "'<f4'",
        Elem::U32 => "'<u4'",
        Elem::I32 => "'<i4'",
        Elem::F16 => "'<f2'",
        Elem::Bf16 => "'<u2'",
    };
    let found = header.dtype().descr();
    if found != wanted {
        let message = format!("{} holds {found}, and the buffer {wanted}", path.display());
        return Err(Diagnostic::error(message).hint(format!("save it with .astype(numpy.{})", dtype(elem))));
    }
    if header.order() == Order::Fortran && header.shape().len() > 1 {
        let message = format!("{} is stored by columns", path.display());
        return Err(Diagnostic::error(message).hint("save numpy.ascontiguousarray(…) of it"));
    }
    Ok(Shape(header.shape().to_vec()))
}

/// Reads a file whose elements are of this type.
///
/// # Errors
/// Where it cannot be read, is of another type, in columns, or shorter than it says.
pub fn read(path: &Path, elem: Elem) -> Result<Tensor, Diagnostic> {
    let bytes = files::read_file(path, LARGEST).map_err(|error| problem(path, error))?;
    fits(path, &header_of(path, &bytes)?, elem)?;
    let file = NpyFile::new(&bytes[..]).map_err(|error| problem(path, error))?;
    let words = match elem {
        Elem::U32 => file.into_vec::<u32>(),
        Elem::F32 => file.into_vec::<f32>().map(|all| all.into_iter().map(f32::to_bits).collect()),
        Elem::I32 => file.into_vec::<i32>().map(|all| all.into_iter().map(i32::cast_unsigned).collect()),
        Elem::F16 => file.into_vec::<half::f16>().map(|all| pairs(all.into_iter().map(half::f16::to_bits))),
        Elem::Bf16 => file.into_vec::<u16>().map(|all| pairs(all.into_iter())),
    };
    Ok(Tensor { elem, words: words.map_err(|error| problem(path, error))? })
}

/// The elements and the bytes, in words, of a file whose type is one of `types`, as NumPy describes them (`<f8`).
///
/// # Errors
/// Where it cannot be read, is of another type, in columns, or shorter than it says.
pub fn raw(path: &Path, types: &[&str]) -> Result<(u64, Vec<u32>), Diagnostic> {
    let bytes = files::read_file(path, LARGEST).map_err(|error| problem(path, error))?;
    let header = header_of(path, &bytes)?;
    let found = header.dtype().descr();
    if !types.iter().any(|ty| found == format!("'{ty}'")) {
        let message = format!("{} holds {found}, and the buffer {}", path.display(), types.join(" or "));
        return Err(Diagnostic::error(message).hint("save it with .astype of that type"));
    }
    if header.order() == Order::Fortran && header.shape().len() > 1 {
        let message = format!("{} is stored by columns", path.display());
        return Err(Diagnostic::error(message).hint("save numpy.ascontiguousarray(…) of it"));
    }
    let count = Shape(header.shape().to_vec()).count();
    let each = types.iter().find_map(|ty| ty[2..].parse::<u64>().ok()).unwrap_or(1);
    let length = count.checked_mul(each).and_then(|length| usize::try_from(length).ok());
    let data = length.and_then(|length| bytes.get(bytes.len().checked_sub(length)?..));
    let data = data.ok_or_else(|| problem(path, "it is shorter than it says"))?;
    let word = |part: &[u8]| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    Ok((count, data.chunks(4).map(word).collect()))
}

/// Two 16-bit elements a word, the first in its low half.
fn pairs(halves: impl Iterator<Item = u16>) -> Vec<u32> {
    let halves: Vec<u16> = halves.collect();
    halves.chunks(2).map(|two| u32::from(two[0]) | u32::from(two.get(1).copied().unwrap_or(0)) << 16).collect()
}

/// Writes the first elements of a tensor to a file, as many as the shape has.
///
/// # Errors
/// Where the file cannot be written.
pub fn write(path: &Path, tensor: &Tensor, shape: &Shape) -> Result<(), Diagnostic> {
    let mut bytes = Vec::new();
    let count = usize::try_from(shape.count()).unwrap_or(usize::MAX).min(tensor.len());
    let half = |i: usize| u16::try_from(tensor.words[i / 2] >> (16 * (i % 2)) & 0xFFFF).unwrap_or(0);
    let words = &tensor.words[..count.min(tensor.words.len())];
    let written = match tensor.elem {
        Elem::U32 => encode(&mut bytes, shape, words.iter().copied()),
        Elem::F32 => encode(&mut bytes, shape, words.iter().map(|word| f32::from_bits(*word))),
        Elem::I32 => encode(&mut bytes, shape, words.iter().map(|word| word.cast_signed())),
        Elem::F16 => encode(&mut bytes, shape, (0..count).map(|i| half::f16::from_bits(half(i)))),
        Elem::Bf16 => encode(&mut bytes, shape, (0..count).map(half)),
    };
    written.map_err(|error| Diagnostic::error(format!("cannot write {}: {error}", path.display())))?;
    store::write_atomic(path, &bytes)
}

fn encode<T: npyz::AutoSerialize>(
    bytes: &mut Vec<u8>,
    shape: &Shape,
    elements: impl Iterator<Item = T>,
) -> std::io::Result<()> {
    let mut writer = WriteOptions::new().default_dtype().shape(&shape.0).writer(bytes).begin_nd()?;
    writer.extend(elements)?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Init;

    #[test]
    fn tensors_come_back_and_others_are_refused() -> Result<(), Diagnostic> {
        let folder = tempfile::tempdir().map_err(|error| Diagnostic::error(error.to_string()))?;
        let path = folder.path().join("x.npy");
        for elem in [Elem::F32, Elem::U32, Elem::I32, Elem::F16, Elem::Bf16] {
            let tensor = Tensor::new(elem, 6, Init::Random, 1, 0);
            write(&path, &tensor, &Shape(vec![2, 3]))?;
            assert_eq!(read(&path, elem)?, tensor);
            assert_eq!(shape(&path, elem)?, Shape(vec![2, 3]));
        }
        write(&path, &Tensor::new(Elem::F32, 3, Init::Iota, 1, 0), &Shape(vec![3]))?;
        let said = |found: Result<Tensor, Diagnostic>| found.err().map(|d| d.to_string()).unwrap_or_default();
        assert!(said(read(&path, Elem::U32)).contains("holds '<f4', and the buffer '<u4'"));
        let text = std::fs::read(&path).unwrap_or_default();
        for broken in [&text[..text.len() - 1], &text[..20], b"no array", b""] {
            std::fs::write(&path, broken).map_err(|error| Diagnostic::error(error.to_string()))?;
            assert!(said(read(&path, Elem::F32)).starts_with("error: cannot read"), "{}", said(read(&path, Elem::F32)));
        }
        assert!(read(folder.path(), Elem::F32).is_err());
        // A header of 200 bytes whose parser would never end, and shapes whose product is 0 in 64 bits.
        let nested = format!("{}('a', '<f4'){}", "[".repeat(50), "]".repeat(50));
        for (descr, shape, why) in [
            (nested.as_str(), "(3,)", "no plain array"),
            ("'<f4'", nested.as_str(), "no plain array"),
            ("'<f4'", "(4294967296, 4294967296)", "its shape is too large"),
        ] {
            for version in [1, 2] {
                let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
                let length = u32::try_from(header.len()).unwrap_or_default().to_le_bytes();
                let length = if version == 1 { &length[..2] } else { &length[..] };
                let file = [b"\x93NUMPY", &[version, 0][..], length, header.as_bytes()].concat();
                std::fs::write(&path, file).map_err(|error| Diagnostic::error(error.to_string()))?;
                assert!(said(read(&path, Elem::F32)).contains(why), "{}", said(read(&path, Elem::F32)));
            }
        }
        Ok(())
    }
}
