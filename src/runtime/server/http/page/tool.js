// One tool: its guards, form, call and result.

import { askForToken, refusalCard } from './access.js';
import { toolHead, toolMore } from './described.js';
import { announce, button, el, fill, prose } from './dom.js';
import { CallForm } from './form.js';
import { guardList, guardNotes, refusedBy, who } from './guards.js';
import { questionCard } from './question.js';
import { bodyOf, resultCard, took, verdictOf } from './result.js';
import { reviewCard, stageOne, tokenIn } from './review.js';
import { Refused, prepare, send } from './wire.js';

export class ToolView {
  constructor(tool, contract, remember) {
    Object.assign(this, { tool, contract, remember, running: null, consent: new Set() });
    this.form = new CallForm(tool, guardNotes(tool));
    this.callButton = el(
      'button',
      { type: 'submit', class: tool.effects === 'destructive' ? 'primary danger' : 'primary' },
      tool.effects === 'destructive' ? 'Call (destructive)' : 'Call',
    );
    this.cancelButton = button('Cancel', () => this.cancel(), { hidden: true });
    this.progress = el('span', { class: 'muted' });
    this.result = el('section', { 'aria-label': 'Result', tabindex: '-1' });
    this.heading = el('h1', { tabindex: '-1' }, tool.canonical);
    this.node = el(
      'article',
      {},
      toolHead(tool, this.heading),
      this.guards(),
      this.callForm(),
      this.result,
      toolMore(tool, contract),
    );
  }

  guards() {
    return guardList(this.tool, this.contract, (guard) =>
      guard.name === 'two_stage'
        ? el(
            'div',
            { class: 'actions' },
            button('Review first', () => this.review(guard), { class: 'small' }),
          )
        : null,
    );
  }

  callForm() {
    return el(
      'form',
      {
        novalidate: true,
        class: 'call',
        on: {
          submit: (event) => {
            event.preventDefault();
            this.call();
          },
        },
      },
      this.form.node,
      el(
        'div',
        { class: 'actions' },
        this.callButton,
        this.cancelButton,
        this.progress,
        el('span', { class: 'muted keys' }, 'Ctrl+Enter'),
      ),
    );
  }

  /** Calls the tool with the form's arguments. */
  async call() {
    if (this.running) return;
    const { value, issues } = this.form.read();
    if (issues.length) {
      this.form.show(issues);
      announce('Some arguments cannot be read');
      return;
    }
    await this.run({ name: this.tool.canonical, arguments: value });
  }

  cancel() {
    this.running?.abort();
  }

  /** Sends a call and shows the result. */
  async run(params) {
    if (this.running) return;
    const again = () => this.run(params);
    const exchange = await this.exchange(params, again);
    if (!exchange) return;
    this.remember({
      tool: this.tool,
      arguments: params.arguments,
      exchange,
      verdict: verdictOf(exchange.message),
      code: this.failureOf(exchange)?.code,
    });
    this.show(exchange, params);
    if (verdictOf(exchange.message) === 'done') this.spend();
  }

  /** One request and its answer; null if there is none, which is shown. */
  async exchange(params, again) {
    const request = prepare('tools/call', params);
    const started = performance.now();
    this.begin();
    try {
      const message = await send(request, {
        signal: this.running.signal,
        onProgress: (progress) => this.report(progress),
      });
      return { request, message, elapsed: performance.now() - started };
    } catch (error) {
      this.refused(error, performance.now() - started, again);
      return null;
    } finally {
      this.end();
    }
  }

  begin() {
    this.running = new AbortController();
    this.callButton.setAttribute('aria-disabled', 'true');
    this.cancelButton.hidden = false;
    this.progress.textContent = 'Running…';
    this.result.setAttribute('aria-busy', 'true');
    this.form.clearProblems();
    announce(`Calling ${this.tool.canonical}`);
  }

  end() {
    this.running = null;
    this.callButton.removeAttribute('aria-disabled');
    this.cancelButton.hidden = true;
    this.progress.textContent = '';
    this.result.removeAttribute('aria-busy');
  }

  report({ progress, total, message }) {
    const share = total ? `${progress} of ${total}` : String(progress);
    this.progress.textContent = `Running… ${share}${message ? `, ${message}` : ''}`;
  }

