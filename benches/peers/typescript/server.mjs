// The tools on `@modelcontextprotocol/server`: over stdio, or over HTTP on the port that is given.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { register } from "./tools.mjs";

const make = () => register(new McpServer({ name: "echo", version: "1" }), z.object);

const port = process.argv[2];
const http = { keepAliveTimeout: 60_000 };
if (port) createServer(http, toNodeHandler(createMcpHandler(make))).listen(Number(port), "127.0.0.1");
else serveStdio(make);
