// Starts the page: reads the contract, shows the view that the URL names, and handles the keyboard.

import { aboutView } from './about.js';
import { askForToken, clearNotice, notice, recall, refusalCard, showState } from './access.js';
import { CatalogueView } from './catalogue.js';
import { Contract } from './contract.js';
import { el, fill } from './dom.js';
import { clone } from './json.js';
import { Recent } from './recent.js';
import { ResourceView } from './resource.js';
import { ToolView } from './tool.js';
import { Refused, Unreachable, fetchContract } from './wire.js';

const byId = (id) => document.getElementById(id);

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

class Page {
  constructor(contract) {
    this.contract = contract;
    this.views = new Map();
    this.current = null;
    this.recent = new Recent(byId('recent'), (call) => this.reopen(call));
    this.catalogue = new CatalogueView(contract, byId('catalogue'));
    this.title();
    window.addEventListener('hashchange', () => this.show(true));
    document.addEventListener('keydown', (event) => this.key(event));
    this.show(false);
  }

  title() {
    const { contract } = this;
    document.title = `${contract.surface} · Toolwright`;
    byId('surface-title').textContent = contract.surface;
    byId('surface-facts').textContent =
      `${contract.version} · contract ${contract.contract} · ${contract.digest.slice(0, 8)}`;
  }

  /** The view that the URL names; views are kept, including their input. */
  viewOf(hash) {
    const [kind, name = ''] = hash.slice(1).split('/', 2).map(decoded);
    const tool = kind === 'tool' && this.contract.tool(name);
    if (tool)
      return new ToolView(tool, this.contract, (call) =>
        this.recent.add({ ...call, arguments: clone(call.arguments) }),
      );
    const resource = kind === 'resource' && this.contract.resources.find(({ uri }) => uri === name);
    return resource ? new ResourceView(resource, this.contract) : aboutView(this.contract);
  }

  show(moved) {
    const { hash } = location;
    if (hash === '#main') return;
    if (!this.views.has(hash)) this.views.set(hash, this.viewOf(hash));
    this.current = this.views.get(hash);
    const back = el('a', { href: '#', class: 'back' }, '← All tools');
    fill(byId('view'), back, this.current.node);
    document.body.dataset.at = hash.length > 1 ? 'view' : 'list';
    this.catalogue.mark(hash);
    if (!moved) return;
    window.scrollTo(0, 0);
    this.current.heading.focus({ preventScroll: true });
  }

  reopen({ tool, arguments: given }) {
    const hash = `#tool/${encodeURIComponent(tool.canonical)}`;
    if (location.hash === hash) this.show(true);
    if (!this.views.has(hash)) this.views.set(hash, this.viewOf(hash));
    this.views.get(hash).form.write(clone(given ?? {}));
    location.hash = hash;
  }

  key(event) {
    const typing = event.target.closest?.('input, textarea, select');
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.catalogue.search.focus();
      this.catalogue.search.select();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.current?.call?.();
    } else if (event.key === 'Escape') {
      this.current?.cancel?.();
    }
  }
}

async function start() {
  try {
    const contract = new Contract(await fetchContract());
    clearNotice();
    showState();
    new Page(contract);
  } catch (error) {
    fill(byId('view'));
    if (error instanceof Refused && error.status === 401) askForToken(error.message, start);
    else if (error instanceof Refused || error instanceof Unreachable) notice(refusalCard(error, start));
    else throw error;
  }
}

recall();
start();
