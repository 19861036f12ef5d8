import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { answerAccess } from '../../control/access/answer-access.ts';
import { CONNECT_REFUSALS, TOKEN_USES } from '../../control/access/exchange-counts.ts';
import { spiffeIdOfDataplane } from '../../policy/callers/caller-identity.ts';
import { owns } from '../../control/plane/plane.ts';
import { invalid } from '../../errors.ts';
import { ASK_REFUSALS, type AccessReply } from '../../kds/access/access-messages.ts';
import { kindOf } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import { restName } from '../../resource/rest-name.ts';
import { check } from '../../resource/schema/check-schema.ts';
import { spiffeReason } from '../../resource/schema/spiffe-matches.ts';
import { about } from '../audit/audit-record.ts';
import { parseJson, textOf } from '../http/request-bodies.ts';
import { kri } from '../openapi/common-shapes.ts';
import { described, type Operation } from '../openapi/operation.ts';
import type { ZoneAccess } from '../api-options.ts';
import { accessAnswer, otherZones, showAccess } from '../inspect/access-route.ts';
import { findResource, type InspectOptions, requireMesh } from '../inspect/inspect-context.ts';

const text = z.string().min(1).max(2048);
const name = z.string().min(1).max(253);
const namespace = z.string().max(63).optional().describe('Absent or empty: none');
const identity = text.superRefine((value, context) => {
  const reason = spiffeReason('Exact', value);
  if (reason !== undefined) context.addIssue({ code: 'custom', message: reason });
});

const connectShape = z
  .strictObject({
    mesh: name.optional(),
    from: z.strictObject({
      dataplane: text.describe('Of this zone: its REST name or KRI'),
      identity: identity.optional().describe('The SPIFFE ID that the caller will prove; absent: that of the proxy'),
    }),
    to: z.strictObject({ service: name.describe('The display name of the MeshServices: the import'), namespace }),
  })
  .meta({ id: 'ConnectQuestion' });

const token = z.string().describe('For one call, by this caller, to this service at this site. A secret');

const connectOperation: Operation = {
  id: 'connect',
  summary: 'Let a proxy of this zone in to a service of whichever zone: both zones decide',
  tag: 'Decisions',
  body: connectShape,
  answers: {
    200: z.strictObject({
      allowed: z.boolean(),
      why: z.enum(['allowed', ...CONNECT_REFUSALS]),
      reason: z.string(),
      identity: z.string().describe('By which the token may be used'),
      site: z.string().nullable().describe('The zone that was picked'),
      here: accessAnswer,
      there: z
        .strictObject({ allowed: z.boolean(), why: z.enum(['allowed', ...ASK_REFUSALS]), decidedBy: kri.nullable(), reason: z.string() })
        .nullable()
        .describe('What that zone decided; null: it was not asked, or did not answer'),
      token: token.nullable(),
      expiresIn: z.number().nullable().describe('Milliseconds'),
    }),
  },
  refusals: [404],
};

const consumeShape = z
  .strictObject({
    token: text,
    caller: identity.describe('The SPIFFE ID that the certificate of the caller proves'),
    to: z.strictObject({ mesh: name.optional(), service: name.describe('The display name of the MeshService of this zone'), namespace }),
  })
  .meta({ id: 'TokenShown' });

const consumeOperation: Operation = {
  id: 'consumeAccessToken',
  summary: 'Use up the token that a caller shows: whether it may go in',
  tag: 'Decisions',
  body: consumeShape,
  answers: { 200: z.strictObject({ allowed: z.boolean(), why: z.enum(TOKEN_USES), zone: z.string().nullable().describe("The caller's") }) },
};

/**
 * `POST /access/connect` and `POST /access/consume`, of zones alone (docs/design/attributes.md#both-sides): the two
 * ends of a call from one zone to another. The token is in bodies only, never in a URL. What is answered is counted
 * (`meridian_access_exchange_total`) and no record of the audit: calls would push out what was changed.
 */
export function addConnectRoutes(app: FastifyInstance, options: InspectOptions): void {
  const { plane, zoneAccess } = options;
  if (!zoneAccess) return;
  app.post('/access/connect', described('Could not connect', connectOperation), async (request) => {
    const { mesh = 'default', from, to } = readOrThrow(connectShape, parseJson(textOf(request)));
    requireMesh(plane, mesh);
    const { index } = await options.views(mesh);
    const dataplane = findResource(plane, kindOf('Dataplane'), mesh, from.dataplane);
    about(request, 'Dataplane', restName(dataplane, plane.place), mesh);
    const asked = {
      mesh,
      services: index.ofType('MeshService'),
      dataplane,
      identity: from.identity,
      name: to.service,
      namespace: to.namespace ?? '',
    };
    const answer = await connect(options, zoneAccess, asked);
    request.audited = true;
    return answer;
  });
  app.post('/access/consume', described('Could not use the token', consumeOperation), (request) => {
    const { token, caller, to } = readOrThrow(consumeShape, parseJson(textOf(request)));
    const { mesh = 'default', service, namespace = '' } = to;
    const key = { type: 'MeshService', mesh, zone: plane.place.zone, namespace, name: service };
    about(request, 'MeshService', namespace === '' ? service : `${service}.${namespace}`, mesh);
    const { use, zone } = zoneAccess.exchange.consume(token, caller, key);
    request.audited = true;
    return { allowed: use === 'consumed', why: use, zone: zone ?? null };
  });
}

interface ConnectAsked {
  readonly mesh: string;
  readonly services: readonly Resource[];
  readonly dataplane: Resource;
  readonly identity: string | undefined;
  readonly name: string;
  readonly namespace: string;
}

async function connect(options: InspectOptions, { views, connector, exchange }: ZoneAccess, asked: ConnectAsked) {
  const { plane, sync, verdicts } = options;
  const { mesh, services, dataplane, name, namespace } = asked;
  if (!owns(plane.place, dataplane.key))
    throw invalid([{ field: 'from.dataplane', reason: `is of zone ${dataplane.key.zone || 'global'}: only that one speaks for it` }]);
  const identity = asked.identity ?? spiffeIdOfDataplane(dataplane);
  if (identity === undefined) throw invalid([{ field: 'from.identity', reason: 'is missing: this Dataplane has no SPIFFE ID of its own' }]);
  const ground = { plane, view: views(mesh), services, hasGlobal: sync !== undefined, away: (zone: string) => exchange.away(zone) };
  const from = { dataplane };
  const decide = () => answerAccess(ground, { mesh, from, to: { name, namespace } });
  const { here, why, reason, site, there } = await connector.connect(decide, { mesh, service: { name, namespace }, identity });
  for (const { decision } of here.decided) verdicts?.count(decision.allowed);
  return {
    allowed: why === 'allowed',
    why,
    reason,
    identity,
    site: site ?? null,
    here: { ...showAccess(here, from), warnings: otherZones(here) },
    there: there ? { allowed: there.allowed, why: whyOf(there), decidedBy: there.decidedBy, reason: there.reason } : null,
    token: there?.allowed ? there.token : null,
    expiresIn: there?.allowed ? there.expiresIn : null,
  };
}

function whyOf(there: AccessReply) {
  return there.allowed ? 'allowed' : there.why;
}

function readOrThrow<T>(shape: z.ZodType<T>, value: unknown): T {
  const { data, problems } = check(shape, value, []);
  if (data === undefined) throw invalid(problems);
  return data;
}
