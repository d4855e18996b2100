//! Memory that other processes of the host can reach: handed over as a handle, and opened on the other side.
#![expect(unsafe_code, reason = "the driver is a C library; nothing outside the files that say so calls into C")]

use cudarc::driver::sys;

use super::driver::{Code, Context, Memory, Outcome};

/// Bytes of a handle.
pub(super) const HANDLE: usize = 64;

/// Makes a handle of memory, which stays as long as others have it open.
pub(super) fn share(memory: &Memory) -> Outcome<[u8; HANDLE]> {
    let mut handle = sys::CUipcMemHandle { reserved: [0; HANDLE] };
    // SAFETY: The memory is alive; the pointer is to a live handle.
    unsafe { sys::cuIpcGetMemHandle(&raw mut handle, memory.address(0)) }.result().map_err(|error| error.0)?;
    Ok(handle.reserved.map(i8::cast_unsigned))
}

/// Memory of another process.
pub(super) struct Opened(sys::CUdeviceptr);

impl Opened {
    /// Opens what another process shares.
    pub(super) fn new(_: &Context, handle: [u8; HANDLE]) -> Outcome<Self> {
        let handle = sys::CUipcMemHandle { reserved: handle.map(u8::cast_signed) };
        let lazily = sys::CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
        let mut pointer = 0;
        // SAFETY: A context is current, as the argument shows; the pointer is to a live address. The driver checks the handle.
        unsafe { sys::cuIpcOpenMemHandle_v2(&raw mut pointer, handle, lazily) }.result().map_err(|error| error.0)?;
        Ok(Self(pointer))
    }

    pub(super) fn address(&self) -> u64 {
        self.0
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: It was opened in `new` and is closed once.
        let _ = unsafe { sys::cuIpcCloseMemHandle(self.0) };
    }
}

/// The UUID of a device, different from all others on whatever host.
pub(super) fn identity(ordinal: i32) -> Outcome<[u8; 16]> {
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    let device = cudarc::driver::result::device::get(ordinal).map_err(|error| error.0)?;
    // SAFETY: The device comes from the driver; the pointer is to a live identity.
    unsafe { sys::cuDeviceGetUuid_v2(&raw mut uuid, device) }.result().map_err(|error| error.0)?;
    Ok(uuid.bytes.map(i8::cast_unsigned))
}

/// Whether one device of this host can reach another's memory.
pub(super) fn can_reach(from: i32, to: i32) -> Outcome<bool> {
    let get = |ordinal| cudarc::driver::result::device::get(ordinal).map_err(|error| error.0);
    let (mut can, from, to) = (0, get(from)?, get(to)?);
    if from == to {
        return Ok(true);
    }
    // SAFETY: The devices come from the driver; the pointer is to a live integer.
    unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, from, to) }.result().map_err(|error| error.0)?;
    Ok(can != 0)
}

/// The code of a failure, in words.
pub(super) fn told(what: &str, code: Code) -> String {
    format!("{what}: {code:?}")
}
