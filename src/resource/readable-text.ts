/**
 * Control characters, those that turn the direction of text or can't be seen, line separators and halves of characters.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text as one line that can be read: what others wrote must not steer a terminal, nor break a line of a log. */
export function readable(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

/** The same, cut to `most` characters. */
export function readableUpTo(most: number, text: string): string {
  // Cut first: half a character at the end is a space then.
  return text.length > most ? `${readable(text.slice(0, most - 1))}…` : readable(text);
}
