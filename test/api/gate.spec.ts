import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { WriteQueue } from '../../src/control/plane/write-queue.ts';
import { after, describe, it } from 'node:test';
import { createGate } from '../../src/api/auth/auth-gate.ts';
import type { ApiRole } from '../../src/api/auth/principal.ts';
import { Tokens } from '../../src/api/auth/api-tokens.ts';
import { MeridianError } from '../../src/errors.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { newPlane } from './tokens.ts';

const scope = new Scope();
after(() => scope.close());

type Headers = Readonly<Record<string, string>>;

/** A request as Node gives it; the upgrade to a WebSocket is one too. */
function requestFrom(
  remoteAddress: string,
  headers: Headers = {},
  more: { raw?: string[]; encrypted?: boolean; url?: string } = {},
): IncomingMessage {
  const all: Headers = { host: '10.9.9.9', ...headers };
  const socket = { remoteAddress, ...(more.encrypted ? { encrypted: true } : {}) };
  const rawHeaders = [...Object.entries(all).flat(), ...(more.raw ?? [])];
  return { headers: all, rawHeaders, socket, url: more.url ?? '/' } as unknown as IncomingMessage;
}

function newGate({ loopbackAdmin = true, names = ['global.example'] } = {}) {
  const clock = { now: 0 };
  const log: string[] = [];
  const plane = newPlane(scope, GLOBAL);
  const tokens = new Tokens(plane, new WriteQueue(plane.store, setImmediate), Date.now);
  const gate = createGate({
    tokens,
    place: GLOBAL,
    names,
    loopbackAdmin,
    report: (...line) => void log.push(JSON.stringify(line)),
    monotonic: () => clock.now,
  });
  const issue = async (role: ApiRole = 'admin') => (await tokens.issue({ name: 'somebody', role, validFor: 60, issuedBy: 'a test' })).token;
  /** `name role`, `nobody`, or the code of the refusal. */
  const admit = async (request: IncomingMessage, right: 'anyone' | 'read' | 'admin' = 'read'): Promise<string> => {
    try {
      const principal = await gate.admit(request, right);
      return principal ? `${principal.name} ${principal.role}` : 'nobody';
    } catch (thrown) {
      assert.ok(thrown instanceof MeridianError);
      return thrown.code;
    }
  };
  return { gate, tokens, clock, log, issue, admit };
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

describe('who asks', () => {
  const { admit, issue } = newGate();
  const off = newGate({ loopbackAdmin: false });

  it('is an admin on this machine, where that is not turned off', async () => {
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      assert.equal(await admit(requestFrom(address), 'admin'), 'loopback admin');
      assert.equal(await off.admit(requestFrom(address)), 'unauthorized');
      assert.equal(await off.admit(requestFrom(address), 'anyone'), 'nobody');
    }
  });

  it('is nobody elsewhere', async () => {
    for (const address of ['10.0.0.1', 'fe80::1', '', '0.0.0.0', '::', '::ffff:10.0.0.1']) {
      assert.equal(await admit(requestFrom(address)), 'unauthorized');
      assert.equal(await admit(requestFrom(address), 'anyone'), 'nobody');
    }
  });

  const forwarding: Headers[] = [
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-for': '' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '127.0.0.1' },
    { 'x-forwarded-proto': 'https' },
  ];
  for (const headers of forwarding) {
    it(`is nobody of this machine behind a proxy that says ${JSON.stringify(headers)}`, async () => {
      const token = await issue('read-only');
      assert.equal(await admit(requestFrom('127.0.0.1', headers)), 'unauthorized');
      assert.equal(await admit(requestFrom('127.0.0.1', { ...headers, ...bearer(token) })), 'somebody read-only');
      assert.equal(await admit(requestFrom('127.0.0.1', { ...headers, ...bearer(token) }), 'admin'), 'forbidden');
    });
  }

  const authorizations: [authorization: string, what: string][] = [
    ['', 'empty'],
    ['Bearer', 'without a token'],
    ['Bearer ', 'with nothing behind it'],
    ['Basic YTpi', 'of another scheme'],
    ['TOKEN', 'without a scheme'],
    ['Bearer TOKEN TOKEN', 'with two tokens'],
    ['Bearer TOKEN, Bearer TOKEN', 'with two in a list'],
    [`Bearer ${'x'.repeat(9_000)}`, 'that is very long'],
    ['Token TOKEN', 'of no scheme that there is'],
  ];
  for (const [authorization, what] of authorizations) {
    it(`is nobody with an Authorization header ${what}, on this machine too`, async () => {
      const headers = { authorization: authorization.replaceAll('TOKEN', await issue()) };
      for (const address of ['127.0.0.1', '10.0.0.1']) {
        for (const right of ['read', 'anyone'] as const) assert.equal(await admit(requestFrom(address, headers), right), 'unauthorized');
      }
    });
  }

  it('shows one token: with two headers it is nobody, whichever is right', async () => {
    const token = await issue();
    for (const second of [token, 'a.b.c']) {
      for (const name of ['Authorization', 'AUTHORIZATION']) {
        const request = requestFrom('127.0.0.1', bearer(token), { raw: [name, `Bearer ${second}`] });
        assert.equal(await admit(request), 'unauthorized');
      }
    }
  });

  it('shows it in a header: in the URL or in a cookie it is none', async () => {
    const token = await issue();
    for (const query of ['access_token', 'token', 'authorization']) {
      assert.equal(await admit(requestFrom('10.0.0.1', {}, { url: `/meshes?${query}=${token}` })), 'unauthorized');
    }
    assert.equal(
      await admit(requestFrom('10.0.0.1', { cookie: `token=${token}`, 'x-auth-token': token, 'proxy-authorization': `Bearer ${token}` })),
      'unauthorized',
    );
  });
});

