// Tokens, and what the page says when the server turns a request away.

import { assert, call, openTool, result, settled, shown, verdict } from './common.mjs';

const refused = (status) => new RegExp(`the server responded with a status of ${status}`);

export const cases = [
  {
    name: 'a token is asked for, kept in memory and used',
    at: 'GUARDED',
    allow: refused(401),
    run: async ({ page, shot }) => {
      const token = page.getByLabel('Bearer token');
      await token.waitFor();
      await shot('token');
      await token.fill('wrong-token');
      await page.getByRole('button', { name: 'Use this token' }).click();
      await page.getByText('Invalid bearer token.').waitFor();
      await token.fill('page-token');
      await page.keyboard.press('Enter');
      await openTool(page, 'wink.list_overrides');
      await call(page);
      await verdict(page, 'Done');
      assert.equal((await shown(page)).total, 1);
      await result(page).getByRole('tab', { name: 'curl' }).click();
      const curl = await result(page).locator('pre').textContent();
      assert.ok(curl.includes('Bearer $TOKEN') && !curl.includes('page-token'), 'the token is not shown');
      assert.deepEqual(
        await page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie]),
        [0, 0, ''],
      );
      await page.reload();
      await token.waitFor();
    },
  },
  {
    name: 'a token is remembered in the tab when asked to, and forgotten when told',
    at: 'GUARDED',
    allow: refused(401),
    run: async ({ page }) => {
      const token = page.getByLabel('Bearer token');
      await token.fill('page-token');
      await page.getByLabel('Remember it in this tab').check();
      await page.getByRole('button', { name: 'Use this token' }).click();
      await page.getByRole('link', { name: 'wink.list_overrides' }).waitFor();
      await page.reload();
      await page.getByRole('link', { name: 'wink.list_overrides' }).waitFor();
      await page.getByRole('button', { name: 'Forget the token' }).click();
      await token.waitFor();
      assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    },
  },
  {
    name: 'a caller that asks too often is told when to go on',
    at: 'LIMITED',
    allow: refused(429),
    run: async ({ page }) => {
      await openTool(page, 'demo.shapes');
      const away = result(page).getByRole('heading', { name: 'Rejected: HTTP 429' });
      for (let turn = 0; turn < 50 && !(await away.isVisible()); turn += 1) {
        await call(page);
        await settled(page);
      }
      await away.waitFor();
      await result(page)
        .getByText(/Response of the server: in \d+ s\./)
        .waitFor();
    },
  },
  {
    name: 'a busy server is explained and asked again',
    at: 'BUSY',
    allow: refused(503),
    run: async ({ page, context, url }) => {
      await openTool(page, 'demo.slow');
      await call(page);
      await page.getByText('Running… 1 of 3').waitFor();
      const other = await context.newPage();
      await other.goto(url);
      await openTool(other, 'demo.shapes');
      await call(other);
      await result(other).getByRole('heading', { name: 'Rejected: HTTP 503' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await verdict(page, 'Cancelled');
      const again = result(other).getByRole('button', { name: 'Try again' });
      // The server notices the cancelled call in its own time.
      const end = Date.now() + 60_000;
      while (Date.now() < end && (await again.isVisible())) {
        await again.click();
        await settled(other);
      }
      await verdict(other, 'Done');
    },
  },
  {
    name: 'the page works under the name localhost',
    at: 'WINK_LOCALHOST',
    run: async ({ page }) => {
      await openTool(page, 'wink.list_overrides');
      await call(page);
      await verdict(page, 'Done');
    },
  },
];
