import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inLimitedTurns } from '../../control/impact/limited-turns.ts';
import { MeridianError } from '../../errors.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { ApiOptions } from '../api-options.ts';
import { principalOf } from '../auth/principal.ts';
import { goneOf } from './read-body.ts';
import type { WorkBudget } from './work-budget.ts';

/** How long one answer may take, ms. */
const MOST_WORK = 10_000;

/** What is asked, what makes it dear, and what to ask instead of too much: for people. */
export interface ChargedQuestion {
  readonly asked: string;
  readonly of: string;
  readonly instead: string;
}

/** Does the steps of one answer. Rejects with `too_large` where they take too much work, and what they throw. */
type DoingSteps = <T>(steps: Parts<T>) => Promise<T>;

/**
 * Questions of one kind that are answered in turns of the event loop, at the charge of whoever asks. Out: opens one of
 * them; throws `rate_limited` for who has asked too much.
 */
export function chargedAnswers(
  { budget, monotonic: now = () => performance.now() }: Pick<ApiOptions, 'monotonic'> & { readonly budget: WorkBudget },
  what: ChargedQuestion,
): (request: FastifyRequest, reply: FastifyReply) => DoingSteps {
  return (request, reply) => {
    const turns = { now, nextTurn: () => setImmediate(), gone: goneOf(reply), charge: budget.open(principalOf(request), what) };
    return async (steps) => {
      const done = await inLimitedTurns(steps, MOST_WORK, turns);
      if (!done) throw new MeridianError('too_large', 'this takes too much work', { hint: what.instead });
      return done.result;
    };
  };
}
