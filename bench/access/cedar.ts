import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import type { AccessPolicy } from '../../src/policy/access/access-policies.ts';
import type { AttributeRequirement, Selection } from '../../src/policy/access/attribute-selector.ts';
import type { MadeRequest } from './made-policies.ts';
import type { AccessVerdict } from './verdict.ts';

/**
 * Access policies as Cedar's. In Cedar a `forbid` wins over every `permit`, and nothing wins over it, so the two tiers
 * are two policy sets: that of the privileged ones is asked first, and where none of its policies matches, that of the
 * namespace. Each is parsed once (`preparsePolicySet`, `statefulIsAuthorized`). A set for each namespace is several
 * times as fast as one for all, for Cedar looks at every policy of a set. Attributes are the request's context: as
 * attributes of entities they take as long.
 */
export function prepareCedar(policies: readonly AccessPolicy[]): (asked: Pick<MadeRequest, 'from' | 'to' | 'namespace'>) => AccessVerdict {
  const enforced = policies.filter(({ shadow }) => !shadow);
  const namespaces = new Set(['', ...enforced.map(({ key }) => key.namespace)]);
  const privileged = keep(enforced.filter((one) => one.privileged));
  const others = new Map(
    [...namespaces].map((namespace) => {
      const own = enforced.filter((one) => !one.privileged && (one.key.namespace === '' || one.key.namespace === namespace));
      return [namespace, keep(own)] as const;
    }),
  );
  return ({ from, to, namespace }) => {
    const context = { source: from, destination: to };
    const above = decide(privileged, context);
    return above ? `privileged ${above}` : (decide(others.get(namespace) ?? others.get('') ?? '', context) ?? 'default deny');
  };
}

let sets = 0;

/** Out: the name of the set. */
function keep(policies: readonly AccessPolicy[]): string {
  const name = `set-${++sets}`;
  const staticPolicies = Object.fromEntries(policies.map((policy, index) => [`${index}-${policy.key.name}`, cedarText(policy)]));
  const answer = cedar.preparsePolicySet(name, { staticPolicies });
  if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors));
  return name;
}

/** undefined: no policy of the set matches. */
function decide(preparsedPolicySetId: string, context: cedar.Context): 'allow' | 'deny' | undefined {
  const [principal, action, resource] = [entity('Workload'), entity('Action'), entity('Service')];
  const answer = cedar.statefulIsAuthorized({ principal, action, resource, context, entities: [], preparsedPolicySetId });
  if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors));
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) throw new Error(JSON.stringify(diagnostics.errors));
  return diagnostics.reason.length > 0 ? decision : undefined;
}

function entity(type: string): cedar.EntityUid {
  return { type, id: 'any' };
}

function cedarText({ action, from, to }: AccessPolicy): string {
  const effect = action === 'allow' ? 'permit' : 'forbid';
  return `${effect}(principal, action, resource) when { ${selected('context.source', from)} && ${selected('context.destination', to)} };`;
}

function selected(set: string, selection: Selection): string {
  const all = selection.map((selector) => selector.map((requirement) => held(set, requirement)).join(' && ') || 'true');
  return `(${all.map((one) => `(${one})`).join(' || ') || 'false'})`;
}

function held(set: string, { key, operator, values }: AttributeRequirement): string {
  const [has, value] = [`${set} has ${JSON.stringify(key)}`, `${set}[${JSON.stringify(key)}]`];
  const equal = values.length === 1 ? `${value} == ${JSON.stringify(values[0])}` : `${JSON.stringify(values)}.contains(${value})`;
  const within = key === 'site:location' ? values.map((place) => `${value} like ${JSON.stringify(`${place}/*`)}`) : [];
  const named = [equal, ...within].join(' || ');
  switch (operator) {
    case 'In':
      return `${has} && (${named})`;
    case 'NotIn':
      return `!(${has} && (${named}))`;
    case 'Exists':
      return has;
    case 'DoesNotExist':
      return `!(${has})`;
  }
}
