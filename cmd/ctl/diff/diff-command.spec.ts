import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { GLOBAL } from '../../../src/resource/resource.ts';
import { EAST } from '../../../test/api/harness.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { meridianctl } from '../../../test/harness/meridianctl.ts';
import { type Live, startLive } from '../../../test/harness/live-meridianctl.ts';

const scope = new Scope();
after(() => scope.close());

function policy(name: string, seconds = 1, labels = ''): string {
  return `type: MeshTimeout\nname: ${name}\n${labels}spec:\n  to:\n    - targetRef: {kind: Mesh}\n      default: {idleTimeout: ${seconds}s}\n`;
}

/** A folder with files, as a checkout of git would be. */
function checkout(files: Readonly<Record<string, string>>): string {
  const folder = scope.folder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

async function names(live: Live): Promise<string[]> {
  const { items } = JSON.parse((await live.run('get mt -o json')).out) as { items: { name: string }[] };
  return items.map(({ name }) => name);
}

describe('meridianctl diff', { concurrency: 2 }, () => {
  it('shows what apply would change, as a user wrote both; and changes nothing', async () => {
    const live = await startLive(scope, GLOBAL);
    await live.run('apply -f -', `${policy('a')}---\n${policy('b')}`);
    const file = join(checkout({ 'p.yaml': `${policy('a')}---\n${policy('b', 2, 'labels: {team: web}\n')}---\n${policy('c')}` }), 'p.yaml');
    const { code, out, err } = await live.run(`diff -f ${file}`);
    assert.deepEqual([code, err], [0, '1 created, 1 changed, 0 deleted, 1 unchanged\n']);
    const [changed, created] = out.split(/(?=--- \(nothing\))/);
    assert.equal(
      changed,
      [
        '--- MeshTimeout default/b',
        `+++ MeshTimeout default/b (${file}, document 2)`,
        '@@ -1,9 +1,11 @@',
        ' type: MeshTimeout',
        ' mesh: default',
        ' name: b',
        '+labels:',
        '+  team: web',
        ' spec:',
        '   to:',
        '     - targetRef:',
        '         kind: Mesh',
        '       default:',
        '-        idleTimeout: 1s',
        '+        idleTimeout: 2s',
        '',
      ].join('\n'),
    );
    assert.match(created ?? '', /^--- \(nothing\)\n\+\+\+ MeshTimeout default\/c .*\n@@ -0,0 \+1,9 @@\n\+type: MeshTimeout\n/);
    assert.equal((await live.run(`diff -f ${file} --exit-code`)).code, 1);
    assert.deepEqual(await names(live), ['a', 'b']);
    await live.run(`apply -f ${file}`);
    assert.deepEqual(await live.run(`diff -f ${file} --exit-code`), {
      code: 0,
      out: '',
      err: '0 created, 0 changed, 0 deleted, 3 unchanged\n',
    });
  });

  it('takes the order of keys for no change, and shows a change without it', async () => {
    const live = await startLive(scope, GLOBAL);
    const turned = (seconds: number, labels: string) =>
      `spec:\n  to:\n    - default: {http: {streamIdleTimeout: 1s, requestTimeout: ${seconds}s}, idleTimeout: 1s}\n      targetRef: {kind: Mesh}\nlabels: {${labels}}\nname: a\ntype: MeshTimeout\n`;
    const first =
      'type: MeshTimeout\nname: a\nlabels: {a: x, b: z}\nspec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s, http: {requestTimeout: 2s, streamIdleTimeout: 1s}}}]}\n';
    assert.match((await live.run('apply -f -', first)).out, / created/);
    const before = await live.run('get mt a -o json');
    const same = { code: 0, out: '', err: '0 created, 0 changed, 0 deleted, 1 unchanged\n' };
    assert.deepEqual(await live.run('diff -f - --exit-code', turned(2, 'b: z, a: x')), same);
    assert.match((await live.run('apply -f - --dry-run', turned(2, 'b: z, a: x'))).out, / unchanged/);
    assert.match((await live.run('apply -f -', turned(2, 'b: z, a: x'))).out, / unchanged/);
    assert.deepEqual(await live.run('get mt a -o json'), before);
    const { out } = await live.run('diff -f -', turned(5, 'c: z, b: z, a: x'));
    assert.deepEqual(
      out.split('\n').filter((line) => /^[-+] /.test(line)),
      ['+  c: z', '-          requestTimeout: 2s', '+          requestTimeout: 5s'],
    );
  });

  it('is of the format of the place, and one for scripts', async () => {
    const live = await startLive(scope, EAST);
    await live.run('apply -f -', policy('a'));
    const { out } = await live.run('diff -f - -o json', policy('a', 2));
    const { different, results } = JSON.parse(out) as { different: boolean; results: { kri: string; outcome: string; diff: string }[] };
    assert.deepEqual([different, results[0]?.kri, results[0]?.outcome], [true, 'kri_mt_default_east_kuma-system_a_', 'changed']);
    assert.match(results[0]?.diff ?? '', /-        idleTimeout: 1s\n\+        idleTimeout: 2s\n$/);
  });

  it('fails as apply would', async () => {
    const live = await startLive(scope, GLOBAL);
    const { code, err } = await live.run('diff -f - --exit-code', 'type: MeshTimeout\nname: a\nmesh: nope\nspec: {}\n');
    assert.deepEqual([code, /mesh nope does not exist/.test(err)], [1, true]);
  });
});

describe('meridianctl apply --prune', { concurrency: 2 }, () => {
  it('keeps a control plane as the files are, and nothing else', async () => {
    const live = await startLive(scope, GLOBAL);
    await live.run('apply -f -', policy('by-hand'));
    await live.run(`apply -f ${checkout({ 'a.yaml': policy('a'), 'b.yaml': policy('b') })} --set shop --prune`);
    const later = checkout({ 'a.yaml': policy('a', 5), 'c.yaml': policy('c') });
    const dry = await live.run(`apply -f ${later} --set shop --prune --dry-run`);
    const lines = ['MeshTimeout default/a changed', 'MeshTimeout default/c created', 'MeshTimeout default/b deleted'];
    assert.deepEqual(
      dry.out.split('\n').slice(0, 3),
      lines.map((line) => `${line} (dry run)`),
    );
    const diff = await live.run(`diff -f ${later} --set shop --prune`);
    assert.match(diff.out, /--- MeshTimeout default\/b\n\+\+\+ \(nothing\)\n@@ -1,11 \+0,0 @@\n-type/);
    assert.doesNotMatch(diff.out, /[-+] +meridian\.io\/set: shop\n spec/);
    assert.deepEqual(await names(live), ['a', 'b', 'by-hand']);
    const done = await live.run(`apply -f ${later} --set shop --prune`);
    assert.deepEqual(done.out.split('\n').slice(0, 3), lines);
    assert.deepEqual(await names(live), ['a', 'by-hand', 'c']);
    assert.match((await live.run(`diff -f ${later} --set shop --prune`)).err, /^0 created, 0 changed, 0 deleted, 2 unchanged/);
  });

  it('deletes nothing for a checkout that is broken', async () => {
    const live = await startLive(scope, GLOBAL);
    const whole = checkout({ 'a.yaml': policy('a') });
    await live.run(`apply -f ${whole} -f ${checkout({ 'b.yaml': policy('b') })} --set shop --prune`);
    const empty = checkout({ 'README.md': 'nothing' });
    for (const files of [`-f ${empty}`, `-f ${whole} -f ${empty}`]) {
      const { code, err } = await live.run(`apply ${files} --set shop --prune`);
      assert.equal(code, 1);
      assert.match(err, /there are no documents in .*\nhint: with --prune that would delete what was there/);
    }
    assert.equal((await live.run(`apply -f ${whole} -f /nowhere --set shop --prune`)).code, 1);
    assert.deepEqual(await names(live), ['a', 'b']);
    assert.equal((await live.run(`apply -f ${empty} --set shop --prune --allow-empty`)).code, 0);
    assert.deepEqual(await names(live), []);
  });

  for (const args of ['--prune', '--set A_b', '--allow-empty', '--set shop --allow-empty', '--set shop --prune -m demo']) {
    it(`is wrong usage with ${args}`, async () => {
      const { code, out } = await meridianctl(['apply', '-f', '-', ...args.split(' ')], { input: policy('a') });
      assert.deepEqual([code, out], [2, '']);
    });
  }
});
