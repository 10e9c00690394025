// The review page of yarnnn: signing in, deciding with the mouse, the keyboard and without scripts,
// at the widths of a desktop and of a phone.

import { assert } from './common.mjs';

// A visit without a session is answered with the form to sign in, and 401.
const allow = /the server responded with a status of 40[139]/;

async function signIn(page, env) {
  await page.getByLabel('Integration token or JWT').fill(env.REVIEW_TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: /^Proposals/ }).waitFor();
}

const card = (page, name) => page.locator('.item', { has: page.getByRole('heading', { name, exact: true }) });

/** Opens the newest proposal of a basket: the one with the most statements. */
async function open(page, name) {
  await card(page, name).filter({ hasText: 'Refunds' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name: 'Statements and names' }).waitFor();
}

const operation = (page, number) => page.locator(`#operation-${number}`);
const fits = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export const cases = [
  {
    name: 'review: a wrong token is refused, a right one opens the list, signing out closes it',
    at: 'REVIEW',
    allow,
    run: async ({ page, context, env, url, shot }) => {
      await shot('review-sign-in');
      await page.getByLabel('Integration token or JWT').fill('yit_wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await signIn(page, env);
      await shot('review-list');
      const [cookie] = await context.cookies();
      assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
      assert.equal(await page.evaluate(() => document.cookie), '');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in to review' }).waitFor();
      await page.goto(url);
      await page.getByRole('heading', { name: 'Sign in to review' }).waitFor();
    },
  },
  {
    name: 'review: text of a transcript is text',
    at: 'REVIEW',
    allow,
    run: async ({ page, env, shot }) => {
      await signIn(page, env);
      await page.getByText('The text').first().click();
      await page.locator('.item a', { hasText: '<img' }).last().click();
      await page.locator('mark', { hasText: '<' }).first().waitFor();
      assert.equal(await page.locator('main img, main script').count(), 0);
      await shot('review-hostile');
    },
  },
  {
    name: 'review: with the keyboard alone',
    at: 'REVIEW',
    allow,
    run: async ({ page, env, shot }) => {
      await signIn(page, env);
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      await shot('review-keys');
      await page.keyboard.press('Escape');
      // To the card, wherever it is in the list.
      const all = await page.locator('.item').count();
      for (let turn = 0; turn < all; turn += 1) {
        await page.keyboard.press('j');
        const text = await page.locator('.item.current').textContent();
        if (text.includes('Keyboard') && text.includes('Refunds')) break;
      }
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Statements and names' }).waitFor();
      await page.keyboard.press('j');
      assert.equal(await page.locator('mark.current').count() > 0, true, 'the source is marked');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await shot('review-proposal');
      await page.keyboard.press('a');
      await operation(page, 1).getByText('approved', { exact: true }).waitFor();
      // The next one has the focus.
      await page.keyboard.press('e');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('Refunds are paid within six days, kindly.');
      await shot('review-edit');
      await page.getByRole('button', { name: 'Save' }).first().press('Enter');
      await operation(page, 2).getByText('edited by').waitFor();
      await page.keyboard.press('r');
      await operation(page, 2).getByText('rejected', { exact: true }).waitFor();
      await page.getByText('rejected', { exact: true }).first().waitFor();
      await shot('review-decided');
      await page.keyboard.press('u');
      await page.getByRole('heading', { name: /^Proposals/ }).waitFor();
    },
  },
  {
    name: 'review: with the mouse, filters and in bulk',
    at: 'REVIEW',
    allow,
    run: async ({ page, env, shot }) => {
      await signIn(page, env);
      await page.getByLabel('Host').selectOption('agent:cursor');
      await page.getByLabel('Basket').first().selectOption({ label: 'Mouse' });
      await page.getByRole('button', { name: 'Show' }).click();
      await page.waitForURL(/basket=/);
      assert.equal(await page.locator('.item', { hasText: 'Refunds' }).count(), 1);
      await shot('review-filtered');
      await page.getByLabel('All', { exact: true }).check();
      await page.getByRole('button', { name: 'Approve selected' }).click();
      await page.getByRole('status').getByText('Approved.').waitFor();
      assert.equal(await card(page, 'Mouse').filter({ hasText: 'Refunds' }).count(), 0);
      // A capture that waits for a basket.
      const garden = page.locator('.item', { hasText: 'The garden needs water' });
      const basket = await garden.locator('option', { hasText: 'Mouse' }).getAttribute('value');
      await garden.getByLabel('Basket').selectOption(basket);
      await garden.getByRole('button', { name: 'Assign' }).click();
      await page.getByRole('status').getByText('Assigned.').waitFor();
      const other = page.locator('.item', { hasText: 'Unassigned:' });
      await other.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByRole('status').getByText('Dismissed.').waitFor();
    },
  },
  {
    name: 'review: somebody else was quicker',
    at: 'REVIEW',
    allow,
    run: async ({ page, context, env, url }) => {
      await signIn(page, env);
      await open(page, 'Phone');
      const other = await context.newPage();
      await other.goto(page.url());
      await operation(other, 3).getByText('Edit', { exact: true }).click();
      await operation(other, 3).getByLabel('Words').fill('Every customer gets an answer within two hours.');
      await operation(other, 3).getByRole('button', { name: 'Save' }).click();
      await operation(other, 3).getByText('edited by').waitFor();
      await operation(page, 1).getByRole('button', { name: 'Approve', exact: true }).click();
      await page.getByRole('alert').getByText('has changed').waitFor();
      await page.goto(url);
    },
  },
  {
    name: 'review: at the width of a phone',
    at: 'REVIEW',
    allow,
    context: { ...phone, colorScheme: 'dark' },
    run: async ({ page, env, shot }) => {
      assert.ok(await fits(page), 'the form to sign in fits');
      await shot('review-phone-sign-in');
      await signIn(page, env);
      assert.ok(await fits(page), 'the list fits');
      await shot('review-phone-list');
      await open(page, 'Phone');
      assert.ok(await fits(page), 'the proposal fits');
      await shot('review-phone-proposal');
      for (const button of await page.locator('main button:visible').all()) {
        const { height } = await button.boundingBox();
        assert.ok(height >= 36, `a finger finds it: ${height}`);
      }
      await operation(page, 1).getByRole('button', { name: 'Approve', exact: true }).tap();
      await operation(page, 1).getByText('approved', { exact: true }).waitFor();
    },
  },
  {
    name: 'review: without scripts',
    at: 'REVIEW',
    allow,
    context: { javaScriptEnabled: false },
    run: async ({ page, env }) => {
      await signIn(page, env);
      await open(page, 'Plain');
      await operation(page, 1).getByRole('button', { name: 'Reject', exact: true }).click();
      await operation(page, 1).getByText('rejected', { exact: true }).waitFor();
      await operation(page, 2).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Approve selected' }).click();
      await operation(page, 2).getByText('approved', { exact: true }).waitFor();
    },
  },
];
