import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MeridianError } from '../../errors.ts';
import { WorkBudget } from './work-budget.ts';

function newBudget() {
  const clock = { now: 0 };
  return { clock, budget: new WorkBudget(() => clock.now, { burst: 1_000, perSecond: 100 }) };
}

/** How long somebody has to wait; 0: not at all. */
function waitOf(budget: WorkBudget, tokenId: string): number {
  try {
    budget.open({ tokenId });
    return 0;
  } catch (thrown) {
    assert.ok(thrown instanceof MeridianError && thrown.code === 'rate_limited');
    return thrown.retryAfter ?? 0;
  }
}

describe('what questions cost', () => {
  it('is charged after they were answered, and comes back in time', () => {
    const { clock, budget } = newBudget();
    const charge = budget.open({ tokenId: 'a' });
    charge(1_000);
    assert.equal(waitOf(budget, 'a'), 1);
    charge(500);
    assert.equal(waitOf(budget, 'a'), 5);
    clock.now += 5_100;
    assert.equal(waitOf(budget, 'a'), 0);
  });

  it('is charged to each token alone, and to nobody without one', () => {
    const { budget } = newBudget();
    budget.open({ tokenId: 'a' })(5_000);
    assert.equal(waitOf(budget, 'b'), 0);
    budget.open({ tokenId: undefined })(1_000_000);
    assert.doesNotThrow(() => budget.open({ tokenId: undefined }));
  });

  it('never becomes more than what is there at once', () => {
    const { clock, budget } = newBudget();
    clock.now += 1_000_000;
    budget.open({ tokenId: 'a' })(1_001);
    assert.equal(waitOf(budget, 'a'), 1);
  });
});
