//! The text of generated modules, compared with goldens that other tests compile and call:
//! `runtime/tests/generated/`.

use std::path::{Path, PathBuf};

use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::{emit, load};

/// Set to write the goldens anew: `TOOLWRIGHT_BLESS=1 cargo test -p toolwright-codegen --test emit`.
const BLESS: &str = "TOOLWRIGHT_BLESS";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn golden(name: &str) {
    let loaded = load(&root().join("tests/specs/valid").join(name));
    let contract = match loaded.contracts.as_slice() {
        [contract] => contract,
        _ => panic!("{name}:\n{}", loaded.report.render(Colour::Never)),
    };
    let text = emit::emit(contract).unwrap();
    assert_eq!(text, emit::emit(contract).unwrap(), "two runs differ");
    let path = root().join("codegen/tests/golden").join(format!("{name}.rs"));
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = golden.lines().zip(text.lines()).position(|(old, new)| old != new);
    assert!(
        golden == text,
        "`{}` is not what the emitter writes, first in line {}; look at the change, then run with {BLESS}=1",
        path.display(),
        differs.unwrap_or_else(|| golden.lines().count().min(text.lines().count())) + 1,
    );
}

#[test]
fn echo() {
    golden("echo");
}

#[test]
fn kitchen_sink() {
    golden("kitchen_sink");
}
