import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KINDS } from '../../../src/resource/kinds.ts';
import { parseDocuments } from '../../../src/resource/documents/parse-documents.ts';
import { type CannedAnswer, type CtlRequest, lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

function item(name: string, labels: Record<string, string>) {
  return {
    type: 'MeshTimeout',
    mesh: 'default',
    name,
    creationTime: '2020-01-01T00:00:00Z',
    modificationTime: '2020-01-01T00:00:00Z',
    labels: { 'kuma.io/mesh': 'default', ...labels },
    kri: 'kri_mt_default_east_backend-ns_slow_',
    spec: { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, default: { idleTimeout: '1s' } }] },
  };
}

const LABELS = {
  'kuma.io/display-name': 'slow',
  'kuma.io/zone': 'east',
  'k8s.kuma.io/namespace': 'backend-ns',
  'kuma.io/policy-role': 'producer',
};
const OWN = item('slow.backend-ns', LABELS);
const COPY = item('slow-4v4c4xwz6c8wv4cx', LABELS);
const GLOBAL = { ...item('all', { 'kuma.io/display-name': 'all' }), kri: 'kri_mt_default___all_' };

/** Two pages, whose `next` names a host that nobody should go to. */
function paged({ path }: CtlRequest): CannedAnswer {
  const second = path.includes('offset=2');
  const next = second ? null : 'http://elsewhere.invalid:1/meshes/default/meshtimeouts?offset=2&size=2';
  return { body: { total: 3, items: second ? [GLOBAL] : [OWN, COPY], next } };
}

const HINT = 'hint: check the name and the mesh (-m): `meridianctl get KIND` lists what there is\n';

