// Guards in words: what each wants, who can satisfy it, and what to do after it refused.

import { el, prose } from './dom.js';

const WHO = {
  model_satisfiable: 'The model itself can satisfy it, by sending the right argument.',
  client_attested: 'The client vouches for a person who agreed.',
  out_of_band: 'Decided outside the conversation: neither model nor client can satisfy it.',
};

/** The strength in words. */
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
  ask: ({ params }) => `Asks a person first${params.message ? `: “${params.message}”` : '.'}`,
  role: (_guard, tool, contract) => {
    const roles = contract.roles.filter((role) => role.tools.includes(tool.name)).map((role) => role.name);
    return roles.length ? `The caller needs one of the roles ${roles.join(', ')}.` : 'No role may call it.';
  },
};

/** What a guard wants. */
export function wants(guard, tool, contract) {
  const own = contract.guards.find((known) => known.name === guard.name)?.doc;
  return WANTS[guard.name]?.(guard, tool, contract) ?? own ?? 'A rule of this server decides.';
}

/** Arguments that belong to a guard, with a word for each. */
export function guardNotes(tool) {
  const notes = {};
  for (const { name, params } of tool.guards) {
    if (['confirm', 'two_stage'].includes(name)) notes[params.field] = `guard: ${name}`;
  }
  return notes;
}

/** The guards of a tool, for those who are about to call it. */
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
      tool.guards.length === 1 ? 'One guard stands before this tool' : 'Guards stand before this tool',
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

/** What the tool may do, in words. */
export function effectWords(tool) {
  const words = {
    read: 'Reads only; it changes nothing.',
    write: 'Writes: it adds or changes.',
    destructive: 'Destructive: it may remove or overwrite what cannot be had back.',
  }[tool.effects];
  return [
    words,
    tool.effects !== 'read' && tool.idempotent ? 'A second identical call changes nothing more.' : null,
    tool.open_world ? 'It reaches beyond this server’s own store.' : null,
  ]
    .filter(Boolean)
    .join(' ');
}

export const EFFECT_TAGS = { read: 'reads', write: 'writes', destructive: 'destructive' };
