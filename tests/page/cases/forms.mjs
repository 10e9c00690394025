// Forms made from schemas: every kind of field, both views, problems at their fields.

import { asJson, assert, call, eventually, field, openTool, result, shown, verdict } from './common.mjs';

export const cases = [
  {
    name: 'every kind of field becomes what the schema says',
    at: 'DEMO',
    run: async ({ page }) => {
      await openTool(page, 'demo.shapes');
      await field(page, 'title').fill('a title');
      await field(page, 'count').fill('9007199254740993');
      await field(page, 'ratio').fill('2.5');
      await field(page, 'flag').selectOption('true');
      await field(page, 'colour').selectOption('green');
      await field(page, 'text').fill('one\ntwo');
      await page.getByRole('group', { name: 'tags' }).getByRole('button', { name: 'Add an item' }).click();
      await page.keyboard.type('x');
      const people = page.getByRole('group', { name: 'people' });
      await people.getByRole('button', { name: 'Add an item' }).click();
      await people.getByLabel('name').fill('Ann');
      await people.getByLabel('age').fill('3');
      await page.getByRole('group', { name: 'place' }).getByLabel('city').fill('Bonn');
      await page.getByRole('group', { name: 'geo' }).getByLabel('lat').fill('50.7');
      await field(page, 'either').fill('[1, {"a": null}]');
      await field(page, 'free').fill('{"k": "v"}');
      await call(page);
      await verdict(page, 'Done');
      const { given } = await shown(page);
      assert.match(given, /"count":9007199254740993\b/, 'all digits arrive');
      assert.deepEqual(JSON.parse(given), {
        title: 'a title',
        count: 9007199254740992,
        ratio: 2.5,
        flag: true,
        colour: 'green',
        text: 'one\ntwo',
        tags: ['x'],
        people: [{ name: 'Ann', age: 3 }],
        place: { city: 'Bonn', geo: { lat: 50.7 } },
        either: [1, { a: null }],
        free: { k: 'v' },
      });
    },
  },
  {
    name: 'what is left empty is left out',
    at: 'DEMO',
    run: async ({ page }) => {
      await openTool(page, 'demo.shapes');
      await page.getByText('Empty fields are omitted from the call.').waitFor();
      assert.equal(await field(page, 'ratio').getAttribute('placeholder'), '0.5');
      await call(page);
      await verdict(page, 'Done');
      assert.equal((await shown(page)).given, '{}');
      await page.getByLabel('send null').check();
      await page.getByLabel('send empty list').first().check();
      await call(page);
      await result(page).getByText('note').first().waitFor();
      assert.deepEqual(JSON.parse((await shown(page)).given), { note: null, people: [] });
    },
  },
  {
    name: 'form and JSON stay in step and lose nothing',
    at: 'DEMO',
    run: async ({ page }) => {
      await openTool(page, 'demo.shapes');
      await page.getByText('Fill from an example').click();
      await page.getByRole('button', { name: 'everything' }).click();
      assert.equal(await field(page, 'title').inputValue(), 't');
      assert.equal(
        await page.getByRole('group', { name: 'people' }).getByLabel('name').last().inputValue(),
        'Bob',
      );
      await page.getByText('Also sent, but not in the contract: unknown.').waitFor();
      const first = await asJson(page);
      assert.match(first, /"count": 9007199254740993,/);
      assert.match(first, /"ratio": 1\.0,/);
      assert.deepEqual(JSON.parse(first).tags, ['x', '']);
      assert.deepEqual(JSON.parse(first).unknown, [1]);
      assert.equal(await asJson(page), first, 'there and back changes nothing');
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      const editor = page.getByLabel('All arguments as one JSON object');
      await editor.fill('{"title": 5, "colour": "blue", "count": 2');
      await page.getByText(/^Not JSON:/).waitFor();
      await page.getByRole('button', { name: 'Edit as a form' }).click();
      assert.equal(await editor.isVisible(), true, 'what cannot be read stays where it is');
      await editor.fill('{"title": 5, "colour": "blue", "count": 2}');
      await page.getByRole('button', { name: 'Edit as a form' }).click();
      assert.equal(await field(page, 'title').inputValue(), '5', 'a value of another type is kept as JSON');
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      const odd =
        '{"title": "", "note": "", "tags": [[], null], "people": [{}, 1], "place": {}, "either": {}, "free": {}}';
      await editor.fill(odd);
      await page.getByRole('button', { name: 'Edit as a form' }).click();
      assert.deepEqual(JSON.parse(await asJson(page)), JSON.parse(odd));
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      await editor.fill('{"title": 5, "colour": "blue", "count": 2}');
      await page.getByRole('button', { name: 'Edit as a form' }).click();
      assert.deepEqual(JSON.parse(await asJson(page)), { title: 5, count: 2, colour: 'blue' });
      await call(page);
      await verdict(page, 'Done');
      assert.deepEqual(JSON.parse((await shown(page)).given), { title: 5, count: 2, colour: 'blue' });
    },
  },
  {
    name: 'what is no JSON or no number is said at its field and not sent',
    at: 'DEMO',
    run: async ({ page }) => {
      await openTool(page, 'demo.shapes');
      await field(page, 'count').fill('many');
      await field(page, 'free').fill('{broken');
      await call(page);
      await page.getByText('This is not a number.').waitFor();
      await page.getByText(/^Not JSON:/).waitFor();
      assert.equal(await field(page, 'count').getAttribute('aria-invalid'), 'true');
      assert.equal(await result(page).textContent(), '');
    },
  },
  {
    name: 'an invalid argument is shown at its field',
    at: 'WINK',
    run: async ({ page, shot }) => {
      await openTool(page, 'wink.list_overrides');
      await field(page, 'limit').fill('100000');
      await call(page);
      await verdict(page, 'Failed: invalid_arguments');
      const limit = field(page, 'limit');
      assert.equal(await limit.getAttribute('aria-invalid'), 'true');
      await eventually(async () =>
        assert.equal(await limit.evaluate((input) => input === document.activeElement), true),
      );
      const told = page.locator('.field.wrong .problem');
      await eventually(async () => assert.equal(await told.count(), 1));
      assert.match(await told.textContent(), /\S/);
      assert.ok((await limit.getAttribute('aria-describedby')).includes(await told.getAttribute('id')));
      await shot('invalid-argument');
      await limit.fill('10');
      await eventually(async () => assert.equal(await page.locator('.field.wrong').count(), 0));
      await openTool(page, 'wink.get_section_override');
      await field(page, 'ns').fill('demo.app');
      await call(page);
      await verdict(page, 'Failed: invalid_arguments');
      await eventually(async () =>
        assert.equal(await page.locator('.field.wrong').count(), 2, 'missing ones are marked at their fields'),
      );
    },
  },
];

