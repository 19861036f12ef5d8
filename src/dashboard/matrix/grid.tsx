import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { callerText, inboundText, MEANING, shortCaller, type ShownMatrix } from './matrix.ts';

/** Pixels: of a cell, of what says its row, and its column. */
const CELL = 28;
const ROW_HEAD = 360;
const COLUMN_HEAD = 178;
/** Cells beyond the window's edge that are there already. */
const BEYOND = 4;

interface SeenWindow {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly columns: number;
}

interface CellPlace {
  readonly row: number;
  readonly column: number;
}

interface GridProps {
  readonly matrix: ShownMatrix;
  readonly open: (place: CellPlace) => void;
  readonly opened: CellPlace | undefined;
}

/** The matrix: only what is in the window is in the document. Arrows, Home, End and Page keys move; Enter opens. */
export function Grid({ matrix, open, opened }: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<SeenWindow>({ top: 0, left: 0, rows: 24, columns: 24 });
  const [at, setAt] = useState<CellPlace>({ row: 0, column: 0 });
  const clicked = useRef(false);
  const [height, width] = [matrix.rows.length, matrix.columns.length];
  const look = (): void => {
    const { current } = box;
    if (current) setSeen((before) => same(before, windowOf(current)));
  };
  useLayoutEffect(look, [height, width]);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  // The element with the focus shows whatever cell has it: only a click is elsewhere.
  useEffect(() => {
    if (!clicked.current) return;
    clicked.current = false;
    box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }, [at]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ' ') open(at);
    else {
      const next = step(event, at, seen, { row: height - 1, column: width - 1 });
      if (!next || !box.current) return;
      reveal(box.current, next);
      look();
      setAt(next);
    }
    event.preventDefault();
  };
  const onClick = (event: MouseEvent): void => {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-column]');
    const [row, column] = [cell?.closest<HTMLElement>('[data-row]')?.dataset.row, cell?.dataset.column];
    if (row === undefined || column === undefined) return;
    const place = { row: Number(row), column: Number(column) };
    clicked.current = true;
    setAt(place);
    open(place);
  };
  const rows = range(seen.top - BEYOND, seen.top + seen.rows + BEYOND, height);
  const columns = range(seen.left - BEYOND, seen.left + seen.columns + BEYOND, width);
  // An element that leaves the window shows what comes into it; that of the cell with the focus stays, as the last.
  const focus = { row: Math.min(at.row, height - 1), column: Math.min(at.column, width - 1) };
  const shownRows = [...rows.filter((row) => row !== focus.row), focus.row];
  const columnsOf = (row: number): readonly number[] =>
    row === focus.row ? [...columns.filter((column) => column !== focus.column), focus.column] : columns;
  return (
    <div
      class="matrix"
      ref={box}
      onScroll={look}
      role="grid"
      aria-label="Who may call whom"
      aria-rowcount={height + 1}
      aria-colcount={width + 1}
    >
      <div
        class="matrix-all"
        style={{ width: `${ROW_HEAD + width * CELL}px`, height: `${COLUMN_HEAD + height * CELL}px` }}
        role="rowgroup"
        onKeyDown={onKey}
        onClick={onClick}
      >
        <div role="row" aria-rowindex={1} class="matrix-head" style={{ height: `${COLUMN_HEAD}px` }}>
          <div role="columnheader" aria-colindex={1} class="corner" style={{ width: `${ROW_HEAD}px` }}>
            <span>caller ↓</span> <span>inbound →</span>
          </div>
          {columns.map((column) => (
            <ColumnHead key={column % columns.length} matrix={matrix} column={column} isFirst={column === seen.left} />
          ))}
        </div>
        {shownRows.map((row) => (
          <div
            role="row"
            key={row === focus.row ? 'focus' : row % rows.length}
            data-row={row}
            aria-rowindex={row + 2}
            class="matrix-row"
            style={{ top: `${COLUMN_HEAD + row * CELL}px` }}
          >
            <RowHead matrix={matrix} row={row} />
            {columnsOf(row).map((column) => {
              const letter = matrix.cell(row, column);
              const isOpen = opened?.row === row && opened.column === column;
              const isEnforced = matrix.columns[column]?.first.enforced !== false;
              return (
                <div
                  role="gridcell"
                  key={row === focus.row && column === focus.column ? 'focus' : column % columns.length}
                  class={`cell verdict-${letter}${isEnforced ? '' : ' unenforced'}`}
                  style={{ left: `${ROW_HEAD + column * CELL}px` }}
                  data-column={column}
                  aria-colindex={column + 2}
                  aria-label={`${MEANING[letter]}${isEnforced ? '' : ', not enforced'}`}
                  aria-selected={isOpen || undefined}
                  tabIndex={row === focus.row && column === focus.column ? 0 : -1}
                />
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

/** `isFirst`: of those that are seen, so that it says the zone too. */
function ColumnHead({ matrix, column, isFirst }: { matrix: ShownMatrix; column: number; isFirst: boolean }) {
  const found = matrix.columns[column];
  if (!found) return null;
  const { first, count } = found;
  const begins = matrix.columns[column - 1]?.first.zone !== first.zone;
  const text = count > 1 ? `${first.service}:${first.inbound} ×${count}` : inboundText(first);
  return (
    <div
      role="columnheader"
      aria-colindex={column + 2}
      class={`column-head${begins ? ' first' : ''}${first.enforced ? '' : ' unenforced'}`}
      style={{ left: `${ROW_HEAD + column * CELL}px` }}
      title={`${text} in ${first.zone || 'global'}${first.enforced ? '' : ': not enforced'}`}
    >
      <span class="column-name">{text}</span>
      {(begins || isFirst) && (
        <span class="zone" style={{ width: `${alikeFrom(matrix, column) * CELL - 6}px` }}>
          {first.zone || 'global'}
        </span>
      )}
    </div>
  );
}

/** How many columns from there on are of one zone. */
function alikeFrom({ columns }: ShownMatrix, column: number): number {
  const zone = columns[column]?.first.zone;
  const end = columns.findIndex(({ first }, index) => index > column && first.zone !== zone);
  return (end < 0 ? columns.length : end) - column;
}

function RowHead({ matrix, row }: { matrix: ShownMatrix; row: number }) {
  const found = matrix.rows[row];
  if (!found) return null;
  const { first, count } = found;
  const shows = first.kind === 'dataplanes' ? 'proxies' : 'named';
  const before = matrix.rows[row - 1]?.first.kind;
  const begins = row === 0 || (before === 'dataplanes') !== (first.kind === 'dataplanes');
  const text = callerText(first);
  return (
    <div role="rowheader" aria-colindex={1} class={`row-head${begins ? ' first' : ''}`} style={{ width: `${ROW_HEAD}px` }} title={text}>
      <span class="group">{begins ? shows : ''}</span>
      <span class="row-name">
        <bdi>{shortCaller(first)}</bdi>
      </span>
      {count > 1 && <span class="more">+{count - 1}</span>}
    </div>
  );
}

function windowOf({ scrollTop, scrollLeft, clientHeight, clientWidth }: HTMLElement): SeenWindow {
  return {
    top: Math.floor(scrollTop / CELL),
    left: Math.floor(scrollLeft / CELL),
    rows: Math.ceil(Math.max(0, clientHeight - COLUMN_HEAD) / CELL),
    columns: Math.ceil(Math.max(0, clientWidth - ROW_HEAD) / CELL),
  };
}

/** The former where nothing is another: then nothing is drawn again. */
function same(before: SeenWindow, now: SeenWindow): SeenWindow {
  return (['top', 'left', 'rows', 'columns'] as const).every((side) => before[side] === now[side]) ? before : now;
}

function range(from: number, to: number, length: number): number[] {
  const first = Math.max(0, from);
  return Array.from({ length: Math.max(0, Math.min(length, to) - first) }, (_, index) => first + index);
}

function step({ key, ctrlKey }: KeyboardEvent, { row, column }: CellPlace, { rows }: SeenWindow, last: CellPlace): CellPlace | undefined {
  const to = (nextRow: number, nextColumn: number): CellPlace => ({
    row: Math.min(last.row, Math.max(0, nextRow)),
    column: Math.min(last.column, Math.max(0, nextColumn)),
  });
  switch (key) {
    case 'ArrowUp':
      return to(row - 1, column);
    case 'ArrowDown':
      return to(row + 1, column);
    case 'ArrowLeft':
      return to(row, column - 1);
    case 'ArrowRight':
      return to(row, column + 1);
    case 'PageUp':
      return to(row - rows, column);
    case 'PageDown':
      return to(row + rows, column);
    case 'Home':
      return to(ctrlKey ? 0 : row, 0);
    case 'End':
      return to(ctrlKey ? last.row : row, last.column);
    default:
      return undefined;
  }
}

/** Scrolls until a cell is beside the heads. */
function reveal(box: HTMLElement, { row, column }: CellPlace): void {
  const [top, left] = [row * CELL, column * CELL];
  const [height, width] = [box.clientHeight - COLUMN_HEAD, box.clientWidth - ROW_HEAD];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + CELL > box.scrollTop + height) box.scrollTop = top + CELL - height;
  if (left < box.scrollLeft) box.scrollLeft = left;
  else if (left + CELL > box.scrollLeft + width) box.scrollLeft = left + CELL - width;
}
