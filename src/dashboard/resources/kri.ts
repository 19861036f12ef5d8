/** Parts of `kri_<short>_<mesh>_<zone>_<namespace>_<name>_<section>`. */

export function displayName(kri: string): string {
  return kri.split('_')[5] ?? kri;
}

/** '': global's. */
export function zoneOf(kri: string): string {
  return kri.split('_')[3] ?? '';
}

/** The same resource as a whole. */
export function withoutSection(kri: string): string {
  return `${kri.split('_').slice(0, 6).join('_')}_`;
}
