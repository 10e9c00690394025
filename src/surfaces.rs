//! The surfaces that ship with Toolwright.

pub use toolwright_commands::SurfaceEntry;

/// All surfaces, sorted by name.
pub fn all() -> Vec<SurfaceEntry> {
    vec![agentpack::entry(), wa::entry(), wink::entry(), worldforge::entry(), yarnnn::entry()]
}

/// One surface by name.
pub fn find(name: &str) -> Option<SurfaceEntry> {
    all().into_iter().find(|surface| surface.info.name == name)
}
