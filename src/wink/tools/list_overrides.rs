//! `wink.list_overrides`

use toolwright_runtime::page;
use toolwright_runtime::{Call, Handle};

use super::answer;
use crate::Wink;
use crate::generated::{
    FileError, ListOverrides, ListOverridesRequest, ListOverridesResponse, OverrideFile, Result,
    SectionHandle, ToolHandle,
};
use crate::listing::{Item, ListRequest};

/// Bytes of an answer reserved for everything but the files.
const FRAME_BYTES: usize = 2_500;

impl Handle<ListOverrides> for Wink {
    async fn handle(
        &self,
        call: &Call,
        request: ListOverridesRequest,
    ) -> Result<ListOverridesResponse> {
        let budget = page::budget_bytes(call.tool().budget.result_tokens);
        let request = ListRequest {
            namespace: request.ns,
            cursor: request.cursor,
            limit: usize::try_from(request.limit).unwrap_or(usize::MAX),
            byte_budget: budget.saturating_sub(FRAME_BYTES),
        };
        // Walking a large directory takes a while and must not block the transport.
        let page = self.write(move |engine| engine.list(&request)).await?;
        Ok(ListOverridesResponse {
            overrides_dir: page.root,
            root_source: page.root_source.as_str().to_owned(),
            overrides: page.items.into_iter().map(file).collect(),
            total: page.total as u64,
            next_cursor: page.next_cursor,
            warnings: answer::warnings(page.warnings),
        })
    }
}

fn file(item: Item) -> OverrideFile {
    OverrideFile {
        ns: item.ns,
        prompt: item.prompt,
        tag: item.tag,
        backing_file_path: item.backing_file_path,
        content_hash: item.content_hash,
        size_bytes: item.size,
        updated_at: item.updated_at,
        format: item.format.map(|format| i64::from(format.number())),
        section_count: item.section_count as u64,
        tool_count: item.tool_count as u64,
        task_example_count: item.task_example_count as u64,
        sections: item
            .sections
            .into_iter()
            .map(|handle| SectionHandle {
                section_path: handle.name,
                expected_hash: handle.expected_hash,
                status: answer::status(Some(handle.status)),
                matches_default: handle.matches_default,
            })
            .collect(),
        tools: item
            .tools
            .into_iter()
            .map(|handle| ToolHandle {
                tool_name: handle.name,
                expected_contract_hash: handle.expected_hash,
                status: answer::status(Some(handle.status)),
                matches_default: handle.matches_default,
            })
            .collect(),
        handles_omitted: (item.handles_omitted > 0).then_some(item.handles_omitted as u64),
        error: item
            .error
            .map(|error| FileError { code: error.code.to_owned(), message: error.message }),
    }
}
