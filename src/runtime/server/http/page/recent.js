// The calls made from this page, newest first. They are kept in memory only.

import { button, el, fill } from './dom.js';
import { took } from './result.js';

const KEPT = 20;

export class Recent {
  constructor(place, open) {
    Object.assign(this, { place, open, calls: [] });
  }

  add(call) {
    this.calls = [call, ...this.calls].slice(0, KEPT);
    fill(
      this.place,
      el('h2', { class: 'small-title' }, 'Recent calls'),
      el(
        'ol',
        { class: 'plain list recent' },
        this.calls.map((one) => el('li', {}, this.item(one))),
      ),
    );
  }

  item(call) {
    const words = { done: 'done', failed: call.code ?? 'failed', asks: 'asks', protocol: 'protocol error' }[
      call.verdict
    ];
    return button(
      [
        el('span', { class: 'entry-name' }, call.tool.canonical),
        el('span', { class: `entry-title ${call.verdict}` }, `${words} · ${took(call.exchange.elapsed)}`),
      ],
      () => this.open(call),
      { class: 'plain-button', title: 'Open with these arguments' },
    );
  }
}
