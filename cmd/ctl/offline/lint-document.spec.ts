import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { type DocumentFacts, type LintPlace, lintText } from './lint-document.ts';

interface LintVector {
  readonly type: string;
  readonly namespace: string;
  readonly systemNamespace: string;
  readonly spec: JsonObject;
  readonly role?: string;
  readonly rejected?: boolean;
}

const lintedOf = (text: string, where: LintPlace): DocumentFacts[] => lintText(text, where).map(({ linted }) => linted);
const file = new URL('../../../test/reference/role-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as LintVector[];

function lintOne(document: unknown, where: LintPlace = {}): DocumentFacts {
  const [linted, ...more] = lintedOf(JSON.stringify(document), where);
  assert.ok(linted && more.length === 0);
  return linted;
}

function timeout(spec: JsonObject, namespace?: string): JsonObject {
  return { apiVersion: 'kuma.io/v1alpha1', kind: 'MeshTimeout', metadata: { name: 'slow', ...(namespace ? { namespace } : {}) }, spec };
}

const OWN = { targetRef: { kind: 'MeshService', name: 'backend' }, default: { idleTimeout: '1s' } };
const OTHER = { targetRef: { kind: 'MeshService', name: 'redis', namespace: 'redis-ns' }, default: { idleTimeout: '1s' } };

describe('lintText', () => {
  it('tells the roles that Kuma gives, and refuses what it refuses', () => {
    assert.equal(vectors.length, 90);
    for (const { type: kind, namespace, systemNamespace, spec, role, rejected } of vectors) {
      const document = { apiVersion: 'kuma.io/v1alpha1', kind, metadata: { name: 'x', ...(namespace ? { namespace } : {}) }, spec };
      const linted = lintOne(document, { zone: 'zone-1', systemNamespace });
      assert.equal(linted.role, rejected ? null : role, JSON.stringify(document));
      if (rejected) assert.notEqual(linted.problems.length, 0, JSON.stringify(document));
    }
  });

  const reaches: [title: string, document: JsonObject, where: LintPlace, role: string, reach: string][] = [
    ['of a custom namespace', timeout({ to: [OWN] }, 'backend-ns'), {}, 'producer', 'global, every other zone'],
    ['of a custom namespace, for others', timeout({ to: [OTHER] }, 'backend-ns'), {}, 'consumer', 'global only'],
    ['without a namespace', timeout({ to: [OWN] }), {}, 'system', 'every zone'],
    ['without one, on a zone', timeout({ to: [OWN] }), { zone: 'east' }, 'system', 'global only'],
    ['on a universal zone', timeout({ to: [OWN] }), { environment: 'universal' }, 'system', 'global only'],
    ['in the system namespace', timeout({ to: [OWN] }, 'kuma-system'), {}, 'system', 'global only'],
    [
      'in another system namespace',
      timeout({ to: [OWN] }, 'kuma-system'),
      { systemNamespace: 'mesh' },
      'producer',
      'global, every other zone',
    ],
    [
      'for one zone alone',
      timeout({ targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/zone': 'west' } }, to: [OWN] }, 'backend-ns'),
      {},
      'producer',
      'global, only zone west',
    ],
  ];
  for (const [title, document, where, role, reach] of reaches) {
    it(`tells role and reach ${title}`, () => {
      const linted = lintOne(document, where);
      assert.deepEqual([linted.problems, linted.role, linted.reaches], [[], role, reach]);
    });
  }

  it('names the system namespace where the document names none', () => {
    assert.equal(lintOne(timeout({ to: [OWN] }), { zone: 'east' }).namespace, 'kuma-system');
    assert.equal(lintOne(timeout({ to: [OWN] })).namespace, '');
  });

  it('shows the explicit form', () => {
    const { explicit } = lintOne(timeout({ to: [OTHER, OTHER] }, 'backend-ns'), { zone: 'east' });
    const tags = { 'k8s.kuma.io/namespace': 'backend-ns', 'kuma.io/zone': 'east' };
    assert.deepEqual(explicit, { targetRef: { kind: 'MeshSubset', tags }, to: [OTHER, OTHER] });
  });

  it('has neither role nor explicit form for what is no policy', () => {
    const { role, explicit, reaches: reach, problems } = lintOne({ type: 'Mesh', name: 'demo' });
    assert.deepEqual({ role, explicit, reach, problems }, { role: null, explicit: null, reach: 'every zone', problems: [] });
  });

  const refused: [title: string, document: unknown, where: LintPlace, fields: string[]][] = [
    ['both sorts of items', timeout({ to: [OWN, OTHER] }, 'backend-ns'), {}, ['spec.to[0].targetRef', 'spec.to[1].targetRef']],
    ['an unknown field and an unknown label word', { ...timeout({ tox: 1 }), extra: 1 }, {}, ['extra', 'spec.tox']],
    ['a namespace on a universal zone', timeout({ to: [OWN] }, 'backend-ns'), { environment: 'universal' }, ['metadata.namespace']],
    ['a zone’s kind on global', { type: 'Dataplane', name: 'x', networking: { address: '10.0.0.1' } }, {}, ['type']],
    ['a kind that is none', { type: 'MeshTimeuot', name: 'x' }, {}, ['type']],
    ['neither format', { name: 'x' }, {}, ['type']],
  ];
  for (const [title, document, where, fields] of refused) {
    it(`lists every problem: ${title}`, () => {
      const linted = lintOne(document, where);
      assert.deepEqual(
        linted.problems.map(({ field }) => field),
        fields,
      );
      assert.deepEqual([linted.reaches, linted.explicit], [null, null]);
    });
  }

  it('says what a refused document calls itself', () => {
    const { type, name } = lintOne({ apiVersion: 'x', kind: 'Deployment', metadata: { name: 'web' } });
    assert.deepEqual({ type, name }, { type: 'Deployment', name: 'web' });
  });

  it('judges each document for itself', () => {
    const texts = [timeout({ to: [OWN] }, 'backend-ns'), { type: 'Mesh', name: 'demo' }].map((value) => JSON.stringify(value));
    const together = lintedOf([...texts, 'a: [', ''].join('\n---\n'), {});
    assert.deepEqual(
      together.slice(0, 2),
      texts.flatMap((text) => lintedOf(text, {})),
    );
    assert.deepEqual(
      together.slice(2).map(({ type, problems }) => [type, problems.length]),
      [[null, 1]],
    );
  });

  it('survives what nests without an end', () => {
    const [linted] = lintedOf(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`, {});
    assert.equal(linted?.problems.length, 1);
  });
});
