import { kindOf } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import { splitRestName } from '../../resource/rest-name.ts';
import { type PlaneContents, owns } from '../plane/plane.ts';

/** The Dataplane of this zone with a REST name; undefined: there is none, or it is another zone's. */
export function ownDataplane({ place, store }: PlaneContents, mesh: string, restName: string): Resource | undefined {
  const { name, namespace } = splitRestName(kindOf('Dataplane'), restName, place);
  const found = namespace === undefined ? undefined : store.byName('Dataplane', mesh, namespace, name)?.resource;
  return found && owns(place, found.key) ? found : undefined;
}
