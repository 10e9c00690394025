// Finding a tool, calling it, cancelling it; resources, recent calls, hostile text, the keyboard.

import { assert, call, eventually, field, openTool, ready, result, shown, status, verdict } from './common.mjs';

export const cases = [
  {
    name: 'search finds tools by name, words and error code',
    at: 'WINK',
    run: async ({ page }) => {
      const names = () => page.locator('#catalogue .entry-name').allTextContents();
      const search = page.getByRole('searchbox');
      await eventually(async () => assert.equal((await names()).length, 7));
      await search.fill('list over');
      await eventually(async () => assert.deepEqual(await names(), ['wink.list_overrides']));
      await search.fill('content_changed');
      await eventually(async () => assert.ok((await names()).includes('wink.write_section_override')));
      await page.getByText('may answer content_changed').first().waitFor();
      await eventually(async () => assert.match(await status(page), /of 7 found/));
      await search.fill('nothing like it');
      await eventually(async () => assert.deepEqual(await names(), []));
    },
  },
  {
    name: 'a tool is called and its envelope shown',
    at: 'WINK',
    run: async ({ page }) => {
      await openTool(page, 'wink.list_overrides');
      await page.getByText('Read-only: changes nothing.').waitFor();
      await call(page);
      await verdict(page, 'Done');
      await result(page).getByText('isError: false').waitFor();
      assert.equal((await shown(page)).total, 1);
      const request = await shown(page, 'Request');
      assert.equal(request.params._meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
      const response = await shown(page, 'Response');
      assert.equal(response.result.resultType, 'complete');
      await result(page).getByRole('tab', { name: 'curl' }).click();
      assert.match(
        await result(page).locator('pre').textContent(),
        /^curl -sS http.*Mcp-Name: wink\.list_overrides/s,
      );
      await result(page).getByRole('tab', { name: 'Command line' }).click();
      assert.match(await result(page).locator('pre').textContent(), /^wink \S+ --json$/);
      await page.locator('#recent').getByRole('button').waitFor();
    },
  },
  {
    name: 'a failure is explained from the registry',
    at: 'WINK',
    run: async ({ page }) => {
      await openTool(page, 'wink.get_section_override');
      await field(page, 'ns').fill('demo.app');
      await field(page, 'prompt').fill('code-review');
      await field(page, 'section_path').fill('sistem');
      await call(page);
      await verdict(page, 'Failed: section_not_found');
      await result(page).getByText('isError: true').waitFor();
      await result(page).getByText('The prompt has no such section.').waitFor();
      await result(page)
        .getByText('Send the path with slashes; if the section is new in code, export again.', {
          exact: true,
        })
        .waitFor();
      await result(page).getByText('Repeating the same call will not help.').waitFor();
      assert.deepEqual((await shown(page)).suggestions, ['system', 'system/style']);
      assert.match(await page.locator('.field.wrong').textContent(), /^section_path.*Did you mean system/);
      assert.match(await status(page), /section_not_found/);
    },
  },
  {
    name: 'one call with the keyboard alone',
    at: 'WINK',
    run: async ({ page }) => {
      await ready(page);
      await page.keyboard.press('/');
      await page.keyboard.type('get_section');
      await page.keyboard.press('ArrowDown');
      await eventually(async () =>
        assert.match(
          await page.evaluate(() => document.activeElement.textContent),
          /wink\.get_section_override/,
        ),
      );
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'wink.get_section_override' }).waitFor();
      const reach = async (name) => {
        for (let step = 0; step < 30; step += 1) {
          await page.keyboard.press('Tab');
          const label = await page.evaluate(() => document.activeElement.labels?.[0]?.textContent ?? '');
          if (label.startsWith(name)) return;
        }
        assert.fail(`the tab key does not lead to ${name}`);
      };
      for (const [name, text] of [
        ['ns', 'demo.app'],
        ['prompt', 'code-review'],
        ['section_path', 'system'],
      ]) {
        await reach(name);
        await page.keyboard.type(text);
      }
      await page.keyboard.press('Control+Enter');
      await verdict(page, 'Done');
      assert.match(await status(page), /^Done in/);
      await page.keyboard.press('Shift+Tab');
      assert.notEqual(
        await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle),
        'none',
      );
    },
  },
  {
    name: 'arrow keys walk through the list and escape leads back',
    at: 'WINK',
    run: async ({ page }) => {
      const at = () => page.evaluate(() => document.activeElement.textContent);
      await ready(page);
      await page.keyboard.press('/');
      await page.keyboard.press('ArrowDown');
      await eventually(async () => assert.match(await at(), /delete_section/));
      await page.keyboard.press('ArrowDown');
      await eventually(async () => assert.match(await at(), /delete_tool/));
      await page.keyboard.press('End');
      await eventually(async () => assert.match(await at(), /write_tool/));
      await page.keyboard.press('Escape');
      await page.keyboard.type('zzz');
      await page.keyboard.press('Escape');
      await eventually(async () => assert.equal(await page.getByRole('searchbox').inputValue(), ''));
    },
  },
  {
    name: 'a running call shows progress and can be cancelled',
    at: 'DEMO',
    run: async ({ page }) => {
      await openTool(page, 'demo.slow');
      await call(page);
      await page.getByText('Running… 1 of 3, one step').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await verdict(page, 'Cancelled');
      await call(page);
      await page.getByText('Running…').waitFor();
      await page.keyboard.press('Escape');
      await verdict(page, 'Cancelled');
      const again = page.getByRole('button', { name: 'Call', exact: true });
      await eventually(async () => assert.equal(await again.isEnabled(), true));
    },
  },
  {
    name: 'hostile text is text wherever it comes from',
    at: 'DEMO',
    run: async ({ page }) => {
      await page.getByText('<img src=x onerror="window.hurt=1">').first().waitFor();
      await openTool(page, 'demo.hurt');
      await page.getByLabel('<b>x</b>').fill('<img src=x onerror=window.hurt=1>');
      await call(page);
      await verdict(page, 'Done');
      assert.match((await shown(page)).said, /^<img src=x/);
      for (const tab of ['Response', 'Request', 'curl'])
        await result(page).getByRole('tab', { name: tab }).click();
      await field(page, 'fail').selectOption('true');
      await call(page);
      await verdict(page, 'Failed: hostile');
      assert.equal(await page.locator('img[src="x"]').count(), 0);
    },
  },
  {
    name: 'a resource is listed and read',
    at: 'DEMO',
    run: async ({ page }) => {
      await page.getByRole('link', { name: 'demo://greeting' }).click();
      await page.getByRole('button', { name: 'Read' }).click();
      await verdict(page, 'Read');
      assert.match(await result(page).locator('pre').first().textContent(), /^<img src=x/);
      await page.getByLabel('Address', { exact: true }).last().fill('demo://none');
      await page.getByRole('button', { name: 'Read' }).click();
      await verdict(page, 'Protocol error');
    },
  },
  {
    name: 'a recent call fills the form again',
    at: 'DEMO',
    run: async ({ page }) => {
      await openTool(page, 'demo.shapes');
      await field(page, 'title').fill('first');
      await call(page);
      await verdict(page, 'Done');
      await field(page, 'title').fill('second');
      await openTool(page, 'demo.slow');
      await page.locator('#recent').getByRole('button').click();
      await page.getByRole('heading', { level: 1, name: 'demo.shapes' }).waitFor();
      assert.equal(await field(page, 'title').inputValue(), 'first');
    },
  },
];
