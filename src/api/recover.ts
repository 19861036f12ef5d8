import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isGlobal } from '../control/plane.js';
import { recover, type RecoverOrder } from '../control/recover.js';
import { invalid, type Problem } from '../errors.js';
import { GLOBAL_PEER } from '../resource/audience.js';
import { isObject, quote } from '../resource/path.js';
import type { Place } from '../resource/resource.js';
import { parseJson } from './bodies.js';
import { described, type Operation } from './openapi/operation.js';
import type { ApiOptions } from './options.js';

const FIELDS = ['acceptStore', 'dropAbsent'] as const;

const operation: Operation = {
  id: 'recover',
  summary: "Give an operator's word after a restore or a lost store",
  tag: 'Zones and sync',
  body: z.strictObject({
    acceptStore: z.string().optional().describe('Take the store that now speaks for this peer'),
    dropAbsent: z.string().optional().describe('Give up what this peer sent earlier, and has not sent since'),
  }),
  bodyOptional: true,
  answers: { 200: z.strictObject({ done: z.array(z.string()).min(1) }) },
  refusals: [404, 409],
};

/** `POST /_recover`, with `{acceptStore?: peer, dropAbsent?: peer}`: an operator's word (design, section 4). Answers what was done. */
export function addRecoverRoute(app: FastifyInstance, { plane, afterCommit }: ApiOptions): void {
  app.post('/_recover', described('Could not recover', operation), (request) => {
    const text = typeof request.body === 'string' ? request.body : '';
    const order = readOrder(text.trim() === '' ? {} : parseJson(text), plane.place);
    const done = recover(plane, order);
    afterCommit();
    return { done };
  });
}

/** Misspelt, an order would do something else. */
function readOrder(value: unknown, place: Place): RecoverOrder {
  if (!isObject(value)) throw invalid([{ field: 'document', reason: 'must be an object' }]);
  const problems = Object.entries(value).flatMap(([field, peer]) => orderProblems(field, peer, place));
  if (problems.length > 0) throw invalid(problems);
  return Object.fromEntries(Object.entries(value).map(([field, peer]) => [field, peer === 'global' ? GLOBAL_PEER : peer])) as RecoverOrder;
}

function orderProblems(field: string, peer: unknown, place: Place): Problem[] {
  if (!FIELDS.some((known) => known === field)) return [{ field: quote(field), reason: `must be one of ${FIELDS.join(', ')}` }];
  if (typeof peer !== 'string') return [{ field, reason: 'must be the name of a peer' }];
  const right = isGlobal(place) ? peer !== 'global' : peer === 'global';
  return right ? [] : [{ field, reason: isGlobal(place) ? 'must be the name of a zone' : 'must be global: a zone has no other peer' }];
}
