//! The smallest surface: no envelope, no guards, no settings.

#[path = "../../../codegen/tests/golden/echo.rs"]
#[rustfmt::skip]
#[allow(dead_code)]
mod surface;

use std::sync::Arc;

use serde_json::value::RawValue;
use surface::*;
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::{Answer, Call, Dispatch as _, ErrorKind as _, Handle, Outcome, Services};

struct Handlers;

impl Handle<Add> for Handlers {
    async fn handle(&self, _: &Call, request: AddRequest) -> Result<AddResponse> {
        Ok(AddResponse { sum: request.numbers.iter().sum() })
    }
}

impl Handle<Echo> for Handlers {
    async fn handle(&self, _: &Call, request: EchoRequest) -> Result<EchoResponse> {
        Ok(EchoResponse { text: request.text })
    }
}

impl Handle<Fail> for Handlers {
    async fn handle(&self, _: &Call, request: FailRequest) -> Result<FailResponse> {
        match request.really {
            true => Err(Error::Failed.because("as you asked")),
            false => Ok(FailResponse { failed: false }),
        }
    }
}

async fn call(tool: &str, arguments: &str) -> Answer {
    let surface = Surface::new(Handlers);
    let (index, info) = surface.info().tool(tool).unwrap();
    let services = Services {
        clock: Arc::new(FixedClock::at(0)),
        ids: Arc::new(CountingIds::default()),
        version: "1",
    };
    let call = Call::new(info, "1", services);
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    match surface.dispatch(index, &call, &arguments).await {
        Outcome::Answer(answer) => answer,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn answers_are_the_data_itself() {
    assert_eq!(call("echo", r#"{"text":"hä"}"#).await.body, r#"{"text":"hä"}"#);
    assert_eq!(call("add", r#"{"numbers":[2,-3]}"#).await.body, r#"{"sum":-1}"#);
    assert_eq!(call("fail", r#"{"really":false}"#).await.body, r#"{"failed":false}"#);
}

#[tokio::test]
async fn failures_have_the_default_shape() {
    let answer = call("fail", "{}").await;
    assert!(answer.is_error);
    assert_eq!(
        answer.body,
        r#"{"code":"failed","hint":"call echo instead","message":"as you asked"}"#
    );
    assert_eq!(call("add", "[]").await.kind, Some("invalid_arguments"));
}
