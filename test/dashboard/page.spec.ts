import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { inaccessible, openPage, startBrowser, type WatchedPage } from './browser.ts';
import { permission, type DashboardScene, startScene } from './scene.ts';

const scope = new Scope();
after(() => scope.close());
let browser: Browser | string;
let scene: DashboardScene;
before(async () => {
  browser = await startBrowser(scope);
  if (typeof browser !== 'string') scene = await startScene(scope);
});

/** Set, the test writes the pictures of the docs. */
const PICTURES = process.env.MERIDIAN_PICTURES === undefined ? undefined : fileURLToPath(new URL('../../docs/images/', import.meta.url));

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** One test in a page of its own, which at its end was accessible, in light and dark, and asked nobody but `url`. */
function inBrowser(title: string, url: () => string, play: (watched: WatchedPage, t: TestContext) => Promise<void>, headers = {}): void {
  test(title, async (t) => {
    if (typeof browser === 'string') return t.skip(browser);
    const watched = await openPage(browser, headers);
    const { page, faults, asked } = watched;
    await play(watched, t);
    assert.deepEqual(await inaccessible(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await inaccessible(page), [], 'in dark colours');
    assert.deepEqual(faults, []);
    const host = new URL(url()).host;
    assert.deepEqual(
      asked.filter((address) => new URL(address).host !== host),
      [],
    );
    await page.context().close();
  });
}

function headed(page: Page, pattern: RegExp): Promise<true> {
  return until(`the heading is like ${String(pattern)}`, async () => {
    const text = await page.locator('h1').first().textContent();
    return pattern.test(text ?? '') || Promise.reject(new Error(text ?? ''));
  });
}

const global = () => scene.global.url;
const NO_LEGACY = 'kri_mtp_default___no-legacy_';

/** What global calls a proxy. */
async function proxyNamed(part: string): Promise<string> {
  const found = await fetch(`${global()}/dataplanes?name=${part}`);
  const { items } = (await found.json()) as { items: { name: string }[] };
  return items[0]?.name ?? assert.fail(`there is no proxy ${part}`);
}

inBrowser('Home says what is refused, and shows a change as it comes', global, async ({ page }, t) => {
  await page.goto(`${global()}/gui`);
  await headed(page, /^west had 1 refused by global$/);
  assert.match((await page.locator('[data-peer=east]').textContent()) ?? '', /in step.*universal · version/);
  assert.match((await page.locator('[data-peer=west]').textContent()) ?? '', /Dataplane web-3: over_quota/);
  await page.getByText('live ·').waitFor();
  const shown = page.getByRole('link', { name: 'no-batch' });
  assert.equal(await shown.count(), 0);
  await permission(global(), 'no-batch', 'batch');
  const began = performance.now();
  await shown.waitFor();
  t.diagnostic(`shown ${Math.round(performance.now() - began)} ms after it was committed`);
  await picture(page, 'home');
});

inBrowser('Resources: kinds, a kind, a resource, by the keyboard', global, async ({ page }) => {
  await page.goto(`${global()}/gui`);
  const follow = async (name: string): Promise<void> => {
    await page.getByRole('link', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  await page.getByRole('link', { name: 'Resources' }).waitFor();
  await follow('Resources');
  await headed(page, /^Resources$/);
  assert.match((await page.getByRole('row', { name: /^Dataplane / }).textContent()) ?? '', /Dataplane3$/);
  await follow('Dataplane');
  await headed(page, /^Dataplane$/);
  await page.getByLabel('Name contains').pressSequentially('backend');
  await page.getByText('Page 1 of 1, 1 in all').waitFor();
  assert.match(page.url(), /#\/kinds\/dataplanes\?name=backend$/);
  await page.goto(`${global()}/gui#/resource/${NO_LEGACY}`);
  await headed(page, /^no-legacy$/);
  await page.getByText('Selects 3 proxies').waitFor();
  await page.getByRole('row', { name: /east applied/ }).waitFor();
  await page.getByRole('row', { name: /west applied/ }).waitFor();
  await page.getByText('Enforced by proxies: yes').waitFor();
  assert.match((await page.locator('pre').textContent()) ?? '', /value: spiffe:\/\/default\/ns\/legacy/);
  await picture(page, 'resource');
});

inBrowser('Why denied: the question is the address, the answer names the policy', global, async ({ page }) => {
  await page.goto(`${global()}/gui#/why`);
  await page.getByLabel('Caller (SPIFFE ID)').fill('spiffe://default/ns/legacy/sa/old');
  await page.getByLabel('Target (Dataplane)').fill(await proxyNamed('backend'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Deny' }).waitFor();
  const address = page.url();
  assert.match(address, /#\/why\?from=spiffe/);
  await page.goto('about:blank');
  await page.goto(address);
  await page.getByRole('heading', { name: 'Deny' }).waitFor();
  assert.equal(await page.getByText('Not enforced: no listener').count(), 0);
  await picture(page, 'why-denied');
  await page.getByLabel('Target (Dataplane)').fill(await proxyNamed('web-1'));
  await page.keyboard.press('Enter');
  await page.getByText('Not enforced: no listener').waitFor();
  assert.deepEqual(await inaccessible(page), []);
  await page.getByRole('link', { name: NO_LEGACY }).click();
  await headed(page, /^no-legacy$/);
});

inBrowser(
  "a zone's own page says how it stands with global",
  () => scene.east.url,
  async ({ page }) => {
    await page.goto(`${scene.east.url}/gui`);
    await headed(page, /^This zone and global are in step/);
  },
);

test('a token is asked for, kept by the tab, and sent in a header alone', async (t) => {
  if (typeof browser === 'string') return t.skip(browser);
  const issued = await fetch(`${global()}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reader', role: 'read-only', validFor: '1h' }),
  });
  const { token } = (await issued.json()) as { token: string };
  // Whoever comes through a proxy is nobody of this machine.
  const { page, faults, asked } = await openPage(browser, { 'x-forwarded-for': '192.0.2.1' });
  await page.goto(`${global()}/gui`);
  await page.getByLabel('Token').fill('wrong');
  assert.deepEqual(await inaccessible(page), []);
  assert.deepEqual(faults, []);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  faults.length = 0;
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await headed(page, /west had 1 refused/);
  await page.getByText('Recent changes are shown to admins.').waitFor();
  assert.deepEqual(
    asked.filter((address) => address.includes(token)),
    [],
  );
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(await page.evaluate('localStorage.length'), 0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
  assert.deepEqual(faults, []);
});

test('the page runs no script but its own', async (t) => {
  if (typeof browser === 'string') return t.skip(browser);
  const { page, faults } = await openPage(browser);
  await page.goto(`${global()}/gui`);
  await headed(page, /west/);
  assert.deepEqual(faults, []);
  await page
    .evaluate("document.head.append(Object.assign(document.createElement('script'), { src: 'https://192.0.2.1/x.js' }))")
    .catch(() => {});
  await until('the browser refused it', () => faults.some((fault) => /Content Security Policy|Trusted/i.test(fault)));
});

inBrowser('Home says which zone is away, and what it has not confirmed', global, async ({ page }) => {
  await scene.west.kill();
  await permission(global(), 'no-test', 'test');
  await page.goto(`${global()}/gui`);
  await headed(page, /^west is not connected, has not confirmed 1 change and had 1 refused by global$/);
  await picture(page, 'late');
});