describe('from where', () => {
  const { admit, issue } = newGate();
  const of = (headers: Headers, encrypted = false) => admit(requestFrom('127.0.0.1', headers, { encrypted }));

  const cases: [headers: Headers, admitted: boolean, encrypted?: boolean][] = [
    [{ host: 'global.example' }, true],
    [{ host: 'GLOBAL.example:5681' }, true],
    [{ host: 'global.example.evil.example' }, false],
    [{ host: 'other.example' }, false],
    [{ host: '' }, false],
    [{ host: 'a', origin: 'http://a' }, false],
    [{ origin: 'http://10.9.9.9' }, true],
    [{ origin: 'http://10.9.9.9', upgrade: 'websocket' }, true],
    [{ origin: 'https://10.9.9.9' }, false],
    [{ origin: 'https://10.9.9.9' }, true, true],
    [{ origin: 'http://10.9.9.9' }, false, true],
    [{ origin: 'http://evil.example', upgrade: 'websocket', connection: 'upgrade' }, false],
    [{ origin: 'null' }, false],
    [{ origin: '' }, false],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, true],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, true],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, true],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, false],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, false],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'websocket' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
  ];
  for (const [headers, admitted, encrypted = false] of cases) {
    it(`${admitted ? 'answers' : 'refuses'} ${JSON.stringify(headers)}${encrypted ? ' over TLS' : ''}, with a token too`, async () => {
      assert.equal(await of(headers, encrypted), admitted ? 'loopback admin' : 'forbidden');
      assert.equal(await of({ ...headers, ...bearer(await issue()) }, encrypted), admitted ? 'somebody admin' : 'forbidden');
    });
  }
});

describe('how often', () => {
  it('wrong tokens are tried: 20 times, then one in 3 s, by address', async () => {
    const { admit, issue, clock, log } = newGate();
    const wrong = (address: string, token = 'secretsecret.b.c') => admit(requestFrom(address, bearer(token)));
    const known = await issue();
    assert.equal(await wrong('10.0.0.1', known), 'somebody admin');
    for (let time = 0; time < 20; time++) assert.equal(await wrong('10.0.0.1'), 'unauthorized');
    assert.equal(await wrong('10.0.0.1'), 'rate_limited');
    // One that was never seen is not looked at; one that was right before is still right.
    const fresh = await issue();
    assert.deepEqual([await wrong('10.0.0.1', fresh), await wrong('10.0.0.1', known)], ['rate_limited', 'somebody admin']);
    assert.deepEqual([await wrong('10.0.0.2', fresh), await wrong('10.0.0.2')], ['somebody admin', 'unauthorized']);
    clock.now += 3_000;
    assert.deepEqual([await wrong('10.0.0.1'), await wrong('10.0.0.1')], ['unauthorized', 'rate_limited']);
    assert.equal(log.length, 22);
    assert.ok(log.every((line) => line.includes('10.0.0.') && !line.includes('secretsecret')));
  });

  it('wrong tokens are tried on this machine, where it counts as well', async () => {
    const { admit } = newGate();
    const wrong = () => admit(requestFrom('127.0.0.1', bearer('a.b.c')));
    for (let time = 0; time < 20; time++) assert.equal(await wrong(), 'unauthorized');
    assert.deepEqual([await wrong(), await admit(requestFrom('127.0.0.1'))], ['rate_limited', 'loopback admin']);
  });

  it('right ones are no guesses, many at once neither', async () => {
    const { admit, issue } = newGate();
    const token = await issue();
    const all = await Promise.all(Array.from({ length: 100 }, () => admit(requestFrom('10.0.0.1', bearer(token)))));
    assert.deepEqual(new Set(all), new Set(['somebody admin']));
    for (let time = 0; time < 50; time++) assert.equal(await admit(requestFrom('10.0.0.1', bearer(await issue()))), 'somebody admin');
  });

  it('somebody asks: 1,000 at once, then 500 a second, by token or by address, but not on this machine', async () => {
    const { admit, issue, clock } = newGate();
    const count = async (address: string, headers: Headers = {}): Promise<number> => {
      let admitted = 0;
      for (let time = 0; time < 1_200; time++) if ((await admit(requestFrom(address, headers), 'anyone')) !== 'rate_limited') admitted++;
      return admitted;
    };
    const [one, other] = [bearer(await issue()), bearer(await issue())];
    assert.deepEqual([await count('10.0.0.1', one), await count('10.0.0.2', one), await count('10.0.0.1', other)], [1_000, 0, 1_000]);
    assert.deepEqual([await count('10.0.0.1'), await count('10.0.0.1'), await count('127.0.0.1')], [1_000, 0, 1_200]);
    clock.now += 1_000;
    assert.deepEqual([await count('10.0.0.1', one), await count('10.0.0.1')], [500, 500]);
  });

  it('is told with the seconds to wait', async () => {
    const { gate, admit } = newGate();
    for (let time = 0; time < 20; time++) await admit(requestFrom('10.0.0.1', bearer('a.b.c')));
    await assert.rejects(gate.admit(requestFrom('10.0.0.1', bearer('a.b.c')), 'read'), {
      code: 'rate_limited',
      retryAfter: 3,
      hint: 'try again in 3 s',
    });
  });
});
