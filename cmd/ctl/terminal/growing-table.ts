import stringWidth from 'string-width';
import { type Cell, type Column, formatTable, type TableLayout } from './table.ts';

/**
 * A table that goes on: rows are formatted as they come, to stand under what was printed before. Gives what formats the
 * next rows; the first ones have the headings above them. A later row that is wider than all before it moves its own
 * columns alone. No row is wrapped or a record: each is one line, whatever the terminal.
 */
export function growingTable(columns: readonly Column[], paper: TableLayout): (rows: readonly (readonly Cell[])[]) => string {
  let widest: readonly string[] | undefined;
  return (rows) => {
    const layout = { ...paper, width: undefined };
    const known = widest ?? columns.map((column) => (typeof column === 'string' ? column : column.heading));
    const table = formatTable(columns, widest ? [widest, ...rows] : rows, { ...layout, headings: paper.headings && !widest });
    // The row that only makes the columns as wide as they were is taken away.
    const text = widest ? table.slice(table.indexOf('\n') + 1) : table;
    widest = rows.reduce<readonly string[]>((most, row) => most.map((cell, index) => wider(cell, row[index] ?? '')), known);
    return text;
  };
}

function wider(cell: string, other: Cell): string {
  const text = typeof other === 'string' ? other : other.text;
  return stringWidth(text) > stringWidth(cell) ? text : cell;
}
