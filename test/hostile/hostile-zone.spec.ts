import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import type { Attacker } from './attacker.ts';
import { CLAIMS, LIES, many, REPLIES, SQUATTED, TEXTS, VOID } from './attacks.ts';
import { flood, rss } from './flood.ts';
import { get, itemsOf, MOST, namesOf, othersOf, peerOf, playScene, put, reaches, type HostileScene } from './scene.ts';

const scope = new Scope();
after(() => scope.close());

let scene: HostileScene;
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

/** What global logged last, for a failure. */
function lastWords(): string {
  return scene.global
    .log()
    .slice(-5)
    .map((line) => JSON.stringify(line))
    .join('\n');
}

/** Nothing of others changed, others are heard, and global is the process that it was. */
async function unharmed(what: string): Promise<void> {
  await reaches(scene, what);
  assert.equal(await othersOf(scene.global), held.global);
  assert.equal(await othersOf(scene.east), held.east);
  assert.ok(scene.global.running() && scene.east.running());
  // A flood that is faster than global reads may have cut its connection: it comes back by itself.
  const peer = await until(`east is up to date after ${what}`, async () => {
    const seen = await peerOf(scene.global, 'east');
    return seen?.upToDate && seen;
  });
  assert.deepEqual([peer.stopped, Number(peer.failures)], [null, 0], `${what}: ${lastWords()}`);
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

  it('reply subjects that point elsewhere: nothing of the answer comes there', async () => {
    const { west, east1, listen } = scene;
    await honest(west);
    const elsewhere = [await listen('east', 'meridian.v1.zone.east.down'), await listen('', 'meridian.v1.global')];
    const ids = REPLIES.map((_, n) => `abc${n}`);
    for (const [n, reply] of REPLIES.entries()) west.ask(`abc${n}`, reply);
    await until('west has its answers', () => ids.every((id) => west.heard.some(({ body }) => body.kind === 'page' && body.id === id)));
    await unharmed('reply subjects');
    for (const heard of [...elsewhere, east1.heard.map((message) => JSON.stringify(message))])
      assert.doesNotMatch(heard.join('\n'), /"id":"abc\d"/);
    assert.ok(elsewhere[0]?.length, 'the listener hears what is said to east');
  });

  it('and that is seen: once in the log, each time in the metrics', async () => {
    const metrics = await (await fetch(`${scene.global.diagnosticsUrl}/metrics`)).text();
    const refused = /^meridian_peer_incidents_total\{peer="west",event="a message was refused",code=""\} (\d+)$/m.exec(metrics)?.[1];
    assert.ok(
      Number(refused) > 50,
      `${refused} refused messages: ${metrics
        .split('\n')
        .filter((line) => line.includes('incidents'))
        .join('; ')}`,
    );
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

describe('a zone that was taken over wants more room than it may have', () => {
  const refusals = async (): Promise<readonly string[]> =>
    itemsOf((await peerOf(scene.global, 'west'))?.refused).map(({ reason }) => `${reason}`);

  it('more resources: those beyond are refused, it is told, and they are taken once there is room', async () => {
    const { west, global } = scene;
    await honest(west);
    west.holds(many(MOST.resources + 10));
    await until('ten are refused', async () => (await refusals()).filter((reason) => reason.startsWith('over_quota: ')).length === 10, 15);
    assert.equal(Number((await peerOf(global, 'west'))?.held?.resources), MOST.resources);
    west.say({ kind: 'pull', id: 'beef', ask: { mode: 'refusals' } });
    const told = await until('it is told', () => west.heard.find(({ body }) => body.kind === 'page' && body.id === 'beef'));
    assert.equal(told.lines.filter((line) => line.includes('over_quota: zone west')).length, 10);
    await unharmed('a zone over its quota');
    west.holds(many(MOST.resources + 10).slice(20));
    await until('all have room', async () => (await peerOf(global, 'west'))?.upToDate && (await refusals()).length === 0);
    await unharmed('a zone within its quota again');
  });

  it('twice as many: nothing of it is taken, and that is seen', async () => {
    const { west, global } = scene;
    await honest(west);
    west.holds(many(2 * MOST.resources + 1));
    await until('it fails', async () => Number((await peerOf(global, 'west'))?.failures) > 0, 15);
    const why = global.log().find(({ reason, peer }) => peer === 'west' && String(reason).startsWith('over_quota: '));
    assert.match(String(why?.reason), /zone west has 81 resources/);
    await unharmed('a zone far over its quota');
    west.holds([]);
    await honest(west);
  });
});

describe('a zone that claims to stand elsewhere', () => {
  it('stays where it introduced itself: what it sends is judged by that', async () => {
    const { west, global } = scene;
    await honest(west);
    west.claims = { environment: 'universal', systemNamespace: '' };
    west.holds(many(1));
    const found = await until('it is taken', async () => {
      const { items } = await get(`${global.url}/meshes/default/meshtimeouts?size=1000`);
      return itemsOf(items).find(({ labels }) => labels?.['kuma.io/zone'] === 'west' && labels['kuma.io/display-name'] === 'n0');
    });
    assert.equal(found.labels?.['kuma.io/env'], 'kubernetes');
    assert.match(`${found.kri}`, /^kri_mt_default_west_app_n0_$/);
    west.claims = { environment: 'kubernetes', systemNamespace: 'app' };
    west.holds(many(2));
    await until('the next one too, and as a consumer of a custom namespace', async () => {
      const { items } = await get(`${global.url}/meshes/default/meshtimeouts?size=1000`);
      const next = itemsOf(items).find(({ labels }) => labels?.['kuma.io/display-name'] === 'n1');
      return next?.labels?.['kuma.io/policy-role'] === 'consumer';
    });
    await unharmed('claims of another place');
    west.holds([]);
  });
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

  it('speaks in a life and a term at the end of all numbers', async () => {
    const { east1, global } = scene;
    const most = Number.MAX_SAFE_INTEGER;
    for (const more of [{ incarnation: most }, { incarnation: most, instance: 'ff' }, { term: most }, { term: most, incarnation: most }]) {
      east1.speaker = { ...east1.speaker, ...more };
      east1.say(east1.status());
      east1.say({ kind: 'pull', id: '6', ask: { mode: 'tail', revision: most, after: most } });
    }
    await until('it is heard', async () => (await peerOf(global, 'east1'))?.about?.version === `life ${most}`);
    await unharmed('the end of all numbers');
  });

  it('floods', async () => {
    const lines = scene.global.log().length;
    for (const kind of ['noise', 'large', 'pulls', 'statuses', 'notices'] as const) {
      await honest(scene.west);
      await flood(scene.west, kind);
      await unharmed(kind);
    }
    assert.ok(rss(scene.global.pid) < 600, `${rss(scene.global.pid)} MB`);
    assert.ok(scene.global.log().length - lines < 100, `${scene.global.log().length - lines} lines of log`);
  });
});
