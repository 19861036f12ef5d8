import { formatPath } from '../../resource/field-path.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { accessSchema, type SelectionSpec } from '../../resource/schema/access-schema.ts';
import { check } from '../../resource/schema/check-schema.ts';
import { attributeKey, type AttributeSet } from './attribute-keys.ts';
import { requirementsOf } from './attribute-selector.ts';
import { originOf } from './attribute-trust.ts';

/**
 * Where a policy rests on what its subject can set (docs/design/attributes.md#trust):
 *
 *   allow, from k8s:label:role alone         ->  whoever deploys in whatever namespace can take the label
 *   the same with k8s:ns beside it           ->  nothing: the owner of that namespace is trusted with its labels
 *   deny, from k8s:label:role                ->  whoever deploys it can drop the label, and is denied no more
 *
 * What a namespaced policy says of services is about those of its author's own namespace.
 */
export function trustWarnings(type: string, spec: JsonObject): string[] {
  if (type !== 'AccessPolicy' && type !== 'PrivilegedAccessPolicy') return [];
  const { data } = check(accessSchema, spec, ['spec']);
  if (!data) return [];
  const { action, from, to } = data;
  const of = (field: string, side: AttributeSet, items: readonly SelectionSpec[]) =>
    items.flatMap((item, place) => restsOn(action, side, item).map((reason) => `${formatPath(['spec', field, place])} ${reason}`));
  return [...of('from', 'source', from), ...(type === 'PrivilegedAccessPolicy' ? of('to', 'destination', to) : [])];
}

function restsOn(action: 'allow' | 'deny', side: AttributeSet, item: SelectionSpec): string[] {
  const subject = side === 'source' ? 'workload' : 'service';
  const asked = requirementsOf(item).map(({ key, operator }) => ({ written: key, key: attributeKey(side, key), operator }));
  const owned = asked.filter(({ key }) => key !== undefined && originOf(key, subject).trust === 'owner').map(({ written }) => written);
  const [first] = [...new Set(owned)];
  if (first === undefined) return [];
  const rests = `rests on ${JSON.stringify(first)}, which whoever deploys the ${subject} sets`;
  if (action === 'deny') return [`${rests}: without it this does not deny`];
  const bounded = asked.some(({ key, operator }) => key === 'k8s:ns' && operator === 'In');
  return bounded ? [] : [`${rests}, in any namespace: say whose is meant with "k8s:ns" beside it`];
}
