import { withoutSlash } from '../../resource/string-match.ts';

/**
 * The properties of a client that policies can ask for, as keys of maps: its URI SANs, the paths above its SPIFFE ID,
 * its mesh.
 *
 *   spiffe://td/ns/a  ->  `= spiffe://td/ns/a`, `< spiffe://td/ns/a`, `< spiffe://td/ns`, `< spiffe://td`, `~ td`
 *   kuma://env/dev    ->  `= kuma://env/dev`
 */
export function clientKeys(sans: readonly string[]): string[] {
  const keys = sans.flatMap((san) => {
    const [, domain] = /^spiffe:\/\/([^/]*)/.exec(san) ?? [];
    if (domain === undefined) return [sanKey(san)];
    const inMesh = san.length > `spiffe://${domain}/`.length ? [meshKey(domain)] : [];
    return [sanKey(san), ...pathsOf(san).map(belowKey), ...inMesh];
  });
  return [...new Set(keys)];
}

/** For clients with this URI SAN. */
export function sanKey(san: string): string {
  return `= ${san}`;
}

/** For clients with a URI SAN that is this SPIFFE ID, or lies below it. */
export function belowKey(prefix: string): string {
  return `< ${withoutSlash(prefix)}`;
}

/** For clients of a mesh. */
export function meshKey(mesh: string): string {
  return `~ ${mesh}`;
}

/** A SPIFFE ID and all that it lies below, the nearest first. */
export function pathsOf(spiffeId: string): string[] {
  const start = 'spiffe://'.length;
  const paths = [spiffeId];
  for (let at = spiffeId.lastIndexOf('/'); at >= start; at = spiffeId.lastIndexOf('/', at - 1)) paths.push(spiffeId.slice(0, at));
  return paths;
}
