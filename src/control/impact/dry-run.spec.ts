import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

function newPlane(): Plane {
  const plane = { store: openTestStore(), now: () => '2026-01-01T00:00:00Z' };
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

  it('ends when the client is gone', async () => {
    const gone = new AbortController();
    const { result, charged } = run(newPlane(), OPEN('open', 'spiffe://td/a'), 6, gone.signal);
    gone.abort();
    await assert.rejects(result, /the client is gone/);
    assert.ok(charged.length <= 2, `${charged.length} turns`);
  });
});
