import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { ReceivedRequest } from '../harness/application.ts';
import { type CallerRequest, type HttpCaller, http2Caller, httpCaller, rawAsk } from '../harness/caller.ts';
import type { IssuedCertificate } from '../harness/certificates.ts';
import { type EnforcingZone, lists, permission, startEnforcingZone } from '../harness/enforcing-zone.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/**
 * Which requests get past rules on paths and methods, before a real Envoy that a real zone feeds. Of other versions:
 * MERIDIAN_AGREEMENT_ENVOY=1.36.4.
 */

const scope = new Scope();
after(() => scope.close());

const ID = 'spiffe://td/ns/shop/sa/web';
const everybody = { spiffeId: { type: 'Prefix', value: 'spiffe://td' } };
const below = (value: string) => ({ path: { type: 'Prefix', value } });

let served: EnforcingZone;
let files: IssuedCertificate;
/** By HTTP/1.1 and by HTTP/2: `denied` denies /admin and DELETE, `allowed` allows GET of /public. */
let callers: Record<'denied' | 'allowed', readonly HttpCaller[]>;

before(async () => {
  served = await startEnforcingZone(scope, { denied: 'http', allowed: 'http' }, process.env.MERIDIAN_AGREEMENT_ENVOY);
  files = await served.authority.issue('caller', [ID]);
  await served.apply(
    permission('denied', 'denied', lists({ allow: [everybody], deny: [below('/admin'), { method: 'DELETE' }] })),
    permission('allowed', 'allowed', lists({ allow: [{ ...everybody, ...below('/public'), method: 'GET' }] })),
  );
  const both = (inbound: string) => [httpCaller(scope, served.port(inbound), files), http2Caller(scope, served.port(inbound), files)];
  callers = { denied: both('denied'), allowed: both('allowed') };
  await until('the rules are in force', async () => {
    const of = (inbound: 'denied' | 'allowed', path: string) => statuses(inbound, { path });
    return (
      [...(await of('denied', '/')), ...(await of('allowed', '/')), ...(await of('allowed', '/public'))].join() ===
      '200,200,403,403,200,200'
    );
  });
});

/** By HTTP/1.1, by HTTP/2. */
const statuses = (inbound: 'denied' | 'allowed', asking: CallerRequest): Promise<number[]> =>
  Promise.all(callers[inbound].map(async ({ ask }) => (await ask(asking)).status));

/** What the application got. */
const received = (body: string): ReceivedRequest => JSON.parse(body) as ReceivedRequest;

/**
 * Where the most generous application would see a path: it takes \ for /, drops parameters and what follows a zero
 * byte, before or after it writes out escapes, and resolves dots.
 */
