import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Labels } from '../../resource/labels.ts';
import { accessSchema, type SelectionSpec } from '../../resource/schema/access-schema.ts';
import { ALL, type AccessItem, selector, set } from '../../../test/harness/access-policies.ts';
import { readSelection, selects, unknownKeys } from './attribute-selector.ts';

/** As validation lets it through. */
function items(...given: readonly AccessItem[]): SelectionSpec[] {
  return accessSchema.parse({ action: 'deny', from: given, to: [ALL] }).from;
}

const [role, batch, unknown] = ['k8s:label:role', { 'client.clusterlink.net/labels.role': 'batch' }, 'client.clusterlink.net/nmae'];

describe('a selector', () => {
  const cases: readonly (readonly [item: AccessItem, source: Labels, expected: boolean])[] = [
    [ALL, batch, true],
    [ALL, {}, true],
    [selector({ [role]: 'batch' }), batch, true],
    [selector({ [role]: 'front' }), batch, false],
    [selector({ [role]: 'batch' }), {}, false],
    [selector({ [role]: '' }), {}, false],
    [selector(`${role} In front batch`), batch, true],
    [selector(`${role} In front`), batch, false],
    [selector(`${role} In front`), {}, false],
    [selector(`${role} NotIn front`), batch, true],
    [selector(`${role} NotIn front batch`), batch, false],
    [selector(`${role} NotIn batch`), {}, true],
    [selector(`${role} Exists`), batch, true],
    [selector(`${role} Exists`), { [role]: '' }, true],
    [selector(`${role} Exists`), { 'k8s:label:roles': 'x' }, false],
    [selector(`${role} DoesNotExist`), batch, false],
    [selector(`${role} DoesNotExist`), { [role]: '' }, false],
    [selector(`${role} DoesNotExist`), {}, true],
    [selector({ [role]: 'batch', 'k8s:ns': 'pay' }), batch, false],
    [selector({ [role]: 'batch' }, `${role} NotIn batch`), batch, false],
    [selector({ [role]: 'batch' }, `k8s:ns DoesNotExist`), batch, true],
    [selector({ [role]: 'batch', 'client.clusterlink.net/labels.role': 'front' }), batch, false],
  ];
  for (const [item, source, expected] of cases) {
    it(`${JSON.stringify(item.workloadSelector)} and ${JSON.stringify(source)}: ${expected}`, () => {
      for (const action of ['allow', 'deny'] as const)
        assert.equal(selects(readSelection('source', action, items(item)), set('source', source)), expected);
    });
  }

  it('is one of several', () => {
    const two = items(selector({ [role]: 'front' }), selector({ [role]: 'batch' }));
    assert.equal(selects(readSelection('source', 'allow', two), set('source', batch)), true);
    assert.equal(selects([], set('source', batch)), false);
  });
});

describe('an unknown key', () => {
  const slips: readonly (readonly [item: AccessItem, denies: boolean])[] = [
    ...['In x', 'NotIn x', 'Exists', 'DoesNotExist'].map((rest) => [selector(`${unknown} ${rest}`), true] as const),
    [selector({ [unknown]: 'x' }), true],
    [selector({ [unknown]: 'x', [role]: 'batch' }), true],
    [selector({ [unknown]: 'x', [role]: 'front' }), false],
    [selector({ 'export.clusterlink.net/name': 'x' }), true],
  ];
  for (const [item, denies] of slips) {
    it(`allows nobody, and denies without it: ${JSON.stringify(item.workloadSelector)}`, () => {
      const caller = set('source', { ...batch, [unknown]: 'x' });
      assert.equal(selects(readSelection('source', 'allow', items(item)), caller), false);
      assert.equal(selects(readSelection('source', 'deny', items(item)), caller), denies);
    });
  }

  it('leaves the other selectors alone, and is told once', () => {
    const two = items(selector(`${unknown} Exists`), selector({ [role]: 'batch', [unknown]: 'x' }), ALL);
    assert.equal(selects(readSelection('source', 'allow', two), set('source', batch)), true);
    assert.deepEqual(unknownKeys('source', two), [unknown]);
    assert.deepEqual(unknownKeys('destination', items(selector({ 'service:name': 'x' }))), []);
  });
});
