import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Key } from '../../resource/key.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { refuseTooManyRules } from './too-many-rules.ts';

const key = (type: string): Key => ({ type, mesh: 'default', zone: 'east', namespace: 'shop', name: 'x' });

/** The problem of a permission of so many callers, which names a route of so many matches. */
function problemOf(callers: number, matches: number, name = 'x'): unknown {
  const paths = Array.from({ length: matches }, (_, index) => ({ path: { type: 'PathPrefix', value: `/p-${index}` } }));
  const spec: JsonObject = { to: [{ targetRef: { kind: 'MeshService', name: 'web' }, rules: [{ matches: paths, default: {} }] }] };
  const route = { key: key('MeshHTTPRoute'), labels: {}, spec } as Resource;
  const byName = (_type: string, _mesh: string, _namespace: string, asked: string) =>
    asked === 'x' ? ({ resource: route } as ReturnType<Parameters<typeof refuseTooManyRules>[0]['byName']>) : undefined;
  const allow = Array.from({ length: callers }, (_, index) => ({ spiffeId: { type: 'Exact', value: `spiffe://td/${index}` } }));
  try {
    refuseTooManyRules({ byName }, key('MeshTrafficPermission'), {
      targetRef: { kind: 'MeshHTTPRoute', name },
      rules: [{ default: { allow } }],
    });
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

test('a permission that alone is too much for an inbound is refused, with its path and what to do', () => {
  assert.equal(problemOf(1, 5_000), undefined);
  assert.equal(problemOf(8, 5_000), undefined);
  const refused = problemOf(10, 5_000) as { code: string; problems: { field: string }[]; hint: string };
  assert.equal(refused.code, 'invalid');
  assert.deepEqual(
    refused.problems.map(({ field }) => field),
    ['spec.targetRef'],
  );
  assert.match(refused.hint, /fewer matches/);
  assert.equal(problemOf(10, 5_000, 'none'), undefined);
});
