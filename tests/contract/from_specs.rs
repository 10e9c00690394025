//! Tables built at run time from `specs/` equal the compiled ones.

use std::path::Path;

use toolwright::{from_specs, surfaces};
use toolwright_runtime::contract::SurfaceInfo;

/// The tables of one contract in a folder below the repository.
pub(crate) fn surface(folder: &str, name: &str) -> &'static SurfaceInfo {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (contracts, _) =
        toolwright_codegen::load(&folder).into_result().expect("contracts without errors");
    let contract = contracts.iter().find(|contract| contract.name == name).expect("the contract");
    from_specs::surface_info(contract).expect("a checked contract")
}

#[test]
fn every_field_of_the_tables_is_the_compiled_one() {
    for entry in surfaces::all() {
        let made = format!("{:#?}", surface("specs", entry.info.name));
        let compiled = format!("{:#?}", entry.info);
        let differing =
            made.lines().zip(compiled.lines()).find(|(made, compiled)| made != compiled);
        assert_eq!(differing, None, "{}", entry.info.name);
        assert_eq!(made.len(), compiled.len(), "{}", entry.info.name);
    }
}
