import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issue, newAuthority, revoke } from './zone-authority.ts';

const MADE = 1_800_000_000;

test('a zone may be called as what every object has', async () => {
  for (const zone of ['constructor', 'tostring', 'valueof']) {
    assert.deepEqual(revoke(newAuthority(), zone, MADE).revoked, {});
    const { authority } = await issue(newAuthority(), zone, MADE);
    assert.equal(Object.keys(revoke(authority, zone, MADE).revoked).length, 1);
  }
});

for (const [clock, now, counts] of [
  ['went on', MADE + 500, MADE + 500],
  ['was set back', MADE - 500, MADE + 1],
] as const) {
  test(`what is revoked was made before, when the clock ${clock}`, async () => {
    const { authority } = await issue(newAuthority(), 'east', MADE);
    assert.deepEqual(Object.values(revoke(authority, 'east', now).revoked), [counts]);
  });
}
