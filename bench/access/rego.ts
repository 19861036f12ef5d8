import type { AccessPolicy } from '../../src/policy/access/access-policies.ts';
import type { AttributeRequirement } from '../../src/policy/access/attribute-selector.ts';

/**
 * Access policies as one module of Rego. Each is rules, not data, since OPA indexes rules by what they compare; the
 * tiers are an `else` chain; the policies of a namespace are below its name, so that those of others are not looked at.
 * `not` with `in` would fail where the attribute is absent, so `NotIn` is a comparison for each value.
 */
export function regoModule(policies: readonly AccessPolicy[]): string {
  return [HEAD, ...policies.filter(({ shadow }) => !shadow).flatMap(rulesOf)].join('\n');
}

const HEAD = `package access

verdict := "privileged deny" if privileged_deny
else := "privileged allow" if privileged_allow
else := "deny" if deny
else := "allow" if allow
else := "default deny"

deny if own[input.namespace].deny
allow if own[input.namespace].allow

lies_in(set, places) if {
  here := concat("", [set["site:location"], "/"])
  some place in places
  startswith(here, place)
}
`;

/** One for each selector of `from` with each of `to`. */
function rulesOf({ key, privileged, action, from, to }: AccessPolicy): string[] {
  const place = key.namespace === '' ? '' : `own[${JSON.stringify(key.namespace)}].`;
  const name = privileged ? `privileged_${action}` : `${place}${action}`;
  return from.flatMap((callers) =>
    to.map((called) => {
      const body = [...callers.map((one) => held('from', one)), ...called.map((one) => held('to', one))];
      return `${name} if { ${body.join('; ') || 'true'} }`;
    }),
  );
}

function held(side: 'from' | 'to', { key, operator, values }: AttributeRequirement): string {
  const value = `input.${side}[${JSON.stringify(key)}]`;
  const all = values.map((one) => JSON.stringify(one));
  const within = `lies_in(input.${side}, ${JSON.stringify(values.map((place) => `${place}/`))})`;
  switch (operator) {
    case 'In':
      if (key === 'site:location') return within;
      return all.length === 1 ? `${value} == ${all.join()}` : `${value} in {${all.join(', ')}}`;
    case 'NotIn':
      return key === 'site:location' ? `not ${within}` : all.map((one) => `not ${value} == ${one}`).join('; ');
    case 'Exists':
      return value;
    case 'DoesNotExist':
      return `not ${value}`;
  }
}
