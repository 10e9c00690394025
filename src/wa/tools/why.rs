//! `wa.why`

use toolwright_runtime::{Call, Handle};

use crate::generated::{Explanation, Result, Why, WhyRequest, WhyResponse};
use crate::{Wa, failure, why};

impl Handle<Why> for Wa {
    async fn handle(&self, _: &Call, request: WhyRequest) -> Result<WhyResponse> {
        let found = why::explain(&request.code).map_err(failure)?;
        Ok(Explanation {
            code: found.code,
            category: found.category,
            title: found.title,
            explanation: found.explanation,
            suggestions: found.suggestions,
            see_also: found.see_also,
        })
    }
}
