import stringWidth from 'string-width';
import { printable } from './printable.ts';

export type Colour = 'green' | 'yellow' | 'red';

/** What stands in one cell: text, or text with the colour that it has on a terminal. */
export type Cell = string | { readonly text: string; readonly colour: Colour };

/**
 * A column, by its heading. `wraps`: text for people, continued on the next line where there is no room. `context`: it
 * says where the rows are from, and is left out on a terminal where it says the same in all of them. `spare`: it is
 * left out where there is no room. `below`: where there is no room, it stands in lines of its own under its row.
 * All but `spare` are left out on a terminal too where they say nothing in any row.
 */
export type Column =
  | string
  | { readonly heading: string; readonly wraps?: true; readonly context?: true; readonly spare?: true; readonly below?: true };

/** A column that says where the rows are from. */
export function context(heading: string): Column {
  return { heading, context: true };
}

/** A column of text for people. */
export function wraps(heading: string): Column {
  return { heading, wraps: true };
}

/** A column of text for people that few rows have: the last one. */
export function below(heading: string): Column {
  return { heading, wraps: true, below: true };
}

/** A column that most people can do without. */
export function spare(heading: string): Column {
  return { heading, spare: true };
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
  const [first, ...others] = choicesOf(columns, cells, paper.width);
  for (const { shown, under, told } of [first, ...others]) {
    const { kept, lines } = only(shown, columns, cells);
    const widths = fit(kept, lines, paper.width ?? Number.POSITIVE_INFINITY);
    if (widths) return `${aligned(kept, lines, widths, paper, textsUnder(under, cells, paper))}${told}`;
  }
  const { kept, lines } = only(first.shown, columns, cells);
  return `${records(kept, lines, paper)}${first.told}`;
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

/** Which columns are shown, and a last line with what is said of the others. */
interface ColumnChoice {
  readonly shown: readonly number[];
  /** The column that stands under its rows. */
  readonly under?: number | undefined;
  readonly told: string;
}

/** From what is wanted most to what takes the least room. */
function choicesOf(
  columns: readonly Column[],
  rows: readonly (readonly PaintedText[])[],
  width: number | undefined,
): readonly [ColumnChoice, ...ColumnChoice[]] {
  if (width === undefined) return [{ shown: columns.map((_, index) => index), told: '' }];
  const [usual, narrower] = [leaveOut(columns, rows, 2), leaveOut(columns, rows, 1)];
  const fewest = withoutSpares(columns, narrower);
  const under = columns.findIndex((column) => typeof column !== 'string' && column.below);
  const divided = (choice: ColumnChoice) => ({ ...choice, shown: choice.shown.filter((index) => index !== under), under });
  return [usual, narrower, ...(under < 0 ? [fewest] : [divided(narrower), fewest, divided(fewest)])];
}

function withoutSpares(columns: readonly Column[], choice: ColumnChoice): ColumnChoice {
  const isSpare = (index: number): boolean => {
    const column = columns[index];
    return typeof column === 'object' && column.spare === true;
  };
  const named = choice.shown.filter(isSpare).map((index) => headingOf(columns[index] ?? '').toLowerCase());
  const told = named.length > 0 ? `(-o wide: ${named.join(', ')})\n` : '';
  return { shown: choice.shown.filter((index) => !isSpare(index)), told: `${choice.told}${told}` };
}

function only(shown: readonly number[], columns: readonly Column[], rows: readonly (readonly PaintedText[])[]) {
  return {
    kept: shown.map((index) => columns[index] ?? ''),
    lines: rows.map((row) => shown.map((index) => row[index] ?? { text: '-' })),
  };
}

/** Without what says the same in all rows, where there are so many, and what says nothing in any. */
function leaveOut(columns: readonly Column[], rows: readonly (readonly PaintedText[])[], least: number): ColumnChoice {
  const [first] = rows;
  const isSame = (column: Column, index: number): boolean => {
    if (typeof column === 'string' || !(column.context || column.wraps) || !first) return false;
    const text = first[index]?.text ?? '-';
    return (text === '-' || (column.context === true && rows.length >= least)) && rows.every((row) => (row[index]?.text ?? '-') === text);
  };
  const shown = columns.flatMap((column, index) => (isSame(column, index) ? [] : [index]));
  const said = columns.flatMap((column, index) => {
    const text = first?.[index]?.text ?? '-';
    return isSame(column, index) && text !== '-' ? [`${headingOf(column).toLowerCase()} ${text}`] : [];
  });
  return { shown, told: said.length > 0 ? `(${rows.length > 1 ? 'all: ' : ''}${said.join(', ')})\n` : '' };
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
  under: readonly string[],
): string {
  const heading = headings
    ? formatRow(
        columns.map((column): PaintedText => ({ text: headingOf(column) })),
        widths,
        colours,
      )
    : [];
  return [...heading, ...rows.flatMap((row, index) => [...formatRow(row, widths, colours), under[index] ?? ''])].join('');
}

/** What stands in lines of its own under each row, indented. */
function textsUnder(
  column: number | undefined,
  rows: readonly (readonly PaintedText[])[],
  { width = Number.POSITIVE_INFINITY }: TableLayout,
): string[] {
  if (column === undefined) return [];
  return rows.map((row) => {
    const text = row[column]?.text ?? '-';
    return text === '-'
      ? ''
      : wrap(text, Math.max(NARROWEST, width - GAP.length))
          .map((line) => `${GAP}${line}\n`)
          .join('');
  });
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
