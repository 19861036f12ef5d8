import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { ask, newApi, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const YAML = { 'content-type': 'application/yaml' };
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
