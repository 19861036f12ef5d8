import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { inaccessible, openPage, scrolled, startBrowser, type WatchedPage } from './browser.ts';
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

async function picture(page: Page, name: string, from = 'header'): Promise<void> {
  if (PICTURES === undefined) return;
  await page.mouse.move(0, 0);
  await page.evaluate(`document.querySelector('${from}').scrollIntoView()`);
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
    assert.deepEqual(await inaccessible(page, ['color-contrast']), [], 'in dark colours');
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
  assert.match((await page.locator('[data-peer=west]').textContent()) ?? '', /Dataplane web-5: over_quota/);
  await page.getByText('live ·').waitFor();
  const shown = page.getByRole('link', { name: 'no-trial' });
  assert.equal(await shown.count(), 0);
  await permission(global(), 'no-trial', 'trial');
  const began = performance.now();
  await shown.waitFor();
  t.diagnostic(`shown ${Math.round(performance.now() - began)} ms after it was committed`);
  const painted = `performance.getEntriesByName('first-contentful-paint')[0].startTime`;
  await page.reload();
  await headed(page, /^west had/);
  t.diagnostic(`first paint with 1,000 policies after ${Math.round(await page.evaluate<number>(painted))} ms`);
  await picture(page, 'home');
  await page.getByRole('link', { name: 'had 1 refused by global' }).click();
  await headed(page, /^west$/);
  await page.getByText('over_quota').waitFor();
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
  assert.match((await page.getByRole('row', { name: /^Dataplane / }).textContent()) ?? '', /Dataplane7$/);
  await follow('Dataplane');
  await headed(page, /^Dataplane$/);
  await page.getByLabel('Name contains').pressSequentially('backend');
  await page.getByText('Page 1 of 1, 1 in all').waitFor();
  assert.match(page.url(), /#\/kinds\/dataplanes\?name=backend$/);
  await page.goto(`${global()}/gui#/resource/${NO_LEGACY}`);
  await headed(page, /^no-legacy$/);
  await page.getByText('Selects 7 proxies').waitFor();
  for (const zone of ['east', 'north', 'west']) await page.locator(`[data-step=${zone}]`, { hasText: 'has it' }).waitFor();
  await page.getByText('Enforced by proxies: yes').waitFor();
  await page.getByRole('row', { name: /loopback put created/ }).waitFor();
  await page.getByRole('button', { name: 'Look whose verdicts it decides' }).click();
  await page.getByRole('row', { name: /all below spiffe:\/\/default\/ns\/legacy web-\d:8080.* any request Deny Allow/ }).waitFor();
  assert.match((await page.locator('pre').textContent()) ?? '', /value: spiffe:\/\/default\/ns\/legacy/);
});