describe('meridianctl get', { concurrency: 2 }, () => {
  it('shows a table of all pages', async (t) => {
    const stub = await startStub(t, paged);
    const { code, out, err } = await meridianctl(['get', 'mt', '--url', `${stub.url}/`]);
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    assert.deepEqual(rows[0], ['MESH', 'NAME', 'NAMESPACE', 'ROLE', 'ORIGIN', 'AGE']);
    assert.deepEqual(
      rows.slice(1).map((row) => row.slice(0, 5)),
      [
        ['default', 'slow.backend-ns', 'backend-ns', 'producer', 'east'],
        ['default', 'slow-4v4c4xwz6c8wv4cx', 'backend-ns', 'producer', 'east'],
        ['default', 'all', '-', '-', 'global'],
      ],
    );
    assert.match(rows[1]?.[5] ?? '', /^\d+d$/);
    assert.deepEqual(lines(stub), ['GET /meshes/default/meshtimeouts?size=500', 'GET /meshes/default/meshtimeouts?size=2&offset=2']);
  });

  it('prints JSON of all pages', async (t) => {
    const stub = await startStub(t, paged);
    const { out } = await meridianctl(['get', 'MeshTimeout', '-o', 'json'], { env: { MERIDIAN_URL: stub.url } });
    assert.deepEqual(JSON.parse(out), { total: 3, items: [OWN, COPY, GLOBAL] });
  });

  it('prints YAML that apply accepts again', async (t) => {
    const stub = await startStub(t, paged);
    const { out } = await meridianctl(['get', 'meshtimeouts', '-o', 'yaml', '--url', stub.url]);
    const parsed = parseDocuments(out);
    assert.deepEqual(
      parsed.map(({ draft, problems }) => [draft?.name, draft?.namespace, draft?.spec, problems]),
      [
        ['slow', 'backend-ns', OWN.spec, []],
        ['slow-4v4c4xwz6c8wv4cx', 'backend-ns', OWN.spec, []],
        ['all', undefined, OWN.spec, []],
      ],
    );
  });

  it('quotes what older parsers of YAML would take for something else', async (t) => {
    const stub = await startStub(t, () => ({ body: { type: 'Mesh', name: 'm', x: ['yes', 'no', '0x1', '0X1', '1_000', 'a: b'] } }));
    const { out } = await meridianctl(['get', 'mesh', 'm', '-o', 'yaml', '--url', stub.url]);
    assert.match(out, /- "yes"\n {2}- "no"\n {2}- "0x1"\n {2}- "0X1"\n {2}- "?1_000"?\n {2}- "a: b"/);
  });

  it('shows the explicit form, as the control plane tells it', async (t) => {
    const explicit = { ...OWN, spec: { targetRef: { kind: 'Mesh' }, ...OWN.spec } };
    const stub = await startStub(t, ({ path }) => ({ body: path.startsWith('/_explicit/') ? explicit : OWN }));
    const { out } = await meridianctl(['get', 'mt', 'slow.backend-ns', '-o', 'explicit', '--url', stub.url]);
    const [document] = parseDocuments(out);
    assert.deepEqual(document?.draft?.spec, explicit.spec);
    assert.deepEqual(lines(stub), ['GET /meshes/default/meshtimeouts/slow.backend-ns', `GET /_explicit/${OWN.kri}`]);
  });

  const addresses: [args: string[], address: string][] = [
    [['get', 'mtp', '-m', ''], '/meshtrafficpermissions?size=500'],
    [['get', 'mtp', '--all-meshes', '-m', 'demo'], '/meshtrafficpermissions?size=500'],
    [['-m', 'demo', 'get', 'MTP'], '/meshes/demo/meshtrafficpermissions?size=500'],
    [['get', 'hg', '-m', 'demo'], '/hostnamegenerators?size=500'],
    [['get', 'meshes', 'demo'], '/meshes/demo'],
    [['get', 'mt', 'a/../b?c', '-m', 'x/y'], '/meshes/x%2Fy/meshtimeouts/a%2F..%2Fb%3Fc'],
  ];
  for (const [args, address] of addresses) {
    it(`asks for ${address}`, async (t) => {
      const stub = await startStub(t, () => ({ body: { total: 0, items: [], next: null } }));
      const { code } = await meridianctl([...args, '--url', stub.url]);
      assert.deepEqual([code, lines(stub)], [0, [`GET ${address}`]]);
    });
  }

  it('shows all that is in a mesh, of every kind', async (t) => {
    const dataplane = { ...item('web', { 'kuma.io/display-name': 'web' }), type: 'Dataplane' };
    const of = (path: string) => (path.includes('/meshtimeouts') ? [GLOBAL] : path.includes('/dataplanes') ? [dataplane] : []);
    const stub = await startStub(t, ({ path }) => ({ body: { total: 0, items: of(path), next: null } }));
    const { out } = await meridianctl(['get', 'all', '-m', 'demo', '--url', stub.url]);
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    assert.deepEqual(
      rows.map(([type, , name]) => [type, name]),
      [
        ['TYPE', 'NAME'],
        ['Dataplane', 'web'],
        ['MeshTimeout', 'all'],
        ['', undefined],
      ],
    );
    const asked = lines(stub).map((line) => line.replace(/^GET \/meshes\/demo\/(\w+)\?size=500$/, '$1'));
    assert.deepEqual(
      asked,
      KINDS.filter(({ scope, short }) => scope === 'Mesh' && short !== '').map(({ path }) => path),
    );
    assert.equal((await meridianctl(['get', 'all', 'web', '--url', stub.url])).code, 2);
  });

  it('says that there are none, and leaves standard output to scripts', async (t) => {
    const stub = await startStub(t, () => ({ body: { total: 0, items: [], next: null } }));
    const done = await meridianctl(['get', 'mt', '--url', stub.url]);
    assert.deepEqual(done, {
      code: 0,
      out: '',
      err: 'no Mesh Timeouts in mesh default; -A looks in all meshes, `meridianctl apply -f FILE` makes some\n',
    });
  });

  it('fails for what is not there', async (t) => {
    const stub = await startStub(t, () => ({
      status: 404,
      body: { type: '/std-errors', status: 404, title: 'Could not retrieve a resource', detail: 'Not found' },
    }));
    const done = await meridianctl(['get', 'mt', 'nope', '--url', stub.url]);
    assert.deepEqual(done, { code: 1, out: '', err: `error: MeshTimeout default/nope does not exist at ${stub.url}\n${HINT}` });
  });

  it('says which name is near', async (t) => {
    const stub = await startStub(t, ({ path }) =>
      path.includes('?') ? { body: { total: 1, items: [GLOBAL], next: null } } : { status: 404, body: { title: 'x', detail: 'Not found' } },
    );
    const { err } = await meridianctl(['get', 'mt/al', '--url', stub.url]);
    assert.match(err, /\nhint: did you mean MeshTimeout default\/all\?\n$/);
  });

  it('shows several names, as KIND/NAME too, and prints such', async (t) => {
    const stub = await startStub(t, ({ path }) => ({ body: path.endsWith('/all') ? GLOBAL : OWN }));
    const { out } = await meridianctl(['get', 'mt', 'all', 'slow.backend-ns', '-o', 'name', '--url', stub.url]);
    assert.equal(out, 'MeshTimeout/all\nMeshTimeout/slow.backend-ns\n');
    await meridianctl(['get', ...out.trim().split('\n'), '--url', stub.url]);
    const asked = lines(stub);
    assert.deepEqual(asked.slice(0, 2), asked.slice(2));
    assert.equal((await meridianctl(['get', 'nonsense/x'])).code, 2);
  });

  it('narrows and sorts a list', async (t) => {
    const stub = await startStub(t, paged);
    const { out } = await meridianctl([
      'get',
      'mt',
      '-n',
      'backend-ns',
      '-l',
      'kuma.io/zone=east',
      '--sort-by',
      'name',
      '-o',
      'name',
      '--url',
      stub.url,
    ]);
    assert.equal(out, 'MeshTimeout/slow-4v4c4xwz6c8wv4cx\nMeshTimeout/slow.backend-ns\n');
    const none = await meridianctl(['get', 'mt', '-l', 'team=x', '--url', stub.url]);
    assert.equal(none.err, 'no Mesh Timeouts in mesh default is selected, of 3\n');
  });

  it('wants one mesh for a name', async () => {
    assert.equal((await meridianctl(['get', 'mt', 'slow', '-m', ''])).code, 2);
  });
});
