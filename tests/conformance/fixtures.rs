//! What the fixtures do. The suite looks at the shape of answers, hardly at their words.

use std::path::Path;
use std::time::Duration;

use toolwright_runtime::server::OfferedTools;
use toolwright_runtime::{Call, ErrorKind as _, Handle, ToolChoice, ToolSelection};
use toolwright_testing::expected;

use crate::generated::{
    Error, Result, SURFACE, TemplateData, TemplateDataRequest, TemplateDataResponse,
    TestElicitation, TestElicitationRequest, TestElicitationResponse, TestErrorHandling,
    TestErrorHandlingRequest, TestErrorHandlingResponse, TestInputRequiredResultElicitation,
    TestInputRequiredResultElicitationRequest, TestInputRequiredResultElicitationResponse,
    TestInputRequiredResultRequestState, TestInputRequiredResultRequestStateRequest,
    TestInputRequiredResultRequestStateResponse, TestLoggingTool, TestLoggingToolRequest,
    TestLoggingToolResponse, TestSimpleText, TestSimpleTextRequest, TestSimpleTextResponse,
    TestStreamingElicitation, TestStreamingElicitationRequest, TestStreamingElicitationResponse,
    TestToolWithProgress, TestToolWithProgressRequest, TestToolWithProgressResponse,
    TestTriggerPromptChange, TestTriggerPromptChangeRequest, TestTriggerPromptChangeResponse,
    TestTriggerToolChange, TestTriggerToolChangeRequest, TestTriggerToolChangeResponse,
};

/// Keeps nothing but what is offered.
pub(crate) struct Fixtures {
    pub(crate) tools: OfferedTools,
}

/// Tools that only say something: what is worth a test happens before they are reached.
macro_rules! says {
    ($($tool:ident, $request:ident -> $response:ident: $text:literal;)*) => {$(
        impl Handle<$tool> for Fixtures {
            async fn handle(&self, _: &Call, _: $request) -> Result<$response> {
                Ok($response { text: $text.to_owned() })
            }
        }
    )*};
}

says! {
    TestElicitation, TestElicitationRequest -> TestElicitationResponse: "agreed";
    TestInputRequiredResultElicitation, TestInputRequiredResultElicitationRequest
        -> TestInputRequiredResultElicitationResponse: "agreed";
    TestInputRequiredResultRequestState, TestInputRequiredResultRequestStateRequest
        -> TestInputRequiredResultRequestStateResponse: "agreed";
    TestLoggingTool, TestLoggingToolRequest -> TestLoggingToolResponse:
        "Nothing was logged to the client.";
    TestSimpleText, TestSimpleTextRequest -> TestSimpleTextResponse:
        "This is a simple text response for testing.";
    TestStreamingElicitation, TestStreamingElicitationRequest
        -> TestStreamingElicitationResponse: "agreed";
}

impl Handle<TemplateData> for Fixtures {
    async fn handle(&self, _: &Call, request: TemplateDataRequest) -> Result<TemplateDataResponse> {
        Ok(TemplateDataResponse { id: request.id })
    }
}

impl Handle<TestErrorHandling> for Fixtures {
    async fn handle(
        &self,
        _: &Call,
        request: TestErrorHandlingRequest,
    ) -> Result<TestErrorHandlingResponse> {
        match request.succeed {
            true => Ok(TestErrorHandlingResponse { text: "done".to_owned() }),
            false => Err(Error::Intended.because("this tool fails unless it is told not to")),
        }
    }
}

impl Handle<TestToolWithProgress> for Fixtures {
    async fn handle(
        &self,
        call: &Call,
        _: TestToolWithProgressRequest,
    ) -> Result<TestToolWithProgressResponse> {
        for done in [0.0, 50.0, 100.0] {
            call.progress(done, Some(100.0), None);
            // What the suite asks for, so that each report is a message of its own.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(TestToolWithProgressResponse { text: "done".to_owned() })
    }
}

impl Handle<TestTriggerToolChange> for Fixtures {
    async fn handle(
        &self,
        _: &Call,
        _: TestTriggerToolChangeRequest,
    ) -> Result<TestTriggerToolChangeResponse> {
        self.change_tools();
        Ok(TestTriggerToolChangeResponse { text: "changed".to_owned() })
    }
}

impl Handle<TestTriggerPromptChange> for Fixtures {
    async fn handle(
        &self,
        _: &Call,
        _: TestTriggerPromptChangeRequest,
    ) -> Result<TestTriggerPromptChangeResponse> {
        self.change_tools();
        Ok(TestTriggerPromptChangeResponse { text: "changed".to_owned() })
    }
}

impl Fixtures {
    /// Takes a tool out of the list, and the prompt that needs it, or puts them back.
    fn change_tools(&self) {
        let exclude_tools = vec!["test_logging_tool".to_owned()];
        let choice = ToolChoice { exclude_tools, ..ToolChoice::default() };
        let fewer = ToolSelection::new(&SURFACE, &choice).expect("a tool of this contract");
        let _ = self.tools.replace(fewer) || self.tools.replace(ToolSelection::default());
    }
}

#[test]
fn the_generated_module_is_what_the_contract_says() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let (specs, generated) = (here.join("specs"), here.join("generated"));
    if expected::is_blessing() {
        let mode = toolwright_codegen::Mode::Write;
        toolwright_codegen::build(&specs, &generated, mode).expect("a contract without errors");
    }
    let stale = toolwright_codegen::stale(&specs, &generated).expect("a contract without errors");
    assert!(stale.is_empty(), "{stale:?} differ; {}", expected::BLESS);
}
