import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { spiffeIdOfDataplane } from '../../policy/callers/caller-identity.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { LABEL } from '../../resource/labels.ts';
import type { Draft, JsonObject, Resource } from '../../resource/resource.ts';
import { atOnce } from '../../resource/store/parts.ts';
import { accessPolicy, callingProxy } from '../../../test/harness/access-worlds.ts';
import { EAST, keyOf, newGlobal, newPlane, newZone } from '../../../test/harness/control-planes.ts';
import { decideByRbac } from '../../../test/harness/rbac-interpreter.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';
import { can, type CanAnswer } from '../mesh/answer-can.ts';
import { readMeshView } from '../mesh/mesh-view.ts';
import type { Plane } from '../plane/plane.ts';
import { watchCommits } from '../plane/watch-commits.ts';
import { Enforcement } from './enforcement.ts';
import type { InboundRules } from './proxy-rules.ts';

const draft = (
  type: string,
  name: string,
  spec: JsonObject,
  namespace: string | undefined,
  labels: Record<string, string> = {},
): Draft => ({
  type,
  mesh: 'default',
  name,
  namespace,
  labels,
  spec,
});

/** Of a resource as it would be written in the zone. */
function asWritten({ key, labels, spec }: Resource): Draft {
  const kept = Object.entries(labels).filter(([label]) => !label.startsWith('kuma.io/') || label === LABEL.effect);
  const own = kept.filter(([label]) => label !== LABEL.namespace);
  return draft(
    key.type,
    key.name,
    spec,
    key.type === 'PrivilegedAccessPolicy' ? undefined : key.namespace || 'pay',
    Object.fromEntries(own),
  );
}

/** A proxy of pay with an HTTP inbound, one of TCP that two services may have, and one without any. */
const server = draft(
  'Dataplane',
  'server',
  {
    networking: {
      address: '127.0.0.1',
      inbound: ['http', 'tcp', 'http'].map((protocol, index) => ({
        name: `in-${index}`,
        port: 8_000 + index,
        protocol,
        tags: { 'kuma.io/service': index === 2 ? 'b' : `in-${index}` },
      })),
    },
  },
  'pay',
);
const service = (name: string, inbound: string, tier: string): Draft =>
  draft(
    'MeshService',
    name,
    { selector: { dataplaneTags: { 'kuma.io/service': inbound } }, ports: [{ port: 80, targetPort: inbound }] },
    'pay',
    {
      tier,
    },
  );
const permission = (name: string, list: string, path: boolean): Draft =>
  draft(
    'MeshTrafficPermission',
    name,
    {
      targetRef: { kind: 'Mesh' },
      rules: [
        {
          default: {
            [list]: [
              {
                spiffeId: { type: 'Prefix', value: 'spiffe://default.east.mesh.local/ns/pay' },
                ...(path ? { path: { type: 'Prefix', value: '/v2' } } : {}),
              },
            ],
          },
        },
      ],
    },
    'pay',
  );

const written: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 4, arbitrary: accessPolicy.map(asWritten) },
  { weight: 4, arbitrary: callingProxy.map(asWritten) },
  fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('in-0', 'in-1'), fc.constantFrom('a', 'b')).map((given) => service(...given)),
  fc.tuple(fc.constantFrom('m', 'n'), fc.constantFrom('allow', 'deny'), fc.boolean()).map((given) => permission(...given)),
);
const commit = fc.record({
  drafts: fc.uniqueArray(written, { selector: ({ type, name, namespace }) => `${type} ${name} ${namespace}`, minLength: 1, maxLength: 4 }),
  gone: fc.boolean(),
});

const REQUEST = { method: 'GET', path: '/v2/x' };

function decisionAt({ rbac, protocol }: InboundRules, id: string) {
  return decideByRbac(rbac, 'enforced', { sans: [id], ...(protocol === 'tcp' ? {} : REQUEST) });
}

