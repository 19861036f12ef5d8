/**
 * The one attribute whose values are places within places: `aws/us-east/vpc17` (docs/design/attributes.md#locations).
 */
const LOCATION = 'site:location';

/** Whether the values of an attribute are places. All others are compared as a whole. */
export function hasPlaces(key: string): boolean {
  return key === LOCATION;
}

/**
 * Whether an attribute has a value that a policy names: the same text; a location also where it lies within the named
 * one, by whole segments.
 *
 *   site:location, aws/us-east/vpc17, named aws/us-east   ->  true
 *   site:location, aws/us-east2, named aws/us-east        ->  false
 */
export function hasValue(key: string, value: string, named: string): boolean {
  return value === named || (key === LOCATION && named !== '' && value.startsWith(named.endsWith('/') ? named : `${named}/`));
}

/**
 * How near two values are: 0 where they have nothing in common. Of two locations it is how many of their first segments
 * are the same.
 *
 *   site:location, aws/us-east/vpc17, aws/us-west   ->  1
 */
export function nearness(key: string, a: string, b: string): number {
  if (key !== LOCATION) return Number(a === b);
  const [mine, other] = [a.split('/'), b.split('/')];
  const apart = mine.findIndex((segment, place) => segment !== other[place]);
  return apart < 0 ? mine.length : apart;
}
