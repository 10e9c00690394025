// The contract with lookups: tools by name, errors by code, and the places of a failure's parts in
// the envelope, which differ between surfaces.

import { at, kindOf, pathOf, segments } from './json.js';

export class Contract {
  constructor(data) {
    Object.assign(this, data);
    this.byCode = new Map();
    for (const error of data.errors) {
      for (const code of [error.kind, ...error.aliases, error.code]) this.byCode.set(code, error);
    }
    const failure = data.envelope.failure;
    const hole = (name) => pathOf(failure, (value, key) => value === name && key !== '$spread');
    const spread = pathOf(failure, (_value, key) => key === '$spread');
    this.places = {
      code: hole('$error.code'),
      message: hole('$error.message'),
      hint: hole('$error.hint'),
      details: spread ? spread.slice(0, -1) : hole('$error.details'),
    };
  }

  /** A tool by its name in the spec or on the wire. */
  tool(name) {
    return this.tools.find((tool) => [tool.canonical, tool.name, tool.portable].includes(name));
  }

  /** A registry entry by kind. */
  error(kind) {
    return this.errors.find((error) => error.kind === kind);
  }

  /** The parts of a failed answer: code, message, hint, details and the registry entry. */
  failure(body) {
    const part = (name) => (this.places[name] ? at(body, this.places[name]) : undefined);
    const code = part('code') ?? this.knownCode(body);
    const details = part('details');
    return {
      code,
      message: part('message') ?? '',
      hint: part('hint') ?? null,
      details: kindOf(details) === 'object' ? details : {},
      entry: this.byCode.get(code),
    };
  }

  knownCode(body) {
    const path = pathOf(body, (value) => typeof value === 'string' && this.byCode.has(value));
    return path && at(body, path);
  }

  /** The problems with arguments: `[{pointer, message}]`. */
  problems(failure) {
    if (Array.isArray(failure.details.problems)) return failure.details.problems;
    if (failure.entry?.kind !== this.builtin.invalid_arguments) return [];
    // If the envelope has no details, the message names the pointers.
    const told = failure.message.split(/; |`: /).map((part) => /^(\/\S+): (.*)$/s.exec(part));
    return told.filter(Boolean).map(([, pointer, message]) => ({ pointer, message }));
  }
}

/** The schema itself, with references within the document followed. */
export function resolve(schema, root) {
  let found = schema;
  for (let step = 0; found?.$ref?.startsWith('#') && step < 16; step += 1) {
    const { $ref, ...beside } = found;
    found = { ...at(root, segments($ref.slice(1))), ...beside };
  }
  return found ?? {};
}
