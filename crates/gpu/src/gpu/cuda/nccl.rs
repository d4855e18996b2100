//! NCCL's calls, each made safe to call: ranks that agree on an id, and their collectives on a stream.
#![expect(unsafe_code, reason = "it is a C library; nothing outside the files that say so calls into C")]

use std::ffi::c_int;

use cudarc::driver::sys::CUstream;
use cudarc::nccl::result::{self, NcclError};
use cudarc::nccl::sys;

use super::driver::{Context, Memory};
use crate::base::tensor::Elem;
use crate::ranks::measure::Collective;

/// The result of a call, or why it failed, in words.
pub(super) type Outcome<T> = Result<T, String>;

/// Bytes of an id.
pub(super) const ID: usize = 128;

/// NCCL's version, such as "2.28.3", if its library can be loaded.
pub(super) fn version() -> Option<String> {
    // SAFETY: It loads a library that has no initialisation of its own. Every other call here panics without it.
    unsafe { sys::is_culib_present() }
        .then(result::get_nccl_version)?
        .ok()
        .map(|version| format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100))
}

/// A new id, by which ranks find each other. The library is there.
pub(super) fn new_id() -> Outcome<[u8; ID]> {
    result::get_uniqueid().map(|id| id.internal.map(i8::cast_unsigned)).map_err(of)
}

/// A message: a part of a memory, with a chunk for each rank.
pub(super) struct Piece<'a> {
    pub memory: &'a Memory,
    /// The type of its numbers: F16 or F32.
    pub elem: Elem,
    /// Where it begins, and how long it is, in bytes.
    pub offset: u64,
    pub bytes: u64,
}

/// A rank's end of the connections between all.
pub(super) struct Communicator(sys::ncclComm_t);

// SAFETY: The library lets any one thread at a time use it.
unsafe impl Send for Communicator {}

impl Communicator {
    /// Waits until all `size` ranks have come with the same id. The library is there.
    pub(super) fn join(_: &Context, id: [u8; ID], rank: usize, size: usize) -> Outcome<Self> {
        let int = |number: usize| c_int::try_from(number).map_err(|_| "there are too many ranks".to_owned());
        let (rank, size) = (int(rank)?, int(size)?);
        let id = sys::ncclUniqueId { internal: id.map(u8::cast_signed) };
        let mut raw = std::ptr::null_mut();
        // SAFETY: A context is current, as the argument shows; the pointer is to a live handle.
        unsafe { result::comm_init_rank(&raw mut raw, size, id, rank) }.map_err(of)?;
        Ok(Self(raw))
    }

    /// Has a collective carried out after the work of a stream, in place; does not wait.
    pub(super) fn run(
        &self,
        stream: CUstream,
        what: Collective,
        piece: &Piece<'_>,
        [rank, size]: [usize; 2],
    ) -> Outcome<()> {
        let Piece { memory, elem, offset, bytes } = *piece;
        let chunk = bytes / size as u64;
        if !memory.holds(offset, bytes) || !chunk.is_multiple_of(elem.bytes()) {
            return Err("NCCL: the message is longer than its memory, or has no equal chunks".to_owned());
        }
        let kind = match elem {
            Elem::F16 => sys::ncclDataType_t::ncclFloat16,
            Elem::F32 => sys::ncclDataType_t::ncclFloat32,
            other => return Err(format!("NCCL: no messages of {}", other.name())),
        };
        let at = |at: u64| std::ptr::without_provenance_mut(memory.address(offset + at) as usize);
        let (own, chunk) = (rank as u64 * chunk, usize::try_from(chunk / elem.bytes()).unwrap_or(0));
        let (sum, stream) = (sys::ncclRedOp_t::ncclSum, stream.cast());
        // SAFETY: The memory is alive and long enough, as was just seen. Giving it back waits for the work that uses it.
        let done = unsafe {
            match what {
                Collective::ReduceScatter => result::reduce_scatter(at(0), at(own), chunk, kind, sum, self.0, stream),
                Collective::AllGather => result::all_gather(at(own), at(0), chunk, kind, self.0, stream),
                Collective::AllReduce => result::all_reduce(at(0), at(0), size * chunk, kind, sum, self.0, stream),
            }
        };
        done.map(|_| ()).map_err(of)
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        // SAFETY: It was made in `join` and ends once. An abort does not wait: a rank that is lost must not hold the others.
        let _ = unsafe { result::comm_abort(self.0) };
    }
}

#[expect(clippy::needless_pass_by_value, reason = "so that it fits `map_err`")]
fn of(error: NcclError) -> String {
    format!("NCCL: {:?}", error.0)
}
