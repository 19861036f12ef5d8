import { styleText } from 'node:util';

/** What the demo prints, and whether all was as expected. */

const failures: string[] = [];

export function say(text: string): void {
  console.log(text);
}

/** A step of the story: what it shows. */
export function step(title: string): void {
  say(`\n${styleText('bold', title)}`);
}

/** A line to copy, before what it prints. */
export function command(line: string): void {
  say(`  ${styleText('cyan', `$ ${line}`)}`);
}

/** What was printed. A call that is denied is red, one that is answered green. */
export function printed(text: string, colour?: 'green' | 'red'): void {
  const lines = text.trimEnd().replace(/^/gm, '    ');
  say(colour === undefined ? lines : styleText(colour, lines));
}

/** Notes what is not as expected. */
export function expect(what: string, actual: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) failures.push(`${what}: expected ${should}, got ${is}`);
}

/** Says how it went. Out: whether all was as expected. */
export function conclude(): boolean {
  for (const failure of failures) console.error(styleText('red', `NOT AS EXPECTED: ${failure}`));
  say(failures.length === 0 ? '\nall as expected' : '\nnot all was as expected');
  return failures.length === 0;
}
