import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createAuthority } from '../../../test/harness/certificates.ts';
import { startDaemon } from '../../../test/harness/daemon.ts';
import { Scope } from '../../../test/harness/scope.ts';
import { meridianctl, type CtlResult } from '../../../test/harness/meridianctl.ts';

const scope = new Scope();
after(() => scope.close());

const POLICIES = `
type: Mesh
name: demo
---
type: MeshTimeout
mesh: demo
name: slow
spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}
`;

describe('meridianctl with real daemons', () => {
  it('moves what users wrote from one that asks for tokens over HTTPS to another', async () => {
    const folder = scope.folder();
    const { cert, key, ca } = await (await createAuthority(folder)).issue('api', [], ['127.0.0.1']);
    const tls = { MERIDIAN_API_TLS_CERT: cert, MERIDIAN_API_TLS_KEY: key, MERIDIAN_API_LOOPBACK_ADMIN: 'false' };
    const first = await startDaemon(scope, 'global', tls);
    const second = await startDaemon(scope, 'global', {});
    const config = join(folder, 'config');
    const run = (args: string, input = ''): Promise<CtlResult> => meridianctl(args.split(' '), { input, env: { MERIDIAN_CONFIG: config } });
    const address = first.url.replace('http:', 'https:');
    const add = `config control-planes add --name first --address ${address} --ca-cert-file ${ca}`;

    const nobody = await run(`get meshes --url ${address} --ca-cert-file ${ca}`);
    assert.equal(nobody.code, 1);
    assert.match(nobody.err, /Unauthenticated/);
    writeFileSync(join(folder, 'wrong'), 'not-a-token');
    assert.equal((await run(`${add} --token-file ${join(folder, 'wrong')}`)).code, 1);
    assert.deepEqual(await run(`${add} --token-file ${join(first.dataDir, 'admin-token')}`), {
      code: 0,
      out: 'added control plane first\n',
      err: '',
    });
    assert.equal((await run('apply -f -', POLICIES)).code, 0);
    const exported = await run('export');
    assert.deepEqual([exported.code, exported.err], [0, '']);
    assert.match(exported.out, /name: demo\n[^]*name: slow\n/);

    await run(`config control-planes add --name second --address ${second.url}`);
    assert.match((await run('diff -f -', exported.out)).err, /^2 created, 0 changed, 0 deleted, 1 unchanged/);
    assert.equal((await run('apply -f -', exported.out)).code, 0);
    assert.equal((await run('export')).out, exported.out);
    assert.equal((await run('diff -f - --exit-code --context first', exported.out)).code, 0);
  });
});
