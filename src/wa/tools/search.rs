//! `wa.search`

use toolwright_runtime::{Call, Handle};

use crate::engine::Engine;
use crate::generated::{
    Result, Search, SearchHit, SearchPage, SearchRequest, SearchResponse, TimeFilter,
};
use crate::history::SearchQuery;
use crate::{Wa, error, unsigned};

impl Handle<Search> for Wa {
    async fn handle(&self, _: &Call, request: SearchRequest) -> Result<SearchResponse> {
        self.run(move |engine| search(engine, request)).await
    }
}

fn search(engine: &Engine, request: SearchRequest) -> error::Result<SearchPage> {
    let page = engine.records()?.history.search(&SearchQuery {
        query: &request.query,
        limit: usize::try_from(request.limit).unwrap_or(usize::MAX),
        pane_id: request.pane,
        since: request.since,
        highlight: request.snippets,
    })?;
    let hits = page.hits.into_iter().map(|hit| SearchHit {
        segment_id: unsigned(hit.segment_id),
        pane_id: hit.pane_id,
        seq: Some(hit.seq),
        captured_at: unsigned(hit.captured_at),
        snippet: hit.snippet,
        bm25_score: Some(hit.score),
    });
    Ok(SearchPage {
        // Text that is not a query was searched for literally: the caller sees the query used.
        query: if page.rewritten { page.searched } else { request.query },
        results: hits.collect(),
        total_matches: page.total,
        limit: Some(request.limit),
        pane_filter: request.pane,
        time_filter: request.since.map(|after| TimeFilter { after: Some(after), before: None }),
    })
}
