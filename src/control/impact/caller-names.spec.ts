import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { permissions } from '../../../test/harness/rbac-samples.ts';
import { matchersOf } from '../../resource/permission-actions.ts';
import { matchesText } from '../../resource/string-match.ts';
import { namedBy } from './caller-names.ts';

test('of all whom matchers name there is a sample, and one whom none of them names', () => {
  fc.assert(
    fc.property(permissions('spiffe', false), (named) => {
      const ids = named.flatMap(({ mtp }) => matchersOf(mtp)).flatMap(({ spiffeId }) => spiffeId ?? []);
      const samples = namedBy(named).map(({ sample }) => sample[0] ?? '');
      for (const id of ids)
        assert.ok(
          samples.some((sample) => matchesText(id, sample)),
          JSON.stringify(id),
        );
      assert.ok(samples.some((sample) => !ids.some((id) => matchesText(id, sample))));
    }),
  );
});
