import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { allowOnly } from '../../../test/harness/rbac.ts';
import type { JsonObject, JsonValue } from '../../resource/resource.ts';
import { type EncodedResources, encodeSnapshot } from '../wire/encode-resource.ts';
import { generate } from './generate-snapshot.ts';
import type { Snapshot } from '../wire/resource-types.ts';
import { type InboundInput, namesOf, type ProxyInput } from './inbound-input.ts';

const certificates = { ca: '/etc/mesh/ca.pem', cert: '/etc/mesh/cert.pem', key: '/etc/mesh/key.pem' };
const RBAC = allowOnly('spiffe://default/ns/a/sa/b');
const HTTP: InboundInput = {
  name: 'web',
  address: '10.0.0.1',
  port: 8080,
  servicePort: 80,
  protocol: 'http',
  rbac: { http: RBAC, network: RBAC },
  plaintextToo: false,
};
const TCP: InboundInput = { ...HTTP, name: 'db', port: 5432, servicePort: 5433, protocol: 'tcp' };

const rbac = fc.constantFrom<JsonObject | undefined>(undefined, {}, { shadowRules: {} }, { rules: {} }, RBAC);
/** Inbounds with names and ports of their own. */
const inputs: fc.Arbitrary<ProxyInput> = fc
  .array(
    fc.record({
      protocol: fc.constantFrom<InboundInput['protocol']>('tcp', 'http', 'http2', 'grpc'),
      rbac: fc.record({ http: rbac, network: rbac }),
      routes: fc.option(fc.array(fc.record({ match: fc.constant<JsonObject>({ path: '/a' }), rbac: rbac.map((of) => of ?? {}) })), {
        nil: undefined,
      }),
      plaintextToo: fc.boolean(),
    }),
    { maxLength: 4 },
  )
  .map((some) => ({ certificates, inbounds: some.map((one, i) => ({ ...HTTP, ...one, name: `in-${i}`, port: 8080 + i })) }));

/** Every object anywhere in a value. */
function objectsIn(value: JsonValue | undefined): JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap((of) => objectsIn(of as JsonValue));
  return Array.isArray(value) ? inner : [value as JsonObject, ...inner];
}

const ofType = (value: JsonValue | undefined, type: string) => objectsIn(value).filter((of) => String(of['@type']).endsWith(type));
const chainsOf = (listener: JsonObject | undefined) => (listener?.filterChains ?? []) as unknown as readonly JsonObject[];

it('is JSON of Envoy’s messages, the same for the same input', () => {
  fc.assert(fc.property(inputs, (input) => assert.deepEqual(versions(generate(input)), versions(generate(structuredClone(input))))));
});

it('has no RBAC that allows because it says nothing', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const all = ofType(generate(input) as unknown as JsonObject, '.v3.RBAC');
      const perRoute = ofType(generate(input) as unknown as JsonObject, 'RBACPerRoute').map((of) => of.rbac as JsonObject);
      for (const one of [...all, ...perRoute]) assert.ok(one.rules !== undefined || one.matcher !== undefined, JSON.stringify(one));
      assert.ok(all.length >= input.inbounds.length);
    }),
  );
});

it('lets TLS in only with an RBAC before what leads to the application', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { listeners } = generate(input);
      for (const [index, { address, port }] of input.inbounds.entries()) {
        const listener = listeners.find(({ name }) => name === `inbound:${address}:${port}`);
        const [tls, plain, ...more] = chainsOf(listener);
        assert.deepEqual(more, []);
        assert.equal(plain !== undefined, input.inbounds[index]?.plaintextToo);
        assert.equal(ofType(tls, 'DownstreamTlsContext')[0]?.requireClientCertificate, true);
        const [manager] = ofType(tls, 'HttpConnectionManager');
        const outer = tls?.filters as unknown as readonly JsonObject[];
        assert.equal(outer[0]?.name, 'callers-sans');
        const inner = (manager?.httpFilters ?? outer.slice(1)) as unknown as readonly JsonObject[];
        assert.equal(inner[0]?.name, `rbac:in-${index}`);
        assert.equal(inner.length, 2);
      }
    }),
  );
});

describe('a change', () => {
  const changed = (of: InboundInput, to: Partial<InboundInput>) => {
    const [before, now] = [of, { ...of, ...to }].map((one) =>
      versions(generate({ certificates, inbounds: [one, { ...HTTP, name: 'x', port: 1 }] })),
    );
    return Object.keys(now ?? {}).filter((name) => now?.[name] !== before?.[name]);
  };
  const other = { http: allowOnly('spiffe://default/ns/a/sa/c'), network: allowOnly('spiffe://default/ns/a/sa/c') };

  it('of an HTTP RBAC leaves the listener as it is', () => {
    assert.deepEqual(changed(HTTP, { rbac: other }), ['TypedExtensionConfig rbac:web']);
  });
  it('of a route’s RBAC too', () => {
    const routes = [{ match: { prefix: '/a' }, rbac: RBAC }];
    assert.deepEqual(changed(HTTP, { routes }), ['RouteConfiguration inbound:web']);
  });
  it('of a network RBAC changes the listener, so that open connections are drained', () => {
    assert.deepEqual(changed(TCP, { rbac: other }), ['TypedExtensionConfig rbac:db', 'Listener inbound:10.0.0.1:5432']);
  });
  it('of the application’s port changes the cluster alone', () => {
    assert.deepEqual(changed(TCP, { servicePort: 1 }), ['Cluster local:db']);
  });
});

