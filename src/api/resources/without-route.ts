import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { dryRunDelete } from '../../control/impact/dry-run.ts';
import type { Plane } from '../../control/plane/plane.ts';
import { invalid, MeridianError } from '../../errors.ts';
import { type Key, keyId } from '../../resource/key.ts';
import { findKind } from '../../resource/kinds.ts';
import { quote } from '../../resource/field-path.ts';
import { check } from '../../resource/schema/check-schema.ts';
import type { ApiOptions } from '../api-options.ts';
import { principalOf } from '../auth/principal.ts';
import type { WorkBudget } from '../bodies/work-budget.ts';
import { goneOf } from '../bodies/read-body.ts';
import { parseJson, textOf } from '../http/request-bodies.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { describeImpacts, impactShape } from './describe-impact.ts';
import { locate } from './locate-resource.ts';

/** What is looked up and deleted in one go. */
const MOST = 5_000;

const text = z.string().max(2048);
const named = z.strictObject({ type: text, mesh: text.optional(), name: text }).meta({ id: 'NamedResource' });
const questionShape = z.strictObject({ resources: z.array(named).min(1).max(MOST) }).meta({ id: 'Without' });

const operation: Operation = {
  id: 'without',
  summary: 'Whose verdicts would change without these resources',
  description: 'What a delete of all of them would do. Nothing is changed. It is charged as a dry run of `POST /apply` is.',
  tag: 'Decisions',
  body: questionShape,
  answers: { 200: z.strictObject(impactShape).meta({ id: 'Impact' }) },
  refusals: [404, 409],
};

/**
 * `POST /_without`: whose verdicts would change if resources were deleted, all of them at once: of two policies that
 * allow the same, neither is missed alone. Throws what the delete would.
 */
export function addWithoutRoute(app: FastifyInstance, options: ApiOptions & { readonly budget: WorkBudget }): void {
  const { plane, sync, budget, monotonic: now = () => performance.now() } = options;
  app.post('/_without', described('Could not delete a resource', operation), async (request, reply) => {
    const charge = budget.open(principalOf(request));
    const keys = readKeys(plane, parseJson(textOf(request)));
    const { impacts, complete } = await dryRunDelete({ plane, hasGlobal: sync !== undefined, now, gone: goneOf(reply), charge }, keys);
    return describeImpacts(impacts, complete, plane.place);
  });
}

/** Throws `invalid`, and `not_found` for the first that is not there. */
function readKeys(plane: Plane, value: unknown): Key[] {
  const { data, problems } = check(questionShape, value, []);
  if (!data) throw invalid(problems);
  const keys = data.resources.map(({ type, mesh = '', name }, index) => keyOf(plane, { type, mesh, name }, `resources[${index}]`));
  return [...new Map(keys.map((key) => [keyId(key), key])).values()];
}

function keyOf(plane: Plane, { type, mesh, name }: Pick<Key, 'type' | 'mesh' | 'name'>, field: string): Key {
  const kind = findKind(type);
  if (!kind) throw invalid([{ field: `${field}.type`, reason: `${quote(type)} is not a kind` }]);
  if (type === 'Zone') throw invalid([{ field: `${field}.type`, reason: 'a Zone goes with all that it sent: that is not tried out' }]);
  const row = locate(plane, kind, kind.scope === 'Mesh' ? mesh : '', name);
  if (!row) throw new MeridianError('not_found', `${type} ${[mesh, name].filter(Boolean).join('/').slice(0, 300)} does not exist`);
  return row.resource.key;
}
