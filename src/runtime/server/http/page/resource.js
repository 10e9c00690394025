// One resource: its URI, which can be extended with a query, and the result of reading it.

import { askForToken, refusalCard } from './access.js';
import { announce, el, fill, newId, prose, sentence } from './dom.js';
import { bodyOf, exchangeTabs, explained, took } from './result.js';
import { Refused, prepare, send } from './wire.js';

export class ResourceView {
  constructor(resource, contract) {
    Object.assign(this, { resource, contract, running: null });
    const tool = contract.tool(resource.tool);
    const names = Object.keys(tool?.input.properties ?? {});
    const variables = resource.variables.map((name) => `\`{${name}}\``).join(', ');
    this.uri = el('input', {
      id: newId('uri'),
      type: 'text',
      value: resource.uri,
      spellcheck: 'false',
      autocomplete: 'off',
    });
    this.result = el('section', { 'aria-label': 'Result' });
    this.heading = el('h1', { tabindex: '-1' }, resource.title || resource.name);
    const help = variables
      ? `Replace ${variables} with what you want to read.`
      : names.length
      ? `Query parameters: ${names.map((name) => `\`${name}\``).join(', ')}, as in \`${resource.uri}?${names[0]}=…\`.`
      : 'It has no parameters.';
    this.node = el(
      'article',
      {},
      el(
        'header',
        { class: 'tool-head' },
        el(
          'p',
          { class: 'muted' },
          'Resource ',
          el('span', { class: 'tag' }, resource.mime_type),
          resource.subscribe ? el('span', { class: 'tag' }, 'can be subscribed to') : null,
        ),
        this.heading,
        el('p', {}, prose(resource.description)),
        tool
          ? el(
              'p',
              { class: 'muted' },
              'It returns the answer of ',
              el('a', { href: `#tool/${encodeURIComponent(tool.canonical)}` }, tool.canonical),
              '.',
            )
          : null,
      ),
      el(
        'form',
        {
          class: 'call',
          on: {
            submit: (event) => {
              event.preventDefault();
              this.call();
            },
          },
        },
        el(
          'section',
          { class: 'card', 'aria-label': 'Address' },
          el(
            'div',
            { class: 'field' },
            el('label', { for: this.uri.id }, 'Address'),
            el('p', { class: 'help' }, prose(help)),
            this.uri,
          ),
        ),
        el('div', { class: 'actions' }, el('button', { type: 'submit', class: 'primary' }, 'Read')),
      ),
      this.result,
    );
  }

  cancel() {
    this.running?.abort();
  }

  async call() {
    if (this.running) return;
    this.running = new AbortController();
    const request = prepare('resources/read', { uri: this.uri.value.trim() });
    const started = performance.now();
    try {
      const message = await send(request, { signal: this.running.signal });
      this.show({ request, message, elapsed: performance.now() - started });
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (error instanceof Refused && error.status === 401) askForToken(error.message, () => this.call());
      fill(
        this.result,
        refusalCard(error, () => this.call()),
      );
    } finally {
      this.running = null;
    }
  }

  show(exchange) {
    const error = exchange.message.error;
    const failure = error?.data ? this.contract.failure(bodyOf(error.data)) : undefined;
    fill(
      this.result,
      el(
        'div',
        { class: `card result ${error ? 'protocol' : 'done'}` },
        el(
          'p',
          { class: `verdict ${error ? 'protocol' : 'done'}` },
          el('strong', {}, error ? `Protocol error ${error.code}` : 'Read'),
          ' ',
          el('span', { class: 'muted' }, took(exchange.elapsed)),
        ),
        error ? el('p', {}, prose(sentence(error.message))) : null,
        failure?.entry ? explained(failure) : null,
        exchangeTabs(exchange),
      ),
    );
    announce(error ? `Protocol error: ${error.message}` : 'Read');
  }
}
