import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { describedOf } from '../../src/api/openapi/openapi-routes.ts';
import type { OperationExample } from '../../src/api/openapi/examples.ts';
import { kindOf } from '../../src/resource/kinds.ts';
import { GLOBAL, type JsonObject } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { newAjv } from './contract.ts';
import { ask, type TestedApi, WEST } from './harness.ts';
import { SAMPLES } from './samples.ts';
import { shippedText, wholeApi } from './shipped.ts';

/**
 * The examples of the OpenAPI document are requests that are made here, in this order, and what was answered. After a
 * change that is meant:
 *
 *   EXAMPLES=write node --test test/api/examples.spec.ts, and read the difference; then node scripts/openapi.ts
 */
const WRITE = process.env.EXAMPLES === 'write';
const FILE = new URL('../../src/api/openapi/examples.json', import.meta.url);

const scope = new Scope();
after(() => scope.close());

const MTP = '/meshes/default/meshtrafficpermissions';
const WEB = '/meshes/default/dataplanes/web';
const LET_IN = {
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name: 'let-the-shop-in',
  spec: {
    targetRef: { kind: 'Dataplane', labels: { app: 'web' } },
    default: { allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://default/ns/shop' } }] },
  },
};
const PROXY = {
  type: 'Dataplane',
  mesh: 'default',
  name: 'web',
  labels: { app: 'web' },
  networking: { address: '127.0.0.1', inbound: [{ port: 8080, tags: { 'kuma.io/service': 'web', 'kuma.io/protocol': 'http' } }] },
};
const from = { spiffeId: 'spiffe://default/ns/shop/sa/cart' };
const to = { dataplane: 'web', port: 8080 };

type ExchangeTried = readonly [operation: string, method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown];

const AT_ZONE: readonly ExchangeTried[] = [
  ['putDataplane', 'PUT', WEB, PROXY],
  ['apply', 'POST', '/apply', [LET_IN]],
  ['getDataplane', 'GET', WEB],
  ['getMeshTrafficPermission', 'GET', `${MTP}/let-the-shop-in`],
  ['listMeshTrafficPermissions', 'GET', MTP],
  ['patchMeshTrafficPermission', 'PATCH', `${MTP}/let-the-shop-in`, { labels: { team: 'shop' } }],
  ['can', 'POST', '/can', { from, to, method: 'GET', path: '/orders' }],
  [
    'canMany',
    'POST',
    '/can/many',
    {
      questions: [
        { from, to },
        { from: { spiffeIds: [] }, to },
        { from, to: { dataplane: 'nobody' } },
      ],
    },
  ],
  ['canByRequest', 'POST', '/can/requests', { from, to }],
  ['getVerdictMatrix', 'GET', '/meshes/default/_matrix'],
  ['without', 'POST', '/_without', { resources: [{ type: 'MeshTrafficPermission', mesh: 'default', name: 'let-the-shop-in' }] }],
  ['access', 'POST', '/access', { from: { dataplane: 'web' }, to: { service: 'ledger', namespace: '' } }],
  ['connect', 'POST', '/access/connect', { from: { dataplane: 'web' }, to: { service: 'ledger', namespace: '' } }],
  ['consumeAccessToken', 'POST', '/access/consume', { token: 'a'.repeat(43), caller: 'spiffe://default/web', to: { service: 'web' } }],
  ['issueProxyToken', 'POST', '/_proxy-tokens', { mesh: 'default', dataplane: 'web' }],
  ['getLedger', 'GET', '/_ledger'],
  ['getSync', 'GET', '/_sync'],
  ['getConfig', 'GET', '/config'],
  ['whoAmI', 'GET', '/who-am-i'],
  ['issueToken', 'POST', '/tokens', { name: 'ci', role: 'read-only', validFor: '24h' }],
  ['listTokens', 'GET', '/tokens'],
  ['rotateTokenKey', 'POST', '/tokens/keys', { revoke: false }],
  ['deleteMeshTrafficPermission', 'DELETE', `${MTP}/let-the-shop-in`],
];

/** Each kind that users write, where they write it. */
function putsOf(api: TestedApi): ExchangeTried[] {
  const { zone } = api.plane.place;
  return Object.entries(SAMPLES).flatMap(([type, sample]): ExchangeTried[] => {
    const kind = kindOf(type);
    if (type === 'Dataplane' || (zone === '') !== kind.writtenBy.global) return [];
    const mesh = kind.scope === 'Mesh' ? { mesh: 'default' } : {};
    const path = kind.scope === 'Mesh' ? `/meshes/default/${kind.path}/example` : `/${kind.path}/example`;
    return [[`put${type}`, 'PUT', path, { type, ...mesh, name: 'example', ...sample }]];
  });
}

/** What is another one each time. */
const STEADY: Readonly<Record<string, string>> = {
  id: '3b30c0b6096472dcf47f0cff',
  kid: '5d41c0b6096472dcf47f0cff',
  token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmVk',
  issued: '2026-01-02T03:04:05.678Z',
  expires: '2026-01-03T03:04:05.678Z',
};

function steady(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (field, one: unknown) => (typeof one === 'string' ? (STEADY[field] ?? one) : one))) as unknown;
}

async function play(api: TestedApi, tried: readonly ExchangeTried[]): Promise<[string, OperationExample][]> {
  const made: [string, OperationExample][] = [];
  for (const [operation, method, url, body] of tried) {
    const { status, body: answer } = await ask(api, method, url, body);
    assert.ok(status < 300, `${operation}: ${status} ${JSON.stringify(answer)}`);
    made.push([operation, { ...(body === undefined ? {} : { body }), status, answer: steady(answer) }]);
  }
  return made;
}

describe('the examples of the OpenAPI document', () => {
  let made: Readonly<Record<string, OperationExample>> = {};
  before(async () => {
    const [zone, global] = [wholeApi(scope, WEST), wholeApi(scope, GLOBAL)];
    const all = [...(await play(zone, AT_ZONE)), ...(await play(zone, putsOf(zone))), ...(await play(global, putsOf(global)))];
    made = Object.fromEntries(all);
    if (WRITE) writeFileSync(FILE, `${JSON.stringify(made, undefined, 1)}\n`);
  });

  it('are what was asked and answered', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(made)), JSON.parse(readFileSync(FILE, 'utf8')), 'see the head of this file');
  });

  it('are there for every operation with a body, but for what follows none alone', () => {
    const api = wholeApi(scope, WEST);
    const others = describedOf(api.app.served).filter(({ operation: { id, body } }) => body !== undefined && !Object.hasOwn(made, id));
    // A patch is of a kind as it is there; insights are nobody's to write; nothing is to be recovered here; kumactl's
    // answer is no JSON.
    assert.deepEqual(
      others.map(({ operation: { id } }) => id).filter((id) => !/^patch|^put\w+Insight$|^recover$|^issueUserToken$/.test(id)),
      [],
    );
  });

  it('are as their schemas say', async () => {
    const document = JSON.parse(await shippedText()) as JsonObject;
    const ajv = newAjv();
    ajv.addSchema({ ...document, $id: 'api' }, 'api', false, false);
    let checked = 0;
    const walk = (value: unknown, pointer: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('example' in value && 'schema' in value) {
        const validate = ajv.compile({ $ref: `api#${encodeURI(pointer)}/schema` });
        assert.ok(validate(value.example), `${pointer}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
        checked += 1;
        return;
      }
      for (const [field, inner] of Object.entries(value)) walk(inner, `${pointer}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    };
    walk(document.paths, '/paths');
    assert.ok(checked >= 2 * Object.keys(made).length - 15, `${checked} examples`);
  });
});
