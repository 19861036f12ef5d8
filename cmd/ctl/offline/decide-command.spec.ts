import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { meridianctl } from '../../../test/harness/meridianctl.ts';

interface PrintedDecision {
  readonly matchedInOrder: readonly string[];
  readonly matchedInShadow: readonly string[];
  readonly clients: readonly {
    readonly decision: string;
    readonly shadow: string;
    readonly decidedBy: string | null;
    readonly decidedByKri: string | null;
  }[];
}

const inbound = (port: number) => ({ port, tags: { 'kuma.io/service': 'backend', 'kuma.io/zone': 'east', 'kuma.io/protocol': 'http' } });
const target = (...ports: number[]) => ({
  type: 'Dataplane',
  mesh: 'default',
  name: 'b',
  networking: { address: '127.0.0.1', inbound: ports.map(inbound) },
});
const spiffe = { default: { allow: [{ method: 'GET', spiffeId: { type: 'Prefix', value: 'spiffe://td/ns/web' } }] } };
const policies = [
  { type: 'MeshTrafficPermission', mesh: 'default', name: 'global', labels: { 'kuma.io/origin': 'global' }, spec: spiffe },
  { type: 'MeshTrafficPermission', mesh: 'default', name: 'east', labels: { 'kuma.io/zone': 'east' }, spec: spiffe },
  { type: 'MeshTrafficPermission', mesh: 'default', name: 'west', labels: { 'kuma.io/zone': 'west' }, spec: spiffe },
  { type: 'MeshTrafficPermission', mesh: 'default', name: 'shadow', labels: { 'kuma.io/effect': 'shadow' }, spec: spiffe },
];
const clients = [
  { spiffeId: 'spiffe://td/ns/web/sa/x', method: 'GET', path: '/' },
  { spiffeId: 'spiffe://td/ns/website/sa/x', method: 'GET' },
  { tags: { 'kuma.io/service': 'web' } },
];

describe('meridianctl decide', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decide-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function file(name: string, value: unknown): Promise<string> {
    await writeFile(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  }

  async function decide(given: unknown, dataplane: unknown, who: unknown, ...more: string[]) {
    const [at, by] = [await file('dataplane.json', dataplane), await file('clients.json', who)];
    return meridianctl(['decide', '-f', await file('policies.json', given), '--dataplane', at, '--clients', by, '-o', 'json', ...more]);
  }

  it('prints the order, and a verdict for each client', async () => {
    const { code, out } = await decide({ policies, clients }, target(80), { policies, clients });
    assert.equal(code, 0);
    const printed = JSON.parse(out) as PrintedDecision;
    assert.deepEqual(printed.matchedInOrder, ['global', 'east']);
    assert.deepEqual(printed.matchedInShadow, ['shadow']);
    const verdicts = printed.clients.map(({ decision, shadow, decidedBy, decidedByKri }) => [decision, shadow, decidedBy, decidedByKri]);
    assert.deepEqual(verdicts, [
      ['Allow', 'Allow', 'east', 'kri_mtp_default_east__east_'],
      ['Deny', 'Deny', null, null],
      ['Deny', 'Deny', null, null],
    ]);
  });

  it('takes lists, and asks which inbound is meant', async () => {
    const unsaid = await decide(policies, target(80, 81), clients);
    assert.equal(unsaid.code, 1);
    assert.match(unsaid.err, /80, 81/);
    const said = await decide(policies, target(80, 81), clients, '--inbound', '81');
    assert.equal((JSON.parse(said.out) as PrintedDecision).clients[0]?.decision, 'Allow');
  });

  const broken: readonly (readonly [what: string, reason: RegExp, policies: unknown, dataplane: unknown, clients: unknown])[] = [
    ['a policy', /policies\[0\]: spec.default.allow\[0\]/, [{ ...policies[0], spec: { default: { allow: [{}] } } }], target(80), clients],
    ['a dataplane that is none', /dataplane: type/, policies, policies[0], clients],
    ['a client that says nothing', /clients\[0\]/, policies, target(80), [{}]],
    ['a client’s field', /clients\[0\].*\\"spiffe\\"/, policies, target(80), [{ tags: {}, spiffe: 'x' }]],
    ['a client’s tag', /clients\[0\]/, policies, target(80), [{ tags: { a: 1 } }]],
  ];
  for (const [what, reason, ...given] of broken) {
    it(`refuses ${what}`, async () => {
      const { code, err } = await decide(...given);
      assert.equal(code, 1);
      assert.match(err, reason);
    });
  }

  it('needs a dataplane', async () => assert.equal((await meridianctl(['decide', '-f', '-', '--clients', '-'])).code, 2));
});

describe('meridianctl convert', () => {
  const early =
    'type: UpstreamTimeout\nmesh: m\nname: t\ntargetRef: {kind: Service, name: web}\nconf: {to: [{targetRef: {kind: Mesh}, connectTimeout: 5s}]}\n';

  it('prints what apply takes', async () => {
    const { code, out } = await meridianctl(['convert', '-f', '-', '-o', 'json'], { input: early });
    assert.equal(code, 0);
    const spec = {
      targetRef: { kind: 'MeshService', name: 'web' },
      to: [{ targetRef: { kind: 'Mesh' }, default: { connectTimeout: '5s' } }],
    };
    assert.deepEqual(JSON.parse(out), [{ type: 'MeshTimeout', mesh: 'm', name: 't', spec }]);
    const yaml = await meridianctl(['convert', '-f', '-'], { input: `${early}---\n${early.replace('name: t\n', 'name: u\n')}` });
    assert.equal(yaml.out.split('---\n').length, 2);
    assert.equal((await meridianctl(['lint', '-f', '-'], { input: yaml.out })).code, 0);
  });

  it('tells what it leaves out', async () => {
    const { code, out, err } = await meridianctl(['convert', '-f', '-', '-o', 'json'], {
      input: early.replace('UpstreamTimeout', 'Galaxy'),
    });
    assert.deepEqual([code, out], [1, '[]\n']);
    assert.match(err, /^-, document 1 \(Galaxy t\): type: "Galaxy" is no kind/);
  });
});
