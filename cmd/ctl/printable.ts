/** Control characters, and those that turn the direction of text: what others wrote must not steer a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What a control plane answered, as text: strings and numbers; '' for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A text in one line of a terminal, as it can be read. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}
