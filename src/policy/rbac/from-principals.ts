import type { JsonObject } from '../../resource/resource.ts';
import { allOf, anyOf, not, type Predicate, type TextMatcher, typed } from './envoy-matchers.ts';
import type { Formula } from './from-formula.ts';
import { has, hasBelow } from './san-matchers.ts';

const MTLS = 'envoy.extensions.rbac.principals.mtls_authenticated.v3.Config';

/**
 * RBAC's `rules` that let in the clients of a formula; undefined: nobody. Here Envoy compares with each URI SAN of the
 * certificate. Without policies they deny everything: an absent RBAC would allow it (dependencies.md).
 */
export function toRules(allowed: Formula | undefined): JsonObject {
  if (!allowed) return { action: 'ALLOW', policies: {} };
  return { action: 'ALLOW', policies: { MeshTrafficPermission: { permissions: [{ any: true }], principals: [toPrincipal(allowed)] } } };
}

function toPrincipal(formula: Formula): JsonObject {
  if ('san' in formula) return hasUriSan({ exact: formula.san });
  if ('below' in formula) return hasUriSan({ prefix: formula.below });
  if ('not' in formula) return { notId: toPrincipal(formula.not) };
  if ('all' in formula) return { andIds: { ids: formula.all.map(toPrincipal) } };
  return { orIds: { ids: formula.any.map(toPrincipal) } };
}

/**
 * Envoy's `authenticated` would look at DNS SANs and the subject too: `DNS:spiffe://default/web` would be that service.
 */
function hasUriSan(matcher: TextMatcher): JsonObject {
  const config = { sanMatcher: { sanType: 'URI', matcher } };
  return { custom: { name: 'envoy.rbac.principals.mtls_authenticated', typedConfig: typed(MTLS, config) } };
}

/** The same for a matcher, which sees the SANs in one text. */
export function toPredicate(formula: Formula): Predicate {
  if ('san' in formula) return has(formula.san);
  if ('below' in formula) return hasBelow(formula.below);
  if ('not' in formula) return not(toPredicate(formula.not));
  const [first, ...others] = 'all' in formula ? formula.all : formula.any;
  const parts = [toPredicate(first), ...others.map(toPredicate)] as const;
  return 'all' in formula ? allOf(parts) : anyOf(parts);
}
