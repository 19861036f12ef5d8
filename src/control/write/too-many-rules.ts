import { asArray, asObject, asText } from '../../naming/json.ts';
import { asMeridianError, invalid } from '../../errors.ts';
import { regionsOf } from '../../policy/rbac/request-regions.ts';
import { MOST_RULES } from '../../policy/rbac/routed-matches.ts';
import { isObject } from '../../resource/field-path.ts';
import type { Key } from '../../resource/key.ts';
import { mtpOf } from '../../resource/permission.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { readMatches } from '../../resource/route-match.ts';
import { kindAt, namedType, TOP } from '../../resource/schema/reference-kinds.ts';
import type { Reader } from '../../resource/store/store.ts';

/**
 * Refuses a permission that alone, with the route that it names, comes to more rules than an inbound may have
 * (docs/enforcement.md#how-many-rules-fit). What only many policies come to is no single one's fault: the zone shuts
 * that inbound. Throws `invalid`.
 */
export function refuseTooManyRules(store: Pick<Reader, 'byName'>, key: Key, spec: JsonObject): void {
  const { kind, name } = asObject(spec.targetRef) ?? {};
  const target = kindAt(TOP, kind);
  if (key.type !== 'MeshTrafficPermission' || !target || namedType(target) !== 'MeshHTTPRoute') return;
  const route = store.byName('MeshHTTPRoute', key.mesh, key.namespace, asText(name) ?? '')?.resource;
  if (!route) return;
  const rules = asArray(route.spec.to).flatMap((to) => asArray(asObject(to)?.rules).filter(isObject));
  const matches = rules.flatMap((rule) => readMatches(rule.matches));
  try {
    regionsOf([{ key, mtp: mtpOf(spec), via: [{ route: route.key, matches, certain: true }] }]);
  } catch (thrown) {
    const { code, hint } = asMeridianError(thrown);
    if (code !== 'too_large') throw thrown;
    throw invalid(
      [
        {
          field: 'spec.targetRef',
          reason: `comes to more than ${MOST_RULES} rules with this route: they count again for each of its matches`,
        },
      ],
      hint,
    );
  }
}
