import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const RECORD = {
  id: '0a1b',
  name: 'ci',
  role: 'read-only',
  issued: '2026-01-01T00:00:00.000Z',
  expires: '2026-01-02T00:00:00.000Z',
  issuedBy: 'loopback',
};
const TOKEN = 'header.claims.signature';

describe('meridianctl token', { concurrency: 2 }, () => {
  it('issue prints the token alone, and what it is beside it', async (t) => {
    const stub = await startStub(t, () => ({ status: 201, body: { ...RECORD, token: TOKEN } }));
    const args = ['token', 'issue', '--name', 'ci', '--role', 'read-only', '--valid-for', '24h', '--url', stub.url];
    const done = await meridianctl(args);
    assert.deepEqual([done.code, done.out], [0, `${TOKEN}\n`]);
    assert.match(done.err, /token 0a1b of ci, read-only, until 2026-01-02/);
    assert.deepEqual(JSON.parse(stub.asked[0]?.body ?? ''), { name: 'ci', role: 'read-only', validFor: '24h' });
    const json = await meridianctl([...args, '--zone', 'east', '-o', 'json']);
    assert.deepEqual([JSON.parse(json.out), json.err], [{ ...RECORD, token: TOKEN }, '']);
    assert.equal((JSON.parse(stub.asked[1]?.body ?? '') as { zone: string }).zone, 'east');
  });

  it('list shows what there is, revoked ones too', async (t) => {
    const items = [RECORD, { ...RECORD, id: '0a1c', role: 'zone-operator', zone: 'east', revoked: RECORD.issued }];
    const stub = await startStub(t, () => ({ body: { total: 2, items, next: null } }));
    const { code, out } = await meridianctl(['token', 'list', '--url', stub.url]);
    assert.equal(code, 0);
    assert.match(
      out,
      /^ID +NAME +ROLE +EXPIRES +ISSUED BY\n0a1b +ci +read-only +2026-01-02T\S+ +loopback\n0a1c +ci +zone-operator \(east\) +revoked +loopback\n$/,
    );
  });

  it('revoke and rotate-key say what they did', async (t) => {
    const stub = await startStub(t, ({ method }) => ({ body: method === 'DELETE' ? { ...RECORD, revoked: RECORD.issued } : { kid: 'k' } }));
    const run = async (...args: string[]) => (await meridianctl(['token', ...args, '--url', stub.url])).out;
    assert.equal(await run('revoke', '0a/1b'), 'token 0a/1b revoked\n');
    assert.equal(await run('rotate-key'), 'tokens are signed with a new key\n');
    assert.equal(await run('rotate-key', '--revoke', '--yes'), 'no token that was issued before holds any more\n');
    assert.deepEqual(
      stub.asked.map(({ method, path, body }) => `${method} ${path} ${body}`),
      ['DELETE /tokens/0a%2F1b ', 'POST /tokens/keys {"revoke":false}', 'POST /tokens/keys {"revoke":true}'],
    );
  });

  const wrong: [args: string[], says: RegExp][] = [
    [['issue', '--role', 'admin', '--valid-for', '1h'], /--name/],
    [['issue', '--name', 'a', '--valid-for', '1h'], /--role/],
    [['issue', '--name', 'a', '--role', 'root', '--valid-for', '1h'], /admin, zone-operator, read-only/],
    [['issue', '--name', 'a', '--role', 'admin'], /--valid-for/],
    [['revoke'], /id/],
  ];
  for (const [args, says] of wrong) {
    it(`wants more than ${args.join(' ')}`, async () => {
      const { code, err } = await meridianctl(['token', ...args]);
      assert.equal(code, 2);
      assert.match(err, says);
    });
  }
});
