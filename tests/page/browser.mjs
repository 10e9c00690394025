// Tries the page in Chromium: every case gets a browser context of its own, and fails on any console
// error, any request to another origin, and any text of a server that was taken for markup.

import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { cases as access } from './cases/access.mjs';
import { cases as calls } from './cases/calls.mjs';
import { cases as forms, everyContract } from './cases/forms.mjs';
import { cases as guards } from './cases/guards.mjs';
import { cases as review } from './cases/review.mjs';
import { cases as styling } from './cases/styling.mjs';

const { env } = process;
const { chromium } = createRequire(join(env.PLAYWRIGHT, 'package.json'))('playwright-core');
const shots = env.SHOTS ?? mkdtempSync(join(tmpdir(), 'toolwright-page-'));
const only = env.ONLY ?? '';

const browser = await chromium.launch({
  executablePath: env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  // Only ever reached where no browser comes up at all, however busy the machine is.
  timeout: 120_000,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});

async function tryOut({ name, at, run, allow, context: options = {} }) {
  // Without motion: colours are looked at, and must not be on their way to others.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(60_000);
  const wrong = [];
  const origin = new URL(env[at]).origin;
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) wrong.push(`a request to ${request.url()}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error' && !allow?.test(message.text())) wrong.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => wrong.push(`error: ${error.error()}`));
  const page = await context.newPage();
  try {
    await page.goto(env[at]);
    await run({
      page,
      context,
      url: env[at],
      env,
      shot: (file) => page.screenshot({ path: join(shots, `${file}.png`), fullPage: true }),
    });
    if (options.javaScriptEnabled !== false && (await page.evaluate(() => window.hurt))) wrong.push('text of the server was run');
    if (wrong.length) throw new Error(wrong.join('\n'));
    console.log(`ok      ${name}`);
    return true;
  } catch (error) {
    await page.screenshot({
      path: join(shots, `failed-${name.replaceAll(/\W+/g, '-')}.png`),
      fullPage: true,
    });
    console.log(`FAILED  ${name}\n${error.stack}\n${wrong.join('\n')}`);
    return false;
  } finally {
    await context.close();
  }
}

// Only cases whose server is there are run. The last of them is run for the contract of every surface.
const contracts = (env.CONTRACTS ?? '').split(' ').filter(Boolean).map((url, index) => {
  env[`CONTRACT_${index}`] = url;
  return { ...everyContract, name: `${everyContract.name} (${index + 1})`, at: `CONTRACT_${index}` };
});
const chosen = [...calls, ...forms, ...guards, ...access, ...styling, ...review, ...contracts].filter(
  ({ name, at }) => env[at] && name.includes(only),
);
let failed = 0;
for (const one of chosen) failed += (await tryOut(one)) ? 0 : 1;
await browser.close();
console.log(`${chosen.length - failed} of ${chosen.length} passed; screenshots in ${shots}`);
process.exit(failed || !chosen.length ? 1 : 0);
