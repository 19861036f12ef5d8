import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CtlRequest, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const KRI = 'kri_mt_default___slow_';
const POLICY = { type: 'MeshTimeout', mesh: 'default', name: 'slow', kri: KRI, labels: { 'kuma.io/display-name': 'slow' }, spec: {} };
const ENTRY = { kri: KRI, type: 'MeshTimeout', mesh: 'default', zone: '', namespace: '', name: 'slow', peer: 'west', state: 'refused' };
/** The same display name, made in a zone: another resource. */
const OTHER = { ...ENTRY, kri: 'kri_mt_default_west__slow_', zone: 'west', peer: 'east' };

function answer({ path }: CtlRequest) {
  if (path.startsWith('/_ledger')) return { body: { total: 2, items: [{ ...ENTRY, reason: 'too new' }, OTHER], next: null } };
  if (path.includes('/_resources/dataplanes')) return { body: { total: 12, items: [], next: null } };
  return { body: path.endsWith('/_enforcement') ? { warnings: ['no proxy enforces it'] } : POLICY };
}

it('describe shows a resource with what it selects, its warnings, and where it stands', async (t) => {
  const stub = await startStub(t, answer);
  const { code, out } = await meridianctl(['describe', 'mt/slow', '--url', stub.url]);
  assert.equal(code, 0);
  assert.match(
    out,
    /^type: MeshTimeout\n[^]*\n\nselects 12 proxies\nwarning: no proxy enforces it\n\nTYPE .*\nMeshTimeout .* west +refused +- +too new\n$/,
  );
  const json = JSON.parse((await meridianctl(['describe', 'mt', 'slow', '-o', 'json', '--url', stub.url])).out) as Record<string, unknown>;
  assert.deepEqual([json.selects, (json.ledger as object[]).length], [12, 1]);
});
