// The contract of one tool: its heading above the form, and the rest below the result.

import { el, prose, sentence } from './dom.js';
import { EFFECT_TAGS, effectWords } from './guards.js';
import { print } from './json.js';

function deprecation({ since, replaced_by: instead, sunset }) {
  const words = [
    `Deprecated since ${since}`,
    instead && `use \`${instead}\` instead`,
    sunset && `goes on ${sunset}`,
  ];
  return el('p', { class: 'warning' }, prose(`${words.filter(Boolean).join(', ')}.`));
}

/** Title, name, description and effects. */
export function toolHead(tool, heading) {
  const tag = el('span', { class: `tag ${tool.effects}` }, EFFECT_TAGS[tool.effects]);
  return el(
    'header',
    { class: 'tool-head' },
    el('p', { class: 'muted' }, tool.title, ' ', tag),
    heading,
    tool.deprecated ? deprecation(tool.deprecated) : null,
    el('p', {}, prose(tool.description)),
    el('p', { class: tool.effects === 'destructive' ? 'warning' : 'muted' }, effectWords(tool)),
  );
}

function errorRow(error) {
  const next = error.next ? [' ', el('span', { class: 'muted' }, prose(sentence(error.next)))] : null;
  return el(
    'tr',
    {},
    el('td', {}, el('code', {}, error.code)),
    el('td', {}, prose(sentence(error.when)), next),
  );
}

function fold(title, content) {
  return el('details', {}, el('summary', {}, title), content);
}

/** Errors, schemas and limits. */
export function toolMore(tool, contract) {
  const errors = tool.errors.map((kind) => contract.error(kind)).filter(Boolean);
  const table = el('table', {}, el('tbody', {}, errors.map(errorRow)));
  const schema = (value) => el('pre', { tabindex: '0' }, print(value));
  const { definition_tokens: definition, result_tokens: result } = tool.budget;
  return el(
    'section',
    { class: 'more', 'aria-label': 'More about this tool' },
    fold(`Errors (${errors.length})`, el('div', { class: 'scroll' }, table)),
    fold('Input schema', schema(tool.input)),
    fold('Schema of the data', schema(tool.data)),
    fold('Output schema', schema(tool.output)),
    el(
      'p',
      { class: 'muted' },
      `Since ${tool.since}. At most ${definition} tokens of definition and ${result} of result. `,
      `Also called ${tool.portable}.`,
    ),
  );
}
