/**
 * Whether all hosts of `host` are among those of `wide`: each is a host, `*.` before the end of some, or `*`.
 *
 *   *.example  covers  a.example, *.b.example;  not example
 */
export function covers(wide: string, host: string): boolean {
  if (wide === '*' || wide === host) return true;
  return wide.startsWith('*.') && host.endsWith(wide.slice(1)) && host.length > wide.length - 1;
}

/** The hosts of both; undefined: there are none. */
export function narrower(one: string, other: string): string | undefined {
  if (covers(one, other)) return other;
  return covers(other, one) ? one : undefined;
}
