/** A folder, or a file that is a part of its own. */
export interface Part {
  /**
   * From the root. A part within another one (`src/control/enforce`) may have an entry of its own: the longest path
   * counts.
   */
  readonly path: string;
  /** What it is, for the map in docs/architecture.md. */
  readonly what: string;
  /** Other parts, by path, with all that is within them; or one file of another part. */
  readonly imports: readonly string[] | 'everything' | 'nothing';
  /**
   * Without clock, randomness, file, socket or log: given the same input it gives the same output, so that it can be
   * simulated.
   */
  readonly pure?: true;
}

const ERRORS = ['src/errors.ts'];
const REPORT = 'src/report.ts';
const RESOURCE = [...ERRORS, 'src/resource'];
const NAMING = [...RESOURCE, 'src/naming'];
const POLICY = [...NAMING, 'src/policy'];
const CORE = [...POLICY, 'src/kds'];
const OUTSIDE = [...CORE, REPORT];
const rooms = (...names: string[]): string[] => names.map((name) => `src/control/${name}`);

/**
 * The map of the repository: each part, what it is, and what it may import besides itself. The tests of the imports and
 * the table in docs/architecture.md are made of it. `errors <- resource <- naming <- policy <- kds <- control`; the
 * adapters import those and never one another. `enforce` is made of control and xds; api sees control. Only cmd, which
 * nobody imports, sees everything. Within control the
 * floors are `plane <- peers <- put <- receive <- write <- sync` and
 * `access <- mesh <- enforce <- impact <- matrix`, with operate on top.
 * A new folder is one entry here; control itself has none, so that each of its files is in a room.
 */
