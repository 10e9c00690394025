// JSON as text and as values: numbers keep the digits that were written, where the browser can.

const EXACT = typeof JSON.rawJSON === 'function';

function keepDigits(_key, value, context) {
  const written = context?.source;
  const changed = typeof value === 'number' && written !== undefined && String(value) !== written;
  return EXACT && changed ? JSON.rawJSON(written) : value;
}

/** Parses JSON text; throws with a readable message. */
export function parse(text) {
  return JSON.parse(text, keepDigits);
}

/** Writes JSON text, on several lines unless told otherwise. */
export function print(value, indent = 2) {
  return JSON.stringify(value, null, indent) ?? '';
}

/** A copy that shares nothing. */
export function clone(value) {
  return value === undefined ? undefined : parse(print(value, 0));
}

/** `null`, `array`, `object`, `string`, `number` or `boolean`. */
export function kindOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (EXACT && JSON.isRawJSON(value)) return 'number';
  return typeof value;
}

/** A value as text: strings as they are, anything else as JSON. */
export function plain(value) {
  return kindOf(value) === 'string' ? value : print(value, 0);
}

/** A number for arithmetic; digits beyond the browser's precision are lost. */
export function reckoned(value) {
  return value === undefined ? undefined : Number(plain(value));
}

/** A number from user input; undefined if it is not one. */
export function numberFrom(text) {
  try {
    const value = parse(text.trim());
    return kindOf(value) === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Equal as JSON. */
export function same(one, other) {
  return print(sorted(one), 0) === print(sorted(other), 0);
}

function sorted(value) {
  if (kindOf(value) === 'array') return value.map(sorted);
  if (kindOf(value) !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** The parts of a JSON pointer. */
export function segments(pointer) {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a path of keys, or undefined. */
export function at(value, path) {
  return path.reduce((inner, key) => (inner === null || inner === undefined ? undefined : inner[key]), value);
}

/** The path of keys to the first value that fits, depth first; undefined where there is none. */
export function pathOf(value, fits, path = []) {
  if (fits(value, path.at(-1))) return path;
  if (!['array', 'object'].includes(kindOf(value))) return undefined;
  for (const key of Object.keys(value)) {
    const found = pathOf(value[key], fits, [...path, key]);
    if (found) return found;
  }
  return undefined;
}
