"""The tools on `fastmcp`: over stdio, or over HTTP on the port that is given."""

import sys

from fastmcp import FastMCP

import work

server = FastMCP("echo")
for tool in (work.echo, work.add, work.wait):
    server.tool()(tool)

if len(sys.argv) > 1:
    server.run("http", port=int(sys.argv[1]), show_banner=False, log_level="warning")
else:
    server.run(show_banner=False, log_level="warning")
