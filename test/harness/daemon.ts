import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child.ts';
import type { Scope } from './scope.ts';
import { until } from './until.ts';

/** A line of a daemon's log. */
interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly component?: string;
  readonly [detail: string]: unknown;
}

/** What /ready says. */
interface Ready {
  readonly status: number;
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** A global or a zone as a process of its own, on free ports and a data directory of its own. */
export interface Daemon extends Child {
  readonly dataDir: string;
  /** Of the REST API, like `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Of /healthy, /ready and /metrics. */
  readonly diagnosticsUrl: string;
  log(): readonly LogLine[];
  ready(): Promise<Ready>;
  /** Polls until /ready is 200. */
  untilReady(): Promise<Ready>;
  /** SIGTERM, and waits: the exit code. */
  stop(): Promise<number | string>;
  /** SIGKILL, and waits. */
  kill(): Promise<void>;
  /**
   * Starts it again on the same data directory, after `stop` or `kill`, perhaps with other variables. Another `Daemon`:
   * the ports are new.
   */
  again(env?: Readonly<Record<string, string>>): Promise<Daemon>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Starts a daemon from the sources and waits until it listens. `env` is added to its variables (`MERIDIAN_ZONE_NAME`,
 * `MERIDIAN_NATS_URL`, ...); without a `MERIDIAN_DATA_DIR` it gets a new folder. Throws with the last lines when it
 * ends before.
 */
export async function startDaemon(scope: Scope, role: 'global' | 'zone', env: Readonly<Record<string, string>>): Promise<Daemon> {
  const dataDir = env.MERIDIAN_DATA_DIR ?? join(scope.folder(), 'data');
  const child = runProgram(scope, role, { ...env, MERIDIAN_DATA_DIR: dataDir });
  const log = (): LogLine[] => child.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
  const [url, diagnosticsUrl] = [await addressOf(child, log, 'api'), await addressOf(child, log, 'diagnostics')];
  const ready = () => readyAt(diagnosticsUrl);
  const end = (signal: NodeJS.Signals): Promise<number | string> => {
    child.signal(signal);
    return child.exit;
  };
  return {
    ...child,
    dataDir,
    url,
    diagnosticsUrl,
    log,
    ready,
    untilReady: () =>
      until(`the ${role} is ready`, () =>
        ready().then((state) => (state.ready ? state : Promise.reject(new Error(JSON.stringify(state))))),
      ),
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    again: (changed = {}) => startDaemon(scope, role, { ...env, ...changed, MERIDIAN_DATA_DIR: dataDir }),
  };
}

/**
 * Starts a daemon that need not come up: to see how it ends. Nothing of this process' own MERIDIAN_ variables reaches
 * it. Where MERIDIAN_BUILT says that dist/ is up to date (`npm test`, `npm run demo`, `npm run bench`), it is the built
 * one, which starts faster.
 */
export function runProgram(
  scope: Scope,
  role: 'global' | 'zone',
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Child {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('MERIDIAN_') && name !== 'NODE_TEST_CONTEXT');
  const free = { MERIDIAN_API_PORT: '0', MERIDIAN_DIAGNOSTICS_PORT: '0', MERIDIAN_XDS_PORT: '0' };
  const variables = { ...Object.fromEntries(own), ...free, ...env };
  const program = process.env.MERIDIAN_BUILT === 'true' ? [`dist/cmd/${role}/main.js`] : [`cmd/${role}/main.ts`];
  return startChild(scope, process.execPath, [...program, ...args], variables, ROOT);
}

function addressOf(child: Child, log: () => readonly LogLine[], component: string): Promise<string> {
  return until(`the ${component} listens`, async () => {
    const line = log().find(({ msg, component: who }) => msg === 'listening' && who === component);
    if (line) return `${line.tls === true ? 'https' : 'http'}://${String(line.address)}:${String(line.port)}`;
    if (!child.running()) return `ended: ${await child.exit}`;
    return undefined;
  }).then((found) => {
    if (found.startsWith('http')) return found;
    throw new Error(`the daemon ${found}\n${child.lines.slice(-10).join('\n')}`);
  });
}

async function readyAt(url: string): Promise<Ready> {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, ...((await response.json()) as Omit<Ready, 'status'>) };
}
