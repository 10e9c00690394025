//! A surface that answers from its examples, but not always at once: some tools take several turns,
//! report progress or ask the person first, so that every road through the server is taken.

use serde_json::value::RawValue;
use toolwright_runtime::ask::{AskOutcome, Question};
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::dispatch::OutcomeFuture;
use toolwright_runtime::mock::Mock;
use toolwright_runtime::{Call, Dispatch, Outcome};

pub(super) struct Uneven {
    mock: Mock,
}

impl Uneven {
    pub(super) fn new(info: &'static SurfaceInfo) -> Self {
        Self { mock: Mock::new(info) }
    }
}

/// Name of a tool that answers at once.
pub(super) fn steady(info: &SurfaceInfo) -> &'static str {
    info.tools[0].canonical
}

impl Dispatch for Uneven {
    fn info(&self) -> &'static SurfaceInfo {
        self.mock.info()
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(async move {
            match tool % 4 {
                1 => tokio::task::yield_now().await,
                2 => {
                    for step in 0..4 {
                        call.progress(f64::from(step), Some(4.0), Some("a step"));
                        tokio::task::yield_now().await;
                    }
                }
                3 => {
                    let question = Question::new("Really?");
                    if let Some(asker) = call.asker()
                        && let AskOutcome::Repeat(request) =
                            asker.ask(&question, arguments.get()).await
                    {
                        return Outcome::NeedsInput(request);
                    }
                }
                _ => {}
            }
            self.mock.dispatch(tool, call, arguments).await
        })
    }
}
