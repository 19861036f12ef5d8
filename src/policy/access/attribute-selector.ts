import type { SelectionSpec } from '../../resource/schema/access-schema.ts';
import type { Attributes } from './attributes.ts';
import { attributeKey, type AttributeSet } from './attribute-keys.ts';
import { hasValue } from './locations.ts';

type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';

export interface AttributeRequirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** Requirements that must all hold: with none, it is everybody. */
type Selector = readonly AttributeRequirement[];

/** Selectors of which one must match: with none, it is nobody. */
export type Selection = readonly Selector[];

export const EVERYBODY: Selection = [[]];
export const NOBODY: Selection = [];

/**
 * Reads `from` or `to`. A key that no set of that side can have (attributeKey) is a mistake. `NotIn` and `DoesNotExist`
 * would match it, and `In` would not. It never widens access: in an allow its selector matches nobody; in a deny the
 * requirement is ignored, so that the deny is wider.
 *
 *   [{cl:nope: x}, {k8s:ns: a, cl:nope: x}]  ->  allow: nobody; deny: everybody
 */
export function readSelection(side: AttributeSet, action: 'allow' | 'deny', items: readonly SelectionSpec[]): Selection {
  return items.flatMap((item) => {
    const all = requirementsOf(item).map(({ key, ...rest }) => ({ key: attributeKey(side, key), ...rest }));
    const known = all.filter((requirement): requirement is AttributeRequirement => requirement.key !== undefined);
    return action === 'deny' || known.length === all.length ? [known] : [];
  });
}

/** The keys in `from` or `to` that no set of that side can have. */
export function unknownKeys(side: AttributeSet, items: readonly SelectionSpec[]): string[] {
  const keys = items.flatMap(requirementsOf).map(({ key }) => key);
  return [...new Set(keys.filter((key) => attributeKey(side, key) === undefined))];
}

/**
 * Whether one of the selectors matches, with Kubernetes' semantics: `NotIn` and `DoesNotExist` match what is absent. A
 * location is equal to what it lies within (src/policy/access/locations.ts).
 */
export function selects(selection: Selection, attributes: Attributes): boolean {
  return selection.some((selector) => selector.every((requirement) => holds(requirement, attributes.get(requirement.key))));
}

/** Whether an attribute has what is asked of it. undefined: it is absent. */
export function holds({ key, operator, values }: AttributeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.some((named) => hasValue(key, value, named));
    case 'NotIn':
      return value === undefined || !values.some((named) => hasValue(key, value, named));
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/** What a selector asks for: labels that must be equal are the operator `In`. */
export function requirementsOf({ workloadSelector: { matchLabels = {}, matchExpressions = [] } }: SelectionSpec): AttributeRequirement[] {
  const equal = Object.entries(matchLabels).map(([key, value]): AttributeRequirement => ({ key, operator: 'In', values: [value] }));
  return [...equal, ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values }))];
}
