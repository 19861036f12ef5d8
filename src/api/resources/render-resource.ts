import { danglingReferences } from '../../control/write/dangling-references.ts';
import type { Plane } from '../../control/plane/plane.ts';
import { invalid } from '../../errors.ts';
import { toKubernetes, toUniversal } from '../../resource/documents/render-forms.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';

/** Which of the two YAML formats an answer has. */
export type ResourceFormat = 'universal' | 'kubernetes';

/** Kuma's values of `?format=`; absent: universal. Throws `invalid`. */
export function formatOf(query: URLSearchParams): ResourceFormat {
  const text = query.get('format') ?? 'universal';
  if (text === 'universal') return 'universal';
  if (text === 'kubernetes' || text === 'k8s') return 'kubernetes';
  throw invalid([{ field: 'format', reason: 'must be one of "k8s", "kubernetes", "universal"' }]);
}

/**
 * A resource as the API shows it, with the references that point to nothing in its status
 * (docs/design/roles.md#references).
 */
export function show(plane: Plane, resource: Resource, format: ResourceFormat): JsonObject {
  const shown = withReferences(plane, resource);
  return RENDERED[format](shown, plane.place);
}

const RENDERED: Readonly<Record<ResourceFormat, typeof toUniversal>> = { universal: toUniversal, kubernetes: toKubernetes };

function withReferences(plane: Plane, resource: Resource): Resource {
  const references = danglingReferences(plane, resource).map(({ path, reason }) => ({ path, reason }));
  return references.length === 0 ? resource : { ...resource, status: { ...resource.status, references } };
}
