import { useMemo } from 'preact/hooks';
import { getKept, path } from '../api.ts';
import { link } from '../location.ts';
import { Problem } from '../problem.tsx';
import { useLoaded } from '../use-loaded.ts';
import { Cell } from './cell.tsx';
import { Grid } from './grid.tsx';
import { Legend } from './legend.tsx';
import { arrange, type CallerRow, type VerdictMatrix } from './matrix.ts';
import { MeshSelect } from './mesh-select.tsx';

type MatrixQuery = Readonly<Record<string, string>>;

/** As many as one answer may have, of callers and of inbounds. */
const MOST = 1_000;

const BY = [
  ['all', 'named by policies, and proxies'],
  ['named', 'named by policies'],
  ['spiffeId', 'proxies by SPIFFE ID'],
  ['tags', 'proxies by their tags'],
] as const;

/** Who may call whom: callers down, inbounds across. What is looked for, and the opened cell, are in the address. */
export function MatrixPage({ query, asAdmin }: { query: MatrixQuery; asAdmin: boolean }) {
  const { mesh = 'default', by = 'all', from = '', to = '', alike = 'yes', caller = '', inbound = '' } = query;
  const url = path(`/meshes/${encodeURIComponent(mesh)}/_matrix`, { by, from, to, callerSize: MOST, inboundSize: MOST });
  const { value, problem } = useLoaded(url, () => getKept<VerdictMatrix>(url));
  const matrix = useMemo(() => value && arrange(value, alike === 'yes'), [value, alike]);
  const go = (changed: MatrixQuery): void => location.replace(link(['matrix'], { ...query, ...changed }));
  const row = matrix?.rows.findIndex(({ first }) => idOf(first) === caller) ?? -1;
  const column = matrix?.columns.findIndex(({ first }) => first.kri === inbound) ?? -1;
  const opened = row < 0 || column < 0 ? undefined : { row, column };
  const [ofRow, ofColumn] = [matrix?.rows[row]?.first, matrix?.columns[column]?.first];
  return (
    <>
      <h1>Who may call whom</h1>
      <Filters mesh={mesh} by={by} from={from} to={to} alike={alike} go={go} />
      <Problem text={problem} />
      {value && <Beyond matrix={value} />}
      {value && <Legend matrix={value} />}
      <div class="split">
        {matrix && matrix.columns.length > 0 && matrix.rows.length > 0 && (
          <Grid
            matrix={matrix}
            opened={opened}
            open={(at) => go({ caller: idOf(matrix.rows[at.row]?.first), inbound: matrix.columns[at.column]?.first.kri ?? '' })}
          />
        )}
        {ofRow && ofColumn && (
          <Cell
            mesh={mesh}
            caller={ofRow}
            inbound={ofColumn}
            asAdmin={asAdmin}
            close={link(['matrix'], { ...query, caller: '', inbound: '' })}
          />
        )}
      </div>
      {matrix && (matrix.columns.length === 0 || matrix.rows.length === 0) && (
        <p class="hint">
          {from + to === '' ? 'No proxy of this mesh listens anywhere: there is nobody to call.' : 'Nothing has such a name.'}
        </p>
      )}
    </>
  );
}

function idOf(row: CallerRow | undefined): string {
  return row ? `${row.kind} ${row.name}` : '';
}

interface FilterProps {
  readonly mesh: string;
  readonly by: string;
  readonly from: string;
  readonly to: string;
  readonly alike: string;
  readonly go: (changed: MatrixQuery) => void;
}

function Filters({ mesh, by, from, to, alike, go }: FilterProps) {
  const of = (event: Event): string => (event.target as HTMLInputElement | HTMLSelectElement).value;
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <MeshSelect mesh={mesh} onMesh={(chosen) => go({ mesh: chosen, caller: '', inbound: '' })} />
      <label>
        Callers{' '}
        <select value={by} onChange={(event) => go({ by: of(event) })}>
          {BY.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        Caller contains <input type="search" defaultValue={from} onInput={(event) => go({ from: of(event) })} />
      </label>
      <label>
        Inbound contains <input type="search" defaultValue={to} onInput={(event) => go({ to: of(event) })} />
      </label>
      <label>
        <input type="checkbox" checked={alike === 'yes'} onChange={() => go({ alike: alike === 'yes' ? 'no' : 'yes' })} /> Put alike
        together
      </label>
    </form>
  );
}

/** Where there are more than one answer has. */
function Beyond({ matrix: { callers, inbounds } }: { matrix: VerdictMatrix }) {
  const beyond = [
    callers.total > callers.items.length && `${callers.items.length.toLocaleString('en')} of ${callers.total.toLocaleString('en')} callers`,
    inbounds.total > inbounds.items.length &&
      `${inbounds.items.length.toLocaleString('en')} of ${inbounds.total.toLocaleString('en')} inbounds`,
  ].filter((part) => typeof part === 'string');
  return beyond.length === 0 ? null : <p role="note">The first {beyond.join(' and ')} are shown: say a part of a name for others.</p>;
}
