import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type HttpCaller, http2Caller, httpCaller, tcpCaller } from '../harness/caller.ts';
import type { IssuedCertificate } from '../harness/certificates.ts';
import { type EnforcingZone, from, lists, permission, startEnforcingZone } from '../harness/enforcing-zone.ts';
import { DRAIN_SECONDS } from '../harness/envoy.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/** A caller that has a connection open loses its permission, before a real Envoy that a real zone feeds. */

const scope = new Scope();
after(() => scope.close());

const [WEB, OTHER] = ['spiffe://default/web', 'spiffe://default/other'];
const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });
/** All may; `web` may in each shape. */
const ALL = lists({ allow: [exact(WEB), exact(OTHER)] });
const service = (name: string) => ({ kind: 'MeshService', name });

let served: EnforcingZone;
let web: IssuedCertificate;
let other: IssuedCertificate;

before(async () => {
  served = await startEnforcingZone(scope, { web: 'http', db: 'tcp', cache: 'tcp' });
  [web, other] = [await served.authority.issue('web', [WEB]), await served.authority.issue('other', [OTHER])];
  await served.apply(permission('cache', 'cache', ALL));
});

/** What takes the permission of `web` away, and leaves that of `other`. */
const REVOCATIONS: Readonly<Record<string, readonly [before: object, after: object | undefined]>> = {
  'a deny is added': [ALL, lists({ allow: [exact(WEB), exact(OTHER)], deny: [exact(WEB)] })],
  'an allow is taken away': [ALL, lists({ allow: [exact(OTHER)] })],
  '`from` denies it': [
    from([service('web'), 'Allow'], [service('other'), 'Allow']),
    from([service('web'), 'Deny'], [service('other'), 'Allow']),
  ],
  'a shape is put in place of another': [ALL, from([service('other'), 'Allow'])],
};

async function statuses(callers: readonly HttpCaller[]): Promise<string> {
  return (await Promise.all(callers.map(async ({ ask }) => (await ask()).status))).join();
}

describe('on open HTTP connections', () => {
  for (const [what, [allowing, revoking]] of Object.entries(REVOCATIONS)) {
    it(`${what}: 403 on them, HTTP/1.1 and HTTP/2, and the other goes on`, async () => {
      const port = served.port('web');
      const callers = [httpCaller, http2Caller].flatMap((caller) => [caller(scope, port, web), caller(scope, port, other)]);
      await served.apply(permission('p', 'web', allowing));
      await until('both get in', async () => (await statuses(callers)) === '200,200,200,200');
      await served.apply(permission('p', 'web', revoking ?? {}));
      await until('one does not any more', async () => (await statuses(callers)) === '403,200,403,200');
      assert.deepEqual(
        callers.map(({ connections }) => connections()),
        [1, 1, 1, 1],
      );
    });
  }

  it('the last policy goes: 403 on them', async () => {
    const callers = [httpCaller, http2Caller].map((caller) => caller(scope, served.port('web'), other));
    await served.apply(permission('p', 'web', ALL));
    await until('it gets in', async () => (await statuses(callers)) === '200,200');
    await served.remove('p');
    await until('nobody does any more', async () => (await statuses(callers)) === '403,403');
    assert.deepEqual(
      callers.map(({ connections }) => connections()),
      [1, 1],
    );
  });
});

describe('on open TCP connections', () => {
  beforeEach(async () => {
    await served.apply(permission('p', 'db', ALL));
    await until('it gets in', async () => (await tcpCaller(scope, served.port('db'), web).say('a')) === 'a');
  });

  it('the drain time is the one that the Envoy was started with', async () => {
    const info = JSON.parse(await served.envoy.admin('/server_info')) as { command_line_options: Record<string, string> };
    assert.equal(info.command_line_options.drain_time, `${DRAIN_SECONDS}s`);
  });

  for (const [what, revoke] of [
    ...Object.entries(REVOCATIONS).map(
      ([name, [, revoking]]) => [name, () => served.apply(permission('p', 'db', revoking ?? {}))] as const,
    ),
    ['the last policy goes', () => served.remove('p')] as const,
  ]) {
    it(`${what}: one that is idle ends and one that talks, and nobody gets in again`, async () => {
      const [idle, busy, elsewhere] = [...['db', 'db', 'cache'].map((inbound) => tcpCaller(scope, served.port(inbound), web))];
      assert.ok(idle && busy && elsewhere);
      for (const caller of [idle, busy, elsewhere]) assert.equal(await caller.say('b'), 'b');
      await revoke();
      await until('no new one is let in', async () => (await tcpCaller(scope, served.port('db'), web).say('c')) === undefined);
      await until('the one that talks ends', async () => (await busy.say('d')) === undefined);
      await until('the idle one ends', () => idle.closed());
      assert.equal(await elsewhere.say('e'), 'e', 'of another inbound');
    });
  }
});
