import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { meridianctl } from '../../../test/harness/meridianctl.ts';
import { Scope } from '../../../test/harness/scope.ts';

const WEB = 'spiffe://default.east.mesh.local/ns/shop/sa/web';

describe('meridianctl envoy certs', () => {
  const scope = new Scope();
  after(() => scope.close());
  const certs = (dir: string, ...args: string[]) => meridianctl(['envoy', 'certs', ...args, '--dir', dir]);
  const certificate = (...path: string[]) => new X509Certificate(readFileSync(join(...path)));

  it("makes a proxy's certificate where the zone says that it is, and one file for each caller, all of one CA", async () => {
    const dir = join(scope.folder(), 'certs');
    const { code, out } = await certs(dir, 'orders-1.shop', '--trial', '-m', 'store', '--id', 'spiffe://a/b', '--caller', `web=${WEB}`);
    assert.equal(code, 0);
    const files = ['ca', 'cert', 'key'].map((name) => join(dir, 'store', 'orders-1.shop', `${name}.pem`));
    assert.equal(out, [...files, join(dir, 'web.pem')].map((file) => `wrote ${file}\n`).join(''));
    for (const file of [...files, join(dir, 'ca.key'), join(dir, 'web.pem')]) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    await certs(dir, '--trial', '--caller', 'old=spiffe://a/old');
    const ca = certificate(dir, 'ca.pem');
    const made = { 'URI:spiffe://a/b': 'store/orders-1.shop/cert.pem', [`URI:${WEB}`]: 'web.pem', 'URI:spiffe://a/old': 'old.pem' };
    for (const [uri, file] of Object.entries(made)) {
      const own = certificate(dir, file);
      assert.ok(own.checkIssued(ca) && own.verify(ca.publicKey), file);
      assert.equal(own.subjectAltName?.split(', ')[0], uri);
    }
  });

  const wrong: [why: string, args: string[]][] = [
    ['they are not for a trial', ['a']],
    ['a mesh leads out of the folder', ['a', '--trial', '-m', '../b']],
    ['a proxy leads out of the folder', ['..', '--trial']],
    ['a caller leads out of the folder', ['--trial', '--caller', `../web=${WEB}`]],
    ['a caller has no name', ['--trial', '--caller', WEB]],
    ['a caller would replace the CA', ['--trial', '--caller', `ca=${WEB}`]],
    ['a caller has no SPIFFE ID', ['--trial', '--caller', 'web=https://a/b']],
    ['a proxy has no SPIFFE ID', ['a', '--trial', '--id', 'a']],
  ];
  for (const [why, args] of wrong) {
    it(`makes nothing where ${why}`, async () => {
      const dir = join(scope.folder(), 'certs');
      const { code, out } = await certs(dir, ...args);
      assert.deepEqual([code, out], [1, '']);
      assert.throws(() => statSync(join(dir, 'web.pem')), { code: 'ENOENT' });
    });
  }
});
