import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { KINDS } from '../../src/resource/kinds.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { ask, EAST, newApi, timeout, toMesh, toService, WEST } from './harness.ts';
import { SAMPLES } from './samples.ts';

const scope = new Scope();
after(() => scope.close());

const TIMEOUTS = '/meshes/default/meshtimeouts';
const NAMESPACE = 'k8s.kuma.io/namespace';

describe('a resource', () => {
  const places = { global: GLOBAL, east: EAST, west: WEST };
  for (const [title, place] of Object.entries(places)) {
    for (const kind of KINDS) {
      const writable = place.zone === '' ? kind.writtenBy.global : kind.writtenBy.zone;
      const base = kind.scope === 'Mesh' ? `/meshes/default/${kind.path}` : `/${kind.path}`;
      const name = kind.type === 'Mesh' ? 'second' : 'a';
      const body = { type: kind.type, ...(kind.scope === 'Mesh' ? { mesh: 'default' } : {}), name, ...SAMPLES[kind.type] };

      it(`of kind ${kind.type} is ${writable && kind.short ? 'written, shown and deleted' : 'read-only'} at ${title}`, async () => {
        const api = newApi(scope, place);
        const put = await ask(api, 'PUT', `${base}/${name}`, body);
        if (!writable || kind.short === '') {
          assert.deepEqual([put.status, put.body.title], [405, 'Method not allowed']);
          assert.equal((await ask(api, 'DELETE', `${base}/${name}`)).status, 405);
          assert.equal(api.commits(), 0);
          return assert.equal((await ask(api, 'GET', base)).status, 200);
        }
        assert.equal(put.status, 201, JSON.stringify(put.body));
        const shown = await ask(api, 'GET', `${base}/${name}`);
        assert.equal(shown.status, 200);
        assert.deepEqual({ ...shown.body, ...body, name: shown.body.name }, shown.body);
        assert.ok((await ask(api, 'GET', base)).body.items.some((item: { kri: string }) => item.kri === shown.body.kri));
        assert.deepEqual((await ask(api, 'GET', `/_kri/${shown.body.kri}`)).body, shown.body);
        // What was shown can be sent back as it is.
        assert.equal((await ask(api, 'PUT', `${base}/${shown.body.name}`, shown.body)).status, 200);
        assert.deepEqual((await ask(api, 'GET', `${base}/${name}`)).body, shown.body);
        const deleted = await ask(api, 'DELETE', `${base}/${shown.body.name}`);
        assert.deepEqual([deleted.status, deleted.body], [200, {}]);
        assert.equal((await ask(api, 'GET', `${base}/${name}`)).status, 404);
        assert.equal(api.commits(), 2, 'one that changes nothing makes no revision');
      });
    }
  }

  it('changes, and tells so only when it was created', async () => {
    const api = newApi(scope, GLOBAL);
    const statuses = [];
    for (const idle of ['1s', '2s', '2s']) {
      statuses.push((await ask(api, 'PUT', `${TIMEOUTS}/a`, timeout('a', {}, toMesh(idle)))).status);
    }
    assert.deepEqual(statuses, [201, 200, 200]);
    assert.equal((await ask(api, 'GET', `${TIMEOUTS}/a`)).body.spec.to[0].default.idleTimeout, '2s');
  });

  it('is read in either format, and shown in either', async () => {
    const api = newApi(scope, EAST);
    const metadata = { name: 'a', namespace: 'ns', labels: { 'kuma.io/mesh': 'default', team: 'x' } };
    const object = { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTimeout', metadata, spec: toService('backend') };
    assert.equal((await ask(api, 'PUT', `${TIMEOUTS}/a.ns`, object)).status, 201);
    const yaml = 'type: MeshTimeout\nmesh: default\nname: b\nspec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}\n';
    assert.equal((await ask(api, 'PUT', `${TIMEOUTS}/b`, yaml, { 'content-type': 'application/yaml; charset=utf-8' })).status, 201);
    for (const format of ['kubernetes', 'k8s']) {
      const { body } = await ask(api, 'GET', `${TIMEOUTS}/a.ns?format=${format}`);
      assert.deepEqual([body.kind, body.metadata.name, body.metadata.namespace, body.spec], ['MeshTimeout', 'a', 'ns', object.spec]);
    }
    assert.equal((await ask(api, 'GET', `${TIMEOUTS}?format=kubernetes`)).body.items[0].kind, 'MeshTimeout');
    assert.equal((await ask(api, 'GET', `${TIMEOUTS}/a.ns?format=universal`)).body.type, 'MeshTimeout');
  });

  it('says which of its references point to nothing, and warns of it', async () => {
    const api = newApi(scope, EAST);
    const put = await ask(api, 'PUT', `${TIMEOUTS}/a`, timeout('a', { [NAMESPACE]: 'ns' }, toService('backend')));
    assert.equal(put.status, 201);
    assert.match(put.body.warnings[0], /a\.ns: spec\.to\[0\]\.targetRef: MeshService backend in namespace ns does not exist/);
    const { status } = (await ask(api, 'GET', `${TIMEOUTS}/a.ns`)).body;
    assert.deepEqual(
      status.references.map(({ path }: { path: string }) => path),
      ['to[0].targetRef'],
    );
    const service = { type: 'MeshService', mesh: 'default', name: 'backend', labels: { [NAMESPACE]: 'ns' }, ...SAMPLES.MeshService };
    assert.equal((await ask(api, 'PUT', '/meshes/default/meshservices/backend.ns', service)).status, 201);
    assert.equal((await ask(api, 'GET', `${TIMEOUTS}/a.ns`)).body.status, undefined);
  });
});

describe('a REST name on a kubernetes zone', () => {
  it('may hold dots and a namespace', async () => {
    const api = newApi(scope, EAST);
    const all: [url: string, name: string, namespace: string | undefined][] = [
      ['slow', 'slow', undefined],
      ['slow.v2', 'slow.v2', undefined],
      ['slow.ns', 'slow', 'ns'],
      ['slow.v2.ns', 'slow.v2', 'ns'],
      ['other', 'other', 'ns'],
    ];
    for (const [url, name, namespace] of all) {
      const labels = namespace === undefined ? undefined : { [NAMESPACE]: namespace };
      const { status, body } = await ask(api, 'PUT', `${TIMEOUTS}/${url}`, timeout(name, labels, toMesh('1s')));
      assert.equal(status, 201, JSON.stringify(body));
    }
    const shown: [url: string, found: string | undefined][] = [
      ['slow', 'slow.kuma-system'],
      ['slow.kuma-system', 'slow.kuma-system'],
      ['slow.v2', 'slow.v2.kuma-system'],
      ['slow.ns', 'slow.ns'],
      ['slow.v2.ns', 'slow.v2.ns'],
      ['other', undefined],
      ['other.ns', 'other.ns'],
      ['other.kuma-system', undefined],
      ['slow.elsewhere', undefined],
    ];
    for (const [url, found] of shown) assert.equal((await ask(api, 'GET', `${TIMEOUTS}/${url}`)).body.name, found, url);
    assert.equal((await ask(api, 'DELETE', `${TIMEOUTS}/slow`)).status, 200);
    assert.deepEqual(
      (await ask(api, 'GET', TIMEOUTS)).body.items.map(({ name }: { name: string }) => name),
      ['other.ns', 'slow.ns', 'slow.v2.kuma-system', 'slow.v2.ns'],
    );
  });

  it('must agree with the label, and is not taken for another resource', async () => {
    const api = newApi(scope, EAST);
    await ask(api, 'PUT', `${TIMEOUTS}/slow`, timeout('slow', { [NAMESPACE]: 'ns' }));
    const cases: [url: string, body: object, status: number, field: string | undefined][] = [
      ['slow.ns', timeout('slow', { [NAMESPACE]: 'ns' }), 200, undefined],
      ['slow.ns', timeout('slow.ns', { [NAMESPACE]: 'ns' }), 200, undefined],
      ['slow.other', timeout('slow', { [NAMESPACE]: 'ns' }), 400, 'name'],
      ['slow.ns', timeout('slow'), 400, 'name'],
      ['slow.ns', timeout('slow.ns'), 400, `labels["${NAMESPACE}"]`],
      ['slow.v2', timeout('slow.v2'), 201, undefined],
    ];
    for (const [url, body, status, field] of cases) {
      const answer = await ask(api, 'PUT', `${TIMEOUTS}/${url}`, body);
      assert.deepEqual([answer.status, answer.body.invalid_parameters?.[0].field], [status, field], `${url} ${JSON.stringify(body)}`);
    }
  });

  it('that kumactl sends back is that of the document', async () => {
    const api = newApi(scope, EAST);
    await ask(api, 'PUT', `${TIMEOUTS}/slow`, timeout('slow', undefined, toMesh('1s')));
    // kumactl asked for `slow`, was answered `slow.kuma-system`, and sends what the user wrote for `ns` under that
    // name.
    const echo = timeout('slow.kuma-system', { [NAMESPACE]: 'ns' }, toMesh('2s'));
    assert.equal((await ask(api, 'PUT', `${TIMEOUTS}/slow.kuma-system`, echo)).status, 201);
    assert.equal((await ask(api, 'GET', `${TIMEOUTS}/slow.ns`)).body.spec.to[0].default.idleTimeout, '2s');
    assert.equal((await ask(api, 'GET', `${TIMEOUTS}/slow`)).body.spec.to[0].default.idleTimeout, '1s');
  });

  it('may be as long as a name and a namespace can be', async () => {
    const api = newApi(scope, EAST);
    const [name, namespace] = ['n'.repeat(253), 'm'.repeat(63)];
    const put = await ask(api, 'PUT', `${TIMEOUTS}/${name}.${namespace}`, timeout(name, { [NAMESPACE]: namespace }));
    assert.equal(put.status, 201, JSON.stringify(put.body));
    const shown = await ask(api, 'GET', `${TIMEOUTS}/${name}.${namespace}`);
    assert.equal((await ask(api, 'PUT', `${TIMEOUTS}/${shown.body.name}`, shown.body)).status, 200);
  });
});
