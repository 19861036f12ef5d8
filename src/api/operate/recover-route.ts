import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { PeerView } from '../../control/peers/peer-view.ts';
import { inTurns, untilFree } from '../../control/plane/in-turns.ts';
import { isGlobal, type Plane } from '../../control/plane/plane.ts';
import { recover, type RecoverOrder } from '../../control/operate/recover.ts';
import { invalid, type Problem } from '../../errors.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { isObject, quote } from '../../resource/field-path.ts';
import type { Place } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { about } from '../audit/audit-record.ts';
import { parseJson } from '../http/request-bodies.ts';
import { described, type Operation } from '../openapi/operation.ts';
import type { ApiOptions } from '../api-options.ts';

const FIELDS = ['acceptStore', 'store', 'dropAbsent'] as const;

/** Hex digits. */
const STORE = /^[0-9a-f]{1,64}$/;

const operation: Operation = {
  id: 'recover',
  summary: "Give an operator's word after a restore or a lost store",
  tag: 'Zones and sync',
  body: z.strictObject({
    acceptStore: z.string().optional().describe('Take the store that now speaks for this peer'),
    store: z.string().regex(STORE).optional().describe('Which one: its id. Without it, the one that was refused last'),
    dropAbsent: z.string().optional().describe('Give up what this peer sent earlier, and has not sent since'),
  }),
  bodyOptional: true,
  answers: { 200: z.strictObject({ done: z.array(z.string()).min(1) }) },
  refusals: [404, 409],
};

/**
 * `POST /_recover`, with `{acceptStore?: peer, store?: id, dropAbsent?: peer}`: an operator's word
 * (docs/design/trust.md#the-operators-word). Answers what was done.
 */
export function addRecoverRoute(app: FastifyInstance, { plane, sync }: ApiOptions): void {
  app.post('/_recover', described('Could not recover', operation), async (request) => {
    const text = typeof request.body === 'string' ? request.body : '';
    const order = readOrder(text.trim() === '' ? {} : parseJson(text), plane.place);
    const refused = order.acceptStore === undefined ? undefined : refusedStore(sync?.view(order.acceptStore));
    about(request, '', order.acceptStore ?? order.dropAbsent ?? '');
    return { done: await inTurns('apply', recoverInParts(plane, { store: refused, ...order })) };
  });
}

function* recoverInParts(plane: Plane, order: RecoverOrder): Parts<readonly string[]> {
  yield* untilFree(plane.store);
  return yield* plane.store.commitInParts((tx) => recover(tx, plane, order));
}

/** Which store was refused last. */
function refusedStore(view: PeerView | undefined): string | undefined {
  return view?.stopped?.store ?? view?.stranger?.store;
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
  if (field === 'store')
    return typeof peer === 'string' && STORE.test(peer) ? [] : [{ field, reason: 'must be the id of a store: hex digits' }];
  if (typeof peer !== 'string') return [{ field, reason: 'must be the name of a peer' }];
  const right = isGlobal(place) ? peer !== 'global' : peer === 'global';
  return right ? [] : [{ field, reason: isGlobal(place) ? 'must be the name of a zone' : 'must be global: a zone has no other peer' }];
}
