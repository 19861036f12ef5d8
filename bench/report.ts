/** Prints one figure. */
export function report(what: string, figure: string): void {
  console.log(`${what.padEnd(86)} ${figure}`);
}

/** Of any order. */
export function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
