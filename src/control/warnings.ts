import { warningsOfDocument } from '../policy/warnings.ts';
import { type Key, formatKri, sameKey } from '../resource/key.ts';
import type { Resource } from '../resource/resource.ts';
import { familyOf, readWitnesses, type Witnesses } from './families.ts';
import type { Held } from './plane.ts';
import { danglingReferences } from './status.ts';

/**
 * Warnings to the author of each of these stored resources: about the document itself (src/policy/warnings.ts),
 * references that point to nothing, and permissions that open nothing beside other ones. A key that is not stored has
 * no warnings. `witnesses`: of a mesh; read from `held` if left out.
 */
export function warningsAbout(
  held: Held,
  keys: readonly Key[],
  witnesses: (mesh: string) => Witnesses = (mesh) => readWitnesses(held.store, mesh),
): (readonly string[])[] {
  const known = new Map<string, Witnesses>();
  const once = (mesh: string): Witnesses => {
    const found = known.get(mesh) ?? witnesses(mesh);
    known.set(mesh, found);
    return found;
  };
  return keys.map((key) => {
    const resource = held.store.get(key)?.resource;
    return resource ? warningsOf(held, resource, once) : [];
  });
}

function warningsOf(held: Held, resource: Resource, witnesses: (mesh: string) => Witnesses): string[] {
  const { key, labels, spec } = resource;
  const dangling = danglingReferences(held, resource).map(({ path, reason }) => `spec.${path}: ${reason}`);
  const leftovers = key.type === 'MeshTrafficPermission' ? leftoverWarnings(resource, witnesses(key.mesh)) : [];
  return [...dangling, ...warningsOfDocument(key.type, labels, spec), ...leftovers];
}

/**
 * Where both families select an inbound, a `from` that allows everybody opens nothing any more
 * (docs/design/access.md#evaluation).
 */
function leftoverWarnings({ key, spec }: Resource, { lists, fromAll }: Witnesses): string[] {
  const family = familyOf(spec);
  if (family === 'lists' && fromAll && !sameKey(fromAll, key)) {
    return [`${formatKri(fromAll)} allows every client with 'from', which opens nothing where this one selects the same inbound`];
  }
  if (family !== 'fromAll' || !lists) return [];
  const others = `a policy with deny or allow lists, like ${formatKri(lists)}, selects the same inbound`;
  return [`it allows every client with 'from', which opens nothing where ${others}`];
}
