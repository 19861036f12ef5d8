import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { cellRequests, type ExplainedDecision } from '../../control/matrix/cell-requests.ts';
import { isEnforced, portsOf } from '../../control/matrix/matrix-inbounds.ts';
import { isClosed } from '../../control/peers/first-scan-state.ts';
import { invalid } from '../../errors.ts';
import type { DecidingRule } from '../../policy/decide/deciding-rule.ts';
import { readRequest } from '../../policy/decide/read-request.ts';
import { readProxy } from '../../policy/match/read-proxy.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { kindOf } from '../../resource/kinds.ts';
import { MATCHER_LISTS } from '../../resource/permission-actions.ts';
import { anyObject } from '../../resource/schema/kind-fields.ts';
import { chargedAnswers } from '../bodies/charged-answers.ts';
import { parseJson, textOf } from '../http/request-bodies.ts';
import { kri } from '../openapi/common-shapes.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { requestCondition } from '../resources/describe-impact.ts';
import { questionShape, readQuestion } from './can-question.ts';
import { findResource, type InspectOptions, shutAt, requireMesh } from './inspect-context.ts';

const verdict = z.enum(['Allow', 'Deny']);
const rule = z
  .strictObject({
    says: z
      .enum([...MATCHER_LISTS, 'Allow', 'Deny', 'AllowWithShadowDeny', 'DenyWithShadowAllow'])
      .describe('The list, or the action of an item of `from`'),
    about: anyObject.describe('The matcher of the list, or the `targetRef` of the item'),
  })
  .nullable()
  .meta({ id: 'DecidingRule', description: 'Which rule of the policy decided; null: none, or one that can’t be read' });

const operation: Operation = {
  id: 'canByRequest',
  summary: 'All that a caller may ask for at an inbound, and which rules decide',
  description:
    'The question is that of `POST /can`, without method and path: the answer tells all requests apart that policies tell apart.',
  tag: 'Decisions',
  body: questionShape,
  answers: {
    200: z.strictObject({
      enforced: z.boolean().describe('Whether an Envoy of ours asks this'),
      dataplane: kri,
      requests: z.array(
        z.strictObject({
          when: requestCondition.optional().describe('Which requests; not there: all'),
          decision: verdict,
          shadow: verdict,
          decidedBy: kri.nullable(),
          shadowDecidedBy: kri.nullable(),
          rule,
          shadowRule: rule,
          reason: z.string(),
        }),
      ),
    }),
  },
  refusals: [404],
};

const QUESTIONS = { asked: 'the questions', of: 'of them', instead: 'ask POST /can about one request' };

/** `POST /can/requests`: one cell of the matrix, in full. */
export function addRequestsRoute(app: FastifyInstance, options: InspectOptions): void {
  const { plane, views, sync } = options;
  const open = chargedAnswers(options, QUESTIONS);
  app.post('/can/requests', described('Could not decide', operation), async (request, reply) => {
    const { mesh, dataplane: name, section, request: asked } = readQuestion(parseJson(textOf(request)));
    if (asked.method !== undefined || asked.path !== undefined)
      throw invalid([
        { field: asked.method === undefined ? 'path' : 'method', reason: 'is for POST /can: here all requests are looked at' },
      ]);
    requireMesh(plane, mesh);
    const answer = open(request, reply);
    const view = await views(mesh);
    const dataplane = findResource(plane, kindOf('Dataplane'), mesh, name);
    const inbound = portsOf(readProxy(dataplane, view.index), section);
    const { sans } = readRequest(asked, 'tcp', mesh);
    const steps = cellRequests({ view, shutAt: shutAt(options), closed: isClosed(plane, sync !== undefined), inbound, sans });
    const requests = (await answer(steps)).map(({ when, value }) => ({
      ...(Object.keys(when).length === 0 ? {} : { when }),
      ...describe(value),
    }));
    return { enforced: isEnforced(inbound), dataplane: formatKri(dataplane.key), requests };
  });
}

function describe({ decision, shadow, decidedBy, shadowDecidedBy, rule: decided, shadowRule, reason }: ExplainedDecision) {
  const deciders = { decidedBy: kriOf(decidedBy), shadowDecidedBy: kriOf(shadowDecidedBy) };
  return { decision, shadow, ...deciders, rule: describeRule(decided), shadowRule: describeRule(shadowRule), reason };
}

function describeRule(one: DecidingRule | undefined) {
  if (!one) return null;
  return 'list' in one ? { says: one.list, about: one.matcher } : { says: one.item.action, about: one.item.targetRef };
}

function kriOf(key: Key | undefined): string | null {
  return key ? formatKri(key) : null;
}
