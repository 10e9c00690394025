//! A surface's own guards: parameters bound from the spec, decision handwritten.

use serde_json::{Map, Value};

use crate::pipeline::{Ended, Refusal, Run, watched};
use crate::tool::{Guard, GuardParams, Tool};

/// Where a parameter's value comes from.
#[derive(Debug, Clone, Copy)]
pub enum Bind {
    /// JSON text.
    Literal(&'static str),
    /// The argument of this name, or its default; where there is neither, the parameter is absent.
    Argument(&'static str),
}

/// Binds the parameters of guard `G` and lets the surface decide.
pub async fn own<G, T, H>(
    run: &mut Run<'_, T>,
    handlers: &H,
    binds: &[(&'static str, Bind)],
) -> Result<(), Refusal>
where
    G: GuardParams,
    T: Tool,
    H: Guard<G>,
{
    let params = match bound::<G, T>(run, binds) {
        Ok(params) => params,
        Err(cause) => {
            return Err(run.internal(format!("parameters of guard `{}`: {cause}", G::NAME)).into());
        }
    };
    let call = run.call();
    let decision = async { handlers.check(call, params).await };
    match watched(call, true, decision).await {
        Ended::Done(Ok(())) => Ok(()),
        Ended::Done(Err(failure)) => Err(failure.erase().into()),
        Ended::Panicked(cause) => Err(run.internal(format!("guard `{}` {cause}", G::NAME)).into()),
        Ended::Cancelled => Err(Refusal::Cancelled),
    }
}

fn bound<G: GuardParams, T: Tool>(
    run: &Run<'_, T>,
    binds: &[(&'static str, Bind)],
) -> serde_json::Result<G> {
    let mut params = Map::new();
    for (name, bind) in binds {
        let value = match bind {
            Bind::Literal(text) => Some(serde_json::from_str(text)?),
            Bind::Argument(argument) => run.argument(argument).cloned(),
        };
        if let Some(value) = value {
            params.insert((*name).to_owned(), value);
        }
    }
    serde_json::from_value(Value::Object(params))
}
