import assert from 'node:assert/strict';
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { Tokens } from '../../src/api/auth/api-tokens.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { EAST } from './harness.ts';
import { askFrom, type GuardedApi, newGuarded } from './tokens.ts';

const scope = new Scope();
after(() => scope.close());

const HOUR = 3600;

interface TokenParts {
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}

function partsOf(token: string): TokenParts {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header ?? '') as TokenParts['header'], claims: JSON.parse(claims || '{}') as TokenParts['claims'] };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The key that a control plane signs with, as somebody who stole it has it. */
function keyOf({ plane }: GuardedApi): { jwk: Record<string, string>; key: KeyObject } {
  const { keys } = JSON.parse(plane.store.setting('api tokens') ?? '') as { keys: { jwk: Record<string, string> }[] };
  const jwk = keys[0]?.jwk ?? {};
  return { jwk, key: createPrivateKey({ key: jwk, format: 'jwk' }) };
}

function sign({ header, claims }: TokenParts, key: KeyObject): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header as { alg: string }).sign(key);
}

/** A token like `token`, signed by whoever holds `key`. */
function resigned(token: string, key: KeyObject, change: { header?: object; claims?: object } = {}): Promise<string> {
  const { header, claims } = partsOf(token);
  return sign({ header: { ...header, ...change.header }, claims: { ...claims, ...change.claims } }, key);
}

type Forge = (api: GuardedApi, token: string) => string | Promise<string>;

