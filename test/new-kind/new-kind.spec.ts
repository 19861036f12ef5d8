import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import './extra-kind.ts';
import { Scope } from '../harness/scope.ts';
import type { World } from '../simulator/world.ts';
import type { ApiAnswer, AnyJson } from '../api/harness.ts';

// From here on the registry has one more entry. The bundle of the programs has not: they run from their sources.
delete process.env.MERIDIAN_BUILT;
const { findKind } = await import('../../src/resource/kinds.ts');
const { apiOf, ask, newWorld, toService } = await import('../api/harness.ts');
const { serve } = await import('../harness/live-meridianctl.ts');

const scope = new Scope();
after(() => scope.close());

const COLOURS = '/meshes/default/meshcolours';
const labels = { 'k8s.kuma.io/namespace': 'ns' };
const inMesh = <Body extends object>(type: string, name: string, body: Body) => ({ type, mesh: 'default', name, labels, ...body });
const tags = { 'kuma.io/service': 'backend', 'kuma.io/protocol': 'http' };
const BACKEND = inMesh('MeshService', 'backend', {
  spec: { selector: { dataplaneTags: { 'kuma.io/service': 'backend' } }, ports: [{ port: 80, targetPort: 8080, appProtocol: 'http' }] },
});
const PROXY = inMesh('Dataplane', 'backend-1', { networking: { address: '127.0.0.1', inbound: [{ port: 8080, tags }] } });
const RED = inMesh('MeshColour', 'red', { spec: toService('backend') });

describe('a kind that is one entry more in the registry', () => {
  let world: World;

  before(async () => {
    assert.equal(findKind('MeshColour')?.path, 'meshcolours');
    world = newWorld();
    for (const document of [BACKEND, PROXY]) assert.equal((await at('east', 'POST', '/apply', document)).status, 200);
    const applied = await at('east', 'POST', '/apply', RED);
    assert.deepEqual([applied.status, applied.body.results?.[0]?.outcome], [200, 'created'], JSON.stringify(applied.body));
    world.run(5_000);
  });

  function at(zone: string, method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, body?: object): Promise<ApiAnswer> {
    return ask(apiOf(scope, world.node(zone)), method, url, body);
  }

  it('is listed, read and written where it was applied', async () => {
    const [red] = (await at('east', 'GET', COLOURS)).body.items;
    assert.deepEqual([red.name, red.kri], ['red.ns', 'kri_mcol_default_east_ns_red_']);
    assert.deepEqual((await at('east', 'GET', `${COLOURS}/red.ns`)).body.spec, RED.spec);
    const put = await at('east', 'PUT', `${COLOURS}/blue`, { ...RED, name: 'blue' });
    assert.deepEqual([put.status, (await at('east', 'DELETE', `${COLOURS}/blue.ns`)).status], [201, 200]);
    const wrong = await at('east', 'PUT', `${COLOURS}/green`, { ...RED, name: 'green', spec: { default: {} } });
    assert.deepEqual([wrong.status, wrong.body.invalid_parameters[0].reason], [400, 'a MeshColour has no `default` here']);
  });

  it('says that it is not enforced, for no line says otherwise', async () => {
    const { body } = await at('east', 'PUT', `${COLOURS}/red.ns`, RED);
    assert.match(JSON.stringify(body.warnings), /a MeshColour is matched, merged and shown, and not enforced/);
  });

  it('goes to global, and on to the other zone, under the name that global gave', async () => {
    const [there] = (await at('', 'GET', COLOURS)).body.items;
    const [across] = (await at('west', 'GET', COLOURS)).body.items;
    assert.match(there.name, /^red-[0-9a-z]{16}$/);
    assert.deepEqual([across.name, across.kri], [there.name, 'kri_mcol_default_east_ns_red_']);
    assert.equal(across.labels['kuma.io/policy-role'], 'producer');
    assert.match(across.spec.to[0].targetRef.name, /^backend-[0-9a-z]{16}$/);
  });

  it('is shown at the proxies that it selects', async () => {
    const { body } = await at('east', 'GET', '/meshes/default/dataplanes/backend-1.ns/_rules');
    const { toResourceRules } = body.rules.find(({ type }: AnyJson) => type === 'MeshColour');
    assert.deepEqual(toResourceRules[0].conf, [{ idleTimeout: '1s' }]);
    assert.equal(toResourceRules[0].origin[0].resourceMeta.name, 'red.ns');
  });

  it('is in the OpenAPI document', async () => {
    const { paths, components } = (await at('', 'GET', '/openapi.json')).body;
    assert.ok(paths['/meshes/{mesh}/meshcolours/{name}'].put);
    assert.ok(JSON.stringify(components.schemas).includes('"MeshColour"'));
  });

  it('is known to meridianctl', async () => {
    const options = process.env.NODE_OPTIONS;
    process.env.NODE_OPTIONS = `--import=${new URL('extra-kind.ts', import.meta.url).href}`;
    scope.add(() => void (process.env.NODE_OPTIONS = options ?? ''));
    const live = await serve(scope, apiOf(scope, world.node('east')));
    const got = await live.run('get meshcolours');
    assert.deepEqual([got.code, got.err], [0, '']);
    assert.match(got.out, /red\.ns/);
  });
});
