import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CtlRequest, type CannedAnswer, lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const PROXY = {
  type: 'Dataplane',
  mesh: 'default',
  name: 'web.ns',
  labels: { 'kuma.io/zone': 'east', 'k8s.kuma.io/namespace': 'ns', 'kuma.io/display-name': 'web' },
};
const ROW = ['default', 'web.ns', 'east', 'ns', 'web'];
const HEADING = ['MESH', 'NAME', 'ZONE', 'NAMESPACE', 'DISPLAY NAME'];
const KRI = 'kri_dp_default_east_ns_web_8080';
const timeout = { name: 't', type: 'MeshTimeout', kri: 'kri_mt_default___t_' };
const service = { name: 'api', type: 'MeshService' };

/** One proxy, with something said of each of its sides. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  _layout: { inbounds: [{ kri: KRI, port: 8080 }], outbounds: [] },
  _policies: { policies: [{ kind: 'MeshMetric', conf: { a: 1 }, origins: [{ kri: 'kri_mm_default___m_' }] }], warnings: ['w'] },
  [KRI]: {
    policies: [
      {
        kind: 'MeshTrafficPermission',
        origins: [{ kri: 'kri_mtp_default___p_' }],
        rules: [{ conf: { action: 'Allow' }, kri: 'kri_mtp_default___p_', targetRef: { kind: 'Mesh' } }],
      },
    ],
  },
  _rules: {
    rules: [
      {
        type: 'MeshTimeout',
        toResourceRules: [{ conf: [{ b: 1 }], resourceMeta: service, resourceSectionName: 'http', origin: [{ resourceMeta: timeout }] }],
        toRules: [{ conf: { c: 1 }, matchers: [], origin: [timeout] }],
      },
    ],
  },
};

function answer({ path }: CtlRequest): CannedAnswer {
  const part = Object.keys(ANSWERS).find((one) => path.endsWith(`/${one}`) || path.includes(`/${one}/_policies`));
  return part === undefined ? { status: 404, body: { title: 'x', status: 404 } } : { body: ANSWERS[path.includes(KRI) ? KRI : part] };
}

const cells = (out: string) => out.split('\n').map((line) => line.split(/ {3,}/));

describe('meridianctl inspect', { concurrency: 2 }, () => {
  const lists: [title: string, args: string[], path: string][] = [
    ['dataplanes', ['dataplanes'], '/meshes/default/dataplanes/_overview?size=500'],
    ['dataplanes of all meshes', ['dataplanes', '--all-meshes'], '/dataplanes/_overview?size=500'],
    ['policy', ['policy', 'mt', 'slow', '-m', 'm'], '/meshes/m/meshtimeouts/slow/_resources/dataplanes?size=500'],
  ];
  for (const [title, args, path] of lists) {
    it(`${title} lists proxies`, async (t) => {
      const stub = await startStub(t, () => ({ body: { total: 1, items: [PROXY] } }));
      const { code, out } = await meridianctl(['inspect', ...args, '--url', stub.url]);
      const asked = lines(stub).filter((line) => !line.endsWith('/_enforcement'));
      assert.deepEqual([code, asked, cells(out)], [0, [`GET ${path}`], [HEADING, ROW, ['']]]);
      const json = await meridianctl(['inspect', ...args, '-o', 'json', '--url', stub.url]);
      assert.deepEqual(JSON.parse(json.out), { total: 1, items: [PROXY] });
    });
  }

  it('policy is wrong usage for what is no policy', async () => {
    const { code, err } = await meridianctl(['inspect', 'policy', 'dataplanes', 'x']);
    assert.equal(code, 2);
    assert.match(err, /A Dataplane selects no proxies/);
  });

  it('dataplane shows what policies come to', async (t) => {
    const stub = await startStub(t, answer);
    const { code, out, err } = await meridianctl(['inspect', 'dataplane', 'web.ns', '--url', stub.url]);
    assert.deepEqual([code, err], [0, 'warning: w\n']);
    assert.deepEqual(cells(out), [
      ['ON', 'KIND', 'FROM POLICY', 'CONF'],
      ['proxy', 'MeshMetric', 'kri_mm_default___m_', '{"a":1}'],
      ['inbound 8080', 'MeshTrafficPermission', 'kri_mtp_default___p_', 'targetRef {"kind":"Mesh"} {"action":"Allow"}'],
      ['to MeshService api:http', 'MeshTimeout', 'kri_mt_default___t_', '{"b":1}'],
      ['to []', 'MeshTimeout', 'kri_mt_default___t_', '{"c":1}'],
      [''],
    ]);
  });

  it('dataplane prints all of it as JSON', async (t) => {
    const stub = await startStub(t, answer);
    const { out } = await meridianctl(['inspect', 'dataplane', 'web.ns', '-o', 'json', '--url', stub.url]);
    assert.deepEqual(Object.keys(JSON.parse(out) as object), ['layout', 'policies', 'inbounds', 'outbounds', 'warnings']);
  });

  it('dataplane fails where there is none', async (t) => {
    const stub = await startStub(t, () => ({
      status: 404,
      body: { title: 'Could not retrieve a resource', detail: 'Not found', status: 404 },
    }));
    const { code, err } = await meridianctl(['inspect', 'dataplane', 'nope', '--url', stub.url]);
    assert.deepEqual([code, err.split('\n')[0]], [1, 'error: Could not retrieve a resource: Not found']);
  });
});
