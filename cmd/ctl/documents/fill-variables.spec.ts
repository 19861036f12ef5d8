import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MeridianError } from '../../../src/errors.ts';
import { meridianctl, startStub } from '../../../test/harness/meridianctl.ts';
import { fillVariables } from './fill-variables.ts';

const fill = (text: string, variables?: Readonly<Record<string, string>>) => fillVariables([{ file: 'a.yaml', text }], variables)[0]?.text;

/** As the real kumactl fills them in, but for what it makes of `<`, `>` and `&` (it writes them for HTML). */
const FILLED: readonly (readonly [text: string, filled: string])[] = [
  ['name: {{ NAME }}', 'name: slow'],
  ['name: {{NAME}}-{{  A.B-c }}', 'name: slow-<1>'],
  ['name: {{ EMPTY }}.', 'name: .'],
  ['spec: {a: {b: 1}}', 'spec: {a: {b: 1}}'],
];

const REFUSED: readonly (readonly [text: string, reason: RegExp])[] = [
  ['{{ NAEM }}', /\{\{ NAEM \}\}: has no value: say -v NAEM=VALUE/],
  ['{{ toString }}', /has no value/],
  ['{{#NAME}}x{{/NAME}}', /is no variable/],
  ['{{! a comment }}', /is no variable/],
  ['{{ }}', /is no variable/],
];

describe('-v NAME=VALUE', () => {
  for (const [text, filled] of FILLED) it(text, () => assert.equal(fill(text, { NAME: 'slow', 'A.B-c': '<1>', EMPTY: '' }), filled));

  for (const [text, reason] of REFUSED)
    it(`refuses ${text}`, () => {
      assert.throws(
        () => fill(text, { NAME: 'slow' }),
        (thrown: MeridianError) => reason.test(thrown.message),
      );
    });

  it('leaves everything as it is where none is given, as kumactl does', () => {
    assert.equal(fill('{{ NAME }} {{#x}}'), '{{ NAME }} {{#x}}');
  });

  it('fills in what apply and diff send, once', async (t) => {
    const stub = await startStub(t, () => ({ body: { results: [] } }));
    const input = 'type: Mesh\nname: "{{ NAME }}-{{ B }}"\n';
    const run = (...words: string[]) => meridianctl(['apply', '-f', '-', '--url', stub.url, ...words], { input });
    assert.equal((await run('-v', 'NAME={{ B }}', '-v', 'B=b=c')).code, 0);
    assert.deepEqual(JSON.parse(stub.asked[0]?.body ?? ''), [{ type: 'Mesh', name: '{{ B }}-b=c' }]);
    const missing = await run('-v', 'NAME=a');
    assert.deepEqual([missing.code, /-: \{\{ B \}\}: has no value/.test(missing.err)], [1, true]);
    for (const wrong of ['NAME', '=a', 'NAME=a\nb', '1=2']) assert.equal((await run('-v', wrong)).code, 2, wrong);
    assert.equal(stub.asked.length, 1);
  });
});
