import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Scope } from '../harness/scope.js';
import { until } from '../harness/until.js';
import type { Attacker } from './attacker.js';
import { CLAIMS, LIES, SQUATTED, TEXTS, VOID } from './attacks.js';
import { flood, rss } from './flood.js';
import { namesOf, othersOf, peerOf, playScene, put, reaches, type Scene } from './scene.js';

const scope = new Scope();
after(() => scope.close());

let scene: Scene;
let held: { global: string; east: string };

const TO = [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: '1s' } }];
const SERVICE = { selector: { dataplaneTags: { app: 'b' } }, ports: [{ port: 80 }] };
const RULES = [{ default: { allow: [{ spiffeID: { type: 'Exact', value: 'spiffe://default/ok' } }] } }];

before(async () => {
  scene = await playScene(scope);
  const { global, east, west, east1 } = scene;
  await put(global, 'meshtimeouts', 'of-global', 'MeshTimeout', { to: TO });
  await put(east, 'meshtrafficpermissions', 'allow.app', 'MeshTrafficPermission', { rules: RULES });
  await put(east, 'meshtimeouts', 'slow.1a', 'MeshTimeout', { to: TO });
  await put(east, 'meshservices', 'backend.app', 'MeshService', SERVICE);
  await put(east, 'meshservices', 'web.1a', 'MeshService', SERVICE);
  for (const attacker of [west, east1]) await honest(attacker);
  await until('global has what east wrote', async () => (await peerOf(global, 'east'))?.upToDate && /allow/.test(await othersOf(global)));
  await reaches(scene, 'the start');
  held = { global: await othersOf(global), east: await othersOf(east) };
  for (const name of ['of-global', 'allow', 'slow', 'backend', 'web']) assert.match(held.global, new RegExp(`"${name}`));
});

/** In a new life, and believed again. */
async function honest(attacker: Attacker): Promise<void> {
  attacker.restart();
  await until(
    `${attacker.zone} is up to date`,
    async () => {
      const peer = await peerOf(scene.global, attacker.zone);
      return peer?.about?.version === attacker.version && peer.upToDate && peer.stopped === null && Number(peer.failures) === 0;
    },
    15,
  );
}

/** Nothing of others changed, others are heard, and global is the process that it was. */
async function unharmed(what: string): Promise<void> {
  await reaches(scene, what);
  assert.equal(await othersOf(scene.global), held.global);
  assert.equal(await othersOf(scene.east), held.east);
  assert.ok(scene.global.running() && scene.east.running());
  const peer = await peerOf(scene.global, 'east');
  assert.deepEqual([peer?.stopped, peer?.upToDate, peer?.failures], [null, true, 0]);
  assert.equal((await scene.global.ready()).status, 200);
}

describe('a zone that was taken over sends what is no message', () => {
  for (const [what, make] of Object.entries(TEXTS)) {
    it(what, async () => {
      const { west } = scene;
      for (const data of make(west)) west.raw(data);
      await west.flush();
      await unharmed(what);
    });
  }

  it('and that is seen, once', () => {
    const lines = scene.global.log().filter(({ msg, peer }) => msg === 'a message was refused' && peer === 'west');
    assert.ok(lines.length >= 1 && lines.length <= 3, `${lines.length} lines`);
  });
});

describe('a zone that was taken over says what only others may', () => {
  for (const [what, { items, seen }] of Object.entries(CLAIMS)) {
    it(what, async () => {
      const { west, global } = scene;
      await honest(west);
      west.holds(items());
      await until('it is there, under its own zone, or refused and seen', async () => seen(global), 8);
      await unharmed(what);
      west.holds([]);
    });
  }
});

describe('a zone whose name and namespaces run together with those of another', () => {
  it("squats on the names of the other's copies, and gets others", async () => {
    const { east1, global, east } = scene;
    await honest(east1);
    east1.holds(SQUATTED);
    const taken = async (): Promise<boolean> => {
      const names = [...(await namesOf(global, 'meshtimeouts', 'slow')), ...(await namesOf(global, 'meshservices', 'web'))];
      return names.length === 4 && new Set(names).size === 4;
    };
    await until('each is at global, under a name of its own', taken);
    await until('the other zone has the service that is for all', async () => (await namesOf(east, 'meshservices', 'web')).length === 2);
    await unharmed('squatted names');
    east1.holds([]);
    await until('they are gone again', async () => (await namesOf(global, 'meshservices', 'web')).length === 1);
    await unharmed('squatted names that were given up');
  });
});

describe('a zone that was taken over lies about the exchange', () => {
  for (const [what, { run, seen }] of Object.entries(LIES)) {
    it(what, async () => {
      await honest(scene.west);
      await run(scene.west, scene);
      await until('it is seen', () => seen(scene), 20);
      await unharmed(what);
    });
  }

  for (const [what, run] of Object.entries(VOID)) {
    it(`${what}: nothing comes of it`, async () => {
      await honest(scene.west);
      await run(scene.west, scene);
      await scene.west.flush();
      await unharmed(what);
    });
  }

  it('floods', async () => {
    const lines = scene.global.log().length;
    for (const kind of ['noise', 'large', 'pulls', 'statuses', 'notices'] as const) {
      await honest(scene.west);
      await flood(scene.west, kind);
      await unharmed(kind);
    }
    assert.ok(rss(scene.global.pid) < 400, `${rss(scene.global.pid)} MB`);
    assert.ok(scene.global.log().length - lines < 100, `${scene.global.log().length - lines} lines of log`);
  });
});
