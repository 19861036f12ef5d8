import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { type AnyJson, ask, newApi, type TestedApi, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const allow = (name: string) => ({
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name,
  spec: { default: { allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td' } }] } },
});
const PROXY = {
  type: 'Dataplane',
  mesh: 'default',
  name: 'web',
  networking: { address: '127.0.0.1', inbound: [{ port: 80, tags: { 'kuma.io/service': 'web' } }] },
};

async function world(): Promise<TestedApi> {
  const api = newApi(scope, WEST);
  const { status, body } = await ask(api, 'POST', '/apply', [PROXY, allow('first'), allow('second')]);
  assert.equal(status, 200, JSON.stringify(body));
  return api;
}

const permission = (name: string) => ({ type: 'MeshTrafficPermission', mesh: 'default', name });
const without = (api: TestedApi, ...resources: object[]) => ask(api, 'POST', '/_without', { resources });
const verdicts = ({ changes }: AnyJson) =>
  changes.flatMap(({ callers }: AnyJson) =>
    callers.flatMap((caller: AnyJson) => caller.verdicts.map(({ before, after: then }: AnyJson) => [before.decision, then.decision])),
  );

describe('POST /_without', () => {
  it('says whose verdicts change without all of them at once, and changes nothing', async () => {
    const api = await world();
    const before = await ask(api, 'GET', '/meshtrafficpermissions');
    for (const name of ['first', 'second']) assert.deepEqual(verdicts((await without(api, permission(name))).body), [], name);
    const both = await without(api, permission('first'), permission('second'), permission('first'));
    assert.deepEqual(verdicts(both.body), [['Allow', 'Deny']]);
    assert.deepEqual((await ask(api, 'GET', '/meshtrafficpermissions')).body, before.body);
    for (const name of ['first', 'second']) await ask(api, 'DELETE', `/meshes/default/meshtrafficpermissions/${name}`);
    assert.equal((await ask(api, 'GET', '/meshtrafficpermissions')).body.total, 0, 'it is deleted as it was tried');
  });

  it('refuses what a delete would, and what it does not try', async () => {
    const api = await world();
    const refused: readonly (readonly [resource: object, status: number, reason: RegExp])[] = [
      [permission('third'), 404, /MeshTrafficPermission default\/third does not exist/],
      [{ type: 'Mesh', name: 'default' }, 400, /belongs to global/],
      [{ type: 'MeshTrafic', mesh: 'default', name: 'first' }, 400, /resources\[0\]\.type/],
      [{ type: 'Zone', name: 'west' }, 400, /not tried out/],
      [{ type: 'Mesh' }, 400, /resources\[0\]\.name/],
    ];
    for (const [resource, expected, reason] of refused) {
      const { status, body } = await without(api, resource);
      assert.equal(status, expected, JSON.stringify([resource, body]));
      assert.match(JSON.stringify(body), reason);
    }
    assert.equal((await without(api)).status, 400);
  });
});
