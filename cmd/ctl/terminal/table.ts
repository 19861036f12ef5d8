import stringWidth from 'string-width';
import { printable } from './printable.ts';

export type Colour = 'green' | 'yellow' | 'red';

/** What stands in one cell: text, or text with the colour that it has on a terminal. */
export type Cell = string | { readonly text: string; readonly colour: Colour };

/** What a table is fitted to. */
export interface Paper {
  /** In columns (a wide character takes two); undefined where lines may be of any length (no terminal). */
  readonly width: number | undefined;
  readonly colours: boolean;
}

const CHARACTERS = new Intl.Segmenter();
const ANSI: Readonly<Record<Colour, number>> = { red: 31, green: 32, yellow: 33 };
const GAP = 3;
/** Between columns that have no room left. */
const SMALL_GAP = 1;
/** No column is cut below this. */
const MIN_WIDTH = 6;

/**
 * Standard output: a terminal's width, and colours there alone and not with NO_COLOR (no-color.org: any value but an
 * empty one).
 */
export function standardPaper(): Paper {
  const { isTTY, columns } = process.stdout;
  return { width: isTTY ? columns : undefined, colours: isTTY && !process.env.NO_COLOR };
}

/**
 * Lines of aligned columns under a heading, each ended by a newline; an empty cell is shown as `-`. What is wider than
 * the paper is cut, the widest columns first.
 *
 *   ['NAME', 'REASON'], [['a', 'it is refused']]  on 14 characters
 *   -> NAME   REASON
 *      a      it is …
 */
export function formatTable(heading: readonly string[], rows: readonly (readonly Cell[])[], paper: Paper = standardPaper()): string {
  const lines = [heading, ...rows].map((row) => row.map(toCell));
  const natural = heading.map((_, column) => Math.max(...lines.map((line) => stringWidth(line[column]?.text ?? ''))));
  const { width = Number.POSITIVE_INFINITY, colours } = paper;
  const gap =
    total(
      natural.map((each) => Math.min(each, MIN_WIDTH)),
      GAP,
    ) > width
      ? SMALL_GAP
      : GAP;
  const widths = fit(natural, width, gap);
  return lines.map((line) => `${formatLine(line, widths, gap, colours)}\n`).join('');
}

/** A text as a terminal shows it in a colour. */
export function paint(text: string, colour: Colour): string {
  return `\u001b[${ANSI[colour]}m${text}\u001b[0m`;
}

interface Painted {
  readonly text: string;
  readonly colour?: Colour;
}

function toCell(cell: Cell): Painted {
  return typeof cell === 'string' ? { text: printable(cell) || '-' } : { ...cell, text: printable(cell.text) || '-' };
}

function formatLine(line: readonly Painted[], widths: readonly number[], gap: number, colours: boolean): string {
  const cells = line.map(({ text, colour }, column) => {
    const shown = cut(text, widths[column] ?? 0);
    const padding = ' '.repeat((widths[column] ?? 0) - stringWidth(shown) + gap);
    return `${colours && colour ? paint(shown, colour) : shown}${padding}`;
  });
  return cells.join('').trimEnd();
}

/** Takes from the widest column until all fit, or none can give any more. */
function fit(natural: readonly number[], width: number, gap: number): number[] {
  const widths = [...natural];
  while (total(widths, gap) > width) {
    const widest = Math.max(...widths);
    if (widest <= MIN_WIDTH) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function total(widths: readonly number[], gap: number): number {
  return widths.reduce((sum, each) => sum + each, gap * (widths.length - 1));
}

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = '';
  let left = width - 1;
  // What a reader takes for one character stays whole: letters with their marks, emoji of several.
  for (const { segment } of CHARACTERS.segment(text)) {
    left -= stringWidth(segment);
    if (left < 0) break;
    shown += segment;
  }
  return `${shown}…`;
}
