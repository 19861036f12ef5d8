import { get, type KeyFields, type List, path } from '../api.ts';
import { Problem } from '../problem.tsx';
import { useLoaded } from '../use-loaded.ts';
import { Table } from '../table.tsx';

interface LedgerRow extends KeyFields {
  readonly peer: string;
  readonly state: 'applied' | 'refused' | 'on its way' | 'unverified';
  readonly reason?: string;
  readonly since?: string;
}

/** Entries that one request asks for: one of each peer. */
const MOST = 1_000;

/** Where a resource stands at each peer that should have it. */
export function Standing({ type, mesh, name, kri }: { type: string; mesh: string; name: string; kri: string }) {
  const url = path('/_ledger', { type, mesh, name, size: MOST });
  const { value, problem } = useLoaded(url, () => get<List<LedgerRow>>(url));
  const entries = value?.items.filter((entry) => entry.kri === kri) ?? [];
  return (
    <section aria-labelledby="standing">
      <h2 id="standing">Where it stands</h2>
      <Problem text={problem} />
      {value && entries.length === 0 && <p class="hint">It is sent to nobody from here.</p>}
      {entries.length > 0 && (
        <Table headings={['Where', 'State', 'Since', 'Why']}>
          {entries.map(({ peer, state, since, reason = '' }) => (
            <tr key={peer} class={state === 'applied' ? 'good' : state === 'refused' ? 'bad' : 'troubled'}>
              <td>{peer}</td>
              <td>
                <span class="dot" aria-hidden="true" />
                {state}
              </td>
              <td>{since !== undefined && <time dateTime={since}>{new Date(since).toLocaleString()}</time>}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
