//! The surfaces that this build contains, one cargo feature each.

pub use toolwright_runtime::cli::{Does, Extra, SurfaceEntry};

/// All surfaces, sorted by name.
pub fn all() -> Vec<SurfaceEntry> {
    vec![
        #[cfg(feature = "agentpack")]
        crate::agentpack::entry(),
        #[cfg(feature = "wa")]
        crate::wa::entry(),
        #[cfg(feature = "wink")]
        crate::wink::entry(),
        #[cfg(feature = "worldforge")]
        crate::worldforge::entry(),
        #[cfg(feature = "yarnnn")]
        crate::yarnnn::entry(),
    ]
}

/// One surface by name.
pub fn find(name: &str) -> Option<SurfaceEntry> {
    all().into_iter().find(|surface| surface.info.name == name)
}
