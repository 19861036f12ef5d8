import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import { decide } from '../decide/decide-request.ts';
import { givenResource } from '../decide/given-requests.ts';
import { indexMesh } from '../match/mesh-index.ts';
import { canonical, mergeConfs } from '../match/merge-confs.ts';
import { readPolicies } from '../match/read-policies.ts';
import { readProxy } from '../match/read-proxy.ts';
import { matchProxy } from '../match/select-policies.ts';
import { fromItems, mergeFrom, mergeSingle } from '../match/inbound-items.ts';
import { mergeTo, toItems } from '../match/to-items.ts';
import { sansOf } from '../match/client-sans.ts';
import { convertEarly } from './convert-documents.ts';

function convert(...documents: JsonObject[]): Resource[] {
  const converted = convertEarly(documents);
  assert.deepEqual(converted.problems, []);
  return converted.documents.map((document) => givenResource(document, 'converted'));
}

function proxyOf(service: string, name = `${service}-1`, mesh = 'mesh-1') {
  const inbound = [{ port: 80, tags: { 'kuma.io/service': service, version: 'v1' } }];
  return givenResource({ type: 'Dataplane', mesh, name, networking: { address: '127.0.0.1', inbound } }, name);
}

/** The policies of one kind that select the proxy, in today's order. */
function selected(policies: readonly Resource[], dataplane: Resource) {
  const mesh = indexMesh([dataplane]);
  return matchProxy(readPolicies(policies), readProxy(dataplane, mesh), mesh);
}

/** What today's rules make of converted policies for outgoing requests of a proxy. */
function outgoing(policies: readonly Resource[], dataplane: Resource, service: string, type = 'MeshTimeout') {
  return mergeTo(type, toItems(selected(policies, dataplane)), { tags: { 'kuma.io/service': service } }, indexMesh([]));
}

const service = (name: string) => ({ kind: 'Service', name });
const mesh = { kind: 'Mesh' };
const early = (type: string, name: string, targetRef: JsonObject, conf: JsonObject): JsonObject => ({
  type,
  mesh: 'mesh-1',
  name,
  targetRef,
  conf,
});

describe('docs/design/sources.md#matching: applying', () => {
  it('an outbound that three targetRefs select', () => {
    const to = [
      { targetRef: mesh, param1: 'value1' },
      { targetRef: service('backend'), param1: 'value2', param2: 'value3' },
      { targetRef: mesh, param2: 'value4' },
    ];
    const policies = convert(early('UpstreamTimeout', 'p', service('web'), { to }));
    assert.deepEqual(outgoing(policies, proxyOf('web'), 'backend')?.conf, { param1: 'value1', param2: 'value3' });
    assert.deepEqual(outgoing(policies, proxyOf('web'), 'payments')?.conf, { param1: 'value1', param2: 'value4' });
  });

  it('a source that three targetRefs select', () => {
    // The proposal prints this list as `to`, though it is about sources.
    const from = [
      { targetRef: { kind: 'ServiceSubset', name: 'backend', tags: { version: 'v2' } }, param1: 'value1' },
      { targetRef: service('backend'), param1: 'value2', param2: 'value3' },
      { targetRef: mesh, param2: 'value4' },
    ];
    const items = fromItems(selected(convert(early('UpstreamTimeout', 'p', mesh, { from })), proxyOf('web')));
    const conf = (tags: Record<string, string>) => mergeFrom('MeshTimeout', items, sansOf('mesh-1', tags))?.conf;
    assert.deepEqual(conf({ 'kuma.io/service': 'backend', version: 'v2' }), { param1: 'value1', param2: 'value3' });
    assert.deepEqual(conf({ 'kuma.io/service': 'backend', version: 'v1' }), { param1: 'value2', param2: 'value3' });
    assert.deepEqual(conf({ 'kuma.io/service': 'web' }), { param2: 'value4' });
  });
});

