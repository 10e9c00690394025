//! Dependencies of a new package: a checkout of Toolwright by path, or a released version.
//!
//! The binary contains no path, because it may outlive the checkout it was built in.

use std::path::{Path, PathBuf};

/// Values of the dependencies in a `Cargo.toml`.
pub(super) struct Dependencies {
    /// Explanation, as a TOML comment.
    pub(super) comment: String,
    pub(super) commands: String,
    pub(super) runtime: String,
    pub(super) codegen: String,
    pub(super) testing: String,
}

impl Dependencies {
    /// The given checkout, else the one that contains this folder, else a version. `package` is the
    /// folder to create.
    pub(super) fn find(given: Option<&Path>, package: &Path) -> Result<Self, String> {
        let here = std::env::current_dir()
            .map_err(|error| format!("this folder cannot be read: {error}"))?;
        let checkout = match given {
            Some(path) if is_checkout(path) => Some(here.join(path)),
            Some(path) => {
                return Err(format!(
                    "`{}` is not a checkout of Toolwright: it lacks `src/runtime/` and `src/codegen/`",
                    path.display()
                ));
            }
            None => here.ancestors().find(|folder| is_checkout(folder)).map(Path::to_owned),
        };
        Ok(match checkout {
            Some(checkout) => Self::by_path(&checkout, &here.join(package)),
            None => Self::by_version(),
        })
    }

    fn by_path(checkout: &Path, package: &Path) -> Self {
        let checkout = std::fs::canonicalize(checkout).unwrap_or_else(|_| checkout.to_owned());
        let to = |crate_folder: &str| {
            let path = relative_path(package, &checkout).join(crate_folder);
            // A JSON text is a TOML text.
            format!("{{ path = {} }}", serde_json::Value::from(path.to_string_lossy()))
        };
        Self {
            comment: "# A checkout of Toolwright. A version or a git repository works, too."
                .to_owned(),
            commands: to("src/commands"),
            runtime: to("src/runtime"),
            codegen: to("src/codegen"),
            testing: to("src/testing"),
        }
    }

    fn by_version() -> Self {
        let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
        Self {
            comment: "# No checkout of Toolwright was found. To depend on one, write\n\
                      # `toolwright-runtime = { path = \"<checkout>/src/runtime\" }`, and the others likewise."
                .to_owned(),
            commands: version.clone(),
            runtime: version.clone(),
            codegen: version.clone(),
            testing: version,
        }
    }
}

/// Path of the checkout, relative if the package is inside it.
fn relative_path(package: &Path, checkout: &Path) -> PathBuf {
    let package = toolwright_platform::paths::normal(package);
    let parent = package.parent().and_then(|parent| std::fs::canonicalize(parent).ok());
    match parent.as_deref().and_then(|parent| parent.strip_prefix(checkout).ok()) {
        Some(inside) => std::iter::repeat_n("..", inside.components().count() + 1).collect(),
        None => checkout.to_owned(),
    }
}

fn is_checkout(folder: &Path) -> bool {
    let names = |path: &str, name: &str| {
        std::fs::read_to_string(folder.join(path)).is_ok_and(|text| text.contains(name))
    };
    names("src/runtime/Cargo.toml", "\"toolwright-runtime\"")
        && names("src/codegen/Cargo.toml", "\"toolwright-codegen\"")
}
