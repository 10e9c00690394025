//! The compiled contracts. Never edited by hand: change the spec and build again.

#[cfg(feature = "agentpack")]
#[path = "../generated/agentpack.rs"]
#[rustfmt::skip]
pub mod agentpack;

#[cfg(feature = "wa")]
#[path = "../generated/wa.rs"]
#[rustfmt::skip]
pub mod wa;

#[cfg(feature = "wink")]
#[path = "../generated/wink.rs"]
#[rustfmt::skip]
pub mod wink;

#[cfg(feature = "worldforge")]
#[path = "../generated/worldforge.rs"]
#[rustfmt::skip]
pub mod worldforge;

#[cfg(feature = "yarnnn")]
#[path = "../generated/yarnnn.rs"]
#[rustfmt::skip]
pub mod yarnnn;
