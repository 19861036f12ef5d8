import type { Key } from '../resource/key.ts';
import { kindOf } from '../resource/kinds.ts';
import { LABEL, type Labels, userLabels } from '../resource/labels.ts';
import type { Place } from '../resource/resource.ts';
import type { Role } from './policy-role.ts';

/**
 * The labels of a resource at the control plane `at`: what the user set, and the computed ones from what is proven (the
 * key's zone is the transport's word), never from what was sent (docs/design/resources.md#labels). `environment` is
 * that of the key's zone. Throws `internal` for an unknown kind.
 *
 *   east's MeshTimeout `slow` of `backend-ns`, at east and at global   ->  origin `zone`
 *   the same at west                                                   ->  origin `global`; all else is equal
 */
export function relabel(
  key: Key,
  labels: Labels,
  at: Place,
  environment: Place['environment'] | undefined,
  role: Role | undefined,
): Labels {
  const present: Record<string, string> = { ...userLabels(labels) };
  const set = (label: string, value: string | undefined): void => {
    if (value) present[label] = value;
  };
  set(LABEL.mesh, key.mesh);
  set(LABEL.origin, originAt(at, key));
  set(LABEL.zone, key.zone);
  set(LABEL.env, key.zone === '' ? '' : environment);
  set(LABEL.displayName, key.name);
  set(LABEL.namespace, key.namespace);
  set(LABEL.role, kindOf(key.type).policy ? role : undefined);
  return present;
}

/** From whom a control plane got a resource: a zone gets everything that isn't its own from global. */
function originAt(at: Place, key: Key): 'zone' | 'global' {
  if (at.zone === '') return key.zone === '' ? 'global' : 'zone';
  return key.zone === at.zone ? 'zone' : 'global';
}