  refused(error, elapsed, again) {
    if (error.name === 'AbortError') {
      this.place(
        el(
          'div',
          { class: 'card result' },
          el(
            'p',
            { class: 'verdict' },
            el('strong', {}, 'Cancelled'),
            ' ',
            el('span', { class: 'muted' }, `after ${took(elapsed)}; the server was told.`),
          ),
        ),
      );
      announce('Cancelled');
      return;
    }
    if (error instanceof Refused && error.status === 401) askForToken(error.message, again);
    this.place(refusalCard(error, again));
    announce(`Rejected: ${error.message}`);
  }

  failureOf({ message }) {
    if (message.error) {
      const found = this.contract.failure(message.error.data ?? {});
      return found.entry ? { ...found, message: found.message || message.error.message } : undefined;
    }
    return message.result?.isError ? this.contract.failure(bodyOf(message.result)) : undefined;
  }

  show(exchange, params) {
    const failure = this.failureOf(exchange);
    const verdict = verdictOf(exchange.message);
    const question =
      verdict === 'asks'
        ? questionCard(exchange.message.result, (answer) =>
            this.run({ name: params.name, arguments: params.arguments, ...answer }),
          )
        : null;
    const steps = failure ? this.steps(failure) : [];
    this.place(
      resultCard(exchange, {
        contract: this.contract,
        tool: this.tool,
        failure,
        steps,
        inside: question?.node,
      }),
    );
    const problems = failure ? this.contract.problems(failure) : [];
    announce(
      {
        done: `Done in ${took(exchange.elapsed)}`,
        failed: `Failed: ${failure?.code ?? 'no code'}. ${failure?.message ?? ''}`,
        asks: 'The server has a question',
        protocol: `Protocol error: ${exchange.message.error?.message}`,
      }[verdict],
    );
    const { field } = failure?.details ?? {};
    if (typeof field === 'string' && !refusedBy(this.tool, failure.entry?.kind))
      this.form.mark(field, failure.message);
    if (problems.length) this.form.show(problems);
    else if (question) question.focus();
    else this.result.scrollIntoView({ block: 'nearest' });
  }

  /** Shows a card; moves the focus to it if it was in the previous one. */
  place(card) {
    const within = this.result.contains(document.activeElement);
    fill(this.result, card);
    if (within) this.result.focus({ preventScroll: true });
  }

  /** Sets the argument that a guard requires. */
  agree(field, value) {
    this.consent.add(field);
    this.form.set(field, value);
  }

  /** Consent is valid for one call: resets it for the next. */
  spend() {
    for (const field of this.consent) this.form.set(field, undefined);
    this.consent.clear();
  }

  /** The next steps after a guard's refusal. */
  steps(failure) {
    const guard = refusedBy(this.tool, failure.entry?.kind);
    if (!guard) return [];
    const note = el(
      'p',
      { class: 'muted wide' },
      prose(`The guard \`${guard.name}\` refused. ${who(guard.strength)}`),
    );
    if (guard.name === 'confirm' || (guard.name === 'ask' && guard.params.otherwise)) {
      const field = guard.params.field ?? guard.params.otherwise;
      return [
        note,
        button(
          'Confirm and call again',
          () => {
            this.agree(field, true);
            this.call();
          },
          { class: 'primary' },
        ),
        el('span', { class: 'muted' }, prose(`sets \`${field}: true\``)),
      ];
    }
    if (guard.name === 'two_stage')
      return [note, button('Review first', () => this.review(guard), { class: 'primary' })];
    return [note];
  }

  /** Calls the issuing tool for the plan, and fills in its token. */
  async review(guard) {
    if (this.running) return;
    const { value, issues } = this.form.read();
    if (issues.length) {
      this.form.show(issues);
      return;
    }
    const stage = stageOne(guard, this.contract, value);
    const exchange = await this.exchange({ name: stage.tool.canonical, arguments: stage.arguments }, () =>
      this.review(guard),
    );
    if (!exchange) return;
    const token = tokenIn(exchange.message, guard);
    if (token) this.agree(guard.params.field, token);
    const danger = this.tool.effects === 'destructive';
    this.place(
      reviewCard({ exchange, stage, guard, contract: this.contract, token, danger, goOn: () => this.call() }),
    );
    announce(token ? 'Reviewed; the token is filled in' : 'The review returned no token');
  }
}
