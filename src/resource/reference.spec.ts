import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mtpOf, readMtp } from './permission.ts';
import type { JsonObject } from './resource.ts';
import { parseDocument } from './documents/parse-documents.ts';
import { validateDraft } from './documents/validate-draft.ts';

function load<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../test/reference/${name}.json`, import.meta.url), 'utf8')) as T;
}

function accept(document: unknown): ReturnType<typeof parseDocument> {
  const parsed = parseDocument(document);
  assert.deepEqual([...parsed.problems, ...(parsed.draft ? validateDraft(parsed.draft) : [])], [], JSON.stringify(document));
  return parsed;
}

/** The real Kuma gives these a role, and refuses them all the same. */
const isSilent = ({ type, spec }: { type: string; spec: JsonObject }): boolean =>
  type === 'MeshTrafficPermission' && mtpOf(spec).shape === 'none';

test('every policy of the role vectors that says something is accepted, in both formats, also those whose roles are mixed', () => {
  const vectors = load<{ type: string; namespace: string; spec: JsonObject }[]>('role-vectors');
  assert.equal(vectors.length, 90);
  for (const { type, namespace, spec } of vectors.filter((vector) => !isSilent(vector))) {
    accept({ type, mesh: 'default', name: 'p', labels: namespace === '' ? {} : { 'k8s.kuma.io/namespace': namespace }, spec });
    accept({ apiVersion: 'kuma.io/v1alpha1', kind: type, metadata: { name: 'p', namespace }, spec });
  }
});

test('every policy of the decision vectors is accepted and read', () => {
  const vectors = load<{ policies: { spec: { from: unknown[] } }[] }[]>('from-decisions');
  assert.equal(vectors.length, 80);
  for (const policy of vectors.flatMap(({ policies }) => policies)) {
    const mtp = readMtp(accept(policy).draft?.spec ?? {});
    assert.equal(mtp.shape === 'from' && mtp.items.length, policy.spec.from.length);
  }
});

test('every access policy of ClusterLink is accepted', () => {
  const vectors = load<{ policies: unknown[] }[]>('access-decisions');
  assert.equal(vectors.length, 60);
  for (const policy of vectors.flatMap(({ policies }) => policies)) accept(policy);
});

test('everything that kumactl sent is accepted', () => {
  const { global, zone } = load<{ global: { request?: string | null }[]; zone: { request?: string | null }[] }>('kumactl-conversations');
  const sent = [...global, ...zone].flatMap(({ request }) => (request ? [JSON.parse(request) as unknown] : []));
  assert.ok(sent.length >= 6);
  for (const document of sent) accept(document);
});
