// The start view: purpose of the server, how to use the page, and the rest of the contract.

import { el, prose, sentence } from './dom.js';
import { who } from './guards.js';
import { plain } from './json.js';
import { hasToken } from './wire.js';

const KEYS = [
  ['/', 'search'],
  ['↓ ↑', 'walk through the list'],
  ['Enter', 'open'],
  ['Ctrl+Enter', 'call the open tool'],
  ['Esc', 'cancel a running call'],
];

function table(headings, rows) {
  return el(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': headings.join(', ') },
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          headings.map((heading) => el('th', { scope: 'col' }, heading)),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((cells) =>
          el(
            'tr',
            {},
            cells.map((cell) => el('td', {}, cell)),
          ),
        ),
      ),
    ),
  );
}

function fold(title, rows, content) {
  return rows.length
    ? el('details', {}, el('summary', {}, `${title} (${rows.length})`), content(rows))
    : null;
}

const code = (text) => el('code', {}, text);

function errors(contract) {
  return fold('Error codes', contract.errors, (rows) =>
    table(
      ['Code', 'When', 'Next', 'Again'],
      rows.map((error) => [
        code(error.code),
        prose(sentence(error.when)),
        error.next ? prose(sentence(error.next)) : '–',
        error.retryable ? 'may help' : 'no',
      ]),
    ),
  );
}

function guards(contract) {
  return fold('Custom guards', contract.guards, (rows) =>
    table(
      ['Guard', 'What it checks', 'Who can satisfy it'],
      rows.map((guard) => [code(guard.name), prose(guard.doc), who(guard.strength)]),
    ),
  );
}

function groups(title, list) {
  return fold(title, list, (rows) =>
    table(
      ['Name', 'Tools'],
      rows.map((group) => [code(group.name), group.tools.join(', ')]),
    ),
  );
}

function settings(contract) {
  return fold('Settings', contract.settings, (rows) =>
    table(
      ['Key', 'Description', 'Default', 'Variable', 'Flag'],
      rows.map((setting) => [
        code(setting.key),
        prose(setting.doc),
        setting.secret ? 'secret' : setting.default === null ? '–' : plain(setting.default),
        setting.env ? code(setting.env) : '–',
        setting.flag ? code(setting.flag) : '–',
      ]),
    ),
  );
}

export function aboutView(contract) {
  const heading = el('h1', { tabindex: '-1' }, contract.title);
  const node = el(
    'article',
    {},
    el(
      'header',
      { class: 'tool-head' },
      heading,
      el('p', {}, prose(contract.instructions || 'Pick a tool from the list.')),
      el('p', { class: 'muted' }, 'Calls from this page are real: tools change data.'),
    ),
    el(
      'section',
      { class: 'card', 'aria-label': 'Keys' },
      el('h2', {}, 'Keys'),
      el(
        'dl',
        { class: 'keys-list' },
        KEYS.flatMap(([key, text]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, text)]),
      ),
    ),
    el(
      'section',
      { class: 'more', 'aria-label': 'More about this server' },
      errors(contract),
      guards(contract),
      groups('Toolsets', contract.toolsets),
      groups('Roles', contract.roles),
      settings(contract),
      el(
        'p',
        { class: 'muted' },
        'The contract as JSON: ',
        hasToken() ? code('/contract.json') : el('a', { href: 'contract.json' }, 'contract.json'),
        el('br'),
        'Digest of the contract: ',
        code(contract.digest),
      ),
    ),
  );
  return { node, heading };
}
