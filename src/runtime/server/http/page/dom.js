// Creates elements. Text is always inserted as text, so nothing that a server sends can become markup.

import { print } from './json.js';

let lastId = 0;

/** An id that nothing else on the page has. */
export function newId(word = 'x') {
  lastId += 1;
  return `${word}-${lastId}`;
}

/** An element; `on` holds listeners, other properties become attributes. */
export function el(tag, { on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  element.append(
    ...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Text in which `backticks` become code. */
export function prose(text) {
  return text
    .split('`')
    .map((part, index) => (index % 2 ? el('code', {}, part) : part))
    .filter((part) => part !== '');
}

/** A sentence that starts with a capital and ends with a full stop. */
export function sentence(text) {
  const whole = text.trim();
  if (!whole) return '';
  // A name at the start stays as it is spelled.
  const start = /^[a-z]+ /.test(whole) ? whole[0].toUpperCase() + whole.slice(1) : whole;
  return /[.!?…:]$/.test(start) ? start : `${start}.`;
}

export function button(label, onClick, attributes = {}) {
  return el('button', { type: 'button', ...attributes, on: { click: onClick } }, label);
}

/** Announces a message to screen readers. */
export function announce(text) {
  document.getElementById('status').textContent = text;
}

/** Replaces everything inside. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter(Boolean));
  return element;
}

/** A button that copies the result of `text`. */
export function copyButton(text, what) {
  const copy = button(
    'Copy',
    async () => {
      const done = await toClipboard(text());
      copy.textContent = done ? 'Copied' : 'Cannot copy here';
      announce(done ? `Copied the ${what}` : 'The browser does not allow copying here; select the text');
      setTimeout(() => {
        copy.textContent = 'Copy';
      }, 1600);
    },
    { class: 'small', 'aria-label': `Copy the ${what}` },
  );
  return copy;
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A block of text that can be scrolled and copied. */
export function textBlock(text, what) {
  return el(
    'div',
    { class: 'block' },
    copyButton(() => text, what),
    el('pre', { tabindex: '0', 'aria-label': what }, text),
  );
}

const COLOURED_UP_TO = 200_000;
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The same for JSON, lightly coloured. */
export function jsonBlock(value, what) {
  const text = print(value);
  const block = textBlock(text, what);
  if (text.length <= COLOURED_UP_TO) block.lastChild.replaceChildren(...coloured(text));
  return block;
}

function coloured(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [token, string, colon] = match;
    const kind = string === undefined ? 'json-plain' : colon === undefined ? 'json-text' : 'json-key';
    parts.push(text.slice(end, match.index), el('span', { class: kind }, string ?? token));
    end = match.index + (string ?? token).length;
  }
  return [...parts, text.slice(end)];
}

/** Tabs: `[{label, show}]`, where `show` creates the panel when it is first opened. */
export function tabs(label, entries) {
  const panel = el('div', { role: 'tabpanel', id: newId('panel') });
  const made = new Map();
  const list = el('div', { role: 'tablist', 'aria-label': label });
  const choose = (index, focus) => {
    const entry = entries[index];
    if (!made.has(entry)) made.set(entry, entry.show());
    [...list.children].forEach((tab, other) => {
      tab.setAttribute('aria-selected', String(other === index));
      tab.tabIndex = other === index ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', list.children[index].id);
    fill(panel, made.get(entry));
    if (focus) list.children[index].focus();
  };
  entries.forEach((entry, index) =>
    list.append(
      button(entry.label, () => choose(index, false), {
        role: 'tab',
        id: newId('tab'),
        'aria-controls': panel.id,
      }),
    ),
  );
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const now = [...list.children].indexOf(document.activeElement);
    choose((now + step + entries.length) % entries.length, true);
  });
  choose(0, false);
  return el('div', { class: 'tabs' }, list, panel);
}