describe('docs/design/sources.md#matching: UpstreamTimeout', () => {
  const policies = convert(
    // The proposal writes `streamIdleTimeout` here, and prints the result as `idleTimeout`: one field, called
    // `idleTimeout` in this test.
    early('UpstreamTimeout', '00-base-timeouts', mesh, {
      to: [{ targetRef: mesh, connectTimeout: '10s', http: { requestTimeout: '5s', idleTimeout: '1h' } }],
    }),
    early('UpstreamTimeout', '01-consume-backend-timeouts', mesh, {
      to: [{ targetRef: service('backend'), connectTimeout: '20s', http: { idleTimeout: '0s' } }],
    }),
    early('UpstreamTimeout', 'web-timeouts', service('web'), {
      to: [
        { targetRef: mesh, connectTimeout: '5s' },
        { targetRef: service('backend'), http: { requestTimeout: '15s' } },
      ],
    }),
  );

  it('for the outbound backend of web', () => {
    const found = outgoing(policies, proxyOf('web'), 'backend');
    assert.deepEqual(found?.conf, { connectTimeout: '5s', http: { requestTimeout: '15s', idleTimeout: '0s' } });
    assert.equal(found.origins.length, 3);
  });

  it('for the outbound payments of web', () => {
    assert.deepEqual(outgoing(policies, proxyOf('web'), 'payments')?.conf, {
      connectTimeout: '5s',
      http: { requestTimeout: '5s', idleTimeout: '1h' },
    });
  });

  it('for another proxy', () => {
    assert.deepEqual(outgoing(policies, proxyOf('api'), 'backend')?.conf, {
      connectTimeout: '20s',
      http: { requestTimeout: '5s', idleTimeout: '0s' },
    });
  });
});

describe('docs/design/sources.md#matching: MeshTrafficPermission', () => {
  const policies = convert(
    early('MeshTrafficPermission', 'allow-only-infra', mesh, {
      from: [
        { targetRef: service('infra-monitoring'), action: 'ALLOW' },
        { targetRef: service('infra-logger'), action: 'ALLOW' },
        { targetRef: mesh, action: 'DENY' },
      ],
    }),
    early('MeshTrafficPermission', 'backend-permissions', service('backend'), {
      from: [
        { targetRef: { kind: 'ServiceSubset', name: 'web', tags: { version: 'v1' } }, action: 'DENY' },
        { targetRef: mesh, action: 'ALLOW' },
      ],
    }),
  );
  const cases: readonly (readonly [target: string, client: Record<string, string>, decision: string, by: string])[] = [
    ['backend', { 'kuma.io/service': 'web', version: 'v1' }, 'Deny', 'backend-permissions'],
    ['backend', { 'kuma.io/service': 'web', version: 'v2' }, 'Allow', 'backend-permissions'],
    ['backend', { 'kuma.io/service': 'infra-monitoring' }, 'Allow', 'backend-permissions'],
    ['backend', { 'kuma.io/service': 'infra-logger' }, 'Allow', 'backend-permissions'],
    ['other', { 'kuma.io/service': 'infra-logger' }, 'Allow', 'allow-only-infra'],
    ['other', { 'kuma.io/service': 'web', version: 'v2' }, 'Deny', 'allow-only-infra'],
  ];
  for (const [target, tags, decision, by] of cases) {
    it(`${target}, from ${JSON.stringify(tags)}: ${decision}`, () => {
      const decided = decide({ policies, dataplane: proxyOf(target), request: { tags } });
      assert.deepEqual([decided.decision, decided.decidedBy?.name], [decision, by]);
    });
  }
});

