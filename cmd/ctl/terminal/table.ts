import stringWidth from 'string-width';
import { printable } from './printable.ts';

export type Colour = 'green' | 'yellow' | 'red';

/** What stands in one cell: text, or text with the colour that it has on a terminal. */
export type Cell = string | { readonly text: string; readonly colour: Colour };

/**
 * A column, by its heading. `wraps`: text for people, continued on the next line where there is no room. `context`: it
 * says where the rows are from, and is left out on a terminal where it says the same in all of them.
 */
export type Column = string | { readonly heading: string; readonly wraps?: true; readonly context?: true };

/** A column that says where the rows are from. */
export function context(heading: string): Column {
  return { heading, context: true };
}

/** A column of text for people. */
export function wraps(heading: string): Column {
  return { heading, wraps: true };
}

/** What a table is fitted to. */
export interface TableLayout {
  /** In columns (a wide character takes two); undefined where lines may be of any length (no terminal). */
  readonly width: number | undefined;
  readonly colours: boolean;
  readonly headings: boolean;
}

const ANSI: Readonly<Record<Colour, number>> = { red: 31, green: 32, yellow: 33 };
const GAP = '   ';
/** No wrapped column is narrower: below this, words are hard to read. */
const NARROWEST = 20;

/**
 * Standard output: a terminal's width, and colours there alone and not with NO_COLOR (no-color.org: any value but an
 * empty one).
 */
export function standardPaper(): TableLayout {
  const { isTTY, columns } = process.stdout;
  return { width: isTTY ? columns : undefined, colours: isTTY && !process.env.NO_COLOR, headings: true };
}

/**
 * Lines of aligned columns under a heading, each ended by a newline; an empty cell is shown as `-`. Nothing is cut, for
 * a name without its end can't be used: texts wrap, and rows that are still too wide stand as records, a line for each
 * column.
 *
 *   ['NAME', {heading: 'REASON', wraps}], [['a', 'it is refused by global']]  on 30 characters
 *   -> NAME   REASON
 *      a      it is refused by
 *             global
 */
export function formatTable(columns: readonly Column[], rows: readonly (readonly Cell[])[], paper: TableLayout): string {
  const cells = rows.map((row) => row.map(toCell));
  const { shown, same } = paper.width === undefined ? { shown: columns.map((_, index) => index), same: '' } : leaveOut(columns, cells);
  const kept = shown.map((index) => columns[index] ?? '');
  const lines = cells.map((row) => shown.map((index) => row[index] ?? { text: '-' }));
  const widths = fit(kept, lines, paper.width ?? Number.POSITIVE_INFINITY);
  const body = widths ? aligned(kept, lines, widths, paper) : records(kept, lines, paper);
  return `${body}${same}`;
}

/** A text as a terminal shows it in a colour. */
export function paint(text: string, colour: Colour): string {
  return `\u001b[${ANSI[colour]}m${text}\u001b[0m`;
}

interface PaintedText {
  readonly text: string;
  readonly colour?: Colour;
}

function toCell(cell: Cell): PaintedText {
  return typeof cell === 'string' ? { text: printable(cell) || '-' } : { ...cell, text: printable(cell.text) || '-' };
}

function headingOf(column: Column): string {
  return typeof column === 'string' ? column : column.heading;
}

/** The columns that are shown, and a last line with what the others say in every row. */
function leaveOut(columns: readonly Column[], rows: readonly (readonly PaintedText[])[]): { shown: number[]; same: string } {
  const [first, ...more] = rows;
  const isSame = (column: Column, index: number): boolean =>
    typeof column !== 'string' &&
    column.context === true &&
    more.length > 0 &&
    more.every((row) => row[index]?.text === first?.[index]?.text);
  const shown = columns.flatMap((column, index) => (isSame(column, index) ? [] : [index]));
  const said = columns.flatMap((column, index) => {
    const text = first?.[index]?.text ?? '-';
    return isSame(column, index) && text !== '-' ? [`${headingOf(column).toLowerCase()} ${text}`] : [];
  });
  return { shown, same: said.length > 0 ? `(all: ${said.join(', ')})\n` : '' };
}

/** The width of each column. Those that wrap share what is left; undefined: there is not enough. */
function fit(columns: readonly Column[], rows: readonly (readonly PaintedText[])[], width: number): number[] | undefined {
  const natural = columns.map((column, index) =>
    Math.max(...[headingOf(column), ...rows.map((row) => row[index]?.text ?? '')].map((text) => stringWidth(text))),
  );
  const widths = [...natural];
  const excess = (): number => widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width;
  while (excess() > 0) {
    const wrapping = columns.flatMap((column, index) =>
      typeof column !== 'string' && column.wraps && (widths[index] ?? 0) > NARROWEST ? [index] : [],
    );
    const [widest] = wrapping.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function aligned(
  columns: readonly Column[],
  rows: readonly (readonly PaintedText[])[],
  widths: readonly number[],
  { colours, headings }: TableLayout,
): string {
  const heading = headings ? [columns.map((column): PaintedText => ({ text: headingOf(column) }))] : [];
  return [...heading, ...rows].flatMap((row) => formatRow(row, widths, colours)).join('');
}

/** One row: as many lines as its longest wrapped cell needs. */
function formatRow(row: readonly PaintedText[], widths: readonly number[], colours: boolean): string[] {
  const wrapped = row.map(({ text }, column) => wrap(text, widths[column] ?? 0));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const cells = row.map(({ colour }, column) => {
      const text = wrapped[column]?.[line] ?? '';
      const padding = ' '.repeat((widths[column] ?? 0) - stringWidth(text));
      return `${colours && colour && text !== '' ? paint(text, colour) : text}${padding}`;
    });
    return `${cells.join(GAP).trimEnd()}\n`;
  });
}

/** A line for each column that says something, and an empty line between two rows. */
function records(
  columns: readonly Column[],
  rows: readonly (readonly PaintedText[])[],
  { width = Number.POSITIVE_INFINITY, colours }: TableLayout,
): string {
  const margin = Math.max(...columns.map((column) => stringWidth(headingOf(column)))) + GAP.length;
  const record = (row: readonly PaintedText[]): string =>
    row
      .map(({ text, colour }, index) => {
        const lines = wrap(text, Math.max(NARROWEST, width - margin)).map((line) => (colours && colour ? paint(line, colour) : line));
        const heading = headingOf(columns[index] ?? '');
        return text === '-' ? '' : `${heading}${' '.repeat(margin - stringWidth(heading))}${lines.join(`\n${' '.repeat(margin)}`)}\n`;
      })
      .join('');
  return rows.map(record).join('\n');
}

const CHARACTERS = new Intl.Segmenter();

/** Lines of at most `width` columns, broken at blanks; a word that is longer stands in several lines. */
function wrap(text: string, width: number): string[] {
  if (stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (stringWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const parts = pieces(word, width);
    line = parts.pop() ?? '';
    lines.push(...parts);
  }
  return [...lines, line];
}

/** What a reader takes for one character stays whole: letters with their marks, emoji of several. */
function pieces(word: string, width: number): string[] {
  const parts = [''];
  for (const { segment } of CHARACTERS.segment(word)) {
    const last = parts.at(-1) ?? '';
    if (last !== '' && stringWidth(last + segment) > width) parts.push(segment);
    else parts[parts.length - 1] = last + segment;
  }
  return parts;
}
