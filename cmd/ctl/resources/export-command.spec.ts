import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parseDocuments } from '../../../src/resource/documents/parse-documents.ts';
import { GLOBAL, type Place } from '../../../src/resource/resource.ts';
import { ask, EAST, WEST } from '../../../test/api/harness.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { type Live, startLive } from '../../../test/harness/live-meridianctl.ts';
import { writeDocuments } from '../../../test/harness/write-drafts.ts';

const scope = new Scope();
after(() => scope.close());

const POLICY = 'spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}';
const AT_GLOBAL = `
type: MeshTimeout
mesh: demo
name: z.with.dots
labels: {team: "yes", a: "1", "meridian.io/set": shop, kuma.io/effect: shadow}
${POLICY}
---
type: MeshTimeout
name: a
${POLICY}
---
type: MeshHTTPRoute
mesh: demo
name: route
spec: {to: [{targetRef: {kind: MeshService, name: x}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {}}]}]}
---
{type: Zone, name: east, enabled: false}
---
{type: MeshExternalService, mesh: demo, name: ext, spec: {match: {type: HostnameGenerator, port: 80, protocol: http}, endpoints: [{address: a, port: 80}]}, status: {vip: {ip: 1.2.3.4}}}
---
{apiVersion: clusterlink.net/v1alpha1, kind: PrivilegedAccessPolicy, metadata: {name: pap}, spec: {action: allow, from: [{workloadSelector: {}}], to: [{workloadSelector: {}}]}}
---
{type: Mesh, name: demo, routing: {zoneEgress: true}}
`;
const AT_EAST = `
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: slow, namespace: backend-ns}
spec: {to: [{targetRef: {kind: MeshService, name: backend}, default: {idleTimeout: 1s}}]}
---
{type: MeshTimeout, name: slow, ${POLICY}}
---
{type: Dataplane, name: web, labels: {k8s.kuma.io/namespace: web-ns, app: web}, networking: {address: 127.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}
`;
const AT_WEST = AT_EAST.split('---').slice(1).join('---').replace('k8s.kuma.io/namespace: web-ns, ', '');

/** A new control plane that holds what these documents say. */
async function holding(place: Place, text: string): Promise<Live> {
  const live = await startLive(scope, place);
  const { status, body } = await ask(live.asked, 'POST', '/apply', text, { 'content-type': 'application/yaml' });
  assert.equal(status, 200, JSON.stringify(body));
  return live;
}

/** Those that nobody changes: one for each place. */
const held = new Map<Place, Promise<Live>>();
function kept(place: Place, text: string): Promise<Live> {
  const live = held.get(place) ?? holding(place, text);
  held.set(place, live);
  return live;
}

async function applied(place: Place, text: string): Promise<Live> {
  const live = await startLive(scope, place);
  const { code, err } = await live.run('apply -f -', text);
  assert.equal(code, 0, err);
  return live;
}

async function exported(live: Live, options = ''): Promise<string> {
  const { code, out, err } = await live.run(`export${options}`);
  assert.deepEqual([code, err], [0, '']);
  return out;
}

function titles(text: string): string[] {
  return parseDocuments(text).map(({ draft, problems }) => {
    assert.deepEqual(problems, []);
    return [draft?.type, draft?.mesh, draft?.namespace, draft?.name].filter(Boolean).join(' ');
  });
}

describe('meridianctl export', { concurrency: 2 }, () => {
  for (const [title, place, text] of [
    ['global', GLOBAL, AT_GLOBAL],
    ['a kubernetes zone', EAST, AT_EAST],
    ['a universal zone', WEST, AT_WEST],
  ] as const) {
    for (const options of [' --format universal', ' --format kubernetes', ...(place === GLOBAL ? [' -o json'] : [])]) {
      it(`of ${title}${options} gives the same again, applied to a new one`, async () => {
        const first = await exported(await kept(place, text), options);
        const second = await exported(await applied(place, first), options);
        assert.equal(second, first);
        assert.ok(first.length > 200);
        assert.doesNotMatch(first, /creationTime|modificationTime|kri_|kuma\.io\/(origin|zone|env|display-name|policy-role)/);
      });
    }
  }

  it('puts first what the rest depends on, and keeps what a user wrote', async () => {
    const out = await exported(await kept(GLOBAL, AT_GLOBAL));
    assert.deepEqual(titles(out), [
      'Mesh default',
      'Mesh demo',
      'Zone east',
      'MeshExternalService demo ext',
      'MeshHTTPRoute demo route',
      'MeshTimeout default a',
      'MeshTimeout demo z.with.dots',
      'PrivilegedAccessPolicy default pap',
    ]);
    assert.match(
      out,
      /name: z\.with\.dots\nlabels:\n {2}a: "1"\n {2}kuma\.io\/effect: shadow\n {2}meridian\.io\/set: shop\n {2}team: "yes"\n/,
    );
    assert.match(out, /ip: 1\.2\.3\.4/);
  });

  it('takes what is usual where it is asked, and one mesh with -m', async () => {
    const east = await exported(await kept(EAST, AT_EAST));
    assert.deepEqual(titles(east), [
      'Dataplane default web-ns web',
      'MeshTimeout default kuma-system slow',
      'MeshTimeout default backend-ns slow',
    ]);
    assert.match(east, /^apiVersion: kuma\.io\/v1alpha1\nkind: Dataplane/);
    const global = await kept(GLOBAL, AT_GLOBAL);
    const demo = await exported(global, ' -m demo');
    assert.deepEqual(titles(demo), [
      'Mesh demo',
      'MeshExternalService demo ext',
      'MeshHTTPRoute demo route',
      'MeshTimeout demo z.with.dots',
    ]);
  });

  it('reads page after page, and leaves out what is of others', async () => {
    const live = await startLive(scope, GLOBAL);
    const { plane } = live.asked;
    const policies = (zone: string) =>
      Array.from({ length: 1200 }, (_, i) => `{type: MeshTimeout, name: ${zone}${i}, ${POLICY}}`).join('\n---\n');
    writeDocuments(plane, parseDocuments(policies('own')));
    writeDocuments({ ...plane, place: WEST }, parseDocuments(policies('west')));
    const names = titles(await exported(live));
    assert.equal(names.length, 1201);
    assert.ok(!names.some((name) => name.includes('west')));
  });

  it('says where nothing was written', async () => {
    const live = await startLive(scope, WEST);
    assert.deepEqual(await live.run('export'), { code: 0, out: '', err: 'nothing was written here\n' });
  });
});
