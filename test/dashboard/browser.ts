import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Scope } from '../harness/scope.ts';
import { npmChromium, type Program } from './npm-chromium.ts';

/** A real browser, which needs no root and no display. */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** $CHROMIUM, the PATH's, else npm's. undefined: there is none. */
async function browserProgram(): Promise<Program | undefined> {
  const named = process.env.CHROMIUM === undefined ? NAMES : [process.env.CHROMIUM];
  const found = named.find((name) => spawnSync(name, ['--version'], { timeout: 10_000 }).status === 0);
  if (found !== undefined) {
    const path = spawnSync('sh', ['-c', 'command -v "$0"', found], { encoding: 'utf8' }).stdout.trim();
    return { path, env: process.env };
  }
  if (process.env.CHROMIUM !== undefined) throw new Error(`CHROMIUM=${process.env.CHROMIUM} does not run`);
  return npmChromium();
}

/** Starts it until the scope is closed. Out: it, or why there is none. */
export async function startBrowser(scope: Scope): Promise<Browser | string> {
  const program = await browserProgram();
  if (program === undefined) return `no Chromium for ${process.platform} ${process.arch}: set CHROMIUM to one`;
  const env = Object.fromEntries(Object.entries(program.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  try {
    const browser = await chromium.launch({ executablePath: program.path, args, env });
    scope.add(() => browser.close());
    return browser;
  } catch (thrown) {
    // A browser that was named must start; what npm brought may not fit this machine.
    if (process.env.CHROMIUM !== undefined) throw thrown;
    return `the Chromium at hand does not start here: ${String(thrown).split('\n')[0]}`;
  }
}

/** What a page did that it must not. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of its console, exceptions, violations of its content security policy. */
  readonly faults: string[];
  /** The addresses that it asked. */
  readonly asked: string[];
}

/** A new page in a profile of its own. `headers` come with each of its requests. */
export async function openPage(browser: Browser, headers: Readonly<Record<string, string>> = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, extraHTTPHeaders: headers });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => asked.push(request.url()));
  page.on('websocket', (socket) => asked.push(socket.url()));
  return { page, faults, asked };
}

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** What is not accessible on a page, by axe's rules: all of them, or these. */
export async function inaccessible(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(`axe.run(${rules ? JSON.stringify({ runOnly: rules }) : ''})`);
  const { violations } = found as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`));
}

const SCROLL = `new Promise((resolve) => {
  const [box, long] = [document.querySelector('.matrix'), []];
  new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({ entryTypes: ['longtask'] });
  let frames = 0;
  const step = () => {
    box.scrollTop += 84;
    box.scrollLeft += 84;
    if (++frames < 120) requestAnimationFrame(step);
    else setTimeout(() => resolve({ long, top: box.scrollTop, cells: document.querySelectorAll('.cell').length }), 100);
  };
  requestAnimationFrame(step);
})`;

/** Scrolls the matrix down and right, three cells a frame. Out: tasks of more than 50 ms, how far, how many cells. */
export function scrolled(page: Page): Promise<{ long: number[]; top: number; cells: number }> {
  return page.evaluate(SCROLL);
}
