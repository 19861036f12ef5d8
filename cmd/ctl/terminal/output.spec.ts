import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';
import { toJson, toYaml } from './output.ts';

/**
 * Bells, escapes, C1 controls, what turns the direction of text or can't be seen, separators of lines, tags, halves of
 * characters.
 */
const EVIL = [
  '\u0007',
  '\u001b[31m',
  '\r',
  '\u007f',
  '\u0085',
  '\u009b31m',
  '\u009d',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u200f',
  '\ufeff',
  '\u2028',
  '\u2029',
  '\u{e0041}',
  '\ud800',
];
const STEERING = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

async function readYaml(text: string): Promise<unknown> {
  const [document] = parseAllDocuments(text);
  assert.ok(document && 'errors' in document && document.errors.length === 0, text);
  return document.toJS();
}

describe('data on standard output', () => {
  for (const evil of EVIL) {
    it(`is the same data, without ${JSON.stringify(toJson(evil))} as it is`, async () => {
      const value = { a: evil, [`k${evil}`]: [`x ${evil} y`, { b: `one\ntwo${evil}\n` }], c: `# ${evil}`, d: `"${evil}"\\u` };
      for (const text of [toJson(value), toJson(value, 0), await toYaml(value)]) assert.doesNotMatch(text, STEERING);
      assert.deepEqual(JSON.parse(toJson(value)), value);
      assert.deepEqual(JSON.parse(toJson(value, 0)), value);
      assert.deepEqual(await readYaml(await toYaml(value)), value);
    });
  }

  it('leaves letters, signs and lines of text as they are', async () => {
    const value = { a: 'žluťoučký 你好 😀', b: 'one\n\ttwo\n' };
    assert.match(toJson(value), /žluťoučký 你好 😀/);
    assert.equal(await toYaml(value), 'a: žluťoučký 你好 😀\nb: |\n  one\n  \ttwo\n');
  });

  it('is the same data, whatever it is', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom(...EVIL, 'a', ' ', '\n', '"', ':', '#', '\t')).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          fc.array(text),
        ),
        async (value) => {
          assert.deepEqual(JSON.parse(toJson(value)), JSON.parse(JSON.stringify(value)));
          assert.deepEqual(await readYaml(await toYaml(value)), JSON.parse(JSON.stringify(value)));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('what a control plane answers', { concurrency: 2 }, () => {
  const evil = EVIL.filter((one) => !/[\ud800\r]/.test(one)).join('');
  const body = {
    ...{ total: 1, next: null, type: 'MeshTimeout', mesh: 'default', name: `slow${evil}`, spec: { evil } },
    items: [{ type: 'MeshTimeout', mesh: 'default', name: `slow${evil}`, spec: { evil }, creationTime: evil }],
    results: [{ type: `MeshTimeout${evil}`, mesh: evil, name: evil, outcome: `created${evil}`, warnings: [evil], kri: evil }],
    done: [`the store ${evil} is accepted`],
  };
  const commands: string[] = [
    'apply -f -',
    'recover',
    'get mt',
    'get mt slow -o yaml',
    'get mt slow -o json',
    'get mt -o yaml',
    'ledger',
    'ledger -o json',
    'recover -o yaml',
    'zone list',
  ];
  for (const command of commands) {
    it(`does not steer the terminal: ${command}`, async (t) => {
      const stub = await startStub(t, () => ({ body }));
      const { code, out, err } = await meridianctl([...command.split(' '), '--url', stub.url], {
        input: 'type: MeshTimeout\nname: slow\nspec: {}\n',
      });
      assert.ok(lines(stub).length > 0);
      assert.equal(code, 0, err);
      assert.notEqual(out, '');
      assert.doesNotMatch(out + err, STEERING);
    });
  }
});
