import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startApi } from '../src/api/server.ts';
import { isReadOnly } from '../src/api/resources/read-only-kinds.ts';
import { KINDS } from '../src/resource/kinds.ts';
import { GLOBAL, type JsonObject, type Place } from '../src/resource/resource.ts';
import { EAST, newApi, WEST } from './api/harness.ts';
import { SAMPLES } from './api/samples.ts';
import { NO_KUMACTL, type Ran, runKumactl } from './harness/kumactl.ts';
import { Scope } from './harness/scope.ts';

describe('the real kumactl', { skip: NO_KUMACTL }, () => {
  const scope = new Scope();
  const folder = scope.folder();
  after(() => scope.close());

  const kumactl = (args: readonly string[], config: string): Promise<Ran> => runKumactl(folder, config, args);

  for (const [title, place] of [
    ['global', GLOBAL],
    ['east', EAST],
    ['west', WEST],
  ] as const) {
    describe(`against ${title}`, () => {
      const run = (...args: string[]) => kumactl(args, title);
      let file = 0;

      /** Applies documents, JSON being YAML. */
      function apply(...documents: object[]): Promise<Ran> {
        const path = join(folder, `${title}-${++file}.yaml`);
        writeFileSync(path, documents.map((document) => JSON.stringify(document)).join('\n---\n'));
        return run('apply', '-f', path);
      }

      before(async () => {
        const { port, close } = await startApi(newApi(scope, place).options);
        scope.add(close);
        const added = await run('config', 'control-planes', 'add', '--name', title, '--address', `http://127.0.0.1:${port}`);
        assert.deepEqual([added.code, added.err], [0, '']);
      });

      const kinds = kindsAt(place);

      it('applies every kind that users write here', async () => {
        const documents = kinds.map(({ type, body }) => documentOf(type, body));
        const [first, second] = [await apply(...documents), await apply(...documents)];
        assert.deepEqual([first.err, second.err].map(withoutWarnings), ['', '']);
        for (const { name } of documents) {
          assert.match(first.out, new RegExp(`name="${name}" Created`));
          assert.match(second.out, new RegExp(`name="${name}(.kuma-system)?" Updated`));
        }
      });

      for (const { type, body } of tried(kinds, place)) {
        it(`gets and deletes a ${type}`, async () => {
          const { name } = documentOf(type, body);
          const one = type.toLowerCase();
          const shown = await run('get', one, name, '-o', 'json');
          assert.deepEqual(specOf(JSON.parse(shown.out) as JsonObject), body.spec ?? body, shown.err);
          const deleted = await run('delete', one, name);
          assert.deepEqual([deleted.code, deleted.err], [0, '']);
        });
      }

      it('gets lists and single resources in every form', async () => {
        for (const format of ['table', 'yaml', 'json']) {
          const list = await run('get', 'meshmetrics', '-o', format);
          assert.ok(list.out.includes('sample-meshmetric'), list.err);
          const one = await run('get', 'meshmetric', 'sample-meshmetric', '-o', format);
          assert.ok(one.out.includes('sample-meshmetric'), one.err);
        }
      });

      it('is told that there is no such resource', async () => {
        const got = await run('get', 'meshtimeout', 'nope');
        assert.deepEqual([got.code, got.err.trim()], [1, 'Error: No resources found in default mesh']);
        const gone = await run('delete', 'meshtimeout', 'nope');
        assert.deepEqual([gone.code, gone.err.trim()], [1, 'Error: there is no MeshTimeout with name "nope"']);
      });

      it('is told where a kind is written that is not written here', async () => {
        const type = place.zone === '' ? 'MeshService' : 'Mesh';
        const { code, err } = await apply(documentOf(type, SAMPLES[type] ?? {}));
        assert.equal(code, 1);
        assert.match(err, new RegExp(`Method not allowed.*${place.zone === '' ? 'zone' : 'global'} control plane`));
      });

      it('is told everything that is wrong with a document', async () => {
        const labels = { 'kuma.io/zone': 'mars', 'kuma.io/effect': 'loud' };
        const { code, err } = await apply({ ...documentOf('MeshTimeout', SAMPLES.MeshTimeout ?? {}), labels });
        assert.equal(code, 1);
        assert.match(err, /Could not process a resource \(Resource is not valid\)/);
        for (const label of Object.keys(labels)) assert.ok(err.includes(label), err);
      });

      it('is told that a mesh is missing', async () => {
        const document = { ...documentOf('MeshTimeout', SAMPLES.MeshTimeout ?? {}), mesh: 'nowhere' };
        assert.match((await apply(document)).err, /Failed to retrieve Mesh \(Not found\)/);
        assert.match((await run('get', 'meshtimeouts', '-m', 'nowhere')).err, /Failed to retrieve Mesh/);
      });

      it('pages through a list', async () => {
        const names = ['page-1', 'page-2', 'page-3'].map((name) => ({ name, shown: restNameOf(name, place) }));
        await apply(...names.map(({ name }) => ({ ...documentOf('MeshMetric', SAMPLES.MeshMetric ?? {}), name })));
        const first = await run('get', 'meshmetrics', '--size', '2');
        assert.match(first.out, /--offset=2/);
        const rest = await run('get', 'meshmetrics', '--size', '2', '--offset', '2', '-o', 'json');
        assert.deepEqual(namesOf(rest.out), [...names.slice(2).map(({ shown }) => shown), restNameOf('sample-meshmetric', place)]);
      });

      it('exports what it knows', async () => {
        const { code, out } = await run('export');
        assert.equal(code, 0);
        assert.match(out, /type: Mesh\n/);
      });

      it('exports policies in a form that it applies again', async () => {
        const { code, out, err } = await run('export', '--profile', 'federation-with-policies');
        assert.deepEqual([code, err], [0, '']);
        assert.match(out, /name: sample-meshmetric/);
        // What a zone exports is for another zone of its name: a mesh is global's.
        if (place.zone !== '') return;
        writeFileSync(join(folder, 'exported.yaml'), out);
        const again = await run('apply', '-f', join(folder, 'exported.yaml'));
        assert.deepEqual([again.code, withoutWarnings(again.err)], [0, '']);
      });

      it('gets and inspects what it knows beside, and finds nothing', async () => {
        for (const list of ['circuit-breakers', 'secrets']) {
          const { code, out, err } = await run('get', list, '-o', 'json');
          assert.deepEqual([code, err, (JSON.parse(out) as { total: number }).total], [0, '', 0], list);
        }
        for (const what of ['meshes', 'services', 'dataplanes']) {
          const { code, err } = await run('inspect', what);
          assert.deepEqual([code, err], [0, ''], what);
        }
        const { code, err } = await apply({ type: 'Secret', mesh: 'default', name: 'mine', data: 'dGVzdA==' });
        assert.equal(code, 1);
        assert.match(err, /no secrets are kept here/);
        assert.doesNotMatch(err, /dGVzdA/);
      });

      it('refuses a SPIFFE prefix that ends in a slash before it asks', async () => {
        const rules = [{ default: { allow: [{ spiffeID: { type: 'Prefix', value: 'spiffe://default/ns/' } }] } }];
        const { code, err } = await apply({ type: 'MeshTrafficPermission', mesh: 'default', name: 'slash', spec: { rules } });
        assert.deepEqual([code, /failed server side/.test(err)], [1, false], err);
      });

      it('applies nothing in a dry run', async () => {
        const document = { ...documentOf('MeshTimeout', SAMPLES.MeshTimeout ?? {}), name: 'dry' };
        const path = join(folder, `${title}-dry.yaml`);
        writeFileSync(path, JSON.stringify(document));
        const { code, out } = await run('apply', '-f', path, '--dry-run');
        assert.equal(code, 0);
        assert.match(out, /name: dry/);
        assert.equal((await run('get', 'meshtimeout', 'dry')).code, 1);
      });

      it('inspects zones', async () => {
        const { code, out } = await run('inspect', 'zones');
        assert.equal(code, 0);
        assert.match(out, /NAME +STATUS/);
      });
    });
  }

  it('applies one name in two namespaces of a kubernetes zone', async () => {
    const { port, close } = await startApi(newApi(scope, EAST).options);
    scope.add(close);
    const config = 'namespaces';
    await kumactl(['config', 'control-planes', 'add', '--name', 'east', '--address', `http://127.0.0.1:${port}`], config);
    const labels = { 'k8s.kuma.io/namespace': 'backend-ns' };
    for (const document of [documentOf('MeshTimeout', SAMPLES.MeshTimeout ?? {}), { ...documentOf('MeshTimeout', TO_BACKEND), labels }]) {
      const path = join(folder, 'namespaced.yaml');
      writeFileSync(path, JSON.stringify(document));
      // Twice, for kumactl looks first, and then sends back the name that it was answered.
      for (const _ of [1, 2]) assert.equal((await kumactl(['apply', '-f', path], config)).code, 0);
    }
    const { out } = await kumactl(['get', 'meshtimeouts', '-o', 'json'], config);
    assert.deepEqual(namesOf(out), ['sample-meshtimeout.backend-ns', 'sample-meshtimeout.kuma-system']);
    const shown = await kumactl(['get', 'meshtimeout', 'sample-meshtimeout.backend-ns', '-o', 'yaml'], config);
    writeFileSync(join(folder, 'shown.yaml'), shown.out);
    assert.match((await kumactl(['apply', '-f', join(folder, 'shown.yaml')], config)).out, /Updated/);
    assert.deepEqual(namesOf((await kumactl(['get', 'meshtimeouts', '-o', 'json'], config)).out).length, 2);
  });
});

