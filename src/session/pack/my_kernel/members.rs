//! The numbers in a uniform buffer: where each lies, and the bytes that their values make.

use serde::{Deserialize, Serialize};

use crate::base::tensor::Elem;
use crate::simt::layout::{Layout, Shape};

/// The most numbers that are asked for one by one.
const MOST: usize = 64;

/// A number in a uniform buffer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Member {
    /// Its path, such as `params.rows`.
    pub path: String,
    /// Its type in WGSL.
    pub ty: String,
    pub value: String,
    /// Where it begins in the buffer, in bytes.
    pub byte: u32,
}

impl Member {
    /// Why its value is none; None if it is one.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        self.bytes().is_none().then(|| format!("`{}` is no value for {}, which is {}", self.value, self.path, self.ty))
    }

    /// The bytes of its value, the lowest first; None if its type cannot hold it.
    fn bytes(&self) -> Option<Vec<u8>> {
        let text = self.value.trim();
        Some(match self.ty.as_str() {
            "u32" => text.parse::<u32>().ok()?.to_le_bytes().to_vec(),
            "i32" => text.parse::<i32>().ok()?.to_le_bytes().to_vec(),
            "f32" => text.parse::<f32>().ok().filter(|value| value.is_finite())?.to_le_bytes().to_vec(),
            _ => half::f16::from_f32(text.parse::<f32>().ok()?).to_le_bytes().to_vec(),
        })
    }
}

/// The numbers of a type, in the order in which they lie; none if there are too many to ask for, or if their number is
/// not known.
#[must_use]
pub fn of(layout: &Layout, name: &str, whole: u32) -> Vec<Member> {
    let mut members = Vec::new();
    if layout.numbers().is_some_and(|numbers| numbers <= MOST as u64) {
        walk(layout, name.to_owned(), 0, whole, &mut members);
    }
    members
}

fn walk(layout: &Layout, path: String, byte: u32, whole: u32, members: &mut Vec<Member>) {
    match &layout.shape {
        Shape::Scalar(elem) => {
            let value = if matches!(elem, Elem::U32 | Elem::I32) { whole.to_string() } else { "1".to_owned() };
            members.push(Member { path, ty: layout.ty.clone(), value, byte });
        }
        Shape::Elements { of, stride, len } => {
            for i in 0..len.unwrap_or(0) {
                walk(of, format!("{path}[{i}]"), byte + i * stride, whole, members);
            }
        }
        Shape::Members(all) => {
            for member in all {
                walk(&member.layout, format!("{path}.{}", member.name), byte + member.offset, whole, members);
            }
        }
    }
}

/// The contents of a buffer that has these numbers, of at least `least` bytes: a multiple of 4.
#[must_use]
pub fn contents(members: &[Member], least: u64) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(least).unwrap_or(0)];
    for member in members {
        let Some(value) = member.bytes() else { continue };
        let begin = member.byte as usize;
        if bytes.len() < begin + value.len() {
            bytes.resize((begin + value.len()).next_multiple_of(4), 0);
        }
        bytes[begin..begin + value.len()].copy_from_slice(&value);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_lies_where_the_type_has_it() {
        let member = |path: &str, ty: &str, value: &str, byte| Member {
            path: path.to_owned(),
            ty: ty.to_owned(),
            value: value.to_owned(),
            byte,
        };
        let all = [member("p.rows", "u32", "3", 0), member("p.eps", "f32", "0.5", 4), member("p.at", "i32", "-1", 8)];
        let bytes = contents(&all, 16);
        assert_eq!(bytes, [3, 0, 0, 0, 0, 0, 0, 63, 255, 255, 255, 255, 0, 0, 0, 0]);
        assert!(all.iter().all(|member| member.problem().is_none()));
        let wrong = member("p.rows", "u32", "-3", 0).problem();
        assert_eq!(wrong.as_deref(), Some("`-3` is no value for p.rows, which is u32"));
    }
}
