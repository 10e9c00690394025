// A question that the server asks before it continues: shows it as a form, and returns what the
// repeated call must contain.

import { button, el, newId, prose } from './dom.js';
import { Field } from './fields.js';
import { objectPart } from './parts.js';

/** The question as a card; `repeat` gets `{inputResponses, requestState}`. */
export function questionCard(result, repeat) {
  const asked = Object.entries(result.inputRequests ?? {}).map(
    ([name, request]) => new Question(name, request),
  );
  const title = newId('question');
  const answer = (action) => {
    const responses = asked.map((question) => [question.name, question.answer(action)]);
    if (responses.some(([, response]) => response === null)) return;
    repeat({ inputResponses: Object.fromEntries(responses), requestState: result.requestState });
  };
  const card = el(
    'form',
    {
      class: 'card question',
      'aria-labelledby': title,
      on: {
        submit: (event) => {
          event.preventDefault();
          answer('accept');
        },
      },
    },
    el('h3', { id: title }, 'Your answer is needed'),
    el(
      'p',
      { class: 'muted' },
      'The call is repeated with your answer.',
    ),
    asked.map((question) => question.node),
    el(
      'div',
      { class: 'actions' },
      el('button', { type: 'submit', class: 'primary' }, 'Send the answer'),
      button('Decline', () => answer('decline')),
    ),
  );
  return { node: card, focus: () => asked[0]?.focus() };
}

class Question {
  constructor(name, request) {
    this.name = name;
    this.known = request.method === 'elicitation/create' && Boolean(request.params?.requestedSchema);
    const schema = request.params?.requestedSchema ?? { type: 'object', properties: {} };
    const make = (inner, place) => new Field(inner, { root: schema, ...place });
    this.form = objectPart(schema, { whole: true }, make);
    this.node = el(
      'div',
      {},
      el('p', { class: 'asked' }, request.params?.message ?? name),
      this.known
        ? this.form.node
        : el(
            'p',
            { class: 'problem' },
            prose(`This page cannot answer \`${request.method}\`; it can only decline.`),
          ),
    );
  }

  /** The response, or null if the form cannot be read. */
  answer(action) {
    if (action !== 'accept' || !this.known) return { action: 'decline' };
    const issues = [];
    const content = this.form.read(issues, '');
    for (const { pointer, message } of issues) this.form.child(pointer.slice(1))?.mark(message);
    return issues.length ? null : { action: 'accept', content };
  }

  focus() {
    this.form.children()[0]?.focus();
  }
}
