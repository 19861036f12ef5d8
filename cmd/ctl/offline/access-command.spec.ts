import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { meridianctl } from '../../../test/harness/meridianctl.ts';

interface PrintedAccess {
  readonly queries: readonly {
    readonly allowed: boolean;
    readonly privileged: boolean;
    readonly decidedBy: string | null;
    readonly decidedByKri: string | null;
    readonly default?: boolean;
    readonly matchedInShadow: readonly string[];
  }[];
}

const everybody = [{ workloadSelector: {} }];
const from = (key: string, value: string) => [{ workloadSelector: { matchLabels: { [key]: value } } }];
const policy = (name: string, spec: object, labels: object = {}) => ({
  apiVersion: 'clusterlink.net/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name, namespace: 'pay', labels },
  spec: { action: 'allow', from: everybody, to: everybody, ...spec },
});
const veto = {
  type: 'PrivilegedAccessPolicy',
  name: 'veto',
  labels: { 'kuma.io/zone': 'east' },
  spec: { action: 'deny', from: from('k8s:label:app', 'evil'), to: everybody },
};
const timeout = { type: 'MeshTimeout', name: 't', spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: '5s' } }] } };
const query = (app: string, namespace = 'pay') => ({
  from: { 'client.clusterlink.net/labels.app': app },
  to: { 'export.clusterlink.net/name': 'ledger' },
  namespace,
});

describe('meridianctl access', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'access-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function access(policies: unknown, queries: unknown, ...more: string[]) {
    const file = join(folder, 'queries.json');
    await writeFile(file, JSON.stringify(queries));
    return meridianctl(['access', '-f', '-', '--queries', file, ...more], { input: JSON.stringify(policies) });
  }

  it('takes an entry of the reference, and prints its verdicts', async () => {
    const file = new URL('../../../test/reference/access-decisions.json', import.meta.url);
    const entry = (
      JSON.parse(readFileSync(file, 'utf8')) as { queries: { allowed: boolean; privileged: boolean; default?: boolean }[] }[]
    )[4];
    const { code, out, err } = await access(entry, entry, '-o', 'json');
    assert.deepEqual([code, err], [0, '']);
    const verdict = ({ allowed, privileged, default: byDefault }: NonNullable<typeof entry>['queries'][number]) => [
      allowed,
      privileged,
      byDefault,
    ];
    assert.deepEqual((JSON.parse(out) as PrintedAccess).queries.map(verdict), entry?.queries.map(verdict));
  });

  it('takes lists, and tells who decided', async () => {
    const shadow = policy('shadow', { action: 'deny' }, { 'kuma.io/effect': 'shadow' });
    const { out } = await access([policy('open', {}), shadow, veto], [query('web'), query('evil'), query('web', 'stock')], '-o', 'json');
    const printed = (JSON.parse(out) as PrintedAccess).queries;
    assert.deepEqual(
      printed.map(({ allowed, privileged, decidedBy, decidedByKri, matchedInShadow }) => [
        allowed,
        privileged,
        decidedBy,
        decidedByKri,
        matchedInShadow,
      ]),
      [
        [true, false, 'open', 'kri_ap_default__pay_open_', ['shadow']],
        [false, true, 'veto', 'kri_pap_default_east__veto_', ['shadow']],
        [false, false, null, null, []],
      ],
    );
  });

  it('prints a table, and warns of what says nothing', async () => {
    const slip = policy('slip', { from: [{ workloadSelector: { matchExpressions: [{ key: 'k8s:nss', operator: 'DoesNotExist' }] } }] });
    const { code, out, err } = await access([slip, timeout], [{ ...query('web'), from: { colour: 'red' } }]);
    assert.equal(code, 0);
    assert.match(out, /^QUERY +DECISION +PRIVILEGED +DECIDED BY +BECAUSE +IN SHADOW\n0 +Deny +no +- +no attribute of the caller is known/);
    for (const warned of [/slip: from: "k8s:nss"/, /MeshTimeout t is no access policy/, /queries\[0\]\.from: "colour"/])
      assert.match(err, warned);
  });

  const broken: readonly (readonly [what: string, reason: RegExp, policies: unknown, queries: unknown])[] = [
    ['a policy', /policies\[0\]: spec.action/, [policy('p', { action: 'maybe' })], [query('web')]],
    ['policies of several meshes', /several meshes: default, m/, [policy('p', {}), policy('q', {}, { 'kuma.io/mesh': 'm' })], []],
    ['policies of several zones', /several zones: east, west/, [veto, policy('q', {}, { 'kuma.io/zone': 'west' })], []],
    ['a query that is none', /queries\[0\]: must be an object/, [], ['x']],
    ['a query’s field', /queries\[0\].*source/, [], [{ ...query('web'), source: {} }]],
    ['a query without a namespace', /queries\[1\]\.namespace/, [], [query('web'), { from: {}, to: {} }]],
    ['an attribute that is no text', /queries\[0\]\.to: must be/, [], [{ ...query('web'), to: { 'k8s:ns': 1 } }]],
    [
      'a set that contradicts itself',
      /queries\[0\]\.from: gives/,
      [],
      [{ ...query('web'), from: { 'site:geo': 'a', 'cl:site:geo': 'b' } }],
    ],
  ];
  for (const [what, reason, ...given] of broken) {
    it(`refuses ${what}`, async () => {
      const { code, err } = await access(...given);
      assert.equal(code, 1);
      assert.match(err, reason);
    });
  }

  it('needs queries', async () => assert.equal((await meridianctl(['access', '-f', '-'])).code, 2));
});
