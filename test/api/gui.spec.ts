import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readPage } from '../../src/api/gui/gui-route.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { apiOn, newApi } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

/** An API with a page of these files. */
function withPage(files: Readonly<Record<string, string>>) {
  const folder = scope.folder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { plane } = newApi(scope, GLOBAL);
  return apiOn(scope, plane, undefined, '127.0.0.1', { page: readPage(folder) }).app;
}

describe('the web page', () => {
  const app = withPage({ 'page.html': '<p>', 'page.js': 'x', 'page.css': '', 'icon.svg': '', 'secret.txt': 'no' });

  it('is at /gui, where GET / says that it is, and may run its own script alone', async () => {
    const { headers, body, statusCode } = await app.inject('/gui');
    assert.deepEqual([statusCode, headers['content-type'], body], [200, 'text/html; charset=utf-8', '<p>']);
    const policy = String(headers['content-security-policy']);
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(part), policy);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.equal((await app.inject('/')).json().gui, '/gui');
  });

  it('has its own files and no others', async () => {
    assert.equal((await app.inject('/gui/page.js')).statusCode, 200);
    for (const name of ['secret.txt', 'none.js', '..%2fpackage.json', 'constructor'])
      assert.equal((await app.inject(`/gui/${name}`)).statusCode, 404, name);
    assert.equal((await app.inject({ method: 'POST', url: '/gui' })).statusCode, 405);
  });

  it('that was not built is told so', async () => {
    assert.equal(readPage(join(scope.folder(), 'none')), undefined);
    const none = newApi(scope, GLOBAL).app;
    const { statusCode, body } = await none.inject('/gui');
    assert.equal(statusCode, 404);
    assert.match(body, /npm run build/);
    assert.equal((await none.inject('/')).json().gui, '');
  });
});
