import { formatKri } from '../key.ts';
import { kindOf } from '../kinds.ts';
import { LABEL, type Labels } from '../labels.ts';
import type { JsonObject, Place, Resource } from '../resource.ts';
import { hasNamespaces, restName } from '../rest-name.ts';

/**
 * A resource as the REST API shows it at a place: Kuma's fields in Kuma's order
 * (test/reference/kumactl-conversations.json).
 */
export function toUniversal(resource: Resource, place: Place): JsonObject {
  const { key, labels, spec } = resource;
  const kri = formatKri(key);
  return {
    type: key.type,
    ...(key.mesh === '' ? {} : { mesh: key.mesh }),
    name: restName(resource, place),
    creationTime: resource.creationTime,
    modificationTime: resource.modificationTime,
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(kri === '' ? {} : { kri }),
    ...(kindOf(key.type).body === 'inline' ? spec : { spec }),
    ...(resource.status === undefined ? {} : { status: resource.status }),
  };
}

/** A resource as a Kubernetes object: the body under `spec` for every kind, the mesh as a label. */
export function toKubernetes(resource: Resource, place: Place): JsonObject {
  const kind = kindOf(resource.key.type);
  const namespaced = hasNamespaces(kind, place) && resource.namespace !== '';
  const labels = meshLabelled(resource);
  return {
    apiVersion: kind.apiVersion,
    kind: kind.type,
    metadata: {
      name: resource.name,
      ...(namespaced ? { namespace: resource.namespace } : {}),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      creationTimestamp: resource.creationTime,
    },
    spec: resource.spec,
    ...(resource.status === undefined ? {} : { status: resource.status }),
  };
}

function meshLabelled({ key, labels }: Resource): Labels {
  return key.mesh === '' ? labels : { ...labels, [LABEL.mesh]: key.mesh };
}
