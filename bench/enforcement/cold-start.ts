import { Enforcement } from '../../src/control/enforce/enforcement.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { threadMs } from '../process.ts';
import { median } from '../report.ts';
import type { Permission } from '../../src/policy/decide/read-permissions.ts';
import { InboundRbac } from '../../src/policy/rbac/compile-rbac.ts';
import type { Draft, JsonObject } from '../../src/resource/resource.ts';
import { encodeSnapshot } from '../../src/xds/wire/encode-resource.ts';
import { generate } from '../../src/xds/envoy/generate-snapshot.ts';
import { openTestStore } from '../../test/harness/test-store.ts';
import { writeDrafts } from '../../test/harness/write-drafts.ts';

/**
 * A process that compiles 10,000 SPIFFE rules for the first time, and prints what took how long, and how long of it on
 * a core, in ms, as JSON.
 */

const RULES = 10_000;
const id = (index: number): JsonObject => ({
  spiffeId: { type: 'Exact', value: `spiffe://default.east/ns/shop-${index % 100}/sa/client-${index}` },
});
const times: Record<string, ColdStartTimes> = {};

type ColdStartTimes = readonly [ms: number, onCore: number];
const now = (): ColdStartTimes => [performance.now(), threadMs()];
const since = ([ms, onCore]: ColdStartTimes): ColdStartTimes => [performance.now() - ms, threadMs() - onCore];

function time<T>(what: string, step: () => T): T {
  const started = now();
  const result = step();
  times[what] = since(started);
  return result;
}

function compileAlone(): void {
  const many = Array.from({ length: RULES }, (_, index): Permission => {
    const key = { type: 'MeshTrafficPermission', mesh: 'default', zone: 'east', namespace: 'shop', name: `p-${index}` };
    const spiffeId = { type: 'Exact', value: `spiffe://default.east/ns/shop-${index % 100}/sa/client-${index}` } as const;
    return { key, mtp: { shape: 'spiffe', deny: [], allow: [{ spiffeId }], allowWithShadowDeny: [] }, via: undefined };
  });
  time(`first compilation in a process, ${RULES} policies of one SPIFFE rule`, () =>
    new InboundRbac({ protocol: 'http', form: 'trees', statPrefix: 'x.' }).compile(many),
  );
}

const draft = (type: string, name: string, spec: JsonObject): Draft => ({
  type,
  mesh: 'default',
  name,
  namespace: 'shop',
  labels: {},
  spec,
});
const permission = (index: number, rule: number): Draft =>
  draft('MeshTrafficPermission', `p-${index}`, { targetRef: { kind: 'Mesh' }, rules: [{ default: { allow: [id(rule)] } }] });

function wholePath(): void {
  const store = openTestStore();
  const place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' } as const;
  const date = '2026-01-01T00:00:00Z';
  const unwatched: Plane = { place, store, now: () => date };
  const mesh = {
    key: { type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' },
    name: 'default',
    namespace: '',
    labels: {},
    spec: {},
  };
  store.commit((tx) => tx.put({ ...mesh, creationTime: date, modificationTime: date }, { to: 'none' }, ''));
  const inbound = [{ name: 'web', port: 8080, servicePort: 80, tags: { 'kuma.io/service': 'web', 'kuma.io/protocol': 'http' } }];
  const { plane } = watchCommits(unwatched, () => {});
  writeDrafts(plane, [draft('Dataplane', 'a', { networking: { address: '127.0.0.1', inbound } })]);
  writeDrafts(
    plane,
    Array.from({ length: RULES }, (_, index) => permission(index, index)),
  );
  const enforcement = new Enforcement(plane, false);
  const rules = () => enforcement.rulesOf('default', 'a.shop');
  time('… from the store to the rules of a proxy', rules);
  const encoded = () => {
    const inbounds = (rules()?.inbounds ?? []).map((one) => ({ ...one, rbac: { http: one.rbac } }));
    return encodeSnapshot(generate({ inbounds, certificates: { ca: 'ca', cert: 'cert', key: 'key' } }));
  };
  time('… from the rules to the bytes for Envoy', encoded);
  const changes = Array.from({ length: 30 }, (_, change) => {
    writeDrafts(plane, [permission(change * 7, RULES + change)]);
    const started = now();
    rules();
    const compiled = [since(started), now()] as const;
    encoded();
    return [compiled[0], since(compiled[1])] as const;
  });
  times['one change among them, from the commit to the rules (median)'] = medians(changes.map(([compiling]) => compiling));
  times['… and from the rules to the bytes (median)'] = medians(changes.map(([, encoding]) => encoding));
}

function medians(of: readonly ColdStartTimes[]): ColdStartTimes {
  return [median(of.map(([ms]) => ms)), median(of.map(([, onCore]) => onCore))];
}

compileAlone();
wholePath();
console.log(JSON.stringify(times));
