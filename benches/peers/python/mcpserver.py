"""The tools on `mcp`'s MCPServer: over stdio, or over HTTP on the port that is given."""

import sys

from mcp.server.mcpserver import MCPServer

import work

server = MCPServer("echo", log_level="WARNING")
for tool in (work.echo, work.add, work.wait):
    server.tool()(tool)

if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run()
