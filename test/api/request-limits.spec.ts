import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { ask, newApi, WEST } from './harness.ts';
import { askFrom, newGuarded } from './tokens.ts';

const scope = new Scope();
after(() => scope.close());

const YAML = { 'content-type': 'application/yaml' };
const EXACT = { type: 'Exact', value: 'spiffe://td/a' };
const api = newApi(scope, WEST);
const listed = (count: number, each: (index: number) => string): string => Array.from({ length: count }, (_, index) => each(index)).join();

describe('a body that holds too much is refused with the place, and what to do', () => {
  const TABLE: readonly [name: string, body: string, headers: Record<string, string>, reason: RegExp][] = [
    ['values in YAML', `a: [${'1,'.repeat(300_000)}1]`, YAML, /^line 1, column \d+: has more than 250000 parts in one document.*divide it/],
    [
      'aliases in YAML',
      Array.from({ length: 400 }, (_, index) => `a${index}: &a${index} [${listed(index && 50, () => `*a${index - 1}`)}]`).join('\n'),
      YAML,
      /^line 21, column \d+: has more than 1000 anchors and aliases: write out/,
    ],
    ['keys in JSON', `{${listed(500_000, (index) => `"k${index}":1`)}}`, {}, /^line 1, column \d+: has more than 250000 parts/],
    ['keys of a spec in JSON', `{"type":"MeshTimeout","spec":{${listed(500_000, (index) => `"k${index}":1`)}}}`, {}, /250000 parts/],
    ['documents in JSON', `[${listed(100_001, () => '{}')}]`, {}, /^line 1, column \d+: has more than 100000 documents: divide the text/],
    ['levels in JSON', '['.repeat(1_000_000), {}, /^line 1, column 129: nests deeper than 64 levels/],
  ];
  for (const [name, body, headers, reason] of TABLE) {
    it(name, async () => {
      const answer = await ask(api, 'POST', '/apply?dryRun=true', body, headers);
      assert.equal(answer.status, 400);
      assert.match(answer.body.invalid_parameters.at(-1).reason, reason);
    });
  }

  it('as many keys as are read are looked at one by one, and never overflow the stack', async () => {
    const spec = `{${listed(120_000, (index) => `"k${index}":1`)}}`;
    const answer = await ask(api, 'POST', '/apply?dryRun=true', `{"type":"MeshTimeout","mesh":"default","name":"t","spec":${spec}}`);
    assert.equal(answer.status, 400);
  });

  it('of very many problems the first are told, and how many more there are', async () => {
    const answer = await ask(api, 'POST', '/apply?dryRun=true', `[${listed(3_000, () => '{"type":"X"}')}]`);
    assert.equal(answer.status, 400);
    assert.equal(answer.body.invalid_parameters.length, 1_001);
    assert.deepEqual(answer.body.invalid_parameters.at(-1), { field: '', reason: 'and 2000 more problems, which are not told' });
  });
});

describe('who asks decides how much', () => {
  const guarded = newGuarded(scope, WEST);
  const MB = 1024 * 1024;

  /** `chunked`: without its length. */
  async function post(token: string, bytes: number, query = '?dryRun=true', chunked = false) {
    const body = Buffer.from(`["${'x'.repeat(bytes - 4)}"]`);
    const {
      statusCode,
      headers,
      body: text,
    } = await guarded.app.inject({
      method: 'POST',
      url: `/apply${query}`,
      remoteAddress: '10.1.2.3',
      headers: { host: '10.9.9.9:5681', 'content-type': 'application/json', authorization: `Bearer ${token}` },
      payload: chunked ? Readable.from([body.subarray(0, 1_000), body.subarray(1_000)]) : body,
    });
    return { status: statusCode, headers, answer: JSON.parse(text) as { detail: string; hint?: string } };
  }

  const TABLE: readonly [role: 'read-only' | 'zone-operator' | 'admin', zone: string | undefined, bytes: number, status: number][] = [
    ['read-only', undefined, MB, 400],
    ['read-only', undefined, MB + 1, 413],
    ['zone-operator', 'east', MB + 1, 413],
    ['zone-operator', 'west', MB + 1, 400],
    ['admin', undefined, 16 * MB, 400],
    ['admin', undefined, 16 * MB + 1, 413],
  ];
  for (const [role, zone, bytes, status] of TABLE) {
    for (const chunked of [false, true]) {
      it(`${bytes} bytes${chunked ? ', chunked,' : ''} of ${role}${zone === undefined ? '' : ` of ${zone}`}: ${status}`, async () => {
        const { answer, ...rest } = await post(await guarded.issue(role, zone), bytes, '?dryRun=true', chunked);
        assert.equal(rest.status, status);
        if (status === 413) assert.match(answer.detail, /^the body is larger than (1|16) MiB: /);
      });
    }
  }

  it('who may not write is told before a byte of the body is read', async () => {
    const { status } = await post(await guarded.issue('read-only'), 2 * MB, '');
    assert.equal(status, 403);
  });

  it('dry runs of a token are charged: then it waits, and others do not', async () => {
    // Time passes whenever somebody looks at the clock.
    const clock = { now: 0, tick: 200 };
    const slow = newGuarded(scope, WEST, { monotonic: () => (clock.now += clock.tick) });
    const dryRun = async (token: string) => askFrom(slow, 'POST', '/apply?dryRun=true', { token, body: permission });
    const token = await slow.issue('read-only');
    const permission = { type: 'MeshTrafficPermission', mesh: 'default', name: 'a', spec: { default: { allow: [{ spiffeId: EXACT }] } } };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 100) statuses.push((await dryRun(token)).status);
    assert.ok(statuses.length > 2 && statuses.length < 100, String(statuses));
    clock.tick = 0;
    const { status, headers, body } = await dryRun(token);
    assert.deepEqual([status, Number(headers['retry-after']) >= 1], [429, true]);
    assert.match(
      body.detail,
      /^the dry runs have to wait: what this token asked took too much work: try again in \d+ s, or with fewer documents$/,
    );
    assert.equal((await dryRun(await slow.issue('read-only'))).status, 200);
    assert.equal((await askFrom(slow, 'GET', '/meshes', { token })).status, 200);
  });
});
