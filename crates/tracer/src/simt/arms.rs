//! Finds operations of the lanes of a mask that both arms of a branch have. A warp's lanes run one arm after the other here. On sm_70
//! and later they wait for each other at such operations, each in its own arm.

use super::collective::What;
use super::ir::{Inst, Ir};

/// The operations in the arms of a branch, by their index and name.
#[derive(Default)]
struct Arms {
    done: Vec<(u32, &'static str)>,
    present: Vec<(u32, &'static str)>,
}

/// Marks these operations.
pub fn mark(ir: &mut Ir) {
    let mut open = vec![Arms::default()];
    let mut both = Vec::new();
    for inst in &ir.insts {
        match *inst {
            Inst::If { .. } => open.push(Arms::default()),
            Inst::Else => {
                if let Some(arms) = open.last_mut() {
                    arms.done = std::mem::take(&mut arms.present);
                }
            }
            Inst::EndIf => {
                let Some(Arms { done, present }) = open.pop() else { continue };
                let meets = |of: &(u32, &str), others: &[(u32, &str)]| others.iter().any(|other| other.1 == of.1);
                both.extend(done.iter().filter(|of| meets(of, &present)).map(|of| of.0));
                both.extend(present.iter().filter(|of| meets(of, &done)).map(|of| of.0));
                if let Some(around) = open.last_mut() {
                    around.present.extend(done.into_iter().chain(present));
                }
            }
            Inst::Collective { id } => {
                if let (What::Members(members), Some(arms)) = (ir.collectives[id as usize].what, open.last_mut()) {
                    arms.present.push((id, members.name));
                }
            }
            _ => {}
        }
    }
    for id in both {
        if let What::Members(members) = &mut ir.collectives[id as usize].what {
            members.in_both_arms = true;
        }
    }
}
