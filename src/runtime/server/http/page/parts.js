// The controls that fields are made of. Each has `node`, `read`, `write` and `accepts`; those with
// fields inside also have `child` and `children`.

import { button, el, fill, prose } from './dom.js';
import { kindOf, numberFrom, parse, plain, print, reckoned, same } from './json.js';

/** Longer texts get several lines. */
const LONG_TEXT = 2048;

function defaultText(schema) {
  return schema.default === undefined ? null : plain(schema.default);
}

/** A control for text, numbers, yes and no, and choices; null for anything else. */
export function scalarPart(schema, place) {
  if (schema.const !== undefined) return choicePart([schema.const], schema, place);
  if (schema.enum) return choicePart(schema.enum, schema, place);
  if (schema.type === 'boolean') return choicePart([true, false], schema, place);
  if (schema.type === 'string') return textPart(schema, place);
  if (schema.type === 'integer' || schema.type === 'number') return numberPart(schema, place);
  return null;
}

function choicePart(values, schema, place) {
  const words = defaultText(schema);
  const none =
    place.required && words === null
      ? 'choose…'
      : words === null
        ? 'left out'
        : `left out (default: ${words})`;
  const labels = values.map(plain);
  const control = el(
    'select',
    { id: place.id },
    el('option', { value: '' }, none),
    labels.map((label, index) => el('option', { value: String(index) }, label)),
  );
  return {
    node: control,
    control,
    read: () => (control.value === '' ? undefined : values[Number(control.value)]),
    write: (value) => {
      const index = values.findIndex((known) => same(known, value));
      control.value = value === undefined || index < 0 ? '' : String(index);
    },
    accepts: (value) => values.some((known) => same(known, value)),
  };
}

function textPart(schema, place) {
  const attributes = {
    id: place.id,
    placeholder: defaultText(schema),
    autocomplete: 'off',
    spellcheck: 'false',
  };
  const long = () => el('textarea', { ...attributes, rows: '6' });
  const short = el('input', { ...attributes, type: 'text' });
  const node = el('div', {}, schema.maxLength > LONG_TEXT ? long() : short);
  const part = {
    node,
    control: node.firstChild,
    read: () => (part.control.value === '' && !place.row ? undefined : part.control.value),
    write: (value) => {
      if (value?.includes('\n')) part.lengthen();
      part.control.value = value ?? '';
    },
    accepts: (value) => kindOf(value) === 'string',
    /** One line would swallow line breaks. */
    lengthen: () => {
      if (part.control !== short) return;
      part.control = long();
      part.control.setAttribute('aria-describedby', short.getAttribute('aria-describedby') ?? '');
      fill(node, part.control);
    },
  };
  short.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (!text.includes('\n')) return;
    event.preventDefault();
    part.write(short.value + text);
    part.control.focus();
  });
  return part;
}

function numberPart(schema, place) {
  const control = el('input', {
    id: place.id,
    type: 'text',
    inputmode: schema.type === 'integer' ? 'numeric' : 'decimal',
    autocomplete: 'off',
    placeholder: defaultText(schema),
  });
  const step = (by) => {
    const now = Number(control.value || defaultText(schema) || 0);
    if (!Number.isSafeInteger(now)) return;
    const next = Math.min(
      reckoned(schema.maximum) ?? Infinity,
      Math.max(reckoned(schema.minimum) ?? -Infinity, now + by),
    );
    control.value = String(next);
    control.dispatchEvent(new Event('input', { bubbles: true }));
  };
  control.addEventListener('keydown', (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    step(by);
  });
  return {
    node: control,
    control,
    read: (issues, pointer) => {
      if (control.value.trim() === '') return undefined;
      const value = numberFrom(control.value);
      if (value === undefined) issues.push({ pointer, message: 'this is not a number' });
      return value;
    },
    write: (value) => {
      control.value = value === undefined ? '' : print(value, 0);
    },
    accepts: (value) => kindOf(value) === 'number',
  };
}