inBrowser('The editor lints, says who loses access before anything is applied, and loses no text', global, async ({ page, faults }) => {
  await page.goto(`${global()}/gui#/kinds/meshtrafficpermissions`);
  await page.getByRole('link', { name: 'New from YAML' }).click();
  const [text, see, apply] = [
    page.getByLabel('YAML'),
    page.getByRole('button', { name: 'See what would change' }),
    page.getByRole('button', { name: 'Apply' }),
  ];
  const written = (namespace: string, more = ''): string =>
    `type: MeshTrafficPermission\nmesh: default\nname: no-bots\n${more}spec:\n  rules:\n    - default:\n        deny:\n` +
    `          - spiffeId:\n              type: Prefix\n              value: spiffe://default/ns/${namespace}\n`;
  await text.fill(written('shop').replace('deny', 'denny'));
  await page
    .getByRole('listitem')
    .filter({ hasText: /^line 7 spec\.rules\[0\]\.default\.denny: / })
    .waitFor();
  assert.deepEqual([await see.isDisabled(), await apply.isDisabled()], [true, true]);
  // What depends on the place, the control plane alone knows.
  await text.fill(written('shop', 'labels: {kuma.io/origin: zone}\n'));
  await see.click();
  await page.getByText(/Nothing was changed\..*/).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'kuma.io/origin' }).waitFor();
  faults.length = 0;
  await text.fill(written('shop'));
  assert.equal(await apply.isDisabled(), true);
  await see.click();
  await page.getByRole('row', { name: /− lose access all below spiffe:\/\/default\/ns\/shop .*backend:8080.* Allow Deny/ }).waitFor();
  await picture(page, 'editor');
  assert.deepEqual(await inaccessible(page), []);
  await apply.click();
  await headed(page, /^no-bots$/);
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await headed(page, /^Edit no-bots$/);
  await text.fill(written('robots'));
  await permission(global(), 'no-bots', 'others');
  await page.getByRole('heading', { name: 'It was changed while you edited' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Keep my text' }).click();
  assert.equal(await text.inputValue(), written('robots'));
  await see.click();
  await page.getByRole('heading', { name: 'Verdicts change' }).waitFor();
  await apply.click();
  await headed(page, /^no-bots$/);
  await page.locator('pre', { hasText: 'value: spiffe://default/ns/robots' }).waitFor();
  await page.goto(`${global()}/gui#/edit/${ORDERS}`);
  await page.getByText('Nobody writes a Dataplane').or(page.getByText('It is of east: edit it there.')).waitFor();
  await fetch(`${global()}/meshes/default/meshtrafficpermissions/no-bots`, { method: 'DELETE' });
});

const ORDERS = 'kri_dp_default_east__orders_';

inBrowser(
  'In a zone a policy ends at the Envoys, and a proxy says what its Envoy refuses, in its words',
  () => scene.east.url,
  async ({ page }) => {
    await page.goto(`${scene.east.url}/gui#/resource/kri_mtp_default___web-to-orders_`);
    await headed(page, /^web-to-orders$/);
    await page.locator('[data-step=east]', { hasText: 'has it' }).waitFor();
    await page.locator('[data-step="Envoys here"]', { hasText: '0 of 1 took all there is' }).waitFor();
    await page.getByText(/its Envoy refuses (an update|2 updates)/).waitFor();
    await picture(page, 'policy-in-a-zone');
    await page.getByRole('link', { name: 'orders', exact: true }).click();
    await headed(page, /^orders$/);
    await page.getByText(/cannot bind .*Address already in use/).waitFor();
    await picture(page, 'proxy');
    await page.getByText('rules of MeshTrafficPermission').first().click();
    await page
      .getByText(/from: web-to-orders/)
      .first()
      .waitFor();
    await picture(page, 'proxy-rules', '#rules');
    await page.goto(`${scene.east.url}/gui#/resource/${ORDERS.replace('orders', 'backend')}`);
    await page.getByText('no Envoy was connected yet').waitFor();
  },
);

inBrowser('Global knows of a proxy what its zone tells', global, async ({ page }) => {
  await page.goto(`${global()}/gui#/resource/${ORDERS}`);
  await headed(page, /^orders$/);
  await page.getByText(/its Envoy refuses (an update|2 updates)/).waitFor();
  await page.getByText(/cannot bind .*Address already in use/).waitFor();
});

