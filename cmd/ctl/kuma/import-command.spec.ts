import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GLOBAL, type JsonObject, type Place } from '../../../src/resource/resource.ts';
import { ask, EAST, WEST } from '../../../test/api/harness.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { startLive } from '../../../test/harness/live-meridianctl.ts';
import { judge } from './judge-document.ts';

const scope = new Scope();
after(() => scope.close());

/** What the real kumactl 2.14.3 exported of a real global, with all that this knows; `data` of secrets is replaced. */
const sample = (format: string) => fileURLToPath(new URL(`../../../test/reference/kuma-export/${format}.yaml`, import.meta.url));

interface ImportReport {
  readonly applied: boolean;
  readonly results: readonly { readonly type: string; readonly name: string; readonly result: string; readonly reason: string | null }[];
}

function by(report: ImportReport, result: string): string[] {
  return [...new Set(report.results.filter((row) => row.result === result).map(({ type }) => type))].sort();
}

const LEGACY = ['CircuitBreaker', 'ExternalService', 'MeshGatewayRoute', 'TrafficPermission', 'TrafficRoute', 'VirtualOutbound'];

describe('meridianctl import', { concurrency: 2 }, () => {
  for (const [format, options, skipped, team] of [
    ['universal', '', ['GlobalSecret', 'MeshInsight', 'Secret', 'ServiceInsight'], 'web'],
    ['kubernetes', ' --accept-lost-labels', ['Secret'], undefined],
  ] as const) {
    it(`takes over what the real kumactl exported (${format})`, async () => {
      const live = await startLive(scope, GLOBAL);
      const refused = await live.run(`import -f ${sample(format)} -o json${options}`);
      const before = JSON.parse(refused.out) as ImportReport;
      assert.deepEqual([refused.code, before.applied], [1, false]);
      assert.deepEqual(by(before, 'must be converted'), LEGACY);
      assert.match(refused.err, /nothing was applied: 6 documents must be converted first; --partial/);
      assert.equal((await ask(live.asked, 'GET', '/meshtimeouts')).body.total, 0);

      const dry = await live.run(`import -f ${sample(format)} --partial --dry-run -o json${options}`);
      assert.equal((await ask(live.asked, 'GET', '/meshtimeouts')).body.total, 0);
      const done = await live.run(`import -f ${sample(format)} --partial -o json${options}`);
      assert.deepEqual([dry.code, done.code, done.err], [0, 0, '']);
      const report = JSON.parse(done.out) as ImportReport;
      assert.deepEqual(report.results, (JSON.parse(dry.out) as ImportReport).results);
      assert.deepEqual(by(report, 'skipped'), skipped);
      const created = by(report, 'created');
      for (const type of [
        'HostnameGenerator',
        'Mesh',
        'MeshExternalService',
        'MeshGateway',
        'MeshHTTPRoute',
        'MeshMultiZoneService',
        'MeshTimeout',
        'MeshTrafficPermission',
      ]) {
        assert.ok(created.includes(type), type);
      }
      const { body } = await ask(live.asked, 'GET', '/meshes/demo/meshtimeouts/slow');
      assert.deepEqual([body.labels.team, body.spec.to[0].default], [team, { connectionTimeout: '5s' }]);
      const again = JSON.parse((await live.run(`import -f ${sample(format)} --partial -o json${options}`)).out) as ImportReport;
      assert.deepEqual([by(again, 'created'), by(again, 'changed')], [[], []]);
    });
  }

  it('refuses what kumactl wrote without labels: a shadow policy would be enforced', async () => {
    const live = await startLive(scope, GLOBAL);
    const { code, out, err } = await live.run(`import -f ${sample('kubernetes')} --partial`);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /leaves out users' labels .*\nhint: export with --format universal/);
  });

  it('applies nothing when one document is refused, and says where it is', async () => {
    const live = await startLive(scope, GLOBAL);
    const text = `${readFileSync(sample('universal'), 'utf8')}\n---\n{type: MeshTrafficPermission, name: odd, spec: {default: {allow: [{}]}}}`;
    const { code, out, err } = await live.run('import -f - --partial', text);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /-, document \d+ \(MeshTrafficPermission odd\): spec\.default\.allow\[0\]/);
    assert.equal((await ask(live.asked, 'GET', '/meshtimeouts')).body.total, 0);
  });

  it('names the pairs that decide otherwise than in Kuma', async () => {
    const live = await startLive(scope, GLOBAL);
    const documents = [
      ['aaa', '{kind: Dataplane}', 'Deny'],
      ['zzz', '{kind: Dataplane, name: web-1}', 'Allow'],
    ].map(
      ([name, target, action]) =>
        `{type: MeshTrafficPermission, mesh: default, name: ${name}, spec: {targetRef: ${target}, from: [{targetRef: {kind: Mesh}, default: {action: ${action}}}]}}`,
    );
    const { code, out, err } = await live.run('import -f - -o json', ['{type: Mesh, name: default}', ...documents].join('\n---\n'));
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out).turned, [{ type: 'MeshTrafficPermission', mesh: 'default', kuma: 'aaa', here: 'zzz' }]);
    assert.match(err, /MeshTrafficPermission zzz has the last word over aaa here, in mesh default: in Kuma aaa has it/);
  });

  it('takes the rest of a zone with a pod behind two Services, and reports that pod', async () => {
    const live = await startLive(scope, EAST);
    const pod = (name: string, second: number) => `---
type: Dataplane
mesh: default
name: ${name}.shop
labels: {kuma.io/origin: zone, kuma.io/zone: east, kuma.io/env: kubernetes, k8s.kuma.io/namespace: shop}
networking:
  address: 10.0.0.1
  inbound:
    - {port: 8080, name: main, tags: {kuma.io/service: web_shop_svc_80}}
    - {port: ${second}, name: other, tags: {kuma.io/service: web-canary_shop_svc_80}}
`;
    for (const dry of [' --dry-run', '']) {
      const { code, out, err } = await live.run(`import -f - -o json${dry}`, `${pod('one', 8081)}${pod('twice', 8080)}`);
      const { applied, results } = JSON.parse(out) as ImportReport;
      assert.deepEqual([code, applied], [1, dry === '']);
      assert.deepEqual(
        results.map(({ name, result }) => [name, result]),
        [
          ['one.shop', 'created'],
          ['twice.shop', 'refused'],
        ],
      );
      assert.match(results[1]?.reason ?? '', /^networking\.inbound\[1\]\.port: is taken by another inbound/);
      assert.match(err, /1 proxy is left out/);
    }
    assert.equal((await ask(live.asked, 'GET', '/meshes/default/dataplanes')).body.total, 1);
  });

  it('is pointed to by apply', async () => {
    const live = await startLive(scope, GLOBAL);
    const { code, err } = await live.run(`apply -f ${sample('universal')}`);
    assert.equal(code, 1);
    assert.match(err, /hint: `meridianctl import -f FILE` takes over/);
  });
});

