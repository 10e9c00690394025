// Guards: what is said before the call, the refusal, and the way on, for each kind.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { asJson, assert, call, eventually, field, openTool, result, shown, status, verdict } from './common.mjs';

export const cases = [
  {
    name: 'a write is refused, explained, confirmed and done',
    at: 'WINK',
    run: async ({ page, env, shot }) => {
      const file = () =>
        readFileSync(join(env.WINK_FOLDER, 'overrides/demo.app/code-review/latest.json'), 'utf8');
      await page.getByRole('searchbox').fill('write section');
      await openTool(page, 'wink.write_section_override');
      await page.getByText('Changes nothing unless confirm is true.').waitFor();
      await page.getByText('The model itself can satisfy it, by sending the right argument.').waitFor();
      await field(page, 'ns').fill('demo.app');
      await field(page, 'prompt').fill('code-review');
      await field(page, 'section_path').fill('system/style');
      await field(page, 'body').fill('Short <b>sentences</b> from the page.');
      const before = file();
      await call(page);
      await verdict(page, 'Failed: confirm_required');
      await result(page)
        .getByText('A write came without confirm set to true; nothing was changed.')
        .waitFor();
      await result(page).getByText('What would be done').waitFor();
      assert.equal(file(), before, 'nothing was written');
      await shot('refused');
      await result(page).getByRole('button', { name: 'Confirm and call again' }).click();
      await verdict(page, 'Done');
      assert.equal((await shown(page)).changed, true);
      assert.match(file(), /Short <b>sentences<\/b> from the page\./);
      assert.equal(JSON.parse(await asJson(page)).confirm, undefined, 'the consent was for one call');
      assert.equal((await shown(page, 'Request')).params.arguments.confirm, true);
      await shot('confirmed');
      await eventually(async () => assert.equal(await page.locator('#recent li').count(), 2));
    },
  },
  {
    name: 'what needs a review is reviewed first',
    at: 'AGENTPACK',
    run: async ({ page, shot }) => {
      await openTool(page, 'deploy_apply');
      await page.getByText('Destructive: may irreversibly remove or overwrite data.').waitFor();
      await page.getByText('Needs the confirm_token that deploy gives for exactly what it showed.').waitFor();
      await field(page, 'target').selectOption('codex');
      await call(page);
      await verdict(page, 'Failed: E_CONFIRM_REQUIRED');
      await result(page).getByRole('button', { name: 'Confirm and call again' }).click();
      await verdict(page, 'Failed: E_CONFIRM_TOKEN_REQUIRED');
      await result(page).getByRole('button', { name: 'Review first' }).click();
      await result(page).getByText('This is what deploy planned.').waitFor();
      assert.equal((await shown(page, 'Request')).params.arguments.target, 'codex');
      await shot('review');
      await result(page).getByRole('button', { name: 'Call with this token' }).click();
      await result(page).getByText('This is what deploy planned.').waitFor({ state: 'detached' });
      await verdict(page, 'The server asks');
      await result(page).getByLabel('confirm').selectOption('true');
      await result(page).getByRole('button', { name: 'Send the answer' }).click();
      await verdict(page, 'Done');
      assert.equal((await shown(page)).data.applied, true);
    },
  },
  {
    name: 'a question is shown and answered',
    at: 'DEMO',
    run: async ({ page, shot }) => {
      await openTool(page, 'demo.ask');
      await page.getByText('The client attests that the user agreed.').waitFor();
      await field(page, 'thing').fill('the <b>thing</b>');
      await call(page);
      await verdict(page, 'The server asks');
      assert.equal(await result(page).locator('.asked').textContent(), 'Remove the <b>thing</b>?');
      assert.match(await status(page), /has a question/);
      await shot('question');
      await result(page).getByLabel('confirm').selectOption('true');
      await result(page).getByRole('button', { name: 'Send the answer' }).click();
      await verdict(page, 'Done');
      assert.equal((await shown(page)).removed, 'the <b>thing</b>');
      await call(page);
      await verdict(page, 'The server asks');
      await result(page).getByRole('button', { name: 'Decline' }).click();
      await verdict(page, 'Failed: declined');
      await result(page).getByText('The person said no.').waitFor();
    },
  },
];
