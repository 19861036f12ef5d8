import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { turns } from '../../src/control/plane/long-turns.ts';
import { Scope } from '../harness/scope.ts';
import { ask, newApi, type TestedApi, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const TD = 'spiffe://default';

async function zoneWith(count: number): Promise<TestedApi> {
  const api = newApi(scope, WEST);
  const permissions = Array.from({ length: count }, (_, index) => ({
    type: 'MeshTrafficPermission',
    mesh: 'default',
    name: `p${index}`,
    spec: { default: { allow: [{ spiffeId: { type: 'Exact', value: `${TD}/ns/a/sa/s${index}` } }] } },
  }));
  const inbound = [
    { port: 8080, name: 'main', tags: { 'kuma.io/service': 'web', 'kuma.io/protocol': 'http' } },
    { port: 9090, tags: { 'kuma.io/service': 'web', 'kuma.io/protocol': 'tcp' } },
  ];
  const web = { type: 'Dataplane', mesh: 'default', name: 'web', networking: { address: '127.0.0.1', inbound } };
  assert.equal((await ask(api, 'POST', '/apply', [web, ...permissions])).status, 200);
  return api;
}

describe('POST /can/many', () => {
  it('answers each question as POST /can does, or with the error that it would give', async () => {
    const api = await zoneWith(2);
    const from = { spiffeId: `${TD}/ns/a/sa/s1` };
    const questions = [
      { from, to: { dataplane: 'web', port: 'main' }, method: 'GET', path: '/' },
      { from: { spiffeId: `${TD}/ns/b` }, to: { dataplane: 'web', port: 9090 } },
      { from: { tags: { 'kuma.io/service': 'web' } }, to: { mesh: 'default', dataplane: 'web', port: 9090 } },
      { from, to: { dataplane: 'web' } },
      { from, to: { dataplane: 'nobody' } },
      { from, to: { mesh: 'nowhere', dataplane: 'web' } },
      { from: {}, to: { dataplane: 'web' } },
      { from, to: { dataplane: 'web' }, speck: 1 },
      'not a question',
      null,
      { from: { spiffeId: 'no id' }, to: { dataplane: 'web', port: 'main' } },
    ];
    const { status, body } = await ask(api, 'POST', '/can/many', { questions });
    assert.equal(status, 200, JSON.stringify(body));
    const singly = [];
    for (const question of questions) {
      const one = await ask(api, 'POST', '/can', JSON.stringify(question));
      singly.push(one.status === 200 ? { verdict: one.body } : { error: one.body });
    }
    assert.deepEqual(body.answers, singly);
    assert.deepEqual(
      body.answers.map((one: { verdict?: { decision: string }; error?: { status: number } }) => one.verdict?.decision ?? one.error?.status),
      ['Allow', 'Deny', 'Deny', 400, 404, 404, 400, 400, 400, 400, singly.at(-1)?.verdict?.decision ?? 400],
    );
  });

  const one = { from: { spiffeId: TD }, to: { dataplane: 'web' } };
  const refused: [title: string, body: unknown][] = [
    ['no list', {}],
    ['an empty list', { questions: [] }],
    ['1,001 of them', { questions: Array.from({ length: 1_001 }, () => one) }],
    ['anything beside', { questions: [one], dryRun: true }],
    ['a list alone', [one]],
  ];
  it('refuses what is no list of 1 to 1,000 questions', async () => {
    const api = await zoneWith(0);
    for (const [title, sent] of refused) {
      const { status, body } = await ask(api, 'POST', '/can/many', sent);
      assert.deepEqual([status, body.invalid_parameters?.[0].field], [400, 'questions'], title);
    }
  });

  it('answers a thousand in turns of the event loop, of a mesh with a thousand permissions', async () => {
    const api = await zoneWith(1_000);
    const questions = Array.from({ length: 1_000 }, (_, index) => ({
      from: { spiffeId: `${TD}/ns/a/sa/s${index}` },
      to: { dataplane: 'web', port: 'main' },
    }));
    let others = 0;
    const ticking = setInterval(() => (others += 1), 1);
    const began = performance.now();
    const { status, body } = await ask(api, 'POST', '/can/many', { questions });
    const took = performance.now() - began;
    clearInterval(ticking);
    assert.equal(status, 200);
    assert.ok(body.answers.every((answer: { verdict?: { decision: string } }) => answer.verdict?.decision === 'Allow'));
    assert.ok(others > 3, `others had the loop ${others} times in ${took} ms: ${JSON.stringify(turns.longest().slice(0, 3))}`);
  });
});