describe('judge', () => {
  const policy = (labels: object, name = 'slow') => ({ type: 'MeshTimeout', mesh: 'default', name, labels, spec: {} });
  const onKubernetes = {
    'kuma.io/origin': 'zone',
    'kuma.io/zone': 'east',
    'k8s.kuma.io/namespace': 'kuma-system',
    'kuma.io/env': 'kubernetes',
  };
  // Names as the real Kuma 2.14.3 gave them.
  const generator = (name: string, labels: object) => ({ type: 'HostnameGenerator', name, labels, spec: {} });
  const copyOfEast = generator('local-mesh-external-service-76w699wcwwbdb48f', {
    'kuma.io/display-name': 'local-mesh-external-service',
    'kuma.io/zone': 'east',
  });
  const copyOfGlobal = generator('synced-kube-mesh-service-8xc5x6c9f588fzz9', { 'kuma.io/display-name': 'synced-kube-mesh-service' });
  const cases: [title: string, document: unknown, place: Place, verdict: string, rest: RegExp | object][] = [
    ['of a zone, at global', policy(onKubernetes), GLOBAL, 'skip', /is of zone east: import it there/],
    ['a copy of a zone without an origin, at global', copyOfEast, GLOBAL, 'skip', /is of zone east: import it there/],
    ['a copy of another zone without an origin', copyOfEast, WEST, 'skip', /is of zone east: import it there/],
    ['a copy of global without an origin', copyOfGlobal, EAST, 'skip', /is of global: import it there/],
    [
      'what is only called like a copy',
      generator('made-by-hand-8xc5x6c9f588fzz9', {}),
      GLOBAL,
      'apply',
      generator('made-by-hand-8xc5x6c9f588fzz9', {}),
    ],
    ['of a zone, in it', policy(onKubernetes, 'slow.kuma-system'), EAST, 'apply', policy({})],
    ['of global, in a zone', policy({ 'kuma.io/origin': 'global' }), EAST, 'skip', /is of global/],
    [
      'of a namespace',
      policy({ ...onKubernetes, 'k8s.kuma.io/namespace': 'web', team: 'a' }, 'slow.web'),
      EAST,
      'apply',
      policy({ team: 'a', 'k8s.kuma.io/namespace': 'web' }),
    ],
    [
      'of a global on Kubernetes',
      policy({ 'kuma.io/origin': 'global', 'k8s.kuma.io/namespace': 'kuma-system', 'kuma.io/display-name': 'slow' }, 'slow.kuma-system'),
      GLOBAL,
      'apply',
      policy({}),
    ],
    [
      'in the Kubernetes format',
      {
        apiVersion: 'kuma.io/v1alpha1',
        kind: 'MeshTimeout',
        metadata: { name: 'a', namespace: 'kuma-system', labels: { 'kuma.io/mesh': 'm', 'kuma.io/origin': 'global' } },
      },
      GLOBAL,
      'apply',
      { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTimeout', metadata: { name: 'a', labels: { 'kuma.io/mesh': 'm' } } },
    ],
    ['a Mesh, in a zone', { type: 'Mesh', name: 'm' }, WEST, 'skip', /is written at global/],
    ['a Dataplane, at global', { type: 'Dataplane', name: 'm' }, GLOBAL, 'skip', /is written in its zone/],
    ['a report', { type: 'ZoneIngressInsight' }, GLOBAL, 'skip', /report/],
    ['a zone proxy', { type: 'ZoneEgress' }, GLOBAL, 'skip', /proxy of a zone/],
    [
      'a legacy kind',
      { kind: 'TrafficPermission' },
      GLOBAL,
      'convert',
      /write a MeshTrafficPermission; until then what it allowed is denied/,
    ],
    [
      'a legacy kind of global, in a zone',
      { type: 'TrafficPermission', labels: { 'kuma.io/origin': 'global' } },
      EAST,
      'skip',
      /is of global/,
    ],
    ['a kind of others', { type: 'MeshOPA' }, GLOBAL, 'convert', /not a kind/],
    ['a name that objects have', { type: 'constructor' }, GLOBAL, 'convert', /not a kind/],
    ['no resource', { a: 1 }, GLOBAL, 'convert', /neither/],
    ['no object', 'text', GLOBAL, 'convert', /neither/],
  ];
  for (const [title, document, place, verdict, rest] of cases) {
    it(title, () => {
      const judged = judge(document, place, 'kuma-system');
      assert.equal(judged.verdict, verdict);
      if (rest instanceof RegExp) assert.match('reason' in judged ? judged.reason : '', rest);
      else assert.deepEqual('value' in judged ? judged.value : undefined, rest as JsonObject);
    });
  }
});
