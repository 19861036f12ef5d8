import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../resource.ts';
import { validateDraft } from './validate-draft.ts';

function fields(type: string, spec: JsonObject): string[] {
  const draft = { type, mesh: 'default', name: 'a', namespace: undefined, labels: {}, spec };
  return validateDraft(draft).map(({ field }) => field);
}

const service = { kind: 'MeshService', name: 'backend' };

/** Each body with the fields that are wrong in it. */
const TABLE: readonly [type: string, spec: JsonObject, fields: string[]][] = [
  ['Nothing', {}, ['type']],

  // Policies: the lists that a kind has, each optional, and the items of each.
  ['MeshTimeout', {}, []],
  ['MeshTimeout', { targetRef: {}, to: [{ targetRef: service, default: { any: [1] } }], from: [{ default: {} }], rules: [{}] }, []],
  ['MeshTimeout', { rules: [{ matches: [{ path: { type: 'Exact', value: '/' } }], default: {} }] }, []],
  ['MeshTimeout', { rules: [{ matches: ['x'] }] }, ['spec.rules[0].matches[0]']],
  ['MeshTimeout', { to: [{ targetRef: service, default: [] }] }, ['spec.to[0].default']],
  ['MeshTimeout', { to: [{ targetRef: service, defaults: {} }] }, ['spec.to[0].defaults']],
  ['MeshTimeout', { to: [{}, { targetRef: {} }, 7] }, ['spec.to[0].targetRef', 'spec.to[1].targetRef.kind', 'spec.to[2]']],
  ['MeshTimeout', { to: {}, default: {}, other: 1 }, ['spec.to', 'spec.default', 'spec.other']],
  ['MeshRetry', { from: [], rules: [] }, ['spec.from', 'spec.rules']],
  ['MeshTLS', { to: [] }, ['spec.to']],
  ['MeshTLS', { rules: [{}, { default: {} }, { default: { mode: 'Strict', tlsVersion: { min: 'TLS13' }, tlsCiphers: [] } }] }, []],
  ['MeshTLS', { from: [{ targetRef: { kind: 'Mesh' }, default: { mode: 'Permissive' } }] }, []],
  [
    'MeshTLS',
    { rules: [{ default: { mode: 'strict' } }, { default: { Mode: 'Strict' } }] },
    ['spec.rules[0].default.mode', 'spec.rules[1].default.Mode'],
  ],
  ['MeshTLS', { rules: [{ matches: [{}], default: { mode: 'Strict' } }] }, ['spec.rules[0].matches']],
  ['MeshTLS', { from: [{ default: { mode: 'PERMISSIVE', tls: 1 } }] }, ['spec.from[0].default.mode', 'spec.from[0].default.tls']],
  [
    'MeshTLS',
    { rules: [{ default: { tlsVersion: { min: 'TLS9', x: 1 }, tlsCiphers: ['x'] } }] },
    ['spec.rules[0].default.tlsCiphers[0]', 'spec.rules[0].default.tlsVersion.min', 'spec.rules[0].default.tlsVersion.x'],
  ],
  ['MeshTrace', { default: { backends: [] } }, []],
  ['MeshTrace', { default: [], to: [] }, ['spec.default', 'spec.to']],

  // Routes.
  [
    'MeshHTTPRoute',
    {
      targetRef: { kind: 'MeshGateway', name: 'edge' },
      to: [
        {
          targetRef: { kind: 'Mesh' },
          hostnames: ['a.b'],
          rules: [
            {
              matches: [{ path: { type: 'PathPrefix', value: '/v2' } }],
              default: {
                filters: [
                  { type: 'RequestMirror', requestMirror: { backendRef: service, percentage: 1 } },
                  { type: 'Other', x: 1 },
                ],
                backendRefs: [
                  { ...service, namespace: 'ns', weight: 0, port: 80 },
                  { kind: 'MeshServiceSubset', name: 'b', tags: { v: '2' } },
                ],
              },
            },
          ],
        },
      ],
    },
    [],
  ],
  ['MeshHTTPRoute', { targetRef: { kind: 'MeshHTTPRoute', name: 'a' } }, ['spec.targetRef.kind']],
  [
    'MeshHTTPRoute',
    { to: [{ targetRef: service, rules: [{ default: {} }, { matches: [], default: {} }] }] },
    ['spec.to[0].rules[1].matches'],
  ],
  [
    'MeshHTTPRoute',
    { to: [{ targetRef: service, rules: [{ matches: [{ method: 'GET' }, {}, { paths: {} }] }] }] },
    ['spec.to[0].rules[0].matches[1]', 'spec.to[0].rules[0].matches[2]', 'spec.to[0].rules[0].matches[2].paths'],
  ],
  [
    'MeshHTTPRoute',
    {
      to: [
        { targetRef: service, hostnames: [], rules: [] },
        { targetRef: service, hostnames: ['a.b'] },
      ],
    },
    ['spec.to[1].hostnames'],
  ],
  [
    'MeshHTTPRoute',
    {
      to: [
        {
          targetRef: service,
          default: {},
          rules: [
            {
              default: {
                filters: [{ type: 'M', requestMirror: { backendRef: { kind: 'Mesh' } } }],
                backendRefs: [{ weight: -1, port: 0 }],
              },
            },
          ],
        },
      ],
    },
    [
      'spec.to[0].rules[0].default.filters[0].requestMirror.backendRef.kind',
      'spec.to[0].rules[0].default.backendRefs[0].weight',
      'spec.to[0].rules[0].default.backendRefs[0].port',
      'spec.to[0].rules[0].default.backendRefs[0].kind',
      'spec.to[0].default',
    ],
  ],
  ['MeshTCPRoute', { to: [{ targetRef: service, rules: [{ default: { backendRefs: [{ ...service, port: 80 }] } }] }] }, []],
  ['MeshTCPRoute', { to: [{ targetRef: service, rules: [{ default: { filters: [] } }] }] }, ['spec.to[0].rules[0].default.filters']],

  // Kinds that are no policies: paths as the user sees them.
  ['Dataplane', { networking: { address: '1.1.1.1', inbound: [{ port: 80, state: 'Ready', x: 1 }], outbound: [{}], admin: {} } }, []],
  ['Dataplane', {}, ['networking']],
  [
    'Dataplane',
    { networking: { inbound: [{ port: 65536, tags: { 'kuma.io/service': '' } }] } },
    ['networking.address', 'networking.inbound[0].port', 'networking.inbound[0].tags["kuma.io/service"]'],
  ],
  [
    'Dataplane',
    { networking: { address: '::1', inbound: [{ port: 1 }, { port: 2 }, { port: 1, address: '0:0:0:0:0:0:0:1' }] } },
    ['networking.inbound[2].port'],
  ],
  [
    'Dataplane',
    { networking: { address: '::ffff:10.0.0.1', inbound: [{ port: 1 }, { port: 1, address: '10.0.0.1' }] } },
    ['networking.inbound[1].port'],
  ],
  [
    'Dataplane',
    {
      networking: {
        address: 'A.example',
        inbound: [
          { port: 1, name: 'a' },
          { port: 1, name: 'b' },
        ],
      },
    },
    ['networking.inbound[1].port'],
  ],
  // A pod behind two services, as Kuma writes it.
  [
    'Dataplane',
    {
      networking: {
        address: '10.0.0.1',
        inbound: [
          { port: 1, name: 'a' },
          { port: 1, name: 'a' },
        ],
      },
    },
    ['networking.inbound[1].port', 'networking.inbound[1].name'],
  ],
  [
    'Dataplane',
    {
      networking: {
        address: '10.0.0.1',
        inbound: [
          { port: 1, name: 'a' },
          { port: 2, name: 'a' },
        ],
      },
    },
    ['networking.inbound[1].name'],
  ],
  ['Dataplane', { networking: { address: '10.0.0.1', inbound: [{ port: 1, name: '2' }, { port: 2 }] } }, ['networking.inbound[0].name']],
  [
    'Dataplane',
    {
      networking: {
        address: '10.0.0.1',
        inbound: [
          { port: 1, name: '2' },
          { port: 2, name: 'a' },
        ],
      },
    },
    ['networking.inbound[0].name'],
  ],
  [
    'Dataplane',
    {
      networking: {
        address: '10.0.0.1',
        inbound: [
          { port: 1, name: '1' },
          { port: 2, name: '' },
        ],
      },
    },
    [],
  ],
  [
    'Dataplane',
    { networking: { address: '10.0.0.1', inbound: [{ port: 1 }, { port: 1, address: '10.0.0.2' }] } },
    ['networking.inbound[1].port'],
  ],
  [
    'Dataplane',
    { networking: { address: '10.0.0.1', inbound: [{ port: 1 }, { port: 1, address: '10.0.0.2', name: 'a' }] } },
    ['networking.inbound[0].port'],
  ],
  [
    'Dataplane',
    {
      networking: {
        address: '10.0.0.1',
        inbound: [
          { port: 1, name: 'b' },
          { port: 1, address: '10.0.0.2', name: 'a' },
        ],
      },
    },
    [],
  ],
  [
    'Dataplane',
    {
      networking: {
        address: 'a',
        inbound: [
          { port: 1, address: 'fe80::1%eth0' },
          { port: 2, serviceAddress: 'a.example' },
          { port: 3, address: '010.0.0.1' },
        ],
      },
    },
    ['networking.inbound[0].address', 'networking.inbound[1].serviceAddress', 'networking.inbound[2].address'],
  ],
  ['Dataplane', { networking: { address: '::1', inbound: [{ port: 1, name: 'a\ud800' }] } }, ['networking.inbound[0].name']],
  [
    'MeshHTTPRoute',
    { to: [{ targetRef: { kind: 'MeshService', name: 'a' }, rules: [{ matches: [{ path: { type: 'Exact', value: '/\ud800' } }] }] }] },
    ['spec.to[0].rules[0].matches[0].path.value'],
  ],
  ['MeshTimeout', { default: { '\udfff': 1 } }, ['spec.default["\\udfff"]']],
  ['Dataplane', { networking: { address: 'a', gateway: { tags: { a: 'b/c' } } } }, ['networking.gateway.tags.a']],
  ['Dataplane', { networking: { address: 'a' }, name: 'x' }, ['name']],
  ['MeshService', { selector: { dataplaneTags: { app: 'x' } }, ports: [{ port: 80, targetPort: 'http', appProtocol: 'http' }], x: 1 }, []],
  [
    'MeshService',
    { selector: { dataplaneTags: {}, dataplaneRef: {} }, ports: [{ targetPort: [] }] },
    ['spec.selector.dataplaneRef', 'spec.ports[0].port', 'spec.ports[0].targetPort'],
  ],
  ['MeshGateway', { selectors: [{ match: {} }], conf: { listeners: [] }, tags: { a: 'b' } }, []],
  ['MeshGateway', { selectors: {}, conf: [] }, ['selectors', 'conf']],
  ['Zone', { enabled: false, attributes: { 'site:location': 'eu/west' } }, []],
  ['Zone', { enabled: 'no', attributes: { a: 1 }, other: 1 }, ['enabled', 'attributes.a', 'other']],
  ['Mesh', { mtls: { enabledBackend: 'x' } }, []],
  ['MeshIdentity', { any: 1 }, []],
];

test('bodies', () => {
  for (const [type, spec, expected] of TABLE) {
    assert.deepEqual(fields(type, spec).sort(), [...expected].sort(), `${type} ${JSON.stringify(spec)}`);
  }
});

test('what can not be carried is refused before anything looks into it', () => {
  const body = JSON.parse(`{"default": {"__proto__": 1, "deep": ${'['.repeat(5000)}${']'.repeat(5000)}}}`) as JsonObject;
  assert.deepEqual(fields('MeshTrace', body).slice(0, 1), ['spec.default.__proto__']);
  assert.equal(fields('MeshTrace', body).length, 2);
});
