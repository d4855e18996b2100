//! WGSL as text: inspecting and changing a shader before a compiler sees it. All places stay what they are.

mod constants;
mod declared;
mod enable;
mod place;
mod token;

pub use constants::{Scalar, Setting, Settled, settable, settle, unfit};
pub use declared::{Declared, Keyword, Sizing, declared, sizing};
pub use enable::without_enable_subgroups;
pub use place::{buffer, function, functions};
pub use token::tokens;
