import type { Permission } from '../src/policy/decide/read-permissions.ts';
import { InboundRbac } from '../src/policy/rbac/compile-rbac.ts';
import { readMatches } from '../src/resource/route-match.ts';
import { generate } from '../src/xds/envoy/generate-snapshot.ts';
import { encodeSnapshot } from '../src/xds/wire/encode-resource.ts';
import { report } from './report.ts';

/** Measures the compiler to Envoy's RBAC. Figures, no verdicts. */

const RULES = 10_000;
const TARGET = { protocol: 'http', form: 'trees', statPrefix: 'x.' } as const;

function named(name: string, mtp: Permission['mtp']): Permission {
  return { key: { type: 'MeshTrafficPermission', mesh: 'default', zone: 'east', namespace: 'shop', name }, mtp, via: undefined };
}

function allows(index: number, value: string): Permission {
  return named(`p-${index}`, { shape: 'spiffe', deny: [], allow: [{ spiffeId: { type: 'Exact', value } }], allowWithShadowDeny: [] });
}

function identity(index: number, version = ''): string {
  return `spiffe://default.east/ns/shop-${index % 100}/sa/client-${index}${version}`;
}

/** Median and worst of the times that `step` takes, in ms. */
function measure(times: number, step: (time: number) => void): string {
  const taken = Array.from({ length: times }, (_, time) => {
    const started = performance.now();
    step(time);
    return performance.now() - started;
  }).sort((a, b) => a - b);
  return `${taken[times >> 1]?.toFixed(2)} ms, at most ${taken.at(-1)?.toFixed(2)} ms`;
}

function lists(): void {
  const many = Array.from({ length: RULES }, (_, index) => allows(index, identity(index)));
  const ids = many.flatMap(({ mtp }) => (mtp.shape === 'spiffe' ? mtp.allow : []));
  const one = [named('one', { shape: 'spiffe', deny: [], allow: ids, allowWithShadowDeny: [] })];
  report(
    `${RULES} policies of one SPIFFE rule, both sides`,
    measure(20, () => new InboundRbac(TARGET).compile(many)),
  );
  report(
    `one policy of ${RULES} SPIFFE rules, both sides`,
    measure(20, () => new InboundRbac(TARGET).compile(one)),
  );
  const kept = new InboundRbac(TARGET);
  kept.compile(many);
  const change = (time: number) => {
    const index = (time * 7_919) % RULES;
    many[index] = allows(index, identity(index, `-${time}`));
    kept.compile(many);
  };
  report(`one change of a policy among ${RULES}`, measure(500, change));
  const bytes = JSON.stringify(kept.compile(many).filter).length;
  report(`size of ${RULES} SPIFFE rules, both sides, as JSON`, `${(bytes / RULES).toFixed(0)} bytes a rule`);
}

function from(items: number): void {
  const list = Array.from({ length: items }, (_, index) => ({
    targetRef: { kind: 'MeshSubset' as const, tags: { version: `v${index}`, env: `e${index % 5}` } },
    action: index % 2 === 0 ? ('Allow' as const) : ('Deny' as const),
  }));
  const given = [named('from', { shape: 'from', items: list })];
  const { filter } = new InboundRbac(TARGET).compile(given);
  const took = measure(20, () => new InboundRbac(TARGET).compile(given));
  report(`${items} from items of two tags, allow and deny in turn: ${JSON.stringify(filter).length >> 1} bytes a side`, took);
}

/** A route of so many matches, and a permission on it of eight callers: to the bytes that an Envoy is sent. */
function routed(count: number): void {
  const paths = Array.from({ length: count }, (_, index) => ({ path: { type: 'PathPrefix', value: `/area-${index}` } }));
  const allow = Array.from({ length: 8 }, (_, index) => ({ spiffeId: { type: 'Exact' as const, value: identity(index) } }));
  const permission = named('routed', { shape: 'spiffe', deny: [], allow, allowWithShadowDeny: [] });
  const route = { ...permission.key, type: 'MeshHTTPRoute', name: 'r' };
  const given = [{ ...permission, via: [{ route, matches: readMatches(paths), certain: true }] }];
  const place = { name: 'web', address: '127.0.0.1', port: 8080, serviceAddress: undefined, servicePort: 80, protocol: 'http' } as const;
  const [started, before] = [process.cpuUsage(), process.memoryUsage().rss];
  const { filter, routes } = new InboundRbac(TARGET).compile(given);
  const inbounds = [{ ...place, plaintextToo: false, rbac: { http: filter }, routes }];
  const encoded = encodeSnapshot(generate({ inbounds, certificates: { ca: '/ca', cert: '/cert', key: '/key' } }));
  const { user, system } = process.cpuUsage(started);
  const grown = (process.memoryUsage().rss - before) / 1e6;
  report(
    `a route of ${count} matches, a permission of 8 callers, compiled and encoded`,
    `${((user + system) / 1_000).toFixed(0)} ms CPU, ${grown.toFixed(0)} MB more, ${(bytesIn(encoded) / 1e6).toFixed(1)} MB on the wire`,
  );
}

function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return [...(value instanceof Map ? value.values() : Object.values(value))].reduce((sum: number, one) => sum + bytesIn(one), 0);
}

export function measureRbac(): void {
  lists();
  for (const items of [70, 700, 7_000]) from(items);
  for (const matches of [50, 500, 5_000]) routed(matches);
}
