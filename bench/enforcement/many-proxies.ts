import { Enforcement } from '../../src/control/enforce/enforcement.ts';
import { sliceOf } from '../../src/control/plane/in-turns.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import { ServedSnapshots } from '../../src/enforce/served-snapshots.ts';
import { ChangeSender } from '../../src/enforce/send-changes.ts';
import type { Draft, JsonObject } from '../../src/resource/resource.ts';
import type { Parts } from '../../src/resource/store/parts.ts';
import { nodeId, type ProxyId } from '../../src/xds/server/proxy-id.ts';
import { type EncodedResources, encodeSnapshot } from '../../src/xds/wire/encode-resource.ts';
import { report } from '../report.ts';
import { openTestStore } from '../../test/harness/test-store.ts';
import { writeDrafts } from '../../test/harness/write-drafts.ts';

/** What a change costs a zone with many proxies: from the commit to the bytes for each. CPU time, also of turns. */

const DATE = '2026-01-01T00:00:00Z';

/** Whom permission `index` is for. */
type PermissionTarget = (index: number) => JsonObject;
const MESH: PermissionTarget = () => ({ kind: 'Mesh' });
const NAMED: PermissionTarget = (index) => ({ kind: 'Dataplane', name: `dp-${index % 1_000}` });
const LABELLED: PermissionTarget = (index) => ({ kind: 'Dataplane', labels: { app: `app-${index % 100}` } });

const draft = (type: string, name: string, spec: JsonObject, labels = {}): Draft => ({
  type,
  mesh: 'default',
  name,
  namespace: 'shop',
  labels,
  spec,
});

const dataplane = (index: number, protocol: string, host = index): Draft => {
  const inbound = [{ name: 'web', port: 8080, tags: { 'kuma.io/service': 'web', 'kuma.io/protocol': protocol } }];
  const networking = { address: `10.1.${host >> 8}.${host & 255}`, inbound };
  return draft('Dataplane', `dp-${index}`, { networking }, { app: `app-${index % 100}` });
};

const permission = (index: number, target: PermissionTarget, version = ''): Draft => {
  const value = `spiffe://td/ns/shop-${index % 100}/sa/client-${index}${version}`;
  return draft('MeshTrafficPermission', `p-${index}`, {
    targetRef: target(index),
    rules: [{ default: { allow: [{ spiffeId: { type: 'Exact', value } }] } }],
  });
};

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function newZone() {
  const place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' } as const;
  const store = openTestStore();
  const key = { type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' };
  const mesh = { key, name: 'default', namespace: '', labels: {}, spec: {}, creationTime: DATE, modificationTime: DATE };
  store.commit((tx) => tx.put(mesh, { to: 'none' }, ''));
  const { plane } = watchCommits({ place, store, now: () => DATE }, () => {});
  return plane;
}

async function measure(what: string, proxies: number, policies: number, target: PermissionTarget, protocol: string): Promise<void> {
  const plane = newZone();
  const write = (drafts: readonly Draft[]) => {
    for (let from = 0; from < drafts.length; from += 2_000) writeDrafts(plane, drafts.slice(from, from + 2_000));
  };
  const all = (version: string) => Array.from({ length: policies }, (_, index) => permission(index, target, version));
  write(Array.from({ length: proxies }, (_, index) => dataplane(index, protocol)));
  write(all(''));
  const enforcement = new Enforcement(plane, false);
  const given = new ServedSnapshots(
    enforcement,
    '/certs',
    () => ({ node: '', proof: '', home: '' }),
    () => {},
  );
  const connected: ProxyId[] = Array.from({ length: proxies }, (_, index) => ({ mesh: 'default', name: `dp-${index}.shop` }));
  const sent = new Map<string, EncodedResources>();
  let told = 0;
  const changed = (proxy?: ProxyId) => {
    const snapshot = proxy && given.snapshotOf(proxy);
    if (snapshot) sent.set(nodeId(proxy), encodeSnapshot(snapshot));
    told += 1;
  };
  let longest = 0;
  const turns = async <T>(work: Parts<T>): Promise<T> => {
    for (;;) {
      const started = cpu();
      const step = sliceOf(work, cpu);
      longest = Math.max(longest, cpu() - started);
      if (step.done) return step.value;
      await (step.value ?? new Promise(setImmediate));
    }
  };
  const sender = new ChangeSender({ connected: () => connected, changed }, enforcement, (_, work) => turns(work));
  const step = async (called: string, drafts: readonly Draft[]) => {
    write(drafts);
    [longest, told] = [0, 0];
    const started = cpu();
    await sender.changed();
    const rss = (process.memoryUsage().rss / 1e6).toFixed(0);
    report(`${what}: ${called}`, `${(cpu() - started).toFixed(0)} ms, longest turn ${longest.toFixed(0)} ms, ${told} told, ${rss} MB`);
  };
  await step('the first time', []);
  await step('one permission', [permission(7, target, 'x')]);
  await step('another one', [permission(8, target, 'x')]);
  await step('one Dataplane', [dataplane(0, protocol, 5_000)]);
  await step('all permissions', all('y'));
}

export async function measureManyProxies(): Promise<void> {
  const cases = [
    ['1,000 equal proxies, 5,000 permissions for the mesh', 1_000, 5_000, MESH, 'http'],
    ['1,000 proxies, 5,000 permissions by name', 1_000, 5_000, NAMED, 'http'],
    ['1,000 proxies of 100 applications, 5,000 permissions by labels', 1_000, 5_000, LABELLED, 'http'],
    ['100 proxies, 100,000 permissions by labels', 100, 100_000, LABELLED, 'http'],
    ['200 equal proxies on TCP, 1,000 permissions for the mesh', 200, 1_000, MESH, 'tcp'],
  ] as const;
  for (const [what, proxies, policies, target, protocol] of cases) await measure(what, proxies, policies, target, protocol);
}
