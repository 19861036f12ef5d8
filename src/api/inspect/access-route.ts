import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { type AccessAnswer, answerAccess, type AccessCaller } from '../../control/access/answer-access.ts';
import { createAccessViews } from '../../control/access/access-view.ts';
import { describeAttributes, TRUSTS } from '../../policy/access/attribute-trust.ts';
import type { Attributes } from '../../policy/access/attributes.ts';
import type { Binding } from '../../policy/access/import-bindings.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { kindOf } from '../../resource/kinds.ts';
import { BALANCING_SCHEMES } from '../../resource/schema/access-schema.ts';
import { principalOf } from '../auth/principal.ts';
import { parseJson, textOf } from '../http/request-bodies.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { kri } from '../openapi/common-shapes.ts';
import { type AccessAsked, accessShape, readAccessQuestion } from './access-question.ts';
import { findResource, type InspectOptions, requireMesh } from './inspect-context.ts';

const attributes = z
  .array(
    z.strictObject({
      key: z.string(),
      value: z.string(),
      scope: z.enum(['fabric', 'site', 'service', 'workload']),
      source: z.string().describe('Where it is read'),
      trust: z.enum(TRUSTS).describe('Whose word it is'),
    }),
  )
  .meta({ id: 'Attributes' });

const site = { service: kri.nullable().describe('null: a set that was given'), site: z.string().nullable() };

/** What `POST /access` answers, and the caller's side of `POST /access/connect`. */
export const accessAnswer = z
  .strictObject({
    enforced: z
      .boolean()
      .describe(
        'Whether Envoys enforce it: for a proxy of the zone where all the bindings are. What permissions deny is denied all the same (`POST /can`)',
      ),
    allowed: z.boolean().describe('Whether some binding may be reached'),
    zone: z.string().describe('Whose policies decide, beside those of global'),
    caller: z.strictObject({ dataplane: kri.nullable(), attributes }),
    bindings: z.array(
      z.strictObject({
        ...site,
        allowed: z.boolean(),
        privileged: z.boolean().describe('Whether a PrivilegedAccessPolicy decided'),
        decidedBy: kri.nullable(),
        default: z.boolean().describe('Whether no policy decided, so that it is denied'),
        reason: z.string(),
        matchedInShadow: z.array(kri),
        attributes,
      }),
    ),
    left: z
      .array(z.strictObject({ ...site, why: z.enum(['declined', 'away', 'unknown']), reason: z.string() }))
      .describe('Bindings that no connection gets to'),
    pick: z
      .strictObject({
        scheme: z.enum(BALANCING_SCHEMES),
        policy: kri.nullable().describe('null: no LoadBalancingPolicy matches'),
        sites: z.array(z.string()).describe('One of these is picked'),
        weights: z.array(z.number()).optional().describe('With `weighted`: how often each of the sites, next to the others'),
      })
      .nullable(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'AccessAnswer' });

const operation: Operation = {
  id: 'access',
  summary: 'Who may reach what, by attributes, and which policies decide',
  tag: 'Decisions',
  body: accessShape,
  answers: { 200: accessAnswer },
  refusals: [404],
};

const DECISIONS = { asked: 'the access decisions', of: 'of them' };

/**
 * `POST /access`: who may reach what by attributes, for a proxy or for what is made up
 * (docs/design/attributes.md#asking).
 */
export function addAccessRoute(app: FastifyInstance, options: InspectOptions): void {
  const { plane, views, budget, sync, verdicts, zoneAccess, monotonic: now = () => performance.now() } = options;
  const accessViews = zoneAccess?.views ?? createAccessViews(plane);
  const away = zoneAccess && ((zone: string) => zoneAccess.exchange.away(zone));
  app.post('/access', described('Could not decide', operation), async (request) => {
    const charge = budget.open(principalOf(request), DECISIONS);
    let began = now();
    try {
      const asked = readAccessQuestion(parseJson(textOf(request)));
      requireMesh(plane, asked.mesh);
      charge(now() - began);
      // Nobody is charged for what others do meanwhile.
      const { index } = await views(asked.mesh);
      began = now();
      const question = { ...asked, from: callerOf(options, asked) };
      const services = index.ofType('MeshService');
      const answer = answerAccess({ plane, view: accessViews(asked.mesh), services, hasGlobal: sync !== undefined, away }, question);
      for (const { decision } of answer.decided) verdicts?.count(decision.allowed);
      return { ...showAccess(answer, question.from), warnings: [...asked.warnings, ...otherZones(answer)] };
    } finally {
      charge(now() - began);
    }
  });
}

function callerOf({ plane }: InspectOptions, { mesh, from }: AccessAsked): AccessCaller {
  if ('dataplane' in from) return { dataplane: findResource(plane, kindOf('Dataplane'), mesh, from.dataplane) };
  return { attributes: from.attributes, zone: from.zone ?? plane.place.zone };
}

/** As `accessAnswer` has it, without the warnings. */
export function showAccess({ zone, source, decided, left, choice }: AccessAnswer, from: AccessCaller) {
  return {
    enforced: 'dataplane' in from && decided.length > 0 && decided.every(({ binding }) => binding?.key.zone === zone),
    allowed: decided.some(({ decision }) => decision.allowed),
    zone,
    caller: { dataplane: 'dataplane' in from ? formatKri(from.dataplane.key) : null, attributes: describeAttributes(source, 'workload') },
    bindings: decided.map(({ binding, destination, decision }) => ({
      ...siteOf(binding, destination),
      allowed: decision.allowed,
      privileged: decision.privileged,
      decidedBy: decision.decidedBy ? formatKri(decision.decidedBy) : null,
      default: decision.default === true,
      reason: decision.reason,
      matchedInShadow: decision.matchedInShadow.map((key: Key) => formatKri(key)),
      attributes: describeAttributes(destination, 'service'),
    })),
    left: left.map(({ binding, why, reason }) => ({ ...siteOf(binding), why, reason })),
    pick: choice
      ? {
          scheme: choice.scheme,
          policy: choice.policy ? formatKri(choice.policy) : null,
          sites: choice.among.map(({ binding }) => binding.key.zone),
          ...(choice.weights ? { weights: choice.weights } : {}),
        }
      : null,
  };
}

/** Envoys know the proxies of their own zone; about calls of others they ask, and those need a token. */
export function otherZones({ zone, decided }: AccessAnswer): string[] {
  const others = [...new Set(decided.flatMap(({ binding }) => (binding && binding.key.zone !== zone ? [binding.key.zone] : [])))].sort();
  const deny = 'where access policies select a service, Envoys deny calls of other zones without a token (POST /access/connect)';
  return others.length === 0 ? [] : [`not the last word for ${others.join(', ')}: ${deny}`];
}

function siteOf(binding: Binding | undefined, destination?: Attributes) {
  return binding
    ? { service: formatKri(binding.key), site: binding.key.zone }
    : { service: null, site: destination?.get('site:name') ?? null };
}
