import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, apiOn, ask, EAST, newApi, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

type IssueBody = { mesh: string; name: string; validFor: number };

/** An API whose tokens are counted, with one Dataplane. */
async function newIssuer(place: typeof EAST): Promise<{ asked: TestedApi; issued: IssueBody[]; revoked: () => number }> {
  const issued: IssueBody[] = [];
  let revoked = 0;
  const issue = (proxy: { mesh: string; name: string }, validFor: number) => {
    issued.push({ ...proxy, validFor });
    return { token: 'a-token', nodeId: `${proxy.mesh}.${proxy.name}`, expires: '2026-01-02T00:00:00.000Z' };
  };
  const asked = apiOn(scope, newApi(scope, place).plane, undefined, '127.0.0.1', {
    proxyTokens: { issue, revokeAll: () => void revoked++ },
  });
  const networking = { address: '127.0.0.1', inbound: [{ port: 1, tags: { 'kuma.io/service': 'a' } }] };
  assert.equal((await ask(asked, 'POST', '/apply', { type: 'Dataplane', mesh: 'default', name: 'a', networking })).status, 200);
  return { asked, issued, revoked: () => revoked };
}

it('makes a token for a Dataplane that is there, under its REST name', async () => {
  for (const [place, name] of [
    [EAST, 'a.kuma-system'],
    [WEST, 'a'],
  ] as const) {
    const { asked, issued } = await newIssuer(place);
    const answer = await ask(asked, 'POST', '/_proxy-tokens', { mesh: 'default', dataplane: 'a' });
    assert.deepEqual(answer.body, { token: 'a-token', nodeId: `default.${name}`, expires: '2026-01-02T00:00:00.000Z' });
    for (const validFor of ['90s', '2m', '24h']) await ask(asked, 'POST', '/_proxy-tokens', { mesh: 'default', dataplane: name, validFor });
    assert.deepEqual(
      issued,
      [31_536_000, 90, 120, 86_400].map((seconds) => ({ mesh: 'default', name, validFor: seconds })),
    );
  }
});

it('refuses what it can’t make one for', async () => {
  const { asked, issued } = await newIssuer(EAST);
  const order = { mesh: 'default', dataplane: 'a' };
  const bad: readonly (readonly [body: unknown, status: number, field?: string])[] = [
    [{ ...order, dataplane: 'b' }, 404],
    [{ ...order, mesh: 'other' }, 404],
    [{ mesh: 'default' }, 400, 'dataplane'],
    [{ ...order, mesh: 1 }, 400, 'mesh'],
    [{ ...order, valid: '1h' }, 400, '"valid"'],
    ...['', '0s', '1', '1d', '-1h', '1.5h', '87601h', 3600].map((validFor) => [{ ...order, validFor }, 400, 'validFor'] as const),
    [[], 400, 'document'],
  ];
  for (const [body, status, field] of bad) {
    const answer = await ask(asked, 'POST', '/_proxy-tokens', body);
    assert.equal(answer.status, status, JSON.stringify(body));
    if (field)
      assert.deepEqual(
        answer.body.invalid_parameters.map((one: { field: string }) => one.field),
        [field],
      );
  }
  assert.deepEqual(issued, []);
  assert.equal((await ask(newApi(scope, WEST), 'POST', '/_proxy-tokens', order)).status, 404);
});

it('revokes all of a zone, and says so in the audit log', async () => {
  const { asked, revoked } = await newIssuer(EAST);
  assert.deepEqual(await ask(asked, 'DELETE', '/_proxy-tokens').then(({ status, body }) => [status, body]), [200, {}]);
  assert.equal(revoked(), 1);
  const { items } = (await ask(asked, 'GET', '/_audit')).body;
  assert.ok(items.some(({ operation, outcome }: Record<string, string>) => operation === 'revokeProxyTokens' && outcome === 'done'));
  assert.equal((await ask(newApi(scope, WEST), 'DELETE', '/_proxy-tokens')).status, 404);
});