/** Runs within the page: what does not come back as it was written. */
async function lost() {
  const { CallForm } = await import('/page/form.js');
  const { same, parse } = await import('/page/json.js');
  const { guardNotes } = await import('/page/guards.js');
  const contract = parse(await (await fetch('contract.json')).text());
  const found = [];
  let tried = 0;
  for (const tool of contract.tools) {
    const form = new CallForm(tool, guardNotes(tool));
    for (const { name, input } of [
      ...tool.examples,
      { name: 'minimal', input: tool.minimal_call },
      { name: 'nothing', input: {} },
    ]) {
      form.write(input);
      const { value, issues } = form.read();
      if (issues.length || !same(value, input))
        found.push(`${tool.canonical} ${name}: ${JSON.stringify(input)} became ${JSON.stringify(value)}`);
      tried += 1;
    }
  }
  return { found, tried, surface: contract.surface };
}

/** For every surface: all tools open, and their forms lose nothing of any example. */
export const everyContract = {
  name: 'every form of a surface gives back every example',
  run: async ({ page }) => {
    await page.getByRole('searchbox').waitFor();
    const { found, tried, surface } = await page.evaluate(lost);
    assert.deepEqual(found, [], surface);
    assert.ok(tried > 20, `${surface}: ${tried}`);
    for (const link of await page.locator('#catalogue a').all()) {
      await link.click();
      // Until the page has drawn this one, the one before is there.
      await link.and(page.locator('[aria-current="page"]')).waitFor();
      await page.locator('article').getByRole('heading', { level: 1 }).waitFor();
      await page.locator('article').getByRole('button', { name: /^(Call|Read)/ }).waitFor();
    }
  },
};
