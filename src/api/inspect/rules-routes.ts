import type { FastifyInstance } from 'fastify';
import { shutNotes } from '../../control/mesh/listen-address.ts';
import { accessNotes } from '../../control/mesh/not-enforced-notes.ts';
import { crowdedNotes } from '../../control/mesh/too-many-rules.ts';
import { plaintextNotes } from '../../control/mesh/plaintext-notes.ts';
import { enforcementOf } from '../../policy/enforcement-table.ts';
import { type FromRule, fromRules, type InboundRule, inboundRules } from '../../policy/inspect/inbound-rules.ts';
import { notesOn } from '../../policy/inspect/proxy-notes.ts';
import { type ToRule, toRules } from '../../policy/inspect/outbound-rules.ts';
import { wholeConf } from '../../policy/inspect/whole-conf.ts';
import { namesService } from '../../policy/match/client-sans.ts';
import type { Inbound } from '../../policy/match/read-proxy.ts';
import { SERVICE_TAG } from '../../policy/match/proxy-tags.ts';
import { asArray } from '../../naming/json.ts';
import type { Key } from '../../resource/key.ts';
import type { JsonObject } from '../../resource/resource.ts';
import type { Labels } from '../../resource/labels.ts';
import { getRules } from '../openapi/rules-shapes.ts';
import { described } from '../openapi/operation.ts';
import {
  type InspectContext,
  inspected,
  type InspectOptions,
  type MatchedKind,
  matchedKinds,
  metaOf,
  MANY,
  originMeta,
} from './inspect-context.ts';

/** `GET .../_rules`: everything that policies come to on a proxy, in Kuma's shape. */
export function addRulesRoute(app: FastifyInstance, options: InspectOptions): void {
  app.get('/meshes/:mesh/dataplanes/:name/_rules', described(MANY, getRules), async (request) => {
    const about = await inspected(options, request);
    const rules = matchedKinds(about).map((kind) => rulesOf(about, kind));
    return { httpMatches: [], resource: metaOf(about.plane, about.proxy.dataplane), rules: rules.filter(saysAnything) };
  });
}

function saysAnything({ fromRules: from, inboundRules: inbound, toResourceRules, toRules: to, proxyRule, warnings }: JsonObject): boolean {
  return proxyRule !== undefined || [from, inbound, toResourceRules, to, warnings].some((list) => asArray(list).length > 0);
}

function rulesOf(about: InspectContext, { kind, inbounds, policies }: MatchedKind): JsonObject {
  const { type, policy: shape } = kind;
  const to = shape?.to ? toRules(type, policies, about.view.index) : [];
  const whole = shape?.single && type !== 'MeshTrafficPermission' ? wholeConf(type, policies) : undefined;
  return {
    fromRules: perInbound(about, inbounds, (matches) => fromRules(type, matches).map((rule) => describeFrom(about, rule))),
    inboundRules: perInbound(about, inbounds, (matches) => inboundRules(type, matches).map((rule) => describeInbound(about, rule))),
    ...(whole ? { proxyRule: { conf: whole.conf, origin: whole.origins.map((key) => originMeta(about, key)) } } : {}),
    toResourceRules: to.filter(({ tags }) => tags === undefined).map((rule) => describeTo(about, rule)),
    toRules: to.flatMap(({ tags, conf, origins }) => (tags ? [{ conf, matchers: matchersOf(tags), origin: metas(about, origins) }] : [])),
    type,
    warnings: [...notesOn(about.proxy, inbounds, about.view.refusal), ...notesOfKind(about, type)],
  };
}

/**
 * Who reads what there is must know what of it is not enforced, where no permission is asked, and where nobody gets in
 * whatever they say.
 */
function notesOfKind({ view, proxy }: InspectContext, type: string): string[] {
  const atProxy =
    type === 'MeshTrafficPermission'
      ? [...shutNotes(proxy), ...crowdedNotes(view, proxy), ...plaintextNotes(view, proxy), ...accessNotes(view, proxy, proxy.inbounds)]
      : [];
  return [...enforcementOf(type, {}, {}).reasons, ...atProxy];
}

type Matches = MatchedKind['inbounds'][number];

function perInbound({ proxy }: InspectContext, inbounds: readonly Matches[], describe: (matches: Matches) => JsonObject[]): JsonObject[] {
  return proxy.inbounds.flatMap((inbound, index) => {
    const rules = describe(inbounds[index] ?? []);
    return rules.length === 0 ? [] : [{ inbound: describeSide(inbound), rules }];
  });
}

function describeSide({ port, tags, name }: Inbound): JsonObject {
  return { ...(port === undefined ? {} : { port }), ...(name === undefined ? {} : { name }), tags };
}

function describeInbound(about: InspectContext, { conf, origins, ruleIndexes, matches, routes }: InboundRule): JsonObject {
  return {
    conf: [conf],
    ...(matches.length > 0 ? { matches } : {}),
    ...(routes.length > 0 ? { routes: metas(about, routes) } : {}),
    origin: ruleOrigins(about, origins, ruleIndexes),
  };
}

function describeFrom(about: InspectContext, { conf, origins, targetRef: { kind, name, mesh, tags } }: FromRule): JsonObject {
  const service = namesService(kind) && name !== undefined ? { [SERVICE_TAG]: name } : {};
  return { conf, matchers: matchersOf({ ...service, ...tags }), ...(mesh === undefined ? {} : { mesh }), origin: metas(about, origins) };
}

/** What is for every destination is about the mesh. */
function describeTo(about: InspectContext, { conf, origins, ruleIndexes, resource, sectionName }: ToRule): JsonObject {
  const mesh = { type: 'Mesh', mesh: '', zone: '', namespace: '', name: about.view.mesh };
  const target = resource ?? about.plane.store.get(mesh)?.resource;
  return {
    conf: [conf],
    origin: ruleOrigins(about, origins, ruleIndexes),
    resourceMeta: target ? metaOf(about.plane, target) : originMeta(about, mesh),
    resourceSectionName: sectionName,
  };
}

function ruleOrigins(about: InspectContext, origins: readonly Key[], ruleIndexes: readonly number[]): JsonObject[] {
  return origins.map((key, index) => ({ resourceMeta: originMeta(about, key), ruleIndex: ruleIndexes[index] ?? 0 }));
}

function metas(about: InspectContext, keys: readonly Key[]): JsonObject[] {
  return keys.map((key) => originMeta(about, key));
}

function matchersOf(tags: Labels): JsonObject[] {
  return Object.entries(tags).map(([key, value]) => ({ key, not: false, value }));
}
