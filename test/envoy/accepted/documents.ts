import fc from 'fast-check';

/**
 * Documents as people and programs write them, of one small mesh: many are refused, and many that are odd are accepted.
 * Everything is raw: the parser says what is a document.
 */

/** Of a place on the loopback, so that a real Envoy listens there. */
export interface LoopbackPlace {
  readonly mesh: string;
  /** The third number of its addresses, 127.1.HOST.x. */
  readonly host: number;
  /** Of the applications. */
  readonly http: number;
  readonly tcp: number;
}

export type Raw = Readonly<Record<string, unknown>>;

const ODD = [
  '',
  ' ',
  '\ud800',
  'a\udc00',
  '😀',
  'é',
  '\u0000',
  'a\nb',
  '\u202e',
  '%',
  '"',
  "'",
  '8080',
  '8081',
  'a'.repeat(300),
  '__proto__',
  'constructor',
];
const odd = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary', maxLength: 12 }), fc.string({ maxLength: 12 }));
/** Mostly what is meant. */
const mostly = <T>(usual: fc.Arbitrary<T>, weight = 12): fc.Arbitrary<T | string> => fc.oneof({ weight, arbitrary: usual }, odd);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const NAMES = ['http', 'admin', 'db', '8080', '8081', 'HTTP', 'é😀', 'a b/c', 'x'.repeat(253)];
const PORTS = [8080, 8081, 8082, 9000];

function address({ host }: LoopbackPlace): fc.Arbitrary<string | undefined> {
  const own = [`127.1.${host}.1`, `127.1.${host}.2`, `::ffff:127.1.${host}.3`, `::FFFF:7f01:${((host << 8) | 4).toString(16)}`];
  const bad = ['fe80::1%eth0', '::1%lo', 'localhost', `127.1.${host}`, `0127.1.${host}.1`, '256.0.0.1', '', '\ud800', '::ffff:127.1'];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: fc.constantFrom(...own) },
    fc.constantFrom(...bad),
  );
}

const tags = mostly(
  fc.record({ 'kuma.io/service': fc.constantFrom('web', 'api'), app: fc.constantFrom('x', 'y') }, { requiredKeys: ['kuma.io/service'] }),
  20,
);

function inbound(given: LoopbackPlace): fc.Arbitrary<Raw> {
  return fc
    .record({
      port: mostly(fc.constantFrom<number>(...PORTS), 30),
      name: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 6, arbitrary: fc.constantFrom(...NAMES) }, odd),
      address: address(given),
      serviceAddress: fc.oneof(
        { weight: 20, arbitrary: fc.constant(undefined) },
        fc.constantFrom('::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1', 'a.example', 'fe80::1%lo'),
      ),
      protocol: mostly(fc.constantFrom('http', 'http', 'tcp', 'http2', 'grpc', 'HTTP'), 15),
      tags,
    })
    .map((item) => ({ ...item, servicePort: item.protocol === 'tcp' ? given.tcp : given.http }));
}

const document = (type: string, { mesh }: LoopbackPlace, name: string, body: Raw): Raw => ({ type, mesh, name, ...body });

export function dataplane(given: LoopbackPlace): fc.Arbitrary<Raw> {
  const networking = fc.record({
    address: fc.constant(`127.1.${given.host}.1`),
    inbound: fc.array(inbound(given), { minLength: 1, maxLength: 4 }),
  });
  const labels = maybe(mostly(fc.constant({ app: 'x' })));
  return fc.record({ labels, networking }).map((body) => document('Dataplane', given, 'backend', body));
}

const PATHS = [
  '/',
  '/v2',
  '/v2/',
  '/v2/x',
  '/admin',
  '//v2',
  '/v2//x',
  '/é',
  '/%61',
  '/a?b',
  '/a#b',
  'v2',
  '/.',
  '/a b',
  `/${'x'.repeat(2000)}`,
];
const METHODS = ['GET', 'POST', 'get', 'PATCH', 'QUERY'];
const path = mostly(
  fc.record(
    { type: mostly(fc.constantFrom('Exact', 'Prefix', 'PathPrefix', 'RegularExpression')), value: mostly(fc.constantFrom(...PATHS), 20) },
    { requiredKeys: [] },
  ),
);
const header = fc.record(
  { type: fc.constantFrom('Exact', 'Present', 'RegularExpression', 'Prefix', 'Absent'), name: mostly(fc.constant('x-a')), value: odd },
  { requiredKeys: [] },
);
const match = fc.record(
  {
    path,
    method: mostly(fc.constantFrom(...METHODS)),
    headers: fc.array(header, { maxLength: 1 }),
    queryParams: fc.array(header, { maxLength: 1 }),
  },
  { requiredKeys: [] },
);
const matches = mostly(fc.array(match, { maxLength: 3 }), 20);
const service = mostly(fc.constantFrom({ kind: 'MeshService', name: 'web' }, { kind: 'MeshService', name: 'api' }), 20);

