// One field for one schema: a control, its label, help and problem. An empty field is omitted from the
// call; values that the control cannot show are edited as JSON instead.

import { resolve } from './contract.js';
import { button, el, fill, newId, prose, sentence } from './dom.js';
import { plain, same } from './json.js';
import { jsonPart, listPart, objectPart, scalarPart } from './parts.js';

/** A schema reduced to one type: `null` as an alternative becomes a flag. */
function simplify(schema, root) {
  let reduced = resolve(schema, root);
  let nullable = false;
  const choices = reduced.anyOf ?? reduced.oneOf;
  if (choices) {
    const others = choices.map((choice) => resolve(choice, root)).filter((choice) => choice.type !== 'null');
    nullable = others.length < choices.length;
    if (others.length === 1) {
      const { anyOf, oneOf, ...beside } = reduced;
      reduced = { ...others[0], ...beside };
    }
  }
  if (Array.isArray(reduced.type)) {
    const types = reduced.type.filter((type) => type !== 'null');
    nullable ||= types.length < reduced.type.length;
    reduced = { ...reduced, type: types.length === 1 ? types[0] : undefined };
  }
  return { schema: reduced, nullable };
}

function partFor(schema, place) {
  const make = (inner, more) => new Field(inner, { root: place.root, ...more });
  const isForm = schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
  if (schema.anyOf || schema.oneOf || schema.allOf) return jsonPart(schema, place);
  if (isForm) return objectPart(schema, place, make);
  if (schema.type === 'array' && schema.items) return listPart(schema, make);
  return scalarPart(schema, place) ?? jsonPart(schema, place);
}

/** Values that an empty control cannot express. */
function specials(schema, nullable, place) {
  const list = nullable ? [{ label: 'send null', value: null }] : [];
  if (schema.enum || schema.const !== undefined || place.row) return list;
  if (schema.type === 'string' && !schema.minLength) list.push({ label: 'send empty text', value: '' });
  if (schema.type === 'array' && !schema.minItems) list.push({ label: 'send empty list', value: [] });
  if (schema.type === 'object' && schema.properties && !schema.required?.length)
    list.push({ label: 'send empty object', value: {} });
  return list;
}

/** The rules of a schema as a short text. */
function rules(schema) {
  const span = (low, high, unit) => {
    const grouped = (bound) => plain(bound).replace(/\B(?=(\d{3})+$)/g, ',');
    if (low !== undefined && high !== undefined) return `${grouped(low)} to ${grouped(high)}${unit}`;
    if (low !== undefined) return `at least ${grouped(low)}${unit}`;
    return high !== undefined ? `at most ${grouped(high)}${unit}` : null;
  };
  const name = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    array: 'list',
    object: 'object',
  }[schema.type];
  const words = [
    schema.enum || schema.const !== undefined ? null : name,
    span(
      schema.minLength || undefined,
      schema.maxLength,
      schema.minLength === 1 && !schema.maxLength ? ' character' : ' characters',
    ),
    span(schema.minimum, schema.maximum, ''),
    span(schema.minItems || undefined, schema.maxItems, ' items'),
    schema.pattern ? `matches \`${schema.pattern}\`` : null,
    schema.format ?? null,
  ].filter(Boolean);
  // The control itself shows these.
  if (words.length === 1 && ['text', 'list', 'object', 'true or false'].includes(words[0])) return '';
  return words.join(', ').replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

export class Field {
  /** `place`: name, required, root of the schema, row (within a list), note (text next to the name). */
  constructor(schema, place) {
    const simple = simplify(schema, place.root);
    this.schema = simple.schema;
    this.place = { ...place, id: newId('field') };
    this.own = partFor(this.schema, this.place);
    this.part = this.own;
    this.specials = specials(this.schema, simple.nullable, place).map((special) => this.specialBox(special));
    this.problem = el('p', { class: 'problem', id: newId('problem'), hidden: true });
    this.help = el('p', { class: 'help', id: newId('help') }, this.helpText());
    this.slot = el('div', { class: 'control' }, this.part.node);
    this.node = this.own.group ? this.groupShell() : this.plainShell();
    this.describe();
  }

