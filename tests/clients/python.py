"""The official Python client on a round of visits: reads them as JSON, prints what it saw as JSON."""

import asyncio
import contextlib
import json
import sys

import httpx2
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client


async def see(stack: contextlib.AsyncExitStack, visit: dict) -> dict:
    if visit["url"]:
        headers = {"Authorization": f"Bearer {visit['token']}"} if visit["token"] else {}
        # The default of five seconds is short on a busy machine.
        client = httpx2.AsyncClient(headers=headers, timeout=60)
        http = await stack.enter_async_context(client)
        server = streamable_http_client(visit["url"], http_client=http)
    else:
        server = StdioServerParameters(
            command=visit["command"], args=visit["args"], env=visit["env"], cwd=visit["cwd"]
        )
    client = await stack.enter_async_context(Client(server, mode=visit["mode"]))
    listed = [tool.name for tool in (await client.list_tools()).tools]
    answers = []
    for ask in visit["asks"]:
        answer = await client.call_tool(ask["tool"], ask["arguments"])
        answers.append({"is_error": answer.is_error, "body": answer.structured_content})
    templates, read = [], []
    if visit["templates"]:
        listing = (await client.list_resource_templates()).resource_templates
        templates = [template.uri_template for template in listing]
    for uri in visit["reads"]:
        contents = (await client.read_resource(uri)).contents
        read += [content.model_dump(mode="json", by_alias=True) for content in contents]
    return {
        "templates": templates,
        "read": read,
        "protocol": client.protocol_version,
        "tools": sorted(listed),
        "answers": answers,
    }


async def round_of(visits: list) -> list:
    seen = []
    for visit in visits:
        async with contextlib.AsyncExitStack() as stack:
            try:
                seen.append(await see(stack, visit))
            except Exception:
                print(f"{visit['surface']}, {visit['mode']}, {visit['url']}:", file=sys.stderr)
                raise
    return seen


print(json.dumps(asyncio.run(round_of(json.load(sys.stdin)))))
