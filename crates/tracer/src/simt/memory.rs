//! The memory that workgroups share: storage and uniform buffers, as words.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::binding::Binding;
use super::ir::AtomicOp;
use super::ops::Binary;
use super::wide::WideOp;
use crate::dispatch::BindingKind;
use warpbook_base::tensor::Tensor;

/// One buffer.
pub enum Buffer<'a> {
    /// Only read.
    Read(&'a [u32]),
    /// Also written, by any workgroup at any time.
    Written(Vec<AtomicU32>),
}

/// Words that lanes load. Addresses were checked before; a wrong one would read 0.
pub trait Words {
    /// Word `i`.
    fn word(&self, i: usize) -> u32;
    /// `W` words from `first` on.
    fn run<const W: usize>(&self, first: usize) -> [u32; W];
}

impl Words for [u32] {
    fn word(&self, i: usize) -> u32 {
        self.get(i).copied().unwrap_or(0)
    }

    fn run<const W: usize>(&self, first: usize) -> [u32; W] {
        self.get(first..).and_then(|rest| rest.first_chunk::<W>()).copied().unwrap_or([0; W])
    }
}

impl Words for [AtomicU32] {
    fn word(&self, i: usize) -> u32 {
        self.get(i).map_or(0, |word| word.load(Relaxed))
    }

    fn run<const W: usize>(&self, first: usize) -> [u32; W] {
        let mut out = [0; W];
        if let Some(words) = self.get(first..).and_then(|rest| rest.first_chunk::<W>()) {
            for (out, word) in out.iter_mut().zip(words) {
                *out = word.load(Relaxed);
            }
        }
        out
    }
}

/// The word that an atomic writes over `old`; None if it leaves it.
pub fn atomic_result(op: AtomicOp, old: u32, value: u32, compare: u32) -> Option<u32> {
    let by = |op: Binary| Some(op.scalar(old, value));
    match op {
        AtomicOp::Add => by(Binary::IAdd),
        AtomicOp::FAdd => by(Binary::FAdd),
        AtomicOp::FSub => by(Binary::FSub),
        AtomicOp::Sub => by(Binary::ISub),
        AtomicOp::And => by(Binary::And),
        AtomicOp::Or => by(Binary::Or),
        AtomicOp::Xor => by(Binary::Xor),
        AtomicOp::IMin => by(Binary::IMin),
        AtomicOp::IMax => by(Binary::IMax),
        AtomicOp::UMin => by(Binary::UMin),
        AtomicOp::UMax => by(Binary::UMax),
        AtomicOp::Exchange => Some(value),
        AtomicOp::CompareExchange => (old == compare).then_some(value),
        AtomicOp::Inc => Some(if old >= value { 0 } else { old + 1 }),
        AtomicOp::Dec => Some(if old == 0 || old > value { value } else { old - 1 }),
        AtomicOp::HalfAdd => Some(halves(old, value, |a, b| {
            half::f16::from_f64(half::f16::from_bits(a).to_f64() + half::f16::from_bits(b).to_f64()).to_bits()
        })),
        AtomicOp::BfloatAdd => Some(halves(old, value, |a, b| {
            half::bf16::from_f64(half::bf16::from_bits(a).to_f64() + half::bf16::from_bits(b).to_f64()).to_bits()
        })),
    }
}

/// An operation on both halves of two words.
fn halves(a: u32, b: u32, op: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(op(a as u16, b as u16)) | u32::from(op((a >> 16) as u16, (b >> 16) as u16)) << 16
}

/// The 64 bits that an atomic writes over `old`; None if it leaves them. Floats are `f64`.
pub fn wide_result(op: AtomicOp, old: u64, value: u64, compare: u64) -> Option<u64> {
    let by = |op: WideOp| Some(op.scalar(old, value, 0));
    match op {
        AtomicOp::Add => by(WideOp::Add),
        AtomicOp::Sub => by(WideOp::Sub),
        AtomicOp::FAdd => by(WideOp::FAdd),
        AtomicOp::FSub => by(WideOp::FSub),
        AtomicOp::And => by(WideOp::And),
        AtomicOp::Or => by(WideOp::Or),
        AtomicOp::Xor => by(WideOp::Xor),
        AtomicOp::IMin => by(WideOp::IMin),
        AtomicOp::IMax => by(WideOp::IMax),
        AtomicOp::UMin => by(WideOp::UMin),
        AtomicOp::UMax => by(WideOp::UMax),
        AtomicOp::Exchange => Some(value),
        AtomicOp::CompareExchange => (old == compare).then_some(value),
        AtomicOp::Inc | AtomicOp::Dec | AtomicOp::HalfAdd | AtomicOp::BfloatAdd => None,
    }
}

impl Buffer<'_> {
    /// Changes word `i` if `new` gives another, and gives what was there before.
    pub fn change(&self, i: usize, new: impl Fn(u32) -> Option<u32>) -> u32 {
        let Self::Written(words) = self else { return 0 };
        let Some(word) = words.get(i) else { return 0 };
        word.fetch_update(Relaxed, Relaxed, new).unwrap_or_else(|old| old)
    }
}

/// The buffers of a run. Those that are written are taken out of their tensors, and come back with [`close`].
pub fn open<'a>(bindings: &[Binding], tensors: &'a mut [Tensor]) -> Vec<Buffer<'a>> {
    let each = bindings.iter().zip(tensors).map(|(binding, tensor)| match binding.kind {
        BindingKind::Uniform | BindingKind::ReadOnly => Buffer::Read(&tensor.words),
        BindingKind::ReadWrite => {
            let words = std::mem::take(&mut tensor.words);
            Buffer::Written(atomics(words))
        }
    });
    each.collect()
}

/// Words that any workgroup can write to.
pub fn atomics(words: Vec<u32>) -> Vec<AtomicU32> {
    words.into_iter().map(AtomicU32::new).collect()
}

/// The written contents, by buffer.
pub fn close(buffers: Vec<Buffer<'_>>) -> Vec<Option<Vec<u32>>> {
    let each = buffers.into_iter().map(|buffer| match buffer {
        Buffer::Read(_) => None,
        Buffer::Written(words) => Some(words.into_iter().map(AtomicU32::into_inner).collect()),
    });
    each.collect()
}
