// The official TypeScript client on a round of visits: reads them as JSON, prints what it saw as
// JSON. It holds structured content against the output schema, of failures too, and throws.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(`${process.env.PACKAGE}/package.json`);
const load = (name) => import(pathToFileURL(resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

function transport({ url, token, command, args, env, cwd }) {
  if (!url) return new StdioClientTransport({ command, args, env, cwd, stderr: "ignore" });
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

async function see(visit) {
  const client = new Client({ name: "typescript", version: "1" });
  const way = transport(visit);
  let protocol;
  way.setProtocolVersion = ((set) => (version) => {
    protocol = version;
    set?.call(way, version);
  })(way.setProtocolVersion);
  await client.connect(way);
  // Listing first: it is from the list that the client learns the output schemas.
  const { tools } = await client.listTools();
  const answers = [];
  for (const { tool, arguments: given } of visit.asks) {
    const answer = await client.callTool({ name: tool, arguments: given });
    answers.push({ is_error: answer.isError ?? false, body: answer.structuredContent });
  }
  const listing = visit.templates ? await client.listResourceTemplates() : undefined;
  const templates = (listing?.resourceTemplates ?? []).map(({ uriTemplate }) => uriTemplate);
  const read = [];
  for (const uri of visit.reads) read.push(...(await client.readResource({ uri })).contents);
  await client.close();
  return { templates, read, protocol, tools: tools.map(({ name }) => name).sort(), answers };
}

const seen = [];
for (const visit of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    seen.push(await see(visit));
  } catch (error) {
    console.error(`${visit.surface}, ${visit.url}:`, error);
    process.exit(1);
  }
}
console.log(JSON.stringify(seen));
