// Guards as text: what each requires, who can satisfy it, and what to do after it refused.

import { el, prose } from './dom.js';

const WHO = {
  model_satisfiable: 'The model itself can satisfy it, by sending the right argument.',
  client_attested: 'The client attests that the user agreed.',
  out_of_band: 'Decided outside the conversation: neither model nor client can satisfy it.',
};

/** The strength as text. */
export function who(strength) {
  return WHO[strength] ?? strength;
}

const unless = ({ unless: name }) => (name ? ` \`${name}: true\` makes it unnecessary.` : '');

const WANTS = {
  confirm: ({ params }) =>
    `Changes nothing unless \`${params.field}\` is true.${unless(params)}${
      params.rehearse ? ' Without it the answer shows what would be done.' : ''
    }`,
  two_stage: ({ params }, _tool, contract) =>
    `Needs the \`${params.field}\` that \`${
      contract.tool(params.issuer)?.canonical ?? params.issuer
    }\` gives for exactly what it showed.${unless(params)}`,
  ask: ({ params }) =>
    `Asks the user first${params.message ? `: “${params.message}”` : '.'}${
      params.otherwise ? ` Where the client cannot ask, \`${params.otherwise}: true\` is enough.` : ''
    }${params.optional ? ' Where the client cannot ask, the call goes on.' : ''}`,
  role: (guard, tool, contract) => {
    const roles = contract.roles.filter((role) => role.tools.includes(tool.name)).map((role) => role.name);
    return roles.length ? `The caller needs one of the roles ${roles.join(', ')}.${
      guard.strength === 'out_of_band' ? '' : ' The call itself names the user.'
    }` : 'No role may call it.';
  },
};

/** What a guard requires. */
export function wants(guard, tool, contract) {
  const own = contract.guards.find((known) => known.name === guard.name)?.doc;
  return WANTS[guard.name]?.(guard, tool, contract) ?? own ?? 'A rule of this server.';
}

/** Arguments that belong to a guard, with a label for each. */
export function guardNotes(tool) {
  const notes = {};
  for (const { name, params } of tool.guards) {
    if (['confirm', 'two_stage'].includes(name)) notes[params.field] = `guard: ${name}`;
  }
  return notes;
}

/** The guards of a tool, shown before it is called. */
export function guardList(tool, contract, actions) {
  if (!tool.guards.length) return null;
  const item = (guard) =>
    el(
      'li',
      {},
      el('strong', {}, guard.name),
      ' ',
      prose(wants(guard, tool, contract)),
      ' ',
      el('span', { class: 'muted' }, who(guard.strength)),
      actions(guard),
    );
  return el(
    'section',
    { class: 'card guards', 'aria-label': 'Guards' },
    el(
      'h2',
      {},
      tool.guards.length === 1 ? 'This tool has a guard' : 'This tool has guards',
    ),
    el('ul', { class: 'plain' }, tool.guards.map(item)),
  );
}

/** The guard that refuses with this kind of error. */
export function refusedBy(tool, kind) {
  const kinds = ({ refuses, missing, expired, mismatch, unknown, forbidden }) => [
    refuses,
    missing,
    expired,
    mismatch,
    unknown,
    forbidden,
  ];
  return kind === undefined ? undefined : tool.guards.find(({ params }) => kinds(params).includes(kind));
}

/** The effects of the tool, as text. */
export function effectWords(tool) {
  const words = {
    read: 'Read-only: changes nothing.',
    write: 'Writes: adds or changes data.',
    destructive: 'Destructive: may irreversibly remove or overwrite data.',
  }[tool.effects];
  return [
    words,
    tool.effects !== 'read' && tool.idempotent ? 'Idempotent: repeating a call has no further effect.' : null,
    tool.open_world ? 'Open world: it accesses systems beyond this server’s store.' : null,
  ]
    .filter(Boolean)
    .join(' ');
}

export const EFFECT_TAGS = { read: 'reads', write: 'writes', destructive: 'destructive' };
