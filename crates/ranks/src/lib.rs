//! Ranks: processes that compute together, one per GPU. They find each other, notice when one is lost, and time
//! collectives between them.

pub mod launch;
pub mod measure;
pub mod meeting;
pub mod ring;
pub mod world;
