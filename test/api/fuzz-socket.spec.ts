import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, newApi } from './harness.ts';

const RUNS = Number(process.env.MERIDIAN_FUZZ_RUNS ?? 3) * 20;

/** Pieces of HTTP/1.1, right and wrong, in any order. */
const piece = fc.oneof(
  fc
    .constantFrom(
      ...[
        'GET / HTTP/1.1\r\n',
        'PUT /meshes/a HTTP/1.1\r\n',
        'GET /meshes HTTP/1.0\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'GET http://x/ HTTP/1.1\r\n',
      ],
      ...[
        'get / http/1.1\r\n',
        'CONNECT a:1 HTTP/1.1\r\n',
        'GET /_watch HTTP/1.1\r\n',
        'OPTIONS * HTTP/1.1\r\n',
        '\r\n',
        '\n',
        '\0',
        '{}',
        '{"type":"Mesh","name":"a"}',
      ],
      ...[
        'host: 127.0.0.1\r\n',
        'host: evil\r\n',
        'content-length: 2\r\n',
        'content-length: -1\r\n',
        'content-length: 99999999999999999999\r\n',
      ],
      ...[
        'transfer-encoding: chunked\r\n',
        '2\r\n{}\r\n0\r\n\r\n',
        'fffffffff\r\n',
        'content-type: application/json\r\n',
        'expect: 100-continue\r\n',
      ],
      ...[
        'connection: upgrade\r\nupgrade: websocket\r\n',
        'sec-websocket-key: x\r\nsec-websocket-version: 13\r\n',
        'connection: keep-alive\r\n',
      ],
      ...[`x: ${'y'.repeat(20_000)}\r\n`, 'x: \u00ff\r\n', ': x\r\n', ' folded\r\n', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n`],
    )
    .map((text) => Buffer.from(text, 'latin1')),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);
const conversation = fc.array(piece, { minLength: 1, maxLength: 12 });

describe('whatever bytes come in', () => {
  const scope = new Scope();
  let api: TestedApi;
  let port = 0;
  before(async () => {
    api = newApi(scope, GLOBAL);
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const address = api.app.server.address();
    port = typeof address === 'object' && address !== null ? address.port : assert.fail();
  });
  after(() => scope.close());

  /** Writes the pieces one by one, hangs up or half-closes, and waits until the connection is gone. */
  function say(pieces: readonly Buffer[], rude: boolean): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false });
      let got = '';
      socket.on('data', (part) => (got += part.toString('latin1')));
      // Being hung up on is an answer too.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => resolve(got));
      for (const part of pieces) socket.write(part);
      if (rude) socket.destroySoon();
      else socket.end();
    });
  }

  it('the API answers or hangs up, and still serves', { timeout: 60_000 + RUNS * 2_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(conversation, fc.boolean(), async (pieces, rude) => {
        const got = await say(pieces, rude);
        assert.ok(!/^HTTP\/1\.1 5\d\d/m.test(got), got.slice(0, 300));
        const { status } = await fetch(`http://127.0.0.1:${port}/`);
        assert.equal(status, 200);
        assert.deepEqual([api.errors, api.broken], [[], []]);
      }),
      { numRuns: RUNS, includeErrorInReport: true },
    );
  });
});
