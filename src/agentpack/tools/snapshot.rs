//! `snapshot`, which clients read as a resource.

use toolwright_runtime::{Call, Handle};

use crate::Agentpack;
use crate::generated::{
    Result, Snapshot, SnapshotChange, SnapshotFile, SnapshotRequest, SnapshotResponse,
};

impl Handle<Snapshot> for Agentpack {
    async fn handle(&self, call: &Call, request: SnapshotRequest) -> Result<SnapshotResponse> {
        let found = self.run(call, move |engine| engine.snapshot(&request.id)).await?;
        let changes = found.changes.into_iter();
        let files = found.managed_files.into_iter();
        Ok(SnapshotResponse {
            id: found.id,
            kind: found.kind,
            created_at: found.created_at,
            targets: found.targets,
            rolled_back_to: found.rolled_back_to,
            changes: changes
                .map(|it| SnapshotChange { target: it.target, op: it.op, path: it.path })
                .collect(),
            managed_files: files
                .map(|it| SnapshotFile { target: it.target, path: it.path, sha256: it.sha256 })
                .collect(),
        })
    }
}