  helpText() {
    const { description } = this.schema;
    const words = rules(this.schema);
    return [
      description ? [...prose(sentence(description)), ' '] : [],
      words ? el('span', { class: 'rules' }, prose(sentence(words))) : null,
    ]
      .flat()
      .filter(Boolean);
  }

  title() {
    const { name, required, note, row } = this.place;
    return [
      el(row ? 'span' : 'code', { class: 'name' }, name),
      ' ',
      required && !row ? el('span', { class: 'tag needed' }, 'required') : null,
      note ? el('span', { class: 'tag' }, note) : null,
    ];
  }

  extras() {
    return this.specials.length
      ? el(
          'div',
          { class: 'extras' },
          this.specials.map((special) => special.node),
        )
      : null;
  }

  plainShell() {
    const label = el('label', { for: this.place.id }, this.title());
    return el(
      'div',
      { class: 'field plain-field' },
      label,
      this.help,
      this.slot,
      this.extras(),
      this.problem,
    );
  }

  groupShell() {
    return el(
      'fieldset',
      { class: 'field group' },
      el('legend', {}, this.title()),
      this.help,
      this.slot,
      this.extras(),
      this.problem,
    );
  }

  specialBox({ label, value }) {
    const box = el('input', {
      type: 'checkbox',
      on: { change: () => this.choose(box.checked ? value : undefined) },
    });
    return { box, value, node: el('label', { class: 'special' }, box, ' ', label) };
  }

  /** Ticks the special value, or none. */
  choose(value) {
    for (const special of this.specials)
      special.box.checked = value !== undefined && same(special.value, value);
    this.slot.inert = value !== undefined;
    this.slot.classList.toggle('off', value !== undefined);
  }

  describe() {
    const control = this.part.control;
    control?.setAttribute('aria-describedby', `${this.help.id} ${this.problem.id}`);
    if (control && this.place.required) control.setAttribute('aria-required', 'true');
  }

  use(part) {
    this.part = part;
    const back =
      part === this.own
        ? null
        : button(
            'Use the field again',
            () => {
              this.own.write(undefined);
              this.use(this.own);
            },
            { class: 'small' },
          );
    fill(this.slot, part.node, back);
    this.describe();
  }

  /** The value, or undefined if the field is empty. Unreadable values are added to `issues`. */
  read(issues, pointer) {
    const special = this.specials.find(({ box }) => box.checked);
    return special ? special.value : this.part.read(issues, pointer);
  }

  write(value) {
    this.clear();
    const special = value === undefined ? undefined : this.specials.find((one) => same(one.value, value));
    this.choose(special ? value : undefined);
    const shown = special ? undefined : value;
    const part = this.holds(shown) ? this.own : jsonPart({}, this.place);
    if (part !== this.part) this.use(part);
    if (part !== this.own) part.write(shown);
  }

  /** Sets the value of the field's control; returns whether it reads back unchanged. */
  holds(value) {
    const fits = value === undefined || this.own.accepts(value);
    this.own.write(fits ? value : undefined);
    return value === undefined || (fits && same(this.own.read([], ''), value));
  }

  /** The field at a path of keys, or the nearest one around it. */
  find(path) {
    const inner = path.length ? this.part.child?.(path[0]) : null;
    return inner ? inner.find(path.slice(1)) : this;
  }

  mark(message) {
    const told = this.problem.hidden ? '' : `${this.problem.textContent} `;
    fill(this.problem, prose(told + sentence(message)));
    this.problem.hidden = false;
    this.node.classList.add('wrong');
    this.part.control?.setAttribute('aria-invalid', 'true');
  }

  clear() {
    this.problem.hidden = true;
    this.node.classList.remove('wrong');
    this.part.control?.removeAttribute('aria-invalid');
    for (const field of this.part.children?.() ?? []) field.clear();
  }

  focus() {
    const first = this.part.control ?? this.node.querySelector('input, textarea, select, button');
    first?.focus();
  }
}
