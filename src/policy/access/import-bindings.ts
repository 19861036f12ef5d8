import { compareKeys, type Key } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import { type Attributes, readService, type CalledService, serviceAttributes } from './attributes.ts';

/** A destination service, whichever sites have it: by mesh, display name and namespace ('': none). */
export interface ImportedService {
  readonly mesh: string;
  readonly namespace: string;
  readonly name: string;
}

/** One site's service behind an import. */
export interface Binding {
  readonly key: Key;
  readonly service: CalledService;
}

export interface Bindings {
  readonly bound: readonly Binding[];
  /** Those whose attributes differ from the first one's. */
  readonly declined: readonly Binding[];
}

/**
 * The MeshServices behind an import, ordered by KRI (docs/design/attributes.md#imports-and-bindings: all must have the
 * same attributes). The first one by KRI decides which, and never the time of arrival.
 *
 *   ledger of east {tier: gold}, of north {tier: tin}, of west {tier: gold}  ->  bound: east, west; declined: north
 */
export function bindImport({ mesh, namespace, name }: ImportedService, services: Iterable<Resource>): Bindings {
  const all = [...services]
    .filter(({ key }) => key.type === 'MeshService' && key.mesh === mesh && key.namespace === namespace && key.name === name)
    .sort((a, b) => compareKeys(a.key, b.key))
    .map((resource): Binding => ({ key: resource.key, service: readService(resource) }));
  const [first] = all;
  const agrees = ({ service }: Binding) => first !== undefined && same(serviceAttributes(service), serviceAttributes(first.service));
  return { bound: all.filter(agrees), declined: all.filter((binding) => !agrees(binding)) };
}

function same(a: Attributes, b: Attributes): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
