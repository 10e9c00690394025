// The result of a call: its outcome, an error explained from the registry, and the request and
// response as sent.

import { el, jsonBlock, prose, sentence, tabs, textBlock } from './dom.js';
import { parse, same } from './json.js';
import { command, curl } from './tool_command.js';

/** `done`, `failed`, `asks` or `protocol`. */
export function verdictOf(message) {
  if (message.error) return 'protocol';
  if (message.result?.resultType === 'input_required') return 'asks';
  return message.result?.isError ? 'failed' : 'done';
}

export function took(elapsed) {
  return elapsed < 10
    ? `${elapsed.toFixed(1)} ms`
    : elapsed < 10_000
      ? `${Math.round(elapsed)} ms`
      : `${(elapsed / 1000).toFixed(1)} s`;
}

/** The body of an answer: the structured content, or else the content. */
export function bodyOf(result) {
  return result?.structuredContent ?? result?.content ?? result;
}

function verdictLine(verdict, exchange, code) {
  const words = {
    done: 'Done',
    failed: code ? `Failed: ${code}` : 'Failed',
    asks: 'The server asks',
    protocol: `Protocol error ${exchange.message.error?.code}`,
  }[verdict];
  const flag = verdict === 'done' || verdict === 'failed' ? `isError: ${verdict === 'failed'}` : null;
  return el(
    'p',
    { class: `verdict ${verdict}` },
    el('strong', {}, words),
    ' ',
    flag ? el('code', { class: 'flag' }, flag) : null,
    ' ',
    el('span', { class: 'muted' }, took(exchange.elapsed)),
  );
}

/** An error as text: when it happens, whether a retry helps, what to do next. */
export function explained(failure, steps = []) {
  const { entry, message, hint, details } = failure;
  const rows = [];
  const row = (term, text) => text && rows.push(el('dt', {}, term), el('dd', {}, prose(sentence(text))));
  row('When', entry?.when);
  row('Next', hint ?? entry?.next);
  if (entry)
    row(
      'Again',
      entry.retryable ? 'the same call may succeed later' : 'repeating the same call will not help',
    );
  if (!entry && failure.code) row('Code', 'this code is not in the contract’s registry');
  return el(
    'div',
    { class: 'explained' },
    message ? el('p', {}, prose(sentence(message))) : null,
    rows.length ? el('dl', {}, rows) : null,
    details.would === undefined
      ? null
      : [el('h4', {}, 'What would be done'), jsonBlock(details.would, 'what would be done')],
    steps.length ? el('div', { class: 'actions' }, steps) : null,
  );
}

function answerPane(result) {
  const blocks = result.content ?? [];
  const structured = result.structuredContent;
  const told = blocks.filter((block) => !(block.type === 'text' && saysTheSame(block.text, structured)));
  return el(
    'div',
    {},
    structured === undefined ? null : jsonBlock(structured, 'answer'),
    told.map((block) =>
      block.type === 'text'
        ? textBlock(block.text, 'text of the answer')
        : jsonBlock(block, `${block.type} of the answer`),
    ),
  );
}

function saysTheSame(text, structured) {
  try {
    return structured !== undefined && same(parse(text), structured);
  } catch {
    return false;
  }
}

/** The tabs of an exchange. */
export function exchangeTabs(exchange, { contract, tool } = {}) {
  const { request, message } = exchange;
  const commandLine = tool && command(contract, tool, request.body.params.arguments);
  return tabs(
    'View',
    [
      message.result?.content && { label: 'Answer', show: () => answerPane(message.result) },
      message.result?.contents && {
        label: 'Contents',
        show: () => el('div', {}, message.result.contents.map(contentsPane)),
      },
      { label: 'Response', show: () => jsonBlock(message, 'response') },
      {
        label: 'Request',
        show: () =>
          el('div', {}, jsonBlock(request.headers, 'request headers'), jsonBlock(request.body, 'request')),
      },
      { label: 'curl', show: () => textBlock(curl(request), 'curl command') },
      commandLine && { label: 'Command line', show: () => textBlock(commandLine, 'command') },
    ].filter(Boolean),
  );
}

function contentsPane({ uri, mimeType, text }) {
  let shown = textBlock(text ?? '(not text)', 'contents');
  try {
    if (mimeType?.includes('json')) shown = jsonBlock(parse(text), 'contents');
  } catch {
    // Shown unchanged.
  }
  return el('div', {}, el('p', { class: 'muted' }, `${uri} · ${mimeType ?? 'unknown kind'}`), shown);
}

/** The card of one exchange. `steps` are buttons for the next step after a failure. */
export function resultCard(exchange, { contract, tool, failure, steps, inside }) {
  const verdict = verdictOf(exchange.message);
  const error = exchange.message.error;
  return el(
    'div',
    { class: `card result ${verdict}` },
    verdictLine(verdict, exchange, failure?.code),
    failure ? explained(failure, steps) : null,
    error && !failure ? el('p', {}, prose(sentence(error.message))) : null,
    inside ?? null,
    exchangeTabs(exchange, { contract, tool }),
  );
}