export const PARTS: readonly Part[] = [
  { path: 'src/errors.ts', what: 'The one error class, and its closed set of codes', imports: 'nothing', pure: true },
  { path: REPORT, what: 'The type of what tells the operator something', imports: 'nothing', pure: true },
  {
    path: 'src/resource',
    what: 'Kinds, keys and KRIs, labels, both YAML formats, validation; the interface of a store',
    imports: ERRORS,
    pure: true,
  },
  { path: 'src/naming', what: 'Names of copies; references: find, resolve, render', imports: RESOURCE, pure: true },
  {
    path: 'src/policy',
    what: "Roles, admission, who gets what; matching, merging, decisions, and Envoy's RBAC (`rbac/`)",
    imports: NAMING,
    pure: true,
  },
  {
    path: 'src/kds',
    what: 'The sync protocol: messages, cursors, digests, both halves of a session; the interface of a transport',
    imports: POLICY,
    pure: true,
  },
  { path: 'src/control/plane', what: 'A control plane: its store, place and clock; its commits, and what it reports', imports: OUTSIDE },
  {
    path: 'src/control/peers',
    what: 'What is known of the other control planes: pins, places, disabled zones, divergence',
    imports: [...OUTSIDE, ...rooms('plane')],
  },
  {
    path: 'src/control/put',
    what: 'Putting a resource into the store: an own one, or a copy under its name; references written again',
    imports: [...OUTSIDE, ...rooms('plane', 'peers')],
  },
  {
    path: 'src/control/receive',
    what: "Another one's items: judged, taken or refused, and tried again; the first scan; quotas",
    imports: [...OUTSIDE, ...rooms('plane', 'peers', 'put')],
  },
  {
    path: 'src/control/write',
    what: 'What users write: all or nothing, sets, warnings; zones that register',
    imports: [...OUTSIDE, ...rooms('plane', 'peers', 'put', 'receive')],
  },
  {
    path: 'src/control/sync',
    what: 'The loop that runs the sessions: events in, effects out',
    imports: [...OUTSIDE, ...rooms('plane', 'peers', 'put', 'receive', 'write')],
  },
  {
    path: 'src/control/mesh',
    what: 'One mesh as this control plane sees it: its rows, where its proxies listen, who may enter where',
    imports: [...OUTSIDE, ...rooms('plane', 'peers', 'access')],
  },
  {
    path: 'src/control/access',
    what: 'Access by attributes: the sites, callers and services that are known, and who may reach what',
    imports: [...OUTSIDE, ...rooms('plane', 'peers')],
  },
  {
    path: 'src/control/enforce',
    what: 'The rules of each proxy, compiled again as far as they changed; how the proxies stand',
    imports: [...OUTSIDE, ...rooms('plane', 'peers', 'put', 'mesh')],
  },
  {
    path: 'src/control/impact',
    what: 'What a write would change: whose requests, at which inbounds',
    imports: [...OUTSIDE, ...rooms('plane', 'peers', 'put', 'receive', 'write', 'mesh', 'enforce')],
  },
  {
    path: 'src/control/matrix',
    what: 'Who may call whom: the verdict of each caller at each inbound, and the rules behind one',
    imports: [...OUTSIDE, ...rooms('plane', 'peers', 'mesh', 'enforce', 'impact')],
  },
  {
    path: 'src/control/operate',
    what: 'For the operator: ledger, readiness, recovery, the first start',
    imports: [...OUTSIDE, ...rooms('plane', 'peers', 'put', 'receive', 'write', 'sync', 'mesh', 'access', 'enforce')],
  },
  { path: 'src/store', what: 'The store, in SQLite', imports: CORE },
  { path: 'src/nats', what: "The transport on NATS, and the zones' credentials", imports: OUTSIDE },
  { path: 'src/xds', what: 'The xDS server for Envoys: listeners, clusters, RBAC, acks and nacks', imports: OUTSIDE },
  {
    path: 'src/enforce',
    what: 'What a zone gives to its Envoys: rules as xDS snapshots, what each proxy was given and told, tokens of proxies',
    imports: [...OUTSIDE, 'src/control', 'src/xds'],
  },
  { path: 'src/api', what: 'REST and live watch', imports: [...OUTSIDE, 'src/control'] },
  { path: 'src/dashboard', what: 'The web page: it runs in a browser, and asks the API as any client', imports: RESOURCE },
  { path: 'src/config', what: 'Settings: files and environment variables', imports: [...ERRORS, 'src/resource'] },
  { path: 'src/runtime', what: 'Start and stop, log, metrics, `/ready`', imports: [...ERRORS, REPORT, 'src/config'] },
  { path: 'cmd', what: 'The programs `global`, `zone` and `ctl`: they put the parts together. Nobody imports it', imports: 'everything' },
  { path: 'scripts', what: "What npm's commands run. No dependencies, since they run before `npm ci`", imports: 'everything' },
  { path: 'demo', what: 'What `npm run demo` runs', imports: 'everything' },
  { path: 'compose', what: 'Scenarios in containers or as plain processes: `npm run test:compose`', imports: 'everything' },
  { path: 'bench', what: 'What `npm run bench` runs', imports: 'everything' },
  { path: 'compose', what: 'Meridian in containers', imports: 'everything' },
  {
    path: 'test',
    what: 'Tests of more than one part, their helpers, and data from real systems (`reference/`)',
    imports: 'everything',
  },
];

/** The part that a path belongs to: the one with the longest path. undefined: none does. */
export function partOf(path: string): Part | undefined {
  const within = PARTS.filter((part) => path === part.path || path.startsWith(`${part.path}/`));
  return within.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** What a part is called among the others: `src/errors.ts` is errors, `src/kds` kds. */
export function nameOf({ path }: Pick<Part, 'path'>): string {
  return path.replace(/^src\//, '').replace(/\.ts$/, '');
}

/** The map as a table of Markdown. */
export function tableOf(parts: readonly Part[]): string {
  const rows = parts.map(({ path, what, imports, pure }) => {
    const allowed = typeof imports === 'string' ? imports : imports.map((other) => nameOf({ path: other })).join(', ');
    return `| \`${path}${path.endsWith('.ts') ? '' : '/'}\` | ${what} | ${allowed} | ${pure ? 'yes' : ''} |\n`;
  });
  return `| part | what it is | may import | pure |\n|---|---|---|---|\n${rows.join('')}`;
}
