//! The handle by which the choice of tools is replaced while a server runs.

use std::sync::Arc;

use tokio::sync::watch;

use crate::tool_selection::ToolSelection;

/// The tools that a server offers. Clones share the choice.
#[derive(Debug, Clone)]
pub struct OfferedTools(watch::Sender<Arc<ToolSelection>>);

impl OfferedTools {
    /// Offers these.
    pub fn new(selection: ToolSelection) -> Self {
        Self(watch::Sender::new(Arc::new(selection)))
    }

    /// Offers these from now on, in lists and calls, and tells clients. False if nothing changes.
    pub fn replace(&self, selection: ToolSelection) -> bool {
        self.0.send_if_modified(|current| {
            let differs = **current != selection;
            if differs {
                *current = Arc::new(selection);
            }
            differs
        })
    }

    pub(super) fn current(&self) -> Arc<ToolSelection> {
        self.0.borrow().clone()
    }

    pub(super) fn watch(&self) -> watch::Receiver<Arc<ToolSelection>> {
        self.0.subscribe()
    }
}

impl Default for OfferedTools {
    fn default() -> Self {
        Self::new(ToolSelection::default())
    }
}

impl From<ToolSelection> for OfferedTools {
    fn from(selection: ToolSelection) -> Self {
        Self::new(selection)
    }
}
