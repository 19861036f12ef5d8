import assert from 'node:assert/strict';
import { z } from 'zod';
import { invalid, MeridianError } from '../../src/errors.ts';
import { admit } from '../../src/policy/admit-draft.ts';
import type { Key } from '../../src/resource/key.ts';
import { parseDocument } from '../../src/resource/documents/parse-documents.ts';
import type { Draft, Place } from '../../src/resource/resource.ts';
import type { Node } from '../simulator/node.ts';
import { forge } from './forge.ts';
import type { ScenarioStep } from './scenario.ts';
import { deleteResource, writeDrafts } from '../harness/write-drafts.ts';

/**
 * Does one step at its control plane. Throws what the control plane throws, and when a step that must be refused was
 * not.
 */
export function perform(node: Node, { verb, documents }: ScenarioStep): void {
  switch (verb) {
    case 'apply':
      return apply(node, documents);
    case 'delete':
      return remove(node, documents);
    case 'refused':
      return refuse(node, documents);
    case 'forge':
      return forge(node, documents);
    case 'cut-off':
      return node.setConnected(false);
    case 'reconnect':
      return node.setConnected(true);
  }
}

function apply(node: Node, documents: readonly unknown[]): void {
  const drafts = toDrafts(documents);
  node.write((plane) => writeDrafts(plane, drafts));
}

function remove(node: Node, documents: readonly unknown[]): void {
  for (const draft of toDrafts(documents)) node.write((plane) => deleteResource(plane, keyOf(draft, node.place)));
}

function toDrafts(documents: readonly unknown[]): Draft[] {
  const parsed = documents.map(parseDocument);
  const problems = parsed.flatMap((document) => document.problems);
  if (problems.length > 0) throw invalid(problems);
  return parsed.flatMap(({ draft }) => draft ?? []);
}

function keyOf(draft: Draft, place: Place): Key {
  const result = admit(draft, place);
  if ('problems' in result) throw invalid(result.problems);
  return result.admitted.key;
}

const refusal = z.strictObject({
  code: z.string().default('invalid'),
  expect: z.array(z.strictObject({ field: z.string(), reason: z.string() })),
});

/**
 * The first document says what the apply of the others is refused for: all of its problems, each with a part of its
 * reason.
 */
function refuse(node: Node, [first, ...documents]: readonly unknown[]): void {
  const { code, expect } = refusal.parse(first);
  const error = refusalOf(() => apply(node, documents));
  assert.equal(error.code, code, error.message);
  const found = error.problems.map(({ field, reason }) => {
    const matching = expect.find((problem) => problem.field === field && reason.includes(problem.reason));
    return matching ?? { field, reason };
  });
  assert.deepEqual(byField(found), byField(expect));
}

function byField<T extends { field: string; reason: string }>(problems: readonly T[]): T[] {
  return [...problems].sort((a, b) => (`${a.field} ${a.reason}` < `${b.field} ${b.reason}` ? -1 : 1));
}

function refusalOf(body: () => void): MeridianError {
  try {
    body();
  } catch (thrown) {
    if (thrown instanceof MeridianError) return thrown;
    throw thrown;
  }
  assert.fail('the control plane took what it must refuse');
}
