// Authorization: asks for the token, keeps it in memory (or in this tab, if the user chooses so), and
// explains what to do when the server rejects a request.

import { announce, button, el, fill, newId, prose, sentence } from './dom.js';
import { Refused, hasToken, useToken } from './wire.js';

const KEY = 'toolwright-token';

/** Restores the token that is stored in this tab. */
export function recall() {
  const kept = sessionStorage.getItem(KEY);
  if (kept) useToken(kept);
}

function forget() {
  sessionStorage.removeItem(KEY);
  useToken(null);
}

/** Shows whether a token is in use. */
export function showState() {
  const place = document.getElementById('access-state');
  fill(
    place,
    hasToken()
      ? button(
          'Forget the token',
          () => {
            forget();
            location.reload();
          },
          { class: 'small' },
        )
      : null,
  );
}

/** Asks for a token above the view; goes on with `then` once there is one. */
export function askForToken(why, then) {
  const field = el('input', {
    id: newId('token'),
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
  });
  const keep = el('input', { type: 'checkbox', id: newId('keep') });
  const title = newId('title');
  showState();
  const form = el(
    'form',
    {
      class: 'card access',
      'aria-labelledby': title,
      on: {
        submit: (event) => {
          event.preventDefault();
          const token = field.value.trim();
          useToken(token);
          if (keep.checked) sessionStorage.setItem(KEY, token);
          else sessionStorage.removeItem(KEY);
          clearNotice();
          showState();
          then();
        },
      },
    },
    el('h2', { id: title }, 'This server asks for a token'),
    el('p', { class: hasToken() ? 'problem' : 'help' }, prose(`Response of the server: ${sentence(why)}`)),
    el(
      'p',
      { class: 'help' },
      prose(
        'Use a token from the server’s token file (`--http-token-file`), or one that the product has issued.',
      ),
    ),
    el('div', { class: 'field' }, el('label', { for: field.id }, 'Bearer token'), field),
    el('label', { class: 'special', for: keep.id }, keep, ' Remember it in this tab until the tab is closed'),
    el('div', { class: 'actions' }, el('button', { type: 'submit', class: 'primary' }, 'Use this token')),
  );
  notice(form);
  announce('This server asks for a token');
  field.focus();
}

const ADVICE = {
  401: 'Enter a token above; the request is then sent again.',
  403:
    'Open the page under a host name that the server allows: localhost, its address, or one given with ' +
    '`--http-host`. Pages of other origins must be listed with `--http-origin`.',
  408: 'The request took too long to arrive. Send it again.',
  413: 'Send less, or start the server with a larger `--http-max-body`.',
  429: 'Too many requests. Wait, then try again.',
  503: 'The server is busy, is shutting down, or cannot verify tokens right now. Try again shortly.',
  504: 'The call exceeded the time limit (`--http-timeout`) and was cancelled.',
};

/** Explains why a request did not become a call. */
export function refusalCard(error, again) {
  const refused = error instanceof Refused;
  const advice = refused
    ? (ADVICE[error.status] ?? 'See the server’s log for details.')
    : 'Check that the server is running, then try again.';
  const wait = error.retryAfter ? ` Response of the server: in ${error.retryAfter} s.` : '';
  return el(
    'div',
    { class: 'card failed' },
    el('h3', {}, refused ? `Rejected: HTTP ${error.status}` : 'No answer'),
    el('p', {}, prose(sentence(error.message))),
    el('p', {}, prose(advice + wait)),
    again ? el('div', { class: 'actions' }, button('Try again', again)) : null,
  );
}

/** Shows something above the view. */
export function notice(node) {
  fill(document.getElementById('notice'), node);
}

export function clearNotice() {
  fill(document.getElementById('notice'));
}
