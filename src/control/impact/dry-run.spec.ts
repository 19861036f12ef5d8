import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Scope } from '../../../test/harness/scope.ts';
import { parseDocuments } from '../../resource/documents/parse-documents.ts';
import { GLOBAL, type Place } from '../../resource/resource.ts';
import type { Plane } from '../plane/plane.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { openTestStore } from '../../../test/harness/test-store.ts';
import { writeDocuments } from '../../../test/harness/write-drafts.ts';

const EAST: Place = { zone: 'east', environment: 'universal', systemNamespace: '' };
const PROXY = (name: string) =>
  `{type: Dataplane, mesh: default, name: ${name}, networking: {address: 127.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: ${name}}}]}}`;
const OPEN = (name: string, id: string) =>
  `{type: MeshTrafficPermission, mesh: default, name: ${name}, spec: {default: {allow: [{spiffeId: {type: Exact, value: '${id}'}}]}}}`;

/** A store in memory knows no steps. */
function newPlane(store = openTestStore()): Plane {
  const plane = { store, now: () => '2026-01-01T00:00:00Z' };
  writeDocuments({ ...plane, place: GLOBAL }, parseDocuments('{type: Mesh, name: default}'));
  writeDocuments({ ...plane, place: EAST }, parseDocuments(['a', 'b', 'c'].map(PROXY).join('\n---\n')));
  return { ...plane, place: EAST };
}

function run(plane: Plane, text: string, tick = 0, gone = new AbortController().signal): { charged: number[]; result: Promise<DryRun> } {
  const clock = { now: 0 };
  const now = () => (clock.now += tick);
  const charged: number[] = [];
  return {
    charged,
    result: dryRun({ plane, hasGlobal: false, now, gone, charge: (took) => void charged.push(took) }, parseDocuments(text)),
  };
}

const inboundsOf = ({ impacts }: DryRun) =>
  impacts.flatMap(({ changes }) => changes.flatMap(({ inbounds }) => inbounds.map(({ dataplane: { key } }) => key.name)));

const scope = new Scope();
after(() => scope.close());

