import { asObject, isAbsent, isArray } from '../naming/json.ts';
import { findReferences, impliedNamespace, renderReferences } from '../naming/find-references.ts';
import type { Key } from '../resource/key.ts';
import { findKind } from '../resource/kinds.ts';
import { LABEL } from '../resource/labels.ts';
import { isObject } from '../resource/field-path.ts';
import type { JsonObject, JsonValue, Place } from '../resource/resource.ts';
import { kindAt, TOP, type TopKind } from '../resource/schema/reference-kinds.ts';
import { type Role, staysHome } from './policy-role.ts';

const MESH: JsonObject = { kind: 'Mesh' };

/**
 * What a policy's spec means, with everything said that it may leave out (docs/design/roles.md#explicit-form). `spec`
 * is as its origin wrote it, `origin` where that is. What is not a targetRef policy is given back as it is. Made for
 * matching and for show, never stored.
 *
 *   consumer in `ns` of `east`, no targetRef  -> targetRef: MeshSubset {k8s.kuma.io/namespace: ns, kuma.io/zone: east}
 *   to: MeshService backend, in `ns`          -> to: MeshService backend, namespace ns
 *   from: [{default}]                         -> from: [{targetRef: Mesh, default}]
 */
export function explicitForm(type: string, spec: JsonObject, role: Role, key: Key, origin: Place): JsonObject {
  if (!findKind(type)?.policy) return spec;
  const named = withNamespaces(type, spec, key, origin);
  const from = isArray(named.from) ? { from: named.from.map(withSource) } : {};
  return { ...named, targetRef: explicitTarget(named.targetRef, role, key), ...from };
}

/** Every reference by name gets the namespace that it implies: none where the origin has no namespaces. */
function withNamespaces(type: string, spec: JsonObject, key: Key, origin: Place): JsonObject {
  const renderings = findReferences(type, spec)
    .filter(({ namespace }) => namespace === undefined)
    .map(({ path, kind, name }) => ({ path, name, namespace: impliedNamespace(kind, key, origin) || undefined }));
  return renderReferences(spec, renderings);
}

function withSource(item: JsonValue): JsonValue {
  return isObject(item) && isAbsent(item.targetRef) ? { ...item, targetRef: MESH } : item;
}

/**
 * The top-level targetRef of the explicit form: what is matched (src/policy/match/read-policies.ts), shown and linted.
 * Consumers and workload owners only ever mean proxies of their own zone and namespace, whatever tags they write; other
 * kinds of target are narrowed by the matcher alone.
 *
 *   workload owner in `ns` of `east`, MeshSubset {k8s.kuma.io/namespace: other-ns}
 *     ->  MeshSubset {k8s.kuma.io/namespace: ns, kuma.io/zone: east}
 */
export function explicitTarget(written: JsonValue | undefined, role: Role, key: Key): JsonValue | undefined {
  const targetRef = isAbsent(written) ? MESH : written;
  if (!staysHome(role)) return targetRef;
  if (!isObject(targetRef) || !isSubset(kindAt(TOP, targetRef.kind))) return targetRef;
  const tags = isAbsent(targetRef.tags) ? {} : asObject(targetRef.tags);
  // Tags that are no object would be lost, and the policy widened: the matcher refuses them as they are.
  if (!tags) return targetRef;
  return { ...targetRef, kind: 'MeshSubset', tags: atHome(tags, key) };
}

/** Whether references of a kind can be narrowed to fewer inbounds by tags, as a MeshSubset. */
function isSubset(kind: TopKind | undefined): boolean {
  switch (kind) {
    case 'Mesh':
    case 'MeshSubset':
      return true;
    case 'MeshService':
    case 'MeshServiceSubset':
    case 'MeshGateway':
    case 'Dataplane':
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case 'MeshGatewayRoute':
    case undefined:
      return false;
  }
}

/** What is in no zone that is known has none to say. */
function atHome(tags: JsonObject, { namespace, zone }: Key): JsonObject {
  const others = Object.entries(tags).filter(([tag]) => tag !== LABEL.namespace && tag !== LABEL.zone);
  const home = Object.entries({ [LABEL.namespace]: namespace, [LABEL.zone]: zone }).filter(([, value]) => value !== '');
  return Object.fromEntries([...others, ...home]);
}
