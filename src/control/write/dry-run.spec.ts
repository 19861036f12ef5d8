import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDocuments } from '../../resource/documents/parse-documents.ts';
import { GLOBAL } from '../../resource/resource.ts';
import type { Plane } from '../plane/plane.ts';
import { tryDocuments } from '../../../test/harness/dry-run.ts';
import { openTestStore } from '../../../test/harness/test-store.ts';
import { writeDocuments } from '../../../test/harness/write-drafts.ts';

function newPlane(): Plane {
  return { place: GLOBAL, store: openTestStore(), now: () => '2026-01-01T00:00:00Z' };
}

const MESH = '{type: Mesh, name: default}';
const SLOW = '{type: MeshTimeout, mesh: default, name: slow, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}';
const SLOWER = SLOW.replace('1s', '2s');

/** All that a store would tell anybody. */
function state({ store }: Plane): unknown {
  const rows = ['Mesh', 'MeshTimeout'].flatMap((type) => [...store.each(type)]);
  const names = rows.map(({ resource }) => store.assignedName(resource.key));
  return { head: store.head(), rows, names, feed: store.feed.summary('east'), held: store.counts() };
}

describe('a dry run', () => {
  const cases: [title: string, before: string, applied: string][] = [
    ['all new', '', `${MESH}\n---\n${SLOW}`],
    ['in another order', '', `${SLOW}\n---\n${MESH}`],
    ['changed', `${MESH}\n---\n${SLOW}`, SLOWER],
    ['unchanged', `${MESH}\n---\n${SLOW}`, SLOW],
    ['nothing', MESH, ''],
  ];
  for (const [title, before, applied] of cases) {
    it(`tells what a write would do, and does nothing: ${title}`, () => {
      const plane = newPlane();
      writeDocuments(plane, parseDocuments(before));
      const untouched = state(plane);
      const told = tryDocuments(plane, parseDocuments(applied));
      assert.deepEqual(state(plane), untouched);
      assert.deepEqual(writeDocuments(plane, parseDocuments(applied)), told);
    });
  }

  it('refuses as a write would', () => {
    const plane = newPlane();
    const refusals = [tryDocuments, writeDocuments].map((write) => {
      try {
        return write(plane, parseDocuments(SLOW));
      } catch (thrown) {
        return thrown;
      }
    });
    assert.equal((refusals[0] as { code: string }).code, 'not_found');
    assert.deepEqual(refusals[0], refusals[1]);
  });

  it('leaves the store open for the next commit', () => {
    const plane = newPlane();
    tryDocuments(plane, parseDocuments(MESH));
    writeDocuments(plane, parseDocuments(MESH));
    assert.equal(plane.store.head().revision, 1);
  });
});
