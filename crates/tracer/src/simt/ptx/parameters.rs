//! Parameters and results of called functions: each part that is stored or loaded becomes a register.

use std::collections::{BTreeMap, HashMap};

use warpbook_base::diag::Diagnostic;

use super::calls::Calls;
use super::module::{Base, Instruction, Kernel, Operand, Part, RegId, Ty};

/// Bytes that are divided into parts of one size.
const GROUP: i64 = 8;

/// The parts of one parameter, by group: the bytes of a part.
type Sizes = BTreeMap<i64, u32>;

/// Replaces what the calls of `kernel` store to parameters and load from them by moves between registers.
pub(super) fn to_registers(calls: &Calls<'_, '_, '_>, kernel: &mut Kernel) -> Result<(), Diagnostic> {
    let mut sizes: HashMap<String, Sizes> = HashMap::new();
    for part in &kernel.body {
        let Part::Instruction(i) = part else { continue };
        let Some(access) = Access::of(i) else { continue };
        let sizes = sizes.entry(access.name.to_owned()).or_default();
        for n in 0..access.values.len() {
            let group = sizes.entry(access.offset(n).div_euclid(GROUP)).or_insert(GROUP as u32);
            *group = (*group).min(access.ty.bytes());
        }
    }
    if sizes.is_empty() {
        return Ok(());
    }
    let mut slots: HashMap<(String, i64), RegId> = HashMap::new();
    for part in std::mem::take(&mut kernel.body) {
        let access = match &part {
            Part::Instruction(i) => Access::of(i),
            Part::Label(_) => None,
        };
        let (Part::Instruction(i), Some(access)) = (&part, access) else {
            kernel.body.push(part);
            continue;
        };
        let sizes = &sizes[access.name];
        for (n, value) in access.values.iter().enumerate() {
            let (first, bytes) = (access.offset(n), access.ty.bytes());
            let size = sizes[&first.div_euclid(GROUP)];
            if first % i64::from(bytes) != 0 || first % GROUP + i64::from(bytes) > GROUP {
                return Err(calls.error(i, "this part of a parameter cannot be traced"));
            }
            let parts = (0..bytes / size).map(|k| {
                let key = (access.name.to_owned(), first + i64::from(k * size));
                *slots.entry(key).or_insert_with(|| fresh(kernel, Ty::Bits(8 * size.max(2) as u8), access.name))
            });
            let parts: Vec<RegId> = parts.collect();
            let moves = access.moves(kernel, i, value, &parts);
            let moves = moves.ok_or_else(|| calls.error(i, "this part of a parameter cannot be traced"))?;
            kernel.body.push(Part::Instruction(moves));
        }
    }
    Ok(())
}

/// A new register.
pub(super) fn fresh(kernel: &mut Kernel, ty: Ty, name: &str) -> RegId {
    kernel.regs.push(ty);
    kernel.names.push(name.to_owned());
    RegId::try_from(kernel.regs.len() - 1).unwrap_or(RegId::MAX)
}

/// A load from a parameter of a call or a store to one.
struct Access<'i> {
    name: &'i str,
    start: i64,
    ty: Ty,
    values: Vec<Operand>,
    stores: bool,
}

impl<'i> Access<'i> {
    fn of(i: &'i Instruction) -> Option<Self> {
        let stores = match i.words[0].as_str() {
            "st" => true,
            "ld" => false,
            _ => return None,
        };
        let is_param = i.words[1..].iter().any(|word| word == "param" || word.starts_with("param::"));
        let [a, b] = i.operands.as_slice() else { return None };
        let (address, value) = if stores { (a, b) } else { (b, a) };
        let Operand::Address { base: Base::Name(name), offset } = address else { return None };
        // Only parameters of calls have names of the kernel's own.
        if !is_param || !name.contains('#') {
            return None;
        }
        let values = match value {
            Operand::Parts(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        Some(Self { name, start: *offset, ty: *i.types().last()?, values, stores })
    }

    fn offset(&self, n: usize) -> i64 {
        self.start + n as i64 * i64::from(self.ty.bytes())
    }

    /// The move of one value from or to its parts.
    fn moves(&self, kernel: &Kernel, i: &Instruction, value: &Operand, parts: &[RegId]) -> Option<Instruction> {
        let bits = self.ty.bits();
        let with = |words: Vec<String>, operands| Some(Instruction { words, operands, ..i.clone() });
        let slot = match parts {
            [one] => Operand::Reg(*one),
            parts if parts.len() > 4 => return None,
            parts => Operand::Parts(parts.iter().map(|part| Operand::Reg(*part)).collect()),
        };
        if self.stores {
            let words = match bits {
                8 => vec!["cvt".to_owned(), "u16".to_owned(), "u8".to_owned()],
                bits => vec!["mov".to_owned(), format!("b{bits}")],
            };
            return with(words, vec![slot, value.clone()]);
        }
        let wanted = match value {
            Operand::Reg(reg) => kernel.regs[*reg as usize].bits(),
            _ => bits,
        };
        let words = if bits < wanted && parts.len() == 1 {
            let sign = if self.ty.is_signed() { "s" } else { "u" };
            vec!["cvt".to_owned(), format!("{sign}{wanted}"), format!("{sign}{bits}")]
        } else {
            vec!["mov".to_owned(), format!("b{bits}")]
        };
        with(words, vec![value.clone(), slot])
    }
}
