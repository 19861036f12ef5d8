import { get, type List, path } from '../api.ts';
import { Problem } from '../problem.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';
import { useLoaded } from '../use-loaded.ts';

interface HistoryEntry {
  readonly id: number;
  readonly time: string;
  readonly principal: string;
  readonly operation: string;
  readonly outcome: string;
}

/** What was done to a resource at this control plane, the newest first. */
export function History({ kri }: { kri: string }) {
  const url = path('/_audit', { kri, size: 20 });
  const { value, problem } = useLoaded(url, () => get<List<HistoryEntry>>(url));
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <Problem text={problem} />
      {value?.items.length === 0 && <p class="hint">It was not written here, or longer ago than the audit log reaches.</p>}
      {value && value.items.length > 0 && (
        <Table headings={['When', 'Who', 'What', 'Outcome']}>
          {value.items.map(({ id, time, principal, operation, outcome }) => (
            <tr key={id}>
              <td>
                <Time at={time} />
              </td>
              <td>{principal || 'nobody known'}</td>
              <td>{operation}</td>
              <td>{outcome}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
