import { type Site, readSites } from '../../policy/access/read-resources.ts';
import { siteAttributes } from '../../policy/access/attributes.ts';
import { zoneKey } from '../peers/zone-state.ts';
import { isGlobal, type Plane, type PlaneContents } from '../plane/plane.ts';

/**
 * The sites that a control plane knows, by zone (docs/design/attributes.md#a-sites-attributes): those of its Zones. A
 * zone that has no Zone of itself goes by its own configuration.
 */
export function knownSites({ store, place, site }: PlaneContents): ReadonlyMap<string, Site> {
  const sites = readSites([...store.each('Zone')].map(({ resource }) => resource));
  if (isGlobal(place) || sites.has(place.zone)) return sites;
  return new Map([...sites, [place.zone, { attributes: siteAttributes(place.zone, site ?? {}), disabled: false }]]);
}

/** Where a zone's configuration says other things of its site than the Zone that counts: for the operator. */
export function siteWarnings({ store, place, site = {} }: Pick<Plane, 'store' | 'place' | 'site'>): string[] {
  const zone = isGlobal(place) ? undefined : store.get(zoneKey(place.zone))?.resource;
  if (!zone) return [];
  const [counts, said] = [readSites([zone]).get(place.zone)?.attributes, siteAttributes(place.zone, site)];
  const others = [...(said ?? [])].filter(([key, value]) => counts?.get(key) !== value).map(([key]) => key);
  return others.map((key) => `siteAttributes says ${key}, and global's Zone ${place.zone} says otherwise: the Zone counts`);
}
