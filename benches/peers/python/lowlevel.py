"""The tools on `mcp`'s low-level server, which validates nothing: over stdio, or over HTTP on the
port that is given."""

import asyncio
import inspect
import json
import pathlib
import sys

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

import work

LIST = json.loads((pathlib.Path(__file__).parent.parent / "tools.json").read_text())
TOOLS = types.ListToolsResult.model_validate(LIST)


async def list_tools(_context, _params):
    return TOOLS


async def call_tool(_context, params):
    made = {"echo": work.echo, "add": work.add, "wait": work.wait}[params.name](**params.arguments)
    body = (await made if inspect.isawaitable(made) else made).model_dump(exclude_none=True)
    text = types.TextContent(type="text", text=json.dumps(body))
    return types.CallToolResult(content=[text], structured_content=body)


async def over_stdio():
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


server = Server("echo", on_list_tools=list_tools, on_call_tool=call_tool)
if len(sys.argv) > 1:
    uvicorn.run(server.streamable_http_app(), port=int(sys.argv[1]), log_level="warning")
else:
    asyncio.run(over_stdio())
