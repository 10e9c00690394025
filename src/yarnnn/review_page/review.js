// The keyboard of the review page, and its "select all". Everything works without this file.
'use strict';

const items = () => [...document.querySelectorAll('.item')];
const current = () => document.activeElement?.closest?.('.item') ?? document.querySelector('.item.current');
const visible = (element) => element && element.offsetParent !== null;

function move(step) {
  const all = items();
  if (!all.length) return;
  const at = all.indexOf(current());
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

// Marks the statement of the item in the source, in the source's own scroll area.
function follow(item) {
  for (const other of document.querySelectorAll('.current')) other.classList.remove('current');
  if (!item) return;
  item.classList.add('current');
  const number = item.id.startsWith('operation-') ? item.id.slice('operation-'.length) : '';
  const box = document.querySelector('.source-side .source');
  for (const mark of box?.querySelectorAll('mark') ?? []) {
    if (!mark.dataset.numbers.split(' ').includes(number)) continue;
    mark.classList.add('current');
  }
  const said = number && document.getElementById(`said-${number}`);
  if (said) box.scrollTop = said.offsetTop - box.offsetTop - box.clientHeight / 3;
}

function press(key) {
  const item = current();
  const target = item?.querySelector(`[data-key="${key}"]`);
  if (!visible(target)) return;
  target.click();
  if (key === 'e') item.querySelector('textarea')?.focus();
}

const keys = {
  j: () => move(1),
  k: () => move(-1),
  a: () => press('a'),
  r: () => press('r'),
  e: () => press('e'),
  x: () => current()?.querySelector('input[type=checkbox]')?.click(),
  u: () => document.querySelector('[data-back]')?.click(),
  '?': () => document.querySelector('#help')?.showModal(),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  const field = event.target.closest('input:not([type=checkbox]), select, textarea');
  if (field) {
    if (event.key === 'Escape') field.closest('.item')?.focus();
    return;
  }
  if (event.key === 'Enter' && event.target.dataset?.open) {
    location.assign(event.target.dataset.open);
    return;
  }
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

document.addEventListener('focusin', (event) => follow(event.target.closest('.item')));

// One click decides once.
document.addEventListener('submit', (event) => {
  if (event.target.method === 'dialog' || event.defaultPrevented) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = 'yes';
});
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});

for (const all of document.querySelectorAll('[data-all]')) {
  all.closest('label').hidden = false;
  all.addEventListener('change', () => {
    for (const box of all.form.elements) if (box.type === 'checkbox') box.checked = all.checked;
  });
}
for (const help of document.querySelectorAll('[data-help]')) {
  help.hidden = false;
  help.addEventListener('click', keys['?']);
}
const target = location.hash.startsWith('#operation-') && document.getElementById(location.hash.slice(1));
if (target) target.focus();
