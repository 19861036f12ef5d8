import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GLOBAL_PEER, NOBODY, OTHERS } from '../../src/resource/audience.ts';
import type { Durability, Transaction } from '../../src/resource/store/store.ts';
import { key, resource } from '../harness/sample-store.ts';
import { openTestStore, type TestStore } from '../harness/test-store.ts';
import { Scope } from '../harness/scope.ts';
import { seeded } from '../simulator/random.ts';
import { Disk, type FileEvent, readEvents } from './lost-writes.ts';

/**
 * A power cut, below the file system: what a store did to its files is traced, and the disk is what was synced until
 * some moment, with any of the sectors that were written since. Another thing than kill -9, after which the system
 * still writes all.
 */

const COMMITS = 200;
const CUTS = 40;
const TRACER = fileURLToPath(new URL('trace-writes.py', import.meta.url));
const [path, lies] = process.argv.slice(2);

const scope = new Scope();
/**
 * Commit n is a write of its own (it says so when it is on the disk), or copies and their cursor, which are left for
 * later; now and then all is told to a peer. A store that lies says of all commits that they are on the disk.
 */
function write(store: TestStore, lying: boolean): void {
  const random = seeded(7);
  for (let n = 1; n <= COMMITS; n++) {
    const copies = random.chance(0.6);
    const durability: Durability = copies || lying ? 'later' : 'at once';
    if (random.chance(0.2)) store.commitEach([(tx) => tx.setSetting('n', String(n)), () => assert.fail()]);
    store.commit((tx) => change(tx, n, random.below(6_000)), durability);
    if (random.chance(0.1) && !lying) store.toDisk();
    else if (copies) continue;
    process.stdout.write(`${n}\n`);
  }
}

function change(tx: Transaction, n: number, size: number): void {
  const wire = 'x'.repeat(size);
  for (const name of ['left', 'right', `n${n % 50}`]) tx.put(resource(key(name), { spec: { n, wire } }), OTHERS, `${n}${wire}`);
  tx.put(resource(key('copy', 'west'), { spec: { n } }), NOBODY, '');
  tx.mirror.put(GLOBAL_PEER, { key: key('copy', 'west'), wire, hash: String(n), term: 1 });
  tx.mirror.setPosition(GLOBAL_PEER, { store: 's', term: 1, revision: n, digest: 'd', count: n, signature: 'x' });
}

/** Why nothing can be traced here: another system, no Python 3, or a container that refuses ptrace. */
function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'the tracer needs ptrace of Linux';
  const { error, status, stderr } = spawnSync('python3', [TRACER, scope.folder(), 'true'], { encoding: 'utf8' });
  return error || status !== 0 ? `nothing can be traced here: ${error?.message ?? stderr.trim().split('\n').at(-1)}` : undefined;
}

function traceOf(folder: string, lying: boolean): FileEvent[] {
  const program = [process.execPath, fileURLToPath(import.meta.url), join(folder, 'meridian.db'), String(lying)];
  const env = { ...process.env, NODE_TEST_CONTEXT: '' };
  return readEvents(execFileSync('python3', [TRACER, folder, ...program], { env, maxBuffer: 2 ** 30, encoding: 'utf8' }));
}

/** What is wrong with the store on the disk after the power was cut; undefined: nothing. */
function fault(files: ReadonlyMap<string, Buffer>, acknowledged: number): string | undefined {
  const place = join(scope.folder(), 'data', 'meridian.db');
  mkdirSync(dirname(place));
  for (const [name, bytes] of files) if (!name.endsWith('-shm')) writeFileSync(join(dirname(place), name), bytes);
  const store = openTestStore(place);
  try {
    const { revision } = store.head();
    const seen = [store.mirror.position(GLOBAL_PEER)?.revision ?? 0, Number(store.mirror.get(GLOBAL_PEER, key('copy', 'west'))?.hash ?? 0)];
    for (const one of [key('left'), key('right'), key('copy', 'west')]) seen.push(Number(store.get(one)?.resource.spec.n ?? 0));
    if (seen.some((n) => n !== revision)) return `revision ${revision} beside ${seen.join(', ')}`;
    assert.equal(store.feed.summaryAt('east', 0)?.count, 0);
    return revision < acknowledged ? `revision ${revision}, acknowledged ${acknowledged}` : undefined;
  } finally {
    store.close();
  }
}

/** The faults after so many power cuts, at moments of which some are in the middle of a checkpoint. */
function faults(events: readonly FileEvent[], seed: number): (string | undefined)[] {
  const random = seeded(seed);
  const first = events.findIndex((event) => event.do === 'said');
  const cuts = new Set(Array.from({ length: CUTS }, () => first + random.below(events.length - first)));
  const disk = new Disk();
  let acknowledged = 0;
  return events.flatMap((event, index) => {
    disk.apply(event);
    if (event.do === 'said') acknowledged = Number(event.text);
    return cuts.has(index) ? [fault(disk.afterPowerCut(random), acknowledged)] : [];
  });
}

if (path !== undefined) {
  const store = openTestStore(path);
  write(store, lies === 'true');
  store.close();
} else {
  after(() => scope.close());
  const skip = whyNot() ?? false;

  test('a power cut: what was acknowledged is there, and the cursor is as old as the copies', { skip }, () => {
    const seed = Math.floor(Math.random() * 1e9);
    const found = faults(traceOf(join(scope.folder(), 'data'), false), seed);
    assert.deepEqual(
      found.filter((one) => one !== undefined),
      [],
      `seed ${seed}`,
    );
  });

  test('a store that did not wait for the disk would be found out', { skip }, () => {
    const found = faults(traceOf(join(scope.folder(), 'data'), true), 1);
    assert.ok(found.some((one) => /acknowledged/.test(one ?? '')));
  });
}
