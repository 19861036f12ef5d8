import type { Problem } from '../../errors.ts';
import { asArray, asObject, asText } from '../../naming/json.ts';
import { formatPath, type Path, quote } from '../../resource/field-path.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { attributeKey, type AttributeSet, siteKey } from './attribute-keys.ts';

/** What keys are made of, in the table of docs/design/attributes.md#attributes and in ClusterLink's labels. */
const KEY = /^[A-Za-z0-9._:/-]+$/;
const CHARACTERS = 'must be of letters, digits, ".", "_", "-", ":" and "/"';

/**
 * What is wrong with the keys of attributes in a document of this kind (docs/design/attributes.md#attributes): one
 * attribute under two spellings, of which one value would be lost or both contradict each other; the name of a site,
 * which is proven; keys that nothing can have.
 *
 *   Zone {geo: eu, site:geo: us}  ->  attributes["site:geo"] is the same attribute as "geo"
 */
export function attributeProblems(type: string, spec: JsonObject): Problem[] {
  switch (type) {
    case 'Zone':
      return siteProblems(asObject(spec.attributes) ?? {});
    case 'AccessPolicy':
    case 'PrivilegedAccessPolicy':
      return selectionProblems(spec);
    case 'LoadBalancingPolicy':
      return [...selectionProblems(spec), ...comparedProblems(asArray(spec.attributes).map((key) => asText(key) ?? ''))];
    default:
      return [];
  }
}

/** The keys that a policy may ask for, for people. */
const KNOWN: Readonly<Record<AttributeSet, string>> = {
  source:
    'it has k8s:ns, k8s:sa, k8s:label:<name>, k8s:container-image, k8s:init-container-image, k8s:pod, k8s:owner, cl:fabric and site:<name>',
  destination: 'it has service:name, k8s:ns, k8s:label:<name>, cl:service:<name>, cl:fabric and site:<name>',
};

interface NamedKey {
  readonly key: string;
  readonly path: Path;
}

function siteProblems(attributes: JsonObject): Problem[] {
  const named = Object.keys(attributes).map((key): NamedKey => ({ key, path: ['attributes', key] }));
  return [...named.flatMap((one) => problem(one.path, siteReason(one.key))), ...twice(named, siteKey)];
}

function siteReason(key: string): string | undefined {
  if (key === '') return undefined; // its schema says so
  if (!KEY.test(key)) return CHARACTERS;
  if (siteKey(key) === 'site:name') return "is the zone's name, which is proven: leave it out";
  if (/^(site:|cl:site:|peer\.clusterlink\.net\/)$/.test(key) || siteKey(key).startsWith('site:peer.clusterlink.net/'))
    return 'names no attribute of a site: write `<name>` or `site:<name>`';
  const others = (['source', 'destination'] as const).flatMap((side) => attributeKey(side, key) ?? []);
  return others.some((other) => other !== siteKey(key)) ? 'belongs to workloads and services: a site has `site:<name>`' : undefined;
}

function selectionProblems(spec: JsonObject): Problem[] {
  const sides: readonly (readonly [field: string, side: AttributeSet])[] = [
    ['from', 'source'],
    ['to', 'destination'],
  ];
  return sides.flatMap(([field, side]) =>
    asArray(spec[field]).flatMap((item, index) => {
      const at: Path = ['spec', field, index, 'workloadSelector'];
      const selector = asObject(asObject(item)?.workloadSelector);
      const labels = Object.keys(asObject(selector?.matchLabels) ?? {}).map(
        (key): NamedKey => ({ key, path: [...at, 'matchLabels', key] }),
      );
      const expressions = asArray(selector?.matchExpressions).map(
        (one, place): NamedKey => ({ key: asText(asObject(one)?.key) ?? '', path: [...at, 'matchExpressions', place, 'key'] }),
      );
      const all = [...labels, ...expressions];
      const unknown = (key: string) => (attributeKey(side, key) === undefined ? `is no attribute of a ${side}: ${KNOWN[side]}` : undefined);
      return [...malformed(all, unknown), ...twice(labels, (key) => attributeKey(side, key))];
    }),
  );
}

/** What a load balancing policy compares, in this order. */
function comparedProblems(keys: readonly string[]): Problem[] {
  const named = keys.map((key, index): NamedKey => ({ key, path: ['spec', 'attributes', index] }));
  const both = (key: string) => attributeKey('source', key) ?? attributeKey('destination', key);
  const shared = (key: string) => attributeKey('source', key) !== undefined && attributeKey('destination', key) !== undefined;
  const unshared = (key: string) => (shared(key) ? undefined : 'is no attribute that a source and a destination both have');
  return [...malformed(named, unshared), ...twice(named, both)];
}

function malformed(named: readonly NamedKey[], wrong: (key: string) => string | undefined): Problem[] {
  return named.flatMap(({ key, path }) => (key === '' ? [] : problem(path, KEY.test(key) ? wrong(key) : CHARACTERS)));
}

/** All but the first of those that are one attribute. */
function twice(named: readonly NamedKey[], meaning: (key: string) => string | undefined): Problem[] {
  const first = new Map<string, string>();
  return named.flatMap(({ key, path }) => {
    const attribute = meaning(key);
    if (attribute === undefined) return [];
    const earlier = first.get(attribute);
    if (earlier === undefined) first.set(attribute, key);
    return earlier === undefined ? [] : problem(path, `is the same attribute as ${quote(earlier)}: keep one`);
  });
}

function problem(path: Path, reason: string | undefined): Problem[] {
  return reason === undefined ? [] : [{ field: formatPath(path), reason }];
}
