// How it looks: light, dark and narrow, with enough contrast, labels everywhere and nothing cut off.

import { assert, call, field, openTool, verdict } from './common.mjs';

/** Texts whose contrast is below 4.5, and controls without a name. */
function faults() {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([red, green, blue]) =>
    [red, green, blue]
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const seen = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (
      !walker.currentNode.textContent.trim() ||
      !seen(element) ||
      element.closest('[aria-disabled], [inert]')
    )
      continue;
    const [one, other] = [luminance(numbers(getComputedStyle(element).color)), luminance(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5)
      found.push(
        `${contrast.toFixed(2)}: ${element.className} ${walker.currentNode.textContent.slice(0, 40)}`,
      );
  }
  for (const control of document.querySelectorAll('input, select, textarea, button')) {
    const named =
      control.labels?.length ||
      control.getAttribute('aria-label') ||
      (control.tagName === 'BUTTON' && control.textContent.trim());
    if (!named) found.push(`no name: ${control.id} ${control.className}`);
  }
  if (document.documentElement.scrollWidth > window.innerWidth)
    found.push(`too wide: ${document.documentElement.scrollWidth}`);
  return found;
}

const views = async ({ page, shot }, name) => {
  const check = async (step) => {
    await shot(`${name}-${step}`);
    assert.deepEqual(await page.evaluate(faults), [], `${name}, ${step}`);
  };
  await page.getByRole('link', { name: 'wink.list_overrides' }).waitFor();
  await check('start');
  await page.getByText('Error codes (').click();
  await check('errors');
  await openTool(page, 'wink.write_section_override');
  await field(page, 'ns').fill('demo.app');
  await field(page, 'prompt').fill('code-review');
  await field(page, 'section_path').fill('system');
  await field(page, 'body').fill('Be kind to $name.');
  await call(page);
  await verdict(page, 'Failed: confirm_required');
  await check('refused');
  await page.getByRole('button', { name: 'Edit as JSON' }).click();
  await check('json');
};

const landmarks = async ({ page }) => {
  for (const role of ['banner', 'navigation', 'main'])
    assert.equal(await page.getByRole(role).count(), 1, role);
  assert.equal(await page.locator('[aria-live="polite"]').count(), 1);
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
};

export const cases = [
  { name: 'light', at: 'WINK', context: { colorScheme: 'light' }, run: (at) => views(at, 'light') },
  { name: 'dark', at: 'WINK', context: { colorScheme: 'dark' }, run: (at) => views(at, 'dark') },
  {
    name: 'narrow',
    at: 'WINK',
    context: { viewport: { width: 380, height: 760 } },
    run: (at) => views(at, 'narrow'),
  },
  {
    name: 'all kinds of fields, dark and narrow',
    at: 'DEMO',
    context: { viewport: { width: 380, height: 760 }, colorScheme: 'dark' },
    run: async ({ page, shot }) => {
      await openTool(page, 'demo.shapes');
      await page.getByText('Fill from an example').click();
      await page.getByRole('button', { name: 'everything' }).click();
      await shot('fields');
      assert.deepEqual(await page.evaluate(faults), []);
      await page.getByRole('link', { name: '← All tools' }).click();
      await page.getByRole('searchbox').waitFor();
    },
  },
  {
    name: 'there are landmarks, one heading and a place for news',
    at: 'WINK',
    run: async (at) => {
      await at.page.getByRole('link', { name: 'wink.list_overrides' }).waitFor();
      await landmarks(at);
    },
  },
];
