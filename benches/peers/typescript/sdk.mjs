// The tools on `@modelcontextprotocol/sdk`: over stdio, or over HTTP on the port that is given.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { register } from "./tools.mjs";

const make = () => register(new McpServer({ name: "echo", version: "1" }), (schemas) => schemas);

const sessions = new Map();
async function handle(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    const onsessioninitialized = (id) => sessions.set(id, transport);
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized,
    });
    await make().connect(transport);
  }
  await transport.handleRequest(request, response);
}

const port = process.argv[2];
if (port) createServer({ keepAliveTimeout: 60_000 }, handle).listen(Number(port), "127.0.0.1");
else await make().connect(new StdioServerTransport());