describe('docs/design/sources.md#matching: ProxyTemplate', () => {
  const modifications = [{ cluster: { operation: 'add', value: 'name: test-cluster\nconnectTimeout: 5s\ntype: STATIC\n' } }];
  const template = (name: string, targetRef: JsonObject, list: JsonValue): JsonObject => ({
    type: 'ProxyTemplate',
    mesh: 'mesh-1',
    name,
    spec: { targetRef, conf: { imports: ['default-proxy'], modifications: list } },
  });
  const policies = convert(
    template('pt-1', service('backend'), modifications),
    template('pt-2', { kind: 'Proxy', name: 'my-special-backend-dpp' }, []),
  );
  const merged = (name: string) => mergeSingle('MeshProxyPatch', selected(policies, proxyOf('backend', name)))?.conf;

  it('an empty list of the one for the proxy takes away that of the one for its service', () => {
    assert.deepEqual(merged('backend-1'), { imports: ['default-proxy'], modifications });
    assert.deepEqual(merged('my-special-backend-dpp'), { imports: ['default-proxy'], modifications: [] });
  });

  it('a proxy is found by its name wherever it is', () => {
    const alone = convert(template('pt-2', { kind: 'Proxy', name: 'my-special-backend-dpp' }, []));
    const target = proxyOf('backend', 'my-special-backend-dpp');
    const elsewhere = { ...target, key: { ...target.key, zone: 'east', namespace: 'ns' } };
    assert.equal(selected(alone, elsewhere).length, 1);
    assert.equal(selected(alone, proxyOf('backend')).length, 0);
  });
});

describe('docs/design/sources.md#matching: TrafficLog', () => {
  const conf = {
    to: [{ targetRef: service('web'), backends: [{ name: 'logstash' }] }],
    from: [{ targetRef: mesh, backends: [{ name: 'file' }] }],
  };
  const policies = convert(early('TrafficLog', 'tl-1', mesh, conf));

  it('has lists that are merged independently', () => {
    assert.deepEqual(outgoing(policies, proxyOf('api'), 'web', 'MeshAccessLog')?.conf, { backends: [{ name: 'logstash' }] });
    assert.equal(outgoing(policies, proxyOf('api'), 'other', 'MeshAccessLog'), undefined);
    const items = fromItems(selected(policies, proxyOf('api')));
    assert.deepEqual(mergeFrom('MeshAccessLog', items, ['spiffe://mesh-1/anyone'])?.conf, { backends: [{ name: 'file' }] });
  });
});

