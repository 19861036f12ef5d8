import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const SLOW = 'type: MeshTimeout\nname: slow\nspec: {}\n';
const FAST = 'apiVersion: kuma.io/v1alpha1\nkind: MeshTimeout\nmetadata: {name: fast, namespace: backend-ns}\nspec: {}\n';

const RESULTS = {
  results: [
    { type: 'MeshTimeout', mesh: 'default', name: 'slow', kri: 'kri_mt_default___slow_', outcome: 'created' },
    { type: 'Mesh', mesh: '', name: 'default', kri: 'kri_m____default_', outcome: 'unchanged' },
  ],
};

/** A folder with these files, until the test ends. */
function folder(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const path = mkdtempSync(join(tmpdir(), 'meridianctl-'));
  t.after(() => rmSync(path, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

function names(body: string): unknown[] {
  return (JSON.parse(body) as { name?: string; metadata?: { name: string } }[]).map(({ name, metadata }) => name ?? metadata?.name);
}

describe('meridianctl apply', { concurrency: 2 }, () => {
  it('sends all documents at once, and prints a line for each', async (t) => {
    const stub = await startStub(t, () => ({ body: RESULTS }));
    const done = await meridianctl(['apply', '-f', '-', '--url', stub.url], { input: `${SLOW}---\n${FAST}` });
    assert.deepEqual(done, { code: 0, out: 'MeshTimeout default/slow created\nMesh default unchanged\n', err: '1 created, 1 unchanged\n' });
    assert.deepEqual(lines(stub), ['POST /apply']);
    assert.deepEqual(names(stub.asked[0]?.body ?? ''), ['slow', 'fast']);
  });

  it('tells people what may not do as expected, and scripts in the results', async (t) => {
    const [result] = RESULTS.results;
    const results = [{ ...result, warnings: ['it is not enforced'] }];
    const stub = await startStub(t, () => ({ body: { results } }));
    const apply = (...more: string[]) => meridianctl(['apply', '-f', '-', '--url', stub.url, ...more], { input: SLOW });
    const [people, scripts] = [await apply(), await apply('-o', 'json')];
    assert.deepEqual([people.code, people.err], [0, 'warning: MeshTimeout default/slow: it is not enforced\n']);
    assert.deepEqual([scripts.err, JSON.parse(scripts.out)], ['', { dryRun: false, results }]);
  });

  it('asks only, with --dry-run', async (t) => {
    const stub = await startStub(t, () => ({ body: RESULTS }));
    const done = await meridianctl(['apply', '--dry-run', '-f', '-', '--url', stub.url], { input: SLOW });
    assert.equal(done.out.split('\n')[0], 'MeshTimeout default/slow created (dry run)');
    assert.deepEqual(lines(stub), ['POST /apply?dryRun=true']);
  });

  it('reads folders with all that is in them, sorted, and several paths', async (t) => {
    const stub = await startStub(t, () => ({ body: RESULTS }));
    const doc = (name: string) => `{"type": "Mesh", "name": "${name}"}`;
    const path = folder(t, { 'b.yaml': doc('b'), 'a/c.json': doc('c'), 'a/a.yml': doc('a'), 'notes.txt': 'no: [', 'z.yaml': '# empty' });
    const one = folder(t, { 'policy.txt': doc('one') });
    await meridianctl(['apply', '-f', path, '-f', join(one, 'policy.txt'), '--url', stub.url]);
    assert.deepEqual(names(stub.asked[0]?.body ?? ''), ['a', 'c', 'b', 'one']);
  });

  it('prints JSON for scripts', async (t) => {
    const stub = await startStub(t, () => ({ body: RESULTS }));
    const { out } = await meridianctl(['apply', '-f', '-', '-o', 'json', '--url', stub.url], { input: SLOW });
    assert.deepEqual(JSON.parse(out), { dryRun: false, ...RESULTS });
  });

  const refusal = {
    status: 400,
    body: {
      type: '/std-errors',
      status: 400,
      title: 'Could not process a resource',
      detail: 'Resource is not valid',
      invalid_parameters: [
        { field: '[1].spec.to[0].targetRef', reason: 'is missing' },
        { field: '[0]', reason: 'is odd' },
        { field: '[7].name', reason: 'is nowhere' },
      ],
    },
  };

  it('says where each problem is', async (t) => {
    const stub = await startStub(t, () => refusal);
    const path = folder(t, { 'a.yaml': SLOW, 'b.yaml': `# nothing\n---\n${FAST}` });
    const { code, out, err } = await meridianctl(['apply', '-f', path, '--url', stub.url]);
    const expected = [
      'error: Could not process a resource: Resource is not valid',
      `  ${path}/b.yaml, document 1 (MeshTimeout fast): spec.to[0].targetRef: is missing`,
      `  ${path}/a.yaml, document 1 (MeshTimeout slow): is odd`,
      '  [7].name: is nowhere',
      '',
    ].join('\n');
    assert.deepEqual({ code, out, err }, { code: 1, out: '', err: expected });
  });

  it('gives scripts the problems as the control plane told them', async (t) => {
    const stub = await startStub(t, () => refusal);
    const { code, out, err } = await meridianctl(['apply', '-f', '-', '-o', 'json', '--url', stub.url], { input: SLOW });
    assert.deepEqual({ code, out }, { code: 1, out: '' });
    const message = 'Could not process a resource: Resource is not valid';
    const error = { code: 'invalid', message, problems: refusal.body.invalid_parameters, hint: null };
    assert.deepEqual(JSON.parse(err), { error });
  });

  const unreadable: [title: string, input: string | Uint8Array, message: RegExp][] = [
    ['what is no YAML', `${SLOW}---\na: [`, /document 2: document: line 5, column \d+: /],
    ['a number that JSON has not', 'type: MeshTimeout\nspec: {a: [.inf]}', /document 1: spec\.a\[0\]: must be a finite number/],
    ['a key that comes twice', 'type: Mesh\nname: a\nname: b', /the key "name" comes twice/],
    ['what is not UTF-8', Uint8Array.of(0x61, 0x3a, 0xff), /can't be read/],
    ['nothing at all', '# nothing', /there are no documents in/],
  ];
  for (const [title, input, message] of unreadable) {
    it(`sends nothing of a file with ${title}`, async (t) => {
      const stub = await startStub(t, () => ({ body: RESULTS }));
      const { code, err } = await meridianctl(['apply', '-f', join(folder(t, { 'a.yaml': input }), 'a.yaml'), '--url', stub.url]);
      assert.equal(code, 1);
      assert.match(err, message);
      assert.deepEqual(stub.asked, []);
    });
  }

  it('says which file is not there', async () => {
    const { code, err } = await meridianctl(['apply', '-f', '/nowhere/a.yaml']);
    assert.deepEqual({ code, err }, { code: 1, err: 'error: /nowhere/a.yaml does not exist\nhint: check the path behind -f\n' });
  });

  it('takes no mesh but that of the documents', async () => {
    const { code, err } = await meridianctl(['apply', '-f', '-', '-m', 'demo'], { input: SLOW });
    assert.equal(code, 2);
    assert.match(err, /apply takes the mesh from the documents/);
  });
});
