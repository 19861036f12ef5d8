import { findKind } from '../resource/kinds.ts';
import type { Labels } from '../resource/labels.ts';
import type { JsonObject } from '../resource/resource.ts';
import { readMatches } from '../resource/route-match.ts';
import { asArray, asObject } from '../naming/json.ts';
import { kindAt, TOP, type TopKind } from '../resource/schema/reference-kinds.ts';
import { trustWarnings } from './access/trust-warnings.ts';
import { enforcementOf } from './enforcement-table.ts';

/** Whether Dataplane with labels has taken the place of a kind. */
const DEPRECATED: Readonly<Record<TopKind, boolean>> = {
  Mesh: false,
  MeshSubset: true,
  MeshService: true,
  MeshServiceSubset: true,
  MeshGateway: false,
  Dataplane: false,
  MeshHTTPRoute: false,
  MeshTCPRoute: false,
  MeshGatewayRoute: false,
};

/**
 * What a document that is accepted may not do as its author expects, from itself alone: what is deprecated (in Kuma's
 * words), what rests on a subject's own word (src/policy/access/trust-warnings.ts), and what is not enforced
 * (src/policy/enforcement-table.ts).
 *
 *   MeshTimeout, from: [...]   ->  'from' field is deprecated, ...; a MeshTimeout is matched, ... and not enforced
 */
export function warningsOfDocument(type: string, labels: Labels, spec: JsonObject): string[] {
  return [...deprecations(type, spec), ...untold(type, spec), ...trustWarnings(type, spec), ...enforcementOf(type, labels, spec).reasons];
}

function deprecations(type: string, spec: JsonObject): string[] {
  const found = findKind(type);
  if (!found?.policy) return [];
  const warnings: string[] = [];
  if (found.policy.rules && asArray(spec.from).length > 0) {
    warnings.push(`'from' field is deprecated, use 'rules' ${found.byIdentity ? 'with SPIFFE IDs ' : ''}instead`);
  }
  const kind = kindAt(TOP, asObject(spec.targetRef)?.kind);
  if (kind !== undefined && DEPRECATED[kind]) {
    warnings.push(`${kind} value for 'targetRef.kind' is deprecated, use Dataplane with labels instead`);
  }
  return warnings;
}

/** A route with matches that no permission is compared by: regular expressions are not compiled, nor looked at. */
function untold(type: string, spec: JsonObject): string[] {
  if (type !== 'MeshHTTPRoute') return [];
  const rules = asArray(spec.to).flatMap((to) => asArray(asObject(to)?.rules));
  const matches = rules.flatMap((rule) => readMatches(asObject(rule)?.matches));
  if (matches.every(({ certain }) => certain)) return [];
  return [
    'it has matches of regular expressions, headers or query parameters, which permissions are not compared by: one that targets it denies every request that may come this way, and allows none of them',
  ];
}