function route(given: LoopbackPlace): fc.Arbitrary<Raw> {
  const rule = fc.record(
    { matches, default: fc.record({ backendRefs: fc.array(service, { maxLength: 2 }) }, { requiredKeys: [] }) },
    { requiredKeys: [] },
  );
  const spec = fc.record({
    targetRef: maybe(fc.constant({ kind: 'Mesh' })),
    to: fc.array(fc.record({ targetRef: service, rules: fc.array(rule, { maxLength: 2 }) }), { maxLength: 2 }),
  });
  return fc.tuple(fc.constantFrom('r1', 'r2'), spec).map(([name, body]) => document('MeshHTTPRoute', given, name, { spec: body }));
}

function ids({ mesh }: LoopbackPlace): readonly string[] {
  return [
    `spiffe://${mesh}/ns/a/sa/b`,
    `spiffe://${mesh}`,
    `spiffe://${mesh}/ns/a`,
    'spiffe://td/ns/pay/sa/api',
    'spiffe://td/ns/pay',
    'spiffe://td',
    'spiffe://td/',
    'spiffe://TD/x',
    'spiffe://é/x',
  ];
}

function matcher(given: LoopbackPlace): fc.Arbitrary<Raw> {
  const spiffeId = mostly(fc.record({ type: fc.constantFrom('Exact', 'Prefix'), value: mostly(fc.constantFrom(...ids(given)), 20) }), 30);
  return fc.record({
    spiffeId: fc.oneof({ weight: 5, arbitrary: spiffeId }, fc.constant(undefined)),
    path: maybe(path),
    method: maybe(mostly(fc.constantFrom(...METHODS))),
  });
}

function shape(given: LoopbackPlace): fc.Arbitrary<Raw> {
  const list = fc.array(matcher(given), { maxLength: 3 });
  const lists = fc.record({ deny: list, allow: list, allowWithShadowDeny: list }, { requiredKeys: [] });
  const action = mostly(fc.constantFrom('Allow', 'ALLOW', 'Deny', 'DENY', 'AllowWithShadowDeny', 'DENY_WITH_SHADOW_ALLOW'), 20);
  const client = fc.constantFrom(
    { kind: 'Mesh' },
    { kind: 'MeshSubset', tags: { app: 'x' } },
    { kind: 'MeshService', name: 'web' },
    { kind: 'MeshServiceSubset', name: 'web', tags: { app: 'y' } },
    {},
  );
  const item = fc.record({ targetRef: mostly(client, 20), default: fc.record({ action }) });
  return fc.oneof(
    lists.map((conf) => ({ default: conf })),
    fc.array(lists, { maxLength: 2 }).map((some) => ({ rules: some.map((conf) => ({ default: conf })) })),
    fc.array(item, { maxLength: 4 }).map((from) => ({ from })),
  );
}

const target = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom<Raw | undefined>(
      undefined,
      { kind: 'Mesh' },
      { kind: 'Dataplane' },
      { kind: 'Dataplane', labels: { app: 'x' } },
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(...NAMES).map((sectionName) => ({ kind: 'Dataplane', name: 'backend', sectionName })) },
  { weight: 2, arbitrary: fc.constantFrom('r1', 'r2', 'nope').map((name) => ({ kind: 'MeshHTTPRoute', name })) },
  fc.constantFrom<Raw>(
    { kind: 'MeshService', name: 'web' },
    { kind: 'MeshSubset', tags: { app: 'x' } },
    { kind: 'MeshServiceSubset', name: 'api', tags: { app: 'y' } },
  ),
  odd.map((name) => ({ kind: 'Dataplane', name })),
);

function permission(given: LoopbackPlace): fc.Arbitrary<Raw> {
  const labels = maybe(fc.constantFrom<Raw>({ 'kuma.io/effect': 'shadow' }, { note: 'a\ud800' }, { note: 'é' }));
  const withLabels = fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, labels);
  return fc
    .tuple(fc.constantFrom('p1', 'p2', 'p3', 'p4'), target, shape(given), withLabels)
    .map(([name, targetRef, body, of]) =>
      document('MeshTrafficPermission', given, name, { ...(of ? { labels: of } : {}), spec: { targetRef, ...body } }),
    );
}

function tls(given: LoopbackPlace): fc.Arbitrary<Raw> {
  const mode = mostly(fc.constantFrom('Strict', 'Permissive'));
  return mode.map((of) => document('MeshTLS', given, 't1', { spec: { targetRef: { kind: 'Mesh' }, rules: [{ default: { mode: of } }] } }));
}

/** A change: the document of a name takes the place of the one before. */
export function change(given: LoopbackPlace): fc.Arbitrary<Raw> {
  return fc.oneof(
    { weight: 8, arbitrary: dataplane(given) },
    { weight: 8, arbitrary: route(given) },
    { weight: 16, arbitrary: permission(given) },
    { weight: 1, arbitrary: tls(given) },
  );
}

/** What is asked of Envoy and of `can`. */
export const request = fc.record({
  client: fc.nat(),
  inbound: fc.nat(),
  method: fc.constantFrom('GET', 'POST', 'PATCH'),
  path: fc.constantFrom('/', '/v2', '/v2/', '/v2/x', '/v2/x?y', '/v22', '/admin', '/%61', '/x', '/a?b'),
});
