import { asObject, asText } from '../../src/naming/json.ts';
import type { JsonObject } from '../../src/resource/resource.ts';
import type { PolicyPair } from './generate.ts';
import type { ProxyAnswers } from './ours.ts';

/**
 * A difference from Kuma that is meant: of which pairs, and what is left to compare of a line there; undefined:
 * nothing.
 */
export interface KnownOrder {
  readonly reason: string;
  readonly concerns: (pair: PolicyPair) => boolean;
  readonly rest: (line: string, pair: PolicyPair) => string | undefined;
}

export const KNOWN: readonly KnownOrder[] = [
  {
    reason:
      'Kuma takes a bare Dataplane as equal to one with a name, and a name as more than labels, which is no order: here a name is more',
    concerns: ({ policies: [one, other] }) => isBareBesideName(one, other) || isBareBesideName(other, one),
    // Which of them are there, but not which is last.
    rest: (line) => (line.startsWith('selected') ? line : inAnyOrder(line)),
  },
  {
    reason: 'Kuma ignores the sectionName of a top-level MeshService: here it selects that inbound alone',
    concerns: ({ policies }) =>
      policies.some((policy) => targetOf(policy).kind === 'MeshService' && targetOf(policy).sectionName !== undefined),
    rest: (line) => (line.startsWith('admin:') ? undefined : line),
  },
  {
    reason: 'Kuma shows no rules of a `to` policy on a route where there are MeshServices: here they are shown with the route',
    concerns: ({ policies }) => policies.some((policy) => targetOf(policy).kind === 'MeshHTTPRoute'),
    rest: (line) => (line.startsWith('MeshHTTPRoute ') ? undefined : line),
  },
  {
    reason: 'Kuma finds no route by the labels of a top-level targetRef: here it is found',
    concerns: ({ policies }) => policies.some(isByLabels),
    rest: (line, { policies }) =>
      policies.some((policy) => isByLabels(policy) && line === `selected ${asText(policy.name) ?? ''}`) ? undefined : line,
  },
];

/** What is left to compare of an answer to a pair. */
export function withoutKnown(answer: ProxyAnswers, pair: PolicyPair): ProxyAnswers {
  const known = KNOWN.filter(({ concerns }) => concerns(pair));
  const rest = (line: string) =>
    known.reduce<string | undefined>((left, { rest }) => (left === undefined ? undefined : rest(left, pair)), line);
  return Object.fromEntries(Object.entries(answer).map(([proxy, lines]) => [proxy, lines.flatMap((line) => rest(line) ?? []).sort()]));
}

function targetOf({ spec }: JsonObject): JsonObject {
  return asObject(asObject(spec)?.targetRef) ?? {};
}

function isBareBesideName(bare: JsonObject, named: JsonObject): boolean {
  const [one, other] = [targetOf(bare), targetOf(named)];
  return (
    one.kind === 'Dataplane' && one.name === undefined && one.labels === undefined && other.kind === 'Dataplane' && other.name !== undefined
  );
}

function isByLabels(policy: JsonObject): boolean {
  const { kind, labels } = targetOf(policy);
  return kind === 'MeshHTTPRoute' && labels !== undefined;
}

/** `main: bbb aaa {...}`  ->  `main: aaa bbb`; what one policy alone comes to stays. */
function inAnyOrder(line: string): string {
  const [, about = '', names = ''] = /^(.*?): ([^{]*) /.exec(line) ?? [];
  return names.includes(' ') ? `${about}: ${names.split(' ').sort().join(' ')}` : line;
}
