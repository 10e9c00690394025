//! What the server offers at the moment: its user's selection, and the tool lists rendered from it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::catalogue::{Audience, Catalogue};
use super::view::View;
use crate::contract::{ResourceInfo, ResourceSource};
use crate::tool_selection::ToolSelection;

/// One selection with its lists, which are rendered on first use.
pub(super) struct Offer {
    selection: Arc<ToolSelection>,
    /// By view, then by revision.
    lists: [OnceLock<String>; View::COUNT * 2],
}

impl Offer {
    fn new(selection: Arc<ToolSelection>) -> Self {
        Self { selection, lists: [const { OnceLock::new() }; View::COUNT * 2] }
    }

    /// The result of `tools/list` in one view, for a caller who may call these tools only.
    pub(super) fn list(
        &self,
        catalogue: &Catalogue,
        view: View,
        modern: bool,
        callable: Option<&[usize]>,
    ) -> Cow<'_, str> {
        if let Some(callable) = callable {
            let has = |tool| self.selection.has(tool) && callable.contains(&tool);
            return Cow::Owned(catalogue.render(view, modern, Audience::Caller, has));
        }
        let has = |tool| self.selection.has(tool);
        let lists = &self.lists[view.index() * 2 + usize::from(modern)];
        lists.get_or_init(|| catalogue.render(view, modern, Audience::Everybody, has)).into()
    }

    /// Whether the tool at this index is offered.
    pub(super) fn has(&self, tool: usize) -> bool {
        self.selection.has(tool)
    }

    /// The flags that leave the tool out.
    pub(super) fn left_out_by(&self, tool: usize) -> Option<&'static str> {
        self.selection.left_out_by(tool)
    }

    /// Whether the resource can be read: one that mirrors a tool goes with it.
    pub(super) fn has_resource(&self, resource: &ResourceInfo, callable: Option<&[usize]>) -> bool {
        match resource.source {
            ResourceSource::Tool(tool) => {
                self.has(tool) && callable.is_none_or(|callable| callable.contains(&tool))
            }
            ResourceSource::File { .. } | ResourceSource::Blob { .. } => true,
        }
    }
}

/// The offer of the current selection, which may be replaced while connections use it.
pub(super) struct CurrentOffer(RwLock<Arc<Offer>>);

impl CurrentOffer {
    pub(super) fn new(selection: Arc<ToolSelection>) -> Self {
        Self(RwLock::new(Arc::new(Offer::new(selection))))
    }

    /// The offer of this selection.
    pub(super) fn of(&self, selection: Arc<ToolSelection>) -> Arc<Offer> {
        let offer = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        if Arc::ptr_eq(&offer.selection, &selection) {
            return offer;
        }
        let offer = Arc::new(Offer::new(selection));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = offer.clone();
        offer
    }
}
