import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Scope } from '../../../test/harness/scope.ts';
import { meridianctl } from '../../../test/harness/meridianctl.ts';

const scope = new Scope();
after(() => scope.close());

describe('meridianctl convert', () => {
  it('names the file and the document of what it can not convert, and converts the rest', async () => {
    const folder = scope.folder();
    const [a, b] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
    const good =
      'type: UpstreamTimeout\nmesh: m\nname: t\ntargetRef: {kind: Service, name: web}\nconf: {to: [{targetRef: {kind: Mesh}, connectTimeout: 5s}]}\n';
    writeFileSync(a, good);
    const list = '{apiVersion: v1, kind: List, items: [{type: Nope, name: m, conf: {}}]}';
    writeFileSync(b, `${good.replace('name: t', 'name: u')}---\ntype: Foo\nname: x\nconf: {}\n---\na: [\n---\n3\n---\n${list}\n`);
    const { code, out, err } = await meridianctl(['convert', '-f', folder]);
    assert.equal(code, 1);
    assert.deepEqual(out.match(/^name: .*$/gm), ['name: r1-t', 'name: r0-u']);
    const lines = err
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(b, 'B'));
    for (const wanted of [
      /^B, document 2 \(Foo x\): type: "Foo" is no kind of policy/,
      /^B, document 3: line \d+, column \d+: /,
      /^B, document 4: must be an object/,
      /^B, document 5, item 1 \(Nope m\): type: "Nope" is no kind/,
    ])
      assert.ok(
        lines.some((line) => wanted.test(line)),
        `${wanted} in ${err}`,
      );
    assert.doesNotMatch(err, /documents\[/);
  });
});
