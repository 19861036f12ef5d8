import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../../cmd/ctl/program.ts';
import { answerTo } from './sample-answers.ts';

/**
 * Prints on standard output, as JSON, what each command with a table writes on terminals of each width, all in one
 * process: {width: text}. No command of them needs more than the answers beside.
 */
const WIDTHS = [80, 120, 200];

const MESH = '{type: Mesh, name: demo}';
const TIMEOUT =
  '{type: MeshTimeout, mesh: default, name: slow, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1}}]}, speck: 1}';

const OPERATORS = {
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name: 'by-mesh-operator-for-all-of-the-namespaces-of-the-shop',
  spec: {
    targetRef: { kind: 'Mesh' },
    default: {
      allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td/ns/web' } }],
      deny: [{ spiffeId: { type: 'Exact', value: 'spiffe://td/a' } }],
    },
  },
};
const BACKEND = {
  type: 'Dataplane',
  mesh: 'default',
  name: 'backend-1',
  networking: { address: '127.0.0.1', inbound: [{ port: 8080, tags: { 'kuma.io/service': 'backend', 'kuma.io/protocol': 'http' } }] },
};
const CALLER = { 'client.clusterlink.net/labels.role': 'front' };
const LET_IN = {
  apiVersion: 'clusterlink.net/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: 'let-the-front-of-the-shop-in', namespace: 'stock' },
  spec: { action: 'allow', from: [{ workloadSelector: { matchLabels: CALLER } }], to: [{ workloadSelector: {} }] },
};

/** What is asked of commands that take files, by the names of the files. */
const ASKED: Readonly<Record<string, unknown>> = {
  'questions.json': [
    {
      from: { spiffeId: 'spiffe://trust-domain.mesh/ns/web/sa/frontend' },
      to: { dataplane: 'backend-1.backend-ns', port: 8080 },
      path: '/',
    },
    { from: { tags: { 'kuma.io/service': 'web', env: 'dev' } }, to: { dataplane: 'edge' }, method: 'GET' },
    { from: { spiffeIds: [] }, to: { dataplane: 'nobody' } },
  ],
  'd.json': {
    policies: [OPERATORS],
    dataplane: BACKEND,
    clients: [{ spiffeId: 'spiffe://td/ns/web/sa/frontend', method: 'GET', path: '/' }, { spiffeId: 'spiffe://td/a' }],
  },
  'access.json': {
    policies: [LET_IN],
    queries: [
      { from: CALLER, to: { 'export.clusterlink.net/name': 'ledger' }, namespace: 'stock' },
      { from: {}, to: { 'export.clusterlink.net/name': 'ledger' }, namespace: 'stock' },
    ],
  },
  'kuma.yaml': [
    { type: 'Mesh', name: 'demo' },
    { type: 'TrafficPermission', mesh: 'demo', name: 'frontend-to-backend', sources: [], destinations: [] },
    { type: 'DataplaneInsight', mesh: 'demo', name: 'backend-1' },
  ],
};

const COMMANDS: readonly string[] = [
  'get mtp',
  'get mtp by-mesh-operator',
  'get mtp -o wide',
  'get mtp -o name',
  'get all',
  'get zones',
  'zone list',
  'status',
  'inspect zones',
  'inspect turns',
  'inspect dataplanes',
  'inspect dataplane web-1',
  'inspect policy mtp by-mesh-operator',
  'describe mtp by-mesh-operator',
  'ledger',
  'ledger --state refused',
  'audit',
  'can --from spiffe://td/a --to web-1:8080',
  'can -f ASKED/questions.json',
  'access --from web-1 --to backend',
  'access --connect --from web-1 --to backend',
  'access -f ASKED/access.json --queries ASKED/access.json',
  'decide -f ASKED/d.json --dataplane ASKED/d.json --clients ASKED/d.json',
  'import -f ASKED/kuma.yaml --dry-run --partial',
  'apply -f FOLDER/mesh.yaml',
  'apply -f FOLDER/mesh.yaml --dry-run',
  'delete mtp by-mesh-operator --dry-run',
  'lint -f FOLDER',
  'token list',
  'config control-planes list',
  'api-resources',
  'explain mtp',
  'explain mtp.default.allow',
];

async function run(command: string, width: number, url: string, folder: string): Promise<string> {
  const written: string[] = [];
  const { write } = process.stdout;
  Object.assign(process.stdout, { isTTY: true, columns: width });
  process.stdout.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  try {
    const words = command.replaceAll('FOLDER', folder).replaceAll('ASKED', asked).split(' ');
    await createProgram().parseAsync(['node', 'meridianctl', ...words, '--url', url]);
  } finally {
    process.stdout.write = write;
  }
  const text = written.join('').replaceAll(url, 'http://127.0.0.1:5681').replaceAll(folder, 'FOLDER').replaceAll(asked, 'ASKED');
  // Times in a document; a table has ages.
  return `$ meridianctl ${command}\n${text.replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"2026-01-02T03:04:05.678Z"')}`;
}

const server = createServer(({ url = '' }, response) => response.end(JSON.stringify(answerTo(url)))).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const folder = mkdtempSync(join(tmpdir(), 'tables-'));
const asked = mkdtempSync(join(tmpdir(), 'asked-'));
const contexts = join(folder, 'contexts');
writeFileSync(join(folder, 'mesh.yaml'), MESH);
writeFileSync(join(folder, 'slow.yaml'), TIMEOUT);
for (const [name, value] of Object.entries(ASKED)) writeFileSync(join(asked, name), JSON.stringify(value));
const places = ['east', 'global'].map((name) => ({
  name,
  address: `https://${name}.example.com:5682`,
  ...(name === 'global' ? {} : { zone: name, zoneOf: 'global' }),
}));
writeFileSync(contexts, JSON.stringify({ current: 'global', controlPlanes: places }), { mode: 0o600 });
Object.assign(process.env, { NO_COLOR: '1', MERIDIAN_CONFIG: contexts });
const tables: Record<string, string> = {};
for (const width of WIDTHS) {
  const texts: string[] = [];
  for (const command of COMMANDS) texts.push(await run(command, width, url, folder));
  tables[width] = texts.join('\n');
}
server.close();
for (const each of [folder, asked]) rmSync(each, { recursive: true });
// What `lint` and `can` end with is of no matter here.
process.exitCode = 0;
process.stdout.write(JSON.stringify(tables));
