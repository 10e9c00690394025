// What the cases share: ways to find things on the page as a person would.

import assert from 'node:assert/strict';

export { assert };

export async function openTool(page, name) {
  await page.locator('#catalogue').getByRole('link', { name, exact: false }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

const starting = (name) => new RegExp(`^${name.replaceAll(/[^\w ]/g, '\\$&')}\\b`);
export const field = (page, name) => page.locator('.call').getByLabel(starting(name)).first();
/** The page listens to the keyboard. */
export const ready = (page) => page.getByRole('searchbox').waitFor();
export const result = (page) => page.getByRole('region', { name: 'Result' });
export const call = (page) => page.getByRole('button', { name: /^Call( \(destructive\))?$/ }).click();
export const verdict = (page, text) => result(page).locator('.verdict', { hasText: text }).first().waitFor();
/** Nothing is under way; a click that starts a call marks the result as busy at once. */
export const settled = (page) =>
  page.locator('section[aria-label="Result"]:not([aria-busy])').waitFor({ state: 'attached' });
export const status = (page) => page.locator('#status').textContent();

/** Holds what is checked to be true soon: the page draws itself after the event that it answers. */
export async function eventually(check) {
  for (const end = Date.now() + 60_000; ; await new Promise((wake) => setTimeout(wake, 20))) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** The JSON in the pane that is open. */
export async function shown(page, tab) {
  if (tab) await result(page).getByRole('tab', { name: tab }).last().click();
  return JSON.parse(await result(page).getByRole('tabpanel').last().locator('pre').last().textContent());
}

/** The arguments of the form, as the JSON view shows them; the form is open again afterwards. */
export async function asJson(page) {
  await page.getByRole('button', { name: 'Edit as JSON' }).click();
  const text = await page.getByLabel('All arguments as one JSON object').inputValue();
  await page.getByRole('button', { name: 'Edit as a form' }).click();
  return text;
}