describe('an inbound that can’t be built', () => {
  const GOOD: InboundInput = { ...HTTP, name: 'good', port: 1 };
  const ROUTED: InboundInput = { ...HTTP, plaintextToo: true, routes: [{ match: { prefix: '/a' }, rbac: RBAC }] };
  const bad: readonly [string, readonly InboundInput[], reason: RegExp][] = [
    ['one name', [ROUTED, { ...HTTP, port: 2 }], /has the name web/],
    ['one name, of two protocols', [{ ...TCP, name: 'web' }, ROUTED], /has the name web/],
    ['one socket', [ROUTED, { ...TCP, port: HTTP.port }], /address and port, 10.0.0.1 8080/],
    [
      'one socket, written in two ways',
      [
        { ...ROUTED, address: '::1' },
        { ...TCP, port: HTTP.port, address: '0:0:0:0:0:0:0:1' },
      ],
      /::1 8080/,
    ],
    ['one socket, thrice', [ROUTED, { ...TCP, port: HTTP.port }, { ...TCP, name: 'x', port: HTTP.port }], /10.0.0.1 8080/],
    ['a name that is no Unicode', [{ ...ROUTED, name: 'web\ud800' }], /Unicode|UTF|surrogate|valid/i],
    [
      'the same beside what it would be called',
      [
        { ...ROUTED, name: 'web\ud800' },
        { ...TCP, name: 'web\ufffd' },
      ],
      /has the name/,
    ],
    ['an RBAC that is none', [{ ...ROUTED, rbac: { http: { matcher: { nonsense: 1 } } } }], /nonsense/],
    ['on TCP too', [{ ...TCP, plaintextToo: true, rbac: { network: { matcher: { nonsense: 1 } } } }], /nonsense/],
    ['a route that is none', [{ ...ROUTED, routes: [{ match: { path: '/\ud800' }, rbac: RBAC }] }], /path/],
    ['what said so itself', [{ ...ROUTED, rbac: {}, routes: [], plaintextToo: false, shut: 'a reason' }], /^a reason$/],
  ];
  for (const [what, inbounds, reason] of bad) {
    it(`${what}: it is shut, and says why; the others are as they were`, () => {
      const { shut, ...snapshot } = generate({ certificates, inbounds: [GOOD, ...inbounds] });
      assert.deepEqual(shut.map((one) => one.inbound).sort(), inbounds.map(({ name }) => name).sort());
      for (const one of shut) assert.match(one.reason, reason);
      const [all, alone] = [versions(snapshot), versions(generate({ certificates, inbounds: [GOOD] }))];
      for (const [name, version] of Object.entries(alone)) assert.equal(all[name], version, name);
      const others = (kind: 'listeners' | 'extensions' | 'routes') =>
        snapshot[kind].filter(({ name }) => !['inbound:10.0.0.1:1', 'rbac:good', 'inbound:good'].includes(String(name)));
      const places = new Set(inbounds.map((inbound) => namesOf(inbound).listener));
      assert.deepEqual(new Set(others('listeners').map(({ name }) => name)), places);
      assert.ok(!JSON.stringify([others('listeners'), others('extensions'), others('routes')]).includes('spiffe://default'));
      for (const listener of others('listeners')) assert.equal(chainsOf(listener).length, 1);
    });
  }

  it('is let in again when it can be', () => {
    const [before, now] = [[HTTP, { ...TCP, port: HTTP.port }], [HTTP]].map((inbounds) => generate({ certificates, inbounds }));
    assert.deepEqual([before?.shut.length, now?.shut.length], [2, 0]);
    assert.ok(JSON.stringify(now).includes('spiffe://default'));
  });
});

it('one port on two addresses is no clash', () => {
  assert.deepEqual(generate({ certificates, inbounds: [HTTP, { ...TCP, port: HTTP.port, address: '10.0.0.2' }] }).shut, []);
});

it('says which resource is not of its message', () => {
  const listener = { name: 'a' };
  const twice = { clusters: [], secrets: [], extensions: [], routes: [], listeners: [listener, { ...listener }] };
  assert.throws(() => encodeSnapshot(twice), /two .*Listener named a/);
  assert.throws(() => encodeSnapshot({ ...twice, listeners: [{}] }), /without a name/);
  assert.throws(() => encodeSnapshot({ ...twice, listeners: [{ name: 'b', nonsense: 1 }] }), /Listener b: .*nonsense/);
});

/** `<message> <name>` to version. */
function versions(snapshot: Snapshot): Record<string, string> {
  const encoded: EncodedResources = encodeSnapshot(snapshot);
  const all = [...encoded].flatMap(([url, of]) =>
    [...of.values()].map(({ name, version }) => [`${url.split('.').at(-1)} ${name}`, version]),
  );
  return Object.fromEntries(all) as Record<string, string>;
}
