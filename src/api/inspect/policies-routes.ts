import type { FastifyInstance } from 'fastify';
import { declinedNotes } from '../../control/access/declined-services.ts';
import * as z from 'zod';
import { notEnforcedNotes } from '../../control/mesh/not-enforced-notes.ts';
import { MeridianError } from '../../errors.ts';
import { fromRules, inboundRules, wholly } from '../../policy/inspect/inbound-rules.ts';
import { inboundKri } from '../../policy/inspect/proxy-layout.ts';
import { notesOn } from '../../policy/inspect/proxy-notes.ts';
import { wholeConf } from '../../policy/inspect/whole-conf.ts';
import { formatKri, type Key, keyId } from '../../resource/key.ts';
import { kindOf } from '../../resource/kinds.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { fromRef } from '../../resource/schema/target-ref.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { conf, kri } from '../openapi/common-shapes.ts';
import {
  type InspectContext,
  inspected,
  type InspectOptions,
  type MatchedKind,
  matchedKinds,
  MANY,
  originKris,
} from './inspect-context.ts';

const origins = z.array(z.strictObject({ kri }));
const warnings = z.array(z.string());
const rule = z.strictObject({
  conf,
  kri: kri.describe('Of the policy that has the last word'),
  matches: z.array(z.unknown()).min(1).optional(),
  routes: origins.min(1).optional(),
  targetRef: fromRef.optional(),
});

const getPolicies: Operation = {
  id: 'getDataplanePolicies',
  summary: 'The policies in force on a proxy as a whole',
  tag: 'Inspection',
  answers: { 200: z.strictObject({ policies: z.array(z.strictObject({ kind: z.string(), conf, origins })), warnings }) },
};

const getInboundPolicies: Operation = {
  id: 'getInboundPolicies',
  summary: 'The policies in force on an inbound of a proxy',
  tag: 'Inspection',
  answers: { 200: z.strictObject({ policies: z.array(z.strictObject({ kind: z.string(), origins, rules: z.array(rule) })), warnings }) },
};

const DATAPLANE = '/meshes/:mesh/dataplanes/:name';

/**
 * The policies in force on a proxy as a whole, and on one of its inbounds, with the KRIs that they are from
 * (docs/design/sources.md#spiffe, "Inspect API"). `warnings` says what can't be seen in them.
 */
export function addPoliciesRoutes(app: FastifyInstance, options: InspectOptions): void {
  app.get(`${DATAPLANE}/_policies`, described(MANY, getPolicies), async (request) => {
    const about = await inspected(options, request);
    const kinds = matchedKinds(about);
    return {
      policies: kinds.flatMap(proxyPolicy),
      warnings: [
        ...unenforced(about, kinds),
        ...kinds.flatMap(({ inbounds }) => notesOn(about.proxy, inbounds, about.view.refusal)),
        ...declinedNotes(about.plane.store, about.view.mesh),
      ],
    };
  });
  app.get<{ Params: { kri: string } }>(`${DATAPLANE}/_inbounds/:kri/_policies`, described(MANY, getInboundPolicies), async (request) => {
    const about = await inspected(options, request);
    const chosen = indexesOf(about, request.params.kri);
    const kinds = matchedKinds(about).map((kind) => ({ ...kind, inbounds: chosen.map((index) => kind.inbounds[index] ?? []) }));
    return {
      policies: kinds.flatMap(inboundPolicy),
      warnings: [
        ...unenforced(about, kinds),
        ...kinds.flatMap(({ inbounds }) => notesOn(about.proxy, [inbounds.flat()], about.view.refusal)),
      ],
    };
  });
}

function unenforced({ view, proxy }: InspectContext, kinds: readonly MatchedKind[]): string[] {
  return notEnforcedNotes(
    view,
    proxy,
    kinds.map(({ kind }) => kind.type),
  );
}

function proxyPolicy({ kind, inbounds, policies }: MatchedKind): JsonObject[] {
  const whole = new Set(inbounds.flatMap(wholly));
  const merged = wholeConf(
    kind.type,
    policies.filter((policy) => whole.has(policy)),
  );
  return merged ? [{ kind: kind.type, conf: merged.conf, origins: originKris(merged.origins) }] : [];
}

/** Two inbounds may share a port, and so a KRI. */
function indexesOf({ proxy }: InspectContext, kri: string): number[] {
  const indexes = proxy.inbounds.flatMap((inbound, index) => (inboundKri(proxy, inbound) === kri ? [index] : []));
  if (indexes.length === 0) throw new MeridianError('not_found', NOT_FOUND);
  return indexes;
}

function inboundPolicy({ kind: { type }, inbounds }: MatchedKind): JsonObject[] {
  const matches = inbounds.flat();
  const rules = inboundRules(type, matches).map((rule) => ({
    conf: rule.conf,
    kri: strongest(rule.origins),
    ...(rule.matches.length > 0 ? { matches: rule.matches } : {}),
    ...(rule.routes.length > 0 ? { routes: originKris(rule.routes) } : {}),
    origins: rule.origins,
  }));
  // What `from` says of every client is among the rules already, where Kuma reads it so.
  const from = fromRules(type, matches)
    .filter(({ targetRef }) => targetRef.kind !== 'Mesh' || targetRef.mesh !== undefined || !kindOf(type).fromAsRules)
    .map((rule) => ({ conf: rule.conf, kri: strongest(rule.origins), targetRef: { ...rule.targetRef }, origins: rule.origins }));
  const all = [...rules, ...from];
  const origins = new Map(all.flatMap((rule) => rule.origins).map((key) => [keyId(key), key]));
  if (all.length === 0) return [];
  return [{ kind: type, origins: originKris([...origins.values()]), rules: all.map(({ origins: _, ...rule }) => rule) }];
}

/** What comes last has the last word. */
function strongest(origins: readonly Key[]): string {
  const last = origins.at(-1);
  return last ? formatKri(last) : '';
}