inBrowser('Who may call whom: by the keyboard, with the rule behind a cell, and an address for all', global, async ({ page }, t) => {
  await page.goto(`${global()}/gui#/matrix`);
  const cell = (row: RegExp, column: number) => page.getByRole('row', { name: row }).getByRole('gridcell').nth(column);
  // Columns: backend, orders twice, billing, web. The gateway listens nowhere.
  await cell(/^(named )?default\/ns\/shop\/\*/, 0).waitFor();
  assert.equal(await cell(/ns\/shop/, 0).getAttribute('aria-label'), 'Allow');
  assert.equal(await cell(/ns\/shop/, 1).getAttribute('aria-label'), 'Depends on method or path');
  assert.equal(await cell(/ns\/batch/, 0).getAttribute('aria-label'), 'Allow, in shadow Deny');
  assert.equal(await cell(/everybody else/, 0).getAttribute('aria-label'), 'Deny');
  await permission(global(), 'no-shop', 'shop');
  const began = performance.now();
  await until('the cell is another', async () => (await cell(/ns\/shop/, 0).getAttribute('aria-label')) === 'Deny');
  t.diagnostic(`a verdict changed ${Math.round(performance.now() - began)} ms after the commit`);
  await fetch(`${global()}/meshes/default/meshtrafficpermissions/no-shop`, { method: 'DELETE' });
  await until('it is as before', async () => (await cell(/ns\/shop/, 0).getAttribute('aria-label')) === 'Allow');
  await cell(/ns\/batch/, 0).click();
  await page.keyboard.press('ArrowRight');
  while ((await page.evaluate('document.activeElement.getAttribute("aria-label")')) !== 'Depends on method or path')
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('allow: all below spiffe://default/ns/shop, GET').waitFor();
  await page.getByText('any method but GET').waitFor();
  await page.getByText('written by loopback').waitFor();
  await picture(page, 'matrix');
  assert.deepEqual(await inaccessible(page), []);
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await page.getByText('allow: all below spiffe://default/ns/shop, GET').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'matrix-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('link', { name: 'Ask about one request' }).click();
  await page.getByRole('heading', { name: 'Allow' }).waitFor();
  await page.goBack();
  await page.getByLabel('Inbound contains').fill('backend');
  await until('one inbound is left', async () => (await page.getByRole('columnheader').count()) === 2);
  assert.match(page.url(), /to=backend/);
});

inBrowser(
  'A matrix of 1,000 by 1,000 has the cells of the window alone',
  () => scene.lone.url,
  async ({ page }, t) => {
    await page.goto(`${scene.lone.url}/gui#/matrix?alike=no`);
    const grid = page.getByRole('grid');
    await grid.waitFor();
    assert.deepEqual([await grid.getAttribute('aria-rowcount'), await grid.getAttribute('aria-colcount')], ['1001', '1001']);
    await picture(page, 'matrix-large');
    const { long, top, cells } = await scrolled(page);
    assert.equal(top, 120 * 84);
    assert.ok(cells < 1_500, String(cells));
    t.diagnostic(`120 frames of scrolling: long tasks, ms: ${long.join(' ') || 'none'}`);
    await page.locator('.cell').first().click();
    await page.keyboard.press('Control+End');
    await until('the last cell has the focus', async () => (await page.evaluate('document.activeElement.dataset.column')) === '999');
    await page.getByLabel('Put alike together').check();
    await until('services stand together', async () => Number(await grid.getAttribute('aria-colcount')) < 100);
    // What is looked at for faults next takes long for many cells.
    await page.getByLabel('Inbound contains').fill('app-001');
    await page.getByLabel('Caller contains').fill('caller-00');
    await until('few are left', async () => (await page.locator('.cell').count()) < 100);
  },
);

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

inBrowser('Home says which zone is cut off, and what it has not confirmed', global, async ({ page }) => {
  scene.link.cut();
  await permission(global(), 'no-test', 'test');
  await page.goto(`${global()}/gui`);
  await headed(page, /^north is not connected and has not confirmed 1 change; west had 1 refused by global$/);
  await picture(page, 'late');
  await page.getByRole('link', { name: 'Map', exact: true }).click();
  await page.locator('[data-zone=north].offline', { hasText: 'not connected' }).waitFor();
  assert.match((await page.locator('[data-zone=west].troubled').textContent()) ?? '', /! west/);
  await page.getByText('web of west may call orders of east (in part)').waitFor();
  await picture(page, 'map');
  await page.getByRole('link', { name: 'orders', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('it may be called by web of west (in part)').waitFor();
  assert.match(page.url(), /#\/map\?service=east%2Forders$/);
  assert.deepEqual(await inaccessible(page), []);
  await page.goto(`${global()}/gui#/resource/kri_mtp_default___no-test_`);
  await page.locator('[data-step=north]', { hasText: 'on its way since' }).waitFor();
  await page.getByText('Selects 7 proxies').waitFor();
  await picture(page, 'policy');
});
