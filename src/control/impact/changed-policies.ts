import { isDeepStrictEqual } from 'node:util';
import { KINDS } from '../../resource/kinds.ts';
import { keyId } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import type { Parts } from '../../resource/store/parts.ts';

/** What differs between two states of a mesh. */
export interface MeshDifference {
  /** Whether anything else that decides does: proxies, services, gateways, routes, access policies, sites. */
  readonly targets: boolean;
  /** The ids (keyId) of the permissions that do. */
  readonly permissions: ReadonlySet<string>;
}

const PERMISSION = 'MeshTrafficPermission';

export function* differing(before: MeshView, after: MeshView): Parts<MeshDifference> {
  const targetsOf = ({ index }: MeshView) => KINDS.flatMap(({ type }) => (type === PERMISSION ? [] : index.ofType(type)));
  const permissionsOf = ({ permissions }: MeshView) => permissions.map(({ resource }) => resource);
  const targets = yield* differ(targetsOf(before), targetsOf(after));
  return {
    targets: targets.size > 0 || !isSameAccess(before, after),
    permissions: yield* differ(permissionsOf(before), permissionsOf(after)),
  };
}

/** Access policies are told apart by what they are read as, sites by their attributes. */
function isSameAccess(before: MeshView, after: MeshView): boolean {
  const zones = new Set([...before.dataplanes, ...after.dataplanes].map(({ key }) => key.zone));
  return [...zones].every((zone) => {
    const [was, is] = [before, after].map(({ access }) => ({ policies: access.policies(zone), site: access.site(zone) }));
    return isDeepStrictEqual(was, is);
  });
}

/** The ids of what one of them lacks, or has otherwise. */
function* differ(before: readonly Resource[], after: readonly Resource[]): Parts<Set<string>> {
  const earlier = new Map(before.map((resource) => [keyId(resource.key), resource]));
  const ids = new Set(earlier.keys());
  for (const resource of after) {
    const id = keyId(resource.key);
    const known = earlier.get(id);
    if (known && (known === resource || textOf(known) === textOf(resource))) ids.delete(id);
    else ids.add(id);
    yield;
  }
  return ids;
}

/** All that selecting and deciding look at. */
function textOf({ name, namespace, labels, spec }: Resource): string {
  return JSON.stringify([name, namespace, labels, spec]);
}
