import { readable } from '../../../src/resource/readable-text.ts';

/** What a control plane answered, as text: strings and numbers; '' for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A text in one line of a terminal, as it can be read. */
export function printable(text: string): string {
  return readable(text);
}
