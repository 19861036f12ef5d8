import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { kindByPath } from '../../src/resource/kinds.ts';
import { GLOBAL, type Place } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, apiOn, ask, newApi, timeout, type AnyJson } from './harness.ts';

/** What the real kumactl asked a real Kuma, and the answer (cut where it was long). */
interface RecordedExchange {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly request?: string | null;
  readonly status: number;
  readonly response: string;
}

const recorded = JSON.parse(readFileSync(new URL('../reference/kumactl-conversations.json', import.meta.url), 'utf8')) as {
  global: RecordedExchange[];
  zone: RecordedExchange[];
};

/** Kuma's universal zone of the recording. */
const ZONE: Place = { zone: 'zone-1', environment: 'universal', systemNamespace: '' };

/** What was there when the recording began, as far as it is asked for. */
const PREPARED = {
  global: [
    timeout('slow'),
    permission('bulk-1'),
    { type: 'Zone', name: 'zone-1', enabled: true },
    { type: 'Zone', name: 'zone-2', enabled: true },
  ],
  zone: [],
};

/** Where Meridian does otherwise by design, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  // A computed label may be left out (docs/design/resources.md#labels).
  'PUT /meshes/default/meshtrafficpermissions/ky 400': 'created, for the origin label need not be said',
};

function permission(name: string) {
  const allow = [{ spiffeID: { type: 'Exact', value: 'spiffe://x/1' } }];
  return {
    type: 'MeshTrafficPermission',
    mesh: 'default',
    name,
    spec: { targetRef: { kind: 'Dataplane' }, rules: [{ default: { allow } }] },
  };
}

for (const side of ['global', 'zone'] as const) {
  describe(`what kumactl asked a ${side}`, () => {
    const scope = new Scope();
    after(() => scope.close());
    let api: TestedApi;

    before(async () => {
      api = newApi(scope, side === 'global' ? GLOBAL : ZONE);
      // The policy of global that the recorded zone had got.
      const fromGlobal = { ...api.plane, place: GLOBAL };
      if (side === 'zone')
        await ask(apiOn(scope, fromGlobal, undefined), 'PUT', '/meshes/default/meshtrafficpermissions/bulk-1', permission('bulk-1'));
      if (PREPARED[side].length > 0) assert.equal((await ask(api, 'POST', '/apply', PREPARED[side])).status, 200);
    });

    const ours = recorded[side].filter(isServed);
    it('is known here', () => assert.ok(ours.length >= (side === 'global' ? 20 : 8), String(ours.length)));

    for (const exchange of ours) {
      const { method, path, request, status, response } = exchange;
      const title = `${method} ${path} ${status}`;
      const otherwise = OTHERWISE[title];
      it(`${title} is answered ${otherwise === undefined ? 'alike' : `otherwise: ${otherwise}`}`, async () => {
        const answer = await ask(api, method, path, request ?? undefined);
        if (otherwise !== undefined) return assert.equal(answer.status, 201);
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        const theirs = parse(response);
        if (theirs === undefined) return;
        // What kind of refusal it is, and what to do, are ours.
        const { code: _, hint: __, ...refusal } = answer.body;
        if (status >= 400) return assert.deepEqual(refusal, theirs);
        assertHas(answer.body, theirs, path);
      });
    }
  });
}

/** Kinds that we have and the endpoints of this API: inspection of proxies and Kuma's old policies are none of them. */
function isServed({ path }: RecordedExchange): boolean {
  if (['/', '/_resources', '/zones/_overview'].includes(path) || path.startsWith('/_kri/')) return true;
  const parts = path.split('/').slice(1);
  const [collection, ...rest] = parts[0] === 'meshes' && parts.length > 2 ? parts.slice(2) : parts;
  return kindByPath(collection ?? '') !== undefined && rest.length <= 1 && !rest.some((part) => part.startsWith('_'));
}

/** undefined for an answer that was cut. */
function parse(text: string): AnyJson {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What differs from store to store: only that it is there, and of its type, is compared. */
const VARIES = [
  'creationTime',
  'modificationTime',
  'clusterId',
  'instanceId',
  'hostname',
  'gui',
  'version',
  'name',
  'total',
  'next',
  'kri',
];

/** Every field of theirs is in ours, in the same place and of the same type; what was written is equal. */
function assertHas(ours: AnyJson, theirs: AnyJson, where: string): void {
  if (Array.isArray(theirs)) {
    assert.ok(Array.isArray(ours), where);
    for (const item of theirs) assertHas(ours.find((one) => one?.name === item?.name) ?? ours[0], item, `${where}[]`);
    return;
  }
  if (typeof theirs !== 'object' || theirs === null) return assert.deepEqual(ours, theirs, where);
  for (const [field, value] of Object.entries(theirs)) {
    // What kind of proxy it is, Kuma says in a label, and Meridian in none.
    if (field === 'kuma.io/proxy-type') continue;
    assert.ok(ours?.[field] !== undefined, `${where}.${field} is missing in ${JSON.stringify(ours)}`);
    if (VARIES.includes(field)) assert.equal(typeof ours[field], typeof value, `${where}.${field}`);
    else assertHas(ours[field], value, `${where}.${field}`);
  }
}
