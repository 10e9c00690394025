//! Icons as the SDK has them, for clients whose revision knows them.

use rmcp::RoleServer;
use rmcp::model::{Icon, IconTheme, ProtocolVersion};
use rmcp::service::RequestContext;

use crate::contract;

/// Whether the sender's revision has icons.
pub(super) fn are_known(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| know(&version))
}

/// Whether this revision has icons.
pub(super) fn know(version: &ProtocolVersion) -> bool {
    *version >= ProtocolVersion::V_2025_11_25
}

/// The icons, where the client knows them and there are any.
pub(super) fn served<'a>(
    icons: impl IntoIterator<Item = &'a contract::IconInfo>,
    known: bool,
) -> Option<Vec<Icon>> {
    let icons: Vec<Icon> = icons.into_iter().filter(|_| known).map(icon).collect();
    (!icons.is_empty()).then_some(icons)
}

fn icon(icon: &contract::IconInfo) -> Icon {
    let mut served = Icon::new(icon.src).with_mime_type(icon.mime_type);
    if !icon.sizes.is_empty() {
        served.sizes = Some(icon.sizes.iter().map(|size| (*size).to_owned()).collect());
    }
    served.theme = icon.theme.map(|theme| match theme {
        contract::IconTheme::Light => IconTheme::Light,
        contract::IconTheme::Dark => IconTheme::Dark,
    });
    served
}
