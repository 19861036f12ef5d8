import { findKind } from '../resource/kinds.ts';
import { LABEL, type Labels } from '../resource/labels.ts';
import type { JsonObject } from '../resource/resource.ts';
import { asArray, asObject, isAbsent } from '../naming/json.ts';

/** Kinds whose `rules` say more than `from` can, for they name SPIFFE IDs. */
const BY_IDENTITY = ['MeshFaultInjection', 'MeshTrafficPermission'];
const ENFORCED = ['MeshTrafficPermission', 'MeshTLS'];
const OLDER_TARGETS = ['MeshSubset', 'MeshService', 'MeshServiceSubset'];

/**
 * What a document that is accepted may not do as its author expects, from itself alone: what is deprecated (in Kuma's words), and what is kept and
 * shown but not enforced (docs/design/resources.md#formats).
 *
 *   MeshTimeout, from: [...]   -> 'from' field is deprecated, use 'rules' instead; a MeshTimeout is matched, ... and not enforced
 */
export function warningsOfDocument(type: string, labels: Labels, spec: JsonObject): string[] {
  const policy = findKind(type)?.policy;
  if (!policy) return [];
  const warnings: string[] = [];
  if (policy.rules && asArray(spec.from).length > 0) {
    warnings.push(`'from' field is deprecated, use 'rules' ${BY_IDENTITY.includes(type) ? 'with SPIFFE IDs ' : ''}instead`);
  }
  const kind = isAbsent(spec.targetRef) ? undefined : asObject(spec.targetRef)?.kind;
  if (typeof kind === 'string' && OLDER_TARGETS.includes(kind)) {
    warnings.push(`${kind} value for 'targetRef.kind' is deprecated, use Dataplane with labels instead`);
  }
  if (labels[LABEL.effect] === 'shadow') warnings.push(`it is labelled ${LABEL.effect}: shadow: it is matched and shown, and not enforced`);
  else if (!ENFORCED.includes(type))
    warnings.push(`a ${type} is matched, merged and shown, and not enforced: proxies enforce access rules alone`);
  return warnings;
}