describe('convertEarly', () => {
  it('leaves what has no `conf` as it is, capitals or not', () => {
    const today = { type: 'MeshTrafficPermission', mesh: 'default', name: 'p', spec: { from: [{ default: { action: 'ALLOW' } }] } };
    const gateway = { type: 'MeshGateway', mesh: 'default', name: 'g', conf: { listeners: [] } };
    assert.deepEqual(convertEarly([today, gateway]), { documents: [today, gateway], problems: [] });
  });

  it('takes the Kubernetes format', () => {
    const metadata = { name: 't', namespace: 'kuma-system', labels: { 'kuma.io/mesh': 'm' } };
    const spec = { targetRef: service('web'), conf: { to: [{ targetRef: mesh, connectTimeout: '5s' }] } };
    assert.deepEqual(convertEarly([{ apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTimeout', metadata, spec }]).documents, [
      {
        apiVersion: 'kuma.io/v1alpha1',
        kind: 'MeshTimeout',
        metadata,
        spec: { targetRef: { kind: 'MeshService', name: 'web' }, to: [{ targetRef: mesh, default: { connectTimeout: '5s' } }] },
      },
    ]);
  });

  const route = { kind: 'HTTPRoute', name: 'r' };
  const broken: readonly (readonly [field: string, documents: unknown[]])[] = [
    ['documents[0]', ['text']],
    ['documents[0].type', [{ type: 'Galaxy', name: 'g', conf: {} }]],
    ['documents[0].name', [{ type: 'UpstreamTimeout', conf: {} }]],
    ['documents[0].conf', [{ type: 'UpstreamTimeout', name: 't', conf: 7 }]],
    ['documents[0].targetRef', [{ type: 'UpstreamTimeout', name: 't', targetRef: 7, conf: {} }]],
    ['documents[0].conf', [early('UpstreamTimeout', 't', mesh, { to: [], more: 1 })]],
    ['documents[0].spec.targetRef.kind', [early('UpstreamTimeout', 't', { kind: 'Galaxy' }, { to: [] })]],
    [
      'documents[0].spec.from[0].default.action',
      [early('MeshTrafficPermission', 't', mesh, { from: [{ targetRef: mesh, action: 'MAYBE' }] })],
    ],
    ['documents[0].conf', [early('UpstreamTimeout', 't', mesh, { to: [{ targetRef: service('a') }, { targetRef: route, a: 1 }] })]],
    [
      'documents[1].targetRef.kind',
      [early('UpstreamTimeout', 'p', { kind: 'Proxy', name: 'p' }, { to: [] }), early('UpstreamTimeout', 't', route, { to: [] })],
    ],
  ];
  for (const [field, documents] of broken) {
    it(`says what is wrong: ${field} of ${JSON.stringify(documents)}`, () => {
      const converted = convertEarly(documents);
      assert.equal(converted.problems[0]?.field, field);
      assert.equal(converted.documents.length, documents.length - 1);
    });
  }

  const kinds = [
    mesh,
    { kind: 'MeshSubset', tags: { version: 'v1' } },
    service('web'),
    { kind: 'ServiceSubset', name: 'web', tags: { version: 'v1' } },
    { kind: 'Proxy', name: 'web-1' },
  ];
  const RANKS = ['Mesh', 'MeshSubset', 'Service', 'ServiceSubset', 'Proxy'];
  const conf = fc.record(
    { a: fc.nat(9), b: fc.nat(9), c: fc.constantFrom<JsonValue>(1, [2], { d: 3 }, { e: 4 }) },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;
  const item = (targets: readonly JsonObject[]) =>
    fc.tuple(fc.constantFrom(...targets), conf).map(([targetRef, rest]) => ({ targetRef, ...rest }));
  const external = { kind: 'MeshExternalService', name: 'partner' };
  const destinations = [mesh, service('backend'), service('payments'), external];
  const policies = fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-c0-2]{1,3}$/),
      targetRef: fc.constantFrom(...kinds),
      to: fc.array(item(destinations), { maxLength: 4 }),
    }),
    { selector: ({ name }) => name, maxLength: 6 },
  );

  /**
   * The early form's own rules: the most specific policy first, the greater name first; of the items that mean a
   * service the first wins.
   */
  function earlyResult(
    given: readonly { name: string; targetRef: JsonObject; to: JsonObject[] }[],
    destination: string,
  ): JsonObject | undefined {
    const rank = ({ kind }: JsonObject) => RANKS.findIndex((name) => name === kind);
    const order = [...given].sort((x, y) => rank(y.targetRef) - rank(x.targetRef) || (x.name < y.name ? 1 : -1));
    const items = order
      .flatMap(({ to }) => to)
      .filter(({ targetRef }) => canonical(targetRef) === canonical(mesh) || canonical(targetRef) === canonical(service(destination)));
    return items
      .map(({ targetRef: _, ...rest }) => rest as JsonObject)
      .reduceRight<JsonObject | undefined>((weaker, stronger) => mergeConfs('MeshTimeout', weaker ?? {}, stronger), undefined);
  }

  it('says again of a kind of today what a stronger item says of everything', () => {
    const to = [mesh, external].map((targetRef, a) => ({ targetRef, a }));
    const [converted] = convert(early('UpstreamTimeout', 't', mesh, { to }));
    const item = (targetRef: JsonObject, a: number) => ({ targetRef, default: { a } });
    assert.deepEqual(converted?.spec.to, [item(external, 1), item(mesh, 0), item(external, 0)]);
  });

  it('comes to what the early form’s own rules come to, for any policies', () => {
    fc.assert(
      fc.property(policies, fc.constantFrom('backend', 'payments', 'other'), (given, destination) => {
        const converted = convert(...given.map(({ name, targetRef, to }) => early('UpstreamTimeout', name, targetRef, { to })));
        const found = outgoing(converted, proxyOf('web'), destination)?.conf;
        assert.equal(canonical(found ?? {}), canonical(earlyResult(given, destination) ?? {}));
      }),
      { numRuns: 500 },
    );
  });
});
