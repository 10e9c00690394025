//! Icons that clients may show.

/// An icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IconInfo {
    /// An `https:` URL, or a `data:` URI made from a file of the contract.
    pub src: &'static str,
    /// Media type.
    pub mime_type: &'static str,
    /// `48x48`, or `any` for what can be scaled.
    pub sizes: &'static [&'static str],
    /// The background that it is for; `None`: any.
    pub theme: Option<IconTheme>,
}

/// The background that an icon is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IconTheme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}

/// What an icon is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IconOwner {
    /// The server.
    Surface,
    /// The tool at this index of `SurfaceInfo::tools`.
    Tool(usize),
    /// The resource at this index of `SurfaceInfo::resources`.
    Resource(usize),
}
