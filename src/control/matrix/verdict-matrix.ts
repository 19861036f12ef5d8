import type { Action } from '../../resource/permission-actions.ts';
import type { Decision } from '../../policy/decide/decide-request.ts';
import { readPermissions } from '../../policy/decide/read-permissions.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { askedKeys, countingKeys } from '../impact/permission-rules.ts';
import { NOT_SCANNED } from '../mesh/inbound-gate.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { createColumnGates, type ShutAt } from './column-gates.ts';
import { type AskingClient, decisionsOf, PortRules } from './found-requests.ts';
import type { MatrixCaller } from './matrix-callers.ts';
import type { MatrixInbound } from './matrix-inbounds.ts';

/**
 * What is decided about a caller at an inbound: `A` Allow, `D` Deny; `a` Allow and `d` Deny where the shadow side says
 * otherwise; `p` where it depends on the method or the path.
 */
type CellVerdict = 'A' | 'D' | 'a' | 'd' | 'p';

/** Callers that are judged in a step: each costs some microseconds, but where it is the first of its kind. */
const A_STEP = 50;

export interface MatrixSlice {
  readonly view: MeshView;
  readonly shutAt: ShutAt;
  /** All is denied, since denies may be missing. */
  readonly closed: boolean;
  readonly callers: readonly MatrixCaller[];
  readonly inbounds: readonly MatrixInbound[];
}

/**
 * Who may call whom: for each caller a verdict at each inbound, as `can` gives them
 * (docs/design/interfaces.md#rest). Inbounds that no permission tells apart, and callers of whom the same rules speak,
 * are decided once.
 *
 *   callers a, b; inbounds x, y; a may call both, b may GET y  ->  ['AA', 'Dp']
 */
export function* verdictMatrix({ view, shutAt, closed, callers, inbounds }: MatrixSlice): Parts<string[]> {
  if (closed) return callers.map(() => cellOf([NOT_SCANNED]).repeat(inbounds.length));
  const asked = yield* keysAsked(view);
  const clients: AskingClient[] = [];
  for (const { sans } of callers) {
    clients.push({ sans, keys: countingKeys(sans, asked) });
    yield;
  }
  const gatesAt = createColumnGates(view, shutAt);
  const known = new Map<string, readonly CellVerdict[]>();
  const columns: (readonly CellVerdict[])[] = [];
  for (const inbound of inbounds) {
    const { id, gates } = yield* gatesAt(inbound);
    const column = known.get(id) ?? (yield* columnOf(new PortRules(gates()), clients, view.mesh));
    known.set(id, column);
    columns.push(column);
  }
  return yield* turned(columns, callers.length);
}

function* keysAsked({ permissions }: MeshView): Parts<ReadonlySet<string>> {
  const asked = new Set<string>();
  for (const policy of permissions) {
    for (const key of askedKeys(readPermissions([{ policy }]))) asked.add(key);
    yield;
  }
  return asked;
}

function* columnOf(rules: PortRules, clients: readonly AskingClient[], mesh: string): Parts<CellVerdict[]> {
  const known = new Map<string, CellVerdict>();
  const column: CellVerdict[] = [];
  for (const [index, client] of clients.entries()) {
    const id = rules.idOf(client);
    const verdict =
      known.get(id) ?? cellOf((yield* decisionsOf(rules.gatesFor(client), client.sans, mesh, bothSides)).map(({ value }) => value));
    known.set(id, verdict);
    column.push(verdict);
    if (index % A_STEP === 0) yield;
  }
  return column;
}

type BothSides = Pick<Decision, 'decision' | 'shadow'>;

function bothSides({ decision, shadow }: Decision): BothSides {
  return { decision, shadow };
}

const CELLS: Readonly<Record<Action, Readonly<Record<Action, CellVerdict>>>> = {
  Allow: { Allow: 'A', Deny: 'a' },
  Deny: { Deny: 'D', Allow: 'd' },
};

/** One verdict for all requests, if they are told alike. */
function cellOf(all: readonly BothSides[]): CellVerdict {
  const cells = new Set(all.map(({ decision, shadow }) => CELLS[decision][shadow]));
  const [only = 'D'] = cells;
  return cells.size > 1 ? 'p' : only;
}

/** Columns as rows. */
function* turned(columns: readonly (readonly CellVerdict[])[], count: number): Parts<string[]> {
  const rows: string[] = [];
  for (let row = 0; row < count; row++) {
    rows.push(columns.map((column) => column[row] ?? 'D').join(''));
    yield;
  }
  return rows;
}
