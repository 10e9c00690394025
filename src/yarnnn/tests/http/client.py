"""The official Python client against a server: URL, token, protocol mode. Prints what it saw as JSON."""

import asyncio
import json
import sys

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, token: str, mode: str) -> dict:
    headers = {"Authorization": f"Bearer {token}"}
    # Its own five seconds are too few for a busy machine.
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            tools = await client.list_tools()
            created = await client.call_tool(
                "create_memory_from_chat",
                {
                    "conversation_history": "User: We decided to move billing to Stripe in March.",
                    "basket_name_suggestion": "Billing",
                },
            )
            recalled = await client.call_tool("get_substrate", {"keywords": ["stripe"]})
            foreign = await client.call_tool("get_substrate", {"basket_id": "none"})
            page = await client.read_resource("ui://yarnnn/settings.html")
            return {
                "protocol": client.protocol_version,
                "tools": {tool.name: tool.meta for tool in tools.tools},
                "created": created.structured_content,
                "selection": (created.meta or {}).get("_basket_selection"),
                "recalled": recalled.structured_content,
                "foreign": {"is_error": foreign.is_error, "body": foreign.structured_content},
                "page": [content.mime_type for content in page.contents],
            }


print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