function asked(plane: Plane, inbound: string, id: string): CanAnswer {
  const view = atOnce(readMeshView(plane, 'default'));
  const dataplane = view.dataplanes.find(({ key }) => key.name === 'server');
  assert.ok(dataplane);
  return can(plane, view, true, { dataplane, section: inbound, request: { spiffeIds: [id], ...REQUEST } });
}

it('what proxies get after any commits is what `can` says, for each caller, and what working all out again gives', () => {
  const counts: Record<string, number> = {};
  fc.assert(
    fc.property(fc.array(commit, { minLength: 3, maxLength: 8 }), (commits) => {
      const { plane } = watchCommits(newZone(EAST, newGlobal(EAST)), () => {});
      writeDrafts(plane, [server]);
      const kept = new Enforcement(plane, true);
      for (const [turn, { drafts, gone }] of commits.entries()) {
        writeDrafts(plane, drafts);
        if (turn % 2 === 0) atOnce(kept.prepare('default'));
        const [first] = drafts;
        if (gone && first) deleteResource(plane, keyOf(first, 'east'));
        const rules = kept.rulesOf('default', 'server.pay');
        assert.deepEqual(rules, new Enforcement(plane, true).rulesOf('default', 'server.pay'));
        assert.equal(kept.rulesOf('default', 'server.pay'), rules);
        const callers = atOnce(readMeshView(plane, 'default')).dataplanes.flatMap((one) => spiffeIdOfDataplane(one) ?? []);
        for (const inbound of rules?.inbounds ?? [])
          for (const id of [...new Set(callers), 'spiffe://default.west.mesh.local/ns/pay/dataplane/x-1']) {
            const { decision, decidedBy } = asked(plane, inbound.name, id);
            const { action, name } = decisionAt(inbound, id);
            assert.equal(action, decision, `${inbound.name} ${id}`);
            if (decidedBy && decidedBy.type !== 'MeshTrafficPermission') assert.equal(name, formatKri(decidedBy));
            const what = `${decision} ${decidedBy?.type ?? 'nobody'}`;
            counts[what] = (counts[what] ?? 0) + 1;
          }
      }
    }),
    { numRuns: 25 },
  );
  for (const type of ['AccessPolicy', 'PrivilegedAccessPolicy', 'MeshTrafficPermission'])
    for (const decision of ['Allow', 'Deny']) assert.ok((counts[`${decision} ${type}`] ?? 0) > 5, JSON.stringify(counts));
});

const web = (labels: Record<string, string>, name = 'web-1'): Draft =>
  draft('Dataplane', name, { networking: { address: '127.0.0.1', inbound: [{ port: 80 }] } }, 'shop', labels);
const selector = (matchLabels: Record<string, string>): JsonObject => ({ workloadSelector: { matchLabels } });
const allowing = draft(
  'AccessPolicy',
  'web',
  { action: 'allow', from: [selector({ 'k8s:label:app': 'web' })], to: [selector({ 'service:name': 'a' })] },
  'pay',
);
const open = permission('open', 'allow', false);
const WEB = 'spiffe://default.east.mesh.local/ns/shop/dataplane/web-1';

