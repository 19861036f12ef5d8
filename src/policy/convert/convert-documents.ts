import type { Problem } from '../../errors.ts';
import { asObject } from '../../naming/json.ts';
import { parseDocument } from '../../resource/documents/parse-documents.ts';
import { isObject } from '../../resource/field-path.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { validateDraft } from '../../resource/documents/validate-draft.ts';
import { type EarlyPolicy, isEarly, readEarly } from './early-form.ts';
import { readItems, type NamedDestinations, spellOut } from './early-items.ts';
import { type RankedPolicy, rankAsEarly } from './rank-names.ts';

export interface ConvertedDocuments {
  /** The documents in today's form, in the order of the input; those that are in it already are left as they are. */
  readonly documents: readonly JsonObject[];
  /** What can't be converted, and why: it is not among the documents. */
  readonly problems: readonly Problem[];
}

type ConvertOutcome = { readonly index: number; readonly document: JsonObject } | { readonly problems: readonly Problem[] };

/**
 * Turns policies of the early form (docs/design/matching.md#the-early-form; `conf` marks them) into today's, so that
 * today's rules come to what the proposal prints: first wins there, last today, hence lists are reversed; the greater
 * name wins and Proxy is the most specific kind, hence names and targets change. It takes policies that are applied
 * together to be converted together. Pure, never throws.
 *
 *   {type: UpstreamTimeout, name: t, targetRef: {kind: Service, name: web},
 *    conf: {to: [{targetRef: {kind: Mesh}, connectTimeout: 5s}]}}
 *   -> {type: MeshTimeout, name: t, spec: {targetRef: {kind: MeshService, name: web},
 *       to: [{targetRef: {kind: Mesh}, default: {connectTimeout: 5s}}]}}
 */
export function convertEarly(documents: readonly unknown[]): ConvertedDocuments {
  const read = documents.map((document, index) =>
    isEarly(document) ? readEarly(document, index) : { index, document, kept: true as const },
  );
  const kept = read.flatMap((found): ConvertOutcome[] => ('kept' in found ? [keep(found.document, found.index)] : []));
  const unread = read.flatMap((found): ConvertOutcome[] => ('reason' in found ? [{ problems: [found] }] : []));
  const groups = new Map<string, EarlyPolicy[]>();
  for (const policy of read.filter((found) => 'conf' in found)) {
    const group = JSON.stringify([policy.type, policy.mesh]);
    groups.set(group, [...(groups.get(group) ?? []), policy]);
  }
  return collect([...kept, ...unread, ...[...groups.values()].flatMap(convertGroup)]);
}

function keep(document: unknown, index: number): ConvertOutcome {
  return isObject(document) ? { index, document } : { problems: [{ field: `documents[${index}]`, reason: 'must be an object' }] };
}

function collect(outcomes: readonly ConvertOutcome[]): ConvertedDocuments {
  const converted = outcomes.filter((outcome) => 'document' in outcome).sort((a, b) => a.index - b.index);
  return {
    documents: converted.map(({ document }) => document),
    problems: outcomes.flatMap((outcome) => ('problems' in outcome ? outcome.problems : [])),
  };
}

function convertGroup(policies: readonly EarlyPolicy[]): ConvertOutcome[] {
  const { classes, problems } = rankAsEarly(policies);
  return [
    { problems },
    ...classes.flatMap((ranked) => {
      const seen: NamedDestinations = new Map();
      return ranked.map((member) => convertOne(member, seen));
    }),
  ];
}

function convertOne(ranked: RankedPolicy, seen: NamedDestinations): ConvertOutcome {
  const { index } = ranked.policy;
  const body = toBody(ranked.policy.conf, seen);
  if (typeof body === 'string') return { problems: [{ field: `documents[${index}].conf`, reason: body }] };
  const document = toDocument(ranked, { targetRef: ranked.targetRef, ...body });
  const { draft, problems } = parseDocument(document);
  const all = draft ? [...problems, ...validateDraft(draft)] : problems;
  if (all.length === 0) return { index, document };
  return { problems: all.map(({ field, reason }) => ({ field: `documents[${index}].${field}`, reason })) };
}

/** Lists, or one conf for the whole proxy; a text says why neither can be made. */
function toBody({ to, from, ...single }: JsonObject, seen: NamedDestinations): JsonObject | string {
  if (to === undefined && from === undefined) return { default: single };
  const [other] = Object.keys(single);
  if (other !== undefined) return `${JSON.stringify(other)} can't stand beside \`to\` and \`from\``;
  const spelt = spellOut(readItems(to), seen);
  if (!spelt) return 'a `to` item wins over a weaker one for an HTTPRoute: say for that route what it shall have, for today the route wins';
  return { ...(to === undefined ? {} : { to: spelt }), ...(from === undefined ? {} : { from: readItems(from) }) };
}

function toDocument({ policy: { format, document, type }, name }: RankedPolicy, spec: JsonObject): JsonObject {
  const { conf: _conf, targetRef: _targetRef, ...envelope } = document;
  switch (format) {
    case 'universal':
      return { ...envelope, type, name, spec };
    case 'kubernetes':
      return { ...envelope, apiVersion: 'kuma.io/v1alpha1', kind: type, metadata: { ...asObject(document.metadata), name }, spec };
  }
}
