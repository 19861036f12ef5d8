import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { EAST, newGlobal, newZone, draftInApp as draft } from '../../../test/harness/control-planes.ts';
import { readProxy } from '../../policy/match/read-proxy.ts';
import type { Draft, JsonObject } from '../../resource/resource.ts';
import { Enforcement } from '../enforce/enforcement.ts';
import { dryRun } from '../impact/dry-run.ts';
import type { Plane } from '../plane/plane.ts';
import { can } from './answer-can.ts';
import { readMeshView } from './mesh-view.ts';
import { crowdedBy, crowdedNotes } from './too-many-rules.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

/** Of one caller: so that a dry run has but one to compare. */
const ENTRIES = 150;
const MATCHES = 200;

const inbound = (name: string, port: number): JsonObject => ({ name, port, protocol: 'http', tags: { 'kuma.io/service': name } });
const dataplane = (name: string): Draft =>
  draft('Dataplane', name, { networking: { address: '127.0.0.1', inbound: [inbound('full', 8080), inbound('next', 8081)] } });
const service = draft('MeshService', 'full', {
  selector: { dataplaneTags: { 'kuma.io/service': 'full' } },
  ports: [{ port: 80, targetPort: 8080 }],
});
function route(name: string): Draft {
  const matches = Array.from({ length: MATCHES }, (_, index) => ({ path: { type: 'PathPrefix', value: `/area-${index}` } }));
  return draft('MeshHTTPRoute', name, {
    targetRef: { kind: 'Mesh' },
    to: [{ targetRef: { kind: 'MeshService', name: 'full' }, rules: [{ matches, default: {} }] }],
  });
}
const allow = Array.from({ length: ENTRIES }, () => ({ spiffeId: { type: 'Exact', value: 'spiffe://td/1' } }));
const through = (name: string, routed = 'r'): Draft =>
  draft('MeshTrafficPermission', name, { targetRef: { kind: 'MeshHTTPRoute', name: routed }, rules: [{ default: { allow } }] });
const forAll = draft('MeshTrafficPermission', 'all', { targetRef: { kind: 'Mesh' }, rules: [{ default: { allow } }] });

let zone: Plane;
beforeEach(() => {
  zone = newZone(EAST, newGlobal(EAST));
  writeDrafts(zone, [dataplane('web-1'), service]);
});

const SHUT = /^inbound full of web-1 is shut: its rules come to more than 50000/;

/** What a dry run warns of, for each document. */
async function warned(...drafts: readonly Draft[]): Promise<string[][]> {
  const { warnings } = await dryRun(
    { plane: zone, hasGlobal: false, now: () => performance.now(), gone: new AbortController().signal, charge: () => {} },
    drafts.map((one) => ({ draft: one, problems: [] })),
  );
  return warnings.map((all) => all.filter((one) => one.includes('is shut')));
}

describe('an inbound of too many rules', () => {
  /** The last is what makes it too many. */
  const orders: [title: string, drafts: readonly Draft[]][] = [
    ['a permission on the route', [route('r'), through('p'), through('q')]],
    ['the route, after the permissions', [through('p'), through('q'), route('r')]],
    ['a permission for the mesh', [route('r'), through('p'), forAll]],
  ];
  for (const [title, drafts] of orders) {
    it(`is told beforehand to who writes ${title}, and to who asks afterwards`, async () => {
      const [last, before] = [drafts.slice(-1), drafts.slice(0, -1)];
      writeDrafts(zone, before);
      assert.deepEqual(await warned(...before), [[], []], 'what still fits');
      const [found = []] = await warned(...last);
      assert.equal(found.length, 1);
      assert.match(found[0] ?? '', SHUT);
      const [written] = writeDrafts(zone, last);
      assert.ok(written);
      const view = readMeshView(zone, 'default');
      assert.deepEqual([...crowdedBy(view, [written.key]).values()], [found]);
      const [target] = view.dataplanes;
      assert.ok(target);
      assert.match(
        crowdedNotes(view, readProxy(target, view.index)).join('\n'),
        /^inbound full lets nobody in: its rules come to more than 50000[^\n]*$/,
      );
      // As at global, which builds nothing.
      const ask = (section: string) =>
        can(zone, view, false, { dataplane: target, section, request: { spiffeIds: ['spiffe://td/1'], method: 'GET', path: '/area-1' } });
      assert.deepEqual([ask('full').decision, ask('full').decidedBy], ['Deny', undefined]);
      assert.match(ask('full').reason, /nobody gets in at this inbound.*more than 50000/);
      const built = new Enforcement(zone, false)
        .rulesOf('default', 'web-1.app')
        ?.inbounds.map(({ name, shut }) => [name, shut !== undefined]);
      assert.deepEqual(
        built,
        [
          ['full', true],
          ['next', false],
        ],
        'the proxy has the same',
      );
    });
  }

  it('is told of a few proxies only', async () => {
    writeDrafts(zone, [...Array.from({ length: 20 }, (_, index) => dataplane(`more-${index}`)), route('r'), through('p')]);
    assert.equal((await warned(through('q')))[0]?.length, 5);
  });
});