describe('access policies at proxies', () => {
  let plane: Plane;
  let enforcement: Enforcement;
  const inbounds = () => enforcement.rulesOf('default', 'server.pay')?.inbounds ?? [];
  const decisions = (id = WEB) =>
    inbounds()
      .map((inbound) => decisionAt(inbound, id).action)
      .join();

  beforeEach(() => {
    ({ plane } = watchCommits(newZone(EAST, newGlobal(EAST)), () => {}));
    enforcement = new Enforcement(plane, true);
    writeDrafts(plane, [server, web({ app: 'web' }), service('a', 'in-0', 'gold')]);
  });

  it('let in whom they mean, where they select the service; elsewhere permissions alone decide', () => {
    const PAY = 'spiffe://default.east.mesh.local/ns/pay/dataplane/server';
    writeDrafts(plane, [open]);
    assert.deepEqual([decisions(), decisions(PAY)], ['Deny,Deny,Deny', 'Allow,Allow,Allow']);
    writeDrafts(plane, [allowing]);
    assert.deepEqual([decisions(), decisions(PAY)], ['Allow,Deny,Deny', 'Deny,Allow,Allow']);
    assert.match(
      asked(plane, 'in-0', PAY).warnings.join(),
      /inbound in-0: access policies say who may enter \(kri_ap_default_east_pay_web_\)/,
    );
    deleteResource(plane, keyOf(allowing, 'east'));
    assert.deepEqual([decisions(), decisions(PAY)], ['Deny,Deny,Deny', 'Allow,Allow,Allow']);
  });

  it('a caller that changes touches only the inbounds where it is decided in another way', () => {
    const byNamespace = { action: 'allow', from: [selector({ 'k8s:ns': 'shop' })], to: [selector({ 'service:name': 'in-1' })] };
    writeDrafts(plane, [allowing, open, draft('AccessPolicy', 'ns', byNamespace, 'pay'), web({ app: 'web' }, 'web-2')]);
    assert.equal(decisions(), 'Allow,Allow,Deny');
    const [first, second, third] = inbounds();
    writeDrafts(plane, [web({ app: 'web', version: '2' })]);
    assert.ok(inbounds().every((inbound, index) => inbound.rbac === [first, second, third][index]?.rbac));
    writeDrafts(plane, [web({ app: 'evil' })]);
    assert.equal(decisions(), 'Deny,Allow,Deny');
    const [other, same] = inbounds();
    assert.notEqual(other?.rbac, first?.rbac);
    assert.equal(same?.rbac, second?.rbac);
  });

  it('one that was refused denies all that it has a say in, whatever it says', () => {
    writeDrafts(plane, [allowing]);
    assert.equal(decisions(), 'Allow,Deny,Deny');
    const key: Key = { type: 'PrivilegedAccessPolicy', mesh: 'default', zone: '', namespace: '', name: 'veto' };
    const refusal = { key, hash: '00', reason: 'too new', since: '2026-01-01T00:00:00Z', inForce: 'deny' } as const;
    plane.store.commit((tx) => tx.mirror.put(GLOBAL_PEER, { key, wire: '{}', hash: '00', term: 1, refusal }));
    assert.equal(decisions(), 'Deny,Deny,Deny');
    assert.equal(formatKri(asked(plane, 'in-0', WEB).decidedBy ?? key), formatKri(key));
  });

  it('nothing gets in before the first scan of what global has', () => {
    const alone = newPlane(EAST);
    const closed = new Enforcement(alone, true);
    alone.store.commit((tx) => {
      const mesh = newGlobal().store.get({ type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' });
      if (mesh) tx.put(mesh.resource, mesh.audience, mesh.wire);
    });
    writeDrafts(alone, [server, web({ app: 'web' }), service('a', 'in-0', 'gold'), allowing]);
    const [first] = closed.rulesOf('default', 'server.pay')?.inbounds ?? [];
    assert.equal(first && decisionAt(first, WEB).action, 'Deny');
  });

  it('more callers and routes than an inbound takes shut it, and both sides say so', () => {
    const matches = Array.from({ length: 200 }, (_, index) => ({ path: { type: 'Exact', value: `/${index}` } }));
    const rules = [{ matches, default: {} }];
    writeDrafts(plane, [
      allowing,
      draft('MeshHTTPRoute', 'r', { to: [{ targetRef: { kind: 'MeshService', name: 'a' }, rules }] }, 'pay'),
      { ...open, spec: { ...open.spec, targetRef: { kind: 'MeshHTTPRoute', name: 'r' } } },
    ]);
    assert.equal(inbounds()[0]?.shut, undefined);
    writeDrafts(
      plane,
      Array.from({ length: 300 }, (_, index) => web({ app: 'web' }, `more-${index}`)),
    );
    const shut = inbounds()[0]?.shut ?? '';
    assert.match(shut, /its rules come to more than 50000/);
    assert.deepEqual([decisions(), asked(plane, 'in-0', WEB).decision], ['Deny,Deny,Deny', 'Deny']);
    assert.match(asked(plane, 'in-0', WEB).reason, /its rules come to more than 50000/);
  });
});
