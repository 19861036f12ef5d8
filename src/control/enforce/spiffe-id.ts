import { spiffeIdOfDataplane } from '../../policy/callers/caller-identity.ts';
import type { Plane } from '../plane/plane.ts';
import { ownDataplane } from './own-dataplane.ts';

/** The SPIFFE ID of a Dataplane of this zone. undefined: there is none, or it can't be written so. */
export function spiffeIdOf(plane: Plane, mesh: string, restName: string): string | undefined {
  const found = ownDataplane(plane, mesh, restName);
  return found && spiffeIdOfDataplane(found);
}
