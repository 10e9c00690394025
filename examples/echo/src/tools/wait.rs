//! `wait`

use std::time::Duration;

use toolwright_runtime::{Call, Handle};

use crate::Server;
use crate::generated::{Result, Wait, WaitRequest, WaitResponse};

const STEP: Duration = Duration::from_millis(100);

impl Handle<Wait> for Server {
    // A tool that only reads is dropped at the next `await` when the client cancels the call.
    async fn handle(&self, call: &Call, request: WaitRequest) -> Result<WaitResponse> {
        for step in 0..request.steps {
            tokio::time::sleep(STEP).await;
            call.progress((step + 1) as f64, Some(request.steps as f64), Some("waiting"));
        }
        Ok(WaitResponse { waited: request.steps })
    }
}
