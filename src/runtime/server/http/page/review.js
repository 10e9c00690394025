// The first of two stages: calls the tool that returns the plan and issues the token, with the
// arguments that both tools share.

import { button, el, prose } from './dom.js';
import { at, pathOf } from './json.js';
import { bodyOf, resultCard, verdictOf } from './result.js';

/** The issuing tool, and those arguments that it also takes. */
export function stageOne(guard, contract, given) {
  const tool = contract.tool(guard.params.issuer);
  const shared = Object.entries(given).filter(([name]) => tool.input.properties?.[name] !== undefined);
  return { tool, arguments: Object.fromEntries(shared) };
}

/** The token in an answer of the issuing tool. */
export function tokenIn(message, guard) {
  if (verdictOf(message) !== 'done') return undefined;
  const body = bodyOf(message.result);
  const path = pathOf(body, (value, key) => key === guard.params.field && typeof value === 'string');
  return path && at(body, path);
}

/** The plan, and the next step. */
export function reviewCard({ exchange, stage, guard, contract, token, danger, goOn }) {
  const failed = verdictOf(exchange.message) === 'failed';
  const failure = failed ? contract.failure(bodyOf(exchange.message.result)) : undefined;
  const words = token
    ? `This is what \`${stage.tool.canonical}\` planned. Its \`${guard.params.field}\` is filled in and holds for exactly this.`
    : `\`${stage.tool.canonical}\` gave no \`${guard.params.field}\`; its answer says why.`;
  return el(
    'div',
    { class: 'review' },
    el('h3', {}, 'Review'),
    el('p', {}, prose(words)),
    token
      ? el(
          'div',
          { class: 'actions' },
          button('Call with this token', goOn, { class: danger ? 'primary danger' : 'primary' }),
        )
      : null,
    resultCard(exchange, { contract, tool: stage.tool, failure }),
  );
}
