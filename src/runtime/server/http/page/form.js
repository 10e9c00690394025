// The arguments of one call, as a form and as JSON. Both show the same arguments, and switching loses
// nothing.

import { announce, button, el, fill, newId, prose, sentence } from './dom.js';
import { Field } from './fields.js';
import { kindOf, parse, print, segments } from './json.js';
import { objectPart } from './parts.js';

const RULES = {
  at_least_one_of: 'Give at least one of',
  at_most_one_of: 'Give at most one of',
  exactly_one_of: 'Give exactly one of',
};

function constraintText({ rule, fields }) {
  if (rule === 'requires') return `\`${fields[0]}\` needs \`${fields[1]}\`.`;
  return `${RULES[rule]} ${fields.map((field) => `\`${field}\``).join(', ')}.`;
}

export class CallForm {
  constructor(tool, notes) {
    this.tool = tool;
    const make = (schema, place) => new Field(schema, { root: tool.input, ...place });
    this.form = objectPart(tool.input, { whole: true, notes }, make);
    this.asJson = false;
    this.makeEditor();
    this.general = el('div', { class: 'problem', hidden: true });
    this.pane = el('div', {}, this.formPane());
    this.switch = button('Edit as JSON', () => this.toggle(), { class: 'small', 'aria-pressed': 'false' });
    this.node = el(
      'section',
      { class: 'card', 'aria-label': 'Arguments' },
      el(
        'div',
        { class: 'row-head' },
        el('h2', {}, 'Arguments'),
        this.switch,
        button('Clear', () => this.clearAll(), { class: 'small' }),
      ),
      this.examples(),
      this.general,
      this.pane,
    );
    this.node.addEventListener('input', () => this.clearProblems());
  }

  makeEditor() {
    const id = newId('json');
    this.editor = el('textarea', { id, class: 'code', rows: '14', spellcheck: 'false' });
    this.trouble = el('p', { class: 'problem', id: newId('problem'), hidden: true });
    this.editor.setAttribute('aria-describedby', this.trouble.id);
    this.editor.addEventListener('input', () => this.checkEditor());
    this.editorPane = el(
      'div',
      { class: 'field' },
      el('label', { for: id }, 'All arguments as one JSON object'),
      this.editor,
      this.trouble,
    );
  }

  formPane() {
    const rules = this.tool.constraints.map((constraint) => el('li', {}, prose(constraintText(constraint))));
    const none = Object.keys(this.tool.input.properties ?? {}).length === 0;
    return [
      el(
        'p',
        { class: 'help' },
        none ? 'This tool takes no arguments.' : 'Empty fields are omitted from the call.',
      ),
      rules.length ? el('ul', { class: 'plain' }, rules) : null,
      this.form.node,
    ].filter(Boolean);
  }

  examples() {
    const { examples } = this.tool;
    if (!examples.length) return null;
    const item = (example) =>
      el(
        'li',
        {},
        button(example.name, () => this.fromExample(example), { class: 'small' }),
        ' ',
        el(
          'span',
          { class: 'muted' },
          example.error ? `answers ${example.error}` : 'succeeds',
          example.given ? `, made for the state “${example.given}”` : '',
        ),
      );
    return el(
      'details',
      {},
      el('summary', {}, `Fill from an example (${examples.length})`),
      el('ul', { class: 'plain examples' }, examples.map(item)),
    );
  }

  fromExample(example) {
    this.write(example.input);
    announce(`Filled from the example ${example.name}`);
  }

  clearAll() {
    this.write({});
    announce('Cleared the arguments');
  }

  checkEditor() {
    this.trouble.hidden = true;
    try {
      const value = this.editor.value.trim() === '' ? {} : parse(this.editor.value);
      if (kindOf(value) === 'object') return value;
      this.trouble.textContent = 'The arguments of a call are a JSON object.';
    } catch (error) {
      this.trouble.textContent = `Not JSON: ${error.message}`;
    }
    this.trouble.hidden = false;
    return undefined;
  }

  /** The arguments, and the problems with reading them. */
  read() {
    const issues = [];
    if (!this.asJson) return { value: this.form.read(issues, ''), issues };
    const value = this.checkEditor();
    if (value === undefined) issues.push({ pointer: '', message: this.trouble.textContent, shown: true });
    return { value, issues };
  }

  write(value) {
    this.clearProblems();
    this.form.write(value);
    this.editor.value = print(value);
    this.trouble.hidden = true;
  }

  set(name, value) {
    const { value: now = {} } = this.read();
    this.write({ ...now, [name]: value });
  }

  toggle() {
    const { value, issues } = this.read();
    if (issues.length) {
      this.show(issues);
      announce('Some arguments cannot be read; fix them first');
      return;
    }
    this.asJson = !this.asJson;
    this.write(value);
    this.switch.setAttribute('aria-pressed', String(this.asJson));
    this.switch.textContent = this.asJson ? 'Edit as a form' : 'Edit as JSON';
    fill(this.pane, this.asJson ? this.editorPane : this.formPane());
    if (this.asJson) this.editor.focus();
  }

  /** Marks the one field that a failure is about. */
  mark(name, message) {
    if (!this.asJson) this.form.child(name)?.mark(message);
  }

  /** Shows problems at their fields; the rest above the form. Focuses the first. */
  show(problems) {
    this.clearProblems();
    const above = [];
    let first = null;
    for (const { pointer, message, shown } of problems) {
      const [name, ...path] = segments(pointer);
      const field = name === undefined || this.asJson ? null : this.form.child(name)?.find(path);
      first ??= field;
      if (field) {
        if (!shown) field.mark(message);
      } else if (!shown) {
        above.push(el('p', {}, prose(sentence(pointer ? `\`${pointer}\`: ${message}` : message))));
      }
    }
    fill(this.general, above);
    this.general.hidden = above.length === 0;
    (first ?? (this.asJson ? this.editor : null))?.focus();
  }

  clearProblems() {
    this.general.hidden = true;
    for (const field of this.form.children()) field.clear();
  }

  focus() {
    const first = this.form.children()[0];
    if (this.asJson) this.editor.focus();
    else first?.focus();
  }
}