const FORGED: Readonly<Record<string, Forge>> = {
  'without a signature': (_, token) => `${token.split('.').slice(0, 2).join('.')}.`,
  'of the algorithm none': (_, token) => `${encode({ ...partsOf(token).header, alg: 'none' })}.${token.split('.')[1]}.`,
  'of the algorithm None, signature kept': (_, token) =>
    [encode({ ...partsOf(token).header, alg: 'None' }), ...token.split('.').slice(1)].join('.'),
  'of another key': (_, token) => resigned(token, generateKeyPairSync('ed25519').privateKey),
  'of another key, which it names itself': (_, token) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return resigned(token, privateKey, { header: { jwk: publicKey.export({ format: 'jwk' }), kid: undefined } });
  },
  'of an unknown key': (api, token) => resigned(token, keyOf(api).key, { header: { kid: 'other' } }),
  'of no key': (api, token) => resigned(token, keyOf(api).key, { header: { kid: undefined } }),
  'signed with RSA': (_, token) =>
    resigned(token, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, { header: { alg: 'RS256' } }),
  'signed with the public key as a secret': (api, token) => {
    const { header, claims } = partsOf(token);
    const body = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
    const pem = createPublicKey(keyOf(api).key).export({ format: 'pem', type: 'spki' });
    return `${body}.${createHmac('sha256', pem).update(body).digest('base64url')}`;
  },
  'signed with the public key, as in its JWK, as a secret': (api, token) => {
    const { header, claims } = partsOf(token);
    const body = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
    return `${body}.${createHmac('sha256', Buffer.from(keyOf(api).jwk.x ?? '', 'base64url'))
      .update(body)
      .digest('base64url')}`;
  },
  'of another name of the algorithm': (api, token) => resigned(token, keyOf(api).key, { header: { alg: 'Ed25519' } }),
  'with another role': (_, token) => {
    const [header, , signature] = token.split('.');
    return [header, encode({ ...partsOf(token).claims, role: 'admin' }), signature].join('.');
  },
  'with a later end': (_, token) => {
    const [header, , signature] = token.split('.');
    return [header, encode({ ...partsOf(token).claims, exp: 4_000_000_000 }), signature].join('.');
  },
  'of another type': (api, token) => resigned(token, keyOf(api).key, { header: { typ: 'at+jwt' } }),
  'with an extension that is critical': (api, token) => {
    const { header, claims } = partsOf(token);
    return sign({ header, claims }, keyOf(api).key).then((good) =>
      [encode({ ...header, crit: ['x'], x: 1 }), ...good.split('.').slice(1)].join('.'),
    );
  },
  'of another issuer': (api, token) => resigned(token, keyOf(api).key, { claims: { iss: 'meridian/global/other' } }),
  'for another audience': (api, token) => resigned(token, keyOf(api).key, { claims: { aud: 'meridian-xds' } }),
  'that was never issued': (api, token) => resigned(token, keyOf(api).key, { claims: { jti: 'other' } }),
  'without an ID': (api, token) => resigned(token, keyOf(api).key, { claims: { jti: undefined } }),
  'without an end': (api, token) => resigned(token, keyOf(api).key, { claims: { exp: undefined } }),
  'that is not valid yet': (api, token) => resigned(token, keyOf(api).key, { claims: { nbf: api.clock.now / 1000 + HOUR } }),
  'cut off': (_, token) => token.slice(0, -4),
  'that is encrypted': () => 'a.b.c.d.e',
  'that is none': () => 'garbage',
  'with a signature of zeros': (_, token) => `${token.split('.').slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
};

describe('a token', () => {
  it('lets its holder in, from anywhere, as what it is', async () => {
    const api = newGuarded(scope, GLOBAL);
    const token = await api.issue('read-only');
    for (const remoteAddress of ['10.1.2.3', '127.0.0.1', 'fe80::1']) {
      for (const [url, status] of [
        ['/meshes', 200],
        ['/tokens', 403],
      ] as const) {
        assert.equal((await askFrom(api, 'GET', url, { token, remoteAddress })).status, status);
      }
    }
  });

  describe('that is forged', () => {
    const api = newGuarded(scope, GLOBAL);
    for (const [index, [what, forge]] of Object.entries(FORGED).entries()) {
      it(`${what} is refused, on this machine too`, async () => {
        const good = await api.issue('read-only');
        const token = await forge(api, good);
        assert.notEqual(token, good);
        // Each from addresses of its own: wrong tokens of one address are limited.
        for (const remoteAddress of [`10.0.0.${index}`, `127.0.0.${index}`]) {
          // The good one was never shown: nothing is remembered of it.
          for (const url of ['/meshes', '/tokens', '/']) {
            const answer = await askFrom(api, 'GET', url, { token, remoteAddress });
            assert.equal(answer.status, 401, url);
            assert.deepEqual([answer.body.type, answer.body.title], ['/std-errors', 'Unauthenticated']);
            assert.equal(answer.headers['www-authenticate'], 'Bearer');
          }
        }
        assert.equal((await askFrom(api, 'GET', '/meshes', { token: good })).status, 200);
      });
    }
  });

  it('resigned as it was is the same: forging is what the others fail at', async () => {
    const api = newGuarded(scope, GLOBAL);
    const token = await api.issue('admin');
    assert.equal((await askFrom(api, 'GET', '/tokens', { token: await resigned(token, keyOf(api).key) })).status, 200);
  });

  it('has the role that was issued, whatever it says', async () => {
    const api = newGuarded(scope, GLOBAL);
    const token = await resigned(await api.issue('read-only'), keyOf(api).key, { claims: { role: 'admin' } });
    assert.equal((await askFrom(api, 'GET', '/tokens', { token })).status, 403);
  });

  it("holds at one control plane: neither a zone's at global nor the other way round", async () => {
    const [global, east, other] = [newGuarded(scope, GLOBAL), newGuarded(scope, EAST), newGuarded(scope, GLOBAL)];
    for (const [from, to] of [
      [global, east],
      [east, global],
      [global, other],
    ] as const) {
      const token = await from.issue('admin');
      await to.issue('admin');
      assert.equal((await askFrom(to, 'GET', '/meshes', { token })).status, 401);
      assert.equal((await askFrom(from, 'GET', '/meshes', { token })).status, 200);
    }
  });

  it('holds at one control plane although the keys are the same', async () => {
    const [global, east] = [newGuarded(scope, GLOBAL), newGuarded(scope, EAST)];
    const token = await global.issue('admin');
    const stolen = global.plane.store.setting('api tokens') ?? '';
    east.plane.store.commit((tx) => tx.setSetting('api tokens', stolen));
    assert.equal((await askFrom(east, 'GET', '/meshes', { token })).status, 401);
  });

  it('ends to the second', async () => {
    const api = newGuarded(scope, GLOBAL);
    const token = await api.issue('admin', undefined, HOUR);
    const status = async () => (await askFrom(api, 'GET', '/meshes', { token })).status;
    api.clock.now += HOUR * 1000 - 1;
    assert.equal(await status(), 200);
    api.clock.now += 1;
    // Remembered, and looked at anew.
    assert.equal(await status(), 401);
    const fresh = newGuarded(scope, GLOBAL);
    const late = await fresh.issue('admin', undefined, HOUR);
    fresh.clock.now += HOUR * 1000;
    assert.match((await askFrom(fresh, 'GET', '/meshes', { token: late })).body.detail, /has expired/);
  });

  it('that is revoked is refused at once, and again after a restart', async () => {
    const api = newGuarded(scope, GLOBAL);
    const [token, admin] = [await api.issue('read-only'), await api.issue('admin')];
    assert.equal((await askFrom(api, 'GET', '/meshes', { token })).status, 200);
    const id = String(partsOf(token).claims.jti);
    assert.equal((await askFrom(api, 'DELETE', `/tokens/${id}`, { token: admin })).status, 200);
    assert.match((await askFrom(api, 'GET', '/meshes', { token })).body.detail, /is revoked/);
    const again = new Tokens(api.plane, api.options.writes, () => api.clock.now);
    await assert.rejects(again.verify(token), /is revoked/);
    await again.verify(admin);
    assert.equal((await askFrom(api, 'DELETE', '/tokens/none', { token: admin })).status, 404);
  });

  it('tells who waits for its end when it is revoked or expires, once', async () => {
    const api = newGuarded(scope, GLOBAL);
    const ended: string[] = [];
    const principalOf = async (token: string) => api.tokens.verify(token);
    const [revoked, kept, taken] = [
      await principalOf(await api.issue('admin')),
      await principalOf(await api.issue('admin')),
      await principalOf(await api.issue('admin')),
    ];
    const { gate } = api.app;
    gate.onEnd(revoked, (why) => ended.push(`revoked ${why}`));
    gate.onEnd(revoked, (why) => ended.push(`also ${why}`));
    gate.onEnd(kept, (why) => ended.push(`kept ${why}`));
    gate.onEnd(taken, (why) => ended.push(`taken ${why}`))();
    gate.onEnd({ name: 'loopback', role: 'admin', source: 'loopback' }, (why) => ended.push(`loopback ${why}`));
    for (const { tokenId = '' } of [revoked, revoked, taken]) await api.tokens.revoke(tokenId);
    assert.deepEqual(ended, ['revoked revoked', 'also revoked']);
    const late = await principalOf(await api.issue('read-only', undefined, 1));
    await new Promise<void>((resolve) => {
      const alive = setInterval(() => {}, 1000);
      gate.onEnd(late, (why) => {
        clearInterval(alive);
        ended.push(`late ${why}`);
        resolve();
      });
      api.clock.now += 1000;
    });
    await new Promise<void>((resolve) => {
      const alive = setInterval(() => {}, 1000);
      // It has ended already.
      gate.onEnd(late, () => {
        clearInterval(alive);
        resolve();
      });
    });
    assert.deepEqual(ended.slice(2), ['late expired']);
  });
});

describe('the keys', () => {
  it('change, and what was signed before holds until it expires', async () => {
    const api = newGuarded(scope, GLOBAL);
    const old = await api.issue('admin');
    const { body } = await askFrom(api, 'POST', '/tokens/keys', { token: old });
    const fresh = await api.issue('admin');
    assert.equal(partsOf(fresh).header.kid, body.kid);
    assert.notEqual(partsOf(old).header.kid, body.kid);
    for (const token of [old, fresh]) assert.equal((await askFrom(api, 'GET', '/tokens', { token })).status, 200);
  });

  it('change, and nothing that was signed before holds', async () => {
    const api = newGuarded(scope, GLOBAL);
    const [old, other] = [await api.issue('admin'), await api.issue('read-only')];
    let ended = '';
    api.app.gate.onEnd(await api.tokens.verify(other), (why) => void (ended = why));
    assert.equal((await askFrom(api, 'POST', '/tokens/keys', { token: old, body: { revoke: true } })).status, 200);
    assert.equal(ended, 'revoked');
    for (const token of [old, other]) assert.equal((await askFrom(api, 'GET', '/meshes', { token })).status, 401);
    assert.equal((await askFrom(api, 'GET', '/meshes', { token: await api.issue('admin') })).status, 200);
  });

  it('are dropped once no token of theirs is left', async () => {
    const api = newGuarded(scope, GLOBAL);
    const count = () => (JSON.parse(api.plane.store.setting('api tokens') ?? '') as { keys: unknown[] }).keys.length;
    for (let time = 0; time < 3; time++) {
      await api.issue('admin', undefined, HOUR);
      await api.tokens.rotate(false);
    }
    assert.equal(count(), 4);
    api.clock.now += HOUR * 1000;
    await api.issue('admin');
    await api.tokens.rotate(false);
    assert.equal(count(), 2);
  });
});
