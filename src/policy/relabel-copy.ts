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
  const computed: Record<string, string | undefined> = {
    [LABEL.mesh]: key.mesh,
    [LABEL.origin]: originAt(at, key),
    [LABEL.zone]: key.zone,
    [LABEL.env]: key.zone === '' ? '' : environment,
    [LABEL.displayName]: key.name,
    [LABEL.namespace]: key.namespace,
    [LABEL.role]: kindOf(key.type).policy ? role : undefined,
  };
  const present = Object.entries(computed).filter((entry): entry is [string, string] => !!entry[1]);
  return { ...userLabels(labels), ...Object.fromEntries(present) };
}

/** From whom a control plane got a resource: a zone gets everything that isn't its own from global. */
function originAt(at: Place, key: Key): 'zone' | 'global' {
  if (at.zone === '') return key.zone === '' ? 'global' : 'zone';
  return key.zone === at.zone ? 'zone' : 'global';
}
