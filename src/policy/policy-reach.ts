import { asObject } from '../naming/json.ts';
import { mentionsExternalService } from '../naming/find-references.ts';
import { type Audience, NOBODY, OTHERS } from '../resource/audience.ts';
import type { Key } from '../resource/key.ts';
import type { Kind } from '../resource/kinds.ts';
import { LABEL, type Labels } from '../resource/labels.ts';
import { isDnsLabel } from '../resource/dns-names.ts';
import type { JsonObject, Place } from '../resource/resource.ts';
import type { Role } from './policy-role.ts';

/**
 * Who gets a resource from the control plane at `place` (docs/design/roles.md#who-gets-what). `spec` is as its origin
 * wrote it; `role` is undefined for what is no policy.
 *
 *   at global, made there                                        -> every zone
 *   at global, east's producer policy                            -> every zone but east, or the one that it pins
 *   at east, its own                                             -> global; a copy of anybody else's goes nowhere
 */
export function audienceAt(place: Place, kind: Kind, key: Key, labels: Labels, spec: JsonObject, role: Role | undefined): Audience {
  if (labels[LABEL.sync] === 'disabled') return NOBODY;
  if (key.zone === place.zone) return leaves(kind, key) ? OTHERS : NOBODY;
  return place.zone === '' ? passedOn(kind, key, spec, role) : NOBODY;
}

/** Whether the kind goes from its origin to anybody. */
function leaves(kind: Kind, key: Key): boolean {
  return key.zone === '' ? kind.sync.down : kind.sync.up;
}

/** To whom global passes on a zone's resource. In doubt the resource stays at global. */
function passedOn(kind: Kind, key: Key, spec: JsonObject, role: Role | undefined): Audience {
  if (!kind.sync.up || !kind.sync.across) return NOBODY;
  if (!kind.policy) return OTHERS;
  if (role !== 'producer' || mentionsExternalService(spec)) return NOBODY;
  return pinned(key, spec);
}

/**
 * A top-level MeshSubset with a zone's tag is for that zone alone. The value becomes an audience: only a zone's name
 * may.
 */
function pinned(key: Key, spec: JsonObject): Audience {
  const { kind, tags } = asObject(spec.targetRef) ?? {};
  const zone = kind === 'MeshSubset' ? asObject(tags)?.[LABEL.zone] : undefined;
  if (zone === undefined) return OTHERS;
  return typeof zone === 'string' && isDnsLabel(zone) && zone !== key.zone ? { to: 'only', zone } : NOBODY;
}

/** How far a resource gets from its origin, in the words of docs/design/roles.md#who-gets-what: for people. */
export function describeReach(kind: Kind, key: Key, labels: Labels, spec: JsonObject, role: Role | undefined): string {
  if (labels[LABEL.sync] === 'disabled' || !leaves(kind, key)) return 'nowhere';
  if (key.zone === '') return 'every zone';
  const audience = passedOn(kind, key, spec, role);
  switch (audience.to) {
    case 'none':
      return 'global only';
    case 'others':
      return 'global, every other zone';
    case 'only':
      return `global, only zone ${audience.zone}`;
  }
}