function generous(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const plain = escapes(path.replaceAll(/;[^/]*/g, '')).replaceAll('\\', '/');
  const segments: string[] = [];
  for (const segment of plain.split('/').map((one) => one.split(/[;\0]/, 1)[0] ?? '')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

const escapes = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
const isBelow = (path: string, start: string): boolean => path === start || path.startsWith(`${start}/`);

describe('a path', () => {
  /**
   * What is below /admin in some reading, and the answer of the inbound that denies it: 403, or 400 where it can be
   * read in two ways.
   */
  const ADMIN: Readonly<Record<string, number>> = {
    '/admin': 403,
    '/admin/': 403,
    '/admin/x': 403,
    '/admin/../admin/x': 403,
    '/public/../admin': 403,
    '/public/x/../../admin/y': 403,
    '/./admin': 403,
    '//admin': 403,
    '///admin//x': 403,
    '/public//../../admin': 403,
    '/%61dmin': 403,
    '/a%64min/x': 403,
    '/%2e/admin': 403,
    '/public/%2e%2e/admin': 403,
    '/public/%2E./admin': 403,
    '/public/.%2e/%61dmin': 403,
    '/admin?x': 403,
    '/admin?/../public': 403,
    '/admin/x?a=b#c': 400,
    '/\\admin': 403,
    '/public\\..\\admin': 403,
    '\\admin': 400,
    '/%2Fadmin': 400,
    '/%2f..%2fadmin': 400,
    '/%2F..': 400,
    '/public%2F..%2Fadmin': 400,
    '/public/..%2fadmin': 400,
    '/public%5C..%5Cadmin': 400,
    '/%5cadmin': 400,
    '/admin;x': 400,
    '/admin;': 400,
    '/admin;x=y/z': 400,
    '/;/admin': 400,
    '/admin%3bx': 400,
    '/admin%3B/x': 400,
    '/admin%00': 400,
    '/admin%00/x': 400,
    '/admin#': 400,
    '/admin#/public': 400,
    '/public#/../admin': 400,
    admin: 400,
  };
  for (const [path, status] of Object.entries(ADMIN)) {
    it(`${path} is not let in`, async () => {
      const [first, second] = await statuses('denied', { path });
      assert.equal(first, status);
      // Over HTTP/2 Envoy closes the connection where there is no path in it.
      assert.equal(second === 0 ? 400 : second, status);
      for (const one of await statuses('allowed', { path })) assert.ok([403, 400, 0].includes(one), String(one));
    });
  }

  for (const path of ['/administrator', '/admin.html', '/x/admin', '/admi', '/?/admin', '/x?y=/../admin', '/admin/..', '/x/..y?']) {
    it(`${path} is none of /admin`, async () => assert.deepEqual(await statuses('denied', { path }), [200, 200]));
  }

  for (const path of [
    '/publicly',
    '/public/../x',
    '/x/../../public/..',
    '/%70ublic/..',
    '/x?/public',
    '//x/public',
    '/PUBLIC',
    '/public.',
    '/x/public',
  ]) {
    it(`${path} is none of /public`, async () => assert.deepEqual(await statuses('allowed', { path }), [403, 403]));
  }

  it('of any kind is not let in where an application may see another', async () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      '/..',
      '/.',
      '..',
      '/%2e%2e',
      '%2F',
      '%2f',
      '\\',
      '%5c',
      ';',
      ';x',
      '%3b',
      '?',
      '#',
      '%00',
      '%',
      '%25',
      '%252e',
      '%20',
      'x',
      'admin',
      '/admin',
      '/%61dmin',
      'public',
      '/public',
    );
    const paths = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `/${pieces.join('')}`);
    const counts = { denied: 0, allowed: 0 };
    const check = async (inbound: 'denied' | 'allowed', path: string): Promise<void> => {
      for (const { ask } of callers[inbound]) {
        const { status, body } = await ask({ path });
        if (status !== 200) continue;
        counts[inbound]++;
        const seen = generous(received(body).url);
        assert.equal(
          isBelow(seen, inbound === 'denied' ? '/admin' : '/public'),
          inbound === 'allowed',
          `${path} came as ${received(body).url}`,
        );
      }
    };
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        await check('denied', path);
        await check('allowed', path);
      }),
      { seed: 4, numRuns: 150 },
    );
    assert.ok(counts.denied > 20 && counts.allowed > 5, JSON.stringify(counts));
  });
});

describe('a path that may be written in several ways', () => {
  const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
    '/bang!a': ['/bang!a', '/bang%21a', '/bang%21a/x', '/./bang%21%61'],
    '/star%2Aa': ['/star%2Aa', '/star%2aa', '/star*a', '/star*a/x?y'],
    '/id/{x}': ['/id/{x}', '/id/%7Bx%7D', '/id/%7bx%7d', '/id/{x%7D/y'],
    '/umlaut/%C3%A4': ['/umlaut/%C3%A4', '/umlaut/%c3%a4', '/umlaut/%C3%a4/x'],
  };
  before(async () => {
    const spelled = (path: string) =>
      permission(`spelled-${Object.keys(SPELLINGS).indexOf(path)}`, 'denied', lists({ deny: [below(path)] }));
    await served.apply(
      ...Object.keys(SPELLINGS).map(spelled),
      permission('allowed-spelled', 'allowed', lists({ allow: [{ ...everybody, ...below('/bang!a') }] })),
    );
    await until(
      'the rules are in force',
      async () =>
        [...(await statuses('denied', { path: '/umlaut/%C3%A4' })), ...(await statuses('allowed', { path: '/bang!a' }))].join() ===
        '403,403,200,200',
    );
  });

  for (const [path, spellings] of Object.entries(SPELLINGS)) {
    for (const spelling of spellings) {
      it(`${spelling} is denied where ${path} is`, async () => assert.deepEqual(await statuses('denied', { path: spelling }), [403, 403]));
    }
  }

  it('is not denied for what only looks alike, and allowed as it is written alone', async () => {
    for (const path of ['/bang', '/banga', '/bang!b', '/star', '/id/x', '/id/[x]', '/umlaut/a']) {
      assert.deepEqual(await statuses('denied', { path }), [200, 200], path);
    }
    assert.deepEqual(await statuses('allowed', { path: '/bang%21a' }), [403, 403]);
  });
});

