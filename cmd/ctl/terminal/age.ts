const UNITS: readonly [letter: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

/** How long ago a time (RFC 3339) was, in its largest unit: `3d`, `12h`, `5m`, `0s`. '' for what is no time. */
export function formatAge(time: unknown, now: number): string {
  const then = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(then)) return '';
  const seconds = Math.max(0, Math.floor((now - then) / 1000));
  const [letter, unit] = UNITS.find(([, size]) => seconds >= size) ?? ['s', 1];
  return `${Math.floor(seconds / unit)}${letter}`;
}
