// The same call for a terminal: with curl, and as a tool command.

import { hasToken } from './wire.js';
import { print } from './json.js';

function quote(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request for curl. It takes the token from a variable. */
export function curl(request) {
  const lines = [`curl -sS ${quote(request.url)}`];
  if (hasToken()) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of Object.entries(request.headers)) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  lines.push(`--data-binary ${quote(print(request.body, 0))}`);
  return lines.join(' \\\n  ');
}

/** The tool command; null if the tool has none. */
export function command(contract, tool, callArguments) {
  if (!tool.command.length) return null;
  // A word that stands for an argument is given by that argument.
  const words = tool.command.filter((word) => !word.startsWith('$'));
  const given = Object.keys(callArguments ?? {}).length
    ? ['--json-args', quote(print(callArguments, 0))]
    : [];
  return [contract.surface, ...words, ...given, '--json'].join(' ');
}
