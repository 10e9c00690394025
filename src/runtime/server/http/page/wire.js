// A client of the server: MCP revision 2026-07-28, one request at a time, without a session.

import { parse, print } from './json.js';

const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

let token = null;
let lastId = 0;

/** The token to send from now on; null sends none. */
export function useToken(text) {
  token = text;
}

export function hasToken() {
  return token !== null;
}

/** The server rejected the request before it became a call. */
export class Refused extends Error {
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** There was no response. */
export class Unreachable extends Error {}

/** The contract of this server. */
export async function fetchContract() {
  const response = await reach('contract.json', { headers: authorization() });
  if (!response.ok) throw await refusal(response);
  return parse(await response.text());
}

/** A request as it is sent, without the token. */
export function prepare(method, params) {
  lastId += 1;
  const meta = {
    [`${META}protocolVersion`]: REVISION,
    [`${META}clientInfo`]: { name: 'toolwright-page', version: '1' },
    [`${META}clientCapabilities`]: { elicitation: {} },
    progressToken: lastId,
  };
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': REVISION,
    'Mcp-Method': method,
  };
  const name = params.name ?? params.uri;
  if (name !== undefined) headers['Mcp-Name'] = headerValue(name);
  return {
    url: new URL('mcp', document.baseURI).href,
    headers,
    body: { jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta: meta } },
  };
}

/** Sends a request; returns its response. */
export async function send(request, { signal, onProgress } = {}) {
  const response = await reach(request.url, {
    method: 'POST',
    headers: { ...request.headers, ...authorization() },
    body: print(request.body, 0),
    signal,
  });
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (streamed) return lastOf(response.body, request.body.id, onProgress);
  const text = await response.text();
  // A request that a tool or the protocol answers has a body, whatever its status.
  const known = [401, 403, 408, 413, 429, 503, 504].includes(response.status);
  if (response.ok || (!known && text.startsWith('{'))) return parse(text);
  throw await refusal(response, text);
}

async function reach(url, options) {
  try {
    return await fetch(url, { ...options, credentials: 'omit', referrerPolicy: 'no-referrer' });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Unreachable('The server cannot be reached');
  }
}

function authorization() {
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

async function refusal(response, text) {
  let message = '';
  try {
    message = parse(text ?? (await response.text())).error.message;
  } catch {
    message = response.statusText;
  }
  return new Refused(response.status, message, Number(response.headers.get('retry-after')) || null);
}

/** Reads an event stream up to the response; earlier events are progress. */
async function lastOf(body, id, onProgress) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = '';
  for (;;) {
    const { value, done } = await reader.read();
    waiting = (waiting + (value ?? '')).replaceAll('\r\n', '\n');
    const events = waiting.split('\n\n');
    waiting = done ? '' : events.pop();
    for (const text of events.map(dataOf).filter(Boolean)) {
      const message = JSON.parse(text);
      if (message.method === 'notifications/progress') onProgress?.(message.params);
      if (message.id === id && message.method === undefined) {
        reader.cancel().catch(() => {});
        return parse(text);
      }
    }
    if (done) throw new Unreachable('The server closed the response too early');
  }
}

function dataOf(event) {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice(5).trimStart()).join('\n');
}

/** A name as a header can carry it. */
function headerValue(text) {
  if (/^[!-~]([ -~]*[!-~])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`;
}