describe('a target that is more than a path', () => {
  const ask = async (inbound: 'denied' | 'allowed', target: string, method = 'GET'): Promise<number> => {
    const answer = await rawAsk(
      scope,
      served.port(inbound),
      files,
      `${method} ${target} HTTP/1.1\r\nHost: backend\r\nConnection: close\r\n\r\n`,
    );
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
  };

  it('in absolute form is judged by its path', async () => {
    for (const host of ['backend', 'BackEnd:80', 'evil.example', 'user@backend']) {
      assert.notEqual(await ask('denied', `http://${host}/admin`), 200, host);
      assert.notEqual(await ask('denied', `http://${host}/public/../admin`), 200, host);
      assert.notEqual(await ask('denied', `https://${host}//admin?x`), 200, host);
      assert.notEqual(await ask('allowed', `http://${host}/x?/public`), 200, host);
    }
    assert.equal(await ask('denied', 'http://backend/admin'), 403);
    assert.equal(await ask('denied', 'http://backend/x'), 200);
    assert.equal(await ask('allowed', 'http://backend/public'), 200);
    assert.equal(await ask('denied', 'http://public/admin'), 403);
  });

  it('without a path is not let in', async () => {
    for (const inbound of ['denied', 'allowed'] as const) {
      assert.notEqual(await ask(inbound, '*', 'OPTIONS'), 200);
      assert.notEqual(await ask(inbound, 'backend:80', 'CONNECT'), 200);
      assert.notEqual(await ask(inbound, 'http://backend', 'DELETE'), 200);
      assert.notEqual(await ask(inbound, '', 'GET'), 200);
    }
  });
});

