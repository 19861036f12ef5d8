import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { ProxyRules } from '../control/enforce/proxy-rules.ts';
import type { Parts } from '../resource/store/parts.ts';
import { nodeId, type ProxyId } from '../xds/server/proxy-id.ts';
import { ChangeSender } from './send-changes.ts';

const proxy = (name: string, mesh = 'default'): ProxyId => ({ mesh, name });
const rules = (...warnings: string[]): ProxyRules => ({ inbounds: [], problems: [], warnings });
const [a, b, c] = [proxy('a'), proxy('b'), proxy('c', 'other')];

let connected: ProxyId[];
/** The rules of now, by node id. */
let now: Map<string, ProxyRules>;
/** What each was told, in order, with the rules that it was told of; `|` stands for a turn of the event loop. */
let seen: string[];
/** Called in each turn that others have. */
let meanwhile: () => void;
/** Of this mesh nothing can be worked out. */
let broken: string | undefined;
let sender: ChangeSender;

async function inTurnsOf<T>(work: Parts<T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    seen.push('|');
    await Promise.resolve();
    meanwhile();
  }
}

beforeEach(() => {
  [connected, seen, meanwhile, broken] = [[a, b, c], [], () => {}, undefined];
  now = new Map([a, b, c].map((one) => [nodeId(one), rules('1')]));
  const ofProxy = (mesh: string, name: string) => {
    if (mesh === broken) throw new Error('a disk that can not be read');
    return now.get(nodeId({ mesh, name }));
  };
  const prepare = function* (mesh: string): Parts<void> {
    if (mesh === broken) throw new Error('a disk that can not be read');
    yield* [];
  };
  const changed = (one?: ProxyId) => void seen.push(one ? `${one.name}${now.get(nodeId(one))?.warnings.join() ?? ''}` : 'all');
  sender = new ChangeSender({ connected: () => connected, changed }, { rulesOf: ofProxy, prepare }, (_, work) => inTurnsOf(work));
});

/** Whom a commit made us tell. */
async function commit(): Promise<string> {
  seen = [];
  await sender.changed();
  return seen.filter((one) => one !== '|').join(' ');
}

test('only connected proxies are told, and only those whose rules are other ones', async () => {
  connected = [a, b];
  assert.equal(await commit(), 'a1 b1');
  assert.equal(await commit(), '');
  now.set(nodeId(b), rules('2'));
  assert.equal(await commit(), 'b2');
});

test('others have a turn after each proxy', async () => {
  await commit();
  assert.equal(seen.join(''), 'a1|b1|c1|');
});

test('who went and came back is told again', async () => {
  await commit();
  connected = [b];
  assert.equal(await commit(), '');
  connected = [a, b];
  assert.equal(await commit(), 'a1');
});

test('who has no rules, or none that can be worked out, is always told: the snapshot shows why', async () => {
  await commit();
  now.delete(nodeId(a));
  broken = 'other';
  for (let time = 0; time < 2; time++) assert.equal(await commit(), 'a c1', 'one mesh that can not be read holds up no other');
  broken = undefined;
  assert.equal(await commit(), 'a c1', 'what it has may be older');
});

test('each gets what there is in its turn; who had its turn before a commit is told in another round', async () => {
  let turns = 0;
  meanwhile = () => {
    if (++turns !== 2) return;
    now = new Map([a, b, c].map((one) => [nodeId(one), rules('2')]));
    void sender.changed();
  };
  assert.equal(await commit(), 'a1 b1 c2 a2 b2');
});

test('commits without end hold up nobody: each round sees all of them', async () => {
  let turns = 0;
  meanwhile = () => {
    if (++turns > 9) return;
    now.set(nodeId(a), rules(String(turns)));
    void sender.changed();
  };
  assert.equal(await commit(), 'a1 b1 c1 a3 a6 a9');
});

test('who is not told yet when it ends keeps what it has', async () => {
  meanwhile = () => sender.stop();
  assert.equal(await commit(), 'a1');
});
