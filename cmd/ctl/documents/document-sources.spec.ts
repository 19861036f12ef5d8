import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, describe, it } from 'node:test';
import { Scope } from '../../../test/harness/scope.ts';
import { readSources } from './document-sources.ts';

const scope = new Scope();
after(() => scope.close());

/** A folder with files of this text; a text `-> x` is a link, and bytes are as they are. */
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const top = scope.folder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(top, name, '..'), { recursive: true });
    if (typeof text === 'string' && text.startsWith('-> ')) symlinkSync(text.slice(3), join(top, name));
    else writeFileSync(join(top, name), text);
  }
  return top;
}

const BAD = Uint8Array.of(0x61, 0xff);

describe('a folder of documents', () => {
  it('is all that is in it but what is hidden, in order', async () => {
    const top = folder({
      'b.yaml': '',
      'a/z.json': '',
      'a/b/c.yml': '',
      'README.md': '',
      'x.yaml.orig': '',
      '.git/config.yaml': 'broken: [',
      '.hidden.yaml': 'broken: [',
      'a/.swp/x.yaml': BAD,
      'a/.b.yaml.swp': BAD,
      'link.yaml': '-> b.yaml',
      'folder.yaml': '-> a',
      'dir.yaml/d.yaml': '',
    });
    const files = (await readSources([top])).map(({ file }) => relative(top, file));
    assert.deepEqual(files, ['a/b/c.yml', 'a/z.json', 'b.yaml', 'dir.yaml/d.yaml', 'link.yaml']);
  });

  it('may be hidden itself, as may a file, when it is named', async () => {
    const top = folder({ '.policies/a.yaml': '', '.policies/.b.yaml': 'c' });
    assert.deepEqual((await readSources([join(top, '.policies')])).length, 1);
    assert.deepEqual(await readSources([join(top, '.policies/.b.yaml')]), [{ file: join(top, '.policies/.b.yaml'), text: 'c' }]);
  });

  const wrong: [title: string, files: Readonly<Record<string, string | Uint8Array>>, named: string, code: string, message: RegExp][] = [
    ['a file that is not UTF-8', { 'a.yaml': '', 'b/c.yaml': BAD }, '.', 'invalid', /^TOP\/b\/c\.yaml can't be read: it is not UTF-8$/],
    ['a link to nothing', { 'a.yaml': '', 'b/l.yaml': '-> nowhere' }, '.', 'not_found', /^TOP\/b\/l\.yaml does not exist$/],
    [
      'a link to itself',
      { 'l.yaml': '-> l.yaml' },
      '.',
      'invalid',
      /^TOP\/l\.yaml can't be read: ELOOP: too many symbolic links encountered$/,
    ],
    ['a path that is not there', {}, 'x', 'not_found', /^TOP\/x does not exist$/],
    ['a file as a folder', { 'a.yaml': '' }, 'a.yaml/b', 'invalid', /^TOP\/a\.yaml\/b can't be read: ENOTDIR: not a directory$/],
  ];
  for (const [title, files, path, code, message] of wrong) {
    it(`names what is wrong: ${title}`, async () => {
      const top = folder(files);
      await assert.rejects(readSources([join(top, path)]), (thrown: Error & { code: string }) => {
        assert.equal(thrown.code, code);
        assert.match(thrown.message.replaceAll(top, 'TOP'), message);
        return true;
      });
    });
  }
});
