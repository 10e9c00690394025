// The list of tools and resources, with search by name, title, description and error code.

import { announce, el, fill, newId } from './dom.js';
import { EFFECT_TAGS } from './guards.js';

const toolPlace = (tool) => `#tool/${encodeURIComponent(tool.canonical)}`;
const resourcePlace = (resource) => `#resource/${encodeURIComponent(resource.uri)}`;

/** The text that search matches. */
function entries(contract) {
  const tools = contract.tools.map((tool) => ({
    place: toolPlace(tool),
    name: tool.canonical,
    title: tool.title,
    tag: EFFECT_TAGS[tool.effects],
    kind: tool.effects,
    text: [tool.canonical, tool.portable, tool.title, tool.description].join(' ').toLowerCase(),
    codes: tool.errors.flatMap((kind) => [kind, contract.error(kind)?.code ?? kind]),
    deprecated: Boolean(tool.deprecated),
  }));
  const resources = contract.resources.map((resource) => ({
    place: resourcePlace(resource),
    name: resource.uri,
    title: resource.title,
    tag: 'resource',
    kind: 'resource',
    text: [resource.uri, resource.name, resource.title, resource.description].join(' ').toLowerCase(),
    codes: [],
  }));
  return [...tools, ...resources];
}

/** Whether an entry matches all words, and the error code that matched. */
function fit(entry, words) {
  let code = null;
  const all = words.every((word) => {
    if (entry.text.includes(word)) return true;
    const found = entry.codes.find((known) => known.toLowerCase().includes(word));
    code ??= found ?? null;
    return found !== undefined;
  });
  return all ? { entry, code } : null;
}

export class CatalogueView {
  constructor(contract, place) {
    this.entries = entries(contract);
    const id = newId('search');
    this.search = el('input', {
      id,
      type: 'search',
      placeholder: 'Name, words or error code',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-keyshortcuts': '/',
    });
    this.count = el('p', { class: 'muted count' });
    this.list = el('ul', { class: 'plain list' });
    fill(place, el('label', { for: id }, 'Search ', el('kbd', {}, '/')), this.search, this.count, this.list);
    this.search.addEventListener('input', () => this.show(true));
    this.search.addEventListener('keydown', (event) => this.searchKey(event));
    this.list.addEventListener('keydown', (event) => this.listKey(event));
    this.show(false);
  }

  show(aloud) {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.entries.map((entry) => fit(entry, words)).filter(Boolean);
    fill(
      this.list,
      found.map(({ entry, code }) => this.item(entry, code)),
    );
    const tools = this.entries.filter((entry) => entry.kind !== 'resource').length;
    const rest = this.entries.length - tools;
    const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
    const all = count(tools, 'tool') + (rest ? `, ${count(rest, 'resource')}` : '');
    this.count.textContent = words.length ? `${found.length} of ${this.entries.length} found` : all;
    if (aloud) announce(this.count.textContent);
    this.mark(location.hash);
  }

  item(entry, code) {
    return el(
      'li',
      {},
      el(
        'a',
        { href: entry.place, tabindex: '-1' },
        el('span', { class: 'entry-name' }, entry.name),
        el('span', { class: 'entry-title' }, entry.deprecated ? `${entry.title} (deprecated)` : entry.title),
        el('span', { class: `tag ${entry.kind}` }, entry.tag),
        code ? el('span', { class: 'entry-code' }, 'may answer ', el('code', {}, code)) : null,
      ),
    );
  }

  links() {
    return [...this.list.querySelectorAll('a')];
  }

  /** Marks the open entry; the list is a single tab stop. */
  mark(hash) {
    const links = this.links();
    const current = links.find((link) => link.getAttribute('href') === hash);
    for (const link of links) {
      if (link === current) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
      link.tabIndex = link === (current ?? links[0]) ? 0 : -1;
    }
  }

  searchKey(event) {
    const links = this.links();
    if (event.key === 'ArrowDown' && links.length) {
      event.preventDefault();
      this.go(links[0]);
    } else if (event.key === 'Enter' && links.length) {
      event.preventDefault();
      links[0].click();
    } else if (event.key === 'Escape' && this.search.value) {
      event.stopPropagation();
      this.search.value = '';
      this.show(true);
    }
  }

  listKey(event) {
    const links = this.links();
    const now = links.indexOf(document.activeElement);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: links.length - 1 }[event.key];
    if (event.key === 'Escape') this.search.focus();
    if (to === undefined) return;
    event.preventDefault();
    if (to < 0) this.search.focus();
    else this.go(links[Math.min(to, links.length - 1)]);
  }

  go(link) {
    for (const other of this.links()) other.tabIndex = other === link ? 0 : -1;
    link.focus();
  }
}
