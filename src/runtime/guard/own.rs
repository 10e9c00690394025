//! A surface's own guards: binds the parameters from the spec and calls the handwritten check.

use serde_json::{Map, Value};

use crate::call::Call;
use crate::error::RawFailure;
use crate::pipeline::{DecodedCall, Refusal, Supervised, UndecodedCall, supervise};
use crate::tool::{Guard, GuardParams, Tool};

/// Where a parameter's value comes from.
#[derive(Debug, Clone, Copy)]
pub enum Bind {
    /// JSON text.
    Literal(&'static str),
    /// The argument of this name, or its default; without either, the parameter is absent.
    Argument(&'static str),
}

/// Binds the parameters of guard `G` and runs its check. Returns the value of the guard.
pub async fn own<G, T, H>(
    decoded: &mut DecodedCall<'_, T>,
    handlers: &H,
    binds: &[(&'static str, Bind)],
) -> Result<H::Pass, Refusal>
where
    G: GuardParams,
    T: Tool,
    H: Guard<G>,
{
    let params = read(binds.iter().filter_map(|(name, bind)| match bind {
        Bind::Literal(text) => Some((*name, serde_json::from_str(text))),
        Bind::Argument(argument) => Some((*name, Ok(decoded.argument(argument)?.clone()))),
    }));
    decide::<G, H>(decoded.call(), handlers, params)
        .await
        .map_err(|why| why.refusal(|c| decoded.internal(c)))
}

/// Runs guard `G` before the arguments are read; parameters are JSON texts.
pub async fn admit<G, T, H>(
    undecoded: &UndecodedCall<'_, T>,
    handlers: &H,
    params: &[(&'static str, &'static str)],
) -> Result<H::Pass, Refusal>
where
    G: GuardParams,
    T: Tool,
    H: Guard<G>,
{
    let params = read(params.iter().map(|(name, text)| (*name, serde_json::from_str(text))));
    let decided = decide::<G, H>(undecoded.call(), handlers, params).await;
    decided.map_err(|why| why.refusal(|cause| undecoded.internal(cause)))
}

fn read<'n, G: GuardParams>(
    params: impl Iterator<Item = (&'n str, serde_json::Result<Value>)>,
) -> serde_json::Result<G> {
    let params = params.map(|(name, value)| Ok((name.to_owned(), value?)));
    serde_json::from_value(Value::Object(params.collect::<serde_json::Result<Map<_, _>>>()?))
}

/// Why a guard did not pass.
enum GuardError {
    Refused(Refusal),
    Defect(String),
}

impl GuardError {
    fn refusal(self, internal: impl FnOnce(String) -> RawFailure) -> Refusal {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Defect(cause) => internal(cause).into(),
        }
    }
}

async fn decide<G: GuardParams, H: Guard<G>>(
    call: &Call,
    handlers: &H,
    params: serde_json::Result<G>,
) -> Result<H::Pass, GuardError> {
    let params = match params {
        Ok(params) => params,
        Err(cause) => {
            return Err(GuardError::Defect(format!("parameters of guard `{}`: {cause}", G::NAME)));
        }
    };
    let decision = async { handlers.check(call, params).await };
    match supervise(call, true, decision).await {
        Supervised::Done(Ok(pass)) => Ok(pass),
        Supervised::Done(Err(failure)) => Err(GuardError::Refused(failure.erase().into())),
        Supervised::Panicked(cause) => {
            Err(GuardError::Defect(format!("guard `{}` {cause}", G::NAME)))
        }
        Supervised::Cancelled => Err(GuardError::Refused(Refusal::Cancelled)),
    }
}