describe('a method', () => {
  it('is denied in its own name only, and let in in its own name only', async () => {
    assert.deepEqual(await statuses('denied', { method: 'DELETE', path: '/x' }), [403, 403]);
    assert.deepEqual(await statuses('denied', { method: 'POST', path: '/x' }), [200, 200]);
    for (const method of ['POST', 'HEAD', 'OPTIONS', 'PUT'])
      assert.deepEqual(await statuses('allowed', { method, path: '/public' }), [403, 403]);
  });

  it('in small letters is another method', async () => {
    const answer = await rawAsk(scope, served.port('allowed'), files, 'get /public HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.doesNotMatch(answer, /^HTTP\/1\.1 200/);
  });

  it('or a path is not another one by a header, given once or twice: the application does not get it', async () => {
    const names = ['x-http-method-override', 'X-HTTP-Method', 'x-method-override', 'x-original-url', 'X-Rewrite-URL'];
    for (const name of names) {
      for (const value of [['DELETE'], ['POST', 'DELETE'], ['/admin'], ['/x', '/admin']]) {
        for (const { ask } of callers.denied) {
          const { status, body } = await ask({ method: 'POST', path: '/x', headers: { [name]: value } });
          assert.equal(status, 200);
          assert.equal(received(body).headers[name.toLowerCase()], undefined, name);
          assert.equal(received(body).method, 'POST');
        }
      }
      assert.deepEqual(await statuses('denied', { method: 'DELETE', path: '/x', headers: { [name]: 'GET' } }), [403, 403]);
      assert.deepEqual(await statuses('denied', { path: '/admin', headers: { [name]: '/x' } }), [403, 403]);
      assert.deepEqual(await statuses('allowed', { path: '/x', headers: { [name]: '/public' } }), [403, 403]);
    }
  });
});

describe('a header', () => {
  const headers: readonly (readonly [string, string | string[]])[] = [
    ['x-envoy-original-path', '/public'],
    ['x-envoy-original-path', ['/public', '/x']],
    ['x-envoy-internal', 'true'],
    ['x-envoy-upstream-rq-timeout-ms', ['1', '2']],
    ['x-envoy-decorator-operation', 'public'],
    ['x-forwarded-for', ['127.0.0.1', '10.0.0.1']],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-host', 'backend'],
    ['x-forwarded-client-cert', 'URI=spiffe://td/ns/shop/sa/admin'],
    ['x-forwarded-client-cert', ['URI=spiffe://td/ns/shop/sa/admin', 'URI=spiffe://td/ns/shop/sa/web']],
    ['authorization', 'Bearer x'],
    ['forwarded', 'for=127.0.0.1'],
  ];
  for (const [name, value] of headers) {
    it(`${name}: ${String(value)} opens nothing`, async () => {
      assert.deepEqual(await statuses('denied', { path: '/admin', headers: { [name]: value } }), [403, 403]);
      assert.deepEqual(await statuses('allowed', { path: '/x', headers: { [name]: value } }), [403, 403]);
    });
  }

  it('that says who the caller is does not reach the application', async () => {
    for (const value of ['URI=spiffe://td/admin', ['URI=spiffe://td/admin', 'By=x']]) {
      for (const { ask } of callers.denied) {
        const { body } = await ask({ headers: { 'x-forwarded-client-cert': value } });
        assert.equal(received(body).headers['x-forwarded-client-cert'], undefined);
      }
    }
  });

  it('with "_", which some take for "-", is refused', async () => {
    for (const name of ['x_http_method_override', 'x_forwarded_client_cert', 'x_original_url']) {
      assert.deepEqual(await statuses('denied', { headers: { [name]: 'x' } }), [400, 0]);
    }
  });

  it('Host in any letters, with a port or a dot, changes no verdict', async () => {
    for (const host of ['BACKEND.Shop', 'backend.shop:80', 'backend.shop.', 'Evil.Example', '127.0.0.1']) {
      const [denied, allowed] = [callers.denied[0], callers.allowed[0]];
      const ask = async (caller: HttpCaller | undefined, path: string) => (await caller?.ask({ path, headers: { host } }))?.status;
      assert.deepEqual([await ask(denied, '/admin'), await ask(denied, '/x')], [403, 200], host);
      assert.deepEqual([await ask(allowed, '/x'), await ask(allowed, '/public')], [403, 200], host);
      const [, second] = callers.denied;
      assert.equal((await second?.ask({ path: '/admin', headers: { ':authority': host } }))?.status, 403);
    }
  });
});

describe('what two readers may take apart in two ways', { concurrency: true }, () => {
  const first = async (text: string): Promise<string> =>
    (await rawAsk(scope, served.port('denied'), files, text)).split('\r\n', 1)[0] ?? '';
  const cases: Readonly<Record<string, string>> = {
    'no host': 'GET /x HTTP/1.1\r\nConnection: close\r\n\r\n',
    'two lengths': 'POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'a length and chunks':
      'POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'an encoding that is none': 'POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n',
    'a space after a name': 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Y : z\r\n\r\n',
    'a zero byte': 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Y: z\0\r\n\r\n',
    'a space in the path': 'GET /x /admin HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  };
  for (const [what, text] of Object.entries(cases)) {
    it(`${what} is refused`, async () => assert.match(await first(text), /^(HTTP\/1\.1 (4\d\d|501) .*|)$/));
  }

  it('two hosts change no verdict', async () => {
    const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`;
    assert.match(await first(request('/admin')), /^HTTP\/1\.1 4/);
  });

  it('each of several requests in a row is judged', async () => {
    const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const text = request('/x') + request('/admin', 'Connection: close\r\n');
    const answer = await rawAsk(scope, served.port('denied'), files, text);
    assert.deepEqual(
      [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['200', '403'],
    );
  });
});