/** Any value as JSON text. */
export function jsonPart(schema, place) {
  const empty =
    schema.type === 'array' ? '[ … ]' : schema.type === 'object' ? '{ "name": … }' : 'any JSON value';
  const control = el('textarea', {
    id: place.id,
    rows: '4',
    class: 'code',
    spellcheck: 'false',
    placeholder: defaultText(schema) ?? empty,
  });
  const trouble = el('p', { class: 'problem', hidden: true });
  const check = () => {
    trouble.hidden = true;
    if (control.value.trim() === '') return undefined;
    try {
      return parse(control.value);
    } catch (error) {
      trouble.textContent = `Not JSON: ${error.message}`;
      trouble.hidden = false;
      throw error;
    }
  };
  control.addEventListener('input', () => {
    try {
      check();
    } catch {
      /* shown */
    }
  });
  return {
    node: el('div', {}, control, trouble),
    control,
    read: (issues, pointer) => {
      try {
        return check();
      } catch (error) {
        issues.push({ pointer, message: `this is not JSON: ${error.message}`, shown: true });
        return undefined;
      }
    },
    write: (value) => {
      trouble.hidden = true;
      control.value = value === undefined ? '' : print(value);
    },
    accepts: () => true,
  };
}

/** The order of members: required ones as listed, then others by name, arguments of guards last. */
export function memberOrder(schema, last = []) {
  const required = schema.required ?? [];
  const names = Object.keys(schema.properties ?? {});
  const rank = (name) => (last.includes(name) ? 2 : required.includes(name) ? 0 : 1);
  const place = (name) => required.indexOf(name);
  return names.sort(
    (one, other) =>
      rank(one) - rank(other) || (rank(one) === 0 ? place(one) - place(other) : one.localeCompare(other)),
  );
}

/** A field for every member. Members that the schema does not know are kept as they are. */
export function objectPart(schema, place, makeField) {
  const notes = place.notes ?? {};
  const fields = new Map(
    memberOrder(schema, Object.keys(notes)).map((name) => [
      name,
      makeField(schema.properties[name], {
        name,
        required: (schema.required ?? []).includes(name),
        note: notes[name],
      }),
    ]),
  );
  const others = el('p', { class: 'help', hidden: true });
  let rest = {};
  return {
    group: true,
    node: el(
      'div',
      { class: 'members' },
      [...fields.values()].map((field) => field.node),
      others,
    ),
    read: (issues, pointer) => {
      const given = [...fields].map(([name, field]) => [
        name,
        field.read(issues, `${pointer}/${escape(name)}`),
      ]);
      const value = Object.fromEntries([
        ...given.filter(([, member]) => member !== undefined),
        ...Object.entries(rest),
      ]);
      return Object.keys(value).length || place.whole || place.row ? value : undefined;
    },
    write: (value = {}) => {
      for (const [name, field] of fields) field.write(value[name]);
      rest = Object.fromEntries(Object.entries(value).filter(([name]) => !fields.has(name)));
      const names = Object.keys(rest)
        .map((name) => `\`${name}\``)
        .join(', ');
      fill(others, prose(`Also sent, but not in the contract: ${names}.`));
      others.hidden = names === '';
    },
    accepts: (value) => kindOf(value) === 'object',
    child: (name) => fields.get(name),
    children: () => [...fields.values()],
  };
}

function escape(name) {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A row for every item. */
export function listPart(schema, makeField) {
  let rows = [];
  const list = el('div', { class: 'rows' });
  const add = (value) => {
    const field = makeField(schema.items, { name: `Item ${rows.length + 1}`, required: true, row: true });
    const row = { field, node: el('div', { class: 'row' }, field.node) };
    row.node.append(button('Remove', () => remove(row), { class: 'small' }));
    rows.push(row);
    list.append(row.node);
    if (value !== undefined) field.write(value);
    return field;
  };
  const remove = (row) => {
    const kept = rows.filter((other) => other !== row).map((other) => other.field.read([], ''));
    write(kept);
    more.focus();
    more.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const write = (value = []) => {
    rows = [];
    fill(list);
    value.forEach((item) => add(item));
  };
  const more = button('Add an item', () => add().focus(), { class: 'small' });
  return {
    group: true,
    node: el('div', {}, list, more),
    read: (issues, pointer) => {
      const items = rows.map(({ field }, index) => field.read(issues, `${pointer}/${index}`));
      const value = items.filter((item) => item !== undefined);
      return rows.length ? value : undefined;
    },
    write,
    accepts: (value) => kindOf(value) === 'array',
    child: (index) => rows[Number(index)]?.field,
    children: () => rows.map(({ field }) => field),
  };
}
