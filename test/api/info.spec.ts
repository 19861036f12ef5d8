import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { KINDS } from '../../src/resource/kinds.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { ask, EAST, newApi, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

describe('what the API says of itself', () => {
  it('is what kumactl wants to hear', async () => {
    const { body } = await ask(newApi(scope, GLOBAL), 'GET', '/');
    const { hostname, ...rest } = body;
    assert.ok(hostname);
    assert.deepEqual(rest, {
      product: 'Kuma',
      version: '2.14.3',
      instanceId: 'instance-1',
      clusterId: 'cluster-1',
      gui: '',
      implementation: { name: 'Meridian', version: '0.1.0' },
    });
  });

  for (const [title, place] of Object.entries({ global: GLOBAL, east: EAST, west: WEST })) {
    it(`lists all kinds at ${title}, and who may write them`, async () => {
      const api = newApi(scope, place);
      const { resources: kumas, ownResources } = (await ask(api, 'GET', '/_resources')).body;
      const names = (kinds: { name: string }[]) => kinds.map(({ name }) => name);
      assert.deepEqual(
        names(ownResources),
        ['AccessPolicy', 'LoadBalancingPolicy', 'PrivilegedAccessPolicy'],
        'kumactl knows none of these',
      );
      const resources = [...kumas, ...ownResources];
      assert.deepEqual(names(resources).sort(), KINDS.map(({ type }) => type).sort());
      const { policies } = (await ask(api, 'GET', '/policies')).body;
      assert.deepEqual(
        policies.map(({ name }: { name: string }) => name),
        KINDS.filter(({ policy }) => policy)
          .map(({ type }) => type)
          .sort(),
      );
      for (const { name, path, readOnly, scope: where } of resources) {
        const url = where === 'Mesh' ? `/meshes/default/${path}/a` : `/${path}/a`;
        assert.equal((await ask(api, 'PUT', url, { type: name, name: 'a' })).status === 405, readOnly, name);
      }
    });
  }

  it('describes the kinds as the real Kuma does', async () => {
    const { resources } = (await ask(newApi(scope, GLOBAL), 'GET', '/_resources')).body;
    const ours = new Map<string, object>(resources.map((resource: { name: string }) => [resource.name, resource]));
    let compared = 0;
    for (const [type, theirs] of Object.entries(kumasKinds())) {
      const kind = ours.get(type);
      if (!kind) continue;
      // Kuma calls kinds writable at global that it then refuses with 405.
      assert.deepEqual({ ...kind, readOnly: theirs.readOnly }, theirs);
      compared++;
    }
    assert.equal(compared, 29);
  });

  it('shows the configuration, and no secret', async () => {
    const { body } = await ask(newApi(scope, EAST), 'GET', '/config');
    assert.deepEqual(body, {
      mode: 'zone',
      environment: 'kubernetes',
      multizone: { zone: { name: 'east' } },
      store: { type: 'sqlite', kubernetes: { systemNamespace: 'kuma-system' } },
      apiServer: { http: { enabled: true, interface: '127.0.0.1', port: 0 } },
    });
    assert.equal((await ask(newApi(scope, GLOBAL), 'GET', '/config')).body.mode, 'global');
  });
});

/** `GET /_resources` of the real kuma-cp 2.14.3. */
function kumasKinds(): Record<string, { readOnly: boolean }> {
  const { resources } = JSON.parse(readFileSync(new URL('../reference/kuma-resources.json', import.meta.url), 'utf8')) as {
    resources: ({ name: string } & { readOnly: boolean })[];
  };
  return Object.fromEntries(resources.map((resource) => [resource.name, resource]));
}