const TO_BACKEND: JsonObject = {
  spec: { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, default: { idleTimeout: '3s' } }] },
};

/** What kumactl knows and users write here. */
function kindsAt(place: Place): { type: string; body: JsonObject }[] {
  const known = KINDS.filter((kind) => kind.apiVersion.startsWith('kuma.io/') && !isReadOnly(kind, place));
  return known.flatMap(({ type }) => {
    const body = SAMPLES[type];
    return body ? [{ type, body }] : [];
  });
}

/** Each kind once; at the zones those that are not written at global, and one policy. kumactl takes its time. */
function tried(kinds: readonly { type: string; body: JsonObject }[], place: Place) {
  if (place.zone === '') return kinds.filter(({ type }) => type !== 'MeshMetric');
  const atGlobal = new Set(kindsAt(GLOBAL).map(({ type }) => type));
  return kinds.filter(({ type }) => type === 'MeshTrafficPermission' || !atGlobal.has(type));
}

/** References to what was deleted or comes later are no errors. */
function withoutWarnings(err: string): string {
  return err
    .split('\n')
    .filter((line) => !line.startsWith('Warning: '))
    .join('\n');
}

function documentOf(type: string, body: JsonObject) {
  const inMesh = KINDS.find((kind) => kind.type === type)?.scope === 'Mesh';
  return { type, ...(inMesh ? { mesh: 'default' } : {}), name: `sample-${type.toLowerCase()}`, ...body };
}

function specOf(shown: JsonObject): unknown {
  if (shown.spec !== undefined) return shown.spec;
  const envelope = ['type', 'mesh', 'name', 'labels', 'kri', 'creationTime', 'modificationTime'];
  return Object.fromEntries(Object.entries(shown).filter(([field]) => !envelope.includes(field)));
}

function restNameOf(name: string, place: Place): string {
  return place.environment === 'kubernetes' ? `${name}.${place.systemNamespace}` : name;
}

function namesOf(json: string): string[] {
  return (JSON.parse(json) as { items: { name: string }[] }).items.map(({ name }) => name);
}