describe('dryRun', () => {
  it('says what would change, having looked at everything', async () => {
    const { result, charged } = run(newPlane(), OPEN('open', 'spiffe://td/a'));
    const { complete, ...found } = await result;
    assert.deepEqual([complete, inboundsOf({ complete, ...found })], [true, ['a', 'b', 'c']]);
    assert.equal(charged.length, 2);
  });

  it('tells that it is not complete where its work was ended: to find nothing is not to look', async () => {
    const { complete, written, impacts } = await run(newPlane(), OPEN('open', 'spiffe://td/a'), 20_000).result;
    assert.deepEqual([complete, written.length, impacts], [false, 1, []]);
  });

  it('lets others write between its turns, and says what would change of what it began with', async () => {
    const plane = newPlane();
    const turns = { written: 0 };
    const { result, charged } = run(plane, OPEN('open', 'spiffe://td/a'), 6);
    const writing = (async () => {
      for (const name of ['d', 'e', 'f']) {
        writeDocuments(plane, parseDocuments(`${PROXY(name)}\n---\n${OPEN(name, 'spiffe://td/other')}`));
        turns.written = charged.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const found = await result;
    await writing;
    assert.deepEqual([found.complete, inboundsOf(found)], [true, ['a', 'b', 'c']]);
    assert.ok(turns.written > 1 && charged.length > 5, `${charged.length} turns, the last write after ${turns.written}`);
  });

  it('reads the mesh, and what selects its inbounds, in steps: before and after', async () => {
    const turnsBeside = async (count: number): Promise<number> => {
      const plane = newPlane(openTestStore(join(scope.folder(), 'meridian.db')));
      scope.add(() => plane.store.close());
      const documents = Array.from({ length: count }, (_, index) => OPEN(`p${index}`, `spiffe://td/${index}`));
      if (count > 0) writeDocuments(plane, parseDocuments(documents.join('\n---\n')));
      // Each step is a turn of its own.
      const { result, charged } = run(plane, OPEN('open', 'spiffe://td/a'), 11);
      await result;
      return charged.length;
    };
    const [few, many] = [await turnsBeside(0), await turnsBeside(200)];
    // Of each: read twice, sorted twice, once more for each of the three inbounds that are counted.
    assert.ok(many - few > 200 * 5, `${few} turns, ${many} beside 200 permissions`);
  });

  it('ends when the client is gone', async () => {
    const gone = new AbortController();
    const { result, charged } = run(newPlane(), OPEN('open', 'spiffe://td/a'), 6, gone.signal);
    gone.abort();
    await assert.rejects(result, /the client is gone/);
    assert.ok(charged.length <= 2, `${charged.length} turns`);
  });

  describe('with access policies', () => {
    const LABELLED = (name: string, app: string) => PROXY(name).replace('mesh: default', `mesh: default, labels: {app: ${app}}`);
    const ACCESS = (type: string, action: string, from: string) =>
      `{type: ${type}, mesh: default, name: x, spec: {action: ${action}, from: [{workloadSelector: {matchLabels: {${from}}}}], to: [{workloadSelector: {matchLabels: {'service:name': a}}}]}}`;
    /** What is said of each proxy at inbound a: what it gets. */
    async function told(plane: Plane, text: string): Promise<string[]> {
      const { impacts, complete } = await run(plane, text).result;
      assert.ok(complete);
      return impacts.flatMap(({ changes, sets }) =>
        changes.flatMap(({ inbounds, callers }) =>
          callers.flatMap(({ from, verdicts }) =>
            from.flatMap((caller) =>
              caller.kind !== 'dataplanes'
                ? []
                : (sets[caller.set]?.dataplanes ?? []).flatMap(({ key }) =>
                    verdicts.map(
                      ({ after }) =>
                        `${key.name} to ${inbounds.map((one) => one.dataplane.key.name).join()}: ${after.decision} by ${after.decidedBy?.type ?? 'nobody'}`,
                    ),
                  ),
            ),
          ),
        ),
      );
    }

    it('says who gains and loses: by a policy, a label, a proxy that is new', async () => {
      const plane = newPlane();
      writeDocuments(plane, parseDocuments(LABELLED('b', 'web')));
      const allow = ACCESS('AccessPolicy', 'allow', "'k8s:label:app': web");
      assert.deepEqual(await told(plane, allow), ['b to a: Allow by AccessPolicy']);
      writeDocuments(plane, parseDocuments(allow));
      assert.deepEqual(await told(plane, LABELLED('b', 'evil')), ['b to a: Deny by nobody']);
      assert.deepEqual(await told(plane, LABELLED('d', 'web')), ['d to a: Allow by AccessPolicy']);
      assert.deepEqual(await told(plane, ACCESS('PrivilegedAccessPolicy', 'deny', '')), ['b to a: Deny by PrivilegedAccessPolicy']);
      assert.deepEqual(await told(plane, LABELLED('c', 'other')), []);
    });

    it('and by what permissions allowed before one of them selects the service', async () => {
      const plane = newPlane();
      writeDocuments(plane, parseDocuments(OPEN('open', 'spiffe://default.east.mesh.local/dataplane/c')));
      assert.deepEqual(await told(plane, ACCESS('AccessPolicy', 'allow', "'k8s:label:app': web")), ['c to a: Deny by nobody']);
    });

    it('and by the attributes of a site, in every mesh', async () => {
      const plane = newPlane();
      const global = { ...plane, place: GLOBAL };
      writeDocuments(plane, parseDocuments(`${LABELLED('b', 'web')}\n---\n${ACCESS('AccessPolicy', 'allow', "'site:location': aws")}`));
      const site = '{type: Zone, name: east, attributes: {location: aws/us-east}}';
      assert.deepEqual(await told(global, site), ['b to a: Allow by AccessPolicy']);
    });
  });
});
