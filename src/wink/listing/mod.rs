//! Listing: one walk over the directory, then only the files of the page are read.
//!
//! A bad file is an item with an error, never a failed list. The order is by path, component by
//! component, as the library sorts; the cursor names the last path returned, so that changes in between
//! neither repeat nor hide unchanged files. No bodies.

mod item;
#[cfg(test)]
mod tests;
mod walk;

use serde::Serialize;
use toolwright_runtime::ErrorKind;

use super::descriptor::Descriptors;
use super::engine::{Warning, WarningCode};
use super::failure::Result;
use super::ids::{self, Namespace};
use super::root::{OverridesRoot, RootSource};
use super::store::open_root;
use crate::generated::Error;

pub use item::{Handle, Item, ItemError};

/// How many findings about descriptors a page carries at most.
const MAX_FINDINGS: usize = 5;

/// What to list.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// Namespace: exact, or a prefix if it ends in `*`. Blank means all.
    pub namespace: Option<String>,
    /// Continue after a page.
    pub cursor: Option<String>,
    /// Most files on the page.
    pub limit: usize,
    /// Most bytes of items on the page, as JSON. The first item is always returned, cut if needed.
    pub byte_budget: usize,
}

impl Default for ListRequest {
    fn default() -> Self {
        Self { namespace: None, cursor: None, limit: 100, byte_budget: usize::MAX }
    }
}

/// One page.
#[derive(Debug, Clone, Serialize)]
pub struct Page {
    /// The overrides directory.
    pub root: String,
    /// Why this directory.
    pub root_source: RootSource,
    /// Whether the directory exists.
    pub root_exists: bool,
    /// Files of this page.
    pub items: Vec<Item>,
    /// How many files match, on all pages.
    pub total: usize,
    /// How many files there are.
    pub total_files: usize,
    /// Where the next page starts; none on the last.
    pub next_cursor: Option<String>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

/// Which namespaces are wanted.
#[derive(Debug, Clone)]
enum Filter {
    All,
    Exact(String),
    Prefix(String),
}

impl Filter {
    fn parse(text: Option<&str>) -> Result<Self> {
        let text = ids::trim(text.unwrap_or_default());
        match text.strip_suffix('*') {
            _ if text.is_empty() => Ok(Self::All),
            Some(prefix) => {
                let plain = prefix
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-/".contains(&b));
                if plain {
                    return Ok(Self::Prefix(prefix.to_owned()));
                }
                Err(Error::InvalidIdentifier
                    .because(format!("`ns`: `{text}` is no namespace prefix."))
                    .hint("Send the start of a namespace followed by `*`, such as `demo.*`.")
                    .with("field", "ns")
                    .with("received", text))
            }
            None => Namespace::parse(text).map(|ns| Self::Exact(ns.as_str().to_owned())),
        }
    }

    fn admits(&self, ns: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exact(wanted) => ns == wanted,
            Self::Prefix(prefix) => ns.starts_with(prefix.as_str()),
        }
    }
}

/// Lists a page of override files.
pub fn list(
    root: &OverridesRoot,
    descriptors: &Descriptors,
    request: &ListRequest,
) -> Result<Page> {
    let filter = Filter::parse(request.namespace.as_deref())?;
    let after = request.cursor.as_deref().map(parse_cursor).transpose()?;
    let mut page = Page {
        root: root.dir.display().to_string(),
        root_source: root.source,
        root_exists: false,
        items: Vec::new(),
        total: 0,
        total_files: 0,
        next_cursor: None,
        warnings: Vec::new(),
    };
    let Some(directory) = open_root(&root.dir)? else { return Ok(page) };
    page.root_exists = true;
    let walked = walk::walk(&root.dir)?;
    if let Some(first) = walked.links.first() {
        page.warnings.push(WarningCode::LinkSkipped.because(format!(
            "{} symbolic link(s) below the overrides directory are not followed, such as `{first}`.",
            walked.links.len()
        )));
    }
    page.total_files = walked.files.len();
    let wanted: Vec<_> =
        walked.files.into_iter().filter(|file| filter.admits(file.namespace())).collect();
    page.total = wanted.len();
    let start = after.map_or(0, |after| wanted.partition_point(|file| *file <= after));
    let catalogs = describe(descriptors, &mut page.warnings);
    let wanted = &wanted[start..];
    let limited = request.byte_budget < usize::MAX;
    let mut reader = item::Reader::new(&directory, &catalogs);
    let mut spent = 0;
    for file in wanted {
        if page.items.len() >= request.limit.max(1) {
            page.next_cursor = wanted.get(page.items.len() - 1).map(cursor);
            break;
        }
        let mut item = reader.read(file);
        let size = if limited { item.json_size() } else { 0 };
        if page.items.is_empty() && limited {
            item.cut_to(request.byte_budget);
        } else if spent + size > request.byte_budget {
            page.next_cursor = wanted.get(page.items.len() - 1).map(cursor);
            break;
        }
        spent += size;
        page.items.push(item);
    }
    Ok(page)
}

fn describe(
    descriptors: &Descriptors,
    warnings: &mut Vec<Warning>,
) -> Vec<std::sync::Arc<super::descriptor::Catalog>> {
    let (catalogs, failures) = descriptors.catalogs();
    for failure in failures {
        warnings.push(WarningCode::DescriptorUnavailable.because(failure.message()));
    }
    let findings: Vec<String> = catalogs.iter().flat_map(|catalog| catalog.findings()).collect();
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    for finding in findings.into_iter().take(MAX_FINDINGS) {
        warnings.push(WarningCode::DescriptorFlawed.because(finding));
    }
    if more > 0 {
        warnings.push(WarningCode::DescriptorFlawed.because(format!("And {more} more findings.")));
    }
    if catalogs.is_empty() && warnings.is_empty() {
        warnings.push(WarningCode::StalenessUnknown.because(
            "There is no descriptor export, so it is not known which overrides are stale.",
        ));
    }
    catalogs
}

fn cursor(file: &walk::Found) -> String {
    format!("after:{}", file.relative())
}

fn parse_cursor(text: &str) -> Result<walk::Found> {
    text.strip_prefix("after:").filter(|path| !path.is_empty()).map(walk::Found::new).ok_or_else(
        || {
            Error::CursorInvalid
                .because(format!("`cursor`: `{text}` is none that a list returned."))
                .hint("Send `next_cursor` of the page before, unchanged, or leave `cursor` out.")
                .with("field", "cursor")
                .with("received", text)
        },
    )
}
